"""Pieces of scripts: calls that are made again and again, and what they find."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import TypeVar

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.query import Scripted

ALL = {"limit": 50}
DONE = "Done."

Found = TypeVar("Found")
Part = Generator[Scripted, Json, Found]
"""A piece of a script that finds something."""


def get(template: str, path: JsonObject | None = None, **query: Json) -> Scripted:
    """A reading call."""
    return Scripted(method="GET", template=template, path=path or {}, query=query)


def tell(method: str, template: str, body: Json = None, **query: Json) -> Scripted:
    """A writing call without path parameters."""
    return Scripted(method=method, template=template, query=query, body=body)


def searched(words: str, kind: str) -> Part[list[JsonObject]]:
    """What a search finds."""
    body = yield get("/search", q=words, type=[kind])
    return body[f"{kind}s"]["items"]


def named(items: Iterable[JsonObject], name: str) -> JsonObject:
    """The first of a name."""
    return [each for each in items if each["name"] == name][0]  # noqa: RUF015 - in a generator


def newest_album(artist_id: str) -> Part[JsonObject]:
    """What an artist brought out last."""
    body = yield get("/artists/{id}/albums", {"id": artist_id}, **ALL)
    return max(body["items"], key=lambda each: each["release_date"])


def album_tracks(album_id: str) -> Part[list[JsonObject]]:
    """The tracks of an album."""
    body = yield get("/albums/{id}/tracks", {"id": album_id}, **ALL)
    return body["items"]


def top_tracks(artist_id: str) -> Part[list[JsonObject]]:
    """The most popular tracks of an artist."""
    body = yield get("/artists/{id}/top-tracks", {"id": artist_id}, market="US")
    return body["tracks"]


def now_playing() -> Part[JsonObject]:
    """The item of the player."""
    body = yield get("/me/player/currently-playing")
    return body["item"]


def first_followed() -> Part[JsonObject]:
    """The first artist whom the user follows."""
    body = yield get("/me/following", type="artist", **ALL)
    return body["artists"]["items"][0]


def my_playlists() -> Part[list[JsonObject]]:
    """The user's playlists."""
    body = yield get("/me/playlists", **ALL)
    return body["items"]


def playlist_tracks(own_id: str) -> Part[list[JsonObject]]:
    """The tracks of a playlist."""
    body = yield get("/playlists/{playlist_id}/tracks", {"playlist_id": own_id}, **ALL)
    return [each["track"] for each in body["items"]]


def saved_tracks() -> Part[list[JsonObject]]:
    """The tracks in the user's library."""
    body = yield get("/me/tracks", **ALL)
    return [each["track"] for each in body["items"]]


def made_playlist(name: str) -> Part[str]:
    """The id of a new playlist."""
    me = yield get("/me")
    body = yield Scripted(
        method="POST",
        template="/users/{user_id}/playlists",
        path={"user_id": me["id"]},
        body={"name": name},
    )
    return body["id"]


def put_into(own_id: str, tracks: Iterable[JsonObject]) -> Scripted:
    """Add tracks to a playlist."""
    return Scripted(
        method="POST",
        template="/playlists/{playlist_id}/tracks",
        path={"playlist_id": own_id},
        body={"uris": uris(tracks)},
    )


def take_from(own_id: str, tracks: Iterable[JsonObject]) -> Scripted:
    """Remove tracks from a playlist."""
    return Scripted(
        method="DELETE",
        template="/playlists/{playlist_id}/tracks",
        path={"playlist_id": own_id},
        body={"tracks": [{"uri": each} for each in uris(tracks)]},
    )


def change(own_id: str, **details: Json) -> Scripted:
    """Change the details of a playlist."""
    return Scripted(
        method="PUT",
        template="/playlists/{playlist_id}",
        path={"playlist_id": own_id},
        body=details,
    )


def follow(artists: Iterable[JsonObject]) -> Scripted:
    """Follow artists."""
    return tell("PUT", "/me/following", type="artist", ids=ids(artists))


def unfollow(artists: Iterable[JsonObject]) -> Scripted:
    """Follow artists no more."""
    return tell("DELETE", "/me/following", type="artist", ids=ids(artists))


def queue(track: JsonObject) -> Scripted:
    """Put a track into the queue."""
    return tell("POST", "/me/player/queue", uri=track["uri"])


def play(**body: Json) -> Scripted:
    """Play something, or go on."""
    return tell("PUT", "/me/player/play", body or None)


def pause() -> Scripted:
    """Stop playing."""
    return tell("PUT", "/me/player/pause")


def skip() -> Scripted:
    """Go on to the next track."""
    return tell("POST", "/me/player/next")


def repeat_track() -> Scripted:
    """Repeat a single track."""
    return tell("PUT", "/me/player/repeat", state="track")


def volume(percent: int) -> Scripted:
    """Set the volume."""
    return tell("PUT", "/me/player/volume", volume_percent=percent)


def uris(tracks: Iterable[JsonObject]) -> list[str]:
    """The URIs of tracks, each once."""
    return list(dict.fromkeys(each["uri"] for each in tracks))


def ids(things: Iterable[JsonObject]) -> str:
    """The ids of things, each once, as a list in a query."""
    return ",".join(dict.fromkeys(each["id"] for each in things))


def names(things: Sequence[JsonObject]) -> str:
    """Their names, as they are told to a user."""
    return ", ".join(each["name"] for each in things)
