"""
What an operation says, part by part; each is read when somebody asks for it.

An operation is found again by its pointer, so that one that came from a cache is read like any
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape

from restwright.jsontypes import Json
from restwright.openapi.model import (
    Callback,
    DocumentedResponse,
    Operation,
    Parameter,
    ParameterLocation,
    RequestBody,
    SecurityRequirements,
    Server,
)
from restwright.openapi.read.cursor import Cursor
from restwright.openapi.read.objects import (
    parse_extensions,
    parse_parameter,
    parse_request_body,
    parse_response_object,
    parse_security_requirements,
    parse_servers,
)
from restwright.openapi.read.paths import OperationRow, walk_path_item
from restwright.openapi.references import join_pointer

_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")
_STATUS = re.compile(r"[1-5](?:\d\d|[xX]{2})|default")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n")
# The elements of HTML; another word in angle brackets is text (`List<Pet>`). Some part words.
_BLOCK = re.compile(
    r"</?(?:p|br|div|h[1-6]|hr|li|[uod]l|d[td]|table|t[drh]|pre|blockquote)\b[^<>]*>", re.IGNORECASE
)
_INLINE = re.compile(
    r"</?(?:a|abbr|b|code|del|em|font|i|img|kbd|s|small|span|strong|su[bp]|tbody|thead|tt|u|var)"
    r"(?:\s[^<>]*)?/?>|<!--.*?(?:-->|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_HEADLINE_LENGTH = 200

# OAS 3.2 "Parameter Object": these belong to the media type and to the security scheme.
_RESERVED_HEADERS = frozenset({"accept", "content-type", "authorization"})

MakeOperation = Callable[[OperationRow], Operation]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationSite:
    """
    One operation where it stands.

    Args:
        operation: The Operation Object.
        item: Its Path Item Object.
        pointer: Of the operation in the document as written; it may lead through references.
        path: The path template; None for webhooks and callbacks, which are not called.
        servers: Of the document.
        security: Of the document.
        make: Makes the operations of callbacks.
    """

    operation: Cursor
    item: Cursor
    pointer: str
    path: str | None
    servers: tuple[Server, ...] = field(repr=False)
    security: SecurityRequirements = field(repr=False)
    make: MakeOperation = field(repr=False)


# OAS 3.2 "Operation Object".
_KEYS = frozenset(
    (
        *("tags", "summary", "description", "externalDocs", "operationId", "parameters"),
        *("requestBody", "responses", "callbacks", "deprecated", "security", "servers"),
    )
)


def report_unknown_keys(site: OperationSite) -> None:
    """Say which keys nothing is known about: a slip of the pen loses what it names."""
    for key in site.operation.node:
        if key not in _KEYS and not key.startswith("x-"):
            site.operation.add_problem_at(key, "is no key of an Operation Object", action="ignored")


def operation_headline(site: OperationSite) -> str:
    """The summary, else the first sentence of the description, on one line."""
    if text := _find_text(site, "summary"):
        return _to_single_line(_strip_html(text))
    text = _strip_html(_find_text(site, "description")).strip()
    end = _SENTENCE_END.search(text)
    return _to_single_line(text[: end.end()] if end else text)


def _strip_html(text: str) -> str:
    """The beginning of a text without HTML; tags are removed before what is escaped is read."""
    # Cut first, so that a long description costs no more than a short one.
    text = text[: 4 * _HEADLINE_LENGTH]
    if "<" in text:
        text = _INLINE.sub("", _BLOCK.sub(" ", text))
    if "&" in text:
        text = unescape(text)
    if text.isprintable():
        return text
    return "".join(
        character for character in text if character.isprintable() or character.isspace()
    )


def _to_single_line(text: str) -> str:
    return " ".join(text.split())[:_HEADLINE_LENGTH]


def operation_description(site: OperationSite) -> str:
    """The description of the operation, else of its path."""
    return _find_text(site, "description")


def _find_text(site: OperationSite, key: str) -> str:
    return site.operation.text(key) or site.item.text(key)


def operation_parameters(site: OperationSite) -> tuple[Parameter, ...]:
    """Those of the path item and of the operation; what the path needs is added."""
    placeholders = list(dict.fromkeys(_PLACEHOLDER.findall(site.path or "")))
    merged: dict[tuple[str, ParameterLocation], Parameter] = {}
    for level in (site.item, site.operation):
        merged |= _parse_level_parameters(level, placeholders if site.path is not None else None)
    for name in placeholders:
        if (name, "path") not in merged:
            what = f"no parameter describes {{{name}}} of the path"
            site.operation.add_problem(what, action="read as a required string")
            merged[name, "path"] = Parameter(
                name=name, location="path", required=True, schema={"type": "string"}, style="simple"
            )
    return tuple(merged.values())


def _parse_level_parameters(
    level: Cursor, placeholders: list[str] | None
) -> dict[tuple[str, ParameterLocation], Parameter]:
    found: dict[tuple[str, ParameterLocation], Parameter] = {}
    for element in level.elements("parameters"):
        parameter = parse_parameter(element)
        if parameter is None or _is_misplaced(parameter, placeholders, element):
            continue
        if parameter.location == "path" and element.flag("required") is not True:
            what = "is in the path and not `required: true`"
            element.add_problem(what, "information", action="read as required")
        key = (parameter.name, parameter.location)
        if key in found:
            what = f"the {parameter.location} parameter {parameter.name!r} stands twice"
            element.add_problem(what, action="the last one counts")
        found[key] = parameter
    return found


def _is_misplaced(parameter: Parameter, placeholders: list[str] | None, place: Cursor) -> bool:
    if parameter.location == "header" and parameter.name.lower() in _RESERVED_HEADERS:
        what = f"the header {parameter.name} follows from the media types and the security"
        place.add_problem(what, "information", action="left out")
        return True
    if placeholders is None or parameter.location != "path":
        return False
    if parameter.name not in placeholders:
        place.add_problem(f"the path has no {{{parameter.name}}}", action="left out")
        return True
    return False


def operation_request_body(site: OperationSite) -> RequestBody | None:
    """The request body; None where there is none."""
    if site.operation.node.get("requestBody") is None:
        return None
    place = site.operation.object_at("requestBody")
    return parse_request_body(place) if place.node else None


def operation_responses(site: OperationSite) -> tuple[DocumentedResponse, ...]:
    """The responses in document order."""
    return tuple(_parse_responses(site))


def _parse_responses(site: OperationSite) -> Iterator[DocumentedResponse]:
    for status, each in site.operation.members("responses"):
        if not _STATUS.fullmatch(status):
            each.add_problem(f"{status[:40]!r} is no status", action="no response is taken for it")
        yield parse_response_object(status, each)


def operation_servers(site: OperationSite) -> tuple[Server, ...]:
    """
    Those of the nearest level that has any.

    Source: OAS 3.2, "Operation Object" and "Path Item Object", `servers`.
    """
    return parse_servers(site.operation) or parse_servers(site.item) or site.servers


def operation_security(site: OperationSite) -> SecurityRequirements:
    """Its own requirements, else the document's."""
    own = parse_security_requirements(site.operation)
    return site.security if own is None else own


def operation_callbacks(site: OperationSite) -> tuple[Callback, ...]:
    """What the API may send after the call."""
    found = site.operation.members("callbacks")
    return tuple(
        Callback(name=name, expression=expression, operations=tuple(operations))
        for name, callback in found
        for expression, operations in _parse_expressions(site, name, callback)
    )


def _parse_expressions(
    site: OperationSite, name: str, callback: Cursor
) -> Iterator[tuple[str, Iterator[Operation]]]:
    for expression in callback.node:
        if not expression.startswith("x-"):
            item = callback.object_at(expression)
            pointer = site.pointer + join_pointer("callbacks", name, expression)
            yield expression, map(site.make, walk_path_item(item, pointer, expression))


def operation_extensions(site: OperationSite) -> Mapping[str, Json]:
    """What begins with `x-`."""
    return parse_extensions(site.operation)


PARTS: Mapping[str, Callable[[OperationSite], Json]] = {
    "headline": operation_headline,
    "description": operation_description,
    "parameters": operation_parameters,
    "request_body": operation_request_body,
    "responses": operation_responses,
    "servers": operation_servers,
    "security": operation_security,
    "callbacks": operation_callbacks,
    "extensions": operation_extensions,
}
