"""Conditions over several things: that there are none of them, or some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.agents.rest.test_only import BOATS, DONE, PATHS, YARD, ask, change, find, gives
from tests.support.planned import filled, planned, query, select, worded

from restwright.jsontypes import Json, JsonObject
from restwright.testing import Reply

CLOSE: JsonObject = {
    "/yards/{yard}": {
        **PATHS["/yards/{yard}"],
        "delete": {"operationId": "delete_yard", "parameters": [YARD], "responses": DONE},
    },
    "/yards/{yard}/boats": {"get": PATHS["/yards/{yard}/boats"]["get"]},
    "/yards": PATHS["/yards"],
}
YARDS: list[JsonObject] = [{"id": "y-1", "name": "East"}, {"id": "y-2", "name": "West"}]
ODE: JsonObject = {"field": "name", "is": "contains", "value": "Ode"}
NONE: Reply = ("amount", {"asks": "that there are none"})
SOME: Reply = ("amount", {"asks": "that there are some"})
ELSE: Reply = ("amount", {"asks": "something else"})
READ = query("things", give="yes or no")


def written(
    boats: Json,
    *script: Reply,
    test: str = "empty",
    holds: bool = True,
    what: str = "the boats in the yard “East”",
    paths: JsonObject = CLOSE,
    question: str = "Delete the yard “East” if it is empty.",
) -> tuple[str, list[str]]:
    """What the answer says, and the changes that were sent."""
    step: JsonObject = {**change("delete the yard “East”", "delete"), "id": 2}
    answer, _, sent = ask(
        question,
        planned(find(what, "one"), {**step, "condition": {"step": 1, "is": test, "holds": holds}}),
        select("list_boats"),
        *script,
        yards=YARDS,
        paths=paths,
        bodies={"/yards/y-1/boats": boats, "/yards/y-1": {}},
    )
    return answer.text, [one for one in sent if not one.startswith("GET")]


DELETED = ["DELETE /yards/y-1"]
LAST = (select("delete_yard"), filled(yard="East"), worded("It is deleted."))
UNMET = (worded("Its condition is not met."),)


@pytest.mark.parametrize(
    ("boats", "script", "holds", "deleted"),
    [
        ([], (NONE, *LAST), True, DELETED),
        ([], (NONE, *UNMET), False, []),
        ([], (SOME, *UNMET), True, []),
        ([], (ELSE, select("none")), True, []),
        (BOATS, (READ, READ, NONE, *UNMET), True, []),
        (BOATS, (READ, READ, NONE, select("none")), False, []),
        (BOATS, (READ, READ, SOME, select("none")), True, []),
        (BOATS, (READ, READ, SOME, *UNMET), False, []),
        (BOATS, (READ, READ, ELSE, select("none")), True, []),
    ],
)
def test_that_there_are_none_is_told_by_how_many_there_are(
    boats: list[Json], script: Sequence[Reply], holds: bool, deleted: list[str]
) -> None:
    text, sent = written(boats, *script, holds=holds)
    assert sent == deleted
    assert ("Not done" in text) is (not deleted)


def where_all(*tests: JsonObject) -> Reply:
    return query("things", give="yes or no", where=[*tests])


@pytest.mark.parametrize(
    ("asks", "deleted"),
    [(NONE, []), (SOME, DELETED), (ELSE, DELETED)],
    ids=["none, and one is there", "some", "something else"],
)
def test_a_thing_that_is_there_is_not_what_is_to_be_nowhere(asks: Any, deleted: list[str]) -> None:
    """A small model tests whether there is one, for `no Ode boats` as for `an Ode boat`."""
    last = LAST if deleted else UNMET
    text, sent = written(
        BOATS,
        where_all(ODE),
        asks,
        *last,
        test="no Ode boats" if not deleted else "an Ode boat",
    )
    assert sent == deleted
    assert ("Not done" in text) is (not deleted)


def test_what_is_excluded_and_to_be_none_may_be_meant_once() -> None:
    text, sent = written(
        BOATS,
        where_all({"field": "name", "is": "!=", "value": "Lua"}),
        NONE,
        select("none"),
        test="not Lua",
    )
    assert sent == []
    assert "Not done" in text


def test_a_text_that_no_thing_has_may_be_of_other_things() -> None:
    """That no boat is called `urgent` says nothing of urgent repairs."""
    text, sent = written(
        BOATS, where_all({**ODE, "value": "urgent"}), NONE, select("none"), test="no name is urgent"
    )
    assert sent == []
    assert "Not done" in text


def test_a_list_of_nothing_says_nothing_of_one_that_is_named() -> None:
    text, sent = written(
        [],
        select("none"),
        what="the boat “Kite” in the yard “East”",
        question="If the boat “Kite” in the yard “East” is red, delete the yard “East”.",
    )
    assert sent == []
    assert "Not done" in text


def test_a_condition_of_one_thing_is_no_condition_of_the_others() -> None:
    """The model leaves the name out of what it tests: of some boat it holds."""
    other = where_all({"field": "id", "is": "=", "value": "b-2"})
    text, sent = written(
        BOATS,
        *[other] * 2,
        select("none"),
        what="the boat “Ode” in the yard “East”",
        test="b-2",
        question="If the boat “Ode” in the yard “East” is b-2, delete the yard “East”.",
    )
    assert sent == []
    assert "Not done" in text


def test_a_function_may_list_something_else_than_what_is_meant() -> None:
    note: JsonObject = {"name": "boardID", "in": "query", "schema": {"type": "string"}}
    listed: JsonObject = {"type": "object", "properties": {"notes": {"type": "array"}}}
    boards: JsonObject = {"type": "array", "items": {"type": "string"}}
    paths: JsonObject = {
        "/listBoards": {
            "get": {
                "operationId": "listBoards",
                "responses": gives({"type": "object", "properties": {"boardIDs": boards}}),
            }
        },
        "/listNotes": {
            "get": {"operationId": "listNotes", "parameters": [note], "responses": gives(listed)}
        },
        "/deleteBoard": {
            "post": {"operationId": "deleteBoard", "parameters": [note], "responses": DONE}
        },
    }
    step: JsonObject = {**change("delete the board “plans”", "delete"), "id": 2}
    _, _, sent = ask(
        "Delete the board “plans” if it is empty.",
        planned(
            find("the notes of the board “plans”", "one"),
            {**step, "condition": {"step": 1, "is": "empty", "holds": True}},
        ),
        select("listNotes"),
        filled(boardID="plans"),
        ("lookup", {"kind": "board", "which": "the board “plans”", "name": "plans"}),
        select("none"),
        worded("It is not known whether it is empty."),
        paths=paths,
        bodies={
            "/listBoards": {"boardIDs": ["ideas", "plans"]},
            "/listNotes": {"notes": []},
            "/deleteBoard": {},
        },
    )
    assert not [one for one in sent if one.startswith("POST")]


@pytest.mark.parametrize("rest", [{}, {"keepers": [{"id": "k-1", "name": "Ann"}]}])
def test_other_things_of_a_response_are_not_counted_for_those_that_are_not_there(
    rest: JsonObject,
) -> None:
    other = query("keepers", give="yes or no")
    asked = (other, other, NONE, select("none")) if rest else (NONE, *UNMET)
    text, sent = written({"boats": [], **rest}, *asked, test="no boats", holds=False)
    assert sent == []
    assert "Not done" in text


STATE: JsonObject = {
    "name": "state",
    "in": "query",
    "schema": {"type": "string", "enum": ["open", "closed", "all"], "default": "open"},
}


def test_a_list_that_leaves_some_out_by_default_says_not_that_there_are_none() -> None:
    boats: JsonObject = {**PATHS["/yards/{yard}/boats"]["get"], "parameters": [YARD, STATE]}
    text, sent = written(
        [],
        filled(state="open"),
        select("none"),
        paths={**CLOSE, "/yards/{yard}/boats": {"get": boats}},
    )
    assert sent == []
    assert "Not done" in text


def test_a_number_that_no_thing_has_may_be_of_another_field() -> None:
    boats: list[JsonObject] = [{**one, "length": 4, "crew": 9} for one in BOATS]
    crew = "Delete the yard “East” if no boat in it has a crew of {}."
    wrong = where_all({"field": "length", "is": "=", "value": 9})
    _, sent = written(
        boats, wrong, NONE, select("none"), test="no crew of 9", question=crew.format(9)
    )
    assert sent == []
    right = where_all({"field": "crew", "is": "=", "value": 8})
    _, sent = written(boats, right, NONE, *LAST, test="no crew of 8", question=crew.format(8))
    assert sent == DELETED


@pytest.mark.parametrize("more", [{}, {"/yards/{yard}/cranes": "list_cranes"}])
def test_a_list_of_nothing_that_may_be_another_one_says_not_that_a_thing_is_empty(
    more: dict[str, str],
) -> None:
    """Boats may not be meant where there are cranes."""
    boats = PATHS["/yards/{yard}/boats"]["get"]
    lists = {path: {"get": {**boats, "operationId": name}} for path, name in more.items()}
    text, sent = written(
        [],
        *((select("none"),) if more else (NONE, *LAST)),
        paths={**CLOSE, **lists},
        what="the yard “East”",
    )
    assert sent == ([] if more else DELETED)
    assert ("Not done" in text) is bool(more)


def test_what_is_counted_untested_allows_neither_of_two_changes() -> None:
    """It keeps from the one, and would let the other be made."""
    condition: JsonObject = {"step": 1, "is": "a burnt one"}
    drop = change("delete the yard “East”", "delete")
    other = change("delete the yard “West”", "delete")
    answer, _, sent = ask(
        "Delete the yard “East” if a burnt boat is in it, else the yard “West”.",
        planned(
            find("the burnt boats in the yard “East”", "one"),
            {**drop, "id": 2, "condition": {**condition, "holds": False}},
            {**other, "id": 3, "condition": {**condition, "holds": True}},
        ),
        select("list_boats"),
        READ,
        READ,
        SOME,
        select("none"),
        yards=YARDS,
        paths=CLOSE,
        bodies={"/yards/y-1/boats": [*BOATS], "/yards/y-1": {}, "/yards/y-2": {}},
    )
    assert not [one for one in sent if one.startswith("DELETE")]
    assert answer.text.count("is not known") + answer.text.count("could not be found out") == 2


def test_a_number_of_another_field_is_no_reason_for_a_change_that_is_made_unless() -> None:
    boats: list[JsonObject] = [{**one, "length": 4, "crew": 9} for one in BOATS]
    wrong = where_all({"field": "length", "is": "=", "value": 9})
    text, sent = written(
        boats,
        wrong,
        SOME,
        select("none"),
        test="a crew of 9",
        holds=False,
        question="Delete the yard “East” unless a boat in it has a crew of 9.",
    )
    assert sent == []
    assert "not known" in text or "could not be found out" in text
