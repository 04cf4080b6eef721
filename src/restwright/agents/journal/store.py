"""
What runs did, event by event, in one file of this user: to go on after an interruption.

Every step is written before it is performed, every write before it is sent, every outcome before it
is used. A write of SQLite in WAL mode that returned survives the death of the process.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO, Literal, Self

from restwright.agents.journal.locks import acquire_file_lock
from restwright.agents.journal.rows import (
    FORGOTTEN,
    JournalEntry,
    SessionHeader,
    SessionSummary,
    StepRecord,
    apply_entry,
    damage_error,
    decode_column,
    entries_from_rows,
    force_text,
    guard_session,
    hash_entry,
    step_number,
    summary_from_row,
)
from restwright.errors import UnusableSession
from restwright.jsontypes import Json, JsonObject
from restwright.net.counters import ensure_private_file, user_state_folder

EventName = Literal["step", "sent", "outcome"]

MAX_SESSIONS = 1_000
"""With a new one beyond these the oldest is deleted, once its run has ended."""
_WAIT_S = 10.0
_SCHEMA = """
create table if not exists sessions (
    id text primary key, started real not null, question text not null, agent text not null,
    model text not null, apis text not null, stopped text not null default '',
    answer text not null default '', now text not null default ''
) without rowid;
create table if not exists events (
    session text not null references sessions (id) on delete cascade, number integer not null,
    at real not null, elapsed_s real not null, place text not null, event text not null,
    data text not null, hash text not null default '', primary key (session, number)
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
create table if not exists holders (
    session text primary key references sessions (id) on delete cascade, token text not null,
    last integer not null
) without rowid;
create trigger if not exists counted after insert on events begin
    update holders set last = new.number where session = new.session;
end;
"""
_LISTED = """
select id, started, question, agent, model, apis, stopped, answer,
    (select count(*) from events where session = id and event != 'forgotten'), now
from sessions
"""
_LATEST_FIRST = f"{_LISTED} order by started desc, id"
_OF_ID = f"{_LISTED} where id = ?"
_EVENTS = """
select number, at, elapsed_s, place, event, data, hash, last from (select ? as session)
left join events using (session) left join holders using (session) order by number
"""
_TAKE = """
insert into holders (session, token, last)
select id, ?, (select coalesce(max(number), 0) from events where session = id) from sessions
where id = ? on conflict (session) do update set token = excluded.token
"""
_END = """
update sessions set stopped = ?, answer = ?
where id = (select session from holders where session = ? and token = ?)
"""
_RUN = """
with recursive run (id) as (
    select ? union
    select case id when session then before else session end
    from handovers join run on id in (session, before)
)
select id, stopped from run join sessions using (id)
"""
_OLD = """
select id from (select id, stopped from sessions order by started desc limit -1 offset ?)
where stopped != ''
"""


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
        self.path = path or user_state_folder() / "sessions.sqlite3"
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ensure_private_file(self.path)
        self.last_id = ""
        """The session that was started or resumed last."""
        self._lock = Lock()
        try:
            self._database = sqlite3.connect(
                self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
            )
            self._database.text_factory = decode_column
            for literal in ("journal_mode = wal", "foreign_keys = on", "secure_delete = on"):
                self._database.execute(f"pragma {literal}")
            self._database.executescript(_SCHEMA)
            self._add_columns()
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def start(self, opening: SessionHeader, *, before: str | None = None) -> JournalSession:
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
            opening.now,
        )
        insert = (
            "insert into sessions (id, started, question, agent, model, apis, now)"
            " values (?, ?, ?, ?, ?, ?, ?)"
        )
        if before is None:
            self.change(insert, row)
            self._prune()
        else:
            # Nothing is pruned: the oldest one may be that which hands over.
            link = ("insert into handovers (session, before) values (?, ?)", (name, before))
            self.change_all((insert, row), link)
        self.last_id = name
        return JournalSession(self, name, opening)

    def resume(self, name: str) -> JournalSession:
        """
        Take up the session of this id.

        Raises:
            UnusableSession: There is none, it is damaged, or another process is at it.
        """
        found = self.rows(_OF_ID, (name,))
        if not found:
            raise UnusableSession(name, "there is no session of that id")
        if (one := summary_from_row(found[0])).is_damaged:
            raise damage_error(name)
        self.last_id = name
        return JournalSession(self, name, one.header)

    def sessions(self) -> tuple[SessionSummary, ...]:
        """Return all sessions, the latest first; one that is damaged costs no other one."""
        return tuple(summary_from_row(row) for row in self.rows(_LATEST_FIRST))

    def events(self, name: str) -> Iterator[JournalEntry]:
        """Yield the events of a session in order, those that are damaged marked."""
        return (entry for entry in self.entries(name) if not entry.is_forgotten)

    def entries(self, name: str) -> Iterator[JournalEntry]:
        """Yield what `events` does, and what keeps the places of those that were deleted."""
        return entries_from_rows(name, self.rows(_EVENTS, (name,)))

    def export(self, name: str) -> Iterator[JsonObject]:
        """
        Yield a session as JSON objects: what it is about, then its events in order.

        What is damaged has `is_damaged`, and says what is left of it.

        Raises:
            UnusableSession: There is none.
        """
        rows = self.rows(_OF_ID, (name,))
        if not rows:
            raise UnusableSession(name, "there is no session of that id")
        yield _export_header(rows[0])
        for event in self.events(name):
            yield {
                "number": event.number,
                "at": event.at,
                "place": event.place,
                "event": event.event,
                "data": event.data,
                **({"is_damaged": True} if event.is_damaged else {}),
            }

    def delete(self, names: Iterable[str]) -> int:
        """
        Delete sessions with all that is kept of them, and return how many there were.

        With each go those that it was handed over from and to: without one of them the others
        would send again what that one sent.

        Raises:
            UnusableSession: Another process is at one of them; none is deleted.
        """
        names = self._runs(names)
        with ExitStack() as held:
            for name in names:
                held.enter_context(self._lock_for_deletion(name))
            if self._runs(names) != names:
                raise UnusableSession(names[0], "another process is at it")
            self.change_all(*(("delete from sessions where id = ?", (text,)) for text in names))
        with suppress(sqlite3.Error):
            self._database.execute("pragma wal_checkpoint(truncate)")
        return len(names)

    def _runs(self, names: Iterable[str]) -> list[str]:
        """The sessions of all runs that these belong to."""
        return [*dict.fromkeys(row[0] for name in names for row in self.rows(_RUN, (name,)))]

    @contextmanager
    def _lock_for_deletion(self, name: str) -> Generator[None]:
        """Keep others from a session that is about to be deleted."""
        handle = self.lock_session(name)
        try:
            yield
        finally:
            handle.close()
            self.lock_file(name).unlink(missing_ok=True)

    def lock_session(self, name: str) -> IO[bytes]:
        """
        Keep other processes from a session; the kernel lets go at our death.

        Raises:
            UnusableSession: Another process is at it.
        """
        path = self.lock_file(name)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if (handle := acquire_file_lock(path)) is None:
            raise UnusableSession(name, "another process is at it")
        return handle

    def lock_file(self, name: str) -> Path:
        """Where the process that is at a session says so."""
        return self.path.with_suffix(".locks") / Path(name).name

    def _prune(self) -> None:
        for (name,) in self.rows(_OLD, (MAX_SESSIONS,)):
            # One that goes on, waits or was interrupted may have sent what nobody knows yet.
            if all(stopped for _, stopped in self.rows(_RUN, (name,))):
                with suppress(UnusableSession):
                    self.delete([name])

    def _add_columns(self) -> None:
        """Have the columns that the files of earlier versions lack."""
        for table, column in (("events", "hash"), ("sessions", "now")):
            if not any(row[1] == column for row in self.rows(f"pragma table_info({table})")):
                # Another process may have added it just now.
                with suppress(OSError):
                    self.change(
                        f"alter table {table} add column {column} text not null default ''", ()
                    )

    def rows(self, query: str, values: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
        """Return what a query finds."""
        try:
            with self._lock, closing(self._database.execute(query, values)) as found:
                return found.fetchall()
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None

    def change(self, query: str, values: tuple[Json, ...]) -> int:
        """Write, and return how many rows that touched; it is safe when this returns."""
        try:
            with self._lock:
                return self._database.execute(query, values).rowcount
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None

    def change_all(self, *changes: tuple[str, tuple[Json, ...]]) -> None:
        """Write all of these or, where one of them fails, nothing."""
        try:
            with self._lock, self._database:
                self._database.execute("begin immediate")
                for query, values in changes:
                    self._database.execute(query, values)
        except sqlite3.Error as error:
            raise OSError(None, str(error), str(self.path)) from None


def _export_header(row: tuple[Json, ...]) -> JsonObject:
    """What a session is about, for its export."""
    one = summary_from_row(row)
    head: JsonObject = {"session": one.id, "started": one.started, **asdict(one.header)}
    try:
        head |= {"stopped": one.stopped, "answer": json.loads(row[7]) if row[7] else ""}
    except (TypeError, ValueError, RecursionError):
        return {**head, "answer": force_text(row[7]), "is_damaged": True}
    return {**head, "question": force_text(row[2]), "is_damaged": True} if one.is_damaged else head


@dataclass(slots=True)
class JournalSession:
    """
    One run in a journal; only one process at a time is at it. To be ended.

    Once it was released nothing is kept in it any more: what a run left behind has no say. Neither
    has a process whose lock file was deleted, once another one has taken up the session.

    Raises:
        UnusableSession: Another process is at it, it was deleted, or it is damaged.
    """

    journal: Journal
    id: str
    header: SessionHeader
    elapsed_s: float = 0.0
    _records: dict[str, StepRecord] = field(default_factory=dict[str, StepRecord])
    _number: int = 0
    _began: float = field(default_factory=time.monotonic)
    _lock_file: IO[bytes] | None = None
    _token: str = field(default_factory=lambda: secrets.token_hex(8))
    _is_released: bool = False
    _is_open: bool = False
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._lock_file = self.journal.lock_session(self.id)
        try:
            self._claim()
            with guard_session(self.id):
                self._read()
        except BaseException:
            self.release()
            raise

    def _claim(self) -> None:
        """From now on no other process keeps anything in it, whatever became of the lock file."""
        if not self.journal.change(_TAKE, (self._token, self.id)):
            raise UnusableSession(self.id, "it was deleted")

    def _read(self) -> None:
        for entry in self.journal.entries(self.id):
            if entry.is_damaged:
                raise damage_error(self.id)
            self._number, self.elapsed_s = entry.number, max(self.elapsed_s, entry.elapsed_s)
            if not entry.is_forgotten:
                apply_entry(self._records, entry.place, entry.event, entry.data)

    def record_at(self, place: str) -> StepRecord | None:
        """What is kept of the step at `place`."""
        return self._records.get(place)

    def append(self, place: str, event: EventName, data: Json) -> None:
        """
        Keep one event; it is safe when this returns.

        Raises:
            UnusableSession: It was released, or deleted.
        """
        with self._lock:
            if self._is_released:
                raise UnusableSession(self.id, "the run that was at it has ended")
            self._reopen()
            number, text = self._number + 1, json.dumps(data)
            elapsed_s = round(self.elapsed_s + time.monotonic() - self._began, 3)
            known = hash_entry(self.id, number, place, event, text)
            values = (number, time.time(), elapsed_s, place, event, text, known)
            if not self._change(
                "insert into events (session, number, at, elapsed_s, place, event, data, hash)"
                " select session, ?, ?, ?, ?, ?, ?, ? from holders where session = ? and token = ?",
                values,
            ):
                raise UnusableSession(self.id, self._explain_loss())
            self._number = number
            apply_entry(self._records, place, event, data)

    def _change(self, query: str, values: tuple[Json, ...]) -> int:
        """Write what ends in the session and the token of who may."""
        return self.journal.change(query, (*values, self.id, self._token))

    def _reopen(self) -> None:
        """Have a run that had ended, and of which there is more now, be one that goes on."""
        if not self._is_open:
            self._change(_END, ("", ""))
            self._is_open = True

    def _explain_loss(self) -> str:
        rows = self.journal.rows("select 1 from sessions where id = ?", (self.id,))
        return "another process has taken it up since" if rows else "it was deleted"

    def records_after(self, place: str) -> tuple[StepRecord, ...]:
        """What is kept of the steps of the loop after the one that `place` belongs to."""
        with self._lock:
            return tuple(self._records[name] for name in self._later_places(place))

    def forget_after(self, place: str) -> None:
        """Delete what is kept of those steps, which a loop now takes no more."""
        with self._lock:
            for name in self._later_places(place):
                self._forget(name)
                del self._records[name]

    def _forget(self, place: str) -> None:
        rows = self.journal.rows(
            "select number from events where session = ? and place = ?", (self.id, place)
        )
        for (number,) in rows:
            known = hash_entry(self.id, number, "", FORGOTTEN, "null")
            self._change(
                "update events set place = '', event = ?, data = 'null', hash = ? where number = ?"
                " and session = (select session from holders where session = ? and token = ?)",
                (FORGOTTEN, known, number),
            )

    def end(self, stopped: str, answer: str) -> None:
        """Keep how the run ended, and let others have the session."""
        self._change(_END, (stopped, json.dumps(answer)))

    def release(self) -> None:
        """Let other processes have it."""
        with self._lock:
            self._is_released = True
            if self._lock_file is not None:
                self._lock_file.close()
                self._lock_file = None

    def _later_places(self, place: str) -> list[str]:
        own = step_number(place)
        return [name for name in self._records if step_number(name) > own]
