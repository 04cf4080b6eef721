"""
How each provider writes the calls of its model, and takes what came of them.

Calls are read from dicts as they are sent, and from the objects of the official clients.

Source: OpenAI, Function calling (Chat Completions and Responses); Anthropic, Tool use; Google,
Gemini API, Function calling; Ollama, API, Chat; llama.cpp, tools/server, `/v1/chat/completions`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from restwright.errors import UnknownDialect, WrongType
from restwright.jsontypes import Json, JsonObject
from restwright.tools.dialects import ALIASES, Dialect, dialect_named
from restwright.tools.naming.names import NAMESPACE_SEPARATOR
from restwright.tools.toolset import ToolCall

ReadCalls = Callable[[object], Sequence[object]]
"""The calls in a response, in a message of one, or in a list of them; in their order."""
WriteReply = Callable[[ToolCall, str, bool], JsonObject]
"""What goes back for one call: its text, and whether it says that something went wrong."""


WriteSaid = Callable[[str, Sequence[ToolCall]], list[JsonObject]]
"""What the model said, its words and its calls, as it stands in later requests."""


def _as_they_are(items: Sequence[JsonObject]) -> list[JsonObject]:
    return [*items]


def _write_text(role: str, text: str) -> JsonObject:
    return {"role": role, "content": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """
    The form in which one provider exchanges calls.

    Args:
        name: Of the provider, as it was asked for.
        form: What a call of it looks like, for who gave another one.
        pack: The tools of an offer as the request takes them.
        wrap: What goes back for all calls of one response, as the next messages of the request.
        write_said: What the model said, as messages.
        write_asked: What the user said, as a message.
    """

    name: str
    dialect: Dialect = field(repr=False)
    form: str
    read_calls: ReadCalls = field(repr=False)
    read_call: Callable[[object], ToolCall | None] = field(repr=False)
    write_reply: WriteReply = field(repr=False)
    write_said: WriteSaid = field(repr=False)
    pack: Callable[[Sequence[JsonObject]], list[JsonObject]] = field(
        default=_as_they_are, repr=False
    )
    wrap: Callable[[Sequence[JsonObject]], list[JsonObject]] = field(
        default=_as_they_are, repr=False
    )
    write_asked: Callable[[str], JsonObject] = field(
        default=partial(_write_text, "user"), repr=False
    )

    def calls_in(self, said: object) -> tuple[ToolCall, ...]:
        """
        The calls of a response, of a message, or of a list of calls.

        Raises:
            WrongType: One of them has another form.
        """
        return tuple(self.call_from(item) for item in self.read_calls(said))

    def call_from(self, item: object) -> ToolCall:
        """
        One call.

        Raises:
            WrongType: It has another form.
        """
        if isinstance(item, ToolCall):
            return item
        call = self.read_call(item)
        if call is None:
            wanted = f"a call as {self.name!r} writes it, {self.form}"
            raise WrongType("the tool call", wanted, type(item).__name__)
        return call


def wire_named(provider: str) -> Wire:
    """
    The wire of a provider: a dialect or alias, `ollama`, or `llama.cpp`.

    Raises:
        UnknownDialect: There is none; it names close ones.
    """
    name = _OWN_NAMES.get(provider) or ALIASES.get(provider, provider)
    found = _WIRES.get(name)
    if found is None:
        raise UnknownDialect(provider, [*dict.fromkeys((*_WIRES, *_OWN_NAMES, *ALIASES))])
    dialect, make = found
    return make(name=provider, dialect=dialect_named(dialect))


def member(holder: Json, *names: str) -> Json:
    """The first of these members that is there, of a mapping or of a client's object."""
    for name in names:
        value = (
            _as_mapping(holder).get(name) if _is_mapping(holder) else getattr(holder, name, None)
        )
        if value is not None:
            return value
    return None


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _as_mapping(value: Json) -> Mapping[str, Json]:
    return value


def items_of(value: Json) -> list[object]:
    """The items of a list of any type; none of what is no list."""
    is_several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return [*value] if is_several else []


def _is_list(said: object) -> bool:
    return isinstance(said, list | tuple)


def _items_in(said: object, holder: str) -> list[object]:
    """The items of a response's member `holder`, or what was given as a list of them."""
    return items_of(said if _is_list(said) else member(said, holder))


def _read_typed_calls(said: object, *, holder: str, kind: str) -> list[object]:
    """The items of a response whose `type` is that of calls."""
    return [item for item in _items_in(said, holder) if member(item, "type") == kind]


