"""
A run in a journal of several machines, that stops itself where it is told to.

`leased_run.py URL MOMENT SHOP` pays twice at the server SHOP; at the first payment it stops itself
as by SIGSTOP. MOMENT is `allowed`, when it may pay and that is not kept yet, or `sending`, when it
is kept that the payment is sent, and nothing was.
"""

from __future__ import annotations

import os
import signal
import sys

from tests.support.journaled import agent_of

from restwright.agents.agent import Agent
from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.steps import Call, Conclusion, Steps
from restwright.calls.approval.policy import CONFIRM
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import Result
from restwright.errors import UnusableSession
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response

LEASE_S = 1.0


def paying_twice(agent: Agent, question: str) -> Steps[Conclusion]:
    """Pay 1 and then 2, as long as that works."""
    del agent, question
    for pin in ("1", "2"):
        result = yield Call(tool="shop__pay", arguments={"pin": pin})
        assert isinstance(result, Result)
        if not result.ok:
            return Conclusion(text="", stopped="error", reason=result.text)
    return Conclusion(text="paid")


def main(url: str, moment: str, shop: str) -> None:
    def stop(at: str) -> None:
        if at == moment:
            print(journal.last_id, flush=True)  # noqa: T201
            os.kill(os.getpid(), signal.SIGSTOP)

    def approve(*_: object) -> bool:
        stop("allowed")
        return True

    def sending(request: Request) -> Response:
        stop("sending")
        return send(request)

    with PostgresJournal(url, lease_s=LEASE_S) as journal, Transport() as send:
        agent = agent_of(
            paying_twice,
            send=sending,
            policy=CONFIRM,
            approve=approve,
            connections={"shop": Connection(server=shop)},
        )
        try:
            answer = agent.ask("Pay.", journal=journal)
            print(answer.reason or answer.stopped, flush=True)  # noqa: T201
        except UnusableSession as error:
            print(error.why, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
