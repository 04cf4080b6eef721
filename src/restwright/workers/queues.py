"""A queue of runs: what is added, what is in it, what failed, and what is put back."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from restwright.agents.journal.handoffs import first_session
from restwright.agents.journal.questions import OpenQuestion
from restwright.agents.journal.rows import SessionHeader
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.trace_context import current_traceparent
from restwright.errors import UsageError
from restwright.workers.engine import (
    APPLICATION,
    SCHEMA,
    VERSION,
    WORKFLOW,
    QueueAddress,
    check_name,
    make_engine,
    open_client,
    require_database,
)

if TYPE_CHECKING:
    from dbos import EnqueueOptions, WorkflowStatus

RunState = Literal["queued", "delayed", "running", "ended", "failed", "dead", "cancelled"]
"""`dead`: its workers died too often; `failed`: what came in its way was not its own."""

PRIORITY = 100
LISTED = 1000
"""Runs that a list has at most, unless it is asked for more."""
DEAD = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
_CONNECTIONS = 3
_STATES: Mapping[str, RunState] = {
    "ENQUEUED": "queued",
    "DELAYED": "delayed",
    "PENDING": "running",
    "SUCCESS": "ended",
    "ERROR": "failed",
    DEAD: "dead",
    "CANCELLED": "cancelled",
}
# DBOS takes what is dead out of its queue; who had it last says which that was.
_DEPTHS = f"""
select status, count(*) from {SCHEMA}.workflow_status
where queue_name = %(queue)s and status in ('ENQUEUED', 'DELAYED', 'PENDING', 'ERROR')
group by status
union all
select status, count(*) from {SCHEMA}.workflow_status
where status = '{DEAD}' and starts_with(executor_id, %(queue)s || '/')
    and position('/' in substr(executor_id, length(%(queue)s) + 2)) = 0
group by status
"""
_OLD = f"""
select workflow_uuid from {SCHEMA}.workflow_status
where queue_name = %(queue)s and status = 'SUCCESS'
    and completed_at < extract(epoch from now() - make_interval(secs => %(s)s)) * 1000
    and not exists (
        with recursive run (id) as (
            select split_part(substr(workflow_uuid, length(%(tenant)s) + 2), '#', 1)
            union
            select h.session from restwright.handovers h join run on h.before = run.id
            where h.tenant = %(tenant)s
        )
        select from run join restwright.sessions s using (id)
        where s.tenant = %(tenant)s and s.stopped = ''
    )
limit 1000
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedRun:
    """
    One ticket of a run: by it a worker takes up a session, once.

    Args:
        ticket: By which the engine knows it.
        agent: Who takes it up; empty for the only one that a worker has.
        worker: That has it, or had it last.
        priority: What is lower goes first.
        attempts: How often a worker began with it.
        enqueued: Seconds since the epoch.
        why: It failed, by the code of the error.
    """

    ticket: str
    session: str
    agent: str
    state: RunState
    worker: str = ""
    priority: int = PRIORITY
    attempts: int = 0
    enqueued: float = 0.0
    why: str = ""


