"""The forms of providers: what a request takes, what a call looks like, and what goes back."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from tests.support.toolboxes.shop import shop_toolbox

from restwright.calls.approval.policy import ALLOW
from restwright.errors import UnknownDialect, WrongType
from restwright.jsontypes import Json, JsonObject, is_array, is_object

NAME = "shop__get_order"
GIVEN = {"order_id": "o-1"}
TEXT = json.dumps(GIVEN)

CHAT = {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": TEXT}}
RESPONSES = {"type": "function_call", "call_id": "c1", "name": NAME, "arguments": TEXT}
DEFERRED = RESPONSES | {"name": "get_order", "namespace": "shop"}
ANTHROPIC = {"type": "tool_use", "id": "c1", "name": NAME, "input": GIVEN}
GEMINI = {"functionCall": {"name": NAME, "args": GIVEN}}
OLLAMA = {"function": {"name": NAME, "arguments": GIVEN}}
PLAIN = {"name": NAME, "arguments": GIVEN}
CALLS: dict[str, tuple[str, Any]] = {
    "chat": ("openai", CHAT),
    "strict": ("openai-strict", CHAT),
    "a server of llama.cpp": ("llama.cpp", CHAT),
    "deepseek": ("deepseek", CHAT),
    "claude": ("claude", ANTHROPIC),
    "responses": ("openai-responses", RESPONSES),
    "deferred": ("openai-responses", DEFERRED),
    "anthropic": ("anthropic", ANTHROPIC),
    "gemini": ("gemini", GEMINI),
    "ollama": ("ollama", OLLAMA),
    "plain": ("json-schema", PLAIN),
}


@pytest.mark.parametrize(("provider", "call"), CALLS.values(), ids=CALLS)
def test_a_call_is_read_and_sent(provider: str, call: Any) -> None:
    tools, sent = shop_toolbox()
    made = tools.reply(provider, call)
    assert [request.url for request in sent.sent] == ["https://shop.test/orders/o-1"]
    assert made.ok
    assert made.text in _texts(made)


def _texts(value: Json) -> list[str]:
    if is_object(value):
        return [text for each in value.values() for text in _texts(each)]
    return [value] if isinstance(value, str) else []


REPLIES: dict[str, tuple[JsonObject, JsonObject]] = {
    "openai": (CHAT, {"role": "tool", "tool_call_id": "c1", "content": "T"}),
    "openai-responses": (
        RESPONSES,
        {"type": "function_call_output", "call_id": "c1", "output": "T"},
    ),
    "anthropic": (ANTHROPIC, {"type": "tool_result", "tool_use_id": "c1", "content": "T"}),
    "gemini": (GEMINI, {"functionResponse": {"name": NAME, "response": {"output": "T"}}}),
    "ollama": (OLLAMA, {"role": "tool", "tool_name": NAME, "content": "T"}),
    "json-schema": (PLAIN, {"id": "", "name": NAME, "content": "T", "is_error": False}),
}


@pytest.mark.parametrize("provider", REPLIES)
def test_what_goes_back_has_the_form_of_the_provider(provider: str) -> None:
    call, wanted = REPLIES[provider]
    made = shop_toolbox()[0].reply(provider, call)
    told = json.loads(json.dumps(made).replace(json.dumps(made.text), '"T"'))
    assert told == wanted


ERRORS: dict[str, tuple[JsonObject, JsonObject]] = {
    "anthropic": (
        ANTHROPIC | {"input": {}},
        {"type": "tool_result", "tool_use_id": "c1", "content": "T", "is_error": True},
    ),
    "gemini": (
        {"functionCall": {"id": "f", "name": NAME, "args": None}},
        {"functionResponse": {"id": "f", "name": NAME, "response": {"error": "T"}}},
    ),
    "ollama": (
        {"id": "7", "function": {"name": NAME, "arguments": {}}},
        {"role": "tool", "tool_name": NAME, "content": "T", "tool_call_id": "7"},
    ),
}


@pytest.mark.parametrize("provider", ERRORS)
def test_a_provider_that_tells_errors_apart_is_told(provider: str) -> None:
    call, wanted = ERRORS[provider]
    made = shop_toolbox()[0].reply(provider, call)
    assert json.loads(json.dumps(made).replace(json.dumps(made.text), '"T"')) == wanted
    assert made.text.startswith("shop__get_order was not called.")


def completion() -> JsonObject:
    message = {"role": "assistant", "content": None, "tool_calls": [CHAT]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


RESPONSE: JsonObject = {
    "id": "r",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "output": [{"type": "reasoning", "id": "rs", "summary": []}, RESPONSES],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
MESSAGE: JsonObject = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Let me look."}, ANTHROPIC],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
CONTENT: JsonObject = {"role": "model", "parts": [{"text": "Hm."}, GEMINI]}
CANDIDATES: JsonObject = {"candidates": [{"content": CONTENT}]}
TURNS: dict[str, tuple[str, Any]] = {
    "chat": ("openai", completion()),
    "message of chat": ("openai", completion()["choices"][0]["message"]),
    "calls of chat": ("openai", [CHAT]),
    "responses": ("openai-responses", RESPONSE),
    "items of responses": ("openai-responses", RESPONSE["output"]),
    "anthropic": ("anthropic", MESSAGE),
    "blocks of anthropic": ("anthropic", MESSAGE["content"]),
    "gemini": ("gemini", CANDIDATES),
    "parts of gemini": ("gemini", CONTENT["parts"]),
    "ollama": ("ollama", {"message": {"role": "assistant", "content": "", "tool_calls": [OLLAMA]}}),
    "plain": ("json-schema", {"calls": [PLAIN]}),
}


@pytest.mark.parametrize(("provider", "said"), TURNS.values(), ids=TURNS)
def test_a_whole_turn_is_read(provider: str, said: Any) -> None:
    tools, sent = shop_toolbox()
    (message,) = tools.replies(provider, said)
    assert len(sent.sent) == 1
    wrapped = message.get("content") if provider == "anthropic" else message.get("parts")
    if provider in {"anthropic", "gemini"}:
        assert message["role"] == "user"
        assert is_array(wrapped)
        assert len(wrapped) == 1


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        ("openai", {"role": "assistant", "content": "Done.", "tool_calls": None}),
        ("openai-responses", {"output": []}),
        ("anthropic", {"content": [{"type": "text", "text": "Done."}]}),
        ("gemini", {"candidates": [{"content": {"parts": [{"text": "Done."}]}}]}),
        ("ollama", {"message": {"content": "Done."}}),
        ("json-schema", []),
    ],
)
def test_a_turn_without_calls_has_no_replies(provider: str, said: Any) -> None:
    assert shop_toolbox()[0].replies(provider, said) == []


def test_each_provider_is_offered_tools_in_its_form() -> None:
    tools, _ = shop_toolbox()
    assert {tool["type"] for tool in tools.for_("openai")} == {"function"}
    assert tools.for_("chatgpt") == tools.for_("grok") == tools.for_("openai")
    assert {"name", "description", "input_schema"} == {*tools.for_("claude")[0]}
    assert [*tools.for_("vertex")[0]] == ["functionDeclarations"]
    assert tools.for_("openai-responses")[0]["strict"] is False


def test_what_ollama_is_offered_has_no_references() -> None:
    tools, _ = shop_toolbox()
    assert "$ref" in json.dumps(tools.for_("openai"))
    offered = tools.for_("ollama")
    assert "$ref" not in json.dumps(offered)
    assert {tool["type"] for tool in offered} == {"function"}


def test_a_strict_model_may_write_null_for_what_it_leaves_out() -> None:
    tools, sent = shop_toolbox(policy=ALLOW)
    arguments = json.dumps({"hat": "top", "count": None})
    made = tools.reply(
        "openai-strict",
        {"id": "1", "function": {"name": "shop__add_order", "arguments": arguments}},
    )
    assert made.ok
    assert sent.sent[0].body == b'{"hat":"top"}'


@pytest.mark.parametrize("provider", ["mcp", "openapi-3.0", "open-ai", "mistrals"])
def test_an_unknown_provider_is_told_with_those_that_there_are(provider: str) -> None:
    with pytest.raises(UnknownDialect) as raised:
        shop_toolbox()[0].for_(provider)
    assert raised.value.hint


@pytest.mark.parametrize("provider", REPLIES)
def test_a_call_of_another_form_is_told(provider: str) -> None:
    with pytest.raises(WrongType, match="must be a call as"):
        shop_toolbox()[0].reply(provider, {"tool": NAME})


def test_a_copy_of_a_reply_is_the_message_alone() -> None:
    made = shop_toolbox()[0].reply("openai", CHAT)
    assert type(pickle.loads(pickle.dumps(made))) is dict  # noqa: S301 - our own
    assert json.loads(json.dumps(made)) == made
