"""What is known of the queries to the music service is right in every world."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.bench.spotify_client import FOLDER, Client, client_of, needs_restbench

from restwright_bench.policies.mutation import CONTROL, MutationPolicy
from restwright_bench.policies.run import run
from restwright_bench.policies.scripted import NothingPolicy, OraclePolicy, WrongArgumentsPolicy
from restwright_bench.policies.tools import tools_of
from restwright_bench.queries.checker import is_answered, is_changed
from restwright_bench.queries.gold import load_queries
from restwright_bench.queries.query import Answered, Changed, GoldCall
from restwright_bench.queries.scores import Score
from restwright_bench.queries.spotify import oracles
from restwright_bench.spotify import let_in, spotify_api
from restwright_bench.world.api import Running

pytestmark = [pytest.mark.corpus, needs_restbench]

SEEDS = range(10)
BY_INDEX = {each.index: each for each in oracles()}


def scores(policy, seed) -> list[Score]:
    running = Running(spotify_api(FOLDER), seed=seed)
    queries = load_queries(FOLDER, "spotify")
    return [run(policy, each, BY_INDEX[each.index], running, let_in) for each in queries]


def test_every_query_has_an_oracle_that_can_judge():
    queries = load_queries(FOLDER, "spotify")
    assert [each.index for each in oracles()] == [each.index for each in queries]
    assert not any(each.unsound for each in oracles())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_calls_are_a_success_without_a_refusal(seed):
    found = scores(OraclePolicy(), seed)
    assert [each.index for each in found if not each.success] == []
    assert [each.index for each in found if not each.path_accepted] == []
    assert sum(each.client_errors for each in found) == 0


def test_a_checked_client_can_make_all_of_these_calls():
    api = spotify_api(FOLDER)
    running, queries = Running(api, seed=1), load_queries(FOLDER, "spotify")
    policy = MutationPolicy(kind=CONTROL, tools=tools_of(api, let_in))
    found = [run(policy, each, BY_INDEX[each.index], running, let_in) for each in queries]
    assert all(each.success for each in found)
    assert policy.tally.refused == []


def test_published_paths_that_are_not_gone_are_told_to_be_unsound():
    missed = {each.index for each in scores(OraclePolicy(), 0) if not each.path_strict}
    assert missed == {9, 15, 21, 24, 36}
    assert all(BY_INDEX[each].unsound_gold for each in missed)


def test_to_do_nothing_is_no_success():
    assert not any(each.success for each in scores(NothingPolicy(), 0))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_right_path_with_wrong_arguments_is_no_success(seed):
    assert [each.index for each in scores(WrongArgumentsPolicy(), seed) if each.success] == []


def test_accepted_paths_are_of_calls_that_the_document_has():
    known = {GoldCall(*each) for each in spotify_api(FOLDER).handlers}
    for oracle in oracles():
        for path in oracle.alternatives:
            assert set(path) <= known, oracle.index
        assert len(set(oracle.alternatives)) == len(oracle.alternatives), oracle.index


def test_an_unsound_path_has_an_alternative():
    queries = load_queries(FOLDER, "spotify")
    for oracle in oracles():
        others = set(oracle.alternatives) - {queries[oracle.index].gold}
        assert others or not oracle.unsound_gold, oracle.index


# Other ways to do what is asked, and ways that only come near.

Deed = Callable[[Client], object]


def is_met(index: int, *deeds: Deed, seed: int = 4) -> bool:
    client = client_of(seed)
    expected = BY_INDEX[index].expected(client.state)
    assert isinstance(expected, Changed)
    before = client.state.snapshot()
    for deed in deeds:
        deed(client)
    assert all(each.status < 400 for each in client.running.log)
    return is_changed(expected, before, client.state.snapshot())


def artist(name: str) -> Callable[[Client], str]:
    return lambda client: client.state.catalogue.artist(name).id


def follows(*names: str) -> Deed:
    return lambda client: client(
        "PUT",
        "/me/following",
        type="artist",
        ids=",".join(artist(each)(client) for each in names),
    )


def unfollows(*names: str) -> Deed:
    return lambda client: client(
        "DELETE",
        "/me/following",
        type="artist",
        ids=",".join(artist(each)(client) for each in names),
    )


def pauses(client):
    client("PUT", "/me/player/pause")


def resumes(client):
    client("PUT", "/me/player/play")


def skips(client):
    client("POST", "/me/player/next")


def volume(percent: int) -> Deed:
    return lambda client: client("PUT", "/me/player/volume", volume_percent=percent)


def repeats(mode: str) -> Deed:
    return lambda client: client("PUT", "/me/player/repeat", state=mode)


def plays(find: Callable[[Client], list[str]]) -> Deed:
    return lambda client: client(
        "PUT",
        "/me/player/play",
        body={"uris": [f"spotify:track:{each}" for each in find(client)]},
    )


def makes(name: str, find: Callable[[Client], list[str]]) -> Deed:
    def deed(client: Client) -> None:
        ids = find(client)
        made = client("POST", f"/users/{client.state.me.id}/playlists", body={"name": name})
        uris = [f"spotify:track:{each}" for each in ids]
        client("POST", f"/playlists/{made.body['id']}/tracks", body={"uris": uris})

    return deed


def by(name: str, count: int) -> Callable[[Client], list[str]]:
    def find(client: Client) -> list[str]:
        found = client.state.catalogue.tracks_by_artist[artist(name)(client)]
        return [each.id for each in found[-count:]]

    return find


def top(span: str, count: int) -> Callable[[Client], list[str]]:
    return lambda client: list(client.state.catalogue.top["tracks", span][:count])


def my_rock(client):
    return list(client.state.my_playlist("My Rock").track_ids)


def queue_and_item(client):
    return [*client.state.player.queue, client.state.player.item]


def clears_tracks(client):
    client("DELETE", "/me/tracks", ids=",".join(each.id for each in client.state.library.tracks))


def clears_albums(client):
    client("DELETE", "/me/albums", ids=",".join(each.id for each in client.state.library.albums))


ALL_FOLLOWED = ("Lana Del Rey", "Whitney Houston", "Ida Lindqvist")


@pytest.mark.parametrize(
    ("index", "deeds"),
    [
        (0, [makes("Love Mariah", by("Mariah Carey", 3))]),
        (3, [volume(60), skips]),
        (6, [follows("Lana Del Rey")]),
        (7, [plays(lambda client: newest(client, "Taylor Swift")[-1:])]),
        (10, [repeats("track"), skips]),
        (14, [volume(0), pauses, resumes]),
        (14, [pauses, resumes, volume(20)]),
        (15, [makes("Current", queue_and_item)]),
        (28, [pauses, resumes]),
        (28, [pauses, plays(lambda client: [client.state.player.item])]),
        (31, [unfollows("Lana Del Rey"), skips]),
        (32, [follows("Taylor Swift", "Lana Del Rey")]),
        (32, [follows("Jay Chou"), unfollows("Jay Chou"), follows("Taylor Swift")]),
        (33, [makes("My Top", top("short_term", 24))]),
        (33, [makes("My Top", top("medium_term", 20))]),
        (41, [plays(my_rock)]),
        (42, [unfollows(*ALL_FOLLOWED), clears_tracks, clears_albums]),
        (46, [skips, volume(80), pauses]),
        (49, [plays(lambda client: [client.state.library.tracks[2].id]), repeats("track")]),
    ],
)
def test_other_ways_to_do_it_are_accepted(index, deeds):
    assert is_met(index, *deeds)


def newest(client, name):
    return client.state.catalogue.newest_album(artist(name)(client)).track_ids


@pytest.mark.parametrize(
    ("index", "deeds"),
    [
        (0, [makes("Love Mariah", by("Mariah Carey", 2))]),
        (0, [makes("Love Mariah", by("Mariah Carey", 4))]),
        (0, [makes("Love Mariah", by("Jay Chou", 3))]),
        (0, [makes("love", by("Mariah Carey", 3))]),
        (0, [makes("Love Mariah", by("Mariah Carey", 3)), skips]),
        (0, [makes("Love Mariah", by("Mariah Carey", 3))] * 2),
        (3, [skips, skips, volume(60)]),
        (3, [skips, volume(60), pauses]),
        (7, [plays(by("Jay Chou", 1))]),
        (10, [skips, repeats("context")]),
        (14, [volume(20)]),
        (14, [volume(20), pauses]),
        (14, [volume(51), pauses, resumes]),
        (28, [pauses]),
        (28, [pauses, plays(my_rock)]),
        (31, [skips, unfollows("Ida Lindqvist")]),
        (32, [follows("Taylor Swift", "Jay Chou")]),
        (32, [follows("Taylor Swift"), unfollows("Lana Del Rey")]),
        (33, [makes("My Top", top("short_term", 3))]),
        (36, [follows("Odessa Rayne")]),
        (39, [follows("Whitney Houston")]),
        (41, [plays(lambda client: my_rock(client)[:2])]),
        (42, [clears_tracks]),
        (42, [unfollows(*ALL_FOLLOWED)]),
        (44, [volume(20), volume(21)]),
        (56, [pauses, resumes]),
        (8, [plays(by("Pink Floyd", 3))]),
    ],
)
def test_what_only_comes_near_is_not_accepted(index, deeds):
    assert not is_met(index, *deeds)


def test_quiet_songs_are_found_by_many_words():
    for index, query in enumerate(("quiet", "calm songs", "genre:ambient", "piano", "soft")):
        client = client_of(index)
        kind = "playlist" if query == "calm songs" else "track"
        found = client("GET", "/search", q=query, type=kind).body[f"{kind}s"]["items"]
        body = {"context_uri": found[0]["uri"]} if kind == "playlist" else {}
        body = body or {"uris": [each["uri"] for each in found]}
        expected = BY_INDEX[8].expected(client.state)
        before = client.state.snapshot()
        client("PUT", "/me/player/play", body=body)
        assert is_changed(expected, before, client.state.snapshot()), query


@pytest.mark.parametrize("index", [23, 29])
def test_to_list_everything_tells_not_which_is_first(index):
    state = client_of(0).state
    expected = BY_INDEX[index].expected(state)
    assert isinstance(expected, Answered)
    names = [
        each.name for each in (*state.catalogue.artists.values(), *state.catalogue.albums.values())
    ]
    assert not is_answered(expected, ", ".join(names))


@pytest.mark.parametrize("index", [16, 18, 20, 23, 24, 26, 29, 30, 55])
def test_a_refusal_answers_nothing(index):
    expected = BY_INDEX[index].expected(client_of(0).state)
    assert not is_answered(expected, "I am sorry, I cannot tell.")


def test_what_is_read_must_leave_everything_as_it_was():
    queries = load_queries(FOLDER, "spotify")
    reads = [each.index for each in queries if all(call.method == "GET" for call in each.gold)]
    kinds = {each: BY_INDEX[each].expected(client_of(0).state) for each in reads}
    assert all(isinstance(each, Answered) for each in kinds.values())
    assert len(reads) == 9
