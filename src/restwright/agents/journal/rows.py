"""
What the rows of a journal say, once it is known that they are undamaged.

An event carries a hash of itself: one that was changed is not taken for another one, since of that
a write could be sent twice.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from restwright.errors import UnusableSession
from restwright.jsontypes import Json, JsonObject, is_object

_LATEST = 253_402_300_800.0
"""The year 10000, which no clock shows and no date can say."""
FORGOTTEN = "forgotten"
"""Stands for an event that was deleted, so that one which is missing is noticed."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """
    What a session is about.

    Args:
        agent: The kind of agent.
        apis: `{namespace: SHA-256 of its document}`.
    """

    question: str
    agent: str
    model: str
    apis: Mapping[str, str]


_NOTHING = Opening(question="", agent="", model="", apis={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """
    A session as a list shows it.

    Args:
        started: Seconds since the epoch.
        opening: Empty of one that is damaged.
        stopped: Why it ended; empty while it goes on, or where it was interrupted.
        events: How many are kept of it.
        is_damaged: Whether its own row cannot be read; it can only be exported and deleted.
    """

    id: str
    started: float
    opening: Opening
    stopped: str
    events: int
    is_damaged: bool = False


class Entry(NamedTuple):
    """An event; of one that is damaged `data` is what is left, as a text if it is no JSON."""

    number: int
    at: float
    elapsed_s: float
    place: str
    event: str
    data: Json
    is_damaged: bool

    @property
    def is_forgotten(self) -> bool:
        """Whether it only keeps the place of one that was deleted."""
        return self.event == FORGOTTEN and not self.is_damaged


@dataclass(slots=True)
class Kept:
    """What is kept of one step; `outcome` only where `is_done`."""

    step: JsonObject
    sent: JsonObject | None = None
    outcome: Json = None
    is_done: bool = False


@contextmanager
def reading(session: str) -> Generator[None]:
    """
    Read something of a session in the block.

    Raises:
        UnusableSession: It has another form than what is kept, so it is damaged.
    """
    try:
        yield
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise damaged(session) from error


def damaged(session: str) -> UnusableSession:
    """Say that nothing can go on from a session."""
    why = "what is kept of it is damaged; export what is left of it, or delete it"
    return UnusableSession(session, why)


def listed(row: tuple[Json, ...]) -> Listed:
    """
    Read the row of a session.

    Args:
        row: Id, started, question, agent, model, apis, stopped, answer, and how many events.
    """
    name, started, question, agent, model, apis, stopped, _, events = row
    try:
        opening = Opening(
            question=_of(str, json.loads(question)),
            agent=_of(str, agent),
            model=_of(str, model),
            apis=_object(json.loads(apis)),
        )
        return Listed(
            id=_of(str, name),
            started=_time(started),
            opening=opening,
            stopped=_of(str, stopped),
            events=events,
        )
    except (TypeError, ValueError, RecursionError):
        return Listed(
            id=shown(name),
            started=0.0,
            opening=_NOTHING,
            stopped="",
            events=events,
            is_damaged=True,
        )


def hash_of(session: str, number: int, place: str, event: str, data: str) -> str:
    """What an event carries so that a change of it is noticed."""
    said = json.dumps([session, number, place, event, data])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def entries(session: str, rows: Iterable[tuple[Json, ...]]) -> Iterator[Entry]:
    """
    Read the rows of events.

    One that is damaged, or that another one is missing before, is marked; what was kept before
    there were hashes is believed.

    Args:
        rows: Number, at, elapsed_s, place, event, data, hash, and the number of the last one; with
            that alone where no other is left, and None where it is not known.
    """
    before, last = 0, None
    for number, at, elapsed_s, place, event, data, known, latest in rows:
        last = latest
        if number is None:
            break
        try:
            as_kept = hash_of(session, number, place, event, data)
            is_intact = not known or (known == as_kept and number == before + 1)
            said, before = json.loads(data), number
        except (TypeError, ValueError, RecursionError):
            is_intact, said = False, shown(data)
        times = (_seconds(at), _seconds(elapsed_s))
        yield Entry(number, *times, shown(place), shown(event), said, not is_intact)
    if last is not None and before != last:
        yield Entry(last, 0.0, 0.0, "", "missing", None, is_damaged=True)


def remember(kept: dict[str, Kept], place: str, event: str, data: Json) -> None:
    """
    Add an event to what is known of the steps.

    Raises:
        LookupError: It is of a step that is not known, or lacks something.
        TypeError: Its data are of another kind.
        ValueError: There is no such event, or place.
    """
    number_of(place)
    if event == "step":
        kept[place] = Kept(_having(data, "step"))
    elif event == "sent":
        # An outcome that was there before says nothing of what is sent now.
        kept[place] = Kept(kept[place].step, _having(data, "arguments", "is_keyed"))
    elif event == "outcome":
        kept[place].outcome, kept[place].is_done = data, True
    else:
        raise ValueError(event)


def number_of(place: str) -> int:
    """The number of a step of the loop, of its place or of that of one of its parts."""
    return int(place.partition(".")[0])


def text_of(raw: bytes) -> str | bytes:
    """Read a text of the file; one that is damaged stays as it is, and costs no other row."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def shown(value: Json) -> str:
    """Whatever stands where a text should, as a text."""
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def _of(kind: type[T], value: Json) -> T:
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


def _having(value: Json, *names: str) -> JsonObject:
    found = _object(value)
    for each in names:
        found[each]
    return found


def _object(value: Json) -> JsonObject:
    if not is_object(value):
        raise TypeError(value)
    return value


def _seconds(value: Json) -> float:
    return value if isinstance(value, float) and math.isfinite(value) else 0.0


def _time(value: Json) -> float:
    if not isinstance(value, float) or not math.isfinite(value) or not 0 <= value < _LATEST:
        raise ValueError(value)
    return value
