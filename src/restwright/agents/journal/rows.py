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
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from restwright.agents.journal.sealing import Contents, SealedContent
from restwright.errors import UnusableSession
from restwright.jsontypes import Json, JsonObject, is_object

_LATEST = 253_402_300_800.0
"""The year 10000, which no clock shows and no date can say."""
FORGOTTEN = "forgotten"
"""Stands for an event that was deleted, so that one which is missing is noticed."""
SEALED = "it is sealed with a key that is not given; name the key: --journal-key env:NAME"
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader:
    """
    What a session is about.

    Args:
        agent: The kind of agent.
        apis: `{namespace: SHA-256 of its document}`.
        now: What its prompts say of the date, the time zone and the locale.
        traceparent: The span that the run began with, as W3C says it; empty where nothing traced.
    """

    question: str
    agent: str = ""
    model: str = ""
    apis: Mapping[str, str] = field(default_factory=dict[str, str])
    now: str = ""
    traceparent: str = ""

    @property
    def is_begun(self) -> bool:
        """Whether an agent took it up; one that waits for its turn has a question alone."""
        return bool(self.model)


_EMPTY_HEADER = SessionHeader(question="")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """
    A session as a list shows it.

    Args:
        started: Seconds since the epoch.
        header: Empty of one that is damaged.
        stopped: Why it ended; empty while it goes on, or where it was interrupted.
        events: How many are kept of it.
        is_damaged: Whether its own row cannot be read; it can only be exported and deleted.
        is_sealed: Whether its question can be read with a key alone that is not given.
    """

    id: str
    started: float
    header: SessionHeader
    stopped: str
    events: int
    is_damaged: bool = False
    is_sealed: bool = False


class JournalEntry(NamedTuple):
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
class StepRecord:
    """What is kept of one step; `outcome` only where `is_done`."""

    step: JsonObject
    sent: JsonObject | None = None
    outcome: Json = None
    is_done: bool = False


@contextmanager
def guard_session(session: str) -> Generator[None]:
    """
    Read something of a session in the block.

    Raises:
        UnusableSession: It has another form than what is kept, so it is damaged.
    """
    try:
        yield
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise damage_error(session) from error


def damage_error(session: str) -> UnusableSession:
    """Say that nothing can go on from a session."""
    why = "what is kept of it is damaged; export what is left of it, or delete it"
    return UnusableSession(session, why)


def summary_from_row(row: tuple[Json, ...], contents: Contents) -> SessionSummary:
    """
    Read the row of a session.

    Args:
        row: Id, started, question, agent, model, apis, stopped, answer, how many events, now, and
            traceparent.
    """
    name, started, question, agent, model, apis, stopped, _, events, now, traceparent = row
    is_sealed = False
    try:
        try:
            asked = contents.unseal(_require_type(str, name), "question", question)
        except SealedContent:
            asked, is_sealed = '""', True
        opening = SessionHeader(
            question=_require_type(str, json.loads(asked)),
            agent=_require_type(str, agent),
            model=_require_type(str, model),
            apis=_require_object(json.loads(apis)),
            now=_require_type(str, now),
            traceparent=_require_type(str, traceparent),
        )
        return SessionSummary(
            id=_require_type(str, name),
            started=_require_time(started),
            header=opening,
            stopped=_require_type(str, stopped),
            events=events,
            is_sealed=is_sealed,
        )
    except (AttributeError, TypeError, ValueError, RecursionError):
        return SessionSummary(
            id=force_text(name),
            started=0.0,
            header=_EMPTY_HEADER,
            stopped="",
            events=events,
            is_damaged=True,
        )


def hash_entry(session: str, number: int, place: str, event: str, data: str) -> str:
    """
    What an event carries so that a change of it is noticed.

    Args:
        data: As it is kept; of what is sealed a hash of its words would say something of them.
    """
    said = json.dumps([session, number, place, event, data])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def entry_label(number: int, place: str, event: str) -> str:
    """What the content of an event is sealed as."""
    return json.dumps([number, place, event])


def entries_from_rows(
    session: str, rows: Iterable[tuple[Json, ...]], contents: Contents
) -> Iterator[JournalEntry]:
    """
    Read the rows of events.

    One that is damaged, or that another one is missing before, is marked; what was kept before
    there were hashes is believed.

    Args:
        rows: Number, at, elapsed_s, place, event, data, hash, and the number of the last one; with
            that alone where no other is left, and None where it is not known.

    Raises:
        UnusableSession: Something is sealed with a key that is not given.
    """
    before, last = 0, None
    for number, at, elapsed_s, place, event, data, known, latest in rows:
        last = latest
        if number is None:
            break
        try:
            as_kept = hash_entry(session, number, place, event, data)
            is_intact = not known or (known == as_kept and number == before + 1)
            text = contents.unseal(session, entry_label(number, place, event), data)
            said, before = json.loads(text), number
        except SealedContent:
            raise UnusableSession(session, SEALED) from None
        except (AttributeError, TypeError, ValueError, RecursionError):
            is_intact, said = False, force_text(data)
        times = (_to_seconds(at), _to_seconds(elapsed_s))
        yield JournalEntry(
            number, *times, force_text(place), force_text(event), said, not is_intact
        )
    if last is not None and before != last:
        yield JournalEntry(last, 0.0, 0.0, "", "missing", None, is_damaged=True)


def apply_entry(kept: dict[str, StepRecord], place: str, event: str, data: Json) -> None:
    """
    Add an event to what is known of the steps.

    Raises:
        LookupError: It is of a step that is not known, or lacks something.
        TypeError: Its data are of another kind.
        ValueError: There is no such event, or place.
    """
    step_number(place)
    if event == "step":
        kept[place] = StepRecord(_require_keys(data, "step"))
    elif event == "sent":
        # An outcome that was there before says nothing of what is sent now.
        kept[place] = StepRecord(kept[place].step, _require_keys(data, "arguments", "is_keyed"))
    elif event == "outcome":
        kept[place].outcome, kept[place].is_done = data, True
    else:
        raise ValueError(event)


def step_number(place: str) -> int:
    """The number of a step of the loop, of its place or of that of one of its parts."""
    return int(place.partition(".")[0])


def decode_column(raw: bytes) -> str | bytes:
    """Read a text of the file; one that is damaged stays as it is, and costs no other row."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def force_text(value: Json) -> str:
    """Whatever stands where a text should, as a text."""
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def _require_type(kind: type[T], value: Json) -> T:
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


def _require_keys(value: Json, *names: str) -> JsonObject:
    found = _require_object(value)
    for name in names:
        found[name]
    return found


def _require_object(value: Json) -> JsonObject:
    if not is_object(value):
        raise TypeError(value)
    return value


def _to_seconds(value: Json) -> float:
    return value if isinstance(value, float) and math.isfinite(value) else 0.0


def _require_time(value: Json) -> float:
    if not isinstance(value, float) or not math.isfinite(value) or not 0 <= value < _LATEST:
        raise ValueError(value)
    return value
