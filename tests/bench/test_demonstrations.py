"""The two demonstrations, by a scripted model through the `rest` agent and the whole world."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.support.bench.films import FOLDER, needs_restbench
from tests.support.bench.knowing import Knowing

from restwright_bench.cli import main
from restwright_bench.demonstrations import DEMONSTRATIONS, Shown, listed, named, run
from restwright_bench.errors import UnusableChoice
from restwright_bench.policies.run import whole_run
from restwright_bench.policies.scripted import OraclePolicy
from restwright_bench.suites import api_of
from restwright_bench.world.api import Running

FIRST_TITLED = (
    "([each for each in data['results'] if each['title'] == 'Titanic'] or data['results'])[0]"
)
FILMS = Knowing(
    steps=[
        "find the film Titanic",
        "find the first film that is similar to #1",
        "find the primary information about the movie #2, with its companies",
    ],
    operations={
        "primary information": "GET_movie-movie_id",
        "similar": "GET_movie-movie_id-similar",
        "": "GET_search-movie",
    },
    values={"query": "Titanic"},
    code={
        "companies": "data['production_companies'][0]['name']",
        "similar": "data['results'][0]",
        "": FIRST_TITLED,
    },
)
PLAYLIST = Knowing(
    steps=[
        "find me",
        "change create a playlist named Love Lana for #1",
        "find a song by Lana Del Rey",
        "change add #3 to #2",
    ],
    operations={
        "add": "add-tracks-to-playlist",
        "create a playlist": "create-playlist",
        "a song by": "search",
        "me": "get-current-users-profile",
    },
    values={
        "name": "Love Lana",
        "q": "Lana Del Rey",
        "type": ["track"],
        "uris": lambda text: re.findall(r"spotify:track:\w+", text)[0],
    },
    code={"a song": "data['tracks']['items'][0]['uri']", "me": "data"},
)
MODELS = {"similar-films": FILMS, "new-playlist": PLAYLIST}


def shown(name: str, *, seed: int = 0) -> Shown:
    one = named(name)
    api, let_in = api_of(one.api, FOLDER)
    return run(one, api, let_in, model=replace(MODELS[name], asked=[]), seed=seed)


def test_both_are_listed_with_what_they_show(capsys):
    assert main(["example"]) == 0
    assert capsys.readouterr().out.strip() == listed()
    assert [line.split()[0] for line in listed().splitlines()] == ["similar-films", "new-playlist"]


def test_another_name_is_told_of(capsys):
    with pytest.raises(UnusableChoice):
        named("films")
    assert main(["example", "films"]) == 1
    assert "there is similar-films and new-playlist, no films" in capsys.readouterr().err


class TestWorld:
    pytestmark = needs_restbench

    @pytest.mark.parametrize("seed", [0, 1])
    @pytest.mark.parametrize("name", DEMONSTRATIONS)
    def test_it_does_what_is_asked_for_in_any_world(self, name, seed):
        done = shown(name, seed=seed)
        assert done.ran.score.success, done.text()
        assert done.ran.said.stopped == "answered"

    def test_similar_films_are_asked_for_before_details(self):
        made = [each.template for each in shown("similar-films").ran.log]
        similar, details = "/movie/{movie_id}/similar", "/movie/{movie_id}"
        assert made.index(similar) < made.index(details) == len(made) - 1

    def test_the_users_id_is_asked_for_before_a_playlist_is_made(self):
        log = shown("new-playlist").ran.log
        made = [f"{each.method} {each.template}" for each in log]
        assert made[:2] == ["GET /me", "POST /users/{user_id}/playlists"]
        assert made[-1] == "POST /playlists/{playlist_id}/tracks"

    def test_a_reader_sees_plan_calls_and_answer(self):
        text = shown("new-playlist").text()
        titles = [line for line in text.splitlines() if line and not line.startswith(" ")]
        assert titles == ["Question", "Plan", "Calls", "Answer", "Judged"]
        assert "  1. me\n  2. create a playlist named Love Lana for #1\n" in text
        assert re.search(r"  POST /users/\w+/playlists -> 201\n", text)
        assert "went the way of the paper; what was asked for" in text

    @pytest.mark.parametrize("name", DEMONSTRATIONS)
    def test_the_right_calls_meet_it(self, name):
        one = named(name)
        api, let_in = api_of(one.api, FOLDER)
        ran = whole_run(OraclePolicy(), one.query, one.oracle(), Running(api, seed=3), let_in)
        assert ran.score.success
        assert ran.score.path_accepted
