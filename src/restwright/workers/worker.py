"""
A worker: takes runs from a queue, and resumes each as a person would.

DBOS hands out sessions and hands them out again after a crash; the journal does all else: what was
done is not done again, a write is not sent twice, and only one process is at a run.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from restwright.agents.journal.postgres.journal import LEASE_S, PostgresJournal
from restwright.agents.journal.store import Journal, RunInterrupted
from restwright.agents.steps import Answer
from restwright.errors import RestwrightError, SessionInUse, UsageError
from restwright.jsontypes import JsonObject
from restwright.workers.engine import SCHEMA, WORKFLOW, check_name, make_config, make_engine
from restwright.workers.presence import Presence
from restwright.workers.queues import RunQueue, RunState
from restwright.workers.rounds import Rounds

ResumeRun = Callable[[Journal, str], Answer]
"""Takes up a session of a journal: `lambda journal, id: agent.ask(journal=journal, resume=id)`."""

_BUSY_PAUSE_S, _BUSY_LONGEST_S, _BUSY_DELAY_S = 0.5, 1.5 * LEASE_S, 30.0
_SPARE_CONNECTIONS = 5
SEEN_S = 10.0
"""For so long a database that was reached counts as there; a worker looks twice a second."""
_LOG = logging.getLogger("restwright.workers")


class RunFailed(RestwrightError):
    """
    What a worker tells the engine of a run that something came in the way of.

    It has the code of the error alone: what the error says may be personal, and the tables of the
    engine are sealed with no key.
    """

    code = "run_failed"

    @property
    def message(self) -> str:
        """The code of the error."""
        return str(self.args[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """
    How a worker works.

    Args:
        queue: From which it takes runs.
        id: Of the worker; the same one after a restart, and no other's at the same time. By it a
            worker takes up what it left when it died.
        concurrency: How many runs it is at, at the same time.
        global_concurrency: How many all workers of the queue are; None for no limit. Both are of
            the queue: the worker that started last says them.
        attempts: How many workers may die with a run until it is given to no other.
        watch: Whether it takes up, too, what other workers left that died.
        grace_s: How long the steps that are being performed are waited for when it is to stop.
        polling_s: How often it looks for runs.
    """

    queue: str
    id: str = "worker-0"
    concurrency: int = 10
    global_concurrency: int | None = None
    attempts: int = 20
    watch: bool = False
    grace_s: float = 25.0
    polling_s: float = 0.2

    def __post_init__(self) -> None:
        check_name(self.id, "--id")
        if self.global_concurrency is not None and self.global_concurrency < self.concurrency:
            why = "all workers together cannot be at fewer runs than one"
            raise UsageError(why, "--global-concurrency", "lower --concurrency too")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """
    What a worker knows of itself and its queue.

    Args:
        is_present: Whether it is known to the database as one that lives.
        running: How many runs it is at.
        ended: How many it took up, by how that ended: as `Answer.stopped`, `handed_back`, `busy`,
            or `failed`.
        depths: How many there are in the queue by their state, at all workers.
    """

    queue: str
    id: str
    is_present: bool
    is_stopping: bool
    running: int
    ended: Mapping[str, int]
    depths: Mapping[RunState, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerHealth:
    """
    Whether a worker can work.

    Args:
        database: It has reached it a moment ago.
        leases: The runs that it is at are its own still.
        engine: DBOS was launched, and still looks for runs.
        is_stopping: It takes no more runs.
    """

    database: bool
    leases: bool
    engine: bool
    is_stopping: bool

    @property
    def is_well(self) -> bool:
        """Whether it takes runs and keeps what they do."""
        return self.database and self.leases and self.engine and not self.is_stopping


@dataclass(slots=True)
class Worker:
    """
    Takes runs from a queue until it is stopped. There is one in a process.

    Args:
        journal: This worker's alone; it is to be closed by who opened it.
        agents: `{name: what takes up a session}`; where there is one, it has what names no agent.
    """

    journal: PostgresJournal
    agents: Mapping[str, ResumeRun]
    settings: WorkerSettings
    _queue: RunQueue = field(init=False)
    _is_over: threading.Event = field(default_factory=threading.Event)
    _is_present: bool = False
    _seen: float = -math.inf
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: Counter[str] = field(default_factory=Counter[str])
    _ended: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        self._queue = RunQueue(self.journal, self.settings.queue)

    @property
    def name(self) -> str:
        """By which the engine knows it."""
        return self._queue.address.executor(self.settings.id)

    def health(self) -> WorkerHealth:
        """Return whether it can work, without a word to the database."""
        # DBOS starts a thread of this name for each queue; without it nothing is taken.
        taking = f"queue-worker-{self._queue.address.name}"
        return WorkerHealth(
            database=time.monotonic() - self._seen < SEEN_S,
            leases=self.journal.keeps_leases(),
            engine=any(thread.name == taking for thread in threading.enumerate()),
            is_stopping=self._is_over.is_set(),
        )

    def count_running(self) -> int:
        """Return how many runs it is at."""
        with self._lock:
            return self._running.total()

    def state(self, *, patience_s: float | None = None) -> WorkerState:
        """
        Return what it knows; of the queue it asks the database.

        Args:
            patience_s: As of `RunQueue.depths`.

        Raises:
            OSError: The database cannot be reached.
        """
        with self._lock:
            ended = dict(self._ended)
        return WorkerState(
            queue=self.settings.queue,
            id=self.settings.id,
            is_present=self._is_present,
            is_stopping=self._is_over.is_set(),
            running=self.count_running(),
            ended=ended,
            depths=self._queue.depths(patience_s=patience_s),
        )

    def stop(self) -> None:
        """Have it end: runs end after the step that is being performed, and go back."""
        # Called by handlers of signals, so it takes no lock.
        self.journal.is_interrupted = True
        self._is_over.set()

    def run(self, started: Callable[[], None] = lambda: None) -> bool:
        """
        Work until `stop` is called, and return whether all runs ended or were handed back.

        Where that is not so some step outlasted `grace_s`: the process is to end now. What it was
        at is taken up by this worker after its restart, or by one that watches.

        Args:
            started: Called once runs are taken.

        Raises:
            UsageError: A worker of this name is at work.
            OSError: The database cannot be reached.
        """
        address = self._queue.address
        presence = Presence(self.journal, self.name, f"{address.name}#leader")
        try:
            presence.acquire()
            self.journal.holder = self.name
            # Who had this name is gone, so nobody need wait for its leases to run out.
            self.journal.free_leases(self.name, self._queue.running_sessions(self.name))
            engine = make_engine(self.journal, self.settings.concurrency + _SPARE_CONNECTIONS)
            try:
                return self._work(presence, engine, started)
            finally:
                engine.dispose()
        finally:
            presence.close()
            self._queue.close()

    def _work(self, presence: Presence, engine: Any, started: Callable[[], None]) -> bool:
        from dbos import DBOS

        DBOS(config=make_config(engine, self.name))
        try:
            self._launch()
            started()
            rounds = Rounds(self._queue, presence, self.name, is_watching=self.settings.watch)
            while True:
                self._is_present = rounds.go()
                if self._is_present:
                    self._seen = time.monotonic()
                if self._is_over.wait(rounds.every_s):
                    break
        finally:
            self._is_present = False
            self.journal.is_interrupted = True
            DBOS.destroy(
                destroy_registry=True,
                workflow_completion_timeout_sec=max(1, int(self.settings.grace_s)),
            )
        with self._lock:
            left = [*self._running.elements()]
        self.journal.free_leases(self.name, left)
        return not left

    def _launch(self) -> None:
        from dbos import DBOS

        name, settings = self._queue.address.name, self.settings
        DBOS.listen_queues([name])

        # DBOS writes on what it is given, which no method allows.
        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=settings.attempts - 1)
        def resume_session(session: str, agent: str) -> JsonObject:
            return self._take(session, agent)

        DBOS.launch()
        DBOS.register_queue(
            name,
            worker_concurrency=settings.concurrency,
            global_concurrency=settings.global_concurrency,
            polling_interval_sec=settings.polling_s,
            on_conflict="always_update",
        )

    def _take(self, session: str, agent: str) -> JsonObject:
        """Take up a session: what the engine calls, any number of times."""
        with self._lock:
            self._running[session] += 1
        ended = "failed"
        try:
            ended = self._take_up(session, agent)
        except Exception as error:  # noqa: BLE001 - of whatever kind, it is told by its code
            _LOG.warning("%s: %s", session, error)
            raise RunFailed(getattr(error, "code", type(error).__name__)) from None
        finally:
            with self._lock:
                self._running -= Counter([session])
                self._ended[ended] += 1
        return {"session": session, "stopped": ended}

    def _take_up(self, session: str, agent: str) -> str:
        resume = self._find_agent(agent)
        until = time.monotonic() + _BUSY_LONGEST_S
        while True:
            if stopped := self._find_end(session):
                return stopped
            try:
                return _read_end(resume(self.journal, session))
            except RunInterrupted:
                self._queue.put_back(session, agent)
                return "handed_back"
            except SessionInUse:
                # By one that died, until its lease has run out; or by one that lives.
                if time.monotonic() > until or self._is_over.wait(_BUSY_PAUSE_S):
                    delay_s = None if self._is_over.is_set() else _BUSY_DELAY_S
                    self._queue.put_back(session, agent, delay_s=delay_s)
                    return "busy"

    def _find_end(self, session: str) -> str:
        """
        How a run ended of which nothing is left to do, by whoever it was taken up; else empty.

        It is handed out all the same where its worker died before the queue knew. A run that was
        refused something would ask for it anew.
        """
        # One that handed over has ended its own part alone.
        has_next = session in self.journal.handoffs(session).values()
        return "" if has_next else self.journal.find(session).stopped

    def _find_agent(self, name: str) -> ResumeRun:
        if not name and len(self.agents) == 1:
            return next(iter(self.agents.values()))
        if name not in self.agents:
            why = f"this worker has no agent {name!r}" if name else "which agent is not said"
            raise UsageError(why, "agent", f"there are {', '.join(self.agents)}")
        return self.agents[name]


def _read_end(answer: Answer) -> str:
    """How a run ended, where nothing came in its way."""
    if isinstance(answer.error, RestwrightError):
        raise answer.error
    return answer.stopped


__all__ = [
    "SCHEMA",
    "ResumeRun",
    "RunFailed",
    "Worker",
    "WorkerHealth",
    "WorkerSettings",
    "WorkerState",
]
