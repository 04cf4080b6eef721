"""What a worker takes up, in this process: how runs end, wait, fail, and go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from tests.support.journaled import agent_of, paying
from tests.workers.test_queues import no_pickle

from restwright.agents.agent import Agent
from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.questions import answer_question
from restwright.agents.steps import Call, Conclusion, Steps
from restwright.calls.approval.policy import ALLOW, CONFIRM
from restwright.errors import ModelUnavailable, UsageError
from restwright.net.messages import Response
from restwright.testing import RecordingTransport, reply
from restwright.workers.presence import Presence
from restwright.workers.queues import RunQueue
from restwright.workers.worker import ResumeRun, Worker, WorkerSettings

pytestmark = pytest.mark.postgres
SETTINGS = WorkerSettings(queue="shop", polling_s=0.05, grace_s=5)


def resuming(agent: Agent) -> ResumeRun:
    return lambda journal, session: agent.ask(journal=journal, resume=session)


@contextmanager
def at_work(url: str, *agents: Agent, settings: WorkerSettings = SETTINGS) -> Generator[Worker]:
    """A worker in a thread, with its own journal as a program has it."""
    with PostgresJournal(url) as journal:
        named = {f"agent-{number}": resuming(agent) for number, agent in enumerate(agents)}
        worker = Worker(journal, named, settings)
        up, ended = threading.Event(), list[bool]()
        thread = threading.Thread(target=lambda: ended.append(worker.run(up.set)))
        thread.start()
        try:
            assert up.wait(120)
            yield worker
        finally:
            worker.stop()
            thread.join()
        assert ended == [True]


def wait_until(is_so: Callable[[], object], longest_s: float = 120) -> None:
    until = time.monotonic() + longest_s
    while not is_so():
        assert time.monotonic() < until, "it never was so"
        time.sleep(0.02)


def paid() -> RecordingTransport:
    return RecordingTransport(lambda _: reply(200, [1]))


def test_what_goes_first_is_what_is_lower(url: str, queue: RunQueue) -> None:
    order: list[str] = []

    def telling(_: Agent, question: str) -> Steps[Conclusion]:
        order.append(question)
        yield Call(tool="shop__cart", arguments={})
        return Conclusion(text=question)

    for number in (3, 1, 2):
        queue.add(f"{number}", name=f"run-{number}", priority=number)
    one = WorkerSettings(queue="shop", polling_s=0.05, concurrency=1, global_concurrency=1)
    with at_work(url, agent_of(telling, send=paid()), settings=one) as worker:
        wait_until(lambda: not queue.depths())
        wait_until(lambda: worker.state().ended == {"answered": 3})
        state = worker.state()
        assert (state.queue, state.id, state.is_present, state.running) == (
            *("shop", "worker-0", True),
            0,
        )
    assert order == ["1", "2", "3"]
    assert [run.state for run in queue.list(is_all=True)] == ["ended"] * 3
    assert queue.journal.find("run-1").header.model == "scripted"
    assert no_pickle(queue.journal) > 5
    assert queue.forget_ended(3600) == 0
    assert (queue.forget_ended(0), queue.list(is_all=True)) == (3, ())
    assert queue.add("1", name="run-1") == "run-1"
    assert queue.list() == ()


def test_a_run_waits_for_a_person_and_its_worker_for_nobody(url: str, queue: RunQueue) -> None:
    send = paid()
    for name in ("one", "two"):
        queue.add("Pay.", name=name)
    one = WorkerSettings(queue="shop", polling_s=0.05, concurrency=1)
    waiting = agent_of(paying, send=send, policy=CONFIRM, waits=True)
    with at_work(url, waiting, settings=one) as worker:
        wait_until(lambda: worker.state().ended == {"question": 2})
        assert (worker.state().running, queue.depths(), len(send.sent)) == (0, {}, 0)
        assert queue.forget_ended(0) == 0
        by_session = {asked.session: asked for asked in queue.journal.questions()}
        answer_question(queue.journal, by_session["two"].id, True, by="Mira")
        wait_until(lambda: worker.state().ended == {"question": 2, "answered": 1})
        assert (queue.journal.find("two").stopped, len(send.sent)) == ("answered", 1)
        answer_question(queue.journal, by_session["one"].id, False, by="Mira")
        wait_until(lambda: worker.state().ended.get("answered", 0) == 2)
    assert len(send.sent) == 1
    assert queue.journal.find("one").stopped == "answered"


@pytest.mark.parametrize("stopped", ["refused", "limit", "error", "question"])
def test_a_run_that_has_ended_is_not_begun_again(url: str, queue: RunQueue, stopped: str) -> None:
    """Its worker may die after the end of the run, and before the queue knows of it."""
    queue.add("Pay.", name="one")
    session = queue.journal.resume("one")
    session.end(stopped, "")
    session.release()
    send = paid()
    with at_work(url, agent_of(paying, send=send)) as worker:
        wait_until(lambda: worker.state().ended == {stopped: 1})
        wait_until(lambda: not queue.depths())
    assert (queue.journal.find("one").stopped, send.sent) == (stopped, [])


def test_what_failed_is_shown_and_put_back(url: str, queue: RunQueue) -> None:
    class Away:
        name, is_small, is_back = "away", True, False

    def loop(_: Agent, question: str) -> Steps[Conclusion]:
        yield Call(tool="shop__cart", arguments={})
        if not Away.is_back:
            raise ModelUnavailable("canary", "it is away", "wait")
        return Conclusion(text="done")

    queue.add("Go.", name="one")
    queue.add("Go.", name="two", agent="nobody")
    with at_work(url, agent_of(loop, send=paid())) as worker:
        wait_until(lambda: queue.depths() == {"failed": 2})
        listed = {run.session: (run.state, run.why, run.attempts) for run in queue.list()}
        assert listed == {"one": ("failed", "model_unavailable", 1), "two": ("failed", "usage", 1)}
        with pytest.raises(UsageError, match="did not fail"):
            queue.retry(["one", "three"])
        Away.is_back = True
        assert queue.retry(["one"]) == 1
        wait_until(lambda: queue.journal.find("one").stopped == "answered")
        wait_until(lambda: queue.depths() == {"failed": 1})
        assert worker.state().ended == {"failed": 2, "answered": 1}


def test_a_worker_that_is_to_stop_finishes_its_step_and_hands_the_run_back(
    url: str, queue: RunQueue
) -> None:
    is_asked, is_stopped = threading.Event(), threading.Event()

    def answer(_: object) -> Response:
        is_asked.set()
        assert is_stopped.wait(10)
        return reply(200, [1])

    def twice(_: Agent, question: str) -> Steps[Conclusion]:
        yield Call(tool="shop__pay", arguments={"pin": "1"})
        yield Call(tool="shop__pay", arguments={"pin": "2"})
        return Conclusion(text="done")

    send = RecordingTransport(answer)
    queue.add("Pay.", name="one")
    with at_work(url, agent_of(twice, send=send, policy=ALLOW)) as worker:
        assert is_asked.wait(120)
        worker.stop()
        assert worker.state().is_stopping
        is_stopped.set()
    events = [entry.event for entry in queue.journal.events("one")]
    assert events == ["step", "sent", "outcome"]
    assert queue.depths() == {"queued": 1}
    # Another one has it at once, and need not wait for a lease.
    other = WorkerSettings(queue="shop", id="worker-1", polling_s=0.05)
    with at_work(url, agent_of(twice, send=send, policy=ALLOW), settings=other):
        wait_until(lambda: queue.journal.find("one").stopped == "answered", 10)
    assert len(send.sent) == 2


def test_a_run_that_a_person_is_at_is_waited_for(url: str, queue: RunQueue) -> None:
    queue.add("Pay.", name="one")
    send = paid()
    held = queue.journal.resume("one")
    with at_work(url, agent_of(paying, send=send)) as worker:
        wait_until(lambda: worker.state().running == 1)
        time.sleep(0.7)
        assert len(send.sent) == 0
        held.release()
        wait_until(lambda: queue.journal.find("one").stopped == "answered")
    assert len(send.sent) == 1


def test_two_workers_of_one_name_are_one_too_many(journal: PostgresJournal) -> None:
    first, second = (Presence(journal, "shop/worker-0", "shop#leader") for _ in range(2))
    first.acquire()
    assert first.is_leader()
    with pytest.raises(UsageError, match="of this name is at work"):
        second.acquire(0.1)
    third = Presence(journal, "shop/worker-1", "shop#leader")
    third.acquire()
    assert (third.is_leader(), third.is_gone("shop/worker-0")) == (False, False)
    # The connection is lost, as in a restart of the database; the next look makes a new one.
    journal.database.rows(
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
        " and pid != pg_backend_pid()",
        {},
    )
    assert first.keep()
    assert third.keep()
    first.close()
    wait_until(lambda: third.is_gone("shop/worker-0"), 5)
    assert third.is_leader()
    third.close()


def test_settings_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(UsageError, match="fewer runs than one"):
        WorkerSettings(queue="shop", concurrency=10, global_concurrency=3)
    with pytest.raises(UsageError, match="is no name"):
        WorkerSettings(queue="shop", id="a b")
