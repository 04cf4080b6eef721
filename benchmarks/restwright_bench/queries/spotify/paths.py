"""Paths that are accepted, written shortly: choices, and chains that may be mixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from restwright_bench.queries.query import GoldCall

# What tells of the item of the player.
NOW = (*("GET /me/player/currently-playing", "GET /me/player", "GET /me/player/queue"),)
# What tells of the user's own id: a playlist names its owner too.
ME = ("GET /me", "GET /me/playlists")
# What tells of the tracks of an album or a playlist.
OF_ALBUM = ("GET /albums/{id}/tracks", "GET /albums/{id}")
OF_PLAYLIST = ("GET /playlists/{playlist_id}/tracks", "GET /playlists/{playlist_id}")
CREATE = "POST /users/{user_id}/playlists"
ADD = "POST /playlists/{playlist_id}/tracks"

Path = tuple[GoldCall, ...]


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """Chains of steps; those of one keep their order, and may stand between those of another."""

    chains: tuple[Sequence[Step], ...]


Step = str | tuple[str, ...] | AnyOrder
"""A call, several of which one is made, or chains of calls."""


def any_order(*chains: Sequence[Step] | str) -> AnyOrder:
    """Chains that may be mixed; a call alone is one too."""
    return AnyOrder(tuple((each,) if isinstance(each, str) else each for each in chains))


def paths(*steps: Step) -> tuple[Path, ...]:
    """All paths that go through these steps."""
    found = dict.fromkeys(_expanded(steps))
    return tuple(tuple(_call(each) for each in path) for path in found)


def _expanded(steps: Sequence[Step]) -> Iterator[tuple[str, ...]]:
    for parts in product(*(list(_ways(each)) for each in steps)):
        yield tuple(call for part in parts for call in part)


def _ways(step: Step) -> Iterator[tuple[str, ...]]:
    if isinstance(step, str):
        yield (step,)
    elif isinstance(step, tuple):
        for each in step:
            yield (each,)
    else:
        for chains in product(*(list(_expanded(each)) for each in step.chains)):
            yield from _mixed(chains)


def _mixed(chains: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, ...]]:
    left = [place for place, each in enumerate(chains) if each]
    if not left:
        yield ()
    for place in left:
        first, *rest = chains[place]
        others = (*chains[:place], tuple(rest), *chains[place + 1 :])
        for end in _mixed(others):
            yield (first, *end)


def _call(text: str) -> GoldCall:
    method, _, template = text.partition(" ")
    return GoldCall(method, template)
