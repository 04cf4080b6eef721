"""A model that seals and labels casks of a cellar, by agents of several kinds, and their API."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.support.kills.counting_server import CASKS

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.toolset.meta_tools import ToolCall

_CASK: JsonObject = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}
_LISTED: JsonObject = {"application/json": {"schema": {"type": "array", "items": _CASK}}}
_KEY = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}


def _in_path(name: str) -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}


API = document(
    {
        "/cellars/{cellar}/casks": {
            "get": {
                "operationId": "list_casks",
                "parameters": [_in_path("cellar")],
                "responses": {"200": {"description": "", "content": _LISTED}},
            }
        },
        "/cellars/{cellar}/casks/{cask_id}/seal": {
            "post": {
                "operationId": "seal_cask",
                "parameters": [_in_path("cellar"), _in_path("cask_id")],
            }
        },
        "/cellars/{cellar}/casks/{cask_id}/label": {
            "post": {
                "operationId": "label_cask",
                "parameters": [_in_path("cellar"), _in_path("cask_id"), _KEY],
            }
        },
    }
)
TOOLS = catalog(load(API, alias="cellar"))
_FINISH = "finish"


def question(cellar: int, *, labels: bool = False, together: bool = False) -> str:
    """What is asked; to be done by calls of one reply where a model can make several."""
    words = f"Seal the casks 1 and 2 of the cellar {cellar}."
    return words + (" Label them too." if labels else "") + (" All at once." if together else "")


@dataclass
class Sealer:
    """
    A model that seals both casks, one after the other, labels them if told so, and says so.

    What it replies depends on the prompt alone, so that it can be asked in the middle of a run.

    Args:
        slowest_s: Up to how long it thinks.
        on_request: Told that it is asked.
    """

    name: str = "sealer"
    calls_tools: bool = True
    is_small: bool = True
    slowest_s: float = 0.0
    on_request: Callable[[], None] = lambda: None

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply by the role and by what the prompt says of earlier calls."""
        del deadline_s
        self.on_request()
        if self.slowest_s:
            time.sleep(random.uniform(0, self.slowest_s))  # noqa: S311 - no secret
        text = "\n".join(message.text for message in request.messages)
        if request.tools:
            return _call(text)
        if request.schema is None:
            return Completion(text="def parse(data):\n    return data")
        replies: dict[str, Callable[[], JsonObject]] = {
            "names": lambda: {"names": []},
            "intent": lambda: {"wants": "a change"},
            "condition": lambda: {"wants": "a change"},
            "planner": lambda: _plan(text),
            "selector": lambda: _select(request.schema or {}),
            "reader": lambda: _read(request.schema or {}),
            "reactor": lambda: _act(text),
            "decider": lambda: _act(text),
        }
        names: JsonObject = request.schema.get("properties", {})
        is_known = request.role in replies and "tools" not in names
        make = replies[request.role] if is_known else lambda: _fill(names, text)
        return Completion(text=json.dumps(make()))


def _verbs(text: str) -> tuple[str, ...]:
    return ("seal", "label") if "Label them" in text else ("seal",)


def _cellar(text: str) -> int:
    return int(re.findall(r"cellar (\d+)", text)[-1])


def _call(text: str) -> Completion:
    cellar = _cellar(text)
    wanted: list[tuple[str, JsonObject]] = [
        (f"{verb}_cask", {"cellar": cellar, "cask_id": cask})
        for verb in _verbs(text)
        for cask in CASKS
    ]
    if is_together := "All at once" in text:
        wanted = [("list_casks", {"cellar": cellar})] * 3 + wanted
    left = [
        ToolCall(f"cellar__{name}", arguments, f"call-{number}")
        for number, (name, arguments) in enumerate(wanted)
        if _shown(name, arguments) not in text
    ]
    if not left:
        return Completion(text="Both casks are sealed.")
    return Completion(text="", calls=tuple(left if is_together else left[:1]))


def _shown(name: str, arguments: JsonObject) -> str:
    """How a prompt tells of a call that was made."""
    said = json.dumps(arguments, separators=(",", ":"))
    return f'<data from="cellar__{name}">\narguments: {said}'


def _plan(text: str) -> JsonObject:
    find: JsonObject = {"id": 1, "kind": "find", "what": "the casks", "of": [], "quantity": "all"}
    changes = [
        {"id": 2 + number, "kind": "change", "what": f"{verb} #1", "of": [1], "quantity": "all"}
        for number, verb in enumerate(_verbs(text))
    ]
    return {"language": "English", "steps": [find, *changes]}


def _select(schema: JsonObject) -> JsonObject:
    offered = schema["properties"]["operation"]["enum"]
    name = next(name for name in ("list_casks", "seal_cask", "label_cask") if name in offered)
    return {"about": "casks", "operation": name, "second": "none"}


def _read(schema: JsonObject) -> JsonObject:
    things = schema["anyOf"][0]["properties"]["things"]["const"]
    every: JsonObject = {"where": [], "sort": None, "take": None, "give": "things", "fields": []}
    return {"things": things, **every}


def _act(text: str) -> JsonObject:
    results = text.rpartition("Results:")[2]
    tasks = [(verb, f"{verb} the cask {cask}") for verb in _verbs(text) for cask in CASKS]
    left = [(verb, task) for verb, task in tasks if task not in results]
    if not left:
        return {"thought": "Done.", "operation": _FINISH, "task": ""}
    verb, task = left[0]
    told = f"{task} of the cellar {_cellar(text)}"
    return {"thought": "Next.", "operation": f"{verb}_cask", "task": told}


def _fill(names: JsonObject, text: str) -> JsonObject:
    tasks = re.findall(r"Task: \w+ the cask (\d)", text)
    known: dict[str, Json] = {
        "answer": "Both are sealed.",
        "cask_id": int(tasks[-1]) if tasks else None,
        "cellar": _cellar(text) if "cellar" in names else None,
        "tools": [
            {"reason": f"It can {verb}.", "name": f"cellar__{verb}_cask"} for verb in _verbs(text)
        ],
        "conditions": [],
    }
    return {name: known.get(name) for name in names}
