"""
The journal of several machines: tables of PostgreSQL, and a lease on each session at work.

A lease is renewed by its process, and checked by the same statement that keeps an event: who was
stopped for longer than that, and finds its session taken, keeps and sends nothing more. No run
holds a connection. All times are of the database.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from restwright.agents.journal.postgres import queries as sql
from restwright.agents.journal.postgres.leases import Heartbeat, Lease
from restwright.agents.journal.postgres.limits import PostgresLimits
from restwright.agents.journal.postgres.pool import Database, parse_address
from restwright.agents.journal.postgres.schema import migrate
from restwright.agents.journal.questions import OpenQuestion, questions_from_rows
from restwright.agents.journal.rows import FORGOTTEN, SessionHeader
from restwright.agents.journal.sealing import (
    Contents,
    is_sealed,
    octets_from_sealed,
    sealed_from_octets,
)
from restwright.agents.journal.store import Journal, JournalSession, NewEntry, TurnRow
from restwright.errors import SessionInUse, UnusableSession
from restwright.jsontypes import Json
from restwright.net.secret import Secret

if TYPE_CHECKING:
    from psycopg import Connection

LEASE_S = 30.0
"""Seconds after which another process may take up a run of one that is gone."""


class PostgresJournal(Journal):
    """
    The runs of a tenant in a database that machines share. To be closed, or used in a `with` block.

    Args:
        url: `postgresql://USER:PASSWORD@HOST/DATABASE?tenant=NAME`; a `Secret` where it is one. Its
            tables are in the schema `restwright`, and made where they are not there.
        key: What contents are sealed with from now on, or a reference to it, as of `Contents`.
        lease_s: How long a session of a process that is gone is not taken up by another one.
        patience_s: How long a database that is restarted is waited for.

    Raises:
        OSError: It cannot be reached, or its tables cannot be made. Never shows the password.
        MissingExtra: The package that speaks to it is not installed.
        UsageError: The URL or the key is none, or the tables are of a later version.
    """

    def __init__(
        self,
        url: str | Secret,
        *,
        key: Secret | str | None = None,
        lease_s: float = LEASE_S,
        patience_s: float = 30.0,
    ) -> None:
        self.contents = Contents(key)
        self.last_id = ""
        self._address = parse_address(url.reveal() if isinstance(url, Secret) else url)
        self._lease_s = lease_s
        self._database = Database(self._address, prepare=migrate, patience_s=patience_s)
        self._heartbeat = Heartbeat(self._renew, lease_s / 3)
        self._shared = PostgresLimits(self._database, self.contents)

    @property
    def where(self) -> str:
        """The URL, without its password."""
        return self._address.url

    @property
    def database(self) -> Database:
        """Its connections, for what else is shared there."""
        return self._database

    def close(self) -> None:
        """Let go of its connections; leases that are held run out."""
        self._heartbeat.stop()
        self._shared.close()
        self._database.close()

    def shared_limits(self) -> PostgresLimits:
        """Return what machines share by this journal; it ends with it."""
        return self._shared

    def start(self, opening: SessionHeader, *, before: str | None = None) -> JournalSession:
        """Begin a session; see `Journal.start`."""
        name = f"{time.strftime('%y%m%d')}-{secrets.token_hex(8)}"
        token = self.make_token()
        values = self._session_values(
            name, opening, token=token, lease_s=self._lease_s, before=before
        )
        if before is None:
            self._database.write(sql.START, values)
        else:
            self._database.run(partial(_add_linked, sql.START, values))
        hold = self._hold(name, token)
        self.last_id = name
        return JournalSession(self, name, opening, is_new=True, token=token, hold=hold)

    def add(self, name: str, opening: SessionHeader, *, before: str | None = None) -> bool:
        """Keep a session that nobody is at; see `Journal.add`."""
        values = self._session_values(name, opening, before=before)
        if before is None:
            return self._database.write(sql.ADD, values) > 0
        return self._database.run(partial(_add_linked, sql.ADD, values)) > 0

    def _session_values(self, name: str, opening: SessionHeader, **values: Any) -> dict[str, Any]:
        return self._values(
            id=name,
            question=self.contents.seal(name, "question", json.dumps(opening.question)),
            agent=opening.agent,
            model=opening.model,
            apis=json.dumps(dict(opening.apis)),
            now=opening.now,
            traceparent=opening.traceparent,
            **values,
        )

    def _values(self, **values: Any) -> dict[str, Any]:
        return {**values, "tenant": self._address.tenant}

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._database.rows(query, self._values(**values))

    def _change(self, query: str, **values: Any) -> int:
        return self._database.change(query, self._values(**values))

    def session_row(self, name: str) -> tuple[Json, ...] | None:
        """Return the row of a session."""
        return next(iter(self._rows(sql.OF_ID, name=name)), None)

    def session_rows(self) -> Iterable[tuple[Json, ...]]:
        """Return the rows of all sessions, the latest first."""
        return self._rows(sql.LATEST_FIRST)

    def entry_rows(self, name: str) -> Iterator[tuple[Json, ...]]:
        """Yield the rows of the events of a session."""
        for *head, data, octets, known, last in self._rows(sql.EVENTS, name=name):
            text = data if octets is None else _text_from_octets(bytes(octets))
            yield (*head, text, known, last)

    def claim(self, name: str, token: str) -> Lease:
        """Have a lease on a session; from now on no other token keeps anything in it."""
        if not self._change(sql.CLAIM, name=name, token=token, lease_s=self._lease_s):
            if self.session_row(name) is None:
                raise UnusableSession(name, "it was deleted")
            raise SessionInUse(name, "another process is at it")
        return self._hold(name, token)

    def _hold(self, name: str, token: str) -> Lease:
        self._heartbeat.add(name, token)
        return Lease(name, token, self._heartbeat, self._free)

    def _free(self, name: str, token: str) -> None:
        self._change(sql.FREE, name=name, token=token)

    def keeps_leases(self) -> bool:
        """Whether what it has at work is still its own: no lease of it may have run out."""
        return self._heartbeat.has_renewed(self._lease_s)

    def free_leases(self, holder: str, names: Iterable[str]) -> None:
        """Let others take up sessions of a holder that is gone; where it is not, it stops."""
        self._change(sql.FREE_ALL, holder=holder, names=list(names))

    def _renew(self, held: Mapping[str, str]) -> None:
        names, tokens = list(held), list(held.values())
        self._change(sql.RENEW, names=names, tokens=tokens, lease_s=self._lease_s)

    def append_entry(self, name: str, token: str, entry: NewEntry) -> bool:
        """Keep an event where the lease is still had, in one statement."""
        as_octets = _octets_from_text(entry.data)
        values = self._values(
            **entry._asdict() | {"data": entry.data if as_octets is None else None},
            octets=as_octets,
            name=name,
            token=token,
            lease_s=self._lease_s,
        )
        return self._database.write(sql.APPEND, values) > 0

    def forget_entries(self, name: str, token: str, hashes: Mapping[int, str]) -> None:
        """Delete what events say; see `Journal.forget_entries`."""
        self._change(
            sql.FORGET,
            name=name,
            token=token,
            event=FORGOTTEN,
            numbers=list(hashes),
            hashes=list(hashes.values()),
        )

    def write_header(self, name: str, token: str, header: SessionHeader) -> None:
        """Keep what a session is about; see `Journal.write_header`."""
        self._change(
            sql.BEGIN,
            name=name,
            token=token,
            agent=header.agent,
            model=header.model,
            apis=json.dumps(dict(header.apis)),
            now=header.now,
            traceparent=header.traceparent,
        )

    def end_session(self, name: str, token: str, stopped: str, answer: str) -> bool:
        """Keep how a run ended, and let others have it then."""
        values = self._values(name=name, token=token, stopped=stopped, answer=answer)
        is_kept = self._database.write(sql.END, values) > 0
        if stopped:
            self._heartbeat.remove(name, token)
        # Said twice, after a connection was lost, it finds a lease that it has let go of itself.
        return is_kept or self._rows(sql.ENDED, name=name) == [(token, stopped, answer)]

    def open_question(self, token: str, question: OpenQuestion) -> bool:
        """Keep a question; see `Journal.open_question`."""
        contents = self.contents.seal(
            question.session, f"question {question.id}", question.contents()
        )
        changed = self._change(
            sql.ASK,
            id=question.id,
            name=question.session,
            token=token,
            place=question.place,
            kind=question.kind,
            request_hash=question.request_hash,
            contents=contents,
        )
        return changed > 0

    def close_questions(self, name: str, token: str, ids: Iterable[str]) -> int:
        """Use answers up; see `Journal.close_questions`."""
        return self._change(sql.CLOSE, name=name, token=token, ids=list(ids))

    def questions(
        self, session: str | None = None, *, is_all: bool = False
    ) -> tuple[OpenQuestion, ...]:
        """Return what is wanted of people; see `Journal.questions`."""
        where = "" if is_all else " and answered is null and closed is null"
        where += "" if session is None else " and session = %(name)s"
        rows = self._rows(f"{sql.ASKED}{where} order by asked, id", name=session)
        return questions_from_rows(rows, self.contents)

    def count_open_questions(self, *, patience_s: float | None = None) -> int:
        """Return how many answers runs wait for; `patience_s` as of `Database.rows`."""
        rows = self._database.rows(sql.COUNT_OPEN, self._values(), patience_s=patience_s)
        return int(rows[0][0])

    def question(self, id_: str) -> OpenQuestion | None:
        """Return the question of this id."""
        rows = self._rows(f"{sql.ASKED} and id = %(id)s", id=id_)
        return next(iter(questions_from_rows(rows, self.contents)), None)

    def answered_questions(self) -> tuple[OpenQuestion, ...]:
        """Return those whose run can go on; see `Journal.answered_questions`."""
        rows = self._rows(f"{sql.ASKED} and answered is not null and closed is null order by asked")
        return questions_from_rows(rows, self.contents)

    def write_answer(self, question: OpenQuestion, value: Json, *, by: str) -> bool:
        """Keep an answer, unchecked; whether the question was still open."""
        text = self.contents.seal(question.session, f"answer {question.id}", json.dumps(value))
        return self._change(sql.ANSWER, id=question.id, by=by, answer=text) > 0

    def turns(self, name: str | None = None) -> tuple[TurnRow, ...]:
        """Return the turns of conversations."""
        where = "" if name is None else sql.OF_CONVERSATION
        rows = self._rows(f"{sql.TURNS}{where} order by conversation, number", name=name)
        return tuple(TurnRow(*row) for row in rows)

    def append_turn(self, conversation: str, session: str) -> None:
        """Keep that a session is the next turn of a conversation."""
        self._change(sql.APPEND_TURN, conversation=conversation, name=session)

    def mark_turn_undone(self, session: str) -> None:
        """Keep that a turn was undone."""
        self._change(sql.UNDO, name=session)

    def handoffs(self, name: str | None = None) -> Mapping[str, str]:
        """Return `{session: the one that handed over to it}`."""
        if name is None:
            return dict(self._rows(sql.HANDOFFS))
        return dict(
            self._rows(f"{sql.RUN}{sql.HANDOFFS} and session in (select id from run)", names=[name])
        )

    def delete(self, names: Iterable[str]) -> int:
        """Delete sessions; copies of the database keep what they have. See `Journal.delete`."""
        return self._delete(list(names))

    def _delete(self, names: list[str], is_wanted: Callable[[Connection[Any]], bool] = bool) -> int:
        """
        Delete the runs of some sessions together.

        Args:
            is_wanted: Asked once nobody can take any of them up any more.
        """

        def work(connection: Connection[Any]) -> int:
            with connection.transaction():
                rows = connection.execute(sql.RUNS.encode(), self._values(names=names)).fetchall()
                own = self._values(names=[row[0] for row in rows])
                held = connection.execute(sql.LOCK.encode(), own).fetchall()
                if busy := [name for name, is_busy in held if is_busy]:
                    raise SessionInUse(busy[0], "another process is at it")
                if not is_wanted(connection):
                    return 0
                return connection.execute(sql.DELETE.encode(), own).rowcount

        return self._database.run(work)

    def prune(self, older_than_s: float) -> int:
        """Delete what ended longer ago; see `Journal.prune`."""
        deleted = 0
        for (name,) in self._rows(sql.OLD, older_than_s=older_than_s):
            asked = self._values(name=name, older_than_s=older_than_s)
            own = self._database.rows(sql.BELONGING, asked)
            if own and all(is_old for _, is_old in own):
                with suppress(UnusableSession):
                    names = [id_ for id_, _ in own]
                    deleted += self._delete(names, partial(_are_old, asked))
        return deleted


def _add_linked(query: str, values: dict[str, Any], connection: Connection[Any]) -> int:
    """Begin a session and keep which one handed over to it, or neither."""
    with connection.transaction():
        added = connection.execute(query.encode(), values).rowcount
        connection.execute(sql.LINK.encode(), values)
        return added


def _are_old(asked: dict[str, Any], connection: Connection[Any]) -> bool:
    """Whether a run, and all that belongs to it, ended as long ago as is asked."""
    return all(row[1] for row in connection.execute(sql.BELONGING.encode(), asked))


def _octets_from_text(text: str) -> bytes | None:
    """What is kept in the binary column: what is sealed, and what PostgreSQL takes for no JSON."""
    if is_sealed(text):
        return octets_from_sealed(text)
    return text.encode() if "NaN" in text or "Infinity" in text else None


def _text_from_octets(octets: bytes) -> str:
    return sealed_from_octets(octets)
