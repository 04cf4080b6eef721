"""Examples of an API are shown to the roles of an agent, and to no other API's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.rendered import SCRIPTS, library, rendered, requests_of

from restwright.agents.agent import Agent
from restwright.agents.roles.few_shot import ROOM, Examples
from restwright.agents.steps import Complete, Message
from restwright.calls.arguments.check import check_value
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document
from restwright.tools.catalog.catalog import catalog

TASK = "the painter Tom Lee"
ASKED = {"question": "Where was Tom Lee born?", "asked": [{"find": TASK}]}
CODE = "def parse(data):\n    return data[1]\n"
SHOWN: JsonObject = {
    "planner": [ASKED],
    "selector": [{"task": TASK, "asked": "author", "of": "library", "operation": "list_authors"}],
    "caller": [{"operation": "list_authors", "task": TASK, "arguments": {"name": "Tom"}}],
    "parser": [
        {"operation": "list_authors", "task": TASK, "arguments": {"name": "Tom"}, "code": CODE}
    ],
}
REPLIES = {
    "planner": json.dumps(
        {
            "language": "English",
            "named": [],
            "asked": [{"id": 1, "type": "find", "thing": "painter", "what": TASK}],
        }
    ),
    "selector": json.dumps({"asked": "author", "of": "library", "operation": "list_authors"}),
    "caller": '{"conditions": ["name Tom"], "name": "Tom"}',
    "parser": CODE.strip(),
}


def given(content: JsonObject, alias: str = "library") -> Examples:
    return Examples({alias: content})


def first(requests: Sequence[Complete], role: str) -> Complete:
    return next(each for each in requests if each.role == role)


def added(role: str, content: JsonObject, run: str = "rest-find") -> tuple[Message, ...]:
    """The messages that examples add to the first prompt of a role."""
    before = first(requests_of(run), role).messages
    after = first(requests_of(run, examples=given(content)), role).messages
    more = len(after) - len(before)
    assert (*after[: len(before) - 1], after[-1]) == before
    return after[len(before) - 1 :][:more]


@pytest.mark.parametrize("role", SHOWN)
def test_an_example_is_an_exchange_before_what_is_asked_now(role: str) -> None:
    asked, replied = added(role, SHOWN)
    assert (asked.speaker, replied.speaker) == ("user", "assistant")
    assert (TASK if role != "planner" else ASKED["question"]) in asked.text
    assert replied.text == REPLIES[role]


@pytest.mark.parametrize("role", ["planner", "selector", "caller"])
def test_the_reply_of_an_example_keeps_the_contract_of_its_role(role: str) -> None:
    request = first(requests_of("rest-find", examples=given(SHOWN)), role)
    assert check_value(request.schema, json.loads(REPLIES[role])) == ()


def test_the_prompt_of_an_example_has_the_form_of_the_prompt() -> None:
    asked, _ = added("parser", SHOWN)
    now = first(requests_of("rest-find"), "parser").messages[-1].text
    shown = asked.text.replace("name='Tom'", "name='Ana Ruiz'")
    assert shown.replace(TASK, "the author Ana Ruiz") == now


@pytest.mark.parametrize("role", SHOWN)
def test_a_role_sees_its_own_examples_alone(role: str) -> None:
    others = {name: each for name, each in SHOWN.items() if name != role}
    assert added(role, others) == ()


@pytest.mark.parametrize("role", ["selector", "caller", "parser"])
def test_an_example_of_another_operation_is_not_shown_to_who_has_not_that_one(role: str) -> None:
    other = {role: [{**SHOWN[role][0], "operation": "lend", "arguments": {}}]}
    if role == "selector":
        other[role][0].pop("arguments")
    if role == "caller":
        other[role][0]["arguments"] = {"book_id": 1, "weeks": 2}
    assert added(role, other) == ()


def test_examples_of_another_api_are_not_shown() -> None:
    (api,) = library().apis.values()
    both = catalog(api, load(document({"/x": {"get": {"operationId": "list_authors"}}}), alias="x"))
    script = SCRIPTS["rest-hello"][2]
    model = ScriptedModel(script)
    Agent(both, model=model, examples=given({"caller": [], "planner": [ASKED]}, "x")).ask("Hi")
    assert ASKED["question"] in str(model.asked[0].messages)
    selector = given({"selector": SHOWN["selector"]}, "x").selector
    assert selector({"list_authors": library()["library__list_authors"]}, sequences=False) == ()


def test_a_model_that_chooses_sequences_sees_examples_in_that_contract() -> None:
    tool = library()["library__list_authors"]
    (shot,) = given(SHOWN).selector({"list_authors": tool}, sequences=True)
    assert json.loads(shot.reply) == {"operations": [{"operation": "list_authors", "task": TASK}]}


def test_only_as_many_are_shown_as_there_is_room_for() -> None:
    many = [{**ASKED, "question": f"{n} " + "why? " * 100} for n in range(20)]
    shown = added("planner", {"planner": many})
    assert 0 < sum(len(each.text) for each in shown) <= ROOM
    assert shown[0].text.startswith("0 ")


@pytest.mark.parametrize("name", SCRIPTS)
def test_without_examples_the_prompts_are_as_they_are(name: str) -> None:
    assert rendered(name, examples=given({"planner": []})) == rendered(name)


@pytest.mark.parametrize("kind", ["plan", "react"])
def test_the_baselines_show_those_of_the_caller_and_the_parser(kind: str) -> None:
    shown = {"operation": "list_books", "task": TASK}
    content = {
        "caller": [{**shown, "arguments": {}}],
        "parser": [{**shown, "code": CODE}],
    }
    requests = requests_of(kind, examples=given(content))
    assert [TASK in str(each.messages) for each in requests if each.role == "caller"] == [True]
    assert [TASK in str(each.messages) for each in requests if each.role == "parser"] == [True]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"planer": []}, "/planer"),
        ({"planner": [{"question": "Who?"}]}, "/planner/0/asked"),
        ({"planner": [{**ASKED, "asked": [{"look": "x"}]}]}, "/planner/0/asked/0"),
        ({"caller": [{"operation": "x", "task": "y", "arguments": []}]}, "/caller/0/arguments"),
        ({"selector": [SHOWN["selector"][0]] * 51}, "/selector"),
        ([], "expected an object"),
    ],
)
def test_examples_of_another_form_are_refused(content: Any, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        given(content)


@pytest.mark.parametrize(
    ("examples", "why"),
    [
        (given(SHOWN, "libary"), "there are examples of libary, but only the APIs library"),
        (
            given({"selector": [{"task": "x", "operation": "list_author"}]}),
            "/selector/0 is of list_author, which is no operation; did you mean list_authors",
        ),
        (
            given({"caller": [{**SHOWN["caller"][0], "arguments": {"nam": "x"}}]}),
            "/caller/0 has nam; its arguments are name",
        ),
        (
            given({"caller": [{**SHOWN["caller"][0], "arguments": {"name": 1}}]}),
            "/caller/0 has arguments that do not fit: /name: expected",
        ),
    ],
    ids=["an API", "an operation", "an argument", "a value"],
)
def test_examples_of_what_there_is_not_are_refused(examples: Examples, why: str) -> None:
    agent = Agent(library(), model=ScriptedModel([]), examples=examples)
    with pytest.raises(ValueError, match=re.escape(why)):
        agent.ask("Hi")
