"""The queries that change the library, and whom the user follows."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from restwright_bench.queries.query import Changed, Oracle, Script
from restwright_bench.queries.spotify import calls
from restwright_bench.queries.spotify.changes import (
    Part,
    changed,
    either_albums_or_none,
    follows,
    removed,
    saved,
    skipped,
    unfollows,
)
from restwright_bench.queries.spotify.paths import NOW, OF_PLAYLIST, any_order, paths
from restwright_bench.spotify.handlers_catalogue import top_of
from restwright_bench.spotify.state import SpotifyState

FOLLOW, UNFOLLOW = "PUT /me/following", "DELETE /me/following"
HOLDS_ARTISTS = "the item that is playing holds its artists; the track shows nothing more of them"


def oracles() -> Iterable[Oracle]:
    """In the order of their indices."""
    yield from _of_the_library()
    yield from _of_what_plays()
    yield from _of_following()


def _of_the_library() -> Iterable[Oracle]:
    yield Oracle(
        index=4,
        expected=lambda state: changed(
            saved("tracks", "the current track is saved", [state.player.item])
        ),
        script=_save_current,
        alternatives=paths(NOW, "PUT /me/tracks"),
    )
    for index in (11, 53):
        yield Oracle(
            index=index,
            expected=lambda state: changed(
                saved("albums", "Mojito is saved", [state.catalogue.album("Mojito").id])
            ),
            script=_save_mojito,
        )
    yield Oracle(
        index=17,
        expected=lambda state: changed(
            removed("albums", "the first album is removed", [state.library.albums[0].id])
        ),
        script=_remove_first_album,
    )
    yield Oracle(
        index=35,
        expected=_saves_top_of_first,
        script=_save_top_of_first,
    )
    yield Oracle(
        index=38,
        expected=lambda state: changed(
            removed("tracks", "the third track is removed", [state.library.tracks[2].id])
        ),
        script=_remove_third_track,
    )
    yield Oracle(
        index=42,
        expected=_clears,
        script=_clear,
        alternatives=paths(
            any_order(("GET /me/tracks", "DELETE /me/tracks"), ("GET /me/following", UNFOLLOW))
        ),
    )


def _of_what_plays() -> Iterable[Oracle]:
    for index in (6, 19):
        yield Oracle(
            index=index,
            expected=lambda state: _follows(state, state.playing().artist_ids),
            script=_follow_current,
            alternatives=paths(NOW, FOLLOW),
            unsound_gold=HOLDS_ARTISTS,
        )
    yield Oracle(
        index=13,
        expected=lambda state: changed(_unfollows_current(state)),
        script=_unfollow_current,
        alternatives=paths(NOW, UNFOLLOW),
        unsound_gold=HOLDS_ARTISTS,
    )
    yield Oracle(
        index=31,
        expected=lambda state: changed(_unfollows_current(state), skipped()),
        script=_unfollow_current_and_skip,
        alternatives=paths(NOW, any_order(UNFOLLOW, "POST /me/player/next")),
    )


def _of_following() -> Iterable[Oracle]:
    yield Oracle(
        index=9,
        expected=_follows_last_played,
        script=_follow_last_played,
        alternatives=paths("GET /me/player/recently-played", FOLLOW),
        unsound_gold="what is playing is looked at where the song played last is asked for",
    )
    yield Oracle(
        index=32,
        expected=lambda state: _follows(state, [state.catalogue.artist("Taylor Swift").id]),
        script=_follow_taylor_swift,
    )
    yield Oracle(
        index=36,
        expected=_follows_all_of_my_rnb,
        script=_follow_all_of_my_rnb,
        alternatives=paths("GET /me/playlists", OF_PLAYLIST, FOLLOW),
        unsound_gold="the user is looked up, the user's playlists are not: no id of the playlist",
    )
    yield Oracle(
        index=39,
        expected=lambda state: _follows(
            state, state.catalogue.track("When You Believe").artist_ids
        ),
        script=_follow_singers,
        alternatives=paths("GET /search", FOLLOW),
        unsound_gold="its path to a track is in no document (corrected), and what was found by"
        " the search holds both artists",
    )
    yield Oracle(
        index=48,
        expected=lambda state: _follows(state, state.catalogue.album("Mojito").artist_ids),
        script=_follow_artist_of_mojito,
        alternatives=paths("GET /search", FOLLOW),
        unsound_gold="an album that was found by a search holds its artists",
    )


def _save_current(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    yield calls.tell("PUT", "/me/tracks", ids=item["id"])
    return calls.DONE


def _save_mojito(_state: SpotifyState) -> Script:
    found = yield from calls.searched("Mojito artist:Jay Chou", "album")
    yield calls.tell("PUT", "/me/albums", ids=calls.named(found, "Mojito")["id"])
    return calls.DONE


def _remove_first_album(_state: SpotifyState) -> Script:
    body = yield calls.get("/me/albums", **calls.ALL)
    yield calls.tell("DELETE", "/me/albums", ids=body["items"][0]["album"]["id"])
    return calls.DONE


def _saves_top_of_first(state: SpotifyState) -> Changed:
    tracks = top_of(state, state.library.artists[0])
    return changed(saved("tracks", "the top tracks of the first artist are saved", tracks))


def _save_top_of_first(_state: SpotifyState) -> Script:
    artist = yield from calls.first_followed()
    tracks = yield from calls.top_tracks(artist["id"])
    yield calls.tell("PUT", "/me/tracks", ids=calls.ids(tracks))
    return calls.DONE


def _remove_third_track(_state: SpotifyState) -> Script:
    tracks = yield from calls.saved_tracks()
    yield calls.tell("DELETE", "/me/tracks", ids=tracks[2]["id"])
    return calls.DONE


def _clears(state: SpotifyState) -> Changed:
    return changed(
        removed("tracks", "no track is saved", [each.id for each in state.library.tracks]),
        unfollows("no artist is followed", state.library.artists),
        either_albums_or_none(),
    )


def _clear(_state: SpotifyState) -> Script:
    tracks = yield from calls.saved_tracks()
    yield calls.tell("DELETE", "/me/tracks", ids=calls.ids(tracks))
    body = yield calls.get("/me/following", type="artist", **calls.ALL)
    yield calls.unfollow(body["artists"]["items"])
    return calls.DONE


def _follows(state: SpotifyState, artists: Collection[str]) -> Changed:
    names = ", ".join(state.catalogue.artists[each].name for each in artists)
    return changed(follows(f"{names} followed", artists))


def _unfollows_current(state: SpotifyState) -> Part:
    return unfollows("the artist that is playing is followed no more", state.playing().artist_ids)


def _follow_current(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    track = yield calls.get("/tracks/{id}", {"id": item["id"]})
    yield calls.follow(track["artists"])
    return calls.DONE


def _unfollow_current(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    track = yield calls.get("/tracks/{id}", {"id": item["id"]})
    yield calls.unfollow(track["artists"])
    return calls.DONE


def _unfollow_current_and_skip(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    yield calls.unfollow(item["artists"])
    yield calls.skip()
    return calls.DONE


def _follows_last_played(state: SpotifyState) -> Changed:
    first, *guests = state.catalogue.tracks[state.history[0].track_id].artist_ids
    return changed(follows("the artist played last is followed", [first], allowed=guests))


def _follow_last_played(_state: SpotifyState) -> Script:
    body = yield calls.get("/me/player/recently-played", **calls.ALL)
    yield calls.follow(body["items"][0]["track"]["artists"])
    return calls.DONE


def _follow_taylor_swift(_state: SpotifyState) -> Script:
    found = yield from calls.searched("Taylor Swift", "artist")
    yield calls.follow([calls.named(found, "Taylor Swift")])
    return calls.DONE


def _follows_all_of_my_rnb(state: SpotifyState) -> Changed:
    tracks = [state.catalogue.tracks[each] for each in state.my_playlist("My R&B").track_ids]
    return _follows(state, list(dict.fromkeys(one for each in tracks for one in each.artist_ids)))


def _follow_all_of_my_rnb(_state: SpotifyState) -> Script:
    own = yield from calls.my_playlists()
    tracks = yield from calls.playlist_tracks(calls.named(own, "My R&B")["id"])
    yield calls.follow(one for each in tracks for one in each["artists"])
    return calls.DONE


def _follow_singers(_state: SpotifyState) -> Script:
    found = yield from calls.searched("When You Believe", "track")
    own_id = calls.named(found, "When You Believe")["id"]
    track = yield calls.get("/tracks/{id}", {"id": own_id})
    yield calls.follow(track["artists"])
    return calls.DONE


def _follow_artist_of_mojito(_state: SpotifyState) -> Script:
    found = yield from calls.searched("Mojito", "album")
    album = yield calls.get("/albums/{id}", {"id": calls.named(found, "Mojito")["id"]})
    yield calls.follow(album["artists"])
    return calls.DONE
