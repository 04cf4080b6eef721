"""
What runs did, event by event, in one file of this user: to go on after an interruption.

Every step is written before it is performed, every write before it is sent, every outcome before it
is used. A write of SQLite in WAL mode that returned survives the death of the process.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO, Literal, Self

from restwright.errors import UnusableSession
from restwright.net.counts import state_folder
from restwright.typing import Json, JsonObject

EventName = Literal["step", "sent", "outcome"]

KEPT_SESSIONS = 1_000
"""With a new one beyond these the oldest is deleted."""
_WAIT_S = 10.0
_SCHEMA = """
create table if not exists sessions (
    id text primary key, started real not null, question text not null, agent text not null,
    model text not null, apis text not null, stopped text not null default '',
    answer text not null default ''
) without rowid;
create table if not exists events (
    session text not null references sessions (id) on delete cascade, number integer not null,
    at real not null, elapsed_s real not null, place text not null, event text not null,
    data text not null, primary key (session, number)
) without rowid;
create table if not exists turns (
    conversation text not null, number integer not null,
    session text not null unique references sessions (id) on delete cascade,
    is_undone integer not null default 0, primary key (conversation, number)
) without rowid;
create table if not exists handovers (
    session text primary key references sessions (id) on delete cascade,
    before text not null unique references sessions (id) on delete cascade
) without rowid;
"""
_RUN = """
with recursive run (id) as (
    select ? union
    select case id when session then before else session end
    from handovers join run on id in (session, before)
)
select id from run
"""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """
    A session as a list shows it.

    Args:
        started: Seconds since the epoch.
        stopped: Why it ended; empty while it goes on, or where it was interrupted.
        events: How many are kept of it.
    """

    id: str
    started: float
    opening: Opening
    stopped: str
    events: int


@dataclass(slots=True)
class Kept:
    """What is kept of one step; `outcome` only where `is_done`."""

    step: JsonObject
    sent: JsonObject | None = None
    outcome: Json = None
    is_done: bool = False


class Journal:
    """
    The sessions of this user. To be closed, or used in a `with` block.

    Args:
        path: None for the one in the state folder; made, readable by this user alone, where it is
            not there.

    Raises:
        OSError: It cannot be written, or is something else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or state_folder() / "sessions.sqlite3"
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(self.path)
        self.begun = ""
        """The session that was started or resumed last."""
        self._lock = Lock()
        try:
            self._base = sqlite3.connect(
                self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
            )
            for each in ("journal_mode = wal", "foreign_keys = on", "secure_delete = on"):
                self._base.execute(f"pragma {each}")
            self._base.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def start(self, opening: Opening, *, before: str | None = None) -> Session:
        """
        Begin a session.

        Args:
            before: The one that hands over to it; a session does so once.
        """
        name = f"{time.strftime('%y%m%d')}-{secrets.token_hex(4)}"
        row = (
            name,
            time.time(),
            json.dumps(opening.question),
            opening.agent,
            opening.model,
            json.dumps(dict(opening.apis)),
        )
        insert = (
            "insert into sessions (id, started, question, agent, model, apis)"
            " values (?, ?, ?, ?, ?, ?)"
        )
        if before is None:
            self.change(insert, row)
            self._prune()
        else:
            # Nothing is pruned: the oldest one may be that which hands over.
            link = ("insert into handovers (session, before) values (?, ?)", (name, before))
            self.change_together((insert, row), link)
        self.begun = name
        return Session(self, name, opening)

    def resume(self, name: str) -> Session:
        """
        Take up the session of this id.

        Raises:
            UnusableSession: There is none, or another process is at it.
        """
        listed = next((each for each in self.sessions() if each.id == name), None)
        if listed is None:
            raise UnusableSession(name, "there is no session of that id")
        self.begun = name
        return Session(self, name, listed.opening)

    def sessions(self) -> tuple[Listed, ...]:
        """Return all sessions, the latest first."""
        rows = self.rows(
            "select id, started, question, agent, model, apis, stopped,"
            " (select count(*) from events where session = id) from sessions"
            " order by started desc, id"
        )
        return tuple(_listed(row) for row in rows)

    def export(self, name: str) -> Iterator[JsonObject]:
        """
        Yield a session as JSON objects: what it is about, then its events in order.

        Raises:
            UnusableSession: There is none.
        """
        rows = self.rows(
            "select question, agent, model, apis, started, stopped, answer from sessions"
            " where id = ?",
            (name,),
        )
        if not rows:
            raise UnusableSession(name, "there is no session of that id")
        question, agent, model, apis, started, stopped, answer = rows[0]
        yield {
            "session": name,
            "started": started,
            "question": json.loads(question),
            "agent": agent,
            "model": model,
            "apis": json.loads(apis),
            "stopped": stopped,
            "answer": json.loads(answer) if answer else "",
        }
        for number, at, place, event, data in self.rows(
            "select number, at, place, event, data from events where session = ? order by number",
            (name,),
        ):
            yield {
                "number": number,
                "at": at,
                "place": place,
                "event": event,
                "data": json.loads(data),
            }

    def delete(self, names: Iterable[str]) -> int:
        """
        Delete sessions with all that is kept of them, and return how many there were.

        With each go those that it was handed over from and to: without one of them the others
        would send again what that one sent.

        Raises:
            UnusableSession: Another process is at one of them; none is deleted.
        """
        names = [*dict.fromkeys(row[0] for each in names for row in self.rows(_RUN, (each,)))]
        with ExitStack() as held:
            for each in names:
                held.enter_context(self._free(each))
            deleted = sum(
                self.change("delete from sessions where id = ?", (each,)) for each in names
            )
        with suppress(sqlite3.Error):
            self._base.execute("pragma wal_checkpoint(truncate)")
        return deleted

    @contextmanager
    def _free(self, name: str) -> Generator[None]:
        """Keep others from a session that is about to be deleted."""
        path = self.lock_file(name)
        handle = locked(path) if path.exists() else None
        if path.exists() and handle is None:
            raise UnusableSession(name, "another process is at it")
        try:
            yield
        finally:
            if handle is not None:
                handle.close()
                path.unlink(missing_ok=True)

    def lock_file(self, name: str) -> Path:
        """Where the process that is at a session says so."""
        return self.path.with_suffix(".locks") / Path(name).name

    def _prune(self) -> None:
        old = self.rows(
            "select id from sessions order by started desc limit -1 offset ?", (KEPT_SESSIONS,)
        )
        for (name,) in old:
            # One that is at work is deleted when it has ended.
            with suppress(UnusableSession):
                self.delete([name])

    def rows(self, query: str, values: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
        """Return what a query finds."""
        try:
            with self._lock, closing(self._base.execute(query, values)) as found:
                return found.fetchall()
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None

    def change(self, query: str, values: tuple[Json, ...]) -> int:
        """Write, and return how many rows that touched; it is safe when this returns."""
        try:
            with self._lock:
                return self._base.execute(query, values).rowcount
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None

    def change_together(self, *changes: tuple[str, tuple[Json, ...]]) -> None:
        """Write all of these or, where one of them fails, nothing."""
        try:
            with self._lock, self._base:
                self._base.execute("begin immediate")
                for query, values in changes:
                    self._base.execute(query, values)
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None


def _make_private(path: Path) -> None:
    """Have the file there, for this user alone; what SQLite writes beside it is as private."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if sys.platform != "win32" and os.fstat(handle).st_mode & 0o077:
            os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


def _listed(row: tuple[Json, ...]) -> Listed:
    name, started, question, agent, model, apis, stopped, events = row
    opening = Opening(
        question=json.loads(question), agent=agent, model=model, apis=json.loads(apis)
    )
    return Listed(id=name, started=started, opening=opening, stopped=stopped, events=events)


@dataclass(slots=True)
class Session:
    """
    One run in a journal; only one process at a time is at it. To be ended.

    Once it was released nothing is kept in it any more: what a run left behind has no say.

    Raises:
        UnusableSession: Another process is at it.
    """

    journal: Journal
    id: str
    opening: Opening
    elapsed_s: float = 0.0
    _kept: dict[str, Kept] = field(default_factory=dict[str, Kept])
    _number: int = 0
    _began: float = field(default_factory=time.monotonic)
    _held: IO[bytes] | None = None
    _is_released: bool = False
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._hold()
        rows = self.journal.rows(
            "select number, elapsed_s, place, event, data from events where session = ?"
            " order by number",
            (self.id,),
        )
        for number, elapsed_s, place, event, data in rows:
            self._number, self.elapsed_s = number, max(self.elapsed_s, elapsed_s)
            self._remember(place, event, json.loads(data))

    def at(self, place: str) -> Kept | None:
        """What is kept of the step at `place`."""
        return self._kept.get(place)

    def append(self, place: str, event: EventName, data: Json) -> None:
        """
        Keep one event; it is safe when this returns.

        Raises:
            UnusableSession: It was released, or deleted.
        """
        with self._lock:
            if self._is_released:
                raise UnusableSession(self.id, "the run that was at it has ended")
            self._number += 1
            elapsed_s = round(self.elapsed_s + time.monotonic() - self._began, 3)
            added = self.journal.change(
                "insert into events select id, ?, ?, ?, ?, ?, ? from sessions where id = ?",
                (
                    self._number,
                    time.time(),
                    elapsed_s,
                    place,
                    event,
                    json.dumps(data),
                    self.id,
                ),
            )
            if not added:
                raise UnusableSession(self.id, "it was deleted")
            self._remember(place, event, data)

    def after(self, place: str) -> tuple[Kept, ...]:
        """What is kept of the steps of the loop after the one that `place` belongs to."""
        with self._lock:
            return tuple(self._kept[each] for each in self._later(place))

    def forget_after(self, place: str) -> None:
        """Delete what is kept of those steps, which a loop now takes no more."""
        with self._lock:
            for each in self._later(place):
                self.journal.change(
                    "delete from events where session = ? and place = ?", (self.id, each)
                )
                del self._kept[each]

    def end(self, stopped: str, answer: str) -> None:
        """Keep how the run ended, and let others have the session."""
        self.journal.change(
            "update sessions set stopped = ?, answer = ? where id = ?",
            (stopped, json.dumps(answer), self.id),
        )

    def release(self) -> None:
        """Let other processes have it."""
        with self._lock:
            self._is_released = True
            if self._held is not None:
                self._held.close()
                self._held = None

    def _later(self, place: str) -> list[str]:
        own = _number_of(place)
        return [each for each in self._kept if _number_of(each) > own]

    def _remember(self, place: str, event: str, data: Json) -> None:
        if event == "step":
            self._kept[place] = Kept(data)
        elif event == "sent":
            self._kept[place].sent = data
        else:
            self._kept[place].outcome, self._kept[place].is_done = data, True

    def _hold(self) -> None:
        """Keep other processes from taking up the same session; the kernel lets go at our death."""
        path = self.journal.lock_file(self.id)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self._held = locked(path)
        if self._held is None:
            raise UnusableSession(self.id, "another process is at it")


def locked(path: Path) -> IO[bytes] | None:
    """Hold a file until it is closed, or this process dies; None where another one does."""
    handle = path.open("ab")
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            handle.close()
            return None
    return handle


def _number_of(place: str) -> int:
    return int(place.partition(".")[0])
