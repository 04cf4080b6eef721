"""Doors over a small API, on loopback, with loops whose steps a test writes down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import restwright as rw
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Call, Complete, Completion, Conclusion, Message, Step, Steps
from restwright.doors.agents import DocumentAgent
from restwright.doors.doors import create_app, create_doors
from restwright.doors.guard import Guard, list_loopback_hosts
from restwright.doors.runs import RunTable
from restwright.net.http_server import find_address, make_server, open_listener
from restwright.testing import RecordingTransport, ScriptedModel, document, reply

KEY = "key-of-the-door"
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
PATHS: dict[str, Any] = {
    "/films/{id}": {
        "get": {"operationId": "get_film", "parameters": [ID]},
        "delete": {"operationId": "remove_film", "parameters": [ID]},
    },
    "/notes": {
        "post": {
            "operationId": "add_note",
            "requestBody": {"required": True, "content": {"application/json": {"schema": TEXT}}},
        }
    },
}
TOOLS = rw.catalog(rw.load(document(PATHS), alias="tv"))
WORDS = Complete(role="answer", messages=(Message("user", "?"),))
SAID = "The film is called Solaris."


def film(number: int = 7) -> Call:
    return Call(tool="tv__get_film", arguments={"id": number})


def remove(number: int = 7) -> Call:
    return Call(tool="tv__remove_film", arguments={"id": number})


def note(text: str) -> Call:
    return Call(tool="tv__add_note", arguments={"text": text})


def loop_of(*steps: Step) -> Callable[[rw.Agent, str], Steps[Conclusion]]:
    """Make these steps whatever is asked; the last reply of the model is the answer."""

    def loop(agent: rw.Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        text = "done"
        for step in steps:
            outcome = yield step
            text = outcome.text if isinstance(outcome, Completion) else text
        return Conclusion(text=text)

    return loop


@dataclass
class Wire:
    """What went over the wire."""

    send: RecordingTransport = field(
        default_factory=lambda: RecordingTransport(lambda request: reply(200, {"of": request.url}))
    )

    def methods(self) -> list[str]:
        return [request.method for request in self.send.sent]


def agent_of(*steps: Step, wire: Wire | None = None, **settings: Any) -> rw.Agent:
    given: dict[str, Any] = {
        "model": ScriptedModel([SAID] * 500),
        "send": (wire or Wire()).send,
        "kind": loop_of(*steps),
    }
    return rw.Agent(TOOLS, **{**given, **settings})


def door(agent: rw.Agent, name: str = "tv") -> DocumentAgent:
    return DocumentAgent(name=name, make=lambda _: agent, title="Films", description="About films.")


@dataclass
class Running:
    """A server that runs."""

    url: str
    runs: RunTable


@contextmanager
def serving(
    *agents: DocumentAgent,
    runs: RunTable | None = None,
    journal: Journal | None = None,
    person: str = "",
    wrap: Callable[[Any], Any] | None = None,
    **guard: Any,
) -> Generator[Running]:
    """Serve agents on loopback."""
    named: Mapping[str, DocumentAgent] = {agent.name: agent for agent in agents}
    doors = create_doors(lambda: named, runs=runs, journal=journal, person=person)
    with open_listener("127.0.0.1", 0) as listener:
        url, port = find_address(listener)
        app = create_app(doors)
        inner = wrap(app) if wrap else app
        given: dict[str, Any] = {"keys": [KEY], **guard}
        server = make_server(Guard(app=inner, hosts=list_loopback_hosts(port), **given))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Running(url, doors.runs)
        finally:
            server.should_exit = True
            thread.join()
