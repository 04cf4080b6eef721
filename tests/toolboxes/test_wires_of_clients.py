"""
The objects of the official clients are read as dicts are, and the clients take what goes back.

Each client is imported by one test alone: that takes seconds.
"""

from __future__ import annotations

from typing import Any

from tests.support.toolboxes.shop import shop_toolbox

from restwright.jsontypes import JsonObject

NAME = "shop__get_order"
TEXT = '{"order_id": "o-1"}'
GIVEN = {"order_id": "o-1"}


def is_made(provider: str, said: Any, *calls: Any) -> bool:
    """Whether a turn is read from the response of a client, and its calls one by one."""
    tools, sent = shop_toolbox()
    tools.replies(provider, said)
    for call in calls:
        tools.reply(provider, call)
    wanted = ["https://shop.test/orders/o-1"] * (1 + len(calls))
    return [request.url for request in sent.sent] == wanted


def test_openai() -> None:
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    call = {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": TEXT}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    head = {"id": "x", "created": 1, "model": "m", "choices": [choice]}
    said = ChatCompletion.model_validate(head | {"object": "chat.completion"})
    made = said.choices[0].message
    assert is_made("openai", said, *(made.tool_calls or ()))
    assert is_made("openai", made, *(made.tool_calls or ()))
    item = {"type": "function_call", "call_id": "c1", "name": NAME, "arguments": TEXT}
    response: JsonObject = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": [{"type": "reasoning", "id": "rs", "summary": []}, item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    answered = Response.model_validate(response)
    assert is_made("openai-responses", answered, answered.output[1])
    assert is_made("openai-responses", answered.output)


def test_anthropic() -> None:
    from anthropic.types import Message

    message: JsonObject = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "c1", "name": NAME, "input": GIVEN},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    said = Message.model_validate(message)
    assert is_made("anthropic", said, said.content[1])
    assert is_made("anthropic", said.content)


def test_gemini() -> None:
    from google.genai import types

    parts = [{"text": "Hm."}, {"functionCall": {"name": NAME, "args": GIVEN}}]
    content = {"role": "model", "parts": parts}
    said = types.GenerateContentResponse.model_validate({"candidates": [{"content": content}]})
    assert said.function_calls is not None
    assert is_made("gemini", said, *said.function_calls)
    assert is_made("gemini", said.function_calls)
    tools, _ = shop_toolbox()
    (back,) = tools.replies("gemini", said)
    parts_back = types.Content.model_validate(back).parts or []
    assert [part.function_response is not None for part in parts_back] == [True]
    (declared,) = [types.Tool.model_validate(tool) for tool in tools.for_("gemini")]
    assert declared.function_declarations is not None
    assert declared.function_declarations[0].parameters_json_schema is not None
