"""Workers that are killed, stopped or frozen: who takes up what they had, and what is sent once."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from inspect import signature

import pytest
from tests.workers.conftest import Start
from tests.workers.test_worker import wait_until

from restwright.workers.queues import RunQueue

pytestmark = pytest.mark.postgres
RUNS = [f"run-{number}" for number in range(6)]
SLOW = ("4", "0.4")
"""Steps before each run pays, and seconds of each."""
SLOWER = ("12", "0.4")
"""So many that another worker has begun before any run pays: one killed in that leaves a doubt."""


def add_all(queue: RunQueue) -> None:
    for name in RUNS:
        queue.add(name, name=name)


def are_answered(queue: RunQueue) -> Callable[[], bool]:
    return lambda: all(queue.journal.find(name).stopped == "answered" for name in RUNS)


def events_of(queue: RunQueue) -> Counter[tuple[str, str, str]]:
    return Counter(
        (name, entry.place, entry.event) for name in RUNS for entry in queue.journal.events(name)
    )


def test_a_worker_takes_up_what_it_had_when_it_was_killed(
    queue: RunQueue, start: Start, shop: tuple[str, Counter[str]]
) -> None:
    add_all(queue)
    first = start("worker-0", *SLOW)
    wait_until(lambda: sum(events_of(queue).values()) > len(RUNS))
    first.kill()
    first.wait()
    assert queue.depths() == {"running": len(RUNS)}
    # A worker that does not watch leaves them to the one whose they are.
    start("worker-1", *SLOW)
    time.sleep(4.0)
    assert queue.depths() == {"running": len(RUNS)}
    start("worker-0", *SLOW)
    # Far sooner than its leases run out.
    wait_until(are_answered(queue))
    assert shop[1] == Counter(RUNS)
    assert set(events_of(queue).values()) == {1}


def test_a_worker_that_watches_takes_up_what_others_had(
    queue: RunQueue, start: Start, shop: tuple[str, Counter[str]]
) -> None:
    add_all(queue)
    first = start("worker-0", *SLOWER)
    wait_until(lambda: sum(events_of(queue).values()) > len(RUNS))
    start("worker-1", *SLOWER, "--watch")
    first.kill()
    wait_until(are_answered(queue))
    assert shop[1] == Counter(RUNS)
    assert set(events_of(queue).values()) == {1}


def test_a_worker_that_is_told_to_ends_between_two_steps(
    queue: RunQueue, start: Start, shop: tuple[str, Counter[str]]
) -> None:
    add_all(queue)
    first = start("worker-0", *SLOW)
    wait_until(lambda: sum(events_of(queue).values()) > len(RUNS))
    first.send_signal(signal.SIGTERM)
    assert (first.wait(60), first.stdout.read()) == (0, "handed back\n")  # type: ignore[union-attr]
    assert queue.depths() == {"queued": len(RUNS)}
    done = events_of(queue)
    assert sum(number for key, number in done.items() if key[2] == "step") == sum(
        number for key, number in done.items() if key[2] == "outcome"
    )
    start("worker-1", *SLOW)
    wait_until(are_answered(queue))
    assert shop[1] == Counter(RUNS)


def test_a_run_that_too_many_workers_died_with_is_shown_and_put_back(
    queue: RunQueue, start: Start, shop: tuple[str, Counter[str]]
) -> None:
    queue.add("deadly", name="one")
    for _ in range(2):
        start("worker-0", "--attempts=2", "--deadly").wait(60)
    start("worker-0", "--attempts=2")
    wait_until(lambda: queue.depths() == {"dead": 1})
    (dead,) = queue.list()
    assert (dead.session, dead.state, dead.attempts) == ("one", "dead", 3)
    queue.retry(["one"])
    wait_until(lambda: queue.journal.find("one").stopped == "answered")
    assert shop[1] == {"deadly": 1}


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing stops a process here")
def test_a_worker_that_lost_its_run_while_it_was_frozen_sends_nothing(
    queue: RunQueue, start: Start, shop: tuple[str, Counter[str]]
) -> None:
    queue.add("Pay", name="one")
    frozen = start("worker-0", *SLOW)
    wait_until(lambda: queue.journal.find("one").events >= 2)
    frozen.send_signal(signal.SIGSTOP)
    # It has its connection still, so nobody takes it for dead; somebody resumes its run by hand.
    held = None
    until = time.monotonic() + 20
    while held is None:
        try:
            held = queue.journal.resume("one")
        except Exception:  # noqa: BLE001 - until its lease has run out
            assert time.monotonic() < until
            time.sleep(0.2)
    before = queue.journal.find("one").events
    frozen.send_signal(signal.SIGCONT)
    time.sleep(3.0)
    assert (queue.journal.find("one").events, shop[1]) == (before, {})
    held.release()
    # Then it goes on with its run, which is the worker's again.
    wait_until(lambda: queue.journal.find("one").stopped == "answered", 40)
    assert shop[1] == {"Pay": 1}
    os.kill(frozen.pid, signal.SIGTERM)


def test_the_name_that_is_not_public_is_there() -> None:
    """`pyproject.toml` holds DBOS to one minor version for its sake."""
    from dbos import DBOS
    from dbos._sys_db import SystemDatabase

    named = DBOS._recover_pending_workflows
    assert [*signature(named).parameters] == ["executor_ids"]
    assert SystemDatabase.run_migrations
