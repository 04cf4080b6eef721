"""
Runs of real kinds of agents that die where they are told to, and are taken up again.

As a program, `killed_run.py URL FOLDER KIND MOMENTS AGAIN` forks a child for each moment of MOMENTS
(numbers and commas; `all` until a run ends before its moment comes; `written` where the response to
its first write has come, of which nothing is kept yet). A moment is whenever something
is kept, sent, received or completed. The child kills itself there (`kill -9`); then the run is
resumed; before that, in another child that dies at its moment AGAIN, unless that is 0. One line of
JSON a moment goes to `ends.jsonl` in FOLDER: what a run has started may outlive it, and would keep
a pipe open.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from tests.support.kills.sealing import TOOLS, Sealer, question
from tests.support.programs.journaled_run import Moments, first_session, in_child

from restwright.agents.agent import Agent
from restwright.agents.journal.conversations import restore_turn
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.human_input import no_human
from restwright.agents.steps import Answer
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.jsontypes import JsonObject
from restwright.net.http.transport import Transport

KINDS = ("rest", "calling", "react", "dfsdt")
QUESTION = question(1)
ENDS = "ends.jsonl"


def ask(
    kind: str,
    url: str,
    journal: Journal,
    moments: Moments | None = None,
    *,
    resume: str | None = None,
) -> Answer:
    """Run a kind of agent against the server at `url`, or go on with it."""
    model = Sealer()
    with Transport() as transport:
        send = moments.watch(model, transport) if moments else transport
        agent = Agent(
            TOOLS,
            model=model,
            send=send,
            connections={"cellar": Connection(server=url, auth="none")},
            policy=ALLOW,
            kind=kind,
            human=no_human,
        )
        return agent.ask("" if resume else QUESTION, journal=journal, resume=resume)


def go_on(kind: str, url: str, path: Path, moments: Moments | None = None) -> JsonObject:
    """Begin a run, or take it up again, and tell how it ended."""
    with SQLiteJournal(path) as journal:
        answer = ask(kind, url, journal, moments, resume=first_session(journal))
        turn = restore_turn(journal, answer.session, TOOLS, policy=ALLOW)
    return {
        "stopped": answer.stopped,
        "reason": answer.reason,
        "text": answer.text,
        "writes": [[write.arguments["cask_id"], write.effect] for write in turn.writes],
    }


def _numbers(moments: str) -> Iterable[int]:
    if moments == "written":
        return (0,)
    return count(1) if moments == "all" else map(int, moments.split(","))


def main(url: str, folder: Path, kind: str, moments: str, again: int) -> None:
    is_written = moments == "written"
    for moment in _numbers(moments):
        name = f"{kind}-{moment}-{again}"
        own, path = f"{url}/{name}", folder / f"{name}.sqlite3"

        def die(at: int, own: str = own, path: Path = path) -> None:
            go_on(kind, own, path, Moments(at, is_written=is_written))

        def end(name: str = name, own: str = own, path: Path = path) -> None:
            line = json.dumps({**go_on(kind, own, path), "name": name})
            with (folder / ENDS).open("a", encoding="utf-8") as ends:
                ends.write(f"{line}\n")

        if in_child(lambda at=moment, die=die: die(at)) != signal.SIGKILL:
            break
        if again:
            in_child(lambda die=die: die(again))
        in_child(end)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5]))
