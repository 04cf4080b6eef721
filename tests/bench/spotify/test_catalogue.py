"""The world of music hangs together, and is the same for the same seed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from restwright_bench.spotify import SpotifyState, core
from restwright_bench.spotify.catalogue import catalogue_of

SEEDS = range(10)


@pytest.fixture(params=SEEDS)
def state(request: pytest.FixtureRequest) -> SpotifyState:
    return SpotifyState(request.param)


def test_a_seed_makes_one_world():
    first = SpotifyState(3).snapshot()
    catalogue_of.cache_clear()
    assert SpotifyState(3).snapshot() == first


def test_another_seed_renumbers_ids_and_redraws_facts():
    one, two = catalogue_of(1), catalogue_of(2)
    assert not set(one.tracks) & set(two.tracks)
    assert [each.name for each in one.artists.values()] == [
        each.name for each in two.artists.values()
    ]
    assert one.album("Mojito").release_date != two.album("Mojito").release_date
    assert one.me.name != two.me.name or one.me.id != two.me.id


def test_ids_are_22_characters_of_base_62(state):
    catalogue = state.catalogue
    for table in (catalogue.artists, catalogue.albums, catalogue.tracks, catalogue.playlists):
        assert all(len(each) == 22 and each.isalnum() and each.isascii() for each in table)


def test_every_id_leads_somewhere(state):
    catalogue = state.catalogue
    for album in catalogue.albums.values():
        assert set(album.artist_ids) <= set(catalogue.artists)
        numbers = [catalogue.tracks[each].number for each in album.track_ids]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(catalogue.tracks[each].album_id == album.id for each in album.track_ids)
    for track in catalogue.tracks.values():
        assert set(track.artist_ids) <= set(catalogue.artists)
        assert track.id in catalogue.albums[track.album_id].track_ids
    for playlist in state.playlists.values():
        assert set(playlist.track_ids) <= set(catalogue.tracks)
        assert playlist.owner_id in catalogue.users


def test_what_the_queries_name_is_there_once(state):
    catalogue = state.catalogue
    for name in (each.name for each in core.ASKED_FOR):
        assert [each.name for each in catalogue.artists.values()].count(name) == 1
    for name in ("Mojito", "Born To Die", "reputation", "The Dark Side of the Moon"):
        assert [each.name for each in catalogue.albums.values()].count(name) == 1
    for name in ("Summertime Sadness", "When You Believe"):
        assert [each.name for each in catalogue.tracks.values()].count(name) == 1
    assert len(catalogue.track("When You Believe").artist_ids) == 2


def test_names_of_albums_and_tracks_are_all_different(state):
    names = [each.name for each in state.catalogue.tracks.values()]
    assert len(set(names)) == len(names)


def test_no_two_releases_came_out_on_a_day(state):
    days = [each.release_date for each in state.catalogue.albums.values()]
    assert len(set(days)) == len(days)
    assert max(days) < "2026-01-15"


def test_what_is_newest_is_an_album_that_its_place_does_not_tell(state):
    places = set()
    for each in (*core.ASKED_FOR, *(x for x in core.INVENTED if x.name in core.FOLLOWED)):
        artist = state.catalogue.artist(each.name)
        newest = state.catalogue.newest_album(artist.id)
        assert newest.kind == "album"
        places.add(state.catalogue.albums_by_artist[artist.id].index(newest))
    assert len(places) > 3


def test_artists_of_the_queries_have_20_releases(state):
    for each in core.ASKED_FOR:
        artist = state.catalogue.artist(each.name)
        assert len(state.catalogue.albums_by_artist[artist.id]) == 20


def test_popularity_has_no_ties_among_the_tracks_of_an_artist(state):
    for artist in state.catalogue.artists.values():
        tracks = state.catalogue.tracks_by_artist[artist.id]
        own = [each.popularity for each in tracks if each.artist_ids[0] == artist.id]
        assert all(more > less for more, less in pairwise(own))


def test_the_state_is_that_of_the_authors_at_first(state):
    library, player, catalogue = state.library, state.player, state.catalogue
    by = [catalogue.tracks[each.id].artist_ids[0] for each in library.tracks]
    assert sorted(catalogue.artists[each].name for each in by) == [
        *["Lana Del Rey"] * 3,
        *["Whitney Houston"] * 3,
    ]
    assert {catalogue.albums[each.id].name for each in library.albums} == {
        "Born To Die",
        "reputation",
    }
    assert {state.playlists[each].name for each in state.my_playlists} == {"My R&B", "My Rock"}
    assert len(library.artists) == 3
    assert catalogue.albums[state.playing().album_id].name == "Born To Die"
    assert (player.device.name, player.volume, player.is_playing) == ("My PC", 50, True)
    assert len(player.queue) == 3


def test_no_write_that_is_asked_for_is_done_already(state):
    library, catalogue = state.library, state.catalogue
    saved = {each.id for each in library.tracks}
    assert state.player.item not in saved
    asked = catalogue.track("Summertime Sadness").id
    assert asked not in state.first_playlist().track_ids
    followed = set(library.artists)
    involved = {
        artist
        for each in state.my_playlist("My R&B").track_ids
        for artist in catalogue.tracks[each].artist_ids
    }
    assert involved - followed
    latest = catalogue.tracks[state.history[0].track_id]
    assert not followed.intersection(latest.artist_ids)
    beatles = catalogue.newest_album(catalogue.artist("The Beatles").id)
    assert beatles.track_ids[0] not in state.my_playlist("My Rock").track_ids


def test_the_order_of_lists_differs_between_seeds():
    states = [SpotifyState(each) for each in SEEDS]
    assert len({each.first_playlist().name for each in states}) == 2
    assert len({each.catalogue.artists[each.library.artists[0]].name for each in states}) > 1
    assert len({each.catalogue.albums[each.library.albums[0].id].name for each in states}) == 2


def test_snapshots_are_equal_for_equal_states_and_kept_apart_from_them():
    state = SpotifyState(0)
    before = state.snapshot()
    state.player.queue.append("x")
    assert before == SpotifyState(0).snapshot() != state.snapshot()
