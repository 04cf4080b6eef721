import re
from functools import cache

import pytest

from restwright_bench.tmdb import core, lists, search
from restwright_bench.tmdb.handlers_lists import (
    find_collections,
    find_companies,
    find_movies,
    find_persons,
    find_series,
)
from restwright_bench.tmdb.make import make
from restwright_bench.tmdb.rows import Movie
from restwright_bench.tmdb.tables import TODAY, TmdbState

SEEDS = range(12)


@cache
def world(seed: int) -> TmdbState:
    return make(seed)


@pytest.fixture(params=SEEDS)
def state(request: pytest.FixtureRequest) -> TmdbState:
    return world(request.param)


# What is asked for can be found


FIRST_BY_SEARCH = (
    *((find_movies, each, each) for each in core.MOVIES),
    *((find_series, each, each) for each in core.SERIES),
    *((find_persons, each, each) for each in (*core.DIRECTS, *core.ACTS, *core.ACTS_IN_SERIES)),
    *((find_collections, each, each) for each in core.COLLECTIONS),
    *((find_collections, each.removesuffix(" Collection"), each) for each in core.COLLECTIONS),
    (find_movies, "Lord of the Ring", "The Lord of the Rings: The Fellowship of the Ring"),
    (find_movies, "the shawshank redemptionn", "The Shawshank Redemption"),
    (find_movies, "We Married as Job", "We Married as a Job"),
    (find_series, "We Married as Job", "We Married as a Job"),
    (find_series, "Big Bang Theory", "The Big Bang Theory"),
    (find_series, "Mandalorian", "The Mandalorian"),
    (find_series, "the Witcher", "The Witcher"),
    (find_series, "DEATH NOTE", "Death Note"),
    (find_persons, "Spielberg", "Steven Spielberg"),
    (find_collections, "Lord of the Rings", "The Lord of the Rings Collection"),
    (find_collections, "fast and furious", "The Fast and the Furious Collection"),
    (find_companies, "the Walt Disney", "Walt Disney Pictures"),
    (find_companies, "universal pictures", "Universal Pictures"),
    (find_companies, "Paramount", "Paramount Pictures"),
)


@pytest.mark.parametrize(("find", "text", "name"), FIRST_BY_SEARCH)
def test_a_name_that_is_asked_for_is_found_first(find, text: str, name: str) -> None:
    for seed in SEEDS:
        first = find(world(seed), text)[0]
        assert (first.title if isinstance(first, Movie) else first.name) == name


def test_other_titles_with_the_same_words_are_found_behind(state: TmdbState) -> None:
    assert [each.title for each in find_movies(state, "Titanic")] == ["Titanic", "Titanic Summer"]
    assert len(find_movies(state, "Avatar")) == 2
    assert len(find_movies(state, "Star Wars")) >= 3


@pytest.mark.parametrize(
    ("text", "is_found"),
    {
        "redemption": True,
        "redemptoin": True,
        "redemptin": True,
        "redemptian": True,
        "redemptionnn": False,
        "redmptin": False,
    }.items(),
)
def test_one_letter_of_a_long_word_may_be_wrong(*, text: str, is_found: bool) -> None:
    assert bool(search.found(["The Redemption"], text, name=str, rank=len)) == is_found


@pytest.mark.parametrize("text", ["", "  ", "!?", "nosuchtitleatall"])
def test_a_text_that_names_nothing_finds_nothing(text: str) -> None:
    assert find_movies(world(0), text) == []


def test_accents_case_and_apostrophes_do_not_count() -> None:
    names = ["Véronique's Life"]
    assert search.found(names, "VERONIQUES life", name=str, rank=len) == names


# What single questions need


def test_people_who_are_asked_for_have_what_is_asked_of_them(state: TmdbState) -> None:
    for name, (least, _) in core.DIRECTS.items():
        assert len(state.movies_directed_by(state.person(name))) >= least
    for name, (least, _) in core.ACTS.items():
        assert len(state.movies_acted_by(state.person(name))) >= least
    for name, (least, _) in core.ACTS_IN_SERIES.items():
        assert len(state.series_acted_by(state.person(name))) >= least
    assert state.series_directed_by(state.person("Catherine Hardwicke"))
    assert state.person("David Schwimmer").id in {
        each.person_id for each in state.cast_of(state.series("Friends"))
    }


