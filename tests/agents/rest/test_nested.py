"""Things inside of others: their names, their ids, and what a write keeps of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.plan import find_plan_fault, is_as_careful, read_plan
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
PORT: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
BERTH: JsonObject = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "name": TEXT,
        "depth_in_metres": {"type": "number"},
        "lock_mode": {"type": "string", "enum": ["by_hand", "by_magnet"]},
        "port": {"type": "object", "properties": {"id": TEXT}},
    },
}
PORTS: list[JsonObject] = [{"id": "p-1", "name": "Elba"}, {"id": "p-2", "name": "Faro"}]
BERTHS: list[JsonObject] = [
    {"id": "b-1", "name": "East", "depth_in_metres": 7.5, "lock_mode": "by_hand"},
    {"id": "b-2", "name": "West", "depth_in_metres": 9.1, "lock_mode": "by_hand"},
]


def listed(item: JsonObject) -> JsonObject:
    schema = {"type": "object", "properties": {"data": {"type": "array", "items": item}}}
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def given(name: str, place: str = "path") -> JsonObject:
    return {"name": name, "in": place, "required": place == "path", "schema": TEXT}


CRANE: JsonObject = {"type": "object", "properties": {"label": TEXT, "uuid": TEXT}}
CRANES: list[JsonObject] = [{"label": "Olm", "uuid": "6f1c"}, {"label": "Kite", "uuid": "77ab"}]
CHANGED: JsonObject = {
    "type": "object",
    "properties": {"name": TEXT, "lock_mode": TEXT, "lit": {"type": "boolean"}},
}
NEW: JsonObject = {
    "type": "object",
    "properties": {"name": TEXT, "lock_mode": TEXT, "has_roof": {"type": "boolean"}},
}
TAKEN: JsonObject = {"required": True, "content": {"application/json": {"schema": NEW}}}
NOTE: JsonObject = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "object", "properties": {"text": TEXT}}},
    },
}
DONE: JsonObject = {"201": {"description": ""}}
PATHS: JsonObject = {
    "/cranes.json": {"get": {"operationId": "list_cranes", "responses": listed(CRANE)}},
    "/cranes/{craneId}.json": {
        "delete": {
            "operationId": "scrap_crane",
            "parameters": [given("craneId")],
            "responses": {"204": {"description": ""}},
        }
    },
    "/ports": {"get": {"operationId": "list_ports", "responses": listed(PORT)}},
    "/ports/{port}/berths": {
        "get": {
            "operationId": "list_berths",
            "parameters": [given("port"), given("sort", "query")],
            "responses": listed(BERTH),
        },
        "post": {
            "operationId": "add_berth",
            "parameters": [given("port")],
            "requestBody": TAKEN,
            "responses": DONE,
        },
    },
    "/ports/{port}/notes": {
        "post": {
            "operationId": "leave_note",
            "parameters": [given("port")],
            "requestBody": NOTE,
            "responses": DONE,
        }
    },
    "/ports/{port}/berths/order": {
        "post": {
            "operationId": "order_berths",
            "parameters": [given("port"), given("first", "query")],
            "responses": DONE,
        }
    },
    "/ports/{port}/berths/{id}": {
        "get": {
            "operationId": "get_berth",
            "parameters": [given("port"), given("id")],
            "responses": {
                "200": {"description": "", "content": {"application/json": {"schema": BERTH}}}
            },
        },
        "put": {
            "operationId": "change_berth",
            "parameters": [given("port"), given("id")],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": CHANGED}},
            },
            "responses": {"200": {"description": ""}},
        },
        "delete": {
            "operationId": "close_berth",
            "parameters": [given("port"), given("id")],
            "responses": {"204": {"description": ""}},
        },
    },
}


MODES = ["by_hand", "by_magnet"]


def serve(
    request: Request,
    ports: Sequence[JsonObject] = PORTS,
    berths: Sequence[JsonObject] = BERTHS,
) -> Response:
    if request.method == "DELETE":
        return reply(204)
    if request.method == "POST":
        return reply(201, {})
    path = unquote(urlsplit(request.url).path)
    found: dict[str, Json] = {
        "/cranes.json": {"data": [*CRANES]},
        "/ports": {"data": [*ports]},
        "/ports/p-1/berths": {"data": [*berths]},
        **{f"/ports/p-1/berths/{one['id']}": one for one in berths},
    }
    if path not in found:
        return reply(404, {})
    is_write = request.method in {"PUT", "PATCH"}
    return reply(200, json.loads(request.body or b"{}") if is_write else found[path])


def ask(
    question: str,
    *script: Reply,
    ports: Sequence[JsonObject] = PORTS,
    berths: Sequence[JsonObject] = BERTHS,
) -> tuple[Answer, FittingModel, list[Request]]:
    """The answer of a small model, what it was asked, and what was sent."""
    model = FittingModel(script, is_small=True)
    send = RecordingTransport(lambda request: serve(request, ports, berths))
    agent = Agent(
        catalog(load(document(PATHS), alias="sea")),
        model=model,
        send=send,
        approve=approve_all,
        kind="rest",
    )
    answer = agent.ask(question)
    return answer, model, list(send.sent)


def paths(sent: list[Request]) -> list[str]:
    return [f"{one.method} {unquote(urlsplit(one.url).path)}" for one in sent]


def find(what: str, **parts: Any) -> JsonObject:
    return {"id": 1, "kind": "find", "what": what, "of": [], "quantity": "one", **parts}


def test_of_a_name_inside_a_name_each_is_looked_up_in_what_the_other_gave() -> None:
    answer, _, sent = ask(
        "How deep is the berth “West” of the port “Elba”?",
        planned(find("the depth of the berth “West” of the port “Elba”")),
        select("get_berth"),
        query("whole", fields=["depth_in_metres"]),
        worded("It is 9.1 m deep."),
    )
    assert answer.stopped == "answered"
    assert paths(sent)[-2:] == ["GET /ports/p-1/berths", "GET /ports/p-1/berths/b-2"]


def test_the_id_of_a_thing_is_not_taken_for_that_of_what_it_is_in() -> None:
    step = {"id": 2, "kind": "change", "effect": "delete", "what": "close #1", "of": [1]}
    _, _, sent = ask(
        "Close all berths of the port “Elba”.",
        planned(find("the berths of the port “Elba”", quantity="all"), {**step, "quantity": "all"}),
        select("list_berths"),
        query("data", fields=["name"]),
        select("close_berth"),
        worded("They are closed."),
    )
    deleted = [path for path in paths(sent) if path.startswith("DELETE")]
    assert deleted == ["DELETE /ports/p-1/berths/b-1", "DELETE /ports/p-1/berths/b-2"]


def test_a_thing_without_an_id_is_known_by_its_uuid_and_a_path_may_say_its_form() -> None:
    step = {"id": 1, "kind": "change", "effect": "delete", "of": [], "quantity": "one"}
    _, _, sent = ask(
        "Scrap the crane “Kite”.",
        planned({**step, "what": "scrap the crane “Kite”"}),
        select("scrap_crane"),
        filled(craneId="Kite"),
        worded("It is scrapped."),
    )
    assert paths(sent) == ["GET /cranes.json", "DELETE /cranes/77ab.json"]


@pytest.mark.parametrize(
    ("written", "body"),
    [
        ("by_motor", {"name": "West", "lock_mode": "by_motor"}),
        ("electric", None),
    ],
    ids=["in the spelling of the API", "not said at all"],
)
def test_a_replaced_thing_has_nothing_in_the_place_of_what_was_asked_for(
    written: str, body: JsonObject | None
) -> None:
    step = {"id": 1, "kind": "change", "effect": "update", "of": [], "quantity": "one"}
    answer, _, sent = ask(
        "Let the berth b-2 of the port p-1 be locked by motor.",
        planned({**step, "what": "lock the berth b-2 of the port p-1 by motor"}),
        select("change_berth"),
        filled(port="p-1", id="b-2", lock_mode=written),
        *([] if body is None else [worded("It is locked by motor.")]),
    )
    put = [json.loads(one.body or b"null") for one in sent if one.method == "PUT"]
    assert put == ([] if body is None else [body])
    assert ("Not done" in answer.text) == (body is None)


def test_an_argument_that_chooses_nothing_makes_the_response_of_nothing() -> None:
    answer, model, _ = ask(
        "How deep is the berth “North” of the port p-1?",
        planned(find("the depth of the berth “North” of the port p-1")),
        select("list_berths"),
        filled(sort="North"),
        select("none"),
    )
    assert [one.role for one in model.asked][-2:] == ["caller", "selector"]
    assert answer.text.startswith("Not found: the depth of the berth “North”")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("the narrow berths", False),
        ("the berths in the lock mode by_hand", True),
        ("the berths locked by the hands of people", True),
    ],
)
def test_a_test_that_nobody_spoke_of_is_told_with_the_answer(asked: str, said: bool) -> None:
    modes = [{**BERTHS[0]}, {**BERTHS[1], "lock_mode": "by_magnet"}]
    answer, _, _ = ask(
        f"How many are {asked} of the port p-1?",
        planned({**find(f"how many are {asked} of the port p-1"), "quantity": "number"}),
        select("list_berths"),
        query(
            "data",
            give="number",
            where=[{"field": "lock_mode", "is": "=", "value": "by_hand"}],
        ),
        worded("There is 1."),
        berths=modes,
    )
    assert answer.text == "There is 1." + ("" if said else "\n(lock_mode = by_hand is assumed)")


def test_what_an_earlier_step_took_for_granted_is_told_with_the_answer() -> None:
    modes = [{**BERTHS[0]}, {**BERTHS[1], "lock_mode": "by_magnet"}]
    answer, _, _ = ask(
        "How deep is the narrow berth of the port p-1?",
        planned(
            find("the narrow berth of the port p-1"),
            find("how deep #1 is", id=2, of=[1]),
        ),
        select("list_berths"),
        query("data", where=[{"field": "lock_mode", "is": "=", "value": "by_hand"}]),
        select("known"),
        query("whole", fields=["depth_in_metres"]),
        worded("The berth East is 7.5 deep."),
        berths=modes,
    )
    assert answer.text == "The berth East is 7.5 deep.\n(lock_mode = by_hand is assumed)"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("has the highest “depth in metres”", ""),
        ("takes the largest ships", "\n(the highest depth_in_metres is taken for it)"),
    ],
    ids=["a quoted field", "no word of the field"],
)
def test_a_field_that_things_are_chosen_by_is_told_where_nobody_named_it(
    asked: str, told: str
) -> None:
    answer, _, _ = ask(
        f"Which berth of the port p-1 {asked}?",
        planned(find(f"the berth of the port p-1 that {asked}")),
        select("list_berths"),
        query(
            "data",
            fields=["name", "depth_in_metres"],
            sort={"by": "depth_in_metres", "first": "highest"},
            take=1,
        ),
        worded("The berth West, with 9.1."),
    )
    assert answer.text == f"The berth West, with 9.1.{told}"


def test_a_period_is_one_that_the_step_speaks_of() -> None:
    berths, calls = find("the deepest berth"), find("calls of last week", id=2)
    steps = [
        {**berths, "period": "today"},
        {**calls, "period": "last week"},
        {**berths, "id": 3, "period": "yesterday"},
    ]
    plan = read_plan({"language": "English", "steps": steps})
    assert [(step.what, step.period) for step in plan.steps] == [
        ("the deepest berth", ""),
        ("calls of last week", "last week"),
    ]


def test_a_step_does_not_need_itself() -> None:
    steps = [find("the depths of the berths “East” and “West”"), find("the deeper one", id=2)]
    steps[1] |= {"kind": "answer", "of": [1, 2]}
    reply: JsonObject = {"language": "English", "steps": steps}
    assert not find_plan_fault(reply, "")
    assert read_plan(reply).steps[1].of == (1,)


@pytest.mark.parametrize("limit", [8, 12])
def test_what_a_change_depends_on_in_its_own_words_is_found_first(limit: int) -> None:
    change = {"id": 1, "kind": "change", "effect": "delete", "of": [], "quantity": "one"}
    condition = {"step": 1, "is": f"over {limit}", "holds": True}
    what = f"close the berth “West” of the port “Elba” if its depth is over {limit}"
    is_met = limit == 8
    answer, _, sent = ask(
        f"Close the berth “West” of the port “Elba” if its depth is over {limit}.",
        planned({**change, "what": what, "condition": condition}),
        select("get_berth"),
        query(
            "whole",
            give="yes or no",
            where=[{"field": "depth_in_metres", "is": ">", "value": limit}],
        ),
        *([select("close_berth"), filled(port="Elba", id="West")] if is_met else []),
        worded("It is closed." if is_met else "It stays open."),
    )
    closed = [path for path in paths(sent) if path.startswith("DELETE")]
    assert closed == (["DELETE /ports/p-1/berths/b-2"] if is_met else [])
    assert answer.stopped == "answered"


def test_a_plan_that_is_asked_for_again_changes_what_the_first_does() -> None:
    change = {"id": 1, "kind": "change", "effect": "delete", "of": [], "quantity": "one"}
    answer, _, sent = ask(
        "Scrap the “crane” “Kite”.",
        planned({**change, "what": "scrap “Kite”"}),
        planned(find("the crane “Kite”")),
        select("scrap_crane"),
        filled(craneId="Kite"),
        worded("It is scrapped."),
    )
    assert answer.text == "It is scrapped.\n(in no step of the plan: crane)"
    assert paths(sent)[-1] == "DELETE /cranes/77ab.json"


def test_an_answer_that_only_says_what_was_asked_gives_way_to_the_facts() -> None:
    change = {"id": 1, "kind": "change", "effect": "delete", "of": [], "quantity": "one"}
    answer, model, _ = ask(
        "Please scrap the crane “Kite”.",
        planned({**change, "what": "scrap the crane “Kite”"}),
        select("scrap_crane"),
        filled(craneId="Kite"),
        worded("Scrap the crane “Kite”."),
        worded("Please scrap the crane “Kite”!"),
    )
    assert "that only says what was asked" in model.asked[-1].messages[-1].text
    assert answer.text == "- scrap the crane “Kite”: done"


def added(what: str, **parts: Any) -> Reply:
    change = {"id": 1, "kind": "change", "effect": "create", "of": [], "quantity": "one"}
    return planned({**change, "what": what, **parts})


def bodies(sent: list[Request]) -> list[Any]:
    return [json.loads(one.body) for one in sent if one.method == "POST" and one.body]


@pytest.mark.parametrize("quantity", ["one", "some"])
def test_what_is_created_may_be_said_by_the_words_of_its_properties(quantity: str) -> None:
    what = "add to the port “Elba” a berth: “name” “North”, “lock mode” “by_hand”, “has roof” no"
    answer, _, sent = ask(
        f"Please {what}.",
        added(what, quantity=quantity),
        select("add_berth"),
        filled(port="Elba", name="North", lock_mode="by_hand", has_roof=False),
        worded("It is added."),
    )
    assert answer.stopped == "answered"
    assert bodies(sent) == [{"name": "North", "lock_mode": "by_hand", "has_roof": False}]


def test_where_an_operation_has_no_place_for_what_was_said_another_is_chosen() -> None:
    what = "add to the port “Elba” a berth: “name” “North”"
    answer, _, sent = ask(
        f"Please {what}.",
        added(what),
        select("order_berths"),
        filled(port="Elba", first="North"),
        select("add_berth"),
        filled(port="Elba", name="North"),
        worded("It is added."),
    )
    assert answer.stopped == "answered"
    assert bodies(sent) == [{"name": "North"}]
    assert [path for path in paths(sent) if "POST" in path] == ["POST /ports/p-1/berths"]


@pytest.mark.parametrize("written", ["by_magnet", "locked"], ids=["made up", "translated"])
def test_a_thing_is_created_without_what_the_model_has_made_up(written: str) -> None:
    english = "Add a locked berth to the port \u2018N1\u2019: name \u2018N2\u2019."
    is_made_up = written == "by_magnet"
    answer, model, sent = ask(
        "Füge dem Hafen „Elba“ einen verschlossenen Liegeplatz hinzu: Name „North“.",
        ("translator", {"language": "German", "english": english}),
        added("add a locked berth to the port “Elba”: name “North”"),
        select("add_berth"),
        filled(port="Elba", name="North", lock_mode=written),
        *([worded("„North“ ist da.")] if is_made_up else []),
    )
    assert bodies(sent) == ([{"name": "North"}] if is_made_up else [])
    assert (answer.stopped == "answered") is is_made_up
    left = "lock_mode 'by_magnet' was neither said nor found, and is left out"
    assert (left in model.asked[-1].messages[-1].text) is is_made_up


def test_what_has_no_id_is_not_read_once_more_with_other_arguments() -> None:
    answer, _, sent = ask(
        "Which berths has the port “Nowhere”?",
        planned(find("the berths of the port “Nowhere”", quantity="all")),
        select("list_berths"),
        filled(port="Nowhere"),
        select("none"),
    )
    assert paths(sent) == ["GET /ports", "GET /ports/Nowhere/berths"]
    assert answer.stopped != "answered"


@pytest.mark.parametrize(
    ("ports", "what", "why"),
    [
        ([*PORTS, {"id": "p-3", "name": "elba"}], "of the port “Elba”", "two are called so"),
        (PORTS, "of the ports “Elba” and “Faro”", "two names are there"),
        (
            [{"id": "p-1", "name": "Faro", "sea": "Elba"}, {"id": "p-2", "name": "Olm"}],
            "of “Elba”",
            "it is a value, and no name",
        ),
    ],
    ids=["two things", "two names", "a value"],
)
def test_a_name_that_says_not_which_thing_is_left_to_the_model(
    ports: list[JsonObject], what: str, why: str
) -> None:
    _, model, sent = ask(
        f"Which berths {what} are there?",
        planned(find(f"the berths {what}", quantity="all")),
        select("list_berths"),
        filled(port="p-1"),
        filled(sort=None),
        select("none"),
        ports=ports,
    )
    assert "caller" in [one.role for one in model.asked], why
    assert paths(sent)[:2] == ["GET /ports", "GET /ports/p-1/berths"], why


def test_what_a_plan_leaves_out_is_not_looked_for() -> None:
    left: JsonObject = {"except": ["Elba"]}
    change = {"id": 2, "kind": "change", "effect": "delete", "what": "close #1", "of": [1]}
    _, _, sent = ask(
        "Close the berths of the ports other than “Elba”.",
        planned(
            find("the berths of the ports other than “Elba”", quantity="all", **left),
            {**change, "quantity": "all", **left},
        ),
        select("list_berths"),
        filled(port=None),
        ("lookup", {"kind": "port", "which": "the others", "name": None}),
        query("data", fields=["name"]),
        select("none"),
        select("none"),
    )
    assert not [path for path in paths(sent) if path.startswith("DELETE")]


@pytest.mark.parametrize(
    ("message", "is_found"),
    [("Which ports have “no” lock?", False), ("Which ports lack a lock?", True)],
    ids=["said", "the plan's own"],
)
def test_a_name_that_only_the_plan_has_is_not_held_to_responses(
    message: str, is_found: bool
) -> None:
    found = [planned(find("the ports with a lock of “no”", quantity="all"))]
    ends = [query("data", fields=["name"]), worded("Elba and Faro.")] if is_found else []
    answer, _, _ = ask(
        message,
        *(found * (2 if is_found else 1)),
        select("list_ports"),
        *(ends or [select("none")]),
    )
    assert ("Not found" in answer.text) is not is_found


def test_each_of_several_changes_is_told_with_the_name_of_its_own_thing() -> None:
    change = {"id": 2, "kind": "change", "effect": "delete", "what": "close #1", "of": [1]}
    _, model, _ = ask(
        "Close all berths of the port “Elba”.",
        planned(
            find("the berths of the port “Elba”", quantity="all"), {**change, "quantity": "all"}
        ),
        select("list_berths"),
        query("data", fields=["name"]),
        select("close_berth"),
        worded("They are closed."),
    )
    shown = model.asked[-1].messages[-1].text
    done = [line for line in shown.splitlines() if line.endswith(": done")]
    assert ["East" in done[0], "West" in done[1], len(done)] == [True, True, 2]


@pytest.mark.parametrize("name", ["name", "Name"])
def test_the_name_of_an_input_is_no_value_of_it(name: str) -> None:
    answer, _, sent = ask(
        "Add to the port “Elba” a berth: “name” “North”.",
        added("add to the port “Elba” a berth: “name” “North”"),
        select("add_berth"),
        filled(port="Elba", name=name, lock_mode="North"),
    )
    assert bodies(sent) == []
    assert answer.stopped != "answered"


@pytest.mark.parametrize(
    ("careful", "is_taken"), [({}, False), ({"condition": True}, True)], ids=["not", "so"]
)
def test_a_plan_that_is_written_again_keeps_what_limits_a_change(
    careful: JsonObject, is_taken: bool
) -> None:
    condition = {"condition": {"step": 1, "is": "by hand", "holds": True}}
    change = {"id": 2, "kind": "change", "effect": "delete", "what": "close “West”", "of": []}
    change |= {"quantity": "one"}
    before: JsonObject = {"steps": [{**change, **condition}]}
    other: JsonObject = {"steps": [{**change, **(condition if careful else {})}]}
    assert is_as_careful(other, before) is is_taken
    assert is_as_careful(before, other)


def test_a_plan_that_is_written_again_is_of_no_more_things() -> None:
    change: JsonObject = {"id": 1, "kind": "change", "effect": "delete", "what": "close #1"}
    some: JsonObject = {"steps": [{**change, "quantity": "some", "limit": 2, "except": ["West"]}]}
    for wider in ({"quantity": "all"}, {"limit": 3}, {"limit": None}, {"except": []}):
        assert not is_as_careful({"steps": [{**some["steps"][0], **wider}]}, some), wider
    assert is_as_careful(some, some)


COMPARED = "the depth of the berths “East” and “West”"
HIGHER: JsonObject = {
    "id": 3,
    "kind": "answer",
    "what": "the higher one of #2",
    "of": [2],
    "quantity": "one",
}
HIGHEST: JsonObject = {"by": "depth_in_metres", "first": "highest"}


OTHERS: list[JsonObject] = [
    {"id": "b-3", "name": "North", "depth_in_metres": 12.5, "lock_mode": "by_hand"},
    {"id": "b-4", "name": "South", "depth_in_metres": 3.1, "lock_mode": "by_hand"},
]


def compare(
    *read: Reply,
    berths: Sequence[JsonObject] = BERTHS,
    where: Sequence[JsonObject] = (),
) -> tuple[Answer, FittingModel, list[Request]]:
    return ask(
        "Which is deeper, “East” or “West” of the port “Elba”?",
        planned(find("the port “Elba”"), find(COMPARED, id=2, of=[1], quantity="some"), HIGHER),
        select("list_ports"),
        query("data", fields=["name"], where=[{"field": "name", "is": "=", "value": "Elba"}]),
        *read,
        query("things", fields=["depth_in_metres"], sort=HIGHEST, take=1, where=[*where]),
        worded("West is deeper: 9.1."),
        worded("West is deeper."),
        berths=berths,
    )


def test_several_things_that_are_named_are_read_each_by_a_call() -> None:
    answer, model, sent = compare(select("get_berth"), query("things", fields=["depth_in_metres"]))
    assert answer.text == "West is deeper: 9.1.\n(the highest depth_in_metres is taken for it)"
    assert [path for path in paths(sent) if "/berths/" in path] == [
        "GET /ports/p-1/berths/b-1",
        "GET /ports/p-1/berths/b-2",
    ]
    shown = model.asked[-1].messages[-1].text
    # What one was chosen from it would compare once more, and say something else.
    assert "9.1" in shown
    assert "7.5" not in shown


def test_one_of_several_is_asked_for_by_an_order() -> None:
    _, model, _ = compare(select("list_berths"), query("data", fields=["depth_in_metres"]))
    contract = json.dumps([one for one in model.asked if one.role == "reader"][-1].schema)
    assert '"take": {"const": 1}' in contract
    assert contract.count('"take": {"type": "null"}') == 1  # Of a sum or an average.


NAMED: JsonObject = {"field": "name", "is": "=", "value": "East"}
APART = [{**NAMED, "is": "!=", "value": name} for name in ("East", "West")]


@pytest.mark.parametrize("where", [[NAMED], []], ids=["one of them", "none of them"])
def test_of_things_that_are_named_no_others_are_given_and_none_is_left_out(
    where: list[JsonObject],
) -> None:
    read = query("data", fields=["depth_in_metres"], where=where)
    answer, model, _ = compare(select("list_berths"), read, berths=[*BERTHS, *OTHERS])
    assert "West is deeper: 9.1." in answer.text
    assert "12.5" not in model.asked[-1].messages[-1].text


@pytest.mark.parametrize("what", ["bake a cake like “Olm”", "bake a cake like 'Olm'"])
def test_nothing_is_created_that_has_nothing_of_what_is_named(what: str) -> None:
    answer, _, sent = ask(
        "Bake a cake like “Olm” in the port “Elba”.",
        planned({"id": 1, "kind": "change", "effect": "create", "what": f"{what} in “Elba”"}),
        select("add_berth"),
        filled(port="Elba"),
        select("none"),
    )
    assert all(one.method == "GET" for one in sent)
    assert "Olm stands in no argument of add_berth" in answer.text


def test_nothing_is_created_under_the_name_of_a_thing_that_is_there() -> None:
    answer, _, sent = ask(
        "Print “West” of the port “Elba” on paper.",
        planned({"id": 1, "kind": "change", "effect": "create", "what": "print “West” of “Elba”"}),
        select("add_berth"),
        filled(port="Elba", name="west"),
    )
    assert paths(sent)[-1] == "GET /ports/p-1/berths"
    assert all(one.method == "GET" for one in sent)
    assert "there is one already whose name is 'west'" in answer.text


@pytest.mark.parametrize("text", ["West", "West leaks"], ids=["its name", "a text about it"])
def test_nothing_is_made_of_the_name_of_a_thing_that_is_there_alone(text: str) -> None:
    is_made = text != "West"
    answer, _, sent = ask(
        f"Print “{text}” of the port “Elba” on paper.",
        planned(
            {"id": 1, "kind": "change", "effect": "create", "what": f"print “{text}” of “Elba”"}
        ),
        select("leave_note"),
        filled(port="Elba", text=text),
        *([worded("It is noted.")] if is_made else []),
    )
    assert [one.method for one in sent if one.method != "GET"] == ["POST"] * is_made
    assert ("'West' is one of the berths there" in answer.text) is not is_made


@pytest.mark.parametrize(
    ("further", "is_made"),
    [("lock mode: by hand", False), ("add a berth called “Far”", True)],
    ids=["of the same", "another"],
)
def test_what_a_new_thing_is_to_have_is_no_further_thing(further: str, is_made: bool) -> None:
    effect: JsonObject = {"kind": "change", "effect": "create"}
    answer, _, sent = ask(
        f"Add to the port “Elba” a berth called “North”, lock mode: by_hand, or {further}.",
        planned(
            {"id": 1, **effect, "what": "add a berth called “North” to the port “Elba”"},
            {"id": 2, **effect, "what": further},
        ),
        select("add_berth"),
        filled(port="Elba", name="North", lock_mode="by_hand"),
        *([select("add_berth"), filled(port="Elba", name="Far")] if is_made else []),
        worded("The berth “North” is added."),
    )
    assert answer.stopped == "answered"
    assert [body["name"] for body in bodies(sent)] == (["North", "Far"] if is_made else ["North"])


def test_things_to_change_that_no_chosen_read_gave_are_read_where_the_change_has_its_ids() -> None:
    spared: JsonObject = {"of": [], "quantity": "all", "except": ["Olm"]}
    answer, _, sent = ask(
        "Scrap all cranes but “Olm”.",
        planned(
            find("the cranes but “Olm”", **spared),
            {**SCRAP, "what": "scrap all cranes but “Olm”", **spared},
        ),
        select("list_ports"),
        select("scrap_crane"),
        query("data"),
        worded("“Kite” is scrapped."),
    )
    assert answer.stopped == "answered"
    assert paths(sent) == ["GET /ports", "GET /cranes.json", "DELETE /cranes/77ab.json"]


@pytest.mark.parametrize(("mode", "is_done"), [("by_magnet", True), ("by_hand", False)])
def test_what_several_things_are_to_get_stands_in_the_change_where_nothing_read_has_it(
    mode: str, is_done: bool
) -> None:
    message = "Set the lock mode of all berths of the port “Elba” to “by_magnet”."
    what = message.rstrip(".")
    change: JsonObject = {"kind": "change", "effect": "update", "quantity": "all", "of": []}
    answer, _, sent = ask(
        message,
        planned({"id": 1, **change, "what": what}),
        select("change_berth"),
        query("data"),
        filled(lock_mode=mode, name=None, lit=None),
        *([worded("All have it.")] if is_done else []),
    )
    given = [json.loads(one.body or b"{}")["lock_mode"] for one in sent if one.method == "PUT"]
    assert given == ([mode, mode] if is_done else [])
    assert ("by_magnet stands in no argument of change_berth" in answer.text) is not is_done


def planned_by_lock_mode(what: str, mode: str, *, holds: bool) -> Reply:
    """A plan that updates a berth only where its lock mode is so, or is not."""
    change: JsonObject = {"id": 2, "kind": "change", "effect": "update", "of": [], "what": what}
    condition: JsonObject = {"step": 1, "is": mode, "holds": holds}
    return planned(
        find("the lock mode of the berth “West” of the port “Elba”"),
        {**change, "quantity": "one", "condition": condition},
    )


@pytest.mark.parametrize(
    ("what", "is_sent"),
    [("light the berth “West” of “Elba”", False), ("name “West” by_hand", True)],
)
def test_what_a_change_depends_on_is_no_value_for_it(what: str, is_sent: bool) -> None:
    answer, _, sent = ask(
        f"If the lock mode of the berth “West” of the port “Elba” is by_hand, {what}.",
        planned_by_lock_mode(what, "by_hand", holds=True),
        select("get_berth"),
        query("whole", give="yes or no", where=[NOT_SAID]),
        select("change_berth"),
        filled(port="Elba", id="West", name="by_hand", lock_mode=None, lit=None),
        *([worded("It is called so.")] if is_sent else []),
    )
    assert bool([one for one in sent if one.method == "PUT"]) is is_sent
    assert ("nothing was said for it" in answer.text) is not is_sent


def test_what_a_change_is_to_bring_about_is_kept_where_it_is_tested_not_to_be_so() -> None:
    what = "alter the berth “West” of “Elba”, and call it “Kai”"
    _, _, sent = ask(
        f"If the lock mode of the berth “West” of “Elba” is not by_magnet, {what}: by_magnet.",
        planned_by_lock_mode(what, "by_magnet", holds=False),
        select("get_berth"),
        query("whole", give="yes or no", where=[{**NOT_SAID, "value": "by_magnet"}]),
        select("change_berth"),
        filled(port="Elba", id="West", name="Kai", lock_mode="by_magnet", lit=None),
        worded("It is altered."),
    )
    given = [json.loads(one.body or b"{}") for one in sent if one.method == "PUT"]
    assert [(one["name"], one["lock_mode"]) for one in given] == [("Kai", "by_magnet")]


def test_a_name_that_was_read_elsewhere_says_nothing_of_things_that_are_to_be_changed() -> None:
    change: JsonObject = {"kind": "change", "effect": "delete", "quantity": "all", "of": []}
    answer, _, sent = ask(
        "Which port is “Elba”? And scrap all cranes of “Elba”.",
        planned(find("the port “Elba”"), {"id": 2, **change, "what": "scrap all cranes of “Elba”"}),
        select("list_ports"),
        query("data", where=[{"field": "name", "is": "=", "value": "Elba"}]),
        select("scrap_crane"),
        query("data"),
    )
    assert paths(sent) == ["GET /ports", "GET /cranes.json"]
    assert "Elba stands in no argument of scrap_crane" in answer.text


@pytest.mark.parametrize("mode", ["of all", "of some"])
def test_what_only_some_things_have_is_no_reason_to_change_all(mode: str) -> None:
    berths = [
        {**BERTHS[0], "owner": "Kai"},
        {**BERTHS[1], "owner": "Kai" if mode == "of all" else ""},
    ]
    what = "set the lock mode of all berths of “Kai” in the port “Elba” to by_magnet"
    change: JsonObject = {"kind": "change", "effect": "update", "quantity": "all", "of": []}
    answer, _, sent = ask(
        what,
        planned({"id": 1, **change, "what": what}),
        select("change_berth"),
        query("data"),
        filled(name=None, lock_mode="by_magnet", lit=None),
        *([worded("All have it.")] if mode == "of all" else []),
        berths=berths,
    )
    assert len([one for one in sent if one.method == "PUT"]) == (2 if mode == "of all" else 0)
    assert ("only some of them have 'Kai'" in answer.text) is (mode == "of some")


@pytest.mark.parametrize("own", ["berth", "by_magnet"], ids=["of its kind", "of another step"])
def test_what_is_said_of_a_thing_or_in_another_step_is_no_value_for_a_change(own: str) -> None:
    update: JsonObject = {"kind": "change", "effect": "update", "of": [], "quantity": "one"}
    first, second = "name the berth “East” of “Elba” “Kai”", "set “West” of “Elba” to by_magnet"
    _, _, sent = ask(
        f"For the port “Elba”, {first} and {second}.",
        planned({"id": 1, **update, "what": first}, {"id": 2, **update, "what": second}),
        select("change_berth"),
        filled(port="Elba", id="East", name="Kai", lock_mode=own, lit=None),
        select("change_berth"),
        filled(port="Elba", id="West", name=None, lock_mode="by_magnet", lit=None),
        worded("Both are changed."),
    )
    given = [json.loads(one.body or b"{}") for one in sent if one.method == "PUT"]
    assert [(one["name"], one["lock_mode"]) for one in given] == [
        ("Kai", "by_hand"),
        ("West", "by_magnet"),
    ]


@pytest.mark.parametrize(
    ("given", "is_done"),
    [({"name": "Kai"}, True), ({"name": "Kai", "lock_mode": "by_magnet"}, False)],
    ids=["alone", "with something else"],
)
def test_where_no_thing_has_what_is_named_it_is_what_they_are_to_get(
    given: JsonObject, is_done: bool
) -> None:
    what = "set the name of all berths of the port “Elba” to “Kai”"
    change: JsonObject = {"kind": "change", "effect": "update", "quantity": "all", "of": []}
    answer, model, sent = ask(
        f"Please {what}, by_magnet.",
        planned({"id": 1, **change, "what": what}),
        select("change_berth"),
        query("data", where=[{"field": "name", "is": "=", "value": "Kai"}]),
        query("data"),
        filled(**{"name": None, "lock_mode": None, "lit": None, **given}),
        *([worded("All are called “Kai”.")] if is_done else []),
    )
    told = next(one for one in model.asked if "what they are to get" in one.messages[-1].text)
    assert "name is what they are to get" in told.messages[-1].text
    assert len([one for one in sent if one.method == "PUT"]) == (2 if is_done else 0)
    assert ("which of the things are meant is not known" in answer.text) is not is_done


def test_what_leaves_out_the_same_as_a_change_finds_its_things() -> None:
    spared: JsonObject = {"of": [], "quantity": "all", "except": ["East"]}
    answer, _, sent = ask(
        "Close all berths of the port “Elba” but “East”.",
        planned(
            find("the berths of the port “Elba”", **spared),
            {**SCRAP, "what": "close all berths of the port “Elba”", **spared},
        ),
        select("list_berths"),
        query("data"),
        select("close_berth"),
        worded("“West” is closed."),
    )
    assert paths(sent)[-1] == "DELETE /ports/p-1/berths/b-2"
    assert answer.text == "“West” is closed."


@pytest.mark.parametrize("again", ["“West” is closed.", "“East” is closed too."])
def test_what_was_left_out_is_not_told_to_be_changed(again: str) -> None:
    spared: JsonObject = {"quantity": "all", "except": ["East"]}
    answer, model, sent = ask(
        "Close all berths of the port “Elba” but “East”.",
        planned(
            find("the berths of the port “Elba”", **spared),
            {**SCRAP, "what": "close #1", **spared},
        ),
        select("list_berths"),
        query("data"),
        select("close_berth"),
        worded("“East” and “West” are closed."),
        worded(again),
    )
    assert paths(sent)[-1] == "DELETE /ports/p-1/berths/b-2"
    assert "was left out" in model.asked[-1].messages[-1].text
    assert answer.text == again if "West" in again else "“West”: done" in answer.text
    assert "“East” is closed" not in answer.text


def test_a_list_is_told_by_code_with_what_was_read_of_each_thing() -> None:
    several = find("the berths of the port “Elba”", quantity="some")
    read = query("data", fields=["depth_in_metres"])
    question = "Which berths of the port “Elba” are there, and how deep are they?"
    answer, model, _ = ask(question, planned(several), select("list_berths"), read)
    assert answer.text.splitlines() == [
        "- East (depth_in_metres: 7.5, lock_mode: by_hand)",
        "- West (depth_in_metres: 9.1, lock_mode: by_hand)",
    ]
    assert "answer" not in [one.role for one in model.asked]


def test_what_a_model_tests_a_name_not_to_be_is_left_to_it() -> None:
    read = query("data", fields=["depth_in_metres"], where=APART)
    answer, _, _ = compare(select("list_berths"), read, berths=[*BERTHS, *OTHERS])
    assert "12.5" in answer.text


def test_a_name_that_chose_things_before_chooses_none_of_them_again() -> None:
    read = query("data", fields=["depth_in_metres"])
    answer, _, _ = compare(select("list_berths"), read, where=[NAMED])
    assert answer.text.startswith("West is deeper: 9.1.")


def changed(sent: list[Request]) -> list[Any]:
    return [json.loads(one.body) for one in sent if one.method == "PUT" and one.body]


SET_LOCK: JsonObject = {"id": 2, "kind": "change", "effect": "update", "of": [1], "quantity": "one"}


@pytest.mark.parametrize("made_up", ["East", "Far end"], ids=["of another thing", "of nothing"])
def test_what_nobody_spoke_of_is_left_as_it_is(made_up: str) -> None:
    what = "set the “lock mode” of the berth “West” to “by_magnet”"
    answer, _, sent = ask(
        f"In the port “Elba”, {what}.",
        planned(find("the port “Elba”"), {**SET_LOCK, "what": what}),
        select("list_ports"),
        query("data", fields=["name"], where=[{"field": "name", "is": "=", "value": "Elba"}]),
        select("change_berth"),
        filled(id="West", name=made_up, lock_mode="by_magnet"),
        worded("It is set."),
    )
    assert answer.stopped == "answered", answer.reason
    assert changed(sent) == [{"name": "West", "lock_mode": "by_magnet"}]


def test_what_is_left_out_of_the_models_own_is_told() -> None:
    what = "set the “name” of the berth “West” to “North”"
    _, model, sent = ask(
        f"In the port “Elba”, {what}, and switch it.",
        planned(find("the port “Elba”"), {**SET_LOCK, "what": what}),
        select("list_ports"),
        query("data", fields=["name"], where=[{"field": "name", "is": "=", "value": "Elba"}]),
        select("change_berth"),
        filled(id="West", name="North", lit=True),
        worded("It is set."),
    )
    assert changed(sent) == [{"name": "North", "lock_mode": "by_hand"}]
    assert (
        "lit True was neither said nor found, and is left out" in model.asked[-1].messages[-1].text
    )


CHOSEN = {"field": "lock_mode", "is": "=", "value": "by_hand"}


@pytest.mark.parametrize(("again", "written"), [([], 2), ([CHOSEN], 0)], ids=["others", "no reply"])
def test_things_that_are_chosen_by_what_they_are_to_get_are_chosen_again(
    again: list[JsonObject], written: int
) -> None:
    what = "set the “lock mode” of all berths of the port “Elba” to by_hand"
    berths = [{**one, "lock_mode": mode} for one, mode in zip(BERTHS, MODES, strict=True)]
    answer, model, sent = ask(
        f"Please {what}.",
        planned({**SET_LOCK, "what": what, "of": [], "quantity": "all"}),
        select("change_berth"),
        query("data", where=[CHOSEN]),
        select("change_berth"),
        filled(lock_mode="by_hand"),
        # As often as a reply that cannot be used is asked for again.
        *[query("data", where=again)] * (1 if written else 3),
        *([filled(lock_mode="by_hand"), worded("Done.")] if written else []),
        berths=berths,
    )
    assert len(changed(sent)) == written
    assert ("have this already" in answer.text) is not bool(written)
    reader = [one for one in model.asked if one.role == "reader"][-1]
    assert '"field": {"enum": ["lock_mode"]}' not in json.dumps(reader.schema)
    assert "lock_mode is what they are to get" in "".join(
        one.text for one in reader.messages if one.speaker == "user"
    )


def test_what_all_things_have_already_is_not_written_again() -> None:
    what = "set the “lock mode” of all #1 to by_hand"
    answer, _, sent = ask(
        "All berths of “Elba” shall have the “lock mode” by_hand.",
        planned(
            find("the berths of the port “Elba”", quantity="all"),
            {**SET_LOCK, "what": what, "quantity": "all"},
        ),
        select("list_berths"),
        query("data", fields=["name"]),
        select("change_berth"),
        filled(lock_mode="by_hand"),
    )
    assert changed(sent) == []
    assert "have this already" in answer.text


SCRAP: JsonObject = {"kind": "change", "effect": "delete", "of": [1], "quantity": "all", "id": 2}
NOT_SAID = {"field": "lock_mode", "is": "=", "value": "by_hand"}


@pytest.mark.parametrize(
    ("message", "mode", "closed"),
    [
        ("Close all berths of the port “Elba”.", "by_magnet", 0),
        ("Close all berths of the port “Elba”, with your own hands.", "by_magnet", 0),
        ("Close all berths of the port “Elba” that lock by hand.", "by_magnet", 1),
        ("Close all berths of the port “Elba”.", "by_hand", 2),
    ],
    ids=["made up", "said of something else", "said", "true of all"],
)
def test_what_is_changed_is_chosen_by_nothing_that_nobody_spoke_of(
    message: str, mode: str, closed: int
) -> None:
    modes = ["by_hand", mode]
    berths = [{**one, "lock_mode": mode} for one, mode in zip(BERTHS, modes, strict=True)]
    chosen = query("data", where=[NOT_SAID])
    ends = [select("close_berth"), worded("Done.")]
    ends = ends if closed else [chosen, filled(sort=None), select("none"), select("none")]
    answer, model, sent = ask(
        message,
        planned(
            find("the berths of the port “Elba”", quantity="all"), {**SCRAP, "what": "close #1"}
        ),
        select("list_berths"),
        chosen,
        *ends,
        berths=berths,
    )
    assert len([path for path in paths(sent) if path.startswith("DELETE")]) == closed
    told = [one for one in model.asked if "nobody spoke of lock_mode" in one.messages[-1].text]
    assert bool(told) is (closed == 0)
    assert ("Not done" in answer.text) is (closed == 0)


BEAM: JsonObject = {"type": "object", "properties": {"beam_colour": TEXT}}
ON_LAMP: JsonObject = {"parameters": [given("id")], "responses": {"200": {"description": ""}}}


def listed_for(message: str, effect: str, *, paths: JsonObject) -> str:
    """What operations a small model is offered for a message that is one change."""
    plain = message.replace("“", "").replace("”", "")
    change = {"id": 1, "kind": "change", "effect": effect, "what": plain, "of": []}
    model = FittingModel([planned({**change, "quantity": "one"}), select("none")], is_small=True)
    Agent(catalog(load(document(paths), alias="sea")), model=model, kind="rest").ask(message)
    return str(model.asked[1].messages[-1].text)


@pytest.mark.parametrize(
    ("message", "has_others"),
    [("Set the “beam colour” of lamp 7 to red.", False), ("Make the beam colour 7 red.", True)],
    ids=["quoted", "not"],
)
def test_a_small_model_is_offered_the_changes_that_take_what_is_quoted(
    message: str, has_others: bool
) -> None:
    body = {"required": True, "content": {"application/json": {"schema": BEAM}}}
    paths = {
        f"/lamps/{{id}}/{place}": {"put": {**ON_LAMP, "operationId": f"set_beam_colour_{place}"}}
        for place in range(20)
    }
    paths["/lamps/{id}"] = {"patch": {**ON_LAMP, "operationId": "alter", "requestBody": body}}
    listed = listed_for(message, "update", paths=paths)
    assert "alter" in listed or has_others
    assert ("set_beam_colour" in listed) is has_others


def test_what_stands_in_a_path_is_no_property_that_is_taken() -> None:
    # A tag may be called “Name”, and is not the flag that is called by `name`.
    paths = {
        f"/tags/{{id}}/{place}": {"delete": {**ON_LAMP, "operationId": f"drop_tag_{place}"}}
        for place in range(20)
    }
    flag = {"operationId": "drop_flag", "parameters": [given("name")]}
    paths["/flags/{name}"] = {"delete": {**flag, "responses": ON_LAMP["responses"]}}
    assert "drop_tag" in listed_for("Drop the tag “Name”.", "delete", paths=paths)


LAMPS: list[JsonObject] = [{"id": "7", "name": "Ode"}]


@pytest.mark.parametrize("method", ["delete", "patch"])
def test_an_empty_body_is_nothing_of_a_deletion_alone(method: str) -> None:
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    of_lamp = {**ON_LAMP, "operationId": "do", "requestBody": body}
    paths = {"/lamps": {"get": {"operationId": "list_lamps", "responses": listed(PORT)}}}
    model = FittingModel(
        [
            planned(
                {
                    "id": 1,
                    "kind": "change",
                    "what": "do it to lamp 7",
                    "of": [],
                    "effect": "other",
                    "quantity": "one",
                }
            ),
            select("do"),
            filled(id="7", body={}),
            worded("Done."),
        ],
        is_small=True,
    )
    send = RecordingTransport(lambda request: reply(200, {"data": [*LAMPS]}))
    api = load(document({**paths, "/lamps/{id}": {method: of_lamp}}), alias="sea")
    agent = Agent(catalog(api), model=model, send=send, approve=approve_all, kind="rest")
    answer = agent.ask("Do it to lamp 7.")
    is_sent = any(one.method != "GET" for one in send.sent)
    assert is_sent is (method == "delete"), answer.text
    assert ("body {} was neither said nor found" in answer.text) is not is_sent
