"""From a tool and checked arguments to one HTTP request. No I/O, no credentials."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin

from restwright.calls.mismatch import Mismatch
from restwright.calls.mismatches import pointer_to, shown
from restwright.calls.styles import (
    Pair,
    Unwritable,
    cookie_pairs,
    header_text,
    path_text,
    query_pairs,
)
from restwright.errors import (
    InvalidArguments,
    MissingServer,
    RefusedRequest,
    UnsupportedMediaType,
)
from restwright.net.guard import origin_of
from restwright.net.message import Request
from restwright.openapi.model import Parameter
from restwright.tools.tool import Input, Tool
from restwright.typing import Json, JsonObject, is_object

# OAS 3.1, "Parameter Object": a header parameter of these names is ignored.
IGNORED_HEADERS = frozenset({"accept", "authorization", "content-type"})
# These say where a request goes and where it ends; no argument may.
_REFUSED_HEADER = re.compile(
    r"host|cookie|content-length|content-encoding|transfer-encoding|connection|keep-alive|te"
    r"|trailer|upgrade|expect|proxy-.*|x-forwarded-.*|forwarded"
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_PATH_SAFE = "/:@!$&'()*+,;=~-._%"


@dataclass(slots=True)
class _Parts:
    """What the arguments of one call become, on their way into a request."""

    path: dict[str, str] = field(default_factory=dict[str, str])
    query: list[Pair] = field(default_factory=list[Pair])
    headers: list[Pair] = field(default_factory=list[Pair])
    cookies: list[Pair] = field(default_factory=list[Pair])
    properties: JsonObject = field(default_factory=dict[str, Json])
    body: list[Json] = field(default_factory=list[Json])
    mismatches: list[Mismatch] = field(default_factory=list[Mismatch])


def build_request(tool: Tool, arguments: JsonObject, *, server: str) -> Request:
    """
    Turn one checked call into one HTTP request.

    Args:
        arguments: `{input name: JSON value}`; must have passed `check()`.
        server: Absolute base URL without a trailing slash, as `server_of` returns it.

    Returns:
        `url` percent-encoded once; no credentials in it.

    Raises:
        InvalidArguments: An argument cannot be written where it belongs.
        UnsupportedMediaType: No media type of the body can be written.

    Source: OAS 3.1, "Parameter Object" and "Style Values".
    """
    parts = _parts(tool, arguments)
    url = _url(tool, parts, server)
    if parts.mismatches:
        raise InvalidArguments(tool.name, parts.mismatches)
    body, body_headers = _body(tool, parts)
    headers = [("Accept", _accept(tool)), *body_headers, *parts.headers]
    if parts.cookies:
        headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in parts.cookies)))
    return Request(method=tool.operation.method.upper(), url=url, headers=tuple(headers), body=body)


def unsendable(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """Return what a request cannot carry, though a schema may allow it; empty when all is well."""
    parts = _parts(tool, arguments)
    _url(tool, parts, "http://localhost")
    return tuple(parts.mismatches)


def server_of(tool: Tool, connection_server: str | None) -> str:
    """
    Return the absolute base URL of a tool's requests, without a trailing slash.

    Args:
        connection_server: What the user named; wins over the document.

    Raises:
        MissingServer: Neither says one, or the document's is relative and its own URL not known.
        RefusedRequest: It is not a URL that may be asked.
    """
    servers = tool.operation.servers or tool.servers
    written = connection_server or (servers[0].default_url if servers else "/")
    url = _absolute(written, base="" if connection_server else tool.source)
    if url is None:
        raise MissingServer(tool.name, written if servers or connection_server else "")
    origin_of(url)
    if "?" in url or "#" in url:
        raise RefusedRequest(url.partition("?")[0], "a server URL has no query and no fragment")
    return url.rstrip("/")


def _absolute(written: str, *, base: str) -> str | None:
    """Resolve a server URL; None where its variables have no value or it has no absolute base."""
    if "{" in written:
        return None
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", written):
        # OAS 3.1, "Server Object": relative to where the document is served.
        if not base.startswith(("http://", "https://")):
            return None
        written = urljoin(base, written)
    return quote(written, safe=_PATH_SAFE + "[]?#")


def _parts(tool: Tool, arguments: JsonObject) -> _Parts:
    parts = _Parts()
    parameters = {(each.name, each.location): each for each in tool.operation.parameters}
    for path, target, value in _placed(tool, arguments):
        if target is None:
            mismatch = Mismatch(pointer_to(path), "no property of this name", shown(value))
            parts.mismatches.append(mismatch)
            continue
        parameter = parameters.get((target.target, target.location)) or _default(target)
        try:
            _PLACES[target.location](parts, parameter, value)
        except Unwritable as error:
            parts.mismatches.append(Mismatch(pointer_to(path), str(error), shown(value)))
    return parts


def _placed(
    tool: Tool, arguments: JsonObject
) -> Iterator[tuple[tuple[str, ...], Input | None, Json]]:
    """`(path of the argument, its input, its value)`; None for an input that there is none of."""
    inputs = {(each.group, each.name): each for each in tool.inputs}
    groups = {each.group for each in tool.inputs if each.group}
    for name, value in arguments.items():
        if name in groups and is_object(value):
            for inner, each in value.items():
                yield (name, inner), inputs.get((name, inner)), each
        else:
            yield (name,), inputs.get(("", name)), value


def _default(target: Input) -> Parameter:
    """A parameter of the default style, for an input that the operation does not list."""
    location = target.location
    if location == "body" or location == "body_property":
        return Parameter(name=target.target, location="query")
    return Parameter(name=target.target, location=location, explode=location in {"query", "cookie"})


def _put_path(parts: _Parts, parameter: Parameter, value: Json) -> None:
    parts.path[parameter.name] = path_text(parameter, value)


def _put_query(parts: _Parts, parameter: Parameter, value: Json) -> None:
    parts.query.extend(query_pairs(parameter, value))


def _put_header(parts: _Parts, parameter: Parameter, value: Json) -> None:
    name = parameter.name.lower()
    if name in IGNORED_HEADERS or value is None:
        return
    if not is_header_name(name):
        raise Unwritable(f"no value: a request may not set the header {parameter.name[:40]}")
    parts.headers.append((parameter.name, header_text(parameter, value)))


def _put_cookie(parts: _Parts, parameter: Parameter, value: Json) -> None:
    parts.cookies.extend(cookie_pairs(parameter, value))


def _put_querystring(parts: _Parts, parameter: Parameter, value: Json) -> None:
    if not is_object(value) or is_json(parameter.media_type or ""):
        raise Unwritable("an object, which is what can be written as the whole query")
    for name, each in value.items():
        member = Parameter(name=name, location="query", explode=True)
        parts.query.extend(query_pairs(member, each))


def _put_property(parts: _Parts, parameter: Parameter, value: Json) -> None:
    parts.properties[parameter.name] = value


def _put_body(parts: _Parts, parameter: Parameter, value: Json) -> None:
    del parameter
    parts.body.append(value)


_PLACES: dict[str, Callable[[_Parts, Parameter, Json], None]] = {
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
    return bool(_TOKEN.fullmatch(name)) and not _REFUSED_HEADER.fullmatch(name.lower())


def _url(tool: Tool, parts: _Parts, server: str) -> str:
    """Put the URL together by text; joining URLs would resolve what values look like."""
    template = tool.operation.path.partition("#")[0]
    _report_missing(template, parts)
    path, _, query = template.partition("?")
    pairs = [f"{name}={value}" for name, value in parts.query]
    queries = "&".join([*([_filled(query, parts)] if query else []), *pairs])
    filled = _filled(path, parts)
    url = f"{server}{filled if filled.startswith('/') else f'/{filled}'}"
    return f"{url}?{queries}" if queries else url


def _report_missing(template: str, parts: _Parts) -> None:
    """Each name of a path template without a value becomes a mismatch, once."""
    reported = {mismatch.pointer for mismatch in parts.mismatches}
    for name in dict.fromkeys(_PLACEHOLDER.findall(template)):
        pointer = pointer_to([name])
        if name not in parts.path and pointer not in reported:
            parts.mismatches.append(Mismatch(pointer, "a value for the path (required)", "nothing"))


def _filled(template: str, parts: _Parts) -> str:
    """A path template, or the query that some have, with the values of its names."""
    return "".join(_piece(each, parts) for each in re.split(r"(\{[^{}]+\})", template))


def _piece(piece: str, parts: _Parts) -> str:
    if _PLACEHOLDER.fullmatch(piece):
        return parts.path.get(piece[1:-1], "")
    return re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", quote(piece, safe=_PATH_SAFE + "?"))


def _accept(tool: Tool) -> str:
    success = tool.operation.success
    names = [each.name for each in success.content] if success else []
    preferred = [name for name in names if is_json(name)] or names or ["application/json"]
    first = preferred[0] if re.fullmatch(r"[\x21-\x7e]{1,100}", preferred[0]) else "*/*"
    return first if first == "*/*" else f"{first}, */*;q=0.5"


def _body(tool: Tool, parts: _Parts) -> tuple[bytes, list[Pair]]:
    required = tool.operation.request_body is not None and tool.operation.request_body.required
    has_properties = any(each.location == "body_property" for each in tool.inputs)
    if not (parts.body or parts.properties or (required and has_properties)):
        return b"", []
    media_type = _media_type(tool)
    value = parts.body[0] if parts.body else parts.properties
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        body = text.encode()
    except (ValueError, TypeError, RecursionError):
        mismatch = Mismatch("", "values that JSON can write", shown(value))
        raise InvalidArguments(tool.name, [mismatch]) from None
    return body, [("Content-Type", media_type)]


def _media_type(tool: Tool) -> str:
    body = tool.operation.request_body
    names = [each.name for each in body.content] if body else []
    if not names or any(name.partition(";")[0] in {"*/*", "application/*"} for name in names):
        return "application/json"
    found = [name for name in names if is_json(name)]
    if not found:
        raise UnsupportedMediaType(tool.name, names)
    best = next((name for name in found if name.startswith("application/json")), found[0])
    return best if re.fullmatch(r"[\x20-\x7e]+", best) else "application/json"


def is_json(media_type: str) -> bool:
    """Whether a body of `media_type` is JSON (RFC 6839, "The +json Structured Syntax Suffix")."""
    essence = media_type.partition(";")[0].strip().lower()
    return essence in {"application/json", "text/json"} or essence.endswith("+json")
