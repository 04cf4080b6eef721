"""Ids that the message has as they are: found in the lists above them, without asking the model."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from tests.support.planned import FittingModel, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}


def listed(*names: str) -> JsonObject:
    item: JsonObject = {"type": "object", "properties": dict.fromkeys(names, TEXT)}
    schema: JsonObject = {"type": "array", "items": item}
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def read(name: str, responses: JsonObject, *ids: str) -> JsonObject:
    given = [{"name": one, "in": "path", "required": True, "schema": TEXT} for one in ids]
    return {"get": {"operationId": name, "parameters": given, "responses": responses}}


PATHS: JsonObject = {
    "/halls": read("list_halls", listed("id")),
    "/halls/{hall}/racks": read("list_racks", listed("id"), "hall"),
    "/halls/{hall_id}/racks/{rack}/books": read(
        "list_books", listed("title", "year"), "hall_id", "rack"
    ),
}
FOUND: dict[str, Json] = {
    "/halls": [{"id": "north"}, {"id": "attic"}, {"id": "7"}],
    "/halls/north/racks": [{"id": "maps"}, {"id": "sagas"}],
    "/halls/north/racks/maps/books": [{"title": "Isles", "year": "1912"}],
}


def serve(request: Request) -> Response:
    path = urlsplit(request.url).path
    return reply(200, FOUND[path]) if path in FOUND else reply(404, [{"id": "gone"}])


def ask(question: str, *script: Reply) -> tuple[Answer, FittingModel, list[str]]:
    model, send = FittingModel(script, is_small=True), RecordingTransport(serve)
    agent = Agent(
        catalog(load(document(PATHS), alias="library")), model=model, send=send, kind="rest"
    )
    answer = agent.ask(question)
    return answer, model, [urlsplit(one.url).path for one in send.sent]


def find(what: str, **more: Json) -> JsonObject:
    return {"id": 1, "kind": "find", "what": what, "of": [], "quantity": "one", **more}


def offered(model: FittingModel) -> str:
    """What the selector was shown."""
    return next(one.messages[-1].text for one in model.asked if one.role == "selector")


def test_what_is_inside_of_things_that_the_message_says_is_shown_and_read_with_them() -> None:
    answer, model, sent = ask(
        "How many books are on the rack maps of the hall north?",
        planned(find("the books on the rack maps of the hall north", quantity="number")),
        select("list_books"),
        query("things", give="number"),
        worded("There is 1."),
    )
    assert answer.text == "There is 1."
    assert "list_books: GET /halls/north/racks/maps/books" in offered(model)
    # The lists of the things that the message says are passed through.
    assert "list_racks" not in offered(model)
    assert "list_halls" not in offered(model)
    assert "caller" not in {one.role for one in model.asked}
    assert sent == [
        "/halls",
        "/halls/north/racks",
        "/halls/north/racks/maps/books",
    ]


@pytest.mark.parametrize(
    ("question", "read_before"),
    [
        ("Which books are on maps in north?", []),
        ("Which books are in the halls north and attic?", ["/halls"]),
        ("Which books are in hall 7?", ["/halls"]),
        ("Which books are in the North hall?", ["/halls"]),
    ],
    ids=["no word of the lists", "two of a list", "a number", "in another case"],
)
def test_lists_that_the_message_speaks_of_are_read_and_one_id_alone_is_taken(
    question: str, read_before: list[str]
) -> None:
    _, model, sent = ask(question, planned(find(question, quantity="all")), select("none"))
    assert sent[: len(read_before)] == read_before
    assert "list_books: GET /halls/{hall_id}/racks/{rack}/books" in offered(model)


def test_what_an_error_says_is_no_id() -> None:
    _, model, sent = ask(
        "Which books are in the attic of the halls, on gone?",
        planned(find("the books in the attic of the halls, on gone", quantity="all")),
        select("none"),
        select("none"),
        worded("They were not found."),
    )
    assert sent[:2] == ["/halls", "/halls/attic/racks"]
    assert "list_books: GET /halls/{hall_id}/racks/{rack}/books" in offered(model)
    # What was passed through is offered where nothing else did.
    assert "list_halls" not in offered(model)
    assert "list_halls" in model.asked[-2].messages[-1].text


def test_what_the_plan_leaves_out_is_no_place() -> None:
    step = find("the books of all halls", quantity="all")
    _, model, _ = ask(
        "Which books are in all halls except the hall north?",
        planned({**step, "except": ["north"]}),
        select("none"),
    )
    assert "GET /halls/{hall}/racks." in offered(model)
