"""What no agent writes, whatever its model chooses: see `agents/runtime/write_guard.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.planned import plan_of

from restwright.agents.agent import Agent
from restwright.agents.runtime.write_guard import is_collection_write
from restwright.agents.steps import (
    Answer,
    ApprovalDecision,
    Approve,
    Call,
    Complete,
    Completion,
    Conclusion,
    Steps,
)
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW, CONFIRM, Policy
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

CASES: list[JsonObject] = json.loads(
    (Path(__file__).parents[2] / "adversarial" / "writes.json").read_text("utf-8")
)
KINDS = ("rest", "calling", "react", "plan", "dfsdt")
STATUSES = (400, 403, 404, 409, 422, 500, 503)
TEXT: JsonObject = {"type": "string"}
THING: JsonObject = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
THINGS: JsonObject = {"type": "array", "items": THING}


def operation(name: str, path: str, *, body: Json = None, gives: Json = None) -> JsonObject:
    parameters = [
        {"name": each, "in": "path", "required": True, "schema": {"type": "integer"}}
        for each in re.findall(r"\{(\w+)\}", path)
    ]
    content = {"application/json": {"schema": {} if gives is None else gives}}
    found: JsonObject = {
        "operationId": name,
        "summary": name.replace("_", " "),
        "parameters": parameters,
        "responses": {"200": {"description": "", "content": content}},
    }
    if body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return found


def api(**of_shop: tuple[str, str, Json]) -> Catalog:
    """A catalog of `{operation id: (method, path, schema of the body)}`."""
    paths: dict[str, dict[str, Json]] = {}
    for name, (method, path, body) in of_shop.items():
        gives = THINGS if name.startswith("list_") else None
        paths.setdefault(path, {})[method] = operation(name, path, body=body, gives=gives)
    return catalog(load(document(paths), alias="shop"))


SHOP = api(
    list_things=("get", "/things", None),
    get_thing=("get", "/things/{id}", None),
    delete_thing=("delete", "/things/{id}", None),
    update_thing=("put", "/things/{id}", THING),
    close_thing=("post", "/things/{id}/close", None),
    add_thing=("post", "/things", THING),
    add_things=("post", "/things/batch", THINGS),
    delete_things=("delete", "/things", None),
    replace_things=("put", "/things", THINGS),
    delete_shelf=("delete", "/shelves/{shelf}", None),
    delete_thing_of_shelf=("delete", "/shelves/{shelf}/things/{id}", None),
    add_note=("post", "/notes", THING),
    delete_me=("delete", "/me", None),
)
OF_ALL = {("DELETE", "/things"), ("PUT", "/things")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_write_on_a_collection_is_known_by_paths_and_parameters(case: JsonObject) -> None:
    own = operation("own", case["path"])
    for name, is_required in case.get("query", {}).items():
        parameter = {"name": name, "in": "query", "required": is_required, "schema": TEXT}
        own["parameters"].append(parameter)
    paths: dict[str, dict[str, Json]] = {case["path"]: {case["method"]: own}}
    if case.get("gives_list"):
        paths[case["path"]]["get"] = operation("list_own", case["path"], gives=THINGS)
    for path, methods in case.get("beside", {}).items():
        for method in methods:
            paths.setdefault(path, {})[method] = operation(f"{method}_item", path)
    found = catalog(load(document(paths), alias="shop"))
    assert is_collection_write(found, CONFIRM, "shop__own") is case["is_of_all"]
    assert not is_collection_write(found, Policy(tools={"own": "ask"}), "shop__own")
    assert (
        is_collection_write(found, Policy(tools={"*": "allow"}), "shop__own") is case["is_of_all"]
    )


@dataclass(slots=True)
class Chooser:
    """
    A model that replies to every schema, and prefers some of what it can choose.

    Args:
        prefers: Names of operations, the most wanted first.
        picks: Numbers that say which of the others it takes, in turn.
    """

    prefers: tuple[str, ...]
    picks: list[int]
    calls_tools: bool = False
    name: str = "chooser"
    is_small: bool = False
    asked: list[Complete] = field(default_factory=list[Complete])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        self.asked.append(request)
        if request.schema is None:
            return Completion(text="def parse(data):\n    return data")
        if "language" in request.schema.get("properties", {}) and request.role == "planner":
            return Completion(text=json.dumps(plan_of("change delete the thing 7")))
        return Completion(text=json.dumps(self._value(request.schema, request.schema)))

    def _pick(self) -> int:
        self.picks.append(self.picks.pop(0))
        return self.picks[-1]

    def _one_of(self, values: list[Any]) -> Any:
        for wanted in self.prefers:
            if found := [each for each in values if wanted == str(each).removeprefix("shop__")]:
                return found[0]
        return values[self._pick() % len(values)]

    def _value(self, schema: Any, root: JsonObject) -> Any:
        if "$ref" in schema:
            return self._value(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._one_of(schema["enum"])
        if kinds := schema.get("anyOf") or schema.get("oneOf"):
            return self._value(self._kind(kinds), root)
        kind = schema.get("type", "string")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object":
            own = schema.get("properties", {})
            return {name: self._value(each, root) for name, each in own.items()}
        if kind == "array":
            count = min(schema.get("maxItems", 2), 2)
            return [self._value(schema.get("items", {}), root) for _ in range(count)]
        return {"integer": 7, "number": 7, "boolean": True, "null": None}.get(kind, "Red")

    def _kind(self, kinds: list[Any]) -> Any:
        """One of the calls that can be made, or another alternative."""
        names = {
            str(each["properties"]["tool"]["const"]): each
            for each in kinds
            if "tool" in each.get("properties", {})
        }
        return names[self._one_of([*names])] if names else kinds[0]


@dataclass(slots=True)
class Server:
    """An API whose writes fail, with one status after the other."""

    statuses: list[int]
    written: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failed_at: int | None = None

    def __call__(self, request: Request) -> Response:
        path = urlsplit(request.url).path
        if request.method == "GET":
            things = [{"id": 7, "name": "Red"}, {"id": 8, "name": "Blue"}]
            return reply(200, things if path == "/things" else things[0])
        self.written.append((request.method, path))
        self.statuses.append(self.statuses.pop(0))
        status = self.statuses[-1]
        if status >= 400 and self.failed_at is None:
            self.failed_at = len(self.written) - 1
        return reply(status, {"error": "Use another operation."})

    def after_failure(self) -> tuple[tuple[str, str], list[tuple[str, str]]]:
        """The first write that failed, and what was written after it and is another one."""
        if self.failed_at is None:
            return ("", ""), []
        failed = self.written[self.failed_at]
        return failed, [each for each in self.written[self.failed_at + 1 :] if each != failed]


def about(written: tuple[str, str]) -> set[str]:
    return {*re.findall(r"[a-z]+", written[1])}


def ask(kind: str, model: Chooser, server: Server, policy: Policy = CONFIRM) -> Answer:
    send = RecordingTransport(server)
    agent = Agent(SHOP, model=model, send=send, kind=kind, approve=approve_all, policy=policy)
    return agent.ask("Delete the thing 7.")


WRITES = tuple(
    name.removeprefix("shop__") for name in SHOP.names if SHOP[name].operation.method != "get"
)
PICKS = st.lists(st.integers(0, 40), min_size=5, max_size=5)
FAILING = st.lists(st.sampled_from((200, *STATUSES)), min_size=1, max_size=4)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None)
@given(prefers=st.lists(st.sampled_from(WRITES), max_size=3), picks=PICKS, statuses=FAILING)
def test_no_other_write_takes_the_place_of_one_that_failed(
    kind: str, prefers: list[str], picks: list[int], statuses: list[int]
) -> None:
    model, server = Chooser(tuple(prefers), picks), Server(statuses)
    ask(kind, model, server)
    failed, others = server.after_failure()
    # With `calling`, what was chosen before and is about something else was asked for as well.
    assert not (
        others if kind != "calling" else [each for each in others if about(failed) & about(each)]
    )
    assert not OF_ALL.intersection(server.written)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", [CONFIRM, ALLOW, Policy(tools={"*": "allow"})])
def test_a_write_on_a_collection_is_never_chosen_for_an_item(kind: str, policy: Policy) -> None:
    prefers = ("delete_things", "replace_things", "delete_thing")
    server = Server([200])
    ask(kind, Chooser(prefers, [0]), server, policy)
    assert not OF_ALL.intersection(server.written)


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_on_a_collection_that_the_policy_names_can_be_chosen(kind: str) -> None:
    server = Server([200])
    policy = Policy(tools={"delete_things": "ask"})
    ask(kind, Chooser(("delete_things",), [0]), server, policy)
    assert ("DELETE", "/things") in server.written


def made(
    *calls: tuple[str, JsonObject], policy: Policy = CONFIRM, statuses: Mapping[str, int]
) -> tuple[list[str], list[tuple[str, str]]]:
    """What came of calls that a loop of somebody's own makes, and what was written."""
    kinds: list[str] = []

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        for name, arguments in calls:
            result = yield Call(tool=f"shop__{name}", arguments=arguments)
            assert isinstance(result, Result)
            kinds.append(result.kind)
        return Conclusion(text="")

    def answer(request: Request) -> Response:
        written.append((request.method, urlsplit(request.url).path))
        return reply(statuses.get(written[-1][1], 200), {})

    written: list[tuple[str, str]] = []
    Agent(
        SHOP,
        model=ScriptedModel([]),
        send=RecordingTransport(answer),
        kind=loop,
        approve=approve_all,
        policy=policy,
    ).ask("Delete the thing 7.")
    return kinds, written


