"""Which operations are offered for a step, and what a small model is asked of them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.support.planned import FittingModel, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.selector import MAX_LISTED_SMALL
from restwright.agents.steps import Complete
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

KINDS = [f"{color}_{thing}" for color in ("red", "blue", "grey") for thing in "abcdefghi"]
CREW: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}}


def listing(name: str, summary: str) -> JsonObject:
    content = {"application/json": {"schema": {"type": "array", "items": CREW}}}
    answers = {"200": {"description": "", "content": content}}
    return {"get": {"operationId": name, "summary": summary, "responses": answers}}


MANY: JsonObject = {
    **{f"/{kind}": listing(f"list_{kind}", f"List lead {kind}") for kind in KINDS},
    "/crew": listing("list_crew", "List the crew"),
}
FOUND = planned({"id": 1, "kind": "find", "what": "the lead", "of": [], "quantity": "one"})
ABOUT = ("about", {"about": "crew of a ship", "else": "sailors"})


def ask(paths: JsonObject, *script: Reply, is_small: bool = True) -> list[Complete]:
    """What a model was asked."""
    model = FittingModel(script, is_small=is_small)
    send = RecordingTransport(lambda one: reply(200, [{"name": "Mara"}]))
    offered = catalog(load(document(paths), alias="port"))
    Agent(offered, model=model, send=send, kind="rest").ask("Who is the lead?")
    return model.asked


def offered_in(request: Complete) -> list[str]:
    assert request.schema is not None
    return list(request.schema["properties"]["operation"]["enum"])


def enum_of(asked: list[Complete], name: str) -> Any:
    request = next(one for one in asked if one.role == "selector")
    assert request.schema is not None
    return request.schema["properties"][name]["enum"]


def test_of_many_operations_those_are_offered_that_a_small_model_describes() -> None:
    assert len(MANY) > MAX_LISTED_SMALL
    ends = (query(fields=["name"]), worded("It is Mara."))
    asked = ask(
        MANY, FOUND, select("none", "list_blue_a"), ABOUT, select("list_crew", "list_blue_a"), *ends
    )
    first, second = (offered_in(one) for one in asked if one.role == "selector")
    assert "list_crew" not in first
    assert "list_crew" in second
    assert len(first) == len(second) == MAX_LISTED_SMALL + 1


def test_of_many_operations_a_small_model_names_a_second_in_any_case() -> None:
    ends = (query(fields=["name"]), worded("It is Mara."))
    asked = ask(MANY, FOUND, select("list_blue_a", "list_blue_b"), *ends)
    assert "none" in enum_of(asked, "operation")
    assert "none" not in enum_of(asked, "second")


def test_few_operations_are_all_offered_and_none_may_be_the_second() -> None:
    few = {path: MANY[path] for path in ("/crew", "/red_a")}
    asked = ask(few, FOUND, select("list_crew"), query(fields=["name"]), worded("It is Mara."))
    assert [one.role for one in asked] == ["planner", "selector", "reader", "answer"]
    assert enum_of(asked, "second") == ["list_red_a", "list_crew", "none"]


def test_a_model_that_is_not_small_is_not_asked_what_an_operation_is_about() -> None:
    asked = ask(MANY, FOUND, select("none"), worded("It was not found."), is_small=False)
    assert "about" not in [one.role for one in asked]
    assert len(enum_of(asked, "operation")) == len(MANY) + 1


def test_a_small_model_creates_by_the_operation_that_needs_no_id() -> None:
    def write(name: str) -> JsonObject:
        return {"operationId": name, "responses": {"201": {"description": ""}}}

    needed = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    paths: JsonObject = {
        "/goals": {"post": write("add_goal")},
        "/goals/{id}": {
            "put": write("put_goal"),
            "post": write("change_goal"),
            "parameters": needed,
        },
        "/notes/{id}": {"put": write("put_note"), "parameters": needed},
    }
    change: JsonObject = {"id": 1, "kind": "change", "effect": "create", "what": "add it"}
    plan = planned({**change, "of": [], "quantity": "one"})

    def offered(*, is_small: bool) -> set[str]:
        asked = ask(paths, plan, select("none"), worded("No."), is_small=is_small)
        return set(enum_of(asked, "operation"))

    assert offered(is_small=True) == {"add_goal", "put_note", "none"}
    # Another model may know the id that it is to have.
    every = {"add_goal", "put_goal", "change_goal", "put_note", "none"}
    assert offered(is_small=False) == every


def test_of_a_change_the_inputs_are_told_that_the_task_names_however_deep() -> None:
    goal: JsonObject = {
        "type": "object",
        "properties": {"player": {"type": "string"}, "minute": {"type": "integer"}},
    }
    body: JsonObject = {"type": "object", "properties": {"data": goal}}
    content = {"application/json": {"schema": body}}
    add = {"operationId": "add_goal", "requestBody": {"content": content}, "responses": {}}
    change: JsonObject = {"id": 1, "kind": "change", "effect": "create", "quantity": "one"}
    plan = planned({**change, "what": "add the goal of the minute 80", "of": []})
    asked = ask({"/goals": {"post": add}}, plan, select("none"), worded("No."))
    shown = next(one.messages[-1].text for one in asked if one.role == "selector")
    assert "- add_goal: POST /goals. Post goals (POST /goals) (minute)\n" in shown


def test_where_things_are_known_their_own_changes_are_offered_first() -> None:
    def removal(name: str, summary: str, *needed: str) -> JsonObject:
        inputs = [
            {"name": one, "in": "path", "required": True, "schema": {"type": "string"}}
            for one in needed
        ]
        answers = {"204": {"description": ""}}
        operation = {"operationId": name, "summary": summary, "responses": answers}
        return {"delete": operation, "parameters": inputs}

    paths: JsonObject = {
        **{f"/{kind}/{{id}}": removal(f"drop_{kind}", "Dismiss all", "id") for kind in KINDS},
        "/crew": listing("list_crew", "List the crew"),
        "/crew/{name}": removal("strike_off", "Strike off", "name"),
    }
    every = {"kind": "find", "what": "the crew", "quantity": "all"}
    change = {"kind": "change", "effect": "delete", "what": "dismiss #1", "quantity": "all"}
    ends = (select("none"), worded("No."))
    asked = ask(paths, planned(every, change), select("list_crew"), query(), *ends)
    last = [one for one in asked if one.role == "selector"][-1:]
    assert enum_of(last, "operation")[0] == "strike_off"
    assert len(enum_of(last, "operation")) == MAX_LISTED_SMALL + 1


def test_a_small_model_is_offered_the_changes_first_of_whose_things_is_spoken() -> None:
    def change(name: str, path: str, method: str = "delete") -> JsonObject:
        inputs = [
            {"name": one, "in": "path", "required": True, "schema": {"type": "string"}}
            for one in re.findall(r"{(\w+)}", path)
        ]
        summary = "Remove the lead of the crew" if "lead" in name else name
        done = {"operationId": name, "summary": summary, "responses": {}, "parameters": inputs}
        return {path: {method: done}}

    paths: JsonObject = {
        **change("remove_lead_badge", "/crews/{crew}/lead/badges/{id}"),
        **change("remove_lead_rank", "/crews/{crew}/lead/rank", "post"),
        **change("close", "/harbour/crews/{crew}"),
    }
    for kind in KINDS:
        paths |= change(f"drop_{kind}", f"/{kind}/{{id}}")
    step: JsonObject = {"kind": "change", "effect": "delete", "what": "remove the lead of the crew"}
    asked = ask(paths, planned(step), select("none"), worded("No."))
    assert enum_of(asked, "operation")[0] == "close"


@pytest.mark.parametrize(
    ("message", "versions"),
    [("Which shelves are there?", {"v1"}), ("Which shelves has v1beta2?", {"v1", "v1beta2"})],
)
def test_what_comes_before_a_stable_version_is_offered_where_it_is_said(
    message: str, versions: set[str]
) -> None:
    done: JsonObject = {"responses": {"200": {"description": ""}}}
    others = {f"/v1/shelves/{place}": {"get": done} for place in range(10)}
    places = {f"/{version}/shelves": {"get": done} for version in ("v1", "v1beta2")}
    # Of this there is no stable one.
    only = {"/v2alpha1/shelves": {"get": done}}
    model = FittingModel(
        [
            planned({"kind": "find", "what": "the shelves", "quantity": "some"}),
            select("none", "v1_shelves"),
            ("about", {"about": "list of shelves", "else": "shelves"}),
            select("none", "v1_shelves_1"),
        ],
        is_small=True,
    )
    api = load(document({**others, **places, **only}), alias="store")
    Agent(catalog(api), model=model, kind="rest").ask(message)
    listed = next(one for one in model.asked if one.role == "selector").messages[-1].text
    shown = {one for one in ("v1", "v1beta2", "v2alpha1") if f"GET /{one}/shelves." in listed}
    assert shown - {"v2alpha1"} == versions
    assert "v2alpha1" in shown or "v1beta2" in versions
