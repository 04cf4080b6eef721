"""
Every way through the loop of RestGPT (section 3, figure 2), with a script for the model.

Servers are real ones on the loopback interface. Where another module holds a branch, it is not held
twice:

| branch | held by |
|---|---|
| plan: what is asked, in order | `test_rest.py::test_a_later_call_gets_the_id_that_an_earlier_one_found` |
| plan: nothing is asked | `test_what_can_you_do_needs_no_call_and_is_answered_in_its_language` |
| continue: the next sub-task, by code | `test_rendered.py::test_only_a_name_gets_from_a_response_into_a_sub_task` |
| continue: by the model, from results | `test_rendered.py` (`rest-find`) |
| new sub-task after a failure | `test_what_failed_goes_back_to_the_planner_that_words_it_anew` |
| end: all is found | `test_rest.py::test_a_later_call_gets_the_id_that_an_earlier_one_found` |
| end: nothing is left to try | `test_after_a_refused_change_no_other_one_is_made_and_that_is_said` |
| select: one of many | `test_rest_offered.py` |
| select: an unknown operation | `test_rest.py::test_an_operation_that_is_not_offered_is_told_and_chosen_again` |
| select: a sequence | `test_rest_sequences.py` |
| caller: ids of what was found, or looked up | `test_rest.py::test_a_missing_id_is_looked_up_first` |
| caller: what nothing says | `test_rest_questions.py` |
| caller: an error that it can mend | `test_an_error_that_other_arguments_mend_goes_back_to_the_caller` |
| caller: the same again | `test_what_failed_goes_back_to_the_planner_that_words_it_anew` |
| caller: a read that was made before | `test_the_same_read_is_made_once` |
| 201, 204 | `test_what_came_back_of_a_write_is_told` |
| 204 of a read | `test_a_read_without_a_body_found_nothing` |
| 4xx of others, 5xx, no response | `test_what_nobody_can_mend_ends_the_run_with_what_was_found`, `test_executor.py` |
| parser: code | `test_rest.py`, in most |
| parser: names in other letters | `test_code_that_finds_nothing_is_run_over_lower_case_too` |
| parser: fields of an object | `test_rest.py`, in most |
| parser: code, sample, reading | `test_code_that_fails_is_written_anew_from_a_sample_then_the_model_reads` |
| pages | `test_executor.py::test_the_pages_of_a_list_are_read_as_one` |
| each limit | `test_each_limit_ends_the_run_with_what_was_found` |
| an approval | `test_what_is_approved_is_what_is_sent`, `test_rest.py` (not given) |
| a model that keeps to no contract | `test_rest.py::test_a_model_that_cannot_keep_to_the_schema_ends_the_run` |
| a model that obeys what it reads | `test_agent_trust.py` |
"""  # noqa: E501

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.support.planned import planned
from tests.support.rendered import asked, code, filled

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.auth.connection import Connection
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.openapi.api import load
from restwright.testing import Reply, ScriptedModel, document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Tool

NORTH = {"id": 7, "title": "North Star", "minutes": 190}
SOUTH = {"id": 8, "title": "South", "minutes": 80}


@dataclass(frozen=True, slots=True)
class Said:
    """One response."""

    status: int
    body: Json = None
    after_s: float = 0.0


@dataclass
class Films:
    """A server that answers each route from a list, of which the last one stays."""

    routes: dict[str, list[Said]] = field(default_factory=dict[str, list[Said]])
    seen: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    url: str = ""

    def answer(self, route: str, body: bytes) -> Said:
        self.seen.append((route, json.loads(body) if body else None))
        waiting = self.routes[route.partition("?")[0]]
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@pytest.fixture
def films() -> Generator[Films]:
    world = Films({"GET /films": [Said(200, [NORTH, SOUTH])], "GET /halls": [Said(200, ["A"])]})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            said = world.answer(f"{self.command} {self.path}", body)
            time.sleep(said.after_s)
            content = b"" if said.body is None else json.dumps(said.body).encode()
            self.send_response(said.status)
            self.send_header("content-type", "application/json")
            if said.status != 204:
                self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        world.url = f"http://127.0.0.1:{server.server_port}"
        yield world
        server.shutdown()


