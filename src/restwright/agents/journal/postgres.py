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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from restwright.agents.journal.leases import Heartbeat, Lease
from restwright.agents.journal.postgres_pool import Database, parse_address
from restwright.agents.journal.postgres_schema import migrate
from restwright.agents.journal.questions import OpenQuestion, questions_from_rows
from restwright.agents.journal.rows import FORGOTTEN, SessionHeader
from restwright.agents.journal.sealing import (
    Contents,
    is_sealed,
    octets_from_sealed,
    sealed_from_octets,
)
from restwright.agents.journal.store import Journal, JournalSession, NewEntry, TurnRow
from restwright.errors import UnusableSession
from restwright.jsontypes import Json
from restwright.net.secret import Secret

if TYPE_CHECKING:
    from psycopg import Connection

LEASE_S = 30.0
"""Seconds after which another process may take up a run of one that is gone."""

_LISTED = """
select id, extract(epoch from started)::double precision, question, agent, model, apis::text,
    stopped, answer, (select count(*) from restwright.events e
        where e.tenant = s.tenant and e.session = s.id and event != 'forgotten'), now
from restwright.sessions s where tenant = %(tenant)s
"""
_LATEST_FIRST = f"{_LISTED} order by started desc, id"
_OF_ID = f"{_LISTED} and id = %(name)s"
_EVENTS = """
select number, extract(epoch from at)::double precision, elapsed_s, place, event, data::text,
    octets, hash, last
from restwright.leases l left join restwright.events e using (tenant, session)
where tenant = %(tenant)s and session = %(name)s order by number
"""
_START = """
insert into restwright.sessions (tenant, id, question, agent, model, apis, now)
values (%(tenant)s, %(id)s, %(question)s, %(agent)s, %(model)s, %(apis)s, %(now)s)
on conflict (tenant, id) do nothing
"""
_LINK = """
insert into restwright.handovers (tenant, session, before)
values (%(tenant)s, %(id)s, %(before)s) on conflict (tenant, session) do nothing
"""
_UNTIL = "clock_timestamp() + make_interval(secs => %(lease_s)s)"
_CLAIM = f"""
insert into restwright.leases as held (tenant, session, token, until, last)
select tenant, id, %(token)s, {_UNTIL}, 0
from restwright.sessions where tenant = %(tenant)s and id = %(name)s
on conflict (tenant, session) do update set token = excluded.token, until = excluded.until
where held.until < clock_timestamp() or held.token = excluded.token
"""
_FREE = """
update restwright.leases set until = '-infinity'
where tenant = %(tenant)s and session = %(name)s and token = %(token)s
"""
_RENEW = f"""
update restwright.leases l set until = {_UNTIL}
from unnest(%(names)s::text[], %(tokens)s::text[]) held (session, token)
where l.tenant = %(tenant)s and l.session = held.session and l.token = held.token
    and l.until > '-infinity'
"""
# A lease that has run out, and that nobody has taken, is still its holder's.
_MINE = """
tenant = %(tenant)s and session = %(name)s and token = %(token)s and until > '-infinity'
"""
_HELD = f"exists (select from restwright.leases where {_MINE})"
# Said twice, after a connection was lost, it keeps the event once.
_APPEND = f"""
with held as (
    update restwright.leases set last = %(number)s, until = {_UNTIL} where {_MINE} returning 1
), kept as (
    insert into restwright.events
        (tenant, session, number, elapsed_s, place, event, data, octets, hash)
    select %(tenant)s, %(name)s, %(number)s, %(elapsed_s)s, %(place)s, %(event)s, %(data)s::json,
        %(octets)s::bytea, %(hash)s from held
    on conflict (tenant, session, number) do nothing
)
select 1 from held
"""
_FORGET = f"""
update restwright.events e set place = '', event = %(event)s, data = 'null', octets = null,
    hash = new.hash
from unnest(%(numbers)s::integer[], %(hashes)s::text[]) new (number, hash)
where e.tenant = %(tenant)s and e.session = %(name)s and e.number = new.number and {_HELD}
"""
_END = f"""
update restwright.sessions set stopped = %(stopped)s, answer = %(answer)s
where tenant = %(tenant)s and id = %(name)s and {_HELD}
"""
_ASKED = """
select id, session, place, kind, request_hash, contents,
    extract(epoch from asked)::double precision,
    extract(epoch from answered)::double precision, answered_by, answer,
    extract(epoch from closed)::double precision
from restwright.questions where tenant = %(tenant)s
"""
_ASK = f"""
insert into restwright.questions
    (tenant, id, session, place, kind, request_hash, contents)
select %(tenant)s, %(id)s, %(name)s, %(place)s, %(kind)s, %(request_hash)s, %(contents)s
where {_HELD}
on conflict (tenant, id) do update set contents = excluded.contents, asked = now(),
    answered = null, answered_by = '', answer = '', closed = null
where questions.closed is not null
"""
_ANSWER = """
update restwright.questions set answered = now(), answered_by = %(by)s, answer = %(answer)s
where tenant = %(tenant)s and id = %(id)s and closed is null
    and (answered is null or (answered_by = %(by)s and answer = %(answer)s))
"""
_CLOSE = f"""
update restwright.questions set closed = now()
where tenant = %(tenant)s and session = %(name)s and id = any(%(ids)s) and closed is null
    and {_HELD}
"""
_TURNS = """
select session, conversation, number, is_undone from restwright.turns t where tenant = %(tenant)s
"""
_OF_CONVERSATION = """
and conversation in (select conversation from restwright.turns
    where tenant = %(tenant)s and %(name)s in (conversation, session))
"""
_APPEND_TURN = """
insert into restwright.turns (tenant, conversation, number, session)
select %(tenant)s, %(conversation)s, coalesce(max(number), 0) + 1, %(name)s
from restwright.turns where tenant = %(tenant)s and conversation = %(conversation)s
on conflict (tenant, session) do nothing
"""
_UNDO = """
update restwright.turns set is_undone = true where tenant = %(tenant)s and session = %(name)s
"""
_RUN = """
with recursive run (id) as (
    select unnest(%(names)s::text[])
    union
    select case run.id when h.session then h.before else h.session end
    from restwright.handovers h join run on run.id in (h.session, h.before)
    where h.tenant = %(tenant)s
)
"""
_RUNS = f"""
{_RUN} select id from run join restwright.sessions using (id) where tenant = %(tenant)s order by id
"""
_HANDOFFS = """
select session, before from restwright.handovers where tenant = %(tenant)s
"""
_BUSY = """
select session from restwright.leases where tenant = %(tenant)s and session = any(%(names)s)
    and until > clock_timestamp() for update
"""
_DELETE = "delete from restwright.sessions where tenant = %(tenant)s and id = any(%(names)s)"
_OLD = """
select id from restwright.sessions where tenant = %(tenant)s and stopped != ''
    and started < now() - make_interval(secs => %(older_than_s)s) order by started
"""
_BELONGING = """
with recursive run (id) as (
    select %(name)s::text
    union
    select other.id from run, lateral (
        select case run.id when h.session then h.before else h.session end
        from restwright.handovers h
        where h.tenant = %(tenant)s and run.id in (h.session, h.before)
        union all
        select b.session
        from restwright.turns a join restwright.turns b using (tenant, conversation)
        where a.tenant = %(tenant)s and a.session = run.id
    ) other (id)
)
select id, stopped != '' and started < until and not exists (
    select from restwright.events e where e.tenant = s.tenant and e.session = s.id and at >= until
)
from run join restwright.sessions s using (id),
    (select now() - make_interval(secs => %(older_than_s)s)) past (until)
where tenant = %(tenant)s
"""


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

    @property
    def where(self) -> str:
        """The URL, without its password."""
        return self._address.url

    def close(self) -> None:
        """Let go of its connections; leases that are held run out."""
        self._heartbeat.stop()
        self._database.close()

    def start(self, opening: SessionHeader, *, before: str | None = None) -> JournalSession:
        """Begin a session; see `Journal.start`."""
        name = f"{time.strftime('%y%m%d')}-{secrets.token_hex(8)}"
        values = self._values(
            id=name,
            question=self.contents.seal(name, "question", json.dumps(opening.question)),
            agent=opening.agent,
            model=opening.model,
            apis=json.dumps(dict(opening.apis)),
            now=opening.now,
            before=before,
        )

        def begin(connection: Connection[Any]) -> None:
            with connection.transaction():
                connection.execute(_START.encode(), values)
                connection.execute(_LINK.encode(), values)

        if before is None:
            self._database.change(_START, values)
        else:
            self._database.run(begin)
        self.last_id = name
        return JournalSession(self, name, opening, is_new=True)

    def _values(self, **values: Any) -> dict[str, Any]:
        return {**values, "tenant": self._address.tenant}

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._database.rows(query, self._values(**values))

    def _change(self, query: str, **values: Any) -> int:
        return self._database.change(query, self._values(**values))

    def session_row(self, name: str) -> tuple[Json, ...] | None:
        """Return the row of a session."""
        return next(iter(self._rows(_OF_ID, name=name)), None)

    def session_rows(self) -> Iterable[tuple[Json, ...]]:
        """Return the rows of all sessions, the latest first."""
        return self._rows(_LATEST_FIRST)

    def entry_rows(self, name: str) -> Iterator[tuple[Json, ...]]:
        """Yield the rows of the events of a session."""
        for *head, data, octets, known, last in self._rows(_EVENTS, name=name):
            text = data if octets is None else _text_from_octets(bytes(octets))
            yield (*head, text, known, last)

    def claim(self, name: str, token: str) -> Lease:
        """Have a lease on a session; from now on no other token keeps anything in it."""
        if not self._change(_CLAIM, name=name, token=token, lease_s=self._lease_s):
            is_there = self.session_row(name) is not None
            why = "another process is at it" if is_there else "it was deleted"
            raise UnusableSession(name, why)
        self._heartbeat.add(name, token)
        return Lease(name, token, self._heartbeat, self._free)

    def _free(self, name: str, token: str) -> None:
        self._change(_FREE, name=name, token=token)

    def _renew(self, held: Mapping[str, str]) -> None:
        names, tokens = list(held), list(held.values())
        self._change(_RENEW, names=names, tokens=tokens, lease_s=self._lease_s)

    def append_entry(self, name: str, token: str, entry: NewEntry) -> bool:
        """Keep an event where the lease is still had, in one statement."""
        as_octets = _octets_from_text(entry.data)
        found = self._rows(
            _APPEND,
            **entry._asdict() | {"data": entry.data if as_octets is None else None},
            octets=as_octets,
            name=name,
            token=token,
            lease_s=self._lease_s,
        )
        return bool(found)

    def forget_entries(self, name: str, token: str, hashes: Mapping[int, str]) -> None:
        """Delete what events say; see `Journal.forget_entries`."""
        self._change(
            _FORGET,
            name=name,
            token=token,
            event=FORGOTTEN,
            numbers=list(hashes),
            hashes=list(hashes.values()),
        )

    def end_session(self, name: str, token: str, stopped: str, answer: str) -> None:
        """Keep how a run ended."""
        self._change(_END, name=name, token=token, stopped=stopped, answer=answer)

    def open_question(self, token: str, question: OpenQuestion) -> bool:
        """Keep a question; see `Journal.open_question`."""
        contents = self.contents.seal(
            question.session, f"question {question.id}", question.contents()
        )
        changed = self._change(
            _ASK,
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
        return self._change(_CLOSE, name=name, token=token, ids=list(ids))

    def questions(
        self, session: str | None = None, *, is_all: bool = False
    ) -> tuple[OpenQuestion, ...]:
        """Return what is wanted of people; see `Journal.questions`."""
        where = "" if is_all else " and answered is null and closed is null"
        where += "" if session is None else " and session = %(name)s"
        rows = self._rows(f"{_ASKED}{where} order by asked, id", name=session)
        return questions_from_rows(rows, self.contents)

    def question(self, id_: str) -> OpenQuestion | None:
        """Return the question of this id."""
        rows = self._rows(f"{_ASKED} and id = %(id)s", id=id_)
        return next(iter(questions_from_rows(rows, self.contents)), None)

    def write_answer(self, question: OpenQuestion, value: Json, *, by: str) -> bool:
        """Keep an answer, unchecked; whether the question was still open."""
        text = self.contents.seal(question.session, f"answer {question.id}", json.dumps(value))
        return self._change(_ANSWER, id=question.id, by=by, answer=text) > 0

    def turns(self, name: str | None = None) -> tuple[TurnRow, ...]:
        """Return the turns of conversations."""
        where = "" if name is None else _OF_CONVERSATION
        rows = self._rows(f"{_TURNS}{where} order by conversation, number", name=name)
        return tuple(TurnRow(*row) for row in rows)

    def append_turn(self, conversation: str, session: str) -> None:
        """Keep that a session is the next turn of a conversation."""
        self._change(_APPEND_TURN, conversation=conversation, name=session)

    def mark_turn_undone(self, session: str) -> None:
        """Keep that a turn was undone."""
        self._change(_UNDO, name=session)

    def handoffs(self, name: str | None = None) -> Mapping[str, str]:
        """Return `{session: the one that handed over to it}`."""
        if name is None:
            return dict(self._rows(_HANDOFFS))
        return dict(
            self._rows(f"{_RUN}{_HANDOFFS} and session in (select id from run)", names=[name])
        )

    def delete(self, names: Iterable[str]) -> int:
        """Delete sessions; copies of the database keep what they have. See `Journal.delete`."""
        wanted = list(names)

        def work(connection: Connection[Any]) -> int:
            with connection.transaction():
                rows = connection.execute(_RUNS.encode(), self._values(names=wanted)).fetchall()
                own = self._values(names=[row[0] for row in rows])
                if (busy := connection.execute(_BUSY.encode(), own).fetchone()) is not None:
                    raise UnusableSession(busy[0], "another process is at it")
                return connection.execute(_DELETE.encode(), own).rowcount

        return self._database.run(work)

    def prune(self, older_than_s: float) -> int:
        """Delete what ended longer ago; see `Journal.prune`."""
        deleted = 0
        for (name,) in self._rows(_OLD, older_than_s=older_than_s):
            own = self._rows(_BELONGING, name=name, older_than_s=older_than_s)
            if own and all(is_old for _, is_old in own):
                with suppress(UnusableSession):
                    deleted += self.delete(id_ for id_, _ in own)
        return deleted


def _octets_from_text(text: str) -> bytes | None:
    """What is kept in the binary column: what is sealed, and what PostgreSQL takes for no JSON."""
    if is_sealed(text):
        return octets_from_sealed(text)
    return text.encode() if "NaN" in text or "Infinity" in text else None


def _text_from_octets(octets: bytes) -> str:
    return sealed_from_octets(octets)
