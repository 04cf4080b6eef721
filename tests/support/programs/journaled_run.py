"""
A run of five calls that dies where it is told to, and is taken up again.

As a program, `journaled_run.py URL PLACE AGAIN` forks a child for every moment at which something
is kept, sent, received or completed. The child kills itself (`kill -9`) at that moment; then the
run is resumed; before that, in another child that dies at its moment AGAIN, unless that is 0. One
line of JSON a moment goes to standard output. Where PLACE, of a journal, says MOMENT, the number of
the moment stands.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from restwright.agents.agent import Agent
from restwright.agents.journal.opening import journal as open_journal
from restwright.agents.journal.store import Journal, JournalSession
from restwright.agents.runtime.human_input import Human, no_human
from restwright.agents.steps import (
    Answer,
    Call,
    Complete,
    Completion,
    Conclusion,
    Event,
    Gather,
    Message,
    Say,
    Steps,
)
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import Result
from restwright.errors import UnusableSession
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

KEY = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
NAME = {"name": "name", "in": "query", "required": True, "schema": {"type": "string"}}
TOOLS = catalog(
    load(
        document(
            {
                "/items": {"get": {"operationId": "items"}},
                "/keyed": {"post": {"operationId": "keyed", "parameters": [KEY, NAME]}},
                "/plain": {"post": {"operationId": "plain", "parameters": [NAME]}},
            }
        ),
        alias="shop",
    )
)
_LONGEST_S = 60
LEASE_S = 0.5


class Echo:
    """A model whose reply is its prompt in capitals, however often it is asked."""

    name = "echo"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        return Completion(text=request.messages[-1].text.upper(), input_tokens=3, output_tokens=1)


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    """Five calls: reads together, and writes with and without a key."""
    del agent
    told = []
    yield Say(Event("plan", question))
    named = yield Complete(role="namer", messages=(Message("user", question),))
    assert isinstance(named, Completion)
    for step in (
        Gather((Call(tool="shop__items", arguments={}), Call(tool="shop__items", arguments={}))),
        Call(tool="shop__keyed", arguments={"name": f"{named.text}-1"}),
        Call(tool="shop__plain", arguments={"name": named.text}),
        Call(tool="shop__keyed", arguments={"name": f"{named.text}-2"}),
    ):
        outcome = yield step
        for result in outcome if isinstance(outcome, tuple) else (outcome,):
            assert isinstance(result, Result)
            if not result.ok:
                return Conclusion(text="in part", stopped="error", reason=result.text)
            told.append(result.value)
    return Conclusion(text=json.dumps(told))


class Moments:
    """
    Counts what happens, and dies at one moment.

    Args:
        last: The number of that moment, from 1.
        is_written: It is when the first response to a write has come, of which nothing is kept yet.
    """

    def __init__(self, last: int = 0, *, is_written: bool = False) -> None:
        self.count, self._last, self._is_written = 0, last, is_written

    def __call__(self) -> None:
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, function: Callable[..., object]) -> Callable[..., object]:
        """One moment before and one after."""

        def wrapped(*arguments: object, **named: object) -> object:
            self()
            value = function(*arguments, **named)
            self()
            return value

        return wrapped

    def watch(self, model: Any, transport: Transport) -> Callable[[Request], Response]:
        """What sends, with moments around it, around the model and around what is kept."""
        model.complete = self.around(model.complete)
        JournalSession.append = self.around(JournalSession.append)  # type: ignore[method-assign]

        def send(request: Request) -> Response:
            response = transport(request)
            if self._is_written and request.method == "POST":
                os.kill(os.getpid(), signal.SIGKILL)
            return response

        return self.around(send)  # type: ignore[return-value]


def first_session(journal: Journal) -> str | None:
    """The id of the run that was begun; it may have died before anything of it was kept."""
    return next((session.id for session in journal.sessions()), None)


def in_child(act: Callable[[], object]) -> int:
    """
    Do something in a forked process, and return by which signal it died; 0 for none.

    Nothing that is started by a run, such as a sandbox, is then shared with another run.

    Raises:
        RuntimeError: It failed, and has told why.
    """
    child = os.fork()
    if not child:
        signal.alarm(_LONGEST_S)
        status = 1
        try:
            act()
            status = 0
        except BaseException:  # noqa: BLE001 - the fork must not go on as its parent
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("a forked run failed")
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def ask(
    url: str,
    journal: Journal,
    moments: Moments | None = None,
    *,
    resume: str | None = None,
    human: Human = no_human,
) -> Answer:
    """Run the loop against the server at `url`, or go on with it."""
    model = Echo()
    with Transport() as transport:
        send = moments.watch(model, transport) if moments else transport
        agent = Agent(
            TOOLS,
            model=model,
            send=send,
            connections={"shop": Connection(server=url)},
            policy=ALLOW,
            kind=loop,
            human=human,
        )
        return agent.ask("names", journal=journal, resume=resume)


def opened(place: str) -> Journal:
    """The journal at a place; what has died there leaves no lease for long."""
    if place.startswith("postgresql:"):
        from restwright.agents.journal.postgres.journal import PostgresJournal

        return PostgresJournal(place, lease_s=LEASE_S)
    return open_journal(place)


def left_session(journal: Journal) -> str | None:
    """The run that was begun, once nobody is at it."""
    if (session := first_session(journal)) is None:
        return None
    until = time.monotonic() + _LONGEST_S
    while True:
        try:
            journal.resume(session).release()
        except UnusableSession:
            if time.monotonic() > until:
                raise
            time.sleep(LEASE_S / 5)
        else:
            return session


def die_at(moment: int, url: str, place: str) -> bool:
    """Whether a forked run that was to die at a moment did; one that is kept there goes on."""

    def run() -> None:
        with opened(place) as journal:
            ask(url, journal, Moments(moment), resume=left_session(journal))

    return in_child(run) == signal.SIGKILL


def main(url: str, places: str, again: int) -> None:
    moment = 1
    while die_at(moment, f"{url}/{moment}", place := places.replace("MOMENT", str(moment))):
        if again:
            die_at(again, f"{url}/{moment}", place)
        # A process that has threads, as those of a pool, is not to be forked.
        in_child(partial(go_on, moment, f"{url}/{moment}", place))
        moment += 1


def go_on(moment: int, url: str, place: str) -> None:
    """Go on with the only run that is kept at a place, and print how it ends."""
    with opened(place) as journal:
        (session,) = journal.sessions()
        assert left_session(journal) == session.id
        answer = ask(url, journal, resume=session.id)
    ended = {"stopped": answer.stopped, "reason": answer.reason, "text": answer.text}
    print(json.dumps({"moment": moment, **ended}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
