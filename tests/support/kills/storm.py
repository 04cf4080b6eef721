"""
Many runs, a few workers, and what can happen to them: killed, stopped, their database restarted.

What happens, to whom and in which order is drawn from a seed, which is printed; when it meets which
run depends on the machine.
"""

from __future__ import annotations

import os
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from tests.support.kills.counting_server import CountingServer, counting_server
from tests.support.kills.crew import LEASE_S, PATIENCE_S, QUEUE, Crew
from tests.support.kills.laws import Evidence, Report, by_cellar, read_seen
from tests.support.kills.runs import SORTS, asked, is_refused
from tests.support.postgres import PostgresServer

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.questions import answer_question
from restwright.agents.journal.rows import SessionHeader
from restwright.errors import UnusableSession
from restwright.jsontypes import Json
from restwright.workers.queues import RunQueue

WORKERS = 4
_LONGEST_S = 0.5
_SLOWEST_S = 0.15
_END_S = 600.0
_IN_ADVANCE = 8


@dataclass(frozen=True, kw_only=True)
class Storm:
    """
    How much happens.

    Args:
        runs: All are of one journal.
        kills: Of workers.
        restarts: Of the database; every second one is as of a machine that lost its power.
        stops: Of workers, for longer than their leases.
    """

    runs: int
    kills: int = 0
    restarts: int = 0
    stops: int = 0

    def actions(self, draw: random.Random) -> list[str]:
        """What happens, in its order."""
        modes = ["fast" if number % 2 else "immediate" for number in range(self.restarts)]
        found = ["kill"] * self.kills + ["stop"] * self.stops + modes
        draw.shuffle(found)
        return found


@dataclass(frozen=True)
class Person:
    """
    Answers what runs wait for, by what the server counted; of some runs nobody answers.

    Args:
        is_certain: Whether nothing can be on its way that is not counted yet.
    """

    journal: PostgresJournal
    server: CountingServer
    runs: dict[str, int]
    is_certain: Callable[[], bool]

    def answers(self, session: str) -> bool:
        """Whether anybody does."""
        return self.runs[session] % 10 != 0

    def go(self, is_over: Event) -> None:
        """Look for questions until it is over."""
        while not is_over.wait(0.1):
            for question in self.journal.questions():
                cellar = self.runs.get(question.session)
                if cellar is None or not self.answers(question.session):
                    continue
                value: Json = "yes"
                if question.kind == "approval":
                    value = not is_refused(cellar)
                elif question.name == "took_effect":
                    if not self.is_certain():
                        continue
                    value = "yes" if self._took_effect(cellar, question.text) else "no"
                try:
                    answer_question(self.journal, question.id, value, by="Mira")
                except UnusableSession:
                    continue  # The run is gone on with by another worker, which asks again.

    def _took_effect(self, cellar: int, text: str) -> bool:
        verb = text.partition("cellar__")[2].partition("_cask")[0]
        cask = text.partition('"cask_id"')[2].lstrip(": ")[0]
        return f"{cask}/{verb}" in self.server.effects(f"/cellars/{cellar}/casks/")


def run_storm(
    storm: Storm, takes: str, database: PostgresServer, folder: Path, seed: int
) -> tuple[Report, str]:
    """
    Let it happen, wait for the ends of all runs, and hold them to the laws.

    Args:
        takes: How workers find runs, of `TAKERS`.

    Returns:
        What came of them, and the same with what happened in a line.

    Raises:
        AssertionError: A law is broken, or a run has no end.
    """
    draw, told = random.Random(seed), folder / "told.jsonl"  # noqa: S311 - no secret
    place = database.url(tenant=secrets.token_hex(4))
    actions, sorts, began = storm.actions(draw), [*SORTS.values()], time.monotonic()
    print(f"seed {seed}: {takes}, {storm}")  # noqa: T201
    runs: dict[str, int] = {}
    with (
        counting_server(slowest_s=_SLOWEST_S) as server,
        PostgresJournal(place, lease_s=LEASE_S, patience_s=PATIENCE_S) as journal,
        RunQueue(journal, QUEUE) as queue,
        Crew(crew_of(takes, storm), place, server.url, told) as crew,
    ):
        person = Person(journal, server, runs, lambda: not [*crew.stopped])
        is_over = Event()
        listening = Thread(target=person.go, args=(is_over,))
        listening.start()
        try:
            for number, action in enumerate(actions):
                share = storm.runs * (number + 1) / len(actions) + _IN_ADVANCE
                while len(runs) < min(share, storm.runs):
                    cellar = len(runs) + 1
                    said = asked(sorts[cellar % len(sorts)], cellar)
                    session = f"run-{cellar}"
                    runs[session] = cellar
                    if takes == "queue":
                        queue.add(said, name=session)
                    else:
                        journal.add(session, SessionHeader(question=said))
                _do(action, crew, database, draw)
                crew.tend()
            _await_ends(journal, person, crew)
        finally:
            is_over.set()
            listening.join()
        assert storm.restarts or not crew.ended, "workers ended by themselves"
        assert not {"failed", "dead"} & {*queue.depths()}, queue.list()
        wall_s = time.monotonic() - began
        writes = by_cellar(server.writes())
        evidence = Evidence(journal, server.url, runs, writes, read_seen(told))
        report = evidence.check()
    line = f"{len(runs)} runs, {crew.kills} kills, {storm.restarts} restarts, {storm.stops} stops"
    line += f" ({crew.ended} workers ended)" if crew.ended else ""
    return report, f"{line} in {wall_s:.0f} s: {report}"


def crew_of(takes: str, storm: Storm) -> list[str]:
    """
    What the workers do.

    What one has that is stopped no queue gives to others: somebody resumes it by hand, once the
    lease has run out, as the fifth one here.
    """
    return [takes] * WORKERS + (["journal"] if storm.stops and takes == "queue" else [])


def _do(action: str, crew: Crew, database: PostgresServer, draw: random.Random) -> None:
    """Do something to a worker that is at a run, or to the database."""
    number, pause_s = draw.randrange(crew.size), draw.uniform(0, _LONGEST_S)
    number = crew.wait_for(number)
    time.sleep(pause_s)
    if action == "kill":
        crew.kill(number)
    elif action == "stop":
        crew.stop(number, 1.5 * LEASE_S)
    else:
        database.restart(action)


def _await_ends(journal: PostgresJournal, person: Person, crew: Crew) -> None:
    until = time.monotonic() + _END_S
    while True:
        crew.tend()
        waiting = {one.session for one in journal.questions() if not person.answers(one.session)}
        left = [
            session.id
            for session in journal.sessions()
            if not session.stopped and session.id not in waiting
        ]
        if not left and not [*crew.stopped]:
            return
        assert time.monotonic() < until, f"these have no end: {left}"
        time.sleep(0.2)


def seed() -> int:
    """What `KILLS_SEED` says, or one by chance."""
    return int(os.environ.get("KILLS_SEED") or random.randrange(10**6))  # noqa: S311
