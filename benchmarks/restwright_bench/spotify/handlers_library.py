"""Operations on the user: the profile, what was saved, who is followed, and favourites."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.spotify.pages import cursor_page, paged
from restwright_bench.spotify.shown import (
    album_shown,
    artist_shown,
    me_shown,
    moment,
    track_shown,
)
from restwright_bench.spotify.state import Item, SpotifyState
from restwright_bench.spotify.uris import known_ids
from restwright_bench.world.exchange import Answer, Asked, Handlers, Refused

MOST_ALBUMS, MOST_TRACKS, MOST_FOLLOWED = 20, 50, 50
SPANS = ("short_term", "medium_term", "long_term")


def me(state: SpotifyState, _asked: Asked) -> Answer:
    """The user's own profile."""
    return Answer(body=me_shown(state.me))


def top(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the user's favourites, first the one liked best."""
    kind, span = asked.path["type"], asked.query["time_range"]
    if span not in SPANS:
        raise Refused(400, f"time_range must be one of {', '.join(SPANS)}")
    ids = state.catalogue.top[kind, span]

    def show(own_id: str) -> JsonObject:
        if kind == "artists":
            return artist_shown(state.catalogue.artists[own_id])
        return track_shown(state.catalogue, state.catalogue.tracks[own_id])

    return Answer(body=paged(ids, asked, f"/me/top/{kind}", show))


def saved_albums(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the saved albums, latest first."""

    def show(item: Item) -> JsonObject:
        shown = album_shown(state.catalogue, state.catalogue.albums[item.id])
        return {"added_at": item.added_at, "album": shown}

    return Answer(body=paged(state.library.albums, asked, "/me/albums", show))


def saved_tracks(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the saved tracks, latest first."""

    def show(item: Item) -> JsonObject:
        shown = track_shown(state.catalogue, state.catalogue.tracks[item.id])
        return {"added_at": item.added_at, "track": shown}

    return Answer(body=paged(state.library.tracks, asked, "/me/tracks", show))


def save_albums(state: SpotifyState, asked: Asked) -> Answer:
    """Put albums before those that were saved earlier."""
    ids = known_ids(asked.query["ids"], state.catalogue.albums, "album", most=MOST_ALBUMS)
    state.library.albums = _with(state, state.library.albums, ids)
    state.did("saved albums", ids=list(ids))
    return Answer(status=200)


def remove_albums(state: SpotifyState, asked: Asked) -> Answer:
    """Take albums out of the library; those not in it are passed over."""
    ids = known_ids(asked.query["ids"], state.catalogue.albums, "album", most=MOST_ALBUMS)
    state.library.albums = [each for each in state.library.albums if each.id not in ids]
    state.did("removed albums", ids=list(ids))
    return Answer(status=200)


def save_tracks(state: SpotifyState, asked: Asked) -> Answer:
    """Put tracks before those that were saved earlier."""
    ids = known_ids(asked.query["ids"], state.catalogue.tracks, "track", most=MOST_TRACKS)
    state.library.tracks = _with(state, state.library.tracks, ids)
    state.did("saved tracks", ids=list(ids))
    return Answer(status=200)


def remove_tracks(state: SpotifyState, asked: Asked) -> Answer:
    """Take tracks out of the library; those not in it are passed over."""
    ids = known_ids(asked.query["ids"], state.catalogue.tracks, "track", most=MOST_TRACKS)
    state.library.tracks = [each for each in state.library.tracks if each.id not in ids]
    state.did("removed tracks", ids=list(ids))
    return Answer(status=200)


def followed(state: SpotifyState, asked: Asked) -> Answer:
    """The followed artists after a given one, in the order of the list."""
    limit, after = int(asked.query["limit"]), asked.query.get("after")
    artists = state.library.artists
    if after is not None and after not in artists:
        raise Refused(400, f"after: {str(after)[:60]!r} is not an artist that is followed")
    start = artists.index(after) + 1 if after is not None else 0
    ids = artists[start : start + limit]
    has_next = limit > 0 and start + limit < len(artists)
    page = cursor_page(
        [artist_shown(state.catalogue.artists[each]) for each in ids],
        "/me/following",
        limit=limit,
        cursors={"after": ids[-1]} if has_next else {},
        has_next=has_next,
        others={"type": "artist"},
    )
    return Answer(body={"artists": {**page, "total": len(artists)}})


def follow(state: SpotifyState, asked: Asked) -> Answer:
    """Follow artists or users, behind those that are followed already."""
    kind, ids = _to_follow(state, asked)
    mine = _followed_list(state, kind)
    mine += [each for each in ids if each not in mine]
    state.did("followed", kind=kind, ids=list(ids))
    return Answer(status=204)


def unfollow(state: SpotifyState, asked: Asked) -> Answer:
    """Follow artists or users no more; those not followed are passed over."""
    kind, ids = _to_follow(state, asked)
    mine = _followed_list(state, kind)
    mine[:] = [each for each in mine if each not in ids]
    state.did("unfollowed", kind=kind, ids=list(ids))
    return Answer(status=200)


def _to_follow(state: SpotifyState, asked: Asked) -> tuple[str, list[str]]:
    """The ids of the query: the document requires them there, so those of a body never count."""
    kind = str(asked.query["type"])
    table = state.catalogue.artists if kind == "artist" else state.catalogue.users
    return kind, known_ids(asked.query["ids"], table, kind, most=MOST_FOLLOWED)


def _followed_list(state: SpotifyState, kind: str) -> list[str]:
    return state.library.artists if kind == "artist" else state.library.users


def _with(state: SpotifyState, items: Sequence[Item], ids: Sequence[str]) -> list[Item]:
    had = {each.id for each in items}
    new = [Item(id=each, added_at=moment(state.now())) for each in reversed(ids) if each not in had]
    return [*reversed(new), *items]


HANDLERS: Handlers = {
    ("GET", "/me"): me,
    ("GET", "/me/top/{type}"): top,
    ("GET", "/me/albums"): saved_albums,
    ("PUT", "/me/albums"): save_albums,
    ("DELETE", "/me/albums"): remove_albums,
    ("GET", "/me/tracks"): saved_tracks,
    ("PUT", "/me/tracks"): save_tracks,
    ("DELETE", "/me/tracks"): remove_tracks,
    ("GET", "/me/following"): followed,
    ("PUT", "/me/following"): follow,
    ("DELETE", "/me/following"): unfollow,
}
