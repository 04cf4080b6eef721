"""What was asked and is not done is said in the answer, whatever the model says."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.planned import FittingModel, code, filled, planned, select, worded

from restwright.agents.agent import Agent, Limits
from restwright.agents.calling.run import Run
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import EFFECT_NOTES, Result
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.options import Layout, ToolOptions

NORTH = {"id": 7, "title": "North Star", "uri": "film:7"}
SOUTH = {"id": 8, "title": "South", "uri": "film:8"}
TEXT: JsonObject = {"type": "string"}
QUESTION = "Add the film South, and delete film 8."


def cinema() -> Catalog:
    """Films, of which some wait to be shown."""
    film = {"type": "object", "properties": {"id": {"type": "integer"}, "title": TEXT, "uri": TEXT}}
    listed = {"schema": {"type": "array", "items": film}}
    body = {"schema": {"type": "object", "properties": {"title": TEXT}, "required": ["title"]}}
    film_id = {"name": "film_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    uri = {"name": "uri", "in": "query", "required": True, "schema": TEXT}
    paths: JsonObject = {
        "/films": {
            "get": {
                "operationId": "list_films",
                "responses": {
                    "200": {"description": "", "content": {"application/json": listed}},
                },
            },
            "post": {
                "operationId": "add_film",
                "requestBody": {"required": True, "content": {"application/json": body}},
                "responses": {},
            },
        },
        "/films/{film_id}": {
            "delete": {"operationId": "drop_film", "parameters": [film_id], "responses": {}}
        },
        "/queue": {"post": {"operationId": "show_next", "parameters": [uri], "responses": {}}},
    }
    return catalog(load(document(paths), alias="cinema"))


def ask(
    statuses: JsonObject,
    *script: Reply,
    question: str = QUESTION,
    journal: Journal | None = None,
    **settings: Any,
) -> tuple[Answer, RecordingTransport]:
    def respond(request: Request) -> Response:
        if request.method == "GET":
            return reply(200, [NORTH, SOUTH])
        path = request.url.partition(".test")[2]
        status = statuses.get(f"{request.method} {path}", 200)
        return reply(status if isinstance(status, int) else status.pop(0))

    model, send = FittingModel(script), RecordingTransport(respond)
    connections = {"cinema": Connection(server="https://films.example.test")}
    settings = {"approve": approve_all, "connections": connections, **settings}
    agent = Agent(cinema(), model=model, send=send, **settings)
    answer = agent.ask(question, journal=journal)
    assert model.left == ()
    return answer, send


ADD, DROP = "change add the film South", "change delete film 8"
FILLED = filled(title="South")
ADDED = (select("add_film"), FILLED)
DROPPED = (select("drop_film"), filled(film_id=8))
UNKNOWN = EFFECT_NOTES["unknown"]


def test_what_is_not_begun_since_another_change_failed_is_said() -> None:
    answer, _ = ask({"POST /films": 500}, planned(ADD, DROP, "find the films"), *ADDED)
    assert answer.text == (
        "Not found: the films: not begun\n"
        f"Not done: add the film South: HTTP 500 Internal Server Error{UNKNOWN};"
        " delete film 8: not begun"
    )
    assert answer.stopped == "error"


def test_what_is_not_done_is_said_by_code_alone() -> None:
    answer, send = ask(
        {"DELETE /films/8": 500},
        planned(ADD, DROP),
        *ADDED,
        *DROPPED,
        kind="rest",
    )
    # The model is not asked for words, which would say that all is done.
    assert answer.text == (
        "- add the film South: done\n"
        f"Not done: delete film 8: HTTP 500 Internal Server Error{UNKNOWN}"
    )
    assert [request.method for request in send.sent].count("DELETE") == 1


def test_what_is_not_done_is_said_where_a_limit_ends_the_run() -> None:
    plan = planned(ADD, DROP, "change add the film East")
    answer, _ = ask({}, plan, *ADDED, *DROPPED, limits=Limits(calls=1))
    assert answer.stopped == "limit"
    assert "- add the film South: done" in answer.text
    assert "- not done: delete film 8" in answer.text
    assert "- not done: add the film East" in answer.text


@pytest.mark.parametrize("kind", ["rest", "plan"])
def test_what_was_only_taken_in_is_not_said_to_be_finished(kind: str) -> None:
    first = {"rest": (planned(ADD), *ADDED), "plan": (steps(ADDING), FILLED)}
    answer, _ = ask(
        {"POST /films": 202},
        *first[kind],
        worded("South is added."),
        question="Add the film South.",
        kind=kind,
    )
    assert answer.text == (
        "South is added.\nAccepted, and not known to be finished: add the film South"
    )
    assert answer.stopped == "answered"


AGAIN = "put the film South on the list"


def think(operation: str, task: str) -> Reply:
    return ("reactor", {"thought": "next", "operation": operation, "task": task})


def steps(*listed: tuple[str, str]) -> Reply:
    written = [{"operation": operation, "task": task} for operation, task in listed]
    return ("planner", {"steps": written})


def worded_by(kind: str, text: str) -> tuple[Reply, ...]:
    """What the model says at the end, of a kind that asks it after a change that failed."""
    return () if kind == "rest" else (worded(text),)


ADDING, DROPPING = ("add_film", "add the film South"), ("drop_film", "delete film 8")
FILMS = code("data[0]")
FINISH = think("finish", "")
REPEATING: dict[str, tuple[Reply, ...]] = {
    "rest": (planned(ADD, f"change {AGAIN}"), *ADDED, *ADDED, select("none")),
    "react": (think(*ADDING), FILLED, think("add_film", AGAIN), FILLED, FINISH),
    "plan": (steps(ADDING, ("add_film", AGAIN)), FILLED, FILLED),
}


@pytest.mark.parametrize("kind", REPEATING)
def test_the_same_write_is_not_made_twice(kind: str) -> None:
    with SQLiteJournal() as journal:
        answer, send = ask(
            {},
            *REPEATING[kind],
            *worded_by(kind, "South is added twice."),
            question="Add the film South, and again.",
            kind=kind,
            journal=journal,
        )
        again = Agent(cinema(), model=ScriptedModel([]), send=never, kind=kind).ask(
            journal=journal, resume=answer.session
        )
    assert [request.method for request in send.sent] == ["POST"]
    assert f"Not done: {AGAIN}: it is the same as what was done before" in answer.text
    assert (again.text, again.calls) == (answer.text, answer.calls)


def test_a_read_that_a_plan_repeats_after_a_write_is_made_again() -> None:
    look = ("list_films", "the films")
    answer, send = ask(
        {},
        *(steps(look, ADDING, look), FILMS, FILLED, FILMS),
        worded("It is done."),
        kind="plan",
    )
    assert [request.method for request in send.sent] == ["GET", "POST", "GET"]
    assert answer.stopped == "answered"


@pytest.mark.parametrize("layout", ["flat", "grouped"])
def test_an_idempotency_key_makes_no_other_write(layout: Layout) -> None:
    key: JsonObject = {"name": "Idempotency-Key", "in": "header", "schema": TEXT}
    title = {"name": "title", "in": "query", "schema": TEXT}
    paths: JsonObject = {"/films": {"post": {"operationId": "add", "parameters": [key, title]}}}
    made = catalog(load(document(paths)), options=ToolOptions(layout=layout))
    [tool], run = made.tools, Run("Add it.", made)

    def given(**values: str) -> JsonObject:
        arguments: JsonObject = {}
        for name in tool.inputs:
            group = arguments.setdefault(name.group, {}) if name.group else arguments
            group[name.name] = values[name.target.lower().partition("-")[0]]
        return arguments

    run.keep(tool, given(title="South", idempotency="a"), Result(kind="http_error"))
    assert not run.is_written(tool, given(title="South", idempotency="a"))
    run.keep(tool, given(title="South", idempotency="a"), Result(kind="ok"))
    assert run.is_written(tool, given(title="South", idempotency="b"))
    assert not run.is_written(tool, given(title="North", idempotency="a"))


def test_a_prompt_that_alone_is_over_the_limit_is_not_sent() -> None:
    model = ScriptedModel([planned(ADD)])
    answer = Agent(cinema(), model=model, limits=Limits(tokens=1_000)).ask("Add it. " * 1_000)
    assert (answer.stopped, model.asked) == ("limit", [])
    assert "one prompt is over alone" in answer.reason


def test_react_says_which_write_failed_though_the_model_is_done() -> None:
    answer, _ = ask(
        {"DELETE /films/8": 404},
        think(*DROPPING),
        filled(film_id=8),
        think("list_films", "the films"),
        FILMS,
        FINISH,
        worded("The film is deleted."),
        kind="react",
    )
    assert answer.text == "The film is deleted.\nNot done: delete film 8: HTTP 404 Not Found"
    assert answer.stopped == "error"


def test_react_says_nothing_of_a_write_that_was_made_in_the_end() -> None:
    answer, send = ask(
        {"DELETE /films/8": [404, 200]},
        think(*DROPPING),
        filled(film_id=8),
        think("drop_film", "remove the film 8"),
        filled(film_id=8),
        FINISH,
        worded("It is deleted."),
        kind="react",
    )
    assert [request.method for request in send.sent].count("DELETE") == 2
    assert (answer.text, answer.stopped) == ("It is deleted.", "answered")


def test_plan_says_which_steps_were_not_made() -> None:
    answer, _ = ask(
        {"DELETE /films/8": 404},
        steps(ADDING, DROPPING, ("list_films", "the films")),
        FILLED,
        filled(film_id=8),
        worded("South is added and the film is deleted."),
        kind="plan",
    )
    assert answer.text == (
        "South is added and the film is deleted.\nNot found: the films: not begun\n"
        "Not done: delete film 8: HTTP 404 Not Found"
    )


def test_react_replaces_no_write_by_one_on_another_thing() -> None:
    answer, send = ask(
        {"DELETE /films/7": 404},
        think("drop_film", "delete film 7"),
        filled(film_id=7),
        think(*DROPPING),
        filled(film_id=8),
        kind="react",
        question="Delete film 7 and film 8.",
    )
    deleted = [request.url for request in send.sent if request.method == "DELETE"]
    assert [url.rpartition("/")[2] for url in deleted] == ["7"]
    assert answer.text == (
        "Not done: delete film 7: HTTP 404 Not Found; delete film 8: cinema__drop_film was not"
        " sent: cinema__drop_film failed before, and no other write takes its place"
    )
    assert answer.stopped == "refused"


@pytest.mark.parametrize("kind", ["rest", "react", "plan"])
def test_a_write_that_is_refused_is_told_likewise_by_each_kind(kind: str) -> None:
    first = {
        "rest": (planned(DROP), *DROPPED),
        "react": (think(*DROPPING), filled(film_id=8)),
        "plan": (steps(DROPPING), filled(film_id=8)),
    }
    settings: dict[str, Any] = {"question": "Delete film 8.", "approve": refuse_all}
    answer, send = ask({}, *first[kind], kind=kind, **settings)
    assert [request for request in send.sent if request.method != "GET"] == []
    assert (answer.stopped, answer.text) == ("refused", f"Not done: {answer.reason}")
    assert answer.reason.startswith("delete film 8: ")


@pytest.mark.parametrize("kind", ["rest", "react", "plan"])
def test_a_write_that_only_the_user_can_mend_is_told_likewise_by_each_kind(kind: str) -> None:
    first = {
        "rest": (planned(ADD, DROP), *ADDED, *DROPPED),
        "react": (think(*ADDING), FILLED, think(*DROPPING), filled(film_id=8)),
        "plan": (steps(ADDING, DROPPING), FILLED, filled(film_id=8)),
    }
    told = (
        "delete film 8: HTTP 403 Forbidden"
        " (only you can mend that: a credential, a right, a payment)"
    )
    words = worded_by(kind, "South is added.")
    answer, _ = ask({"DELETE /films/8": 403}, *first[kind], *words, kind=kind)
    assert (answer.stopped, answer.reason) == ("question", told)
    said = "South is added." if words else "- add the film South: done"
    assert answer.text == f"{said}\nNot done: {told}"
