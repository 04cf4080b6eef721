"""The queries that tell the player to do something."""

from __future__ import annotations

from collections.abc import Iterable

from restwright_bench.queries.query import Changed, Oracle, Script, Scripted
from restwright_bench.queries.spotify import calls
from restwright_bench.queries.spotify.changes import (
    Part,
    changed,
    paused,
    paused_and_resumed,
    playing,
    playing_context,
    queued,
    repeating,
    skipped,
    volume,
)
from restwright_bench.queries.spotify.paths import OF_ALBUM, any_order, paths
from restwright_bench.spotify.core import QUIET_WORDS
from restwright_bench.spotify.searching import has_word
from restwright_bench.spotify.state import SpotifyState

NEXT, REPEAT, VOLUME = "POST /me/player/next", "PUT /me/player/repeat", "PUT /me/player/volume"
PAUSE, PLAY = "PUT /me/player/pause", "PUT /me/player/play"
QUEUE = "POST /me/player/queue"
DEVICES = ("GET /me/player/devices", "GET /me/player")


def oracles() -> Iterable[Oracle]:
    """In the order of their indices."""
    yield from _with_queue()
    yield from _with_commands()
    yield from _with_something_to_play()


def _with_queue() -> Iterable[Oracle]:
    yield Oracle(
        index=1,
        expected=lambda state: _queues_first_of(state, "The Dark Side of the Moon"),
        script=_queue_from_dark_side,
        # A search for the tracks of an album tells their places on it.
        alternatives=paths("GET /search", QUEUE),
    )
    yield Oracle(
        index=5,
        expected=_queues_from_first_followed,
        script=_queue_from_first_followed,
        alternatives=paths("GET /me/following", "GET /artists/{id}/albums", OF_ALBUM, QUEUE),
    )
    yield Oracle(
        index=54,
        expected=lambda state: changed(
            queued("the first saved track is queued", [state.library.tracks[0].id]),
            repeating("track"),
        ),
        script=_queue_first_saved_and_repeat,
        alternatives=paths(any_order(("GET /me/tracks", QUEUE), REPEAT)),
    )


def _with_commands() -> Iterable[Oracle]:
    yield Oracle(
        index=3,
        expected=lambda _state: changed(skipped(), _volume_is(60)),
        script=lambda _state: _told(calls.skip(), calls.volume(60)),
        alternatives=paths(any_order(NEXT, VOLUME)),
    )
    yield Oracle(
        index=10,
        expected=lambda _state: changed(skipped(), repeating("track")),
        script=lambda _state: _told(calls.skip(), calls.repeat_track()),
        alternatives=paths(any_order(NEXT, REPEAT)),
    )
    yield Oracle(
        index=14,
        expected=_quieter,
        # One below what it is, so that one more is no longer less.
        script=lambda _state: _told(calls.pause(), calls.volume(49), calls.play()),
        alternatives=paths(any_order((PAUSE, PLAY), VOLUME)),
    )
    yield Oracle(
        index=27,
        expected=lambda _state: changed(paused()),
        script=lambda _state: _told(calls.get("/me/player"), calls.pause()),
        alternatives=paths(("GET /me/player", "GET /me/player/currently-playing"), PAUSE),
    )
    yield Oracle(
        index=28,
        expected=lambda _state: changed(paused_and_resumed()),
        script=lambda _state: _told(calls.pause(), calls.get("/me/player/devices"), calls.play()),
        alternatives=paths(any_order(PAUSE, (DEVICES,)), PLAY),
    )
    yield Oracle(
        index=40,
        expected=lambda _state: changed(skipped()),
        script=lambda _state: _told(calls.skip()),
    )
    yield Oracle(
        index=44,
        expected=lambda _state: changed(_volume_is(20)),
        script=lambda _state: _told(calls.volume(20)),
    )
    yield Oracle(
        index=45,
        expected=lambda _state: changed(repeating("track")),
        script=lambda _state: _told(calls.repeat_track()),
    )
    yield Oracle(
        index=46,
        expected=lambda _state: changed(paused(), _volume_is(80), skipped()),
        script=lambda _state: _told(calls.pause(), calls.volume(80), calls.skip()),
        alternatives=paths(any_order(PAUSE, VOLUME, NEXT)),
    )
    yield Oracle(
        index=56,
        expected=lambda _state: changed(paused()),
        script=lambda _state: _told(calls.pause()),
    )


def _with_something_to_play() -> Iterable[Oracle]:
    yield Oracle(
        index=7,
        expected=_plays_one_of_newest,
        script=lambda _state: _play_newest_of("Taylor Swift"),
        alternatives=paths("GET /search", PLAY),
    )
    yield Oracle(
        index=8,
        expected=_plays_quiet,
        script=_play_quiet,
        alternatives=paths("GET /recommendations", PLAY),
    )
    yield Oracle(
        index=41,
        expected=_plays_my_rock,
        script=_play_my_rock,
    )
    yield Oracle(
        index=47,
        expected=_plays_newest,
        script=lambda _state: _play_newest_of("BIGBANG"),
        alternatives=paths("GET /search", PLAY),
    )
    yield Oracle(
        index=49,
        expected=_plays_third_saved,
        script=_play_third_saved,
        alternatives=paths("GET /me/tracks", any_order(PLAY, REPEAT)),
        unsound_gold="the saved track is listed with its URI; there is nothing more to look up",
    )


