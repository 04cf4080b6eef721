"""
A server on loopback that plays the models of several providers, in the wire formats of each.

What the model says is a script of turns: calls, or words. A request that streams is answered with
server-sent events.

Source: OpenAI API reference, Chat Completions and Responses, with their streaming; Anthropic API
reference, Messages, with its streaming; Gemini API, `models.generateContent`; Ollama, API, Chat.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.support.net.handlers import JSONHandler, serve_handler

from restwright.jsontypes import Json, JsonObject

Turn: TypeAlias = "str | Sequence[tuple[str, JsonObject]]"
"""Words, or calls by the name of the tool and the arguments."""


@dataclass
class Provider:
    """
    A provider whose model says what is written down, in order.

    `asked` keeps every request as `(path, body)`.
    """

    url: str
    turns: list[Turn]
    asked: list[tuple[str, Json]] = field(default_factory=list)

    @property
    def bodies(self) -> list[Json]:
        return [body for _, body in self.asked]


@contextmanager
def provider(*turns: Turn) -> Iterator[Provider]:
    """Serve while the block runs."""
    played = Provider("", [*turns])

    class Handler(JSONHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.read_body() or b"{}")
            played.asked.append((self.path, body))
            write = next(form for end, form in FORMS.items() if end in self.path)
            text, kind = write(len(played.asked), played.turns.pop(0), body)
            self.answer(text.encode(), kind=kind)

    with serve_handler(Handler) as played.url:
        yield played


def whole(body: Json) -> tuple[str, str]:
    return json.dumps(body), "application/json"


def events(*each: tuple[str, Json]) -> tuple[str, str]:
    """Server-sent events, each with its name where it has one."""
    lines = (
        f"{f'event: {name}' + chr(10) if name else ''}data: {json.dumps(data)}\n\n"
        for name, data in each
    )
    return "".join(lines), "text/event-stream"


def pieces(text: str) -> list[str]:
    return [text[start : start + 5] for start in range(0, len(text), 5)]


def chat(number: int, turn: Turn, body: Json) -> tuple[str, str]:
    head: JsonObject = {"id": f"chat-{number}", "created": 1, "model": "m"}
    message: JsonObject = {"role": "assistant", "content": turn if isinstance(turn, str) else None}
    if not isinstance(turn, str):
        message["tool_calls"] = [
            {
                "id": f"call-{number}-{place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, (name, arguments) in enumerate(turn)
        ]
    finish = "stop" if isinstance(turn, str) else "tool_calls"
    if not body.get("stream"):
        choice = {"index": 0, "finish_reason": finish, "message": message}
        return whole(head | {"object": "chat.completion", "choices": [choice]})
    head["object"] = "chat.completion.chunk"
    calls = message.get("tool_calls", ())
    deltas: list[JsonObject] = [{"role": "assistant"}]
    deltas += [{"content": piece} for piece in pieces(message["content"] or "")]
    for place, call in enumerate(calls):
        name = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [call | {"index": place, "function": name}]})
        deltas += [
            {"tool_calls": [{"index": place, "function": {"arguments": piece}}]}
            for piece in pieces(call["function"]["arguments"])
        ]
    said = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    said.append({"index": 0, "delta": {}, "finish_reason": finish})
    text, kind = events(*(("", head | {"choices": [choice]}) for choice in said))
    return f"{text}data: [DONE]\n\n", kind


def responses(number: int, turn: Turn, body: Json) -> tuple[str, str]:
    output: list[JsonObject] = []
    if isinstance(turn, str):
        content = {"type": "output_text", "text": turn, "annotations": []}
        item = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
        output.append(item | {"content": [content]})
    else:
        output += [
            {
                "type": "function_call",
                "id": f"fc-{number}-{place}",
                "call_id": f"call-{number}-{place}",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            for place, (name, arguments) in enumerate(turn)
        ]
    head: JsonObject = {"id": f"resp-{number}", "object": "response", "created_at": 1, "model": "m"}
    rest: JsonObject = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return whole(head | rest | {"status": "completed", "output": output})


def anthropic(number: int, turn: Turn, body: Json) -> tuple[str, str]:
    blocks: list[JsonObject] = (
        [{"type": "text", "text": turn}]
        if isinstance(turn, str)
        else [
            {"type": "tool_use", "id": f"toolu-{number}-{place}", "name": name, "input": arguments}
            for place, (name, arguments) in enumerate(turn)
        ]
    )
    stop = "end_turn" if isinstance(turn, str) else "tool_use"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: JsonObject = {
        "id": f"msg-{number}",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "usage": usage,
    }
    if not body.get("stream"):
        return whole(message | {"content": blocks, "stop_reason": stop, "stop_sequence": None})
    begun = message | {"content": [], "stop_reason": None, "stop_sequence": None}
    told: list[JsonObject] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        empty = block | ({"text": ""} if is_text else {"input": {}})
        told.append({"type": "content_block_start", "index": index, "content_block": empty})
        whole_text = block["text"] if is_text else json.dumps(block["input"])
        kind, key = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
        told += [
            {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}
            for piece in pieces(whole_text)
        ]
        told.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    told.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}})
    told.append({"type": "message_stop"})
    return events(*((event["type"], event) for event in told))


def gemini(number: int, turn: Turn, body: Json) -> tuple[str, str]:
    parts: list[JsonObject] = (
        [{"text": turn}]
        if isinstance(turn, str)
        else [{"functionCall": {"name": name, "args": arguments}} for name, arguments in turn]
    )
    content = {"role": "model", "parts": parts}
    return whole({"candidates": [{"content": content, "finishReason": "STOP"}]})


def ollama(number: int, turn: Turn, body: Json) -> tuple[str, str]:
    message: JsonObject = {"role": "assistant", "content": turn if isinstance(turn, str) else ""}
    if not isinstance(turn, str):
        message["tool_calls"] = [
            {"function": {"name": name, "arguments": arguments}} for name, arguments in turn
        ]
    return whole({"model": "m", "message": message, "done": True})


FORMS: dict[str, Callable[[int, Turn, Json], tuple[str, str]]] = {
    "/chat/completions": chat,
    "/responses": responses,
    "/messages": anthropic,
    ":generateContent": gemini,
    "/api/chat": ollama,
}
