"""The queries that make and change playlists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import Changed, Oracle, Script
from restwright_bench.queries.spotify import calls
from restwright_bench.queries.spotify.changes import (
    Part,
    changed,
    exactly,
    in_order,
    playlist_now,
    playlist_with,
    some_of,
)
from restwright_bench.queries.spotify.paths import (
    ADD,
    CREATE,
    ME,
    OF_PLAYLIST,
    any_order,
    paths,
)
from restwright_bench.spotify.handlers_catalogue import top_of
from restwright_bench.spotify.state import Playlist, SpotifyState

REMOVE, CHANGE = "DELETE /playlists/{playlist_id}/tracks", "PUT /playlists/{playlist_id}"
LEAST_TOP = 5
SPANS = ("short_term", "medium_term", "long_term")

Finds = Callable[[], calls.Part[list[JsonObject]]]


def oracles() -> Iterable[Oracle]:
    """In the order of their indices."""
    yield from _that_make_one()
    yield from _that_add_or_remove()
    yield from _that_change_details()


def _that_make_one() -> Iterable[Oracle]:
    yield Oracle(
        index=0,
        expected=lambda state: has_some_by(state, "Love Mariah", "Mariah Carey", 3),
        script=lambda _state: make("Love Mariah", lambda: by("Mariah Carey", 3)),
        alternatives=paths(any_order("GET /search", (ME, CREATE)), ADD),
    )
    yield Oracle(
        index=15,
        expected=_has_queue,
        script=lambda _state: make("Current", _queue),
        alternatives=paths(any_order("GET /me/player/queue", (ME, CREATE)), ADD),
        unsound_gold="changing the details of a playlist adds no song to it",
    )
    yield Oracle(
        index=22,
        expected=_has_top_of_taylor,
        script=lambda _state: make("Love Taylor", _top_of_taylor),
        alternatives=paths(
            any_order(("GET /search", "GET /artists/{id}/top-tracks"), (ME, CREATE)), ADD
        ),
        unsound_gold="the artist's id is never searched for",
    )
    yield Oracle(
        index=33,
        expected=_has_my_top,
        script=lambda _state: make("My Top", _my_top),
        alternatives=paths(any_order("GET /me/top/{type}", (ME, CREATE)), ADD),
    )
    yield Oracle(
        index=43,
        expected=lambda _state: changed(playlist_with("Quiet", "empty", exactly(()))),
        script=_make_empty,
        alternatives=paths(ME, CREATE),
    )
    yield Oracle(
        index=50,
        expected=lambda state: has_some_by(state, "BIGBANG", "BIGBANG", 1),
        script=_make_bigbang,
        alternatives=paths(any_order("GET /search", (ME, CREATE)), ADD),
    )


def _that_add_or_remove() -> Iterable[Oracle]:
    yield Oracle(
        index=2,
        expected=_has_summertime_sadness,
        script=_add_summertime_sadness,
        alternatives=paths(any_order("GET /search", "GET /me/playlists"), ADD),
    )
    yield Oracle(
        index=21,
        expected=_has_newest_of_beatles,
        script=_add_newest_of_beatles,
        # A search for tracks tells their albums, the dates of those, and their places on them.
        alternatives=paths(any_order("GET /search", "GET /me/playlists"), ADD),
        unsound_gold="neither the playlist's id nor the album's tracks are looked up, and its last"
        " call changes details that nobody asked to change",
    )
    for index, name, place in ((34, "My Rock", 0), (37, "My R&B", 1)):
        yield _removal(index, name, place)
    yield Oracle(
        index=51,
        expected=lambda state: changed(_emptied(state.first_playlist())),
        script=lambda _state: _empty(lambda own: own[0]),
        alternatives=paths("GET /me/playlists", OF_PLAYLIST, REMOVE),
    )


def _that_change_details() -> Iterable[Oracle]:
    yield Oracle(
        index=12,
        expected=lambda state: changed(_detailed(state.first_playlist(), name="My First")),
        script=_rename_first,
    )
    yield Oracle(
        index=25,
        expected=lambda state: changed(_emptied(state.my_playlist("My R&B"), name="Test")),
        script=_empty_and_rename,
        alternatives=paths("GET /me/playlists", any_order(REMOVE, CHANGE)),
    )
    yield Oracle(
        index=52,
        expected=lambda state: changed(_detailed(state.first_playlist(), public=False)),
        script=_make_first_private,
        alternatives=paths("GET /me/playlists", CHANGE),
        unsound_gold="the list of playlists gives the id; there is nothing more to look up",
    )


# Making


def make(name: str, find: Finds) -> Script:
    """Make a playlist of what is found."""
    tracks = yield from find()
    own_id = yield from calls.made_playlist(name)
    yield calls.put_into(own_id, tracks)
    return calls.DONE


def _make_empty(_state: SpotifyState) -> Script:
    yield from calls.made_playlist("Quiet")
    return calls.DONE


def _make_bigbang(_state: SpotifyState) -> Script:
    own_id = yield from calls.made_playlist("BIGBANG")
    tracks = yield from by("BIGBANG", 1)
    yield calls.put_into(own_id, tracks)
    return calls.DONE


def has_some_by(state: SpotifyState, name: str, artist: str, count: int) -> Changed:
    """A new playlist has as many tracks by an artist."""
    own_id = state.catalogue.artist(artist).id
    valid = {each.id for each in state.catalogue.tracks_by_artist[own_id]}
    return changed(playlist_with(name, f"{count} by {artist}", some_of(valid, count)))


def by(artist: str, count: int) -> calls.Part[list[JsonObject]]:
    """Tracks by an artist."""
    found = yield from calls.searched(f"artist:{artist}", "track")
    return found[:count]


def _has_queue(state: SpotifyState) -> Changed:
    """What is playing is shown with the queue, so it may be taken for a part of it."""
    queue, current = list(state.player.queue), state.player.item

    def is_right(ids: Sequence[str]) -> bool:
        return sorted(ids) in (sorted(queue), sorted([*queue, current]))

    return changed(playlist_with("Current", "the queue", is_right))


def _queue() -> calls.Part[list[JsonObject]]:
    body = yield calls.get("/me/player/queue")
    return body["queue"]


def _has_top_of_taylor(state: SpotifyState) -> Changed:
    tracks = top_of(state, state.catalogue.artist("Taylor Swift").id)
    return changed(playlist_with("Love Taylor", "her top tracks", exactly(tracks)))


def _top_of_taylor() -> calls.Part[list[JsonObject]]:
    found = yield from calls.searched("Taylor Swift", "artist")
    tracks = yield from calls.top_tracks(calls.named(found, "Taylor Swift")["id"])
    return tracks


def _has_my_top(state: SpotifyState) -> Changed:
    """The first ones of a list over any time, whether one page of it or all."""
    lists = [state.catalogue.top["tracks", span] for span in SPANS]

    def is_right(ids: Sequence[str]) -> bool:
        return len(ids) >= LEAST_TOP and any(
            sorted(ids) == sorted(each[: len(ids)]) for each in lists
        )

    return changed(playlist_with("My Top", "the user's top tracks", is_right))


def _my_top() -> calls.Part[list[JsonObject]]:
    body = yield calls.get("/me/top/{type}", {"type": "tracks"}, **calls.ALL)
    return body["items"]


# Adding and removing


def _has_summertime_sadness(state: SpotifyState) -> Changed:
    track = state.catalogue.track("Summertime Sadness").id
    return changed(_added(state.first_playlist(), track))


def _add_summertime_sadness(_state: SpotifyState) -> Script:
    found = yield from calls.searched("Summertime Sadness artist:Lana Del Rey", "track")
    own = yield from calls.my_playlists()
    yield calls.put_into(own[0]["id"], [calls.named(found, "Summertime Sadness")])
    return calls.DONE


def _has_newest_of_beatles(state: SpotifyState) -> Changed:
    album = state.catalogue.newest_album(state.catalogue.artist("The Beatles").id)
    return changed(_added(state.my_playlist("My Rock"), album.track_ids[0]))


def _add_newest_of_beatles(_state: SpotifyState) -> Script:
    found = yield from calls.searched("The Beatles", "artist")
    album = yield from calls.newest_album(calls.named(found, "The Beatles")["id"])
    tracks = yield from calls.album_tracks(album["id"])
    own = yield from calls.my_playlists()
    yield calls.put_into(calls.named(own, "My Rock")["id"], tracks[:1])
    return calls.DONE


def _removal(index: int, name: str, place: int) -> Oracle:
    """The oracle for taking one track out of a playlist."""

    def expected(state: SpotifyState) -> Changed:
        found = state.my_playlist(name)
        left = [each for at, each in enumerate(found.track_ids) if at != place]
        what = f"track {place + 1} of {name} is removed"
        return changed(playlist_now(found.id, what, tracks=in_order(left)))

    def script(_state: SpotifyState) -> Script:
        own = yield from calls.my_playlists()
        own_id = calls.named(own, name)["id"]
        tracks = yield from calls.playlist_tracks(own_id)
        yield calls.take_from(own_id, [tracks[place]])
        return calls.DONE

    return Oracle(
        index=index,
        expected=expected,
        script=script,
        alternatives=paths("GET /me/playlists", OF_PLAYLIST, REMOVE),
    )


def _empty(choose: Callable[[list[JsonObject]], JsonObject]) -> Script:
    own = yield from calls.my_playlists()
    own_id = choose(own)["id"]
    body = yield calls.get("/playlists/{playlist_id}", {"playlist_id": own_id})
    tracks = [each["track"] for each in body["tracks"]["items"]]
    yield calls.take_from(own_id, tracks)
    return own_id


def _empty_and_rename(_state: SpotifyState) -> Script:
    own_id = yield from _empty(lambda own: calls.named(own, "My R&B"))
    yield calls.change(own_id, name="Test")
    return calls.DONE


def _rename_first(_state: SpotifyState) -> Script:
    own = yield from calls.my_playlists()
    yield calls.change(own[0]["id"], name="My First")
    return calls.DONE


def _make_first_private(_state: SpotifyState) -> Script:
    own = yield from calls.my_playlists()
    found = yield calls.get("/playlists/{playlist_id}", {"playlist_id": own[0]["id"]})
    yield calls.change(found["id"], public=False)
    return calls.DONE


def _added(found: Playlist, track: str) -> Part:
    wanted = exactly([*found.track_ids, track])
    return playlist_now(found.id, f"one more track is in {found.name}", tracks=wanted)


def _emptied(found: Playlist, **details: str | bool) -> Part:
    what = f"{found.name} is empty"
    return playlist_now(found.id, what, details=details, tracks=exactly(()))


def _detailed(found: Playlist, **details: str | bool) -> Part:
    return playlist_now(found.id, f"{found.name} is now {details}", details=details)
