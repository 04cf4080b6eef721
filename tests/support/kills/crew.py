"""Workers that take up what is left of runs, each a process that can be killed at any moment."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.support.kills.runs import resume_run
from tests.support.kills.sealing import Sealer

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Answer
from restwright.errors import UnusableSession
from restwright.workers.worker import Worker, WorkerSettings

LEASE_S = 1.5
THREADS = 3
THINKS_S = 0.02
PATIENCE_S = 60.0
_PAUSE_S = 0.3
_BEGIN_S, _LOOK_S = 10.0, 0.02
# Processes are forked from one that has read all modules, so that a new one is at work at once.
_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__, "psycopg_pool", "dbos", "sqlalchemy.ext.asyncio"])


def tell(told: Path, answer: Answer) -> None:
    """Keep what a run saw, apart from its journal."""
    seen = {
        "session": answer.session,
        "stopped": answer.stopped,
        "reason": answer.reason,
        "text": answer.text,
        "error": answer.error.message if answer.error else "",
        "calls": [[call.tool, call.arguments, call.ok] for call in answer.exchanges],
    }
    with told.open("ab", buffering=0) as file:
        file.write(f"{json.dumps(seen)}\n".encode())


def open_sessions(journal: Journal) -> list[str]:
    """The runs that can go on: they did not end, and wait for nobody."""
    waiting = {question.session for question in journal.questions()}
    return [
        session.id
        for session in journal.sessions()
        if not session.stopped and session.id not in waiting
    ]


@dataclass
class Backlog:
    """The runs that one worker knows of, for all its threads."""

    journal: Journal
    _found: list[str] = field(default_factory=list[str])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> str | None:
        """Have one of them, by chance; None where there is none."""
        with self._lock:
            if not self._found:
                self._found.extend(open_sessions(self.journal))
                random.shuffle(self._found)
            return self._found.pop() if self._found else None


@dataclass(frozen=True)
class Taking:
    """
    Takes up runs, and tells what they saw.

    Args:
        place: The journal.
        url: Of the server.
        told: The file that is told.
        is_at_work: Set when the first run asks its model.
    """

    place: str
    url: str
    told: Path
    is_at_work: Event

    def open(self) -> PostgresJournal:
        """The journal, as a worker has it; that connections are lost is meant to be."""
        logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
        return PostgresJournal(self.place, lease_s=LEASE_S, patience_s=PATIENCE_S)

    def resume(self, journal: Journal, session: str) -> Answer:
        """Take up one."""
        model = Sealer(slowest_s=THINKS_S, on_request=self.is_at_work.set)
        answer = resume_run(journal, session, self.url, model=model)
        tell(self.told, answer)
        return answer


def take_open(taking: Taking, _: int) -> None:
    """Take up one run after another that the journal has, some at a time, for ever."""
    journal = taking.open()
    backlog = Backlog(journal)

    def take() -> None:
        while True:
            session = backlog.take()
            if session is None:
                time.sleep(_PAUSE_S)
                continue
            # Another worker is at it, or has taken it up since.
            with suppress(UnusableSession):
                if not journal.find(session).stopped:
                    taking.resume(journal, session)

    threads = [threading.Thread(target=take) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def take_queued(taking: Taking, number: int) -> None:
    """Be `restwright worker`, which takes up what is in the queue."""
    settings = WorkerSettings(
        queue=QUEUE, id=f"worker-{number}", concurrency=THREADS, attempts=1000, watch=True
    )
    with taking.open() as journal:
        Worker(journal, {"": taking.resume}, settings).run()


QUEUE = "cellars"
TAKERS = {"journal": take_open, "queue": take_queued}


class Crew:
    """
    Workers by their numbers; to be used in a `with` block.

    One that ends by itself, as where it comes while there is no database, is counted in `ended`,
    and has another one in its place, as from whatever watches over processes.

    Args:
        takes: What each of them does, of `TAKERS`.
    """

    def __init__(self, takes: Sequence[str], place: str, url: str, told: Path) -> None:
        self.size, self.kills, self.ended = len(takes), 0, 0
        self._takes, self._arguments = takes, (place, url, told)
        self._at_work = [_PROCESSES.Event() for _ in takes]
        self._workers: list[BaseProcess] = [self._started(number) for number in range(self.size)]
        self._wakes: dict[int, float] = {}

    def _started(self, number: int) -> BaseProcess:
        self._at_work[number] = _PROCESSES.Event()
        taking = Taking(*self._arguments, self._at_work[number])
        target = TAKERS[self._takes[number]]
        process = _PROCESSES.Process(target=target, args=(taking, number), daemon=True)
        process.start()
        return process

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for number in range(self.size):
            self._end(number)

    def _end(self, number: int) -> None:
        worker = self._workers[number]
        worker.kill()
        worker.join()
        self._wakes.pop(number, None)

    def kill(self, number: int) -> None:
        """Kill a worker, stopped or not, and have another one in its place."""
        self._end(number)
        self._workers[number] = self._started(number)
        self.kills += 1

    def tend(self) -> None:
        """Wake those whose time has come; have others in the places of those that ended."""
        for number, at in [*self._wakes.items()]:
            if at <= time.monotonic():
                self._signal(number, signal.SIGCONT)
                del self._wakes[number]
        for number, worker in enumerate(self._workers):
            if not worker.is_alive():
                self._end(number)
                self._workers[number] = self._started(number)
                self.ended += 1

    def wait_for(self, number: int) -> int:
        """Wait until a worker is at a run; the one of this number, or the next one that is."""
        until = time.monotonic() + _BEGIN_S
        while time.monotonic() < until:
            for other in range(number, number + self.size):
                if self._at_work[other % self.size].is_set():
                    return other % self.size
            time.sleep(_LOOK_S)
        return number

    def stop(self, number: int, for_s: float) -> None:
        """Stop a worker; `tend` wakes it after that."""
        self._signal(number, signal.SIGSTOP)
        self._wakes[number] = time.monotonic() + for_s

    @property
    def stopped(self) -> Iterator[int]:
        """The numbers of those that are stopped."""
        return iter(self._wakes)

    def _signal(self, number: int, what: signal.Signals) -> None:
        pid = self._workers[number].pid
        assert pid is not None
        os.kill(pid, what)
