"""
The journal of one user on one machine: one file, and beside it a lock for each session at work.

A write of SQLite in WAL mode that returned survives the death of the process.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO

from restwright.agents.journal.locks import acquire_file_lock
from restwright.agents.journal.questions import COLUMNS, OpenQuestion, questions_from_rows
from restwright.agents.journal.rows import FORGOTTEN, SessionHeader, decode_column
from restwright.agents.journal.sealing import Contents
from restwright.agents.journal.store import Journal, JournalSession, NewEntry, TurnRow
from restwright.errors import SessionInUse, UnusableSession
from restwright.jsontypes import Json
from restwright.net.counters import ensure_private_file, user_state_folder
from restwright.net.secret import Secret

MAX_SESSIONS = 1_000
"""With a new one beyond these the oldest is deleted, once its run has ended."""
_WAIT_S = 10.0
_SCHEMA = """
create table if not exists sessions (
    id text primary key, started real not null, question text not null, agent text not null,
    model text not null, apis text not null, stopped text not null default '',
    answer text not null default '', now text not null default '',
    traceparent text not null default ''
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
create table if not exists questions (
    id text primary key, session text not null references sessions (id) on delete cascade,
    place text not null, kind text not null, request_hash text not null, contents text not null,
    asked real not null, answered real, answered_by text not null default '',
    answer text not null default '', closed real
) without rowid;
create index if not exists questions_of_session on questions (session);
create table if not exists holders (
    session text primary key references sessions (id) on delete cascade, token text not null,
    last integer not null
) without rowid;
create trigger if not exists counted after insert on events begin
    update holders set last = new.number where session = new.session;
end;
"""
_ADDED_COLUMNS = (("events", "hash"), ("sessions", "now"), ("sessions", "traceparent"))
_LISTED = """
select id, started, question, agent, model, apis, stopped, answer,
    (select count(*) from events where session = id and event != 'forgotten'), now, traceparent
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
_HELD = "(select session from holders where session = ? and token = ?)"
_APPEND = """
insert into events (session, number, at, elapsed_s, place, event, data, hash)
select session, ?, ?, ?, ?, ?, ?, ? from holders where session = ? and token = ?
"""
_FORGET = f"""
update events set place = '', event = ?, data = 'null', hash = ?
where number = ? and session = {_HELD}
"""
_END = f"update sessions set stopped = ?, answer = ? where id = {_HELD}"
_BEGIN = f"""
update sessions set agent = ?, model = ?, apis = ?, now = ?, traceparent = ? where id = {_HELD}
"""
_ASK = """
insert into questions (id, session, place, kind, request_hash, contents, asked)
select ?, session, ?, ?, ?, ?, ? from holders where session = ? and token = ?
on conflict (id) do update set contents = excluded.contents, asked = excluded.asked,
    answered = null, answered_by = '', answer = '', closed = null
where questions.closed is not null
"""
_ANSWER = """
update questions set answered = ?, answered_by = ?, answer = ?
where id = ? and answered is null and closed is null
"""
_CLOSE = f"update questions set closed = ? where id = ? and closed is null and session = {_HELD}"
_ASKED = f"select {COLUMNS} from questions"
_OF_CONVERSATION = """
where conversation in (select conversation from turns where conversation = ? or session = ?)
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
_BELONGING = """
with recursive run (id) as (
    select ? union
    select case id when h.session then h.before else h.session end
    from handovers h join run on id in (h.session, h.before)
    union
    select b.session from turns a join run on run.id = a.session
    join turns b on b.conversation = a.conversation
)
select id, stopped,
    max(started, (select coalesce(max(at), 0) from events where session = id))
from run join sessions using (id)
"""


def journal_file() -> Path:
    """Return where the runs of this user are kept where no place is named."""
    return user_state_folder() / "sessions.sqlite3"


class SQLiteJournal(Journal):
    """
    The sessions of this user. To be closed, or used in a `with` block.

    Args:
        path: None for the one in the state folder; made, readable by this user alone, where it is
            not there.
        key: What contents are sealed with from now on, or a reference to it, as of `Contents`.

    Raises:
        OSError: It cannot be written, or is something else.
        UsageError: The key is none.
    """

    def __init__(self, path: Path | None = None, *, key: Secret | str | None = None) -> None:
        self.contents = Contents(key)
        self.path = path or journal_file()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ensure_private_file(self.path)
        self.last_id = ""
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

    @property
    def where(self) -> str:
        """Path of the file."""
        return str(self.path)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def start(self, opening: SessionHeader, *, before: str | None = None) -> JournalSession:
        """Begin a session; see `Journal.start`."""
        name = f"{time.strftime('%y%m%d')}-{secrets.token_hex(4)}"
        token, hold = self.make_token(), self.lock_session(name)
        try:
            # Nobody can take it up, or delete it, between its beginning and its first event.
            self.add(name, opening, before=before)
            self.change(_TAKE, (token, name))
        except BaseException:
            hold.close()
            self.lock_file(name).unlink(missing_ok=True)
            raise
        if before is None:
            self._prune_oldest()
        self.last_id = name
        return JournalSession(self, name, opening, is_new=True, token=token, hold=hold)

    def add(self, name: str, opening: SessionHeader, *, before: str | None = None) -> bool:
        """Keep a session that nobody is at; see `Journal.add`."""
        row = (
            name,
            time.time(),
            self.contents.seal(name, "question", json.dumps(opening.question)),
            opening.agent,
            opening.model,
            json.dumps(dict(opening.apis)),
            opening.now,
            opening.traceparent,
        )
        insert = (
            "insert into sessions (id, started, question, agent, model, apis, now, traceparent)"
            " values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing"
        )
        if before is None:
            return self.change(insert, row) > 0
        # Nothing is pruned: the oldest one may be that which hands over.
        link = ("insert into handovers (session, before) values (?, ?)", (name, before))
        self.change_all((insert, row), link)
        return True

    def session_row(self, name: str) -> tuple[Json, ...] | None:
        """Return the row of a session."""
        return next(iter(self.rows(_OF_ID, (name,))), None)

    def session_rows(self) -> Iterable[tuple[Json, ...]]:
        """Return the rows of all sessions, the latest first."""
        return self.rows(_LATEST_FIRST)

    def entry_rows(self, name: str) -> Iterable[tuple[Json, ...]]:
        """Return the rows of the events of a session."""
        return self.rows(_EVENTS, (name,))

    def claim(self, name: str, token: str) -> IO[bytes]:
        """Lock the file of a session; from now on no other token keeps anything in it."""
        hold = self.lock_session(name)
        try:
            is_there = self.change(_TAKE, (token, name)) > 0
        except BaseException:
            hold.close()
            raise
        if not is_there:
            hold.close()
            raise UnusableSession(name, "it was deleted")
        return hold

    def append_entry(self, name: str, token: str, entry: NewEntry) -> bool:
        """Keep an event; see `Journal.append_entry`."""
        number, *rest = entry
        return self.change(_APPEND, (number, time.time(), *rest, name, token)) > 0

    def forget_entries(self, name: str, token: str, hashes: Mapping[int, str]) -> None:
        """Delete what events say; see `Journal.forget_entries`."""
        for number, known in hashes.items():
            self.change(_FORGET, (FORGOTTEN, known, number, name, token))

    def write_header(self, name: str, token: str, header: SessionHeader) -> None:
        """Keep what a session is about; see `Journal.write_header`."""
        said = (header.agent, header.model, json.dumps(dict(header.apis)), header.now)
        self.change(_BEGIN, (*said, header.traceparent, name, token))

    def end_session(self, name: str, token: str, stopped: str, answer: str) -> bool:
        """Keep how a run ended; see `Journal.end_session`."""
        return self.change(_END, (stopped, answer, name, token)) > 0

    def open_question(self, token: str, question: OpenQuestion) -> bool:
        """Keep a question; see `Journal.open_question`."""
        kept = self.contents.seal(question.session, f"question {question.id}", question.contents())
        values = (question.id, question.place, question.kind, question.request_hash, kept)
        return self.change(_ASK, (*values, time.time(), question.session, token)) > 0

    def close_questions(self, name: str, token: str, ids: Iterable[str]) -> int:
        """Use answers up; see `Journal.close_questions`."""
        return sum(self.change(_CLOSE, (time.time(), id_, name, token)) for id_ in ids)

    def questions(
        self, session: str | None = None, *, is_all: bool = False
    ) -> tuple[OpenQuestion, ...]:
        """Return what is wanted of people; see `Journal.questions`."""
        where = ["1" if is_all else "answered is null and closed is null"]
        where += [] if session is None else ["session = ?"]
        query = f"{_ASKED} where {' and '.join(where)} order by asked, id"
        rows = self.rows(query, () if session is None else (session,))
        return questions_from_rows(rows, self.contents)

    def question(self, id_: str) -> OpenQuestion | None:
        """Return the question of this id."""
        rows = self.rows(f"{_ASKED} where id = ?", (id_,))
        return next(iter(questions_from_rows(rows, self.contents)), None)

    def answered_questions(self) -> tuple[OpenQuestion, ...]:
        """Return those whose run can go on; see `Journal.answered_questions`."""
        rows = self.rows(f"{_ASKED} where answered is not null and closed is null order by asked")
        return questions_from_rows(rows, self.contents)

    def write_answer(self, question: OpenQuestion, value: Json, *, by: str) -> bool:
        """Keep an answer, unchecked; whether the question was still open."""
        text = self.contents.seal(question.session, f"answer {question.id}", json.dumps(value))
        return self.change(_ANSWER, (time.time(), by, text, question.id)) > 0

    def turns(self, name: str | None = None) -> tuple[TurnRow, ...]:
        """Return the turns of conversations; a session whose row is damaged is alone."""
        where = "" if name is None else _OF_CONVERSATION
        rows = self.rows(
            f"select session, conversation, number, is_undone from turns {where}"
            " order by conversation, number",
            () if name is None else (name, name),
        )
        return tuple(
            TurnRow(session, conversation, number, bool(is_undone))
            for session, conversation, number, is_undone in rows
            if isinstance(session, str)
            and isinstance(conversation, str)
            and isinstance(number, int)
        )

    def append_turn(self, conversation: str, session: str) -> None:
        """Keep that a session is the next turn of a conversation."""
        self.change(
            "insert into turns (conversation, number, session) values (?,"
            " (select coalesce(max(number), 0) + 1 from turns where conversation = ?), ?)",
            (conversation, conversation, session),
        )

    def mark_turn_undone(self, session: str) -> None:
        """Keep that a turn was undone."""
        self.change("update turns set is_undone = 1 where session = ?", (session,))

    def handoffs(self, name: str | None = None) -> Mapping[str, str]:
        """Return `{session: the one that handed over to it}`."""
        found = dict(self.rows("select session, before from handovers"))
        own = found if name is None else self._runs([name])
        return {session: found[session] for session in own if session in found}

    def delete(self, names: Iterable[str]) -> int:
        """Delete sessions, and leave nothing of them in the file; see `Journal.delete`."""
        names = self._runs(names)
        with ExitStack() as held:
            for name in names:
                held.enter_context(self._lock_for_deletion(name))
            if self._runs(names) != names:
                raise SessionInUse(names[0], "another process is at it")
            self.change_all(*(("delete from sessions where id = ?", (text,)) for text in names))
        with suppress(sqlite3.Error):
            self._database.execute("pragma wal_checkpoint(truncate)")
        return len(names)

    def prune(self, older_than_s: float) -> int:
        """Delete what ended longer ago; see `Journal.prune`."""
        until = time.time() - older_than_s
        old = "select id from sessions where stopped != '' and started < ? order by started"
        deleted = 0
        for (name,) in self.rows(old, (until,)):
            own = self.rows(_BELONGING, (name,))
            if own and all(stopped and last < until for _, stopped, last in own):
                with suppress(UnusableSession):
                    deleted += self.delete(id_ for id_, *_ in own)
        return deleted

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
            raise SessionInUse(name, "another process is at it")
        return handle

    def lock_file(self, name: str) -> Path:
        """Where the process that is at a session says so."""
        return self.path.with_suffix(".locks") / Path(name).name

    def _prune_oldest(self) -> None:
        for (name,) in self.rows(_OLD, (MAX_SESSIONS,)):
            # One that goes on, waits or was interrupted may have sent what nobody knows yet.
            if all(stopped for _, stopped in self.rows(_RUN, (name,))):
                with suppress(UnusableSession):
                    self.delete([name])

    def _add_columns(self) -> None:
        """Have the columns that the files of earlier versions lack."""
        for table, column in _ADDED_COLUMNS:
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