def tools() -> Catalog:
    text: JsonObject = {"type": "string"}
    film_id = {"name": "film_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    title = {"name": "title", "in": "query", "schema": text}
    schema = {"type": "object", "properties": {"title": text}, "required": ["title"]}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    film = {"type": "object", "properties": {"id": {"type": "integer"}, "title": text}}
    films = {"200": {"description": "", "content": {"application/json": {"schema": {
        "type": "array", "items": film}}}}}  # fmt: skip
    paths: JsonObject = {
        "/films": {
            "get": {"operationId": "list_films", "parameters": [title], "responses": films},
            "post": {"operationId": "add_film", "requestBody": body, "responses": {}},
        },
        "/films/{film_id}": {
            "delete": {"operationId": "drop_film", "parameters": [film_id], "responses": {}}
        },
        "/halls": {"get": {"operationId": "list_halls", "responses": {}}},
    }
    return catalog(load(document(paths), alias="cinema"))


def ask(
    films: Films, question: str, *script: Reply, timeout_s: float = 20, **settings: Any
) -> tuple[Answer, ScriptedModel]:
    model = ScriptedModel(script)
    with Transport(timeout_s=timeout_s) as send:
        agent = Agent(
            tools(),
            model=model,
            send=send,
            connections={"cinema": Connection(server=films.url)},
            **{"approve": approve_all, **settings},
        )
        answer = agent.ask(question)
    assert model.left == ()
    return answer, model


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


def says(text: str) -> Reply:
    return ("answer", {"answer": text})


LONGEST = "the longest film"
FIRST = (
    select("list_films"),
    filled(title=None),
    code("max(data, key=lambda film: film['minutes'])"),
)


@pytest.mark.parametrize(
    ("said", "goal", "operation", "more"),
    [
        (Said(201, SOUTH), "add the film South", "add_film", [filled(title="South")]),
        (Said(204), "delete the film #8", "drop_film", []),
    ],
    ids=["201", "204"],
)
def test_what_came_back_of_a_write_is_told(films, said, goal, operation, more) -> None:
    films.routes |= {"POST /films": [said], "DELETE /films/8": [said]}
    answer, model = ask(
        films,
        f"Please {goal}.",
        asked(("do", goal)),
        select(operation),
        *more,
        says("It is done."),
    )
    assert (answer.text, answer.stopped) == ("It is done.", "answered")
    assert answer.calls[0].status == said.status
    assert f"- {goal} (done): " in model.asked[-1].messages[-1].text


def test_a_read_without_a_body_found_nothing(films: Films) -> None:
    films.routes["GET /halls"] = [Said(204)]
    answer, _ = ask(
        films,
        "Which halls are there?",
        asked(("find", "the halls")),
        select("list_halls"),
        ("planner", {"sub_task": "all halls"}),
        filled(title=None),
        *[code("None")] * 3,
    )
    assert answer.stopped == "error"
    assert "gave nothing for: all halls" in answer.reason


def test_an_error_that_other_arguments_mend_goes_back_to_the_caller(films: Films) -> None:
    films.routes["GET /films"] = [Said(422, {"message": "no title is that long"}), *_good(films)]
    answer, model = ask(
        films,
        "Which film is the longest?",
        asked(("find", LONGEST)),
        select("list_films"),
        filled(title="the longest"),
        *FIRST[1:],
        says("North Star."),
    )
    assert answer.text == "North Star."
    second = [each for each in model.asked if each.role == "caller"][1]
    assert "Before: <data>\nHTTP 422" in second.messages[-1].text
    assert [route for route, _ in films.seen] == ["GET /films?title=the%20longest", "GET /films"]


def _good(films: Films) -> list[Said]:
    return films.routes["GET /films"]


def test_what_failed_goes_back_to_the_planner_that_words_it_anew(films: Films) -> None:
    films.routes["GET /films"] = [Said(404, {"message": "no films today"})]
    films.routes["GET /halls"] = [Said(200, ["hall A shows North Star"])]
    answer, model = ask(
        films,
        "What is shown?",
        asked(("find", "the films")),
        select("list_films"),
        # The same arguments again are no other try.
        filled(title=None),
        filled(title=None),
        ("planner", {"sub_task": "what the halls show"}),
        code("data[0]"),
        says("Hall A shows North Star."),
    )
    assert (answer.text, answer.stopped) == ("Hall A shows North Star.", "answered")
    assert [route for route, _ in films.seen] == ["GET /films", "GET /halls"]
    again = [each for each in model.asked if each.role == "planner"][1]
    assert "the films failed: HTTP 404" in again.messages[-1].text
    assert "no films today" in again.messages[-1].text


def test_after_a_refused_change_no_other_one_is_made_and_that_is_said(
    films: Films,
) -> None:
    films.routes |= {"POST /films": [Said(409)], "DELETE /films/7": [Said(409)]}
    goal = "replace film #7 by South"
    answer, _ = ask(
        films,
        f"Please {goal}.",
        asked(("do", goal)),
        select("drop_film"),
    )
    assert (answer.stopped, answer.text) == ("error", f"Not done: {answer.reason}")
    assert answer.reason.startswith(f"{goal}: HTTP 409")
    # Another change than the one that was refused is none that was asked for.
    assert [route for route, _ in films.seen] == ["DELETE /films/7"]


def test_the_same_read_is_made_once(films: Films) -> None:
    shortest = "min(data, key=lambda film: film['minutes'])"
    answer, _ = ask(
        films,
        "Which film is the longest, and which is the shortest?",
        asked(("find", LONGEST), ("find", "the shortest film")),
        *FIRST,
        *FIRST[:2],
        code(shortest),
        says("North Star of 190 and South of 80 minutes."),
    )
    assert answer.stopped == "answered"
    assert films.seen == [("GET /films", None)]


@pytest.mark.parametrize(
    ("said", "stopped", "why"),
    [
        (Said(401, {"message": "who are you?"}), "question", "only you can mend that"),
        (Said(405), "error", "HTTP 405"),
        (Said(500, {"message": "oops"}), "error", "oops"),
        (Said(200, [], after_s=3), "error", "0.5"),
    ],
    ids=["401", "405", "500", "no response in time"],
)
def test_what_nobody_can_mend_ends_the_run_with_what_was_found(films, said, stopped, why) -> None:
    films.routes["GET /halls"] = [said]
    answer, _ = ask(
        films,
        "Which film is the longest, and which halls are there?",
        asked(("find", LONGEST), ("find", "the halls")),
        *FIRST,
        select("list_halls"),
        says("North Star with 190 minutes."),
        timeout_s=0.5 if said.after_s else 20,
    )
    assert answer.stopped == stopped
    assert answer.text.startswith("North Star with 190 minutes.\nNot done: the halls: ")
    assert why in answer.reason
    assert [route for route, _ in films.seen].count("GET /halls") == 1


def test_a_write_that_got_no_response_is_not_made_again_and_is_not_said_to_be_done(films) -> None:
    films.routes["POST /films"] = [Said(201, SOUTH, after_s=3)]
    answer, _ = ask(
        films,
        "Please add the film South.",
        asked(("do", "add the film South")),
        select("add_film"),
        filled(title="South"),
        timeout_s=0.5,
    )
    assert answer.stopped == "error"
    assert "unknown" in answer.reason
    assert [route for route, _ in films.seen] == ["POST /films"]


def test_code_that_finds_nothing_is_run_over_lower_case_too(films: Films) -> None:
    answer, model = ask(
        films,
        "How long is North Star?",
        asked(("find", "the film North Star")),
        select("list_films"),
        filled(title="North Star"),
        code("[film for film in data if film['title'] == 'north star']"),
        says("190 minutes."),
    )
    assert answer.stopped == "answered"
    # The value has its own letters.
    assert '"title":"North Star"' in model.asked[-1].messages[-1].text


@pytest.mark.parametrize("is_found", [True, False])
def test_code_that_fails_is_written_anew_from_a_sample_then_the_model_reads(
    films: Films, is_found: bool
) -> None:
    many = [{**SOUTH, "id": n, "title": f"S {n}", "text": "long " * 40} for n in range(100)]
    films.routes["GET /films"] = [Said(200, [NORTH, *many])]
    again = ("planner", {"sub_task": "North"})
    end = [says("North Star.")] if is_found else [again, code("[]")]
    if not is_found:
        films.routes["GET /halls"] = [Said(200, [])]
    answer, model = ask(
        films,
        "What is the first film?",
        asked(("find", "the first film")),
        select("list_films"),
        filled(title=None),
        code("data['films'][0]"),
        code("data.first"),
        code("data['first']"),
        ("reader", {"found": is_found, "value": "North Star" if is_found else ""}),
        *end,
    )
    assert answer.stopped == ("answered" if is_found else "error")
    first, second = [each for each in model.asked if each.role == "parser"][:2]
    assert "North Star" not in str(first.messages[-1])
    assert "An item looks like <data>\n" in second.messages[-1].text
    assert "data['films'][0]" in second.messages[-1].text
    (reader,) = [each for each in model.asked if each.role == "reader"]
    assert '"North Star"' in reader.messages[-1].text
    assert len(reader.messages[-1].text) < 3_200


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(calls=1), "HTTP calls"),
        (Limits(calls_per_api=1), "HTTP calls to cinema"),
        (Limits(model_calls=5), "model calls"),
        (Limits(steps=6), "steps"),
        (Limits(tokens=1_550), "tokens"),
        (Limits(seconds=1.0), "seconds"),
        (Limits(cost=1.0), "cost"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_each_limit_ends_the_run_with_what_was_found(films: Films, limits, why) -> None:
    films.routes["GET /halls"] = [Said(200, ["A"], after_s=1.5 if why == "seconds" else 0)]
    script = [
        asked(("find", LONGEST), ("find", "the halls")),
        *FIRST,
        select("list_halls"),
        code("data"),
        says("North Star; hall A."),
    ]
    model = ScriptedModel(script)
    with Transport(timeout_s=20) as send:
        connections = {"cinema": Connection(server=films.url)}
        agent = Agent(tools(), model=model, send=send, connections=connections, limits=limits)
        answer = agent.ask("Which film is the longest, and which halls are there?")
    assert answer.stopped == "limit"
    assert f"the limit on {why}" in answer.reason
    if why != "cost":
        assert "North Star" in answer.text


def test_what_is_approved_is_what_is_sent(films: Films) -> None:
    films.routes["POST /films"] = [Said(201, SOUTH)]
    seen: list[tuple[str, str, bytes]] = []

    def approve(tool: Tool, request: Request) -> bool:
        seen.append((tool.name, request.method, request.body))
        return True

    ask(
        films,
        "Please add the film South.",
        asked(("do", "add the film South")),
        select("add_film"),
        filled(title="South"),
        says("It is added."),
        approve=approve,
    )
    assert seen == [("cinema__add_film", "POST", b'{"title":"South"}')]
    assert films.seen == [("POST /films", {"title": "South"})]


def test_a_refused_write_is_not_sent_and_what_was_found_is_told(films: Films) -> None:
    answer, _ = ask(
        films,
        "Which film is the longest? And add the film South.",
        asked(("find", LONGEST), ("do", "add the film South")),
        *FIRST,
        select("add_film"),
        filled(title="South"),
        says("North Star with 190 minutes."),
        approve=refuse_all,
    )
    assert answer.stopped == "refused"
    assert answer.text.startswith("North Star with 190 minutes.\nNot done: add the film South: ")
    assert [route for route, _ in films.seen] == ["GET /films"]


GREETED: dict[str, tuple[Reply, ...]] = {
    "rest": (
        planned(language="German"),
        says("Ich kann Filme finden."),
    ),
    "calling": (("selector", {"tools": [], "answer": "Ich kann Filme finden."}),),
    "react": (
        ("reactor", {"thought": "Greet.", "operation": "finish", "task": ""}),
        says("Ich kann Filme finden."),
    ),
    "plan": (("planner", {"steps": []}), says("Ich kann Filme finden.")),
}
ASKED_LANGUAGE = {
    "rest": "Answer in German.",
    "calling": "in their language",
    "react": "Answer in the language of the message.",
    "plan": "Answer in the language of the message.",
}


@pytest.mark.parametrize("kind", GREETED)
def test_what_can_you_do_needs_no_call_and_is_answered_in_its_language(films, kind) -> None:
    answer, model = ask(films, "Was kannst du?", *GREETED[kind], kind=kind)
    assert (answer.text, answer.calls, films.seen) == ("Ich kann Filme finden.", (), [])
    assert ASKED_LANGUAGE[kind] in "\n".join(each.text for each in model.asked[-1].messages)


FOUND: dict[str, tuple[Reply, ...]] = {
    "rest": (
        planned(f"find {LONGEST}", language="German"),
        *FIRST,
        says("North Star mit 190 Minuten."),
    ),
    "calling": (
        ("selector", {"tools": [{"reason": "r", "name": "cinema__list_films"}], "answer": ""}),
        ("caller", {"calls": [{"tool": "cinema__list_films", "arguments": {}}]}),
        ("caller", {"calls": []}),
        ("describer", {"answer": "North Star mit 190 Minuten."}),
    ),
    "react": (
        ("reactor", {"thought": "Look.", "operation": "list_films", "task": LONGEST}),
        *FIRST[1:],
        ("reactor", {"thought": "Done.", "operation": "finish", "task": ""}),
        says("North Star mit 190 Minuten."),
    ),
    "plan": (
        ("planner", {"steps": [{"operation": "list_films", "task": LONGEST}]}),
        *FIRST[1:],
        says("North Star mit 190 Minuten."),
    ),
}


@pytest.mark.parametrize("kind", FOUND)
def test_the_answer_is_asked_for_in_the_language_of_the_question(films, kind) -> None:
    answer, model = ask(films, "Welcher Film ist am längsten?", *FOUND[kind], kind=kind)
    assert answer.text == "North Star mit 190 Minuten."
    wanted = "the language of the message" if kind != "rest" else "Answer in German."
    assert wanted in "\n".join(each.text for each in model.asked[-1].messages)


def test_usage_is_told_by_role(films: Films) -> None:
    answer, _ = ask(films, "Which film?", *FOUND["rest"])
    assert {name: each.model_calls for name, each in answer.usage.roles.items()} == {
        "planner": 1,
        "selector": 1,
        "caller": 1,
        "parser": 1,
        "answer": 1,
    }
