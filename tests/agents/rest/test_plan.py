"""What a plan says in any case, what it may depend on, and one thing that is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.rest.test_rest import HARBOUR, plan, select, serve
from tests.support.planned import FittingModel, filled, query, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.plan import (
    find_plan_fault,
    separate_conditions,
    tell_exceptions,
    without_unsaid,
)
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel
from restwright.tools.catalog.catalog import catalog

FAULT = "step 2 depends on #1, which is not one thing to find"
CHANGE = {"kind": "change", "effect": "delete", "quantity": "all"}
QUESTION = "Delete my drafts, and leave the draft “Winter” as it is."


def ask(question: str, model: ScriptedModel, **settings: Any) -> tuple[Answer, list[str]]:
    """The answer, and the ids of what was deleted."""
    send = RecordingTransport(serve)
    apis = catalog(load(HARBOUR, alias="port"))
    agent = Agent(apis, model=model, kind="rest", send=send, approve=approve_all, **settings)
    given = agent.ask(question)
    deleted = [one.url for one in send.sent if one.method.upper() == "DELETE"]
    return given, [url.rpartition("/")[2] for url in deleted]


def deletions(question: str, *script: Reply) -> list[str]:
    return ask(question, FittingModel(script, is_small=True))[1]


def test_a_name_of_which_nobody_says_what_is_to_be_done_stops_the_change() -> None:
    deleted = deletions(
        QUESTION,
        plan({**CHANGE, "what": "delete my drafts, leave the draft “Winter” as it is"}),
        select("delete_draft"),
        query(),
    )
    assert deleted == []


def test_what_a_change_leaves_out_and_depends_on_has_to_be_said() -> None:
    model = FittingModel([plan({"kind": "find", "what": "the drafts"}), *(select("none"),) * 2])
    ask("Show the drafts.", model)
    (asked,) = (one for one in model.asked if one.role == "planner")
    assert asked.schema is not None
    for kind in asked.schema["properties"]["steps"]["items"]["anyOf"]:
        always = [name for name in kind["properties"] if name in {"except", "condition"}]
        # In one order, or the same prompt would be another one in the next process.
        assert kind["required"][-len(always) :] == always or not always
        assert ("condition" in always) is (kind["properties"]["kind"]["const"] == "change")


def test_a_plan_says_no_more_than_it_says() -> None:
    step = {"id": 1, "of": [], "what": "delete all drafts", "except": [], "condition": None}
    (said,) = without_unsaid({"language": "English", "steps": [step]})["steps"]
    assert said == {"id": 1, "of": [], "what": "delete all drafts"}


@pytest.mark.parametrize(
    ("quantity", "fault"),
    [("one", ""), ("number", FAULT), ("some", FAULT)],
)
def test_a_change_depends_on_one_value(quantity: str, fault: str) -> None:
    find = {"id": 1, "kind": "find", "what": "the crew of the ship", "of": [], "quantity": quantity}
    change = {**CHANGE, "id": 2, "what": "delete it", "of": [], "quantity": "one"}
    change |= {"condition": {"step": 1, "is": "over 12", "holds": True}}
    assert find_plan_fault({"steps": [find, change]}, "") == fault


def test_a_second_plan_that_names_less_is_not_taken() -> None:
    told: list[str] = []
    script = [
        plan({"kind": "find", "what": "the length of the ship “Tern”"}),
        plan({"kind": "find", "what": "the length"}),
        select("none"),
        select("none"),
    ]
    ask(
        "Which “length” of the ship “Tern” is over 40?",
        FittingModel(script),
        on_event=lambda event: told.append(event.text) if event.kind == "plan" else None,
    )
    assert told == ["1. the length of the ship “Tern”"]


@pytest.mark.parametrize("is_told", [True, False])
def test_a_reader_that_gives_several_things_for_one_is_told_so_once(is_told: bool) -> None:
    longest = query(sort={"by": "length_m", "first": "highest"}, take=1)
    script = [
        plan({"kind": "find", "what": "the maximum length of the ships"}),
        select("list_ships"),
        query(),
        longest if is_told else query(),
        worded("It is the Aurora; and the Tern is there."),
    ]
    model = FittingModel(script, is_small=True)
    given, _ = ask("What is the maximum length of the ships?", model)
    readings = [one.messages[-1].text for one in model.asked if one.role == "reader"]
    told = "2 things fit, and one is asked for"
    assert [told in reading for reading in readings] == [False, True]
    facts = next(one.messages[-1].text for one in model.asked if one.role == "answer")
    assert ("name: Tern" in facts) is not is_told
    assert given.stopped == "answered"


def test_what_a_change_builds_on_over_another_step_is_chosen_by_no_order_on_request() -> None:
    script = [
        plan(
            {"kind": "find", "what": "the maximum length of the ships"},
            {"kind": "find", "what": "the draft of #1", "of": [1]},
            {**CHANGE, "what": "delete #2", "of": [2], "quantity": "one"},
        ),
        select("list_ships"),
        query(),
        *(select("none"),) * 4,
        worded("Nothing was deleted."),
    ]
    model = FittingModel(script, is_small=True)
    _, deleted = ask("Delete the draft of the longest ship.", model)
    assert len([one for one in model.asked if one.role == "reader"]) == 1
    assert deleted == []


SPARED = "Never mind the draft “Winter”; which drafts are the others?"
AWAY = plan({**CHANGE, "what": "delete the drafts", "except": ["Winter"]})


@pytest.mark.parametrize("wanted", ["something found", "a change"])
def test_what_is_only_to_be_found_is_not_changed(wanted: str) -> None:
    is_to_find = wanted == "something found"
    others = plan({"kind": "find", "what": "the drafts", "quantity": "all", "except": ["Winter"]})
    script = [others, select("list_drafts"), query()] if is_to_find else []
    rest = [select("delete_draft"), query(), worded("Two are deleted.")]
    model = FittingModel([AWAY, ("intent", {"wants": wanted}), *(script or rest)], is_small=True)
    answer, deleted = ask(SPARED, model)
    assert deleted == ([] if is_to_find else ["2", "3"])
    if is_to_find:
        assert "Autumn" in answer.text
        assert "The message wants something found." in model.asked[2].messages[-1].text


@pytest.mark.parametrize("wanted", ["something found", "a greeting", "what you can do"])
def test_a_change_is_not_made_where_none_is_wanted(wanted: str) -> None:
    again = [AWAY] if wanted == "something found" else []
    model = FittingModel([AWAY, ("intent", {"wants": wanted}), *again], is_small=True)
    answer, deleted = ask(SPARED, model)
    assert deleted == []
    assert f"the message wants {wanted}" in answer.reason


LOST = plan({**CHANGE, "what": "delete the draft “Winter”", "quantity": "one"})


@pytest.mark.parametrize("depends", [True, False])
def test_a_change_that_lost_what_it_depends_on_is_not_made(depends: bool) -> None:
    said = ("condition", {"wants": "a change if something is so" if depends else "a change"})
    rest = (
        [LOST]
        if depends
        else [select("delete_draft"), filled(draft_id="Winter"), worded("Deleted.")]
    )
    model = FittingModel([LOST, ("intent", {"wants": "a change"}), said, *rest], is_small=True)
    answer, deleted = ask("If nobody reads the draft “Winter”, delete it.", model)
    assert deleted == ([] if depends else ["1"])
    assert ("it depends on nothing" in answer.reason) is depends


def test_a_change_that_is_planned_when_asked_again_is_asked_about_too() -> None:
    said = ("condition", {"wants": "a change if something is so"})
    script = [plan(), ("intent", {"wants": "a change"}), LOST, said, LOST]
    answer, deleted = ask(
        "If nobody reads the draft “Winter”, delete it.", FittingModel(script, is_small=True)
    )
    assert deleted == []
    assert "it depends on nothing" in answer.reason


def test_a_plan_with_a_condition_changes_no_more_than_the_one_without() -> None:
    said = ("condition", {"wants": "a change if something is so"})
    test = {"condition": {"step": 1, "is": "unread", "holds": True}}
    more = plan(
        {"kind": "find", "what": "the draft “Winter”"},
        {**CHANGE, **test, "what": "delete the drafts"},
    )
    script = [LOST, ("intent", {"wants": "a change"}), said, more]
    answer, deleted = ask(
        "If nobody reads the draft “Winter”, delete it.", FittingModel(script, is_small=True)
    )
    assert deleted == []
    assert "it depends on nothing" in answer.reason


@pytest.mark.parametrize("kind", ["find", "change"])
def test_what_a_read_leaves_out_by_no_name_is_told_in_its_words(kind: str) -> None:
    step = {"id": 1, "kind": kind, "what": "the drafts", "except": ["Winter", "over 30 pages"]}
    (told,) = tell_exceptions({"steps": [step]}, "no winter, and none over 30")["steps"]
    if kind == "change":
        # What a change leaves out has to be known by its name.
        assert told == step
    else:
        assert told["what"] == "the drafts, but not: over 30 pages"
        assert told["except"] == ["Winter"]


@pytest.mark.parametrize("step", [1, 7], ids=["itself", "none"])
@pytest.mark.parametrize("test", ["no one reads the draft “Winter”", "unread"])
def test_what_no_step_finds_is_found_by_one_before(step: int, test: str) -> None:
    condition: JsonObject = {"step": step, "is": test, "holds": True}
    drop: JsonObject = {"id": 1, "kind": "change", "effect": "delete", "of": [], "quantity": "one"}
    drop |= {"what": "delete the draft “Winter”", "condition": condition}
    find, change = separate_conditions({"language": "English", "steps": [drop]})["steps"]
    named = "“Winter”" in test
    assert find["what"] == (test if named else "what this depends on: delete the draft “Winter”")
    assert change["condition"] == {**condition, "step": find["id"]}
