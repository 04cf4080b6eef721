"""What a change is made to: not the thing of another name, nor that of another step."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.rest.test_amount import where_all
from tests.agents.rest.test_only import BODY, DONE, PATHS, TEXT, TWO, YARD, ask, change, find, gives
from tests.support.planned import filled, planned, query, select, worded

from restwright.jsontypes import Json, JsonObject
from restwright.testing import Reply

GIVEN: JsonObject = {"name": "boat", "in": "path", "required": True, "schema": TEXT}
BOAT: JsonObject = {
    "type": "object",
    "properties": {"id": TEXT, "name": TEXT, "code": TEXT, "colour": TEXT, "owner": TEXT},
}
PATCH: JsonObject = {
    "operationId": "edit_boat",
    "parameters": [GIVEN],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "object", "properties": {"crew": {"type": "integer"}}}
            }
        },
    },
    "responses": DONE,
}
FLEET: JsonObject = {
    "/boats": {
        "get": {"operationId": "list_boats", "responses": gives({"type": "array", "items": BOAT})}
    },
    "/boats/{boat}": {
        "delete": {"operationId": "delete_boat", "parameters": [GIVEN], "responses": DONE},
        "get": {"operationId": "get_boat", "parameters": [GIVEN], "responses": gives(BOAT)},
    },
}
BOATS: list[JsonObject] = [
    {"id": "b-1", "name": "Ode", "code": "T-7", "colour": "red", "owner": "Bob"},
    {"id": "b-2", "name": "Lua", "code": "T-8", "colour": "blue", "owner": "Ann"},
]
BODIES: dict[str, Json] = {
    "/boats": [*BOATS],
    "/boats/b-1": BOATS[0],
    "/boats/b-2": BOATS[1],
}


def compared(field: str, comparison: str, value: Any) -> JsonObject:
    return {"field": field, "is": comparison, "value": value}


def deleted(
    question: str, found: str, step: JsonObject, test: str, *script: Reply, holds: bool = True
) -> list[str]:
    """What was deleted under a condition that the first step finds out."""
    condition = {"step": 1, "is": test, "holds": holds}
    drop: JsonObject = {**change("", "delete"), "id": 2, "of": [1], "condition": condition}
    _, _, sent = ask(
        question,
        planned(find(found, "one"), {**drop, **step}),
        select("list_boats"),
        *script,
        paths=FLEET,
        bodies=BODIES,
    )
    return [one for one in sent if one.startswith("DELETE")]


IS_RED = where_all(compared("name", "=", "Ode"), compared("colour", "=", "red"))


def test_what_a_condition_was_asked_of_is_not_what_another_change_is_made_to() -> None:
    sent = deleted(
        "If the boat “Ode” is red, delete the blue boat.",
        "the boat “Ode”",
        {"what": "delete the blue boat"},
        "red",
        IS_RED,
        select("delete_boat"),
        filled(boat=None),
        ("lookup", {"kind": "boat", "which": "the blue boat", "name": None}),
        query(where=[compared("colour", "=", "blue")]),
        worded("It is deleted."),
    )
    assert sent == ["DELETE /boats/b-2"]


def test_nor_one_of_several_that_it_is_made_to() -> None:
    sent = deleted(
        "If the boat “Ode” is red, delete all blue boats.",
        "the boat “Ode”",
        {"what": "delete all blue boats", "quantity": "all"},
        "red",
        IS_RED,
        select("delete_boat"),
        worded("All blue boats are deleted."),
    )
    assert sent == []


@pytest.mark.parametrize(
    ("question", "found", "tests", "holds"),
    [
        (
            "Delete the boat “Ode” unless it is green.",
            "the boat “Ode”",
            [compared("name", "!=", "Ode"), compared("colour", "=", "green")],
            False,
        ),
        (
            "If the boat “T-7” of “Ann” is blue, delete it.",
            "the boat “T-7” of “Ann”",
            [compared("owner", "=", "Ann"), compared("colour", "=", "blue")],
            True,
        ),
    ],
    ids=["what it is not called", "one of two names"],
)
def test_what_is_tested_for_less_than_all_names_is_not_what_is_meant(
    question: str, found: str, tests: list[JsonObject], holds: bool
) -> None:
    sent = deleted(
        question,
        found,
        {"what": "delete #1"},
        "green colour" if not holds else "blue",
        where_all(*tests),
        select("delete_boat"),
        filled(boat=None),
        ("lookup", {"kind": "boat", "which": "the boat", "name": None}),
        *[query(where=[compared(one, "=", "nobody")]) for one in ("owner", "code", "name")],
        holds=holds,
    )
    assert sent == []


def test_a_name_that_is_taken_for_a_place_and_for_a_value_is_neither() -> None:
    answer, _, sent = ask(
        "Add the boat “West” to the yard East.",
        planned(change("add the boat “West” to the yard East")),
        select("add_boat"),
        filled(name="West", yard="East"),
        yards=TWO,
        bodies={"/yards/y-2/boats": []},
    )
    assert not [one for one in sent if one.startswith("POST")]
    assert "whether West is what it is made to, or to get, is not known" in answer.text


def test_the_thing_itself_is_not_the_one_that_is_called_as_it_is_to_be() -> None:
    patch = {
        "operationId": "edit_yard",
        "parameters": [YARD],
        "requestBody": BODY,
        "responses": DONE,
    }
    answer, _, sent = ask(
        "Rename the northern yard to “West”.",
        planned(change("rename the northern yard to “West”", "update")),
        select("edit_yard"),
        filled(name="West", yard=None),
        ("lookup", {"kind": "yard", "which": "the northern yard", "name": None}),
        *[query(where=[compared("name", "=", "northern")])] * 2,
        yards=TWO,
        paths={**PATHS, "/yards/{yard}": {"patch": patch}},
    )
    assert not [one for one in sent if one.startswith("PATCH")]
    assert answer.text.startswith("Not done")


@pytest.mark.parametrize("words", ["lock the pad “plans”", "give #1 the colour red"])
def test_a_change_of_what_was_made_is_no_part_of_it_for_its_name_alone(words: str) -> None:
    pad: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
    named = {**YARD, "name": "pad"}
    paths: JsonObject = {
        "/pads": {
            "post": {"operationId": "create_pad", "requestBody": BODY, "responses": gives(pad)},
            "get": {
                "operationId": "list_pads",
                "responses": gives({"type": "array", "items": pad}),
            },
        },
        "/pads/{pad}/lock": {
            "put": {"operationId": "lock_pad", "parameters": [named], "responses": DONE}
        },
    }
    answer, _, _ = ask(
        "Create the pad “plans” and lock the pad “plans”.",
        planned(change("create the pad “plans”"), {**change(words, "update"), "id": 2, "of": [1]}),
        select("create_pad"),
        filled(name="plans"),
        select("none"),
        paths=paths,
        bodies={"/pads": {"id": "p-1", "name": "plans"}},
    )
    assert "Not done" in answer.text
    assert "taken for a part" not in answer.text


@pytest.mark.parametrize("crew", [3, 4])
def test_what_a_creation_has_given_already_is_given_once(crew: int) -> None:
    body: JsonObject = {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": TEXT, "crew": {"type": "integer"}},
                }
            }
        },
    }
    create = {"operationId": "create_boat", "requestBody": body, "responses": gives(BOAT)}
    answer, _, _ = ask(
        f"Create the boat “Kite” with a crew of {crew}.",
        planned(
            change("create the boat “Kite”"),
            {**change(f"give #1 a crew of {crew}", "update"), "id": 2, "of": [1]},
        ),
        select("create_boat"),
        filled(name="Kite", crew=3 if crew == 3 else None),
        *([worded("The boat Kite is created with a crew of 3.")] if crew == 3 else []),
        *([] if crew == 3 else [select("none")]),
        paths={"/boats": {"post": create}},
        bodies={"/boats": {"id": "b-3", "name": "Kite"}},
    )
    assert ("taken for a part of" in answer.text) is (crew == 3)
    assert ("Not done" in answer.text) is (crew == 4)


def test_a_condition_that_names_something_else_loses_no_thing() -> None:
    """Its words alone would be true of another boat."""
    test = "its owner is “Ann” and its colour is blue"
    drop = {
        **change("delete the boat “Ode”", "delete"),
        "condition": {"step": 1, "is": test, "holds": True},
    }
    where = where_all(compared("owner", "=", "Ann"), compared("colour", "=", "blue"))
    _, _, sent = ask(
        "Delete the boat “Ode” if its owner is “Ann” and it is blue.",
        planned(drop),
        select("list_boats"),
        *[where] * 2,
        select("none"),
        paths=FLEET,
        bodies=BODIES,
    )
    assert not [one for one in sent if one.startswith("DELETE")]


def test_things_called_as_what_they_are_in_are_counted_by_their_name() -> None:
    called = query("things", give="number", where=[compared("name", "=", "East")])
    answer, _, _ = ask(
        "How many boats called “East” are in the yard “East”?",
        planned(find("the number of boats called “East” in the yard “East”", "number")),
        select("list_boats"),
        *[called] * 2,
        select("none"),
        yards=TWO,
    )
    assert "2" not in answer.text


def test_a_list_of_what_is_said_is_as_long_as_that() -> None:
    tags = ["dawn", "dusk", "rain", "snow", "wind", "fog", "hail", "heat", "frost", "storm"]
    about: JsonObject = {
        "type": "object",
        "properties": {"tags": {"type": "array", "items": TEXT}},
    }
    show: JsonObject = {"type": "object", "properties": {"name": TEXT, "about": about}}
    add: JsonObject = {
        "operationId": "add_show",
        "requestBody": {"required": True, "content": {"application/json": {"schema": show}}},
        "responses": DONE,
    }
    words = f"add the show “Sky” with the tags {', '.join(tags)}"
    answer, _, _ = ask(
        words,
        planned(change(words)),
        select("add_show"),
        filled(name="Sky", about={"tags": tags}),
        worded("The show Sky is added."),
        paths={"/shows": {"post": add}},
        bodies={"/shows": {}},
    )
    assert [one.arguments["about"]["tags"] for one in answer.exchanges] == [tags]


FILE: JsonObject = {
    "type": "object",
    "properties": {"path": TEXT, "name": TEXT, "type": TEXT, "text": TEXT},
}
PLACE: JsonObject = {"name": "path", "in": "path", "required": True, "schema": TEXT}
FILES: JsonObject = {
    "/files/{path}": {
        "get": {"operationId": "get_file", "parameters": [PLACE], "responses": gives(FILE)},
        "delete": {"operationId": "delete_file", "parameters": [PLACE], "responses": DONE},
    },
    "/found": {
        "get": {
            "operationId": "find_file",
            "parameters": [{**PLACE, "in": "query"}],
            "responses": gives({"type": "object", "properties": {"path": TEXT}}),
        },
    },
}
LIST: JsonObject = {"path": "shed/list.txt", "name": "list.txt", "type": "file", "text": "Ada, Bo"}


def of_file(question: str, *script: Reply) -> tuple[str, list[str]]:
    """What is told, and what was sent."""
    answer, _, sent = ask(
        question,
        *script,
        paths=FILES,
        bodies={"/files/shed%2Flist.txt": LIST, "/found": {"path": "shed/list.txt"}},
    )
    return answer.text, sent


@pytest.mark.parametrize("path", ["shed/list.txt", "barn/list.txt"])
def test_a_path_whose_parts_are_said_is_said(path: str) -> None:
    _, sent = of_file(
        "What is in the file “list.txt” of the folder “shed”?",
        planned(find("what is in the file “list.txt” of the folder “shed”", "one")),
        select("get_file"),
        filled(path=path),
        *([query("whole", fields=["text"]), worded("Ada, Bo")] if path[0] == "s" else []),
        *([] if path[0] == "s" else [select("none")]),
    )
    assert sent == (["GET /files/shed%2Flist.txt"] if path[0] == "s" else [])


@pytest.mark.parametrize(
    "tests",
    [
        [compared("path", "=", "shed/list.txt")],
        [compared("path", "=", "shed/list.txt"), compared("path", "!=", "list.txt")],
    ],
)
def test_what_was_read_by_its_path_has_that_which_is_no_condition(tests: list[JsonObject]) -> None:
    asked = query("whole", give="yes or no", where=tests)
    text, sent = of_file(
        "Delete the file “list.txt” of the folder “shed” if it is empty.",
        planned(
            find("the file “list.txt” of the folder “shed”", "one"),
            {
                **change("delete #1", "delete"),
                "id": 2,
                "of": [1],
                "condition": {"step": 1, "is": "empty", "holds": True},
            },
        ),
        select("find_file"),
        filled(path="shed/list.txt"),
        *[asked] * 2,
        select("none"),
    )
    assert sent == ["GET /found path=shed/list.txt"]
    assert "Not done" in text


@pytest.mark.parametrize(
    ("asks", "name", "is_deleted"),
    [
        ("that there are none", "Ada", False),
        ("that there are none", "Cy", False),
        ("that there are some", "Ada", True),
    ],
)
def test_that_a_text_has_nothing_of_a_kind_is_told_like_that_of_a_list(
    asks: str, name: str, is_deleted: bool
) -> None:
    text, sent = of_file(
        f"Delete the file “list.txt” of the folder “shed” if {name} is (not) in it.",
        planned(
            find("the file “list.txt” of the folder “shed”", "one"),
            {
                **change("delete #1", "delete"),
                "id": 2,
                "of": [1],
                "condition": {"step": 1, "is": f"{name} is (not) in its text", "holds": True},
            },
        ),
        select("get_file"),
        filled(path="shed/list.txt"),
        query("whole", give="yes or no", where=[compared("text", "contains", name)]),
        ("amount", {"asks": asks}),
        *([select("delete_file"), filled(path="shed/list.txt")] if is_deleted else []),
        select("none") if name == "Cy" else worded("That is so."),
    )
    assert ("DELETE /files/shed%2Flist.txt" in sent) is is_deleted
    assert ("Not done" in text) is not is_deleted


def test_things_of_which_only_some_are_of_the_kind_that_is_said_are_not_changed() -> None:
    kinds = ["file", "notebook", "file", "notebook"]
    files: list[Json] = [
        {"path": f"shed/{number}", "name": f"n{number}", "type": kind}
        for number, kind in enumerate(kinds)
    ]
    paths: JsonObject = {
        **FILES,
        "/files": {
            "get": {
                "operationId": "list_files",
                "responses": gives({"type": "array", "items": FILE}),
            }
        },
    }
    of_kind = query(where=[compared("type", "=", "file")])
    asked: list[str] = []
    deleted: list[list[str]] = []
    for script in ([query(), of_kind, select("delete_file"), worded("Done.")], [query()] * 2):
        answer, _, sent = ask(
            "Delete all text files.",
            planned(
                find("the text files"),
                {**change("delete #1", "delete"), "id": 2, "of": [1], "quantity": "all"},
            ),
            select("list_files"),
            *script,
            *([] if len(script) > 2 else [select("none")]),
            paths=paths,
            bodies={"/files": files, **{f"/files/shed%2F{one}": {} for one in range(4)}},
        )
        asked.append(answer.text)
        deleted.append([one for one in sent if one.startswith("DELETE")])
    assert deleted == [["DELETE /files/shed%2F0", "DELETE /files/shed%2F2"], []]
    assert "Not done" in asked[1]


def test_a_name_that_the_one_step_of_a_plan_leaves_out_is_put_in_again() -> None:
    lost = planned(find("who is in the list", "one"))
    _, sent = of_file(
        "Who is in “list.txt” of the folder “shed”?",
        *[lost] * 2,
        select("get_file"),
        filled(path="shed/list.txt"),
        query("whole", fields=["text"]),
        worded("Ada, Bo"),
    )
    assert sent == ["GET /files/shed%2Flist.txt"]
