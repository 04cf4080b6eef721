"""The loop of `rest` with scripted replies, over an invented harbour."""

from __future__ import annotations

import re
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.rest.changing import unmet_condition
from restwright.agents.rest.facts import Fact
from restwright.agents.rest.finding import PART_READ
from restwright.agents.rest.plan import Condition, Plan, PlanStep, find_omitted, find_plan_fault
from restwright.agents.rest.rest import run_rest
from restwright.agents.rest.run import RestRun
from restwright.agents.steps import Answer, Completion
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog

SHIP = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "length_m": {"type": "number"},
        "flag": {"type": "string", "enum": ["NL", "FR"]},
    },
}
DRAFT = {"type": "object", "properties": {"id": {"type": "integer"}, "title": {"type": "string"}}}


def responses(schema: Any) -> Any:
    return {"200": {"description": "x", "content": {"application/json": {"schema": schema}}}}


def listed(schema: Any) -> Any:
    return responses({"type": "array", "items": schema})


def path_input(name: str, kind: str = "string") -> Any:
    return {"name": name, "in": "path", "required": True, "schema": {"type": kind}}


def query(name: str, schema: Any) -> Any:
    return {"name": name, "in": "query", "schema": schema}


HARBOUR = document(
    {
        "/ships": {
            "get": {
                "operationId": "list_ships",
                "summary": "List ships",
                "parameters": [query("country", {"type": "string", "enum": ["NL", "FR"]})],
                "responses": listed(SHIP),
            }
        },
        "/ships/{ship_id}": {
            "get": {
                "operationId": "get_ship",
                "summary": "Show a ship",
                "parameters": [path_input("ship_id")],
                "responses": responses(SHIP),
            },
            "delete": {
                "operationId": "delete_ship",
                "summary": "Remove a ship",
                "parameters": [path_input("ship_id")],
                "responses": {"204": {"description": "gone"}},
            },
        },
        "/ships/{ship_id}/crew": {
            "get": {
                "operationId": "list_crew",
                "summary": "List the crew of a ship",
                "parameters": [path_input("ship_id")],
                "responses": listed(
                    {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "rank": {"type": "string"}},
                    }
                ),
            }
        },
        "/drafts": {
            "get": {
                "operationId": "list_drafts",
                "summary": "List drafts",
                "responses": listed(DRAFT),
            },
            "delete": {
                "operationId": "delete_drafts",
                "summary": "Delete all drafts",
                "responses": {"204": {"description": "gone"}},
            },
        },
        "/drafts/{draft_id}": {
            "delete": {
                "operationId": "delete_draft",
                "summary": "Delete a draft",
                "parameters": [path_input("draft_id", "integer")],
                "responses": {"204": {"description": "gone"}},
            }
        },
    }
)
SHIPS = [
    {"id": "s-1", "name": "Tern", "length_m": 12.5, "flag": "NL"},
    {"id": "s-2", "name": "Aurora", "length_m": 41.0, "flag": "FR"},
]
DRAFTS = [{"id": 1, "title": "Winter"}, {"id": 2, "title": "Autumn"}, {"id": 3, "title": "Spring"}]
CREW = [{"name": "Ode Mar", "rank": "captain"}, {"name": "Pim", "rank": "cook"}]


def serve(request: Request) -> Response:
    path = re.sub(r"^https?://[^/]+", "", request.url).partition("?")[0]
    ship = next((one for one in SHIPS if path.startswith(f"/ships/{one['id']}")), None)
    if request.method.upper() == "DELETE":
        return reply(204)
    if path == "/ships":
        flag = re.search(r"country=(\w+)", request.url)
        return reply(200, [one for one in SHIPS if not flag or one["flag"] == flag[1]])
    if path == "/drafts":
        return reply(200, DRAFTS)
    if ship is None:
        return reply(404, {"detail": "no such ship"})
    return reply(200, CREW if path.endswith("/crew") else ship)


def plan(*steps: dict[str, Any], language: str = "English") -> Reply:
    written = [
        {"id": number, "of": [], "quantity": "one", **step} for number, step in enumerate(steps, 1)
    ]
    return ("planner", {"language": language, "steps": written})


def select(operation: str, second: str = "none") -> Reply:
    return ("selector", {"about": "it", "operation": operation, "second": second})


def arguments(**values: Any) -> Reply:
    return ("caller", values)


def code(expression: str) -> Reply:
    return ("parser", f"def parse(data):\n    return {expression}")


def answer(text: str) -> Reply:
    return ("answer", {"answer": text})


def ask_model(question: str, model: ScriptedModel, **settings: Any) -> Answer:
    agent = Agent(
        catalog(load(HARBOUR, alias="port")),
        model=model,
        kind=lambda agent, asked: run_rest(asked, agent.catalog, policy=agent.policy),
        **{"send": RecordingTransport(serve), **settings},
    )
    return agent.ask(question)