def _read_named_call(item: object, *, id_: str, arguments: str) -> ToolCall | None:
    """A call that holds its name, its id and its arguments itself."""
    if member(item, "name") is None or member(item, id_) is None:
        return None
    namespace = str(member(item, "namespace") or "")
    return _to_call(item, member(item, arguments), member(item, id_), namespace=namespace)


def _to_call(holder: Json, arguments: Json, id_: Json, *, namespace: str = "") -> ToolCall:
    """A call from what has its name."""
    name = str(member(holder, "name") or "")
    prefix = f"{namespace}{NAMESPACE_SEPARATOR}" if namespace else ""
    full = name if name.startswith(prefix) else f"{prefix}{name}"
    return ToolCall(full, _to_json(arguments), str(id_ or ""))


def _to_json(arguments: Json) -> Json:
    return {**arguments} if _is_mapping(arguments) else arguments


def _to_text(arguments: Json) -> str:
    return json.dumps(arguments, ensure_ascii=False)


# Chat Completions of OpenAI, which many others speak.


def _read_chat_calls(said: object) -> list[object]:
    if _is_list(said):
        return items_of(said)
    if choices := items_of(member(said, "choices")):
        said = choices[0]
    calls = items_of(member(member(said, "message") or said, "tool_calls"))
    return [call for call in calls if member(call, "function") is not None]


def _read_chat_call(item: object) -> ToolCall | None:
    function = member(item, "function")
    if function is None:
        return None
    return _to_call(function, member(function, "arguments"), member(item, "id"))


def _write_chat_reply(call: ToolCall, text: str, _: bool) -> JsonObject:  # noqa: FBT001
    return {"role": "tool", "tool_call_id": call.id, "content": text}


def _write_chat_said(text: str, calls: Sequence[ToolCall]) -> list[JsonObject]:
    made = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": call.tool,
                "arguments": _to_text(call.arguments),
            },
        }
        for call in calls
    ]
    content = text or (None if made else "")
    said: JsonObject = {"role": "assistant", "content": content}
    return [said | ({"tool_calls": made} if made else {})]


_make_chat_wire = partial(
    Wire,
    form='{"id", "function": {"name", "arguments"}}',
    read_calls=_read_chat_calls,
    read_call=_read_chat_call,
    write_reply=_write_chat_reply,
    write_said=_write_chat_said,
)


# Ollama's own API: arguments are objects, and a reply names the tool.


def _write_ollama_reply(call: ToolCall, text: str, _: bool) -> JsonObject:  # noqa: FBT001
    id_ = {"tool_call_id": call.id} if call.id else {}
    return {"role": "tool", "tool_name": call.tool, "content": text, **id_}


def _write_ollama_said(text: str, calls: Sequence[ToolCall]) -> list[JsonObject]:
    made = [{"function": {"name": call.tool, "arguments": call.arguments}} for call in calls]
    return [_write_text("assistant", text) | ({"tool_calls": made} if made else {})]


def _pack_functions(shapes: Sequence[JsonObject]) -> list[JsonObject]:
    return [{"type": "function", "function": shape} for shape in shapes]


_make_ollama_wire = partial(
    Wire,
    form='{"function": {"name", "arguments"}}',
    read_calls=_read_chat_calls,
    read_call=_read_chat_call,
    write_reply=_write_ollama_reply,
    pack=_pack_functions,
    write_said=_write_ollama_said,
)


# Responses of OpenAI.


def _write_response_reply(call: ToolCall, text: str, _: bool) -> JsonObject:  # noqa: FBT001
    return {"type": "function_call_output", "call_id": call.id, "output": text}


def _write_response_said(text: str, calls: Sequence[ToolCall]) -> list[JsonObject]:
    made = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.tool,
            "arguments": _to_text(call.arguments),
        }
        for call in calls
    ]
    return [*([_write_text("assistant", text)] if text else []), *made]


_make_responses_wire = partial(
    Wire,
    form='{"type": "function_call", "call_id", "name", "arguments"}',
    read_calls=partial(_read_typed_calls, holder="output", kind="function_call"),
    read_call=partial(_read_named_call, id_="call_id", arguments="arguments"),
    write_reply=_write_response_reply,
    write_said=_write_response_said,
)


# Messages of Anthropic: what goes back for one turn stands in one message.


def _write_anthropic_reply(call: ToolCall, text: str, is_error: bool) -> JsonObject:  # noqa: FBT001
    reply: JsonObject = {"type": "tool_result", "tool_use_id": call.id, "content": text}
    return reply | ({"is_error": True} if is_error else {})


def _write_anthropic_said(text: str, calls: Sequence[ToolCall]) -> list[JsonObject]:
    made = [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}
        for call in calls
    ]
    words = [{"type": "text", "text": text}] if text else []
    return [{"role": "assistant", "content": [*words, *made]}]


