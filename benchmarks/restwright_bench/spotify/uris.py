"""Ids and URIs as requests give them: of the right shape, few enough, and of something known."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from restwright_bench.spotify.catalogue import Catalogue
from restwright_bench.world.exchange import Refused

_ID = re.compile(r"[0-9A-Za-z]{22}")
_URI = re.compile(r"spotify:(album|artist|episode|playlist|track|user):([0-9A-Za-z]+)")
PLAYABLE = frozenset(("episode", "track"))


def known_ids(text: str, table: Container[str], kind: str, *, most: int) -> list[str]:
    """
    The ids of a comma-separated list.

    Raises:
        Refused: 400 for none, too many or what is no id; 404 for one that leads to nothing.
    """
    ids = list(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))
    if not 0 < len(ids) <= most:
        raise Refused(400, f"{len(ids)} ids were given; 1 to {most} are taken")
    for each in ids:
        if kind != "user" and not _ID.fullmatch(each):
            raise Refused(400, f"{each[:60]!r} is not an id: those are 22 letters and digits")
    for each in ids:
        if each not in table:
            raise Refused(404, f"there is no {kind} with the id {each[:60]!r}")
    return ids


def parts_of(uri: str) -> tuple[str, str]:
    """
    The kind and the id of a URI.

    Raises:
        Refused: 400 for what is none.
    """
    found = _URI.fullmatch(uri.strip())
    if found is None:
        raise Refused(400, f"{uri[:60]!r} is not a URI such as spotify:track:ID")
    return found[1], found[2]


def track_ids(uris: Iterable[str], catalogue: Catalogue) -> list[str]:
    """
    The tracks of URIs, in their order.

    Raises:
        Refused: 400 for another URI than one of a track or an episode; 404 for an unknown one.
    """
    return [_track_id(each, catalogue) for each in uris]


def few(given: Sequence[object], *, most: int) -> None:
    """
    That there is something and not too much.

    Raises:
        Refused: 400 where it is otherwise.
    """
    if not 0 < len(given) <= most:
        raise Refused(400, f"{len(given)} URIs were given; 1 to {most} are taken")


def _track_id(uri: str, catalogue: Catalogue) -> str:
    kind, own_id = parts_of(uri)
    if kind not in PLAYABLE:
        raise Refused(400, f"{uri[:60]!r} is neither a track nor an episode")
    if own_id not in catalogue.tracks:
        raise Refused(404, f"there is no {kind} with the URI {uri[:60]!r}")
    return own_id
