"""Workers that take up what is left of runs, each a process that can be killed at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.kills.runs import resume_run
from tests.support.kills.sealing import Sealer

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Answer
from restwright.errors import UnusableSession

LEASE_S = 1.5
THREADS = 3
THINKS_S = 0.02
PATIENCE_S = 60.0
_PAUSE_S = 0.1
# Processes are forked from one that has read all modules, so that a new one is at work at once.
_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__, "psycopg_pool", "restwright.agents.sandbox"])


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


def work(place: str, url: str, told: Path) -> None:
    """Take up one run after another, some at a time, for ever."""
    journal = PostgresJournal(place, lease_s=LEASE_S, patience_s=PATIENCE_S)
    lock = threading.Lock()
    found: list[str] = []

    def next_session() -> str | None:
        with lock:
            if not found:
                found.extend(open_sessions(journal))
                random.shuffle(found)
            return found.pop() if found else None

    def take() -> None:
        while True:
            session = next_session()
            if session is None:
                time.sleep(_PAUSE_S)
                continue
            # Another worker is at it, or has taken it up since.
            with suppress(UnusableSession):
                if journal.find(session).stopped:
                    continue
                tell(told, resume_run(journal, session, url, model=Sealer(slowest_s=THINKS_S)))

    threads = [threading.Thread(target=take) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Crew:
    """Workers by their numbers; to be used in a `with` block."""

    def __init__(self, size: int, place: str, url: str, told: Path) -> None:
        self.size, self.kills = size, 0
        self._arguments = (place, url, told)
        self._workers: list[BaseProcess] = [self._started() for _ in range(size)]
        self._wakes: dict[int, float] = {}

    def _started(self) -> BaseProcess:
        process = _PROCESSES.Process(target=work, args=self._arguments, daemon=True)
        process.start()
        return process

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for number in range(self.size):
            self._end(number)

    def _end(self, number: int) -> None:
        worker = self._workers[number]
        assert worker.is_alive(), f"a worker ended by itself: {worker.exitcode}"
        worker.kill()
        worker.join()
        self._wakes.pop(number, None)

    def kill(self, number: int) -> None:
        """Kill a worker, stopped or not, and have another one in its place."""
        self._end(number)
        self._workers[number] = self._started()
        self.kills += 1

    def stop(self, number: int, for_s: float) -> None:
        """Stop a worker; `wake` wakes it after that."""
        self._signal(number, signal.SIGSTOP)
        self._wakes[number] = time.monotonic() + for_s

    def wake(self) -> None:
        """Wake those whose time has come."""
        for number, at in [*self._wakes.items()]:
            if at <= time.monotonic():
                self._signal(number, signal.SIGCONT)
                del self._wakes[number]

    @property
    def stopped(self) -> Iterator[int]:
        """The numbers of those that are stopped."""
        return iter(self._wakes)

    def _signal(self, number: int, what: signal.Signals) -> None:
        pid = self._workers[number].pid
        assert pid is not None
        os.kill(pid, what)
