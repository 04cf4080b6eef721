"""
A run in a journal of several machines, that stops itself where it is told to.

`leased_run.py URL MOMENT SHOP` pays once at the server SHOP; MOMENT is `never`, or `stopped`: it
stops itself as by SIGSTOP after it was allowed to pay, and before that is kept.
"""

from __future__ import annotations

import os
import signal
import sys

from tests.support.journaled import agent_of, paying

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.calls.approval.policy import CONFIRM
from restwright.calls.auth.connection import Connection
from restwright.errors import UnusableSession
from restwright.net.http.transport import Transport

LEASE_S = 1.0


def main(url: str, moment: str, shop: str) -> None:
    def approve(*_: object) -> bool:
        print(journal.last_id, flush=True)  # noqa: T201
        if moment == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        return True

    with PostgresJournal(url, lease_s=LEASE_S) as journal, Transport() as send:
        agent = agent_of(
            paying,
            send=send,
            policy=CONFIRM,
            approve=approve,
            connections={"shop": Connection(server=shop)},
        )
        try:
            print(agent.ask("Pay.", journal=journal).stopped, flush=True)  # noqa: T201
        except UnusableSession as error:
            print(error.why, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
