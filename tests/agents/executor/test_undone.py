"""What was asked and is not done is said in the answer, whatever the model says."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.rendered import asked, code, filled

from restwright.agents.agent import Agent, Limits
from restwright.agents.executor.running import Run
from restwright.agents.executor.undone import settle
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
QUESTION = "Add the film South, delete film #8, and show both films next."


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
) -> tuple[Answer, ScriptedModel, RecordingTransport]:
    def respond(request: Request) -> Response:
        if request.method == "GET":
            return reply(200, [NORTH, SOUTH])
        path = request.url.partition(".test")[2]
        status = statuses.get(f"{request.method} {path}", 200)
        return reply(status if isinstance(status, int) else status.pop(0))

    model, send = ScriptedModel(script), RecordingTransport(respond)
    connections = {"cinema": Connection(server="https://films.example.test")}
    settings = {"approve": approve_all, "connections": connections, **settings}
    agent = Agent(cinema(), model=model, send=send, **settings)
    answer = agent.ask(question, journal=journal)
    assert model.left == ()
    return answer, model, send


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


def says(text: str) -> Reply:
    return ("answer", {"answer": text})


ADD, DROP = ("do", "add the film South"), ("do", "delete film #8")
ADDED = (select("add_film"), filled(title="South"))


def test_what_is_not_begun_since_another_thing_failed_is_said() -> None:
    answer, _, _ = ask({"POST /films": 500}, asked(ADD, DROP, ("find", "the films")), *ADDED)
    assert answer.text == (
        f"Not done: add the film South: HTTP 500 Internal Server Error{EFFECT_NOTES['unknown']};"
        " delete film #8: not begun; the films: not begun"
    )
    assert answer.stopped == "error"


def test_what_is_not_done_is_said_where_the_model_cannot_word_the_answer() -> None:
    answer, _, _ = ask(
        {"DELETE /films/8": 500},
        asked(ADD, DROP),
        *ADDED,
        select("drop_film"),
        *[("answer", "I cannot")] * 3,
    )
    assert answer.text == (
        "- add the film South (done): null\n"
        f"Not done: delete film #8: HTTP 500 Internal Server Error{EFFECT_NOTES['unknown']}"
    )


def test_what_is_not_done_is_said_where_a_limit_ends_the_run() -> None:
    answer, _, _ = ask(
        {},
        asked(ADD, DROP, ("do", "add the film East")),
        *ADDED,
        select("drop_film"),
        limits=Limits(calls=1),
    )
    assert answer.stopped == "limit"
    assert answer.text == (
        "- add the film South (done): null\n"
        "Not done: delete film #8: not finished; add the film East: not begun"
    )


@pytest.mark.parametrize("limits", [Limits(), Limits(calls=2)], ids=["failed", "limit"])
def test_writes_before_one_that_is_not_made_are_told(limits: Limits) -> None:
    both = "show both films next"
    answer, _, send = ask(
        {"POST /queue?uri=film%3A8": 500},
        asked(("find", "the films like South"), ("do", both)),
        code("data"),
        select("show_next"),
        *([] if limits.calls == 2 else [says("Both films are shown next.")]),
        limits=limits,
    )
    assert [each.url for each in send.sent if each.method == "POST"][:1] == [
        "https://films.example.test/queue?uri=film%3A7"
    ]
    assert f"\nNot done: {both}: " in answer.text
    if limits.calls == 2:
        assert f"- {both} (done): [null]" in answer.text


@pytest.mark.parametrize("kind", ["rest", "plan"])
def test_what_was_only_taken_in_is_not_said_to_be_finished(kind: str) -> None:
    first = {
        "rest": (asked(ADD), *ADDED),
        "plan": (
            ("planner", {"steps": [{"operation": "add_film", "task": ADD[1]}]}),
            filled(title="South"),
        ),
    }
    answer, _, _ = ask({"POST /films": 202}, *first[kind], says("South is added."), kind=kind)
    assert answer.text == (
        "South is added.\nAccepted, and not known to be finished: add the film South"
    )
    assert answer.stopped == "answered"


def test_what_a_plan_repeats_is_done_once() -> None:
    answer, _, send = ask({}, asked(ADD, ADD), *ADDED, says("South is added."))
    assert (answer.text, len(send.sent)) == ("South is added.", 1)


AGAIN = "put the film South on the list"


def think(operation: str, task: str) -> Reply:
    return ("reactor", {"thought": "next", "operation": operation, "task": task})


def steps(*planned: tuple[str, str]) -> Reply:
    listed = [{"operation": operation, "task": task} for operation, task in planned]
    return ("planner", {"steps": listed})


FILLED, FILMS = filled(title="South"), code("data")
REPEATING: dict[str, tuple[Reply, ...]] = {
    "rest": (
        asked(ADD, ("do", AGAIN), ("find", "the films")),
        *(select("add_film"), FILLED) * 2,
        FILMS,
    ),
    "react": (
        think("add_film", ADD[1]),
        FILLED,
        think("add_film", AGAIN),
        FILLED,
        think("list_films", "the films"),
        FILMS,
        think("finish", ""),
    ),
    "plan": (
        steps(("add_film", ADD[1]), ("add_film", AGAIN), ("list_films", "the films")),
        *(FILLED, FILLED, FILMS),
    ),
}


@pytest.mark.parametrize("kind", REPEATING)
def test_the_same_write_in_other_words_is_not_made_again_and_it_is_said(kind: str) -> None:
    with Journal() as journal:
        answer, _, send = ask(
            {}, *REPEATING[kind], says("South is added twice."), kind=kind, journal=journal
        )
        again = Agent(cinema(), model=ScriptedModel([]), send=never, kind=kind).ask(
            journal=journal, resume=answer.session
        )
    assert [each.method for each in send.sent] == ["POST", "GET"]
    assert answer.text == (
        f"South is added twice.\nNot done: {AGAIN}: it is the same as what was done before"
    )
    assert answer.stopped == "error"
    assert (again.text, again.calls) == (answer.text, answer.calls)


def test_a_step_that_a_plan_repeats_is_taken_once_and_it_is_said() -> None:
    repeated = steps(("add_film", ADD[1]), ("add_film", ADD[1]), ("drop_film", DROP[1]))
    answer, _, send = ask({}, repeated, FILLED, says("It is done."), kind="plan")
    assert [each.method for each in send.sent] == ["POST", "DELETE"]
    assert answer.text == (
        "It is done.\nNot done: add the film South: it is the same as what was done before"
    )


def test_a_read_that_a_plan_repeats_after_a_write_is_made_again() -> None:
    look = ("list_films", "the films")
    repeated = steps(look, ("drop_film", DROP[1]), look)
    answer, _, send = ask({}, repeated, FILMS, FILMS, says("It is done."), kind="plan")
    assert [each.method for each in send.sent] == ["GET", "DELETE", "GET"]
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
        for each in tool.inputs:
            group = arguments.setdefault(each.group, {}) if each.group else arguments
            group[each.name] = values[each.target.lower().partition("-")[0]]
        return arguments

    run.keep(tool, given(title="South", idempotency="a"), Result(kind="http_error"))
    assert not run.is_written(tool, given(title="South", idempotency="a"))
    run.keep(tool, given(title="South", idempotency="a"), Result(kind="ok"))
    assert run.is_written(tool, given(title="South", idempotency="b"))
    assert not run.is_written(tool, given(title="North", idempotency="a"))


def test_a_prompt_that_alone_is_over_the_limit_is_not_sent() -> None:
    model = ScriptedModel([asked(ADD)])
    answer = Agent(cinema(), model=model, limits=Limits(tokens=1_000)).ask("Add it. " * 1_000)
    assert (answer.stopped, model.asked) == ("limit", [])
    assert "one prompt is over alone" in answer.reason


def test_react_says_which_write_failed_though_the_model_is_done() -> None:
    answer, _, _ = ask(
        {"DELETE /films/8": 404},
        think("drop_film", "delete film #8"),
        think("list_films", "the films"),
        code("data"),
        think("finish", ""),
        says("Film 8 is deleted."),
        kind="react",
    )
    assert answer.text == "Film 8 is deleted.\nNot done: delete film #8: HTTP 404 Not Found"
    assert answer.stopped == "error"


def test_react_says_nothing_of_a_write_that_was_made_in_the_end() -> None:
    answer, _, _ = ask(
        {"DELETE /films/8": [404, 200]},
        think("drop_film", "delete film #8"),
        think("drop_film", "remove the film 8"),
        think("finish", ""),
        says("It is deleted."),
        kind="react",
    )
    assert (answer.text, answer.stopped) == ("It is deleted.", "answered")


def test_plan_says_which_steps_were_not_made() -> None:
    steps = [
        {"operation": "add_film", "task": "add the film South"},
        {"operation": "drop_film", "task": "delete film #8"},
        {"operation": "list_films", "task": "the films"},
    ]
    answer, _, _ = ask(
        {"DELETE /films/8": 404},
        ("planner", {"steps": steps}),
        filled(title="South"),
        says("South is added and film 8 is deleted."),
        kind="plan",
    )
    assert answer.text == (
        "South is added and film 8 is deleted.\n"
        "Not done: delete film #8: HTTP 404 Not Found; the films: not begun"
    )


@pytest.mark.parametrize(
    ("failed", "done", "is_settled"),
    [
        ("delete the film 7", "delete the film 7", True),
        ("delete the film 7", "remove film #7", True),
        ("delete the film North Star", "remove the film north star", True),
        ("delete the film", "remove this film, please", True),
        ("delete the film 7", "delete the film 8", False),
        ("delete the films 7 and 8", "delete the film 8", False),
        ("delete the film North", "delete the film South", False),
        ("delete the film by Ana", "delete the film", False),
        ("delete North before South", "delete South before North", False),
    ],
)
def test_a_write_settles_what_was_asked_in_other_words_and_nothing_else(
    failed: str, done: str, is_settled: bool
) -> None:
    made = cinema()
    run = Run("Delete films.", made, undone={f"cinema__drop_film {failed}": "not finished"})
    settle(run, made["cinema__drop_film"], done)
    assert (run.undone == {}) == is_settled


def test_react_says_what_was_not_done_though_the_same_was_tried_with_another_thing() -> None:
    answer, _, send = ask(
        {"DELETE /films/7": 404},
        think("drop_film", "delete film #7"),
        filled(film_id=7),
        think("drop_film", "delete film #8"),
        filled(film_id=8),
        kind="react",
        question="Delete film #7 and film #8.",
    )
    assert [each.url.rpartition("/")[2] for each in send.sent] == ["7"]
    assert answer.text == (
        "Not done: delete film #7: HTTP 404 Not Found; delete film #8: cinema__drop_film was not"
        " sent: cinema__drop_film failed before, and no other write takes its place"
    )
    assert answer.stopped == "refused"


@pytest.mark.parametrize("kind", ["rest", "react", "plan"])
def test_a_write_that_is_refused_is_told_likewise_by_each_kind(kind: str) -> None:
    first = {
        "rest": (asked(DROP), select("drop_film")),
        "react": (think("drop_film", DROP[1]),),
        "plan": (steps(("drop_film", DROP[1])),),
    }
    settings: dict[str, Any] = {"question": "Delete film #8.", "approve": refuse_all}
    answer, _, send = ask({}, *first[kind], kind=kind, **settings)
    assert send.sent == []
    assert (answer.stopped, answer.text) == ("refused", f"Not done: {answer.reason}")
    assert answer.reason.startswith(f"{DROP[1]}: ")


@pytest.mark.parametrize("kind", ["rest", "react", "plan"])
def test_a_write_that_only_the_user_can_mend_is_told_likewise_by_each_kind(kind: str) -> None:
    first = {
        "rest": (asked(ADD, DROP), *ADDED, select("drop_film")),
        "react": (think("add_film", ADD[1]), FILLED, think("drop_film", DROP[1])),
        "plan": (steps(("add_film", ADD[1]), ("drop_film", DROP[1])), FILLED),
    }
    told = (
        f"{DROP[1]}: HTTP 403 Forbidden (only you can mend that: a credential, a right, a payment)"
    )
    script = (*first[kind], says("South is added."))
    answer, _, _ = ask({"DELETE /films/8": 403}, *script, kind=kind)
    assert (answer.stopped, answer.reason) == ("question", told)
    assert answer.text == f"South is added.\nNot done: {told}"
