"""
What runs did, event by event, to go on after an interruption: what every journal can.

Every step is written before it is performed, every write before it is sent, every outcome before it
is used. What is kept is safe when the method that keeps it returns.
"""

from __future__ import annotations

import json
import secrets
import time
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from threading import Lock
from typing import Literal, NamedTuple, Protocol, Self, runtime_checkable

from restwright.agents.journal.questions import OpenQuestion
from restwright.agents.journal.rows import (
    FORGOTTEN,
    SEALED,
    JournalEntry,
    SessionHeader,
    SessionSummary,
    StepRecord,
    apply_entry,
    damage_error,
    entries_from_rows,
    entry_label,
    force_text,
    guard_session,
    hash_entry,
    step_number,
    summary_from_row,
)
from restwright.agents.journal.sealing import Contents
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.errors import SessionInUse, UnusableSession
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.throttle import SharesTraffic

EventName = Literal["step", "sent", "outcome"]


class NewEntry(NamedTuple):
    """An event that is to be kept; `data` is JSON text, sealed where the journal has a key."""

    number: int
    elapsed_s: float
    place: str
    event: str
    data: str
    hash: str


class TurnRow(NamedTuple):
    """Which conversation a session is a turn of."""

    session: str
    conversation: str
    number: int
    is_undone: bool


class SharedLimits(SharesTraffic, Protocol):
    """What the processes of a journal share beside runs: `Transport(shared=...)` keeps to it."""

    @property
    def tokens(self) -> TokenCache:
        """Tokens of OAuth for `OAuthClient(tokens=...)`; shared where the journal has a key."""
        ...

    @property
    def shares_tokens(self) -> bool:
        """Whether the journal has a key, without which no token is shared."""
        ...


class Hold(Protocol):
    """Keeps others from a session until it is closed."""

    def close(self) -> None:
        """Let others have it."""
        ...