def _wrap_for_anthropic(replies: Sequence[JsonObject]) -> list[JsonObject]:
    return [{"role": "user", "content": [*replies]}] if replies else []


_make_anthropic_wire = partial(
    Wire,
    form='{"type": "tool_use", "id", "name", "input"}',
    read_calls=partial(_read_typed_calls, holder="content", kind="tool_use"),
    read_call=partial(_read_named_call, id_="id", arguments="input"),
    write_reply=_write_anthropic_reply,
    wrap=_wrap_for_anthropic,
    write_said=_write_anthropic_said,
)


# Gemini: calls and what goes back for them are parts of contents.


def _read_gemini_calls(said: object) -> list[object]:
    if candidates := items_of(member(said, "candidates")):
        said = candidates[0]
    content = member(said, "content") or said
    parts = items_of(said if _is_list(said) else member(content, "parts"))
    wanted = ("functionCall", "function_call", "name")
    return [part for part in parts if member(part, *wanted) is not None]


def _read_gemini_call(item: object) -> ToolCall | None:
    function = member(item, "functionCall", "function_call") or item
    if member(function, "name") is None:
        return None
    return _to_call(function, member(function, "args"), member(function, "id"))


def _write_gemini_reply(call: ToolCall, text: str, is_error: bool) -> JsonObject:  # noqa: FBT001
    response = {"error" if is_error else "output": text}
    id_ = {"id": call.id} if call.id else {}
    return {"functionResponse": {**id_, "name": call.tool, "response": response}}


def _write_gemini_said(text: str, calls: Sequence[ToolCall]) -> list[JsonObject]:
    made = [
        {"functionCall": {"id": call.id, "name": call.tool, "args": call.arguments}}
        for call in calls
    ]
    return [{"role": "model", "parts": [*([{"text": text}] if text else []), *made]}]


def _write_gemini_asked(text: str) -> JsonObject:
    return {"role": "user", "parts": [{"text": text}]}


def _pack_for_gemini(shapes: Sequence[JsonObject]) -> list[JsonObject]:
    return [{"functionDeclarations": [*shapes]}] if shapes else []


def _wrap_for_gemini(replies: Sequence[JsonObject]) -> list[JsonObject]:
    return [{"role": "user", "parts": [*replies]}] if replies else []


_make_gemini_wire = partial(
    Wire,
    form='{"functionCall": {"name", "args"}}',
    read_calls=_read_gemini_calls,
    read_call=_read_gemini_call,
    write_reply=_write_gemini_reply,
    pack=_pack_for_gemini,
    wrap=_wrap_for_gemini,
    write_said=_write_gemini_said,
    write_asked=_write_gemini_asked,
)


# A form of no provider, for those that have one of their own.


def _read_plain_call(item: object) -> ToolCall | None:
    if member(item, "name") is None:
        return None
    return _to_call(item, member(item, "arguments"), member(item, "id"))


def _write_plain_reply(call: ToolCall, text: str, is_error: bool) -> JsonObject:  # noqa: FBT001
    return {"id": call.id, "name": call.tool, "content": text, "is_error": is_error}


def _write_plain_said(text: str, calls: Sequence[ToolCall]) -> list[JsonObject]:
    made = [{"id": call.id, "name": call.tool, "arguments": call.arguments} for call in calls]
    return [_write_text("assistant", text) | ({"calls": made} if made else {})]


_make_plain_wire = partial(
    Wire,
    form='{"name", "arguments"}',
    read_calls=partial(_items_in, holder="calls"),
    read_call=_read_plain_call,
    write_reply=_write_plain_reply,
    write_said=_write_plain_said,
)


_WIRES: Mapping[str, tuple[str, partial[Wire]]] = MappingProxyType(
    {
        "openai": ("openai", _make_chat_wire),
        "openai-strict": ("openai-strict", _make_chat_wire),
        "openai-responses": ("openai-responses", _make_responses_wire),
        "openai-responses-strict": ("openai-responses-strict", _make_responses_wire),
        "anthropic": ("anthropic", _make_anthropic_wire),
        "gemini": ("gemini", _make_gemini_wire),
        "gemini-openapi": ("gemini-openapi", _make_gemini_wire),
        "llama-grammar": ("llama-grammar", _make_chat_wire),
        # Its server knows no references.
        "ollama": ("openapi-3.0", _make_ollama_wire),
        "json-schema": ("json-schema", _make_plain_wire),
    }
)
"""`{wire: (dialect, form)}`."""

_OWN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "llama.cpp": "llama-grammar",
        "llama": "llama-grammar",
        "deepseek": "openai",
    }
)
"""Providers whose servers speak a wire that is not called as their dialect is."""
