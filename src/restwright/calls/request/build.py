"""From a tool and checked arguments to one HTTP request. No I/O, no credentials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote, unquote

from restwright.calls.mismatch import (
    Mismatch,
    mismatch_for_non_object,
    pointer_from_path,
    preview_json,
)
from restwright.calls.request.body import EncodedBody, choose_body_media_type, encode_body
from restwright.calls.request.encode import Unwritable, encode_content
from restwright.calls.request.media_ranges import media_type_essence
from restwright.calls.request.parameter_styles import (
    Pair,
    percent_encode,
    serialize_cookie_parameter,
    serialize_header_parameter,
    serialize_path_parameter,
    serialize_query_parameter,
)
from restwright.calls.request.urlencoded import encode_form_pairs
from restwright.errors import (
    InvalidArguments,
    RefusedRequest,
    UnsupportedMediaType,
    require_type,
)
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.messages import Request
from restwright.net.policy.origins import redact_url as shown_url
from restwright.openapi.effects import is_method_override
from restwright.openapi.model import MediaType, Parameter
from restwright.openapi.path_faults import find_path_fault
from restwright.tools.text.media_types import body_media_type
from restwright.tools.tool import Input, Tool, require_tool

# OAS 3.1, "Parameter Object": a header parameter of these names is ignored.
IGNORED_HEADERS = frozenset({"accept", "authorization", "content-type"})
# These say where a request goes and where it ends; no argument may.
_REFUSED_HEADER = re.compile(
    r"host|cookie|content-length|content-encoding|transfer-encoding|connection|keep-alive|te"
    r"|trailer|upgrade|expect|proxy-.*|via"
    # What a proxy says to the server behind it: where a request came from, and for what.
    r"|(x-)?forwarded(-.*)?|x-forward(ed|er)?-for|x-(original|rewrite)-(ur[il]|path|host)"
    r"|x-(http-)?host(-override)?|x-backend-host|x-envoy-.*|x-middleware-.*"
    r"|x-(real|client|cluster-client|originating|remote|true-client|proxyuser)-ip|x-remote-addr"
    r"|(true-)?client-ip|cf-connecting-ip|fastly-client-ip|x-sendfile.*|x-accel-.*"
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_FORM = "application/x-www-form-urlencoded"
_PATH_SAFE = "/:@!$&'()*+,;=~-._%"


@dataclass(slots=True)
class _RequestParts:
    """
    What the arguments of one call become, on their way into a request.

    Args:
        tool: The one that is called.
        used_targets: `(name, location)` of the parameters, which no member of an object may pass
            for.
        places: `{path parameter: (path of its argument, its value)}`.
        whole_query: Written in the place of `query`.
    """

    tool: Tool
    used_targets: frozenset[tuple[str, str]]
    places: dict[str, tuple[tuple[str, ...], Json]] = field(
        default_factory=dict[str, tuple[tuple[str, ...], Json]]
    )
    path: dict[str, str] = field(default_factory=dict[str, str])
    query: list[Pair] = field(default_factory=list[Pair])
    whole_query: str = ""
    headers: list[Pair] = field(default_factory=list[Pair])
    cookies: list[Pair] = field(default_factory=list[Pair])
    properties: JsonObject = field(default_factory=dict[str, Json])
    body: list[Json] = field(default_factory=list[Json])
    mismatches: list[Mismatch] = field(default_factory=list[Mismatch])


def build_request(
    tool: Tool, arguments: JsonObject, *, server: str, media_type: str | None = None
) -> Request:
    """
    Turn one checked call into one HTTP request.

    Args:
        arguments: `{input name: JSON value}`; must have passed `check()`. Files are data URLs.
        server: Absolute base URL without a trailing slash, as `server_of` returns it.
        media_type: Of the body, in the place of the one that the tool is laid out for; the document
            must have the same schema for both, so that what was checked is what is sent.

    Returns:
        `url` percent-encoded once; no credentials in it.

    Raises:
        InvalidArguments: An argument cannot be written where it belongs.
        RefusedRequest: The path of the document or the server leads out of itself.
        UnsupportedMediaType: No media type of the body can be written, or not the one asked for.
        WrongType: `tool` or `server` is none.

    Source: OAS 3.1, "Parameter Object" and "Style Values".
    """
    require_tool(tool)
    require_type(server, str, what="`server`", wanted="the URL of a server, as text")
    if not is_object(arguments):
        raise InvalidArguments(tool.name, [mismatch_for_non_object(arguments)])
    parts = _collect_parts(tool, arguments)
    url = _build_url(tool, parts, server)
    body = None if parts.mismatches else _encode_request_body(tool, parts, media_type)
    if parts.mismatches:
        raise InvalidArguments(tool.name, parts.mismatches)
    body_headers = [("Content-Type", body.media_type)] if body else []
    headers = [("Accept", _accept_header(tool)), *body_headers, *parts.headers]
    if parts.cookies:
        headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in parts.cookies)))
    content = body.content if body else b""
    return Request(
        method=tool.operation.method.upper(), url=url, headers=tuple(headers), body=content
    )


def find_unsendable(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """Return what a request cannot carry, though a schema may allow it; empty when all is well."""
    parts = _collect_parts(tool, arguments)
    _check_template(tool, parts)
    described = body_media_type(tool.operation)
    # What has passed as JSON can be written as JSON: that is not done twice.
    if not parts.mismatches and described and not is_json_media_type(described.name):
        with suppress(UnsupportedMediaType):  # the user's to mend, once it is to be sent
            _encode_request_body(tool, parts, None)
    return tuple(parts.mismatches)


def _collect_parts(tool: Tool, arguments: JsonObject) -> _RequestParts:
    parameters = {
        (parameter.name, parameter.location): parameter for parameter in tool.operation.parameters
    }
    parts = _RequestParts(tool=tool, used_targets=frozenset(parameters))
    for path, target, value in _match_inputs(tool, arguments):
        if target is None:
            mismatch = Mismatch(
                pointer_from_path(path), "no property of this name", preview_json(value)
            )
            parts.mismatches.append(mismatch)
            continue
        parameter = parameters.get((target.target, target.location)) or _default_parameter(target)
        if target.location == "path":
            parts.places[target.target] = (path, value)
        try:
            _PART_WRITERS[target.location](parts, parameter, value)
        except Unwritable as error:
            pointer = pointer_from_path([*path, *error.path])
            parts.mismatches.append(Mismatch(pointer, str(error), preview_json(value)))
    return parts


def _match_inputs(
    tool: Tool, arguments: JsonObject
) -> Iterator[tuple[tuple[str, ...], Input | None, Json]]:
    """`(path of the argument, its input, its value)`; None for an input that there is none of."""
    inputs = {(tool_input.group, tool_input.name): tool_input for tool_input in tool.inputs}
    groups = {tool_input.group for tool_input in tool.inputs if tool_input.group}
    for name, value in arguments.items():
        if name in groups and is_object(value):
            for inner, each in value.items():
                yield (name, inner), inputs.get((name, inner)), each
        else:
            yield (name,), inputs.get(("", name)), value


def _default_parameter(target: Input) -> Parameter:
    """A parameter of the default style, for an input that the operation does not list."""
    location = target.location
    if location == "body" or location == "body_property":
        return Parameter(name=target.target, location="query")
    return Parameter(name=target.target, location=location, explode=location in {"query", "cookie"})


def _put_path(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    parts.path[parameter.name] = serialize_path_parameter(parameter, value)


def _put_query(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    _refuse_other_names(parts, parameter, value)
    parts.query.extend(serialize_query_parameter(parameter, value))


def _refuse_other_names(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    """Where the members of an object stand for themselves, none may pass for a parameter."""
    stand_alone = parameter.explode and parameter.style != "deepObject" and not parameter.media_type
    if stand_alone and is_object(value):
        _refuse_taken(parts, parameter.location, value)


def _refuse_taken(parts: _RequestParts, location: str, names: Iterable[str]) -> None:
    schemes = parts.tool.security_schemes.values()
    keys = {(scheme.parameter, scheme.location) for scheme in schemes if scheme.type == "apiKey"}
    for name in names:
        is_other = (name, location) in parts.used_targets or (name, location) in keys
        if is_other or (location == "query" and is_method_override(name)):
            raise Unwritable("a name that no other parameter has", (name,))


def _put_header(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    name = parameter.name.lower()
    if name in IGNORED_HEADERS or (value in ([], {}) and not parameter.media_type):
        return
    if not is_header_name(name):
        raise Unwritable(f"no value: a request may not set the header {parameter.name[:40]}")
    parts.headers.append((parameter.name, serialize_header_parameter(parameter, value)))


def _put_cookie(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    _refuse_other_names(parts, parameter, value)
    parts.cookies.extend(serialize_cookie_parameter(parameter, value))


def _put_querystring(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    media_type = MediaType(name=parameter.media_type or _FORM)
    if media_type_essence(media_type.name) == _FORM:
        _refuse_taken(parts, "query", value if is_object(value) else ())
        parts.query.extend(encode_form_pairs(media_type, value))
    else:
        parts.whole_query = percent_encode(encode_content(media_type.name, value))


def _put_property(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    parts.properties[parameter.name] = value


def _put_body(parts: _RequestParts, parameter: Parameter, value: Json) -> None:
    del parameter
    parts.body.append(value)


_PART_WRITERS: dict[str, Callable[[_RequestParts, Parameter, Json], None]] = {
    "path": _put_path,
    "query": _put_query,
    "header": _put_header,
    "cookie": _put_cookie,
    "querystring": _put_querystring,
    "body_property": _put_property,
    "body": _put_body,
}


def is_header_name(name: str) -> bool:
    """Whether `name` is a legal header that callers may set."""
    return bool(_TOKEN.fullmatch(name)) and not _REFUSED_HEADER.fullmatch(_canonical_name(name))


def _canonical_name(name: str) -> str:
    # Gateways that hand headers on as variables take `X_Host` for `X-Host`.
    return name.lower().replace("_", "-")


def _build_url(tool: Tool, parts: _RequestParts, server: str) -> str:
    """Put the URL together by text; joining URLs would resolve what values look like."""
    path, _, query = _check_template(tool, parts).partition("?")
    if not parts.mismatches:
        _refuse_path_faults(path, server)
    pairs = [f"{name}={value}" for name, value in parts.query]
    texts = [_fill_template(query, parts), *pairs, parts.whole_query]
    queries = "&".join(text for text in texts if text)
    filled = _fill_template(path, parts)
    url = f"{server}{filled if filled.startswith('/') else f'/{filled}'}"
    return f"{url}?{queries}" if queries else url


def _refuse_path_faults(path: str, server: str) -> None:
    """Who reads such a path on the way, and how, would decide what is meant."""
    for text in (path, server.partition("://")[2].partition("/")[2]):
        if why := find_path_fault(text):
            raise RefusedRequest(shown_url(f"{server}{path}"), why)


def _check_template(tool: Tool, parts: _RequestParts) -> str:
    """The path template, once what is missing or wrong about its values is among the mismatches."""
    template = tool.operation.path.partition("#")[0]
    _report_missing(tool, template, parts)
    _report_segments(template.partition("?")[0], parts)
    return template


def _report_missing(tool: Tool, template: str, parts: _RequestParts) -> None:
    """Each name of a path template without a value becomes a mismatch, once."""
    for name in _template_names(template):
        if name not in parts.places:
            inputs = (tool_input for tool_input in tool.inputs if tool_input.location == "path")
            called = next(
                (tool_input.name for tool_input in inputs if tool_input.target == name), name
            )
            expected = "a value for the path (required)"
            parts.mismatches.append(Mismatch(pointer_from_path([called]), expected, "nothing"))


def _report_segments(path: str, parts: _RequestParts) -> None:
    """Refuse what makes a segment empty, `.` or `..`: it would change which resource is meant."""
    # RFC 3986, "Remove Dot Segments". A segment may be put together from several values.
    if all(text.strip(".") for text in parts.path.values()):
        return
    for segment in path.split("/"):
        names = [name for name in _template_names(segment) if name in parts.path]
        if names and unquote(_fill_template(segment, parts)) in {"", ".", ".."}:
            expected = "a value other than an empty one, `.` and `..`"
            parts.mismatches += [
                Mismatch(*_mismatch_fields(parts.places[name], expected)) for name in names
            ]


def _mismatch_fields(place: tuple[tuple[str, ...], Json], expected: str) -> tuple[str, str, str]:
    path, value = place
    return pointer_from_path(path), expected, preview_json(value)


def _fill_template(template: str, parts: _RequestParts) -> str:
    """A path template, or the query that some have, with the values of its names."""
    values = parts.path
    return "".join(
        values.get(name, "") if name else text for text, name in _split_template(template)
    )


@lru_cache(maxsize=4096)
def _split_template(template: str) -> tuple[tuple[str, str], ...]:
    """`(text, name)` of each piece of a template: one of the two is empty."""
    split = re.split(r"(\{[^{}]+\})", template)
    return tuple(
        ("", item[1:-1]) if _PLACEHOLDER.fullmatch(item) else (_quote_literal(item), "")
        for item in split
        if item
    )


def _quote_literal(text: str) -> str:
    return re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", quote(text, safe=_PATH_SAFE + "?"))


@lru_cache(maxsize=4096)
def _template_names(template: str) -> tuple[str, ...]:
    """The names in a path template, each once."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(template)))


