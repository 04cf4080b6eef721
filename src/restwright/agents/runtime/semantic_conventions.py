"""
What OpenTelemetry's conventions for generative AI call the things of a run.

Source: OpenTelemetry, "Semantic conventions for generative AI", of which all is still in
development, so that names may move.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from restwright.agents.steps import Complete, Completion, Message
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.toolset.meta_tools import ToolCall

Attributes = dict[str, Any]

MAX_ATTRIBUTE_CHARS = 8_000
"""Characters of one attribute, as far as cutting its texts can keep it to that."""
_LONGEST_CUT = 8 * MAX_ATTRIBUTE_CHARS
_CUTS = (MAX_ATTRIBUTE_CHARS, 2_000, 500, 100)
_DEEPEST = 20
_NARROWEST = 5
"""As many properties has no part of a message."""
_LOCAL = "local"
_METHODS = frozenset(
    {"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"}
)
_PROVIDERS: Mapping[str, str] = {
    "azure": "azure.ai.openai",
    "azure-responses": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "google-cloud": "gcp.vertex_ai",
    "google-gla": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "xai": "x_ai",
}


def provider_name(model: str) -> str:
    """The provider of a model that was chosen by this name, as the conventions call it."""
    provider = model.partition(":")[0]
    return _PROVIDERS.get(provider, provider)


def bare_model_name(model: str) -> str:
    """The name of a model without its provider."""
    return model.partition(":")[2] or model


def is_remote_model(model: str) -> bool:
    """Whether a provider is asked, and not a model in this process."""
    provider, _, name = model.partition(":")
    return bool(name) and provider != _LOCAL


def server_attributes(url: str) -> Attributes:
    """Where a server is; nothing where that is not known."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return {}
    if not parts.hostname or port is None:
        return {}
    return {"server.address": parts.hostname, "server.port": port}


def method_attributes(method: str) -> Attributes:
    """The method of an HTTP request; of one that is in no standard its name stands beside."""
    if method in _METHODS:
        return {"http.request.method": method}
    return {"http.request.method": "_OTHER", "http.request.method_original": method}


def request_attributes(step: Complete, *, is_streamed: bool) -> Attributes:
    """What a model is asked, without any content."""
    stream: Attributes = {"gen_ai.request.stream": True} if is_streamed else {}
    return {
        "gen_ai.request.max_tokens": step.max_tokens,
        "gen_ai.request.temperature": step.temperature,
        "gen_ai.output.type": "text" if step.schema is None else "json",
        "gen_ai.prompt.name": step.role,
        **stream,
    }


def request_content(step: Complete) -> Attributes:
    """The content of what a model is asked."""
    system = [message for message in step.messages if message.speaker == "system"]
    others = [message for message in step.messages if message.speaker != "system"]
    given: Attributes = {
        "gen_ai.input.messages": to_bounded_json([_convert_message(other) for other in others])
    }
    if system:
        given["gen_ai.system_instructions"] = to_bounded_json(
            [_text_part(message.text) for message in system]
        )
    if step.tools:
        tools = [{"type": "function", **tool} for tool in step.tools]
        given["gen_ai.tool.definitions"] = to_bounded_json(tools)
    return given


def response_attributes(reply: Completion) -> Attributes:
    """What a model answered, without any content; what it did not tell is left out."""
    told = {
        "gen_ai.response.model": reply.model,
        "gen_ai.response.id": reply.id,
        "gen_ai.usage.cache_read.input_tokens": reply.cache_read_tokens,
        "gen_ai.usage.cache_write.input_tokens": reply.cache_write_tokens,
        "gen_ai.usage.reasoning.output_tokens": reply.reasoning_tokens,
        "gen_ai.response.time_to_first_chunk": reply.first_s,
    }
    return {
        "gen_ai.usage.input_tokens": reply.input_tokens,
        "gen_ai.usage.output_tokens": reply.output_tokens,
        "gen_ai.response.finish_reasons": (_finish_reason(reply),),
        **{name: value for name, value in told.items() if value},
    }


def response_content(reply: Completion) -> Attributes:
    """The content of what a model answered."""
    own = Message("assistant", reply.text, reply.calls)
    return {
        "gen_ai.output.messages": to_bounded_json(
            [_convert_message(own) | {"finish_reason": _finish_reason(reply)}]
        )
    }


def question_content(question: str) -> Attributes:
    """The question of a run."""
    return {"gen_ai.input.messages": to_bounded_json([_convert_message(Message("user", question))])}


def answer_content(text: str) -> Attributes:
    """The answer of a run."""
    own = _convert_message(Message("assistant", text)) | {"finish_reason": "stop"}
    return {"gen_ai.output.messages": to_bounded_json([own])}


def to_bounded_json(value: Json) -> str:
    """JSON text of a value; where it is too long the texts, lists and objects in it are cut."""
    text = _to_json(value)
    for most in _CUTS:
        if len(text) <= MAX_ATTRIBUTE_CHARS:
            return text
        text = _to_json(_cut_value(value, most, most, _DEEPEST))
    return text if len(text) <= _LONGEST_CUT else _to_json(text[:MAX_ATTRIBUTE_CHARS])


def _to_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut_value(value: Json, limit: int, width: int, depth: int) -> Json:
    """The same value with texts of at most this length, narrower and no deeper than is of use."""
    if isinstance(value, str):
        return value if len(value) <= limit else f"{value[:limit]}... ({len(value):,} characters)"
    if not is_object(value) and not is_array(value):
        return value
    if not depth:
        return "..."
    inner = max(_NARROWEST, width // 3)
    if is_object(value):
        kept = islice(value.items(), width)
        return {name: _cut_value(own, limit, inner, depth - 1) for name, own in kept}
    return [_cut_value(own, limit, inner, depth - 1) for own in islice(value, width)]


def _convert_message(message: Message) -> JsonObject:
    if message.speaker == "tool":
        response = {"type": "tool_call_response", "id": message.call_id, "response": message.text}
        return {"role": "tool", "parts": [response]}
    words = [_text_part(message.text)] if message.text or not message.calls else []
    return {"role": message.speaker, "parts": [*words, *map(_tool_call_part, message.calls)]}


def _text_part(text: str) -> JsonObject:
    return {"type": "text", "content": text}


def _tool_call_part(call: ToolCall) -> JsonObject:
    said = to_arguments(call.arguments)
    return {"type": "tool_call", "id": call.id, "name": call.tool, "arguments": said}


def to_arguments(written: Json) -> JsonObject:
    """The arguments of a call as an object, however the model wrote them."""
    if isinstance(written, str):
        try:
            written = json.loads(written)
        except (ValueError, RecursionError):
            return {"text": written}
    return written if is_object(written) else {} if written is None else {"value": written}


def _finish_reason(reply: Completion) -> str:
    return "tool_call" if reply.calls and reply.finish == "stop" else reply.finish
