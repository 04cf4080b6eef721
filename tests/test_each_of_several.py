"""Steps that change several things, each by a call of its own."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.planned import planned

from restwright.agents.agent import Agent
from restwright.agents.executor.identifying import AT_ONCE, MOST_WRITES
from restwright.agents.memory.referring import things_of
from restwright.agents.memory.wording import is_many, means_all
from restwright.agents.steps import Answer
from restwright.calls.consent import Approve, always
from restwright.net.message import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject

LISTS: list[Json] = [{"id": 3, "name": "Work"}, {"id": 51, "name": "Home"}, {"id": 60, "name": "Z"}]
OPEN = ("parser", "def parse(data):\n    return data['lists']")
DONE = ("answer", {"answer": "They are closed."})


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


MINE = select("my_lists")


def operation(name: str, *parameters: JsonObject, response: JsonObject | None = None) -> JsonObject:
    content = {"application/json": {"schema": response or {"type": "object"}}}
    responses: JsonObject = {"200": {"description": "", "content": content}}
    return {"operationId": name, "parameters": [*parameters], "responses": responses}


def office(*, hides: bool = False) -> Catalog:
    """Lists, which are closed one by one, and hidden all at once."""
    fields = {"id": {"type": "integer"}, "name": {"type": "string"}}
    items = {"type": "array", "items": {"type": "object", "properties": fields}}
    at = {"name": "list_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    ids: JsonObject = {
        "name": "list_ids",
        "in": "query",
        "required": True,
        "schema": {"type": "array", "items": {"type": "integer"}},
    }
    paths: JsonObject = {
        "/me/lists": {
            "get": operation("my_lists", response={"properties": {"lists": items}}),
        },
        "/lists/{list_id}": {"delete": operation("close_list", at)},
        "/lists/{list_id}/note": {"get": operation("get_note", at)},
    }
    if hides:
        paths["/me/lists/hide"] = {"put": operation("hide_lists", ids)}
    return catalog(load(document(paths), alias="office"))


def ask(
    question: str,
    *script: Reply,
    lists: list[Json] = LISTS,
    failing: Mapping[str, int] | None = None,
    approve: Approve = always,
    hides: bool = False,
) -> tuple[Answer, list[str]]:
    """The answer, and the calls that were made."""

    def answered(request: Request) -> Response:
        path = request.url.partition("example.test")[2]
        status = (failing or {}).get(path, 200)
        if path == "/me/lists":
            return reply(status, {"lists": lists})
        return reply(status, {"name": f"of {path}"} if request.method == "GET" else {})

    send = RecordingTransport(answered)
    agent = Agent(office(hides=hides), model=ScriptedModel(script), send=send, approve=approve)
    answer = agent.ask(question)
    return answer, [f"{each.method} {each.url.partition('example.test')[2]}" for each in send.sent]


def closed(calls: list[str]) -> list[str]:
    return [each.removeprefix("DELETE /lists/") for each in calls if each.startswith("DELETE")]


@pytest.mark.parametrize("found", ["data['lists']", "[each['name'] for each in data['lists']]"])
def test_each_of_the_things_that_were_found_is_changed(found: str) -> None:
    answer, calls = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        ("parser", f"def parse(data):\n    return {found}"),
        DONE,
    )
    assert closed(calls) == ["3", "51", "60"]
    assert (answer.stopped, answer.text) == ("answered", "They are closed.")


def test_each_is_changed_where_the_plan_does_not_find_them_first() -> None:
    answer, calls = ask("Close all my lists", planned("do close all my lists"), OPEN, DONE)
    assert closed(calls) == ["3", "51", "60"]
    assert answer.stopped == "answered"


@pytest.mark.parametrize(
    ("task", "chosen", "hidden"),
    [("hide my lists", (), "3&list_ids=51&list_ids=60"), ("hide a list", (51,), "51")],
)
def test_a_list_of_ids_is_given_all_only_where_all_are_meant(
    task: str, chosen: tuple[int, ...], hidden: str
) -> None:
    choices: list[Reply] = [("caller", {"conditions": [], "list_ids": each}) for each in chosen]
    script = planned(f"do {task}"), select("hide_lists"), OPEN, *choices, DONE
    _, calls = ask(task.capitalize(), *script, hides=True)
    assert calls[-1] == f"PUT /me/lists/hide?list_ids={hidden}"


def test_of_one_that_is_meant_one_is_changed() -> None:
    _, calls = ask(
        "Close my oldest list",
        planned("find my oldest list", "do close #1"),
        MINE,
        ("parser", "def parse(data):\n    return data['lists'][1]"),
        DONE,
    )
    assert closed(calls) == ["51"]


def test_where_one_fails_it_is_told_how_many_were_changed() -> None:
    answer, calls = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        OPEN,
        DONE,
        failing={"/lists/51": 409},
    )
    assert closed(calls)[0] == "3"
    assert "60" not in closed(calls)
    assert "1 of 3 are done" in answer.text
    assert answer.stopped == "error"


def test_each_change_is_asked_about_and_none_is_made_after_one_that_is_refused() -> None:
    asked: list[str] = []

    def once(tool: Tool, request: Request) -> bool:
        asked.append(request.url.rpartition("/")[2])
        return asked[-1] == "3"

    answer, calls = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        OPEN,
        DONE,
        approve=once,
    )
    assert asked == ["3", "51"]
    assert closed(calls) == ["3"]
    assert answer.stopped == "refused"
    assert "1 of 3 are done" in answer.text


def test_of_very_many_none_is_changed() -> None:
    many: list[Json] = [{"id": n, "name": f"List {n}"} for n in range(MOST_WRITES + 1)]
    answer, calls = ask(
        "Close all my lists", planned("find my lists", "do close #1"), MINE, OPEN, DONE, lists=many
    )
    assert closed(calls) == []
    assert f"at most {MOST_WRITES} things" in answer.text


def test_of_many_a_few_are_read_and_it_is_told() -> None:
    many: list[Json] = [{"id": n, "name": f"List {n}"} for n in range(AT_ONCE + 1)]
    answer, calls = ask(
        "What do my lists say?",
        planned("find my lists", "find the note of #1"),
        MINE,
        OPEN,
        *[("parser", {"fields": ["name"]})] * AT_ONCE,
        DONE,
        lists=many,
    )
    assert sum(each.startswith("GET /lists/") for each in calls) == AT_ONCE
    notes = [str(each["text"]) for each in answer.steps if each["step"] == "note"]
    assert notes == [f"get_note is asked about {AT_ONCE} of {AT_ONCE + 1} things only"]


def test_the_number_of_things_is_the_id_of_none() -> None:
    answer, calls = ask(
        "Close as many lists as I have",
        planned("find how many lists I have", "do close the list #1"),
        ("parser", "def parse(data):\n    return len(data['lists'])"),
        *[("parser", "def parse(data):\n    return None")] * 3,
        ("answer", {"answer": "There are three."}),
    )
    assert closed(calls) == []
    assert "no list matches" in answer.text


@pytest.mark.parametrize(
    ("what", "several"),
    {
        "my lists": True,
        "all of #1": True,
        "both lists": True,
        "each list of #2": True,
        "the first two orders": True,
        "#1's songs": True,
        "the lists that are empty": True,
        "my list": False,
        "the newest album of #1": False,
        "the album of the Beatles": False,
        "the news": False,
        "my series": False,
        "the status of my orders": False,
        "the address": False,
    }.items(),
)
def test_one_thing_or_several_are_to_be_found(what: str, several: bool) -> None:
    assert is_many(what) == several


@pytest.mark.parametrize(
    ("what", "thing", "each"),
    [
        ("close all my lists", "list", True),
        ("delete each of my old lists", "list", True),
        ("delete all stories", "story", True),
        ("delete the stories", "story", True),
        ("close my old lists", "list", True),
        ("close one of my lists", "list", False),
        ("close the list", "list", False),
        ("add both songs to my list", "list", False),
        ("remove all the songs from my list", "list", False),
        ("close all", "", False),
    ],
)
def test_a_change_is_for_each_thing_of_a_kind(what: str, thing: str, each: bool) -> None:
    assert means_all(what, thing) == each


@pytest.mark.parametrize(
    ("what", "value", "things"),
    [
        ("how many songs #1 has", 7, None),
        ("the number of lists", 7, None),
        ("the number of lists", [7], [7]),
        ("the id of my list", 7, 7),
        ("how many are open", True, True),
    ],
)
def test_a_count_is_no_thing(what: str, value: Json, things: Json) -> None:
    assert things_of(what, value) == things