def test_a_list_says_which_items_of_a_collection_are_written() -> None:
    ids = {"type": "object", "properties": {"ids": {"type": "array", "items": TEXT}}}
    found = api(delete_things=("delete", "/things", ids), get_thing=("get", "/things/{id}", None))
    own = found, CONFIRM, "shop__delete_things"
    assert not is_collection_write(*own)
    assert not is_collection_write(*own, {"ids": ["7"]})
    assert is_collection_write(*own, {"ids": []})
    assert is_collection_write(*own, {})


OTHERS: Mapping[str, tuple[str, JsonObject]] = {
    "another item": ("delete_thing", {"id": 8}),
    "another operation on the item": ("close_thing", {"id": 7}),
    "the collection": ("add_thing", {"name": "Red"}),
    "a batch": ("add_things", {"body": [{"name": "Red"}]}),
    "the item by another path": ("delete_thing_of_shelf", {"shelf": 1, "id": 7}),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_loop_of_somebodys_own_replaces_no_write_either(other: tuple[str, JsonObject]) -> None:
    kinds, written = made(("delete_thing", {"id": 7}), other, statuses={"/things/7": 404})
    assert kinds == ["http_error", "refused"]
    assert written == [("DELETE", "/things/7")]


def test_a_write_is_made_again_with_other_arguments_and_then_others_are_made() -> None:
    update = ("update_thing", {"id": 7, "name": "Red"})
    answers = iter([422, 200])

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        for name, arguments in (update, update, ("close_thing", {"id": 7})):
            result = yield Call(tool=f"shop__{name}", arguments=arguments)
            assert isinstance(result, Result)
            kinds.append(result.kind)
        return Conclusion(text="")

    kinds: list[str] = []
    send = RecordingTransport(lambda _: reply(next(answers, 200), {}))
    Agent(SHOP, model=ScriptedModel([]), send=send, kind=loop, approve=approve_all).ask("Close 7.")
    assert kinds == ["http_error", "ok", "ok"]


def test_what_is_about_something_else_is_written_after_a_failure() -> None:
    note = ("add_note", {"name": "Red"})
    kinds, _ = made(("delete_thing", {"id": 7}), note, statuses={"/things/7": 404})
    assert kinds == ["http_error", "ok"]


def test_after_a_write_on_all_was_refused_items_can_be_written() -> None:
    kinds, written = made(("delete_things", {}), ("delete_thing", {"id": 7}), statuses={})
    assert kinds == ["refused", "ok"]
    assert written == [("DELETE", "/things/7")]


def test_who_asks_whether_to_write_to_a_collection_is_told_no() -> None:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        said = yield Approve(tool="shop__delete_things", arguments={})
        assert isinstance(said, ApprovalDecision)
        return Conclusion(text=said.why)

    answer = Agent(SHOP, model=ScriptedModel([]), kind=loop, approve=approve_all).ask("Delete 7.")
    assert "changes all of /things" in answer.text


def test_calling_makes_no_write_after_a_failure_that_was_not_chosen_before() -> None:
    tools = [{"reason": "", "name": "shop__delete_thing"}]
    call = {"calls": [{"tool": "shop__delete_thing", "arguments": {"id": 7}}]}
    note = {"calls": [{"tool": "shop__add_note", "arguments": {"name": "Red"}}]}
    script = [{"tools": tools, "answer": ""}, call, note, {"calls": []}, {"answer": "No."}]
    send = RecordingTransport(lambda _: reply(404, {}))
    model = ScriptedModel(script)
    agent = Agent(SHOP, model=model, send=send, kind="calling", approve=approve_all)
    answer = agent.ask("Delete the thing 7.")
    assert [each.method for each in send.sent] == ["DELETE"]
    assert "shop__add_note" in answer.text