class RunQueue:
    """
    A queue of runs over a journal on PostgreSQL. To be closed, or used in a `with` block.

    Raises:
        OSError: The database cannot be reached.
        MissingExtra: DBOS is not installed.
        UsageError: The journal is a file, or the queue has no name that there can be.
    """

    def __init__(self, journal: Journal, queue: str) -> None:
        self.journal = require_database(journal)
        self.address = QueueAddress(journal=self.journal, queue=queue)
        self._engine = make_engine(self.journal, _CONNECTIONS)
        self._client = open_client(self._engine)

    def close(self) -> None:
        """Let go of its connections; the journal stays open."""
        self._client.destroy()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(
        self, question: str, *, name: str | None = None, agent: str = "", priority: int = PRIORITY
    ) -> str:
        """
        Have a worker answer a question, and return the session by which the run is known.

        Args:
            name: Of the session. Added twice under one name, a question is asked once.
            agent: Which of a worker's agents is asked: the name of a manifest, or `restwright` for
                the one over documents; empty for the only one.
            priority: From 1 on; what is lower goes first.

        Raises:
            UsageError: The name is none, another question was asked under it, or the same one in
                another queue.
        """
        if not question.strip():
            raise UsageError("there is no question", "question")
        if priority < 1:
            raise UsageError("it counts from 1 on", "priority")
        session = name or f"{time.strftime('%y%m%d')}-{secrets.token_hex(8)}"
        check_name(session, "name")
        opening = SessionHeader(question=question, traceparent=current_traceparent())
        if not self.journal.add(session, opening):
            found = self.journal.find(session)
            if not found.is_sealed and found.header.question != question:
                why = "another question was asked under this name"
                raise UsageError(why, session, "give each question a name of its own")
            if found.stopped:
                return session
            self._check_own(session)
        self._enqueue(self.address.ticket(session), session, agent, priority)
        return session

    def _check_own(self, session: str) -> None:
        # The engine would leave it where it is, and say so in a log alone.
        ticket = self.address.ticket(session)
        found = self._client.list_workflows(
            workflow_ids=[ticket], load_input=False, load_output=False
        )
        # One that was cancelled before anybody had it is in none.
        placed = [status for status in found if status.queue_name or status.executor_id]
        if not all(map(self._is_own, placed)):
            how = "give each question a name of its own, or this one the queue that it is in"
            raise UsageError("it is in another queue", session, how)

    def _enqueue(
        self,
        ticket: str,
        session: str,
        agent: str,
        priority: int = PRIORITY,
        delay_s: float | None = None,
    ) -> None:
        options: EnqueueOptions = {
            "queue_name": self.address.name,
            "workflow_name": WORKFLOW,
            "workflow_id": ticket,
            "app_version": VERSION,
            "application_name": APPLICATION,
            "priority": priority,
        }
        if delay_s is not None:
            options["delay_seconds"] = delay_s
        self._client.enqueue(options, session, agent)

    def put_back(
        self, session: str, agent: str, *, priority: int = PRIORITY, delay_s: float | None = None
    ) -> None:
        """Have a worker take up a run again that one has given up."""
        ticket = f"{self.address.ticket(session)}#{secrets.token_hex(8)}"
        self._enqueue(ticket, session, agent, priority, delay_s)

    def wake(self, question: OpenQuestion) -> bool:
        """
        Have a worker take up the run of a question that was answered, once an answer.

        Returns:
            Whether the run is of this queue.
        """
        before = self.journal.handoffs(question.session)
        session = first_session(before, question.session)
        known = self._tickets(session)
        if not known:
            return False
        ticket = f"{self.address.ticket(session)}#{question.id}.{question.answered}"
        self._enqueue(ticket, session, known[0].agent, known[0].priority)
        return True

    def list(
        self, *, is_all: bool = False, is_failed: bool = False, limit: int | None = LISTED
    ) -> tuple[QueuedRun, ...]:
        """
        Return what is dead, then what is queued, at work or failed, the oldest first.

        Args:
            is_all: What has ended too.
            is_failed: What is dead or failed alone.
            limit: How many at most; None for all.
        """
        states = [code for code, state in _STATES.items() if is_all or state != "ended"]
        found = self._client.list_workflows(
            queue_name=self.address.name,
            status="ERROR" if is_failed else states,
            limit=limit,
            load_output=True,
        )
        dead = self._client.list_workflows(
            workflow_id_prefix=f"{self.address.tenant}/", status=DEAD, limit=limit
        )
        own = [*filter(self._is_own, dead), *found]
        return tuple(map(self._read, own[:limit]))

    def _is_own(self, status: WorkflowStatus) -> bool:
        # DBOS takes what is dead out of its queue; who had it last says which that was.
        queue = status.queue_name or (status.executor_id or "").rpartition("/")[0]
        return queue == self.address.name

    def running_sessions(self, executor: str) -> tuple[str, ...]:
        """Return what a worker had begun, by its name as the engine knows it."""
        found = self._client.list_workflows(
            status="PENDING", executor_id=executor, load_input=False, load_output=False
        )
        return tuple(self._session_of(status.workflow_id) for status in found)

    def busy_executors(self) -> frozenset[str]:
        """Return the workers that have begun something, by their names as the engine knows them."""
        found = self._client.list_workflows(
            queue_name=self.address.name, status="PENDING", load_input=False, load_output=False
        )
        return frozenset(status.executor_id for status in found if status.executor_id)

    def retry(self, sessions: Iterable[str]) -> int:
        """
        Put runs back that failed, or of which too many workers died, and return how many.

        Raises:
            UsageError: One of them did neither.
        """
        wanted = dict.fromkeys(sessions)
        failed = {run.session: run for run in self.list(is_failed=True, limit=None)}
        for session in wanted:
            if session not in failed:
                how = "`restwright queue list` shows those that did"
                raise UsageError("it did not fail in this queue", session, how)
        for session in wanted:
            run = failed[session]
            self.put_back(session, run.agent, priority=run.priority)
            old = [ticket.ticket for ticket in self._tickets(session, "failed", "dead")]
            self._client.delete_workflows(old)
        return len(wanted)

    def forget_ended(self, older_than_s: float) -> int:
        """
        Delete tickets of runs that ended longer ago, a thousand at most, and return how many.

        The journal keeps the runs; those that wait for a person, and what failed, stay here too.
        """
        values = {"tenant": self.address.tenant, "queue": self.address.name, "s": older_than_s}
        old = [row[0] for row in self.journal.database.rows(_OLD, values)]
        if old:
            self._client.delete_workflows(old)
        return len(old)

    def depths(self, *, patience_s: float | None = None) -> dict[RunState, int]:
        """
        Return how many tickets there are of each state, without those that ended.

        Args:
            patience_s: How long a database is waited for that is away; as long as the journal does
                where None.
        """
        rows = self.journal.database.rows(
            _DEPTHS, {"queue": self.address.name}, patience_s=patience_s
        )
        return {_STATES[status]: count for status, count in rows}

    def _tickets(self, session: str, *states: RunState) -> tuple[QueuedRun, ...]:
        first = self.address.ticket(session)
        found = self._client.list_workflows(workflow_id_prefix=first, load_output=False)
        runs = map(self._read, filter(self._is_own, found))
        return tuple(
            run for run in runs if run.session == session and (not states or run.state in states)
        )

    def _session_of(self, ticket: str) -> str:
        return ticket.removeprefix(f"{self.address.tenant}/").partition("#")[0]

    def _read(self, status: WorkflowStatus) -> QueuedRun:
        said: Any = status.input
        args = [*said["args"]] if said else []
        return QueuedRun(
            ticket=status.workflow_id,
            session=self._session_of(status.workflow_id),
            agent=args[1] if len(args) > 1 else "",
            state=_STATES[status.status],
            worker=(status.executor_id or "").removeprefix(f"{self.address.name}/"),
            priority=status.priority or PRIORITY,
            attempts=status.recovery_attempts or 0,
            enqueued=(status.created_at or 0) / 1000,
            why=getattr(status.error, "message", "") or "",
        )
