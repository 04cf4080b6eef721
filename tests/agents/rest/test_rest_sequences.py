"""A model that is no small one may choose several operations for one sub-task."""

from __future__ import annotations

import pytest
from tests.support.rendered import asked, code, filled, library, operation, query

from restwright.agents.agent import Agent, is_small
from restwright.agents.models.local import LocalModel
from restwright.agents.models.registry import model_named
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

AUTHOR = {"id": 4, "name": "Ana Ruiz", "town": "Lyon"}


def chosen(*parts: tuple[str, str]) -> Reply:
    listed = [{"operation": name, "task": task} for name, task in parts]
    return ("selector", {"operations": listed})


def answered(request: Request) -> Response:
    if request.method == "POST":
        return reply(200 if "shelves" in request.url else 409, {"id": 1})
    return reply(200, AUTHOR if request.url.endswith("/4") else [AUTHOR])


def ask(
    script: list[Reply], *, tools: Catalog | None = None, question: str = "Where does Ana live?"
) -> tuple[Answer, ScriptedModel, RecordingTransport]:
    model = ScriptedModel(script, is_small=False)
    send = RecordingTransport(answered)
    agent = Agent(tools or library(), model=model, send=send, approve=approve_all)
    return agent.ask(question), model, send


def test_operations_run_in_order_each_with_what_was_found_before() -> None:
    answer, model, send = ask(
        [
            asked(("find", "the town of Ana Ruiz")),
            chosen(("list_authors", "the author Ana"), ("get_author", "the town of Ana Ruiz")),
            filled(name="Ana"),
            code("data[0]"),
            ("parser", {"fields": ["town"]}),
            ("answer", {"answer": "She lives in Lyon."}),
        ]
    )
    assert (answer.text, model.left) == ("She lives in Lyon.", ())
    paths = [each.url.partition("test")[2] for each in send.sent]
    assert paths == ["/authors?name=Ana", "/authors/4"]
    said = [each.messages[-1].text for each in model.asked if each.role == "answer"]
    assert "the author Ana:" not in said[0]
    assert '- the town of Ana Ruiz: {"town":"Lyon"}' in said[0]


def test_one_operation_is_a_sequence_too_and_a_repeated_one_is_called_once() -> None:
    town = ("list_authors", "the town of Ana")
    answer, model, send = ask(
        [
            asked(("find", "the town of Ana")),
            chosen(town, town),
            filled(name="Ana"),
            code("data[0]['town']"),
            ("answer", {"answer": "In Lyon."}),
        ]
    )
    assert (answer.stopped, model.left, len(send.sent)) == ("answered", (), 1)


@pytest.mark.parametrize(
    "wrong",
    [
        chosen(),
        chosen(*[("list_authors", f"try {n}") for n in range(4)]),
        chosen(("drop_author", "the town of Ana")),
        ("selector", {"asked": "it", "of": "it", "operation": "list_authors"}),
    ],
    ids=["none", "four", "an unknown one", "the contract of small models"],
)
def test_what_is_no_short_sequence_of_known_operations_is_told(wrong: Reply) -> None:
    answer, model, _ = ask(
        [
            asked(("find", "the town of Ana")),
            wrong,
            chosen(("list_authors", "the town of Ana")),
            filled(name="Ana"),
            code("data[0]['town']"),
            ("answer", {"answer": "In Lyon."}),
        ]
    )
    assert answer.stopped == "answered"
    assert "That reply cannot be used" in model.asked[2].messages[-1].text


def writes() -> Catalog:
    """Shelves, on which books are put."""
    body = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    named = {"parameters": [query("name")], "requestBody": body}
    paths: Json = {
        "/shelves": {"post": operation("add_shelf", "Add a shelf", parameters=[query("name")])},
        "/books": {"post": operation("put_book", "Put a book on a shelf", **named)},
        "/boxes": {"post": operation("put_away", "Put a book in a box", parameters=[])},
    }
    return catalog(load(document(paths), alias="library"))


def test_a_write_of_a_sequence_that_failed_is_not_made_again_and_is_told() -> None:
    goal = "put North on a new shelf"
    answer, model, send = ask(
        [
            asked(("do", goal)),
            chosen(("add_shelf", "add a shelf"), ("put_book", goal)),
            filled(name=None),
            *[filled(name=None, body={})] * 2,
            ("answer", {"answer": "A shelf was added."}),
        ],
        tools=writes(),
        question="Put North on a new shelf.",
    )
    posted = [each.url.partition("test")[2] for each in send.sent]
    assert posted.count("/shelves") == 1
    assert answer.text.startswith("A shelf was added.\nNot done: ")
    assert answer.stopped == "error"
    assert model.left == ()


def test_a_provider_s_model_is_no_small_one_and_others_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    assert not is_small(model_named("openai:gpt-4o"))
    assert is_small(model_named("openai:tiny", url="http://127.0.0.1:9/v1"))
    assert is_small(LocalModel(tmp_path / "model.gguf"))
    assert is_small(ScriptedModel([]))
