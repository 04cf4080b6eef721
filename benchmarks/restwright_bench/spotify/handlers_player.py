"""Operations on the player: what it plays, its queue, and the commands to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from restwright.jsontypes import Json, JsonObject
from restwright_bench.spotify.handlers_catalogue import known
from restwright_bench.spotify.pages import cursor_page
from restwright_bench.spotify.shown import (
    device_shown,
    played_shown,
    player_shown,
    track_shown,
    tracks_shown,
)
from restwright_bench.spotify.state import REPEATS, Played, SpotifyState
from restwright_bench.spotify.uris import few, parts_of, track_ids
from restwright_bench.world.exchange import Answer, Asked, Handlers, Refused

FULL_VOLUME = 100
MOST_URIS = 100
LONGEST_MS = 3_600_000
# Why the player does not do something: the document's word for it, and a sentence.
REASONS: Mapping[str, str] = {
    "ALREADY_PAUSED": "playback is paused already",
    "NOT_PAUSED": "playback is not paused, and nothing to play was given",
    "NO_NEXT_TRACK": "there is no track behind this one",
    "NO_PREV_TRACK": "there is no track before this one",
}


def player(state: SpotifyState, _asked: Asked) -> Answer:
    """What is being played, where and how; also while it is paused."""
    return Answer(body=player_shown(state))


def devices(state: SpotifyState, _asked: Asked) -> Answer:
    """What can play."""
    return Answer(body={"devices": [device_shown(state, each) for each in state.devices]})


def queue(state: SpotifyState, _asked: Asked) -> Answer:
    """What is being played, and what was put behind it."""
    return Answer(
        body={
            "currently_playing": track_shown(state.catalogue, state.playing()),
            "queue": tracks_shown(state.catalogue, state.player.queue),
        }
    )


def recently_played(state: SpotifyState, asked: Asked) -> Answer:
    """What was played before, latest first, before or after a moment."""
    limit, after, before = (asked.query.get(each) for each in ("limit", "after", "before"))
    if after is not None and before is not None:
        raise Refused(400, "after and before must not both be given")
    rows = [
        each
        for each in state.history
        if (after is None or _ms(each.played_at) > after)
        and (before is None or _ms(each.played_at) < before)
    ]
    shown = rows[:limit] if after is None or limit == 0 else rows[-limit:]
    has_next = 0 < len(shown) < len(rows)
    cursors = {}
    if shown:
        ends = {"before": str(_ms(shown[-1].played_at)), "after": str(_ms(shown[0].played_at))}
        cursors = ends if after is None else dict(reversed(ends.items()))
    return Answer(
        body=cursor_page(
            [played_shown(state, each) for each in shown],
            "/me/player/recently-played",
            limit=limit,
            cursors=cursors,
            has_next=has_next,
        )
    )


def pause(state: SpotifyState, _asked: Asked) -> Answer:
    """Stop playing; 403 where nothing is playing."""
    if not state.player.is_playing:
        raise _restricted("ALREADY_PAUSED")
    state.player.is_playing = False
    state.did("paused", device=state.player.device.id)
    return Answer(status=204)


def play(state: SpotifyState, asked: Asked) -> Answer:
    """Play a context or some tracks, or go on with what was paused; 403 where it was not."""
    body: JsonObject = asked.body or {}
    uris, context = body.get("uris"), body.get("context_uri")
    if uris is not None and context is not None:
        raise Refused(400, "context_uri and uris must not both be given")
    progress = body.get("position_ms", None)
    if progress is not None and not 0 <= progress <= LONGEST_MS:
        raise Refused(400, f"position_ms must be from 0 to {LONGEST_MS}")
    if uris is None and context is None:
        return _resume(state, progress)
    tracks = _tracks_to_play(state, uris, context)
    place = _offset(body.get("offset"), tracks, context)
    _start(state, tracks[place])
    state.player.running, state.player.place = tracks, place
    state.player.context_uri = context or ""
    state.player.progress_ms = progress or 0
    state.player.is_playing = True
    state.did("played", device=state.player.device.id)
    return Answer(status=204)


def skip(state: SpotifyState, _asked: Asked) -> Answer:
    """Go on to the first of the queue, else of what runs; what is paused stays so."""
    current = state.player
    if current.queue:
        _start(state, current.queue.pop(0))
    elif current.place + 1 < len(current.running):
        _move(state, current.place + 1)
    elif current.repeat == "context":
        _move(state, 0)
    else:
        raise _restricted("NO_NEXT_TRACK")
    state.did("skipped", device=current.device.id)
    return Answer(status=204)


def previous(state: SpotifyState, _asked: Asked) -> Answer:
    """Go back to what ran before; from an item of the queue, to where it came in."""
    current = state.player
    is_queued = current.item != current.running[current.place]
    place = current.place if is_queued else current.place - 1
    if place < 0:
        raise _restricted("NO_PREV_TRACK")
    _move(state, place)
    state.did("skipped back", device=current.device.id)
    return Answer(status=204)


def repeat(state: SpotifyState, asked: Asked) -> Answer:
    """Repeat the track, the context or nothing."""
    mode = asked.query["state"]
    if mode not in REPEATS:
        raise Refused(400, f"state must be one of {', '.join(REPEATS)}")
    state.player.repeat = mode
    state.did("set repeat", mode=mode)
    return Answer(status=204)


def volume(state: SpotifyState, asked: Asked) -> Answer:
    """Set the volume of the device that plays."""
    percent = asked.query["volume_percent"]
    if not 0 <= percent <= FULL_VOLUME:
        raise Refused(400, f"volume_percent must be from 0 to {FULL_VOLUME}")
    state.player.volumes[state.player.device.id] = percent
    state.did("set the volume", percent=percent)
    return Answer(status=204)


def add_to_queue(state: SpotifyState, asked: Asked) -> Answer:
    """Put a track at the end of the queue."""
    device = asked.query.get("device_id")
    if device is not None:
        known({each.id: each for each in state.devices}, device, "device")
    state.player.queue += track_ids([asked.query["uri"]], state.catalogue)
    state.did("queued", uri=asked.query["uri"])
    return Answer(status=204)


def _resume(state: SpotifyState, progress: Json) -> Answer:
    if state.player.is_playing and progress is None:
        raise _restricted("NOT_PAUSED")
    state.player.is_playing = True
    state.player.progress_ms = state.player.progress_ms if progress is None else progress
    state.did("resumed", device=state.player.device.id)
    return Answer(status=204)


def _tracks_to_play(state: SpotifyState, uris: Json, context: Json) -> tuple[str, ...]:
    if context is None:
        few(uris, most=MOST_URIS)
        return tuple(track_ids(uris, state.catalogue))
    kind, own_id = parts_of(context)
    if kind not in _CONTEXTS:
        raise Refused(400, "context_uri must be of an album, an artist or a playlist")
    tracks = _CONTEXTS[kind](state, own_id)
    if not tracks:
        raise Refused(400, "the context has no tracks")
    return tracks


def _playlist_tracks(state: SpotifyState, own_id: str) -> tuple[str, ...]:
    return known(state.playlists, own_id, "playlist").track_ids


def _artist_tracks(state: SpotifyState, own_id: str) -> tuple[str, ...]:
    artist = known(state.catalogue.artists, own_id, "artist")
    return tuple(each.id for each in state.catalogue.tracks_by_artist[artist.id][:MOST_URIS])


_CONTEXTS: Mapping[str, Callable[[SpotifyState, str], tuple[str, ...]]] = {
    "album": lambda state, own_id: known(state.catalogue.albums, own_id, "album").track_ids,
    "artist": _artist_tracks,
    "playlist": _playlist_tracks,
}


def _offset(offset: Json, tracks: tuple[str, ...], context: Json) -> int:
    """Where to begin: by place or by URI, not within an artist."""
    if not offset:
        return 0
    if context is not None and context.startswith("spotify:artist:"):
        raise Refused(400, "offset is only for albums, playlists and uris")
    place, uri = offset.get("position"), offset.get("uri")
    if isinstance(uri, str):
        own_id = parts_of(uri)[1]
        place = tracks.index(own_id) if own_id in tracks else None
    if not isinstance(place, int) or not 0 <= place < len(tracks):
        raise Refused(400, f"offset must name one of the {len(tracks)} tracks to play")
    return place


def _move(state: SpotifyState, place: int) -> None:
    state.player.place = place
    _start(state, state.player.running[place])


def _start(state: SpotifyState, track_id: str) -> None:
    """Begin a track; the one before it becomes history."""
    state.history.insert(0, Played(track_id=state.player.item, played_at=state.now()))
    state.player.item, state.player.progress_ms = track_id, 0


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _restricted(reason: str) -> Refused:
    return Refused(403, REASONS[reason])


HANDLERS: Handlers = {
    ("GET", "/me/player"): player,
    ("GET", "/me/player/currently-playing"): player,
    ("GET", "/me/player/devices"): devices,
    ("GET", "/me/player/queue"): queue,
    ("POST", "/me/player/queue"): add_to_queue,
    ("GET", "/me/player/recently-played"): recently_played,
    ("PUT", "/me/player/pause"): pause,
    ("PUT", "/me/player/play"): play,
    ("POST", "/me/player/next"): skip,
    ("POST", "/me/player/previous"): previous,
    ("PUT", "/me/player/repeat"): repeat,
    ("PUT", "/me/player/volume"): volume,
}