def ask(question: str, *script: Reply, **settings: Any) -> tuple[Answer, list[str]]:
    model, send = ScriptedModel(script), settings.pop("send", RecordingTransport(serve))
    given = ask_model(question, model, send=send, **{"approve": approve_all, **settings})
    assert model.left == (), given.text
    sent = [
        f"{request.method.upper()} {re.sub(r'^https?://[^/]+', '', request.url)}"
        for request in send.sent
    ]
    return given, sent


def test_one_read_answers() -> None:
    given, sent = ask(
        "Which ship is the longest?",
        plan({"kind": "find", "what": "the longest ship"}),
        select("list_ships"),
        code("max(data, key=lambda ship: ship['length_m'])"),
        answer("The longest ship is the Aurora (41 m)."),
    )
    assert (given.text, given.stopped) == ("The longest ship is the Aurora (41 m).", "answered")
    assert sent == ["GET /ships"]


def test_an_id_of_a_thing_that_was_found_is_not_asked_for() -> None:
    given, sent = ask(
        "Who is the captain of the longest ship?",
        plan(
            {"kind": "find", "what": "the longest ship"},
            {"kind": "find", "what": "the captain of #1", "of": [1]},
        ),
        select("list_ships"),
        code("max(data, key=lambda ship: ship['length_m'])"),
        select("list_crew"),
        code("next(one['name'] for one in data if one['rank'] == 'captain')"),
        answer("Its captain is Ode Mar."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /ships", "GET /ships/s-2/crew"]


def test_a_response_that_does_not_name_the_thing_says_nothing_of_it() -> None:
    given, sent = ask(
        "What is the length of the ship “Kittiwake”?",
        plan({"kind": "find", "what": "the length of the ship “Kittiwake”"}),
        select("list_ships"),
        arguments(country=None),
        select("none"),
    )
    assert sent == ["GET /ships"]
    assert given.stopped == "answered"
    assert "gave nothing that is called 'Kittiwake'" in given.text


def test_what_was_found_may_hold_what_is_asked_next() -> None:
    given, sent = ask(
        "Which ship is the longest, and whose flag has it?",
        plan(
            {"kind": "find", "what": "the longest ship"},
            {"kind": "find", "what": "the flag of #1", "of": [1]},
        ),
        select("list_ships"),
        code("max(data, key=lambda ship: ship['length_m'])"),
        select("known", "get_ship"),
        code("data['flag']"),
        answer("The longest ship is the Aurora; its flag is FR."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /ships"]


def test_what_was_found_and_does_not_hold_it_is_not_offered_again() -> None:
    nothing = code("data.get('crew')")
    given, sent = ask(
        "Which ship is the longest, and who sails on it?",
        plan(
            {"kind": "find", "what": "the longest ship"},
            {"kind": "find", "what": "who sails on #1", "of": [1], "quantity": "all"},
        ),
        select("list_ships"),
        code("max(data, key=lambda ship: ship['length_m'])"),
        select("known"),
        nothing,
        code("data.get('sailors')"),
        select("list_crew"),
        code("[one['name'] for one in data]"),
        answer("On the Aurora, the longest ship, sail Ode Mar and Pim."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /ships", "GET /ships/s-2/crew"]


@pytest.mark.parametrize(
    ("what", "quantity", "script"),
    [
        ("the one with the highest “length m” of #1", "one", ()),
        # Without a field in quotation marks, or for several, it may be read elsewhere.
        ("the one with the highest length m of #1", "one", (select("known"),)),
        ("the ones with the highest “length m” of #1", "some", (select("known"),)),
    ],
)
def test_one_of_the_things_that_were_read_is_found_by_their_field_without_a_choice(
    what: str, quantity: str, script: tuple[Reply, ...]
) -> None:
    given, sent = ask(
        "Which ship has the highest “length m”?",
        plan(
            {"kind": "find", "what": "the ships", "quantity": "all"},
            {"kind": "find", "what": what, "of": [1], "quantity": quantity},
        ),
        select("list_ships"),
        code("data"),
        *script,
        code("max(data, key=lambda ship: ship['length_m'])"),
        answer("The Aurora, with 41 m; the other one is the Tern."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /ships"]


def test_what_was_found_says_nothing_of_a_thing_of_another_name() -> None:
    given, sent = ask(
        "Which ship is the longest, and is the flag of “Tern” the same?",
        plan(
            {"kind": "find", "what": "the longest ship"},
            {"kind": "find", "what": "the flag of “Tern”, beside #1", "of": [1]},
        ),
        select("list_ships"),
        code("max(data, key=lambda ship: ship['length_m'])"),
        select("known"),
        select("none"),
        answer("The longest ship is the Aurora. The flag of the Tern was not found."),
    )
    assert given.stopped == "error"
    assert "what was found does not name it" in given.reason
    assert sent == ["GET /ships"]


def test_known_is_offered_only_where_something_is() -> None:
    model = ScriptedModel(
        [
            plan({"kind": "find", "what": "the longest ship"}),
            select("list_ships"),
            code("max(data, key=lambda ship: ship['length_m'])"),
            answer("The Aurora."),
        ]
    )
    ask_model("Which ship is the longest?", model)
    [chosen] = [request for request in model.asked if request.role == "selector"]
    assert chosen.schema is not None
    assert "known" not in chosen.schema["properties"]["operation"]["enum"]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (
            {"kind": "change", "what": "delete the drafts of #2", "of": [2]},
            "step 1 speaks of #2, which is no earlier step",
        ),
        (
            {
                "kind": "change",
                "what": "delete the drafts",
                "quantity": "all",
                "condition": {"step": 1, "is": "old", "holds": True},
            },
            "step 1 depends on itself, and not on what an earlier step finds",
        ),
        (
            {"kind": "change", "what": "delete the draft “Kite”"},
            "the message does not name 'Kite'",
        ),
    ],
)
def test_a_plan_that_cannot_be_taken_is_told_why(wrong: dict[str, Any], fault: str) -> None:
    model = ScriptedModel([plan(wrong), plan()])
    given = ask_model("Delete all drafts.", model)
    # A plan of nothing is none of what was wanted.
    assert (given.stopped, fault in given.reason) == ("error", True)
    told = model.asked[1].messages[-1].text
    assert fault in told
    assert told.endswith("again: Delete all drafts.")


def test_a_plan_that_is_written_again_does_not_read_what_was_to_be_changed() -> None:
    change = {"kind": "change", "effect": "delete", "what": "delete the draft 2"}
    made_up = {"kind": "find", "what": "the draft 2 of the ship “Nord”"}
    model = ScriptedModel([plan(made_up, change), plan(made_up)])
    given = ask_model("Delete draft 2.", model)
    assert given.stopped == "error"
    assert "the message does not name 'Nord'" in given.reason


def test_a_message_that_wants_something_has_a_plan_with_steps() -> None:
    step = {"id": 1, "kind": "change", "effect": "delete", "of": [], "quantity": "one"}
    model = ScriptedModel(
        [
            plan(),
            ("intent", {"wants": "a change"}),
            plan({**step, "what": "delete the draft 2"}),
            select("delete_draft"),
            ("caller", {"draft_id": 2}),
            answer("The draft 2 is deleted."),
        ]
    )
    agent = Agent(
        catalog(load(HARBOUR, alias="port")),
        model=model,
        send=RecordingTransport(serve),
        approve=approve_all,
        kind="rest",
    )
    assert agent.ask("Away with draft 2!").text == "The draft 2 is deleted."
    again = model.asked[2]
    assert again.messages[-1].text.endswith("Away with draft 2!\nThe message wants a change.")
    assert again.schema["properties"]["steps"]["minItems"] == 1


def test_a_plan_that_leaves_out_what_was_said_is_asked_for_again_once() -> None:
    script = [
        plan({"kind": "find", "what": "the ship Tern"}),
        plan({"kind": "find", "what": "whether the ship Tern is longer"}),
        select("none"),
        answer("It was not found."),
    ]
    model = ScriptedModel(script)
    ask_model("Is the ship Tern longer than 40 m?", model)
    asked = model.asked[1].messages
    assert asked[-1].text.endswith("stands in the words of a step: 40.")
    assert not any('the ship Tern"' in one.text for one in asked)


@pytest.mark.parametrize(
    ("what", "of", "is_whole"),
    [
        ("the length", [], False),
        ("the length of “Tern”", [], True),
        ("the length of #1", [1], True),
    ],
)
def test_a_plan_that_leaves_out_of_what_its_condition_is_found_is_not_whole(
    what: str, of: list[int], is_whole: bool
) -> None:
    reply = {
        "steps": [
            {"id": 1, "kind": "find", "what": "the ship “Tern”", "quantity": "one"},
            {"id": 2, "kind": "find", "what": what, "of": of, "quantity": "one"},
            {
                "id": 3,
                "kind": "change",
                "what": "remove the ship “Tern”",
                "quantity": "one",
                "condition": {"step": 2, "is": "over 12", "holds": True},
            },
        ]
    }
    omitted = find_omitted(reply, "Remove the ship “Tern” if its length is over 12.")
    assert omitted == ([] if is_whole else ["Tern", "12"])


FOUND: dict[str, Any] = {"kind": "find", "what": "whether the ship s-1 is longer than 40 m"}
REMOVED: dict[str, Any] = {"kind": "change", "what": "remove the ship s-1", "effect": "delete"}


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        ([REMOVED], [FOUND], ["change"]),
        ([{"kind": "find", "what": "the ship s-1"}], [FOUND, REMOVED], ["find"]),
        ([REMOVED], [FOUND, REMOVED], ["find", "change"]),
    ],
)
def test_a_plan_that_is_written_again_changes_what_the_first_one_did(
    first: list[dict[str, Any]], second: list[dict[str, Any]], taken: list[str]
) -> None:
    told = list[Event]()
    unselected = [select("none") for _ in taken]
    Agent(
        catalog(load(HARBOUR, alias="port")),
        model=ScriptedModel([plan(*first), plan(*second), *unselected, answer("Not done.")]),
        send=RecordingTransport(serve),
        on_event=told.append,
        kind=lambda agent, asked: run_rest(asked, agent.catalog, policy=agent.policy),
    ).ask("Is the ship s-1 longer than 40 m? Remove it.")
    assert [one.data["type"] for one in told if one.kind == "plan"] == taken


@pytest.mark.parametrize(
    ("effect", "offered"),
    [
        ("delete", {"delete_ship", "delete_draft"}),
        ("update", set[str]()),
        ("create", set[str]()),
        ("other", {"delete_ship", "delete_draft"}),
    ],
)
def test_a_change_is_made_by_an_operation_that_may_have_its_effect(
    effect: str, offered: set[str]
) -> None:
    model = ScriptedModel(
        [
            plan({"kind": "change", "effect": effect, "what": "change the ship Tern"}),
            select("none"),
        ]
    )
    ask_model("Change the ship Tern.", model)
    chosen = [request for request in model.asked if request.role == "selector"]
    names = [
        request.schema["properties"]["operation"]["enum"] for request in chosen if request.schema
    ]
    assert {name for enum in names for name in enum} - {"none"} == offered


def test_what_a_change_depends_on_is_asked_for_as_true_or_false() -> None:
    asked = {"step": 1, "is": "over 40", "holds": True}
    script = [
        plan(
            {"kind": "find", "what": "the length of the ship s-1"},
            {"kind": "change", "what": "remove the ship s-1", "condition": asked},
        ),
        select("get_ship"),
        arguments(ship_id="s-1"),
        code("data['length_m'] > 40"),
        answer("The ship s-1 was not removed."),
    ]
    model, send = ScriptedModel(script), RecordingTransport(serve)
    Agent(
        catalog(load(HARBOUR, alias="port")),
        model=model,
        send=send,
        approve=approve_all,
        kind=lambda agent, asked: run_rest(asked, agent.catalog, policy=agent.policy),
    ).ask("Remove the ship s-1 if it is over 40 long.")
    [parsed] = [request for request in model.asked if request.role == "parser"]
    assert "True or False: the length of the ship s-1: over 40" in parsed.messages[-1].text
    assert [request.method for request in send.sent] == ["GET"]


def test_a_step_that_repeats_the_words_of_an_earlier_one_is_about_its_things() -> None:
    given, sent = ask(
        "Delete the two oldest drafts.",
        plan(
            {"kind": "find", "what": "the two oldest drafts", "quantity": "some"},
            {"kind": "change", "what": "delete the two oldest drafts", "quantity": "some"},
        ),
        select("list_drafts"),
        code("data[:2]"),
        select("delete_draft"),
        answer("The drafts Winter and Autumn are deleted."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /drafts", "DELETE /drafts/1", "DELETE /drafts/2"]


def test_a_name_in_the_place_of_an_id_is_tried_and_then_looked_up() -> None:
    given, sent = ask(
        "Who is the captain of Aurora?",
        plan({"kind": "find", "what": "the captain of the ship Aurora"}),
        select("list_crew"),
        arguments(ship_id="Aurora"),
        code("next(one['name'] for one in data if one['rank'] == 'captain')"),
        answer("Its captain is Ode Mar."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /ships/Aurora/crew", "GET /ships", "GET /ships/s-2/crew"]


def test_a_reply_that_cannot_be_used_rules_out_one_read_alone() -> None:
    cut_off = ("caller", Completion(text='{"ship_id": "2026', finish="length"))
    given, sent = ask(
        "How long is the Aurora?",
        plan({"kind": "find", "what": "the length of the Aurora"}),
        select("get_ship", "list_ships"),
        *[cut_off] * 2,  # A third prompt would be the second one.
        code("data[1]['length_m']"),
        answer("It is 41 m long."),
    )
    assert (given.text, sent) == ("It is 41 m long.", ["GET /ships"])


def test_what_stands_in_the_place_of_an_id_is_no_longer_than_what_was_said() -> None:
    question = "How long is s-2?"
    model = ScriptedModel(
        [
            plan({"kind": "find", "what": "the length of s-2"}),
            select("get_ship"),
            arguments(ship_id="s-2"),
            code("data['length_m']"),
            answer("It is 41 m long."),
        ]
    )
    assert ask_model(question, model).text == "It is 41 m long."
    asked = next(one for one in model.asked if one.role == "caller")
    assert asked.schema is not None
    choices = asked.schema["properties"]["ship_id"]["anyOf"][0]["anyOf"]
    longest = [choice["maxLength"] for choice in choices]
    assert all(len("s-2") < most <= 3 * len(question) for most in longest)


def test_an_id_that_nobody_said_is_looked_up() -> None:
    given, sent = ask(
        "Who is the captain of Aurora?",
        plan({"kind": "find", "what": "the captain of the ship Aurora"}),
        select("list_crew"),
        arguments(ship_id="s-99"),
        ("lookup", {"kind": "ship", "which": "the ship in French colours", "name": None}),
        ("parser", "def parse(data):\n    return None"),
        ("parser", "def parse(data):\n    return [s['id'] for s in data if s['flag'] == 'FR']"),
        code("next(one['name'] for one in data if one['rank'] == 'captain')"),
        answer("Its captain is Ode Mar."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /ships", "GET /ships/s-2/crew"]


def test_a_list_that_plainly_gives_nothing_is_narrowed() -> None:
    given, sent = ask(
        "How many Dutch ships are there?",
        plan({"kind": "find", "what": "the number of Dutch ships", "quantity": "number"}),
        select("list_ships"),
        code("[ship for ship in data if ship.get('country') == 'NL']"),
        code("[ship for ship in data if ship.get('country') == 'NL'][:5]"),
        arguments(country="NL"),
        code("len(data)"),
        answer("There is 1 Dutch ship."),
    )
    assert sent == ["GET /ships", "GET /ships?country=NL"]
    assert given.text == "There is 1 Dutch ship."


def test_all_but_one_are_changed() -> None:
    given, sent = ask(
        "Delete all my drafts except Winter.",
        plan(
            {"kind": "find", "what": "my drafts", "quantity": "all"},
            {
                "kind": "change",
                "what": "delete #1",
                "of": [1],
                "quantity": "all",
                "except": ["Winter"],
            },
        ),
        select("list_drafts"),
        code("data"),
        select("delete_draft"),
        answer("All drafts but Winter are deleted."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /drafts", "DELETE /drafts/2", "DELETE /drafts/3"]


def test_what_is_told_of_several_changes_names_what_was_changed_alone() -> None:
    change = {"kind": "change", "effect": "delete", "quantity": "all", "except": ["Winter"]}
    model = ScriptedModel(
        [
            plan({**change, "what": "delete my drafts except Winter"}),
            select("delete_draft"),
            code("data"),
            answer("Two drafts are deleted."),
        ]
    )
    ask_model("Delete my drafts except Winter.", model, approve=approve_all)
    shown = model.asked[-1].messages[-1].text
    done = [line for line in shown.splitlines() if line.endswith(": done")]
    assert ["Autumn" in done[0], "Spring" in done[1], len(done)] == [True, True, 2]
    assert "title: Winter" not in shown


def test_what_the_read_was_to_leave_out_is_not_changed_though_its_code_forgot_it() -> None:
    _, sent = ask(
        "Delete all my drafts except Winter.",
        plan(
            {"kind": "find", "what": "my drafts", "quantity": "all", "except": ["Winter"]},
            {"kind": "change", "what": "delete #1", "of": [1], "quantity": "all"},
        ),
        select("list_drafts"),
        code("data"),
        select("delete_draft"),
        answer("All drafts but Winter are deleted."),
    )
    assert sent == ["GET /drafts", "DELETE /drafts/2", "DELETE /drafts/3"]


@pytest.mark.parametrize(
    ("what", "deleted"),
    [
        ("my drafts other than “Winter”", []),
        ("my drafts “Winter”, “Autumn” and “Spring”", ["1", "2", "3"]),
        ("my drafts that have a “title”", ["1", "2", "3"]),
    ],
)
def test_a_change_of_several_things_of_which_some_are_named_is_not_made(
    what: str, deleted: list[str]
) -> None:
    given, sent = ask(
        f"Delete {what}.",
        plan(
            {"kind": "find", "what": what, "quantity": "some"},
            {"kind": "change", "what": "delete #1", "of": [1], "quantity": "some"},
        ),
        select("list_drafts"),
        code("data"),
        select("delete_draft"),
        *([answer("They are deleted.")] if deleted else []),
    )
    assert sent[1:] == [f"DELETE /drafts/{number}" for number in deleted]
    assert deleted or "whether 'Winter' is meant or left out is not known" in given.reason


def test_an_exception_that_is_none_of_the_things_stops_the_change() -> None:
    given, sent = ask(
        "Delete all my drafts except the wintry one.",
        plan(
            {"kind": "find", "what": "my drafts", "quantity": "all"},
            {
                "kind": "change",
                "what": "delete #1",
                "of": [1],
                "quantity": "all",
                "except": ["the wintry one"],
            },
        ),
        select("list_drafts"),
        code("data"),
        select("delete_draft"),
    )
    assert sent == ["GET /drafts"]
    assert "is not known" in given.reason
    # Code says it: a model says of a change that failed that it was made.
    assert given.text == (
        "- my drafts: id: 1, title: Winter; id: 2, title: Autumn; id: 3, title: Spring\n"
        "Not done: delete my drafts: which of them 'the wintry one' is, is not known"
    )


ALL_BUT_WINTER = plan(
    {
        "kind": "change",
        "effect": "delete",
        "what": "delete all my drafts except Winter",
        "quantity": "all",
        "except": ["Winter"],
    }
)


def test_what_is_changed_of_several_things_is_read_before() -> None:
    given, sent = ask(
        "Delete all my drafts except Winter.",
        ALL_BUT_WINTER,
        # The list above the thing in its path is read, and the choice is not asked for again.
        select("delete_draft"),
        code("data"),
        answer("All drafts but Winter are deleted."),
    )
    assert given.stopped == "answered"
    assert sent == ["GET /drafts", "DELETE /drafts/2", "DELETE /drafts/3"]


def test_what_is_changed_is_read_though_no_operation_is_chosen_for_the_change() -> None:
    given, sent = ask(
        "Delete all my drafts except Winter.",
        ALL_BUT_WINTER,
        select("none"),
        select("list_drafts"),
        code("data"),
    )
    assert "no operation makes this change" in given.reason
    assert sent == ["GET /drafts"]


@pytest.mark.parametrize(("holds", "deleted"), [(True, True), (False, False)])
def test_a_condition_decides_by_what_was_found(holds: bool, deleted: bool) -> None:
    given, sent = ask(
        "If the ship s-1 is longer than 10 m, remove it.",
        plan(
            {"kind": "find", "what": "whether the ship s-1 is longer than 10 m"},
            {
                "kind": "change",
                "what": "remove the ship s-1",
                "condition": {"step": 1, "holds": holds},
            },
        ),
        select("get_ship"),
        arguments(ship_id="s-1"),
        code("data['length_m'] > 10"),
        *([select("delete_ship"), arguments(ship_id="s-1")] if deleted else []),
        answer("The ship s-1 is longer than 10 m."),
    )
    assert ("DELETE /ships/s-1" in sent) is deleted
    assert (given.stopped, given.reason) == ("answered", "")
    assert ("Not done: remove the ship s-1" in given.text) is not deleted


def test_a_change_of_what_was_not_read_reads_it_first() -> None:
    given, sent = ask(
        "Remove the ship s-2.",
        plan({"kind": "change", "what": "remove the ship s-2"}),
        select("delete_ship"),
        arguments(ship_id="s-2"),
        answer("The ship is removed."),
    )
    assert sent == ["GET /ships/s-2", "DELETE /ships/s-2"]
    assert given.stopped == "answered"


def test_a_change_of_what_is_not_there_is_not_made() -> None:
    given, sent = ask(
        "Remove the ship s-7.",
        plan({"kind": "change", "what": "remove the ship s-7"}),
        select("delete_ship"),
        arguments(ship_id="s-7"),
    )
    assert sent == ["GET /ships/s-7", "GET /ships"]
    assert "Not done" in given.text
    assert given.stopped != "answered"


def test_a_change_is_not_sent_without_consent() -> None:
    given, sent = ask(
        "Remove the ship s-2.",
        plan({"kind": "change", "what": "remove the ship s-2"}),
        select("delete_ship"),
        arguments(ship_id="s-2"),
        approve=refuse_all,
    )
    assert sent == ["GET /ships/s-2"]
    assert given.stopped == "refused"


def test_what_no_operation_does_is_said() -> None:
    given, sent = ask(
        "What is the tide?",
        plan({"kind": "find", "what": "the tide"}),
        select("none"),
    )
    assert sent == []
    assert "Not found" in given.text


def test_what_is_worked_out_of_facts_is_one() -> None:
    given, _ = ask(
        "How much longer is Aurora than Tern?",
        plan(
            {"kind": "find", "what": "the length of the ship Aurora"},
            {"kind": "find", "what": "the length of the ship Tern"},
            {"kind": "answer", "what": "#1 minus #2", "of": [1, 2]},
        ),
        select("list_ships"),
        code("next(ship['length_m'] for ship in data if ship['name'] == 'Aurora')"),
        select("list_ships"),
        code("next(ship['length_m'] for ship in data if ship['name'] == 'Tern')"),
        ("computer", "def parse(data):\n    return data['1'] - data['2']"),
        answer("Aurora is 28.5 m longer."),
    )
    assert given.text == "Aurora is 28.5 m longer."


def test_a_thing_without_a_number_does_not_tell_how_many() -> None:
    given, sent = ask(
        "How many sailors has the ship s-1?",
        plan({"kind": "find", "what": "the sailors of the ship s-1", "quantity": "number"}),
        select("get_ship", "list_crew"),
        arguments(ship_id="s-1"),
        code("{'name': data['name']}"),
        arguments(ship_id="s-1"),
        code("len(data)"),
        answer("It has 2 sailors."),
    )
    assert sent == ["GET /ships/s-1", "GET /ships/s-1/crew"]
    assert given.text == "It has 2 sailors."


def test_a_name_in_quotation_marks_describes_nothing() -> None:
    given, sent = ask(
        "Who sails the ship “Kite”?",
        plan({"kind": "find", "what": "the captain of the ship “Kite”"}),
        select("list_crew"),
        arguments(ship_id="Kite"),
        # No code looks for it where nothing is called so.
        select("none"),
    )
    assert sent == ["GET /ships/Kite/crew", "GET /ships"]
    assert "Not found" in given.text


def test_a_name_in_quotation_marks_is_looked_for_where_it_stands() -> None:
    def serve_flags(request: Request) -> Response:
        ships = [{**ship, "captain": {"name": "Ode II"}} for ship in SHIPS]
        return reply(200, ships) if request.url.endswith("/ships") else serve(request)

    _, sent = ask(
        "Who sails the ship of “Ode II”?",
        plan({"kind": "find", "what": "the captain of the ship of Ode II"}),
        select("list_crew"),
        arguments(ship_id="Ode II"),
        code("data[0]"),
        code("data[0]"),
        answer("Ode Mar sails it."),
        send=RecordingTransport(serve_flags),
    )
    assert sent[-1] == "GET /ships/s-1/crew"


def test_the_only_thing_that_fits_is_named() -> None:
    given, _ = ask(
        "Which ships fly FR?",
        plan({"kind": "find", "what": "the ships that fly FR", "quantity": "some"}),
        select("list_ships"),
        code("data[1]"),
        answer("One of 41 m flies FR."),
    )
    assert given.text == "One of 41 m flies FR.\n- Aurora"


@pytest.mark.parametrize("name", ["", " of the Aurora"], ids=["unnamed", "named"])
def test_a_thing_that_was_chosen_out_of_a_list_is_named(name: str) -> None:
    given, _ = ask(
        f"What is the flag{name} of the longest ship?",
        plan({"kind": "find", "what": "the longest ship", "quantity": "one"}),
        select("list_ships"),
        code("data[1]"),
        answer("It flies FR."),
    )
    assert given.text == ("It flies FR." if name else "It flies FR.\n- Aurora")


def test_an_id_that_nobody_asked_for_may_be_left_out() -> None:
    given, _ = ask(
        "Is there a draft Winter?",
        plan({"kind": "find", "what": "the draft Winter"}),
        select("list_drafts"),
        code("data[0]"),
        answer("There is a draft Winter."),
    )
    assert given.text == "There is a draft Winter."


@pytest.mark.parametrize("made_up", ["It is 77 m long.", "The Aurora carries the order A-17."])
def test_an_answer_that_no_fact_holds_is_not_told(made_up: str) -> None:
    given, _ = ask(
        "Which ship is the longest?",
        plan({"kind": "find", "what": "the longest ship"}),
        select("list_ships"),
        code("max(data, key=lambda ship: ship['length_m'])"),
        answer(made_up),
        answer(f"{made_up} So it is."),
    )
    assert made_up not in given.text
    assert "name: Aurora" in given.text


def test_a_day_may_be_told_with_the_name_of_its_month() -> None:
    def serve_day(request: Request) -> Response:
        return reply(200, {"id": "s-9", "flag": "2026-11-04"})

    given, _ = ask(
        "When is s-9 expected?",
        plan({"kind": "find", "what": "when s-9 is expected"}),
        select("get_ship"),
        arguments(ship_id="s-9"),
        code("{'id': data['id'], 'expected_on': data['flag']}"),
        answer("It is expected on November 4, 2026."),
        send=RecordingTransport(serve_day),
    )
    assert given.text == "It is expected on November 4, 2026."


def test_who_approves_a_change_is_shown_the_list_and_where_its_values_come_from() -> None:
    shown: list[Request] = []

    def approve(tool: object, request: Request) -> bool:
        del tool
        shown.append(request)
        return True

    ask(
        "Delete all my drafts.",
        plan(
            {"kind": "find", "what": "my drafts", "quantity": "all"},
            {"kind": "change", "what": "delete #1", "of": [1], "quantity": "all"},
        ),
        select("list_drafts"),
        code("data"),
        select("delete_draft"),
        answer("All drafts are deleted."),
        approve=approve,
    )
    named = ((1, "Winter"), (2, "Autumn"), (3, "Spring"))
    lines = tuple(f"delete_draft(draft_id={number}) “{name}”" for number, name in named)
    assert [request.batch for request in shown] == [lines] * 3
    assert shown[1].notes == ("draft_id 2 is of the response of list_drafts()",)


def test_a_change_of_a_thing_by_its_name_is_made_to_what_is_called_so() -> None:
    _, sent = ask(
        "Remove the ship Aurora.",
        plan({"kind": "change", "what": "remove the ship Aurora"}),
        select("delete_ship"),
        arguments(ship_id="Aurora"),
        answer("The ship Aurora is removed."),
    )
    assert sent == ["GET /ships/Aurora", "GET /ships", "DELETE /ships/s-2"]


def test_a_thing_whose_name_only_stands_in_what_was_said_is_not_changed() -> None:
    given, sent = ask(
        "Remove the ship “Aurora Two”.",
        plan({"kind": "change", "what": "remove the ship “Aurora Two”"}),
        select("delete_ship"),
        arguments(ship_id="Aurora Two"),
    )
    assert [one for one in sent if one.startswith("DELETE")] == []
    assert given.stopped != "answered"


def test_what_an_earlier_step_leaves_out_stays_left_out() -> None:
    given, sent = ask(
        "Of all drafts except Winter delete the first two.",
        plan(
            {"kind": "find", "what": "the drafts", "quantity": "all", "except": ["Winter"]},
            {"kind": "find", "what": "the first two of #1", "of": [1], "quantity": "some"},
            {"kind": "change", "what": "delete #2", "of": [2], "quantity": "all"},
        ),
        select("list_drafts"),
        code("data"),
        select("known"),
        code("data[:2]"),
        select("delete_draft"),
        answer("The draft Autumn is deleted."),
    )
    assert "DELETE /drafts/1" not in sent, given


def test_a_condition_on_a_part_of_a_list_is_not_known() -> None:
    step = PlanStep(id=1, kind="find", what="whether the ship is moored")
    change = PlanStep(id=2, kind="change", what="remove it", condition=Condition(1, holds=False))
    run = RestRun("x", catalog(load(HARBOUR, alias="port")))
    run.plan = Plan("English", (step, change))
    run.facts.append(Fact(what=step.what, value=False, step=1, notes=(PART_READ,)))
    unmet = unmet_condition(run, change)
    assert unmet is not None
    assert "could not be found out" in unmet.why
    assert unmet.stopped == "error"
    run.facts[:] = [Fact(what=step.what, value=False, step=1)]
    assert unmet_condition(run, change) is None


def test_a_plan_that_changes_what_it_leaves_out_is_a_fault() -> None:
    spared = {"kind": "change", "what": "delete all but “Kite”", "quantity": "all"}
    spared |= {"id": 1, "of": [], "except": ["Kite"]}
    kept = {"id": 2, "kind": "change", "what": "delete “kite”", "of": [], "quantity": "one"}
    other = {**kept, "what": "delete “Ode”"}
    said = "delete all but kite, and ode"
    assert "step 2 changes 'kite'" in find_plan_fault({"steps": [spared, kept]}, said)
    assert not find_plan_fault({"steps": [spared, other]}, said)


def test_two_conditions_on_one_step_are_a_fault() -> None:
    found = {"id": 1, "kind": "find", "what": "the length", "of": [], "quantity": "one"}
    changed = {"kind": "change", "what": "remove it", "of": [], "quantity": "one"}
    tests = [{"step": 1, "is": text, "holds": True} for text in ("over 12", "over 20")]
    steps = [found, *({**changed, "id": 2 + n, "condition": one} for n, one in enumerate(tests))]
    assert "two things are asked of #1" in find_plan_fault({"steps": steps}, "")


def test_what_a_post_may_do_is_said_by_the_paths_of_its_own_api() -> None:
    posted = {"/ships": {"post": {"operationId": "scrap_ships", "responses": {}}}}
    item = {"get": {"operationId": "get", "parameters": [path_input("id")], "responses": {}}}
    other = load(document({"/ships/{id}": item}), alias="fleet")
    alone = catalog(load(document(posted), alias="yard"), other)
    model = ScriptedModel(
        [plan({"kind": "change", "effect": "delete", "what": "scrap the ships"}), select("none")]
    )
    Agent(
        alone,
        model=model,
        send=RecordingTransport(serve),
        kind=lambda agent, asked: run_rest(asked, agent.catalog, policy=agent.policy),
    ).ask("Scrap the ships.")
    assert [request.role for request in model.asked] == ["planner", "selector"]


def test_a_plain_id_is_taken_from_things_of_its_own_path_alone() -> None:
    crew = {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}
    harbour = document(
        {
            "/ships/{id}/crew": {
                "get": {
                    "operationId": "list_crew",
                    "parameters": [path_input("id")],
                    "responses": listed(crew),
                }
            },
            "/ships/{id}": {
                "delete": {
                    "operationId": "delete_ship",
                    "parameters": [path_input("id")],
                    "responses": {"204": {"description": "gone"}},
                }
            },
        }
    )
    model = ScriptedModel(
        [
            plan(
                {"kind": "find", "what": "the cook of s-1"},
                {"kind": "change", "effect": "delete", "what": "delete #1", "of": [1]},
            ),
            select("list_crew"),
            arguments(id="s-1"),
            code("data[0]"),
            select("delete_ship"),
            arguments(id="c-7"),
            answer("The cook was not deleted."),
        ]
    )
    send = RecordingTransport(lambda request: reply(200, [{"id": "c-7", "name": "Pim"}]))
    agent = Agent(
        catalog(load(harbour, alias="port")),
        model=model,
        send=send,
        approve=approve_all,
        kind=lambda agent, asked: run_rest(asked, agent.catalog, policy=agent.policy),
    )
    agent.ask("Delete the cook of s-1.")
    assert {request.method.upper() for request in send.sent} == {"GET"}
