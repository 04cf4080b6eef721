"""
A worker whose runs pay once at a shop, or step for a while.

`working.py URL QUEUE ID SHOP [STEPS [STEP_S]] [--watch] [--deadly] [--attempts=N]
[--concurrency=N] [--grace=S] [--confirm] [--listen=PORT]`: a run takes STEPS steps of STEP_S
seconds each, and then pays.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import ExitStack

from tests.support.journaled import agent_of

from restwright.agents.agent import Agent
from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Answer, Call, Complete, Conclusion, Message, Steps
from restwright.calls.approval.policy import ALLOW, CONFIRM
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import Result
from restwright.net.http.transport import Transport
from restwright.workers.worker import Worker, WorkerSettings

LEASE_S = 3.0


class SlowModel:
    """Says `well` after a while."""

    name = "slow"
    is_small = True

    def __init__(self, step_s: float) -> None:
        self.step_s = step_s

    def complete(self, request: Complete, *, deadline_s: float) -> object:
        from restwright.agents.steps import Completion

        time.sleep(self.step_s)
        return Completion(text="well")


def make_agent(shop: str, steps: int, step_s: float, **settings: object) -> Agent:
    """Take steps of some seconds each, and then pay at a shop, once."""

    def paying(_: Agent, question: str) -> Steps[Conclusion]:
        for number in range(steps):
            yield Complete(messages=(Message("user", f"{question} {number}"),), role="planner")
        result = yield Call(tool="shop__pay", arguments={"pin": question})
        assert isinstance(result, Result)
        return Conclusion(text=str(result.value), reason=result.text)

    server = Connection(server=shop)
    given = {"model": SlowModel(step_s), "connections": {"shop": server}, **settings}
    return agent_of(paying, **given)


def main(url: str, queue: str, name: str, shop: str, *more: str) -> int:
    options = {word.partition("=")[0]: word.partition("=")[2] for word in more if "--" in word}
    numbers = [float(word) for word in more if "--" not in word]
    steps, step_s = [*numbers, *(3, 0.0)[len(numbers) :]]
    with PostgresJournal(url, lease_s=LEASE_S) as journal, Transport() as send:
        policy = CONFIRM if "--confirm" in options else ALLOW
        agent = make_agent(shop, int(steps), step_s, send=send, policy=policy, waits=True)

        def resume(journal: Journal, session: str) -> Answer:
            if "--deadly" in options:
                os._exit(9)
            return agent.ask(journal=journal, resume=session)

        worker = Worker(
            journal,
            {"shop": resume},
            WorkerSettings(
                queue=queue,
                id=name,
                watch="--watch" in options,
                attempts=int(options.get("--attempts", 20)),
                concurrency=int(options.get("--concurrency", 10)),
                grace_s=float(options.get("--grace", 10)),
            ),
        )
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        with ExitStack() as ending:
            if "--listen" in options:
                from restwright.workers.probes import listening

                url = ending.enter_context(listening(worker, options["--listen"]))
                print(url, flush=True)  # noqa: T201
            done = worker.run(lambda: print("up", flush=True))  # noqa: T201
        print("handed back" if done else "left", flush=True)  # noqa: T201
        if not done:
            os._exit(1)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