def _accept_header(tool: Tool) -> str:
    success = tool.operation.success
    names = [media_type.name for media_type in success.content] if success else []
    preferred = (
        [name for name in names if is_json_media_type(name)] or names or ["application/json"]
    )
    first = preferred[0] if re.fullmatch(r"[\x21-\x7e]{1,100}", preferred[0]) else "*/*"
    return first if first == "*/*" else f"{first}, */*;q=0.5"


def _encode_request_body(tool: Tool, parts: _RequestParts, asked: str | None) -> EncodedBody | None:
    """The body, None for none; what it cannot carry becomes a mismatch."""
    operation = tool.operation
    required = operation.request_body is not None and operation.request_body.required
    has_properties = any(tool_input.location == "body_property" for tool_input in tool.inputs)
    if not (parts.body or parts.properties or (required and has_properties)):
        return None
    content = operation.request_body.content if operation.request_body else ()
    described = body_media_type(operation) or MediaType(name="application/json")
    value = parts.body[0] if parts.body else parts.properties
    media_type = (
        choose_body_media_type(content, described, value, document=tool.document)
        if asked is None
        else _find_media_type(tool, asked, described)
    )
    try:
        return encode_body(media_type, value, document=tool.document)
    except LookupError:
        raise UnsupportedMediaType(tool.name, [type_.name for type_ in content]) from None
    except Unwritable as error:
        pointer = pointer_from_path(_argument_path(tool, error.path))
        parts.mismatches.append(
            Mismatch(pointer, str(error), preview_json(_value_at(value, error.path)))
        )
        return None


