"""The queries that only ask for something."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import Answered, Oracle, Script
from restwright_bench.queries.spotify import calls
from restwright_bench.queries.spotify.paths import ME, NOW, OF_ALBUM, paths
from restwright_bench.spotify.state import SpotifyState

SPANS = ("short_term", "medium_term", "long_term")
# Those next to the best may be told of too; a list that goes further tells nothing apart.
RUNNERS_UP = 3


def oracles() -> Iterable[Oracle]:
    """In the order of their indices."""
    yield Oracle(index=16, expected=_song_now, script=_tell_song_now, alternatives=paths(NOW))
    yield Oracle(index=18, expected=_saved_albums, script=_tell_saved_albums)
    yield Oracle(
        index=20,
        expected=_of_same_genre,
        script=_tell_of_same_genre,
        alternatives=paths(NOW, ("GET /search", "GET /recommendations"))
        + paths(NOW, "GET /artists/{id}/related-artists", "GET /artists/{id}/top-tracks"),
    )
    yield Oracle(index=23, expected=_favourite, script=_tell_favourite)
    yield Oracle(
        index=24,
        expected=_song_of_favourite,
        script=_tell_song_of_favourite,
        alternatives=paths("GET /me/top/{type}", ("GET /artists/{id}/top-tracks", "GET /search"))
        + paths("GET /me/top/{type}", "GET /artists/{id}/albums", OF_ALBUM),
        unsound_gold="an artist is looked up where a song is asked for; that shows no song",
    )
    yield Oracle(
        index=26,
        expected=_album_now,
        script=_tell_album_now,
        alternatives=paths(NOW),
        unsound_gold="the item that is playing holds its album; the track shows nothing more of it",
    )
    yield Oracle(
        index=29,
        expected=_newest_of_maroon_5,
        script=_tell_newest_of_maroon_5,
        alternatives=paths("GET /search"),
    )
    yield Oracle(
        index=30,
        expected=_related_to_first,
        script=_tell_related_to_first,
        alternatives=paths("GET /me/following", ("GET /search", "GET /recommendations")),
    )
    yield Oracle(index=55, expected=_my_name, script=_tell_my_name, alternatives=paths(ME))


def _song_now(state: SpotifyState) -> Answered:
    return Answered(all_of=((state.playing().name,),))


def _tell_song_now(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    return f"You are playing {item['name']}."


def _saved_albums(state: SpotifyState) -> Answered:
    albums = (state.catalogue.albums[each.id] for each in state.library.albums)
    return Answered(all_of=tuple((each.name,) for each in albums))


def _tell_saved_albums(_state: SpotifyState) -> Script:
    body = yield calls.get("/me/albums", **calls.ALL)
    return f"You saved {calls.names([each['album'] for each in body['items']])}."


def _of_same_genre(state: SpotifyState) -> Answered:
    """Any other track whose artists share a genre with those of the one that is playing."""
    catalogue, current = state.catalogue, state.playing()
    genres = catalogue.genres_of(current)
    valid = tuple(
        (each.name,)
        for each in catalogue.tracks.values()
        if genres & catalogue.genres_of(each) and each.id != current.id
    )
    return Answered(any_of=valid)


def _tell_of_same_genre(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    genre = item["artists"][0]["genres"][0]
    found = yield from calls.searched(f'genre:"{genre}"', "track")
    others = [each for each in found if each["id"] != item["id"]]
    return f"Try {calls.names(others[:5])}."


def _favourite(state: SpotifyState) -> Answered:
    catalogue = state.catalogue
    lists = [catalogue.top["artists", span] for span in SPANS]
    near = {each for one in lists for each in one[:RUNNERS_UP]}
    far = {each for one in lists for each in one} - near
    return Answered(
        all_of=((catalogue.artists[lists[0][0]].name,),),
        none_of=tuple(sorted(catalogue.artists[each].name for each in far)),
    )


def _tell_favourite(_state: SpotifyState) -> Script:
    artist = yield from _top_artist()
    return f"Your favourite artist is {artist['name']}."


def _song_of_favourite(state: SpotifyState) -> Answered:
    artist_id = state.catalogue.top["artists", "medium_term"][0]
    tracks = state.catalogue.tracks_by_artist[artist_id]
    return Answered(any_of=tuple((each.name,) for each in tracks))


def _tell_song_of_favourite(_state: SpotifyState) -> Script:
    artist = yield from _top_artist()
    tracks = yield from calls.top_tracks(artist["id"])
    return f"Here is {tracks[0]['name']} by {artist['name']}."


def _album_now(state: SpotifyState) -> Answered:
    """Its name, and anything else about it."""
    catalogue = state.catalogue
    album = catalogue.albums[state.playing().album_id]
    more = (
        *(album.release_date, album.release_date[:4], str(len(album.track_ids)), album.label),
        *(catalogue.artists[each].name for each in album.artist_ids),
    )
    return Answered(all_of=((album.name,), more))


def _tell_album_now(_state: SpotifyState) -> Script:
    item = yield from calls.now_playing()
    track = yield calls.get("/tracks/{id}", {"id": item["id"]})
    album = track["album"]
    return (
        f"{album['name']} by {calls.names(album['artists'])}, released on"
        f" {album['release_date']}, has {album['total_tracks']} tracks."
    )


def _newest_of_maroon_5(state: SpotifyState) -> Answered:
    albums = state.catalogue.albums_by_artist[state.catalogue.artist("Maroon 5").id]
    newest, *others = sorted(albums, key=lambda each: each.release_date, reverse=True)
    return Answered(
        all_of=((newest.name,),),
        none_of=tuple(each.name for each in others[RUNNERS_UP - 1 :]),
    )


def _tell_newest_of_maroon_5(_state: SpotifyState) -> Script:
    found = yield from calls.searched("Maroon 5", "artist")
    artist = calls.named(found, "Maroon 5")
    album = yield from calls.newest_album(artist["id"])
    return f"The newest album of Maroon 5 is {album['name']}."


def _related_to_first(state: SpotifyState) -> Answered:
    related = state.catalogue.related(state.library.artists[0])
    return Answered(any_of=tuple((each.name,) for each in related))


def _tell_related_to_first(_state: SpotifyState) -> Script:
    artist = yield from calls.first_followed()
    body = yield calls.get("/artists/{id}/related-artists", {"id": artist["id"]})
    return f"Try {calls.names(body['artists'][:5])}."


def _my_name(state: SpotifyState) -> Answered:
    """The id is a user name too."""
    return Answered(all_of=((state.me.name, state.me.id),))


def _tell_my_name(_state: SpotifyState) -> Script:
    me = yield calls.get("/me")
    return f"Your user name is {me['display_name']}."


def _top_artist() -> calls.Part[JsonObject]:
    body = yield calls.get("/me/top/{type}", {"type": "artists"}, **calls.ALL)
    return body["items"][0]