@runtime_checkable
class Journal(Protocol):
    """
    Where runs are kept: `SQLiteJournal` for this user, `PostgresJournal` for several machines.

    To be closed, or used in a `with` block. All methods may be called from any thread.

    Raises:
        OSError: From any of them, where it cannot be reached, read or written.
    """

    last_id: str
    """The session that was started or resumed last."""
    contents: Contents
    holder: str = ""
    """Who has the sessions that are taken up, such as the id of a worker."""
    is_interrupted: bool = False
    """Whether runs are to end before their next step, and to be taken up later."""

    @property
    @abstractmethod
    def where(self) -> str:
        """Where it is, to be shown: without a password."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what it holds."""

    @abstractmethod
    def add(self, name: str, opening: SessionHeader, *, before: str | None = None) -> bool:
        """
        Keep a session that nobody is at; whether there was none of that name.

        Args:
            before: As of `start`.
        """

    @abstractmethod
    def start(self, opening: SessionHeader, *, before: str | None = None) -> JournalSession:
        """
        Begin a session.

        Args:
            before: The one that hands over to it; a session does so once.
        """

    @abstractmethod
    def delete(self, names: Iterable[str]) -> int:
        """
        Delete sessions with all that is kept of them, and return how many there were.

        With each go those that it was handed over from and to: without one of them the others
        would send again what that one sent.

        Raises:
            UnusableSession: Another process is at one of them; none is deleted.
        """

    @abstractmethod
    def prune(self, older_than_s: float) -> int:
        """
        Delete what ended longer ago, and return how many sessions those were.

        A run that goes on, waits for somebody or was interrupted stays, with all that belongs to
        it; and so does a conversation of which any turn is younger.
        """

    @abstractmethod
    def turns(self, name: str | None = None) -> tuple[TurnRow, ...]:
        """
        Return which sessions are turns of which conversations, in the order of both.

        Args:
            name: Only of the conversation of this id, or that has this session.
        """

    @abstractmethod
    def append_turn(self, conversation: str, session: str) -> None:
        """Keep that a session is the next turn of a conversation."""

    @abstractmethod
    def mark_turn_undone(self, session: str) -> None:
        """Keep that a turn was undone; its session stays, with what was sent."""

    @abstractmethod
    def handoffs(self, name: str | None = None) -> Mapping[str, str]:
        """
        Return `{session: the one that handed over to it}`.

        Args:
            name: Only of the run that this session belongs to.
        """

    @abstractmethod
    def questions(
        self, session: str | None = None, *, is_all: bool = False
    ) -> tuple[OpenQuestion, ...]:
        """
        Return what is wanted of people, what was asked first at first.

        Args:
            session: Of this run alone.
            is_all: Those that were answered or are wanted no more too.
        """

    @abstractmethod
    def question(self, id_: str) -> OpenQuestion | None:
        """Return a question, open or not; None where there is none of that id."""

    @abstractmethod
    def answered_questions(self) -> tuple[OpenQuestion, ...]:
        """Return those that were answered, and whose run did not go on since."""

    @abstractmethod
    def write_answer(self, question: OpenQuestion, value: Json, *, by: str) -> bool:
        """Keep an answer, unchecked; whether the question was still open."""

    def shared_limits(self) -> SharedLimits | None:
        """Return what machines share by this journal; None where it is of one machine."""
        return None

    # What follows is for a `JournalSession`.
    @abstractmethod
    def session_row(self, name: str) -> tuple[Json, ...] | None:
        """Return what `summary_from_row()` reads; None where there is no such session."""

    @abstractmethod
    def session_rows(self) -> Iterable[tuple[Json, ...]]:
        """Return the same of all sessions, the latest first."""

    @abstractmethod
    def entry_rows(self, name: str) -> Iterable[tuple[Json, ...]]:
        """Return what `entries_from_rows()` reads."""

    @abstractmethod
    def claim(self, name: str, token: str) -> Hold:
        """
        Have a session for whoever knows `token`: from now on nobody else keeps anything in it.

        Raises:
            UnusableSession: Another process is at it, or it was deleted.
        """

    @abstractmethod
    def append_entry(self, name: str, token: str, entry: NewEntry) -> bool:
        """Keep an event; whether the session is still had by `token`, checked at the same time."""

    @abstractmethod
    def forget_entries(self, name: str, token: str, hashes: Mapping[int, str]) -> None:
        """Delete events, and leave `{number: hash}` in their places."""

    @abstractmethod
    def write_header(self, name: str, token: str, header: SessionHeader) -> None:
        """Keep what a session is about, that was added before anybody knew; not its question."""

    @abstractmethod
    def end_session(self, name: str, token: str, stopped: str, answer: str) -> bool:
        """
        Keep how a run ended; whether the session is still had by `token`.

        Args:
            answer: JSON text, sealed, or empty.
        """

    @abstractmethod
    def open_question(self, token: str, question: OpenQuestion) -> bool:
        """Keep a question, open; whether it was not open before, and `token` has the session."""

    @abstractmethod
    def close_questions(self, name: str, token: str, ids: Iterable[str]) -> int:
        """Use answers up, and return how many were not used before."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def make_token(self) -> str:
        """Return what nobody else has a session by; it begins with the name of its worker."""
        return f"{self.holder}/{secrets.token_hex(8)}".removeprefix("/")

    def resume(self, name: str) -> JournalSession:
        """
        Take up the session of this id.

        Raises:
            UnusableSession: There is none, it is damaged or sealed, or another process is at it.
        """
        one = self.find(name)
        if one.is_damaged:
            raise damage_error(name)
        if one.is_sealed:
            raise UnusableSession(name, SEALED)
        self.last_id = name
        return JournalSession(self, name, one.header)

    def sessions(self) -> tuple[SessionSummary, ...]:
        """Return all sessions, the latest first; one that is damaged costs no other one."""
        return tuple(summary_from_row(row, self.contents) for row in self.session_rows())

    def find(self, name: str) -> SessionSummary:
        """
        Return the session of this id.

        Raises:
            UnusableSession: There is none.
        """
        return summary_from_row(self._require_row(name), self.contents)

    def _require_row(self, name: str) -> tuple[Json, ...]:
        row = self.session_row(name)
        if row is None:
            raise UnusableSession(name, "there is no session of that id")
        return row

    def events(self, name: str) -> Iterator[JournalEntry]:
        """Yield the events of a session in order, those that are damaged marked."""
        return (entry for entry in self.entries(name) if not entry.is_forgotten)

    def entries(self, name: str) -> Iterator[JournalEntry]:
        """
        Yield what `events` does, and what keeps the places of those that were deleted.

        Raises:
            UnusableSession: Something is sealed with a key that is not given.
        """
        return entries_from_rows(name, self.entry_rows(name), self.contents)

    def export(self, name: str) -> Iterator[JsonObject]:
        """
        Yield a session as JSON objects: what it is about, then its events in order.

        What is damaged has `is_damaged`, and says what is left of it.

        Raises:
            UnusableSession: There is none, or it is sealed with a key that is not given.
        """
        row = self._require_row(name)
        yield _export_header(row, self.contents)
        for event in self.events(name):
            yield {
                "number": event.number,
                "at": event.at,
                "place": event.place,
                "event": event.event,
                "data": event.data,
                **({"is_damaged": True} if event.is_damaged else {}),
            }


def _export_header(row: tuple[Json, ...], contents: Contents) -> JsonObject:
    """What a session is about, for its export."""
    one = summary_from_row(row, contents)
    if one.is_sealed:
        raise UnusableSession(one.id, SEALED)
    head: JsonObject = {"session": one.id, "started": one.started, **asdict(one.header)}
    try:
        answer = json.loads(contents.unseal(one.id, "answer", row[7])) if row[7] else ""
        head |= {"stopped": one.stopped, "answer": answer}
    except (AttributeError, TypeError, ValueError, RecursionError):
        return {**head, "answer": force_text(row[7]), "is_damaged": True}
    return {**head, "question": force_text(row[2]), "is_damaged": True} if one.is_damaged else head


class RunInterrupted(BaseException):
    """Ends a run between two steps: its process is to end. It goes on when it is resumed."""


@dataclass(slots=True)
class JournalSession:
    """
    One run in a journal; only one process at a time is at it. To be ended.

    Once it was released nothing is kept in it any more: what a run left behind has no say. Neither
    has a process that lost its hold, once another one has taken up the session.

    Raises:
        UnusableSession: Another process is at it, it was deleted, or it is damaged.
    """

    journal: Journal
    id: str
    header: SessionHeader
    is_new: bool = False
    elapsed_s: float = 0.0
    questions: dict[str, OpenQuestion] = field(default_factory=dict[str, OpenQuestion])
    """What was asked of people and is not settled, by id, as it was when the run was taken up."""
    token: str = ""
    """By which it is had; made where none is given."""
    hold: Hold | None = None
    """What `token` has it by; None to claim it."""
    _records: dict[str, StepRecord] = field(default_factory=dict[str, StepRecord])
    _numbers: dict[str, list[int]] = field(
        default_factory=lambda: defaultdict[str, list[int]](list)
    )
    _number: int = 0
    _began: float = field(default_factory=time.monotonic)
    _is_released: bool = False
    _is_open: bool = False
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.token = self.token or self.journal.make_token()
        self.hold = self.hold or self.journal.claim(self.id, self.token)
        self._is_open = self.is_new
        if self.is_new:
            return
        try:
            with guard_session(self.id):
                self._read()
        except BaseException:
            self.release()
            raise

    def _read(self) -> None:
        for entry in self.journal.entries(self.id):
            if entry.is_damaged:
                raise damage_error(self.id)
            self._number, self.elapsed_s = entry.number, max(self.elapsed_s, entry.elapsed_s)
            if not entry.is_forgotten:
                apply_entry(self._records, entry.place, entry.event, entry.data)
                self._numbers[entry.place].append(entry.number)
        asked = self.journal.questions(self.id, is_all=True)
        self.questions = {one.id: one for one in asked if not one.is_closed}

    def begin(self, header: SessionHeader) -> None:
        """Keep which agent takes up a run that was only added; its question stays."""
        traceparent = header.traceparent or self.header.traceparent
        self.header = replace(header, question=self.header.question, traceparent=traceparent)
        self.journal.write_header(self.id, self.token, self.header)

    def record_at(self, place: str) -> StepRecord | None:
        """What is kept of the step at `place`."""
        return self._records.get(place)

    def append(self, place: str, event: EventName, data: Json) -> None:
        """
        Keep one event; it is safe when this returns.

        Raises:
            UnusableSession: It was released, or deleted, or another process has taken it up.
            RunInterrupted: It is the beginning of a step, and runs are to end.
        """
        if event == "step" and self.journal.is_interrupted:
            raise RunInterrupted(self.id)
        with self._lock:
            if self._is_released:
                raise UnusableSession(self.id, "the run that was at it has ended")
            self._reopen()
            number = self._number + 1
            label = entry_label(number, place, event)
            text = self.journal.contents.seal(self.id, label, json.dumps(data))
            elapsed_s = round(self.elapsed_s + time.monotonic() - self._began, 3)
            known = hash_entry(self.id, number, place, event, text)
            entry = NewEntry(number, elapsed_s, place, event, text, known)
            if not self.journal.append_entry(self.id, self.token, entry):
                raise self._make_loss()
            self._number = number
            self._numbers[place].append(number)
            apply_entry(self._records, place, event, data)

    def reopen(self) -> None:
        """Have a run that had ended be one that goes on: it waits for a person again."""
        with self._lock:
            self._reopen()

    def _reopen(self) -> None:
        """Have a run that had ended, and of which there is more now, be one that goes on."""
        if not self._is_open:
            self.journal.end_session(self.id, self.token, "", "")
            self._is_open = True

    def _make_loss(self) -> UnusableSession:
        if self.journal.session_row(self.id) is None:
            return UnusableSession(self.id, "it was deleted")
        return SessionInUse(self.id, "another process has taken it up since")

    def records_after(self, place: str) -> tuple[StepRecord, ...]:
        """What is kept of the steps of the loop after the one that `place` belongs to."""
        with self._lock:
            return tuple(self._records[name] for name in self._later_places(place))

    def forget_after(self, place: str) -> None:
        """Delete what is kept of those steps, which a loop now takes no more."""
        with self._lock:
            later = self._later_places(place)
            numbers = [number for name in later for number in self._numbers.pop(name, ())]
            left = {
                number: hash_entry(self.id, number, "", FORGOTTEN, "null") for number in numbers
            }
            self.journal.forget_entries(self.id, self.token, left)
            for name in later:
                del self._records[name]

    def end(self, stopped: str, answer: str) -> None:
        """
        Keep how the run ended, and let others have the session.

        Raises:
            UnusableSession: It was deleted, or another process has taken it up.
        """
        text = self.journal.contents.seal(self.id, "answer", json.dumps(answer))
        if not self.journal.end_session(self.id, self.token, stopped, text):
            raise self._make_loss()

    def release(self) -> None:
        """Let other processes have it."""
        with self._lock:
            self._is_released = True
            if self.hold is not None:
                self.hold.close()
                self.hold = None

    def _later_places(self, place: str) -> list[str]:
        own = step_number(place)
        return [name for name in self._records if step_number(name) > own]
