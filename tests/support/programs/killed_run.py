"""
Runs of real kinds of agents that die where they are told to, and are taken up again.

As a program, `killed_run.py URL FOLDER KIND MOMENTS AGAIN` forks a child for each moment of MOMENTS
(numbers and commas; `all` until a run ends before its moment comes). A moment is whenever something
is kept, sent, received or completed. The child kills itself there (`kill -9`); then the run is
resumed; before that, in another child that dies at its moment AGAIN, unless that is 0. One line of
JSON a moment goes to `ends.jsonl` in FOLDER: what a run has started may outlive it, and would keep
a pipe open.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.support.programs.journaled_run import Moments, first_session, in_child

from restwright.agents.agent import Agent
from restwright.agents.journal.conversations import restore_turn
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.human_input import no_human
from restwright.agents.steps import Answer, Complete, Completion
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.transport import Transport
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.toolset.meta_tools import ToolCall

KINDS = ("rest", "calling", "react", "dfsdt")
QUESTION = "Seal the cask 1 and the cask 2."
CASKS = (1, 2)
CASK: JsonObject = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}
LISTED: JsonObject = {"application/json": {"schema": {"type": "array", "items": CASK}}}
CASK_ID = {"name": "cask_id", "in": "path", "required": True, "schema": {"type": "integer"}}
TOOLS = catalog(
    load(
        document(
            {
                "/casks": {
                    "get": {
                        "operationId": "list_casks",
                        "responses": {"200": {"description": "", "content": LISTED}},
                    }
                },
                "/casks/{cask_id}/seal": {
                    "post": {"operationId": "seal_cask", "parameters": [CASK_ID]}
                },
            }
        ),
        alias="cellar",
    )
)
ENDS = "ends.jsonl"
LAST_ACTIONS = {"reactor": "finish", "decider": "finish"}


@dataclass
class Sealer:
    """
    A model that seals both casks, one after the other, and then says so.

    What it replies depends on the prompt alone, so that it can be asked in the middle of a run.
    """

    name: str = "sealer"
    calls_tools: bool = True
    is_small: bool = True

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply by the role and by what the prompt says of earlier calls."""
        del deadline_s
        text = "\n".join(
            f"{message.text} {[call.arguments for call in message.calls]}"
            for message in request.messages
        )
        if request.tools:
            return self._call(text)
        if request.schema is None:
            return Completion(text="def parse(data):\n    return data")
        replies: dict[str, Callable[[], JsonObject]] = {
            "planner": _plan,
            "selector": lambda: {
                "about": "casks",
                "operation": "list_casks" if "- list_casks" in text else "seal_cask",
                "second": "none",
            },
            "reader": lambda: _read(request.schema or {}),
            "reactor": lambda: _act("reactor", text),
            "decider": lambda: _act("decider", text),
        }
        names: JsonObject = request.schema.get("properties", {})
        is_known = request.role in replies and "tools" not in names
        make = replies[request.role] if is_known else lambda: _fill(names, text)
        return Completion(text=json.dumps(make()))

    def _call(self, text: str) -> Completion:
        left = [one for one in CASKS if not re.search(rf"cask_id\W+{one}\b", text)]
        if not left:
            return Completion(text="Both casks are sealed.")
        call = ToolCall("cellar__seal_cask", {"cask_id": left[0]}, f"call-{left[0]}")
        return Completion(text="", calls=(call,))


def _plan() -> JsonObject:
    find = {"id": 1, "kind": "find", "what": "the casks", "of": [], "quantity": "all"}
    seal = {"id": 2, "kind": "change", "what": "seal #1", "of": [1], "quantity": "all"}
    return {"language": "English", "steps": [find, seal]}


def _read(schema: JsonObject) -> JsonObject:
    things = schema["anyOf"][0]["properties"]["things"]["const"]
    every: JsonObject = {"where": [], "sort": None, "take": None, "give": "things", "fields": []}
    return {"things": things, **every}


def _act(role: str, text: str) -> JsonObject:
    results = text.rpartition("Results:")[2]
    left = [one for one in CASKS if f"seal the cask {one}" not in results]
    if not left:
        return {"thought": "Done.", "operation": LAST_ACTIONS[role], "task": ""}
    return {
        "thought": "Next.",
        "operation": "seal_cask",
        "task": f"seal the cask {left[0]}",
    }


def _fill(names: JsonObject, text: str) -> JsonObject:
    tasks = re.findall(r"Task: seal the cask (\d)", text)
    known: dict[str, Json] = {
        "answer": "Both are sealed.",
        "cask_id": int(tasks[-1]) if tasks else None,
        "tools": [{"reason": "It seals.", "name": "cellar__seal_cask"}],
        "conditions": [],
    }
    return {name: known.get(name) for name in names}


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


def main(url: str, folder: Path, kind: str, moments: str, again: int) -> None:
    picked: Iterable[int] = count(1) if moments == "all" else map(int, moments.split(","))
    for moment in picked:
        name = f"{kind}-{moment}-{again}"
        own, path = f"{url}/{name}", folder / f"{name}.sqlite3"

        def die(at: int, own: str = own, path: Path = path) -> None:
            go_on(kind, own, path, Moments(at))

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