def tool_for_media_type(tool: Tool, asked: str | None) -> Tool:
    """
    The tool as it takes its arguments in the media type that was asked for; itself for None.

    Raises:
        UnsupportedMediaType: The document does not offer that.
    """
    if asked is None:
        return tool
    require_type(
        asked, str, what="`media_type`", wanted="the name of one, such as application/json"
    )
    for name, each in tool.in_media_types.items():
        if name == asked or media_type_essence(name) == media_type_essence(asked):
            return each
    raise UnsupportedMediaType(tool.name, [asked], [*tool.in_media_types])


def _find_media_type(tool: Tool, asked: str, described: MediaType) -> MediaType:
    """The media type that was asked for, where arguments checked for `described` fit it too."""
    content = tool.operation.request_body.content if tool.operation.request_body else ()
    fitting = [media_type for media_type in content if media_type.schema == described.schema]
    for media_type in fitting:
        if media_type.name == asked or media_type_essence(media_type.name) == media_type_essence(
            asked
        ):
            return media_type
    offered = dict.fromkeys(type_.name for type_ in fitting)
    raise UnsupportedMediaType(tool.name, [asked], [*offered])


def _argument_path(tool: Tool, path: Sequence[str | int]) -> list[str | int]:
    """The place of a part of the body among the arguments."""
    whole = next(
        (tool_input.name for tool_input in tool.inputs if tool_input.location == "body"), None
    )
    if whole is not None:
        return [whole, *path]
    names = {
        tool_input.target: tool_input.name
        for tool_input in tool.inputs
        if tool_input.location == "body_property"
    }
    return [names.get(str(path[0]), path[0]), *path[1:]] if path else []


def _value_at(value: Json, path: Sequence[str | int]) -> Json:
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            break
    return value


def is_json_media_type(media_type: str) -> bool:
    """Whether a body of `media_type` is JSON (RFC 6839, "The +json Structured Syntax Suffix")."""
    essence = media_type.partition(";")[0].strip().lower()
    return essence in {"application/json", "text/json"} or essence.endswith("+json")
