"""Answers as they come: decoded out of JSON, told by models, and put into pieces by runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.net.handlers import JSONHandler, serve_handler

from restwright.agents.agent import Agent
from restwright.agents.models.registry import model_named
from restwright.agents.runtime.streaming import StringPropertyDecoder, TextDelta
from restwright.agents.steps import Complete, Completion, Conclusion, Message, Steps
from restwright.errors import RestwrightError
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document
from restwright.tools.catalog.catalog import catalog

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
ASKED = Complete(role="answer", messages=(Message("user", "Hello?"),), schema=SCHEMA)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def decoded(text: str, sizes: list[int]) -> str:
    words, said = StringPropertyDecoder("answer"), ""
    while text:
        size, *_ = sizes
        said, text, sizes = said + words.feed(text[:size]), text[size:], [*sizes[1:], size]
    return said


@given(
    others=st.dictionaries(st.text(max_size=6), VALUES, max_size=3),
    answer=st.text(),
    is_ascii=st.booleans(),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_the_words_of_a_reply_are_those_of_its_answer_however_it_comes(
    others: dict[str, Any], answer: str, is_ascii: bool, sizes: list[int]
) -> None:
    whole = {**{name: each for name, each in others.items() if name != "answer"}, "answer": answer}
    text = json.dumps(whole, ensure_ascii=is_ascii)
    assert decoded(text, sizes) == answer
    assert decoded(f"```json\n{text}\n```", sizes) == answer


@given(text=st.text(st.sampled_from('{}[]":,\\ud8"answer0'), max_size=40))
def test_any_text_can_be_fed(text: str) -> None:
    decoded(text, [3])


def test_an_answer_within_another_value_is_not_the_answer() -> None:
    text = '{"calls": [{"answer": "no"}, "answer"], "of": {"answer": "no"}, "answer": "yes"}'
    assert decoded(text, [1]) == "yes"


def agent(*replies: Any, roles: tuple[str, ...], **settings: Any) -> Agent:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        for role in roles:
            reply = yield Complete(role=role, messages=(Message("user", "?"),), schema=SCHEMA)
            assert isinstance(reply, Completion)
        return Conclusion(text="The end.")

    tools = catalog(load(document({"/x": {"get": {"operationId": "x"}}}), alias="shop"))
    return Agent(tools, model=ScriptedModel(replies), kind=loop, **settings)


def test_only_replies_for_the_user_are_told_and_a_new_wording_is_another_reply() -> None:
    heard: list[TextDelta] = []
    answers = [{"answer": "secret plan"}, {"answer": "It is wrong."}, {"answer": "It is right."}]
    asked = agent(*answers, roles=("planner", "answer", "describer"), on_words=heard.append)
    assert asked.ask("?").text == "The end."
    said = {
        number: "".join(each.text for each in heard if each.reply == number) for number in (1, 2)
    }
    assert said == {1: "It is wrong.", 2: "It is right."}
    assert len(heard) > 4


def test_a_model_that_cannot_tell_is_asked_as_before() -> None:
    class Plain:
        name = "plain"

        def complete(self, request: Complete, *, deadline_s: float) -> Completion:
            del request, deadline_s
            return Completion(text='{"answer": "x"}')

    heard: list[TextDelta] = []
    asked = agent(roles=("answer",), on_words=heard.append)
    from dataclasses import replace

    assert replace(asked, model=Plain()).ask("?").text == "The end."
    assert heard == []


class Handler(JSONHandler):
    """Streams `PIECES` as OpenAI does; what is asked for without `stream` is refused."""

    bodies: list[Any] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = json.loads(self.read_body())
        self.bodies.append(body)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        pieces = ['{"ans', 'wer": "Hel', "lo \\ud83d", '\\ude00"}']
        for number, piece in enumerate(pieces):
            if body["model"] == "breaking" and number == 2:
                return
            self.chunk({"choices": [{"index": 0, "delta": {"content": piece}}]})
        self.chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.chunk({"choices": [], "usage": USED})
        self.wfile.write(b"data: [DONE]\n\n")

    def chunk(self, what: dict[str, Any]) -> None:
        whole = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
        self.wfile.write(f"data: {json.dumps({**whole, **what})}\n\n".encode())
        self.wfile.flush()


USED = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


@pytest.fixture
def server() -> Iterator[str]:
    with serve_handler(Handler) as url:
        yield f"{url}/v1"


def test_a_model_of_a_provider_tells_its_reply_as_it_comes(server: str) -> None:
    model: Any = model_named("openai:tiny", url=server)
    told: list[str] = []
    try:
        completion = model.stream(ASKED, deadline_s=20.0, tell=told.append)
    finally:
        model.close()
    assert "".join(told) == completion.text == '{"answer": "Hello \\ud83d\\ude00"}'
    assert len(told) == 4
    assert (completion.input_tokens, completion.output_tokens) == (11, 3)
    assert completion.finish == "stop"


def test_a_stream_that_breaks_off_is_not_taken_for_a_whole_reply(server: str) -> None:
    model: Any = model_named("openai:breaking", url=server)
    try:
        completion = model.stream(ASKED, deadline_s=20.0, tell=lambda _: None)
    except RestwrightError:
        return
    finally:
        model.close()
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(completion.text)
