"""Operations on playlists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from restwright.jsontypes import JsonObject
from restwright_bench.spotify.fields import selected
from restwright_bench.spotify.handlers_catalogue import known
from restwright_bench.spotify.pages import paged
from restwright_bench.spotify.shown import item_shown, moment, playlist_listed, playlist_shown
from restwright_bench.spotify.state import Item, Playlist, SpotifyState
from restwright_bench.spotify.uris import few, track_ids
from restwright_bench.world.exchange import Answer, Asked, Handlers, Refused

MOST_ITEMS = 100


def my_playlists(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the user's playlists, those made last first."""
    rows = [state.playlists[each] for each in state.my_playlists]
    return Answer(body=paged(rows, asked, "/me/playlists", partial(playlist_listed, state)))


def playlist(state: SpotifyState, asked: Asked) -> Answer:
    """One playlist with its first 100 items."""
    shown = playlist_shown(state, _seen(state, asked))
    return Answer(body=selected(shown, asked.query.get("fields")))


def items(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the items of a playlist."""
    found = _seen(state, asked)
    show = partial(item_shown, state, found)
    page = paged(found.items, asked, f"/playlists/{found.id}/tracks", show)
    return Answer(body=selected(page, asked.query.get("fields")))


def create(state: SpotifyState, asked: Asked) -> Answer:
    """Make an empty playlist; only users themselves can."""
    user = known(state.catalogue.users, asked.path["user_id"], "user")
    if user.id != state.me.id:
        raise Refused(403, "playlists can only be made for the user of the token")
    made = Playlist(id=state.new_id(), name="", owner_id=user.id)
    made = _with_details(made, asked.body or {})
    if not made.name:
        raise Refused(400, "a playlist must have a name")
    state.put(made)
    state.my_playlists.insert(0, made.id)
    state.did("made a playlist", id=made.id)
    return Answer(status=201, body=playlist_shown(state, made))


def change(state: SpotifyState, asked: Asked) -> Answer:
    """Change a playlist's name, description, and who sees it."""
    found = _own(state, asked)
    if not asked.body:
        raise Refused(400, "the body names nothing to change")
    state.put(_with_details(found, asked.body))
    state.did("changed a playlist", id=found.id)
    return Answer(status=200)


def add(state: SpotifyState, asked: Asked) -> Answer:
    """Put items at a position, or behind all others; the body counts where the query is silent."""
    found = _own(state, asked)
    body: JsonObject = asked.body or {}
    given = asked.query.get("uris")
    uris = given.split(",") if given is not None else body.get("uris", [])
    few(uris, most=MOST_ITEMS)
    ids = track_ids(uris, state.catalogue)
    place = asked.query.get("position", body.get("position", len(found.items)))
    if not 0 <= place <= len(found.items):
        raise Refused(400, f"position must be from 0 to {len(found.items)}")
    new = [Item(id=each, added_at=moment(state.now())) for each in ids]
    return _put(state, found, [*found.items[:place], *new, *found.items[place:]], status=201)


def remove(state: SpotifyState, asked: Asked) -> Answer:
    """Take every occurrence of some tracks out of a playlist."""
    found = _own(state, asked)
    body: JsonObject = asked.body or {}
    uris = [each.get("uri", "") for each in body.get("tracks", [])]
    few(uris, most=MOST_ITEMS)
    if body.get("snapshot_id") not in {None, "", found.snapshot_id}:
        raise Refused(400, "snapshot_id does not name the playlist as it is now")
    ids = set(track_ids(uris, state.catalogue))
    left = [each for each in found.items if each.id not in ids]
    return _put(state, found, left, status=200)


def _seen(state: SpotifyState, asked: Asked) -> Playlist:
    found = known(state.playlists, asked.path["playlist_id"], "playlist")
    if not found.is_public and found.owner_id != state.me.id:
        raise Refused(404, "there is no such playlist")
    return found


def _own(state: SpotifyState, asked: Asked) -> Playlist:
    found = _seen(state, asked)
    if found.owner_id != state.me.id:
        raise Refused(403, "the playlist is of another user")
    return found


def _with_details(found: Playlist, body: JsonObject) -> Playlist:
    changed = replace(
        found,
        name=body.get("name", found.name),
        description=body.get("description", found.description),
        is_public=body.get("public", found.is_public),
        is_collaborative=body.get("collaborative", found.is_collaborative),
    )
    if changed.is_collaborative and changed.is_public:
        raise Refused(400, "a collaborative playlist must not be public")
    return changed


def _put(state: SpotifyState, found: Playlist, left: Sequence[Item], *, status: int) -> Answer:
    changed = state.put_items(found, left)
    state.did("changed the items of a playlist", id=found.id)
    return Answer(status=status, body={"snapshot_id": changed.snapshot_id})


HANDLERS: Handlers = {
    ("GET", "/me/playlists"): my_playlists,
    ("GET", "/playlists/{playlist_id}"): playlist,
    ("PUT", "/playlists/{playlist_id}"): change,
    ("GET", "/playlists/{playlist_id}/tracks"): items,
    ("POST", "/playlists/{playlist_id}/tracks"): add,
    ("DELETE", "/playlists/{playlist_id}/tracks"): remove,
    ("POST", "/users/{user_id}/playlists"): create,
}