def test_one_of_two_directors_has_directed_more(state: TmdbState) -> None:
    one, other = (len(state.movies_directed_by(state.person(each))) for each in core.UNEQUAL)
    assert one != other


def test_only_one_of_those_asked_for_has_a_film_to_come(state: TmdbState) -> None:
    for name in {*core.DIRECTS, *core.ACTS}:
        latest = state.movies_of(state.person(name))[-1]
        assert (latest.release_date > TODAY) == (name == "Clint Eastwood")


def test_the_director_of_a_film_has_directed_others(state: TmdbState) -> None:
    director = state.director_of(state.movie("Django Unchained"))
    assert len(state.movies_directed_by(director)) >= 3


def test_a_director_has_worked_for_television_too() -> None:
    same: set[bool] = set()
    for seed in SEEDS:
        state = world(seed)
        director = state.director_of(state.movie("Mulholland Drive"))
        assert state.series_directed_by(director)
        (other,) = state.directors_in(state.series("Twin Peaks"), 1)
        same.add(director == other)
    assert same == {True, False}


def test_seasons_have_the_directors_that_are_asked_for(state: TmdbState) -> None:
    assert len(state.directors_in(state.series("House of Cards"), 1)) == 3
    assert len(state.directors_in(state.series("Black Mirror"), 2)) == 1


def test_an_episode_has_the_guests_that_are_asked_for(state: TmdbState) -> None:
    assert state.guests_in(state.series("Friends"), 3, 24)


@pytest.mark.parametrize(
    ("name", "season", "episode"),
    [
        *(("The Witcher", 1, 2), ("Friends", 3, 24), ("Westworld", 2, 3)),
        *(("Band of Brothers", 1, 3), ("The Mandalorian", 2, 3), ("Black Mirror", 2, 3)),
        *(("Game of Thrones", 2, 1), ("The Big Bang Theory", 2, 1), ("House of Cards", 1, 1)),
    ],
)
def test_an_episode_that_is_asked_for_has_been_aired(
    name: str, season: int, episode: int, state: TmdbState
) -> None:
    assert state.episode(state.series(name), season, episode).air_date <= TODAY


def test_a_film_is_among_the_best_ten_in_some_worlds() -> None:
    among: set[bool] = set()
    for seed in SEEDS:
        state = world(seed)
        among.add(state.movie("Mulholland Drive") in lists.top_rated_movies(state)[:10])
    assert among == {True, False}


def test_two_people_differ_by_whole_years(state: TmdbState) -> None:
    director = state.director_of(state.movie("Barbie"))
    lead = state.lead_of(state.series("Death Note"))
    older, younger = sorted((director.birthday, lead.birthday))
    assert older[:4] < younger[:4]
    assert older[5:] < younger[5:]


def test_two_actors_play_together_in_some_worlds() -> None:
    together: set[bool] = set()
    for seed in SEEDS:
        state = world(seed)
        film, series = state.movie("We Married as a Job"), state.series("We Married as a Job")
        names = {state.persons[each.person_id].name for each in state.cast_of(film)}
        assert names == {state.persons[each.person_id].name for each in state.cast_of(series)}
        assert "Yui Aragaki" in names
        together.add("Gen Hoshino" in names)
    assert together == {True, False}


def test_english_films_of_these_years_are_well_rated_now_and_then(state: TmdbState) -> None:
    found = [
        each
        for each in state.movies.values()
        if each.original_language == "en" and each.vote_average >= 7 and each.release_date >= "2021"
    ]
    assert len(found) >= 3


def test_companies_say_when_and_where_they_were_founded(state: TmdbState) -> None:
    for company in state.companies.values():
        assert company.headquarters in company.description
        assert re.findall(r"\d{4}", company.description) == [str(company.founded)]
    years = [each.founded for each in state.companies.values()]
    assert len(set(years)) == len(years)