def _told(*commands: Scripted) -> Script:
    """Calls that depend on no answer."""
    for each in commands:  # noqa: UP028 - a tuple cannot be sent answers
        yield each
    return calls.DONE


def _volume_is(percent: int) -> Part:
    return volume(f"the volume is {percent}", lambda heard: heard == percent)


def _quieter(state: SpotifyState) -> Changed:
    was = state.player.volume
    return changed(paused_and_resumed(), volume("it is quieter", lambda heard: heard < was))


def _queues_first_of(state: SpotifyState, name: str) -> Changed:
    track = state.catalogue.album(name).track_ids[0]
    return changed(queued(f"the first track of {name} is queued", [track]))


def _queue_from_dark_side(_state: SpotifyState) -> Script:
    found = yield from calls.searched("The Dark Side of the Moon", "album")
    album = calls.named(found, "The Dark Side of the Moon")
    tracks = yield from calls.album_tracks(album["id"])
    yield calls.queue(tracks[0])
    return calls.DONE


def _queues_from_first_followed(state: SpotifyState) -> Changed:
    album = state.catalogue.newest_album(state.library.artists[0])
    return changed(queued("the first track of the newest album is queued", [album.track_ids[0]]))


def _queue_from_first_followed(_state: SpotifyState) -> Script:
    artist = yield from calls.first_followed()
    album = yield from calls.newest_album(artist["id"])
    tracks = yield from calls.album_tracks(album["id"])
    yield calls.queue(tracks[0])
    return calls.DONE


def _queue_first_saved_and_repeat(_state: SpotifyState) -> Script:
    tracks = yield from calls.saved_tracks()
    yield calls.queue(tracks[0])
    yield calls.repeat_track()
    return calls.DONE


def _plays_one_of_newest(state: SpotifyState) -> Changed:
    artist = state.catalogue.artist("Taylor Swift")
    valid = state.catalogue.newest_album(artist.id).track_ids
    return changed(
        playing("a track of the newest album plays", lambda player: player["item"] in valid)
    )


def _plays_newest(state: SpotifyState) -> Changed:
    album = state.catalogue.newest_album(state.catalogue.artist("BIGBANG").id)
    uri = f"spotify:album:{album.id}"
    return changed(playing_context("the newest album plays", uri, album.track_ids))


def _play_newest_of(name: str) -> Script:
    found = yield from calls.searched(name, "artist")
    album = yield from calls.newest_album(calls.named(found, name)["id"])
    yield calls.play(context_uri=album["uri"])
    return calls.DONE


def _plays_quiet(state: SpotifyState) -> Changed:
    valid = quiet_tracks(state)
    return changed(playing("quiet songs play", lambda player: valid.issuperset(player["running"])))


def quiet_tracks(state: SpotifyState) -> frozenset[str]:
    """Ids of what a word for quiet leads to: by names and genres, on albums and in playlists."""
    catalogue = state.catalogue
    found = {each.id for each in has_word(state, "track", QUIET_WORDS)}
    for kind in ("album", "playlist"):
        for each in has_word(state, kind, QUIET_WORDS):
            found.update(each.track_ids)
    for each in has_word(state, "artist", QUIET_WORDS):
        found.update(track.id for track in catalogue.tracks_by_artist[each.id])
    return frozenset(found)


def _play_quiet(_state: SpotifyState) -> Script:
    tracks = yield from calls.searched("quiet", "track")
    yield calls.play(uris=calls.uris(tracks[:5]))
    return calls.DONE


def _plays_my_rock(state: SpotifyState) -> Changed:
    found = state.my_playlist("My Rock")
    return changed(playing_context("My Rock plays", found.uri, found.track_ids))


def _play_my_rock(_state: SpotifyState) -> Script:
    own = yield from calls.my_playlists()
    yield calls.play(context_uri=calls.named(own, "My Rock")["uri"])
    return calls.DONE


def _plays_third_saved(state: SpotifyState) -> Changed:
    third = state.library.tracks[2].id
    return changed(
        playing("the third saved track plays", lambda player: player["item"] == third),
        repeating("track"),
    )


def _play_third_saved(_state: SpotifyState) -> Script:
    tracks = yield from calls.saved_tracks()
    track = yield calls.get("/tracks/{id}", {"id": tracks[2]["id"]})
    yield calls.play(uris=[track["uri"]])
    yield calls.repeat_track()
    return calls.DONE
