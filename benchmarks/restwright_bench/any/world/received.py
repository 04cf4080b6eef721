"""A request as the arguments of the tool whose operation it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

import orjson

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.messages import Request
from restwright.tools.tool import Tool
from restwright_bench.any.schemas import Schema, flatten

_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """
    A request, read.

    Args:
        query: `{parameter: value of its schema's type}`.
        arguments: Of the tool, to be checked as any.
    """

    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, Json] = field(default_factory=dict[str, Json])
    body: Json = None
    arguments: JsonObject = field(default_factory=dict[str, Json])


class Unreadable(Exception):
    """A body that is not what its media type says."""


def read_request(tool: Tool, request: Request, path: Mapping[str, str]) -> Received:
    """
    Read the values of a request.

    Raises:
        Unreadable: The body is none of its media type.
    """
    given = _Given(
        path=path,
        query=_several(urlsplit(request.url).query),
        body=_read_body(request),
        request=request,
    )
    arguments: JsonObject = {}
    query: dict[str, Json] = {}
    for each in tool.inputs:
        schema = flatten(tool.properties.get(each.name, {}), tool.checks.get("$defs", {}))
        reader = _READERS.get(each.location)
        is_there, value = reader(given, each.target, schema) if reader else (False, None)
        if is_there:
            holder = arguments.setdefault(each.group, {}) if each.group else arguments
            holder[each.name] = value
            if each.location == "query":
                query[each.target] = value
    return Received(path=path, query=query, body=given.body, arguments=arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """The parts of a request, as texts and as what its body holds."""

    path: Mapping[str, str]
    query: Mapping[str, Sequence[str]]
    body: Json
    request: Request


_Value = tuple[bool, Json]
"""Whether a value is there, and the value."""


def _in_path(given: _Given, name: str, schema: Schema) -> _Value:
    return (True, to_type([given.path[name]], schema)) if name in given.path else (False, None)


def _in_query(given: _Given, name: str, schema: Schema) -> _Value:
    return _query_value(given.query, name, schema)


def _in_header(given: _Given, name: str, schema: Schema) -> _Value:
    text = given.request.header(name)
    return bool(text), to_type([text], schema)


def _whole_body(given: _Given, name: str, schema: Schema) -> _Value:
    del name, schema
    return given.body is not None, given.body


def _in_body(given: _Given, name: str, schema: Schema) -> _Value:
    """A member of the body; in a form it is a text, and becomes what its schema says."""
    if not is_object(given.body) or name not in given.body:
        return False, None
    if _is_form(given.request):
        given.body[name] = _typed_form(given.body[name], schema)
    return True, given.body[name]


_READERS: Mapping[str, Callable[[_Given, str, Schema], _Value]] = {
    "path": _in_path,
    "query": _in_query,
    "header": _in_header,
    "body": _whole_body,
    "body_property": _in_body,
}


def unknown_members(tool: Tool, body: Json) -> tuple[str, ...]:
    """Members of a body that the operation does not take."""
    known = {each.target for each in tool.inputs if each.location == "body_property"}
    is_flat = bool(known) and not any(each.location == "body" for each in tool.inputs)
    if not is_flat or not is_object(body) or tool.checks.get("additionalProperties") is not False:
        return ()
    return tuple(each for each in body if each not in known)


def _several(query: str) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        found.setdefault(name, []).append(text)
    return found


def _query_value(
    given: Mapping[str, Sequence[str]], name: str, schema: Schema
) -> tuple[bool, Json]:
    texts = given.get(name) or given.get(f"{name}[]")
    if texts:
        return True, to_type(texts, schema)
    deep = {k[len(name) + 1 : -1]: v[-1] for k, v in given.items() if k.startswith(f"{name}[")}
    return bool(deep), {k: to_type([v], schema.member(k)) for k, v in deep.items()}


def to_type(texts: Sequence[str], schema: Schema) -> Json:
    """The value that texts stand for under their schema; the text where it stands for none."""
    if schema.type == "array":
        parts = texts if len(texts) > 1 else texts[0].split(",")
        return [to_type([each], schema.items()) for each in parts]
    text = texts[-1]
    try:
        if schema.type == "integer":
            return int(text)
        if schema.type == "number":
            return float(text)
        if schema.type == "object":
            return orjson.loads(text)
    except ValueError:
        return text
    return _TRUTH.get(text, text) if schema.type == "boolean" else text


def _is_form(request: Request) -> bool:
    return "form" in request.header("content-type")


def _read_body(request: Request) -> Json:
    if not request.body:
        return None
    if _is_form(request):
        return _read_form(request.body.decode("utf-8", "replace"))
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"the body is no JSON: {error}") from None


def _read_form(text: str) -> JsonObject:
    found: JsonObject = {}
    for name, several in _several(text).items():
        head, _, rest = name.partition("[")
        value: Json = several if len(several) > 1 else several[0]
        if not rest:
            found[head] = value
        elif rest == "]" or rest.rstrip("]").isdecimal():
            held = found.setdefault(head, [])
            held += several if is_array(held) else []
        else:
            inner = found.setdefault(head, {})
            if is_object(inner):
                inner[rest.rstrip("]")] = value
    return found


def _typed_form(value: Json, schema: Schema) -> Json:
    if is_object(value):
        return {k: _typed_form(v, schema.member(k)) for k, v in value.items()}
    return to_type([*value] if is_array(value) else [value], schema)
