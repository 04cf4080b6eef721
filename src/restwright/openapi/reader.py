"""
A document becomes an `API`. The only module that knows the key names of the OpenAPI Specification.

Whatever is wrong with one part costs that part: it is left out or repaired, and a `Problem` says
so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from restwright.errors import NotOpenAPI, UnresolvedReference
from restwright.openapi.loader import Document
from restwright.openapi.model import (
    API,
    METHODS,
    DocumentedResponse,
    Location,
    MediaType,
    Method,
    Operation,
    Parameter,
    Problem,
    RequestBody,
    Security,
    SecurityScheme,
    Server,
    ServerVariable,
    Severity,
)
from restwright.openapi.references import follow, pointer_of
from restwright.typing import Json, JsonObject, is_array, is_object

_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")
_LOCATIONS: dict[str, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
    "querystring": "querystring",
}

# OAS 3.1.1 "Style Values": the default style of each location.
_STYLES: dict[Location, str] = {
    "path": "simple",
    "query": "form",
    "header": "simple",
    "cookie": "form",
    "querystring": "form",
}

# OAS 3.1.1 "Parameter Object": these belong to the media type and to the security scheme.
_RESERVED_HEADERS = frozenset({"accept", "content-type", "authorization"})


@dataclass(frozen=True, slots=True)
class _Place:
    """One node of the document, with what is needed to descend, to follow and to complain."""

    node: Json
    pointer: str
    document: JsonObject = field(repr=False)
    problems: list[Problem] = field(repr=False)

    def problem(self, what: str, *, severity: Severity = "warning", action: str) -> None:
        self.problems.append(Problem(self.pointer, what, severity, action))

    def at(self, *tokens: str | int) -> _Place:
        """The member under `tokens`, its references followed; None as node where it is missing."""
        node = self.node
        for token in tokens:
            if is_object(node):
                node = node.get(str(token))
            else:
                node = node[int(token)] if is_array(node) else None
        place = _Place(node, self.pointer + pointer_of(*tokens), self.document, self.problems)
        return place.followed()

    def followed(self) -> _Place:
        try:
            node = follow(self.document, self.node)
        except UnresolvedReference as error:
            self.problem(str(error), severity="error", action="left out")
            node = None
        return self if node is self.node else self.replaced(node)

    def replaced(self, node: Json) -> _Place:
        return _Place(node, self.pointer, self.document, self.problems)

    def object_at(self, *tokens: str | int) -> _Place:
        """As `at()`; where something else than an object stands, an empty one and a problem."""
        place = self.at(*tokens)
        if not is_object(place.node):
            if place.node is not None:
                place.problem("is no object", action="ignored")
            return place.replaced({})
        return place

    def members(self, *tokens: str | int) -> Iterator[tuple[str, _Place]]:
        """`(key, place)` of the objects in the object at `tokens`, extensions left out."""
        parent = self.object_at(*tokens)
        for key in parent.node:
            if not key.startswith("x-"):
                yield key, parent.object_at(key)

    def elements(self, *tokens: str | int) -> Iterator[_Place]:
        """The objects in the list at `tokens`."""
        parent = self.at(*tokens)
        if is_array(parent.node):
            for index in range(len(parent.node)):
                place = parent.at(index)
                if is_object(place.node):
                    yield place
                elif place.node is not None:
                    place.problem("is no object", action="ignored")
        elif parent.node is not None:
            parent.problem("is no list", action="ignored")

    def text(self, key: str) -> str:
        """The text under `key`; numbers (`version: 1.0`) as they would be written."""
        value = self.node.get(key)
        if isinstance(value, str):
            return value
        return "" if isinstance(value, bool | dict | list | None) else str(value)

    def flag(self, key: str) -> bool | None:
        """The boolean under `key`, also where it is written as a string; None without one."""
        value = self.node.get(key)
        if isinstance(value, str):
            value = {"true": True, "false": False}.get(value.strip().lower())
        return value if isinstance(value, bool) else None


def read(document: Document, *, alias: str | None = None) -> API:
    """
    Read a parsed document. Does no I/O.

    Returns:
        Operations in document order; everything doubtful is in `problems`.

    Raises:
        NotOpenAPI: It is of no version that we read (3.0 and 3.1).
    """
    _check_version(document)
    problems = list(document.problems)
    root = _Place(document.content, "", document.content, problems)
    info = root.object_at("info")
    servers = _servers(root) or (Server(url="/"),)
    security = _security(root) or ()
    return API(
        title=info.text("title"),
        version=info.text("version"),
        description=info.text("description") or info.text("summary"),
        source=document.source,
        sha256=document.sha256,
        document=document.content,
        specification=str(document.content["openapi"])[:3],
        alias=alias,
        servers=servers,
        extensions=_extensions(root),
        operations=tuple(_operations(root, servers, security)),
        security_schemes=_security_schemes(root),
        problems=tuple(problems),
    )


def _check_version(document: Document) -> None:
    content = document.content
    version = content.get("openapi")
    # `openapi: 3.1` without quotes is a number in YAML.
    if isinstance(version, str | float) and str(version).startswith(("3.0", "3.1")):
        return
    if version is not None:
        found = f"`openapi: {version}` is no version that can be read"
    elif "swagger" in content:
        found = f"it is Swagger {content['swagger']}, which is not read yet"
    else:
        found = "it has no `openapi` key"
    raise NotOpenAPI(document.source, found[:200])


def _operations(
    root: _Place, servers: tuple[Server, ...], security: Security
) -> Iterator[Operation]:
    if "paths" not in root.node and "webhooks" not in root.node:
        root.problem("has no `paths`", action="there are no operations")
    for path, item in root.members("paths"):
        of_item = _servers(item) or servers
        for key, method in _methods(item.node):
            place = item.at(key)
            if is_object(place.node):
                yield _operation(place, item, method, _path(path, item), of_item, security)
            else:
                place.problem("is no Operation Object", severity="error", action="left out")


def _methods(item: JsonObject) -> list[tuple[str, Method]]:
    # Upper case is wrong, and means what it says.
    return [(key, METHODS[key.lower()]) for key in item if key.lower() in METHODS]


def _path(path: str, item: _Place) -> str:
    if path.startswith("/"):
        return path
    item.problem("the path does not begin with `/`", action=f"read as /{path}")
    return f"/{path}"


def _operation(
    place: _Place,
    item: _Place,
    method: Method,
    path: str,
    servers: tuple[Server, ...],
    security: Security,
) -> Operation:
    own_security = _security(place)
    summary = place.text("summary") or item.text("summary")
    description = place.text("description") or item.text("description")
    return Operation(
        method=method,
        path=path,
        pointer=place.pointer,
        operation_id=place.text("operationId") or None,
        summary=summary,
        headline=_headline(summary, description),
        description=description,
        tags=tuple(tag for tag in _list(place.node.get("tags")) if isinstance(tag, str)),
        deprecated=bool(place.flag("deprecated")),
        parameters=_parameters(place, item, path),
        request_body=_request_body(place),
        responses=tuple(_responses(place)),
        servers=_servers(place) or servers,
        security=security if own_security is None else own_security,
    )


def _headline(summary: str, description: str) -> str:
    text = " ".join((summary or description).split())
    return text if summary else re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]


def _extensions(root: _Place) -> dict[str, Json]:
    return {
        key: value
        for key, value in root.node.items()
        if key.startswith("x-") and isinstance(value, str | int | float)
    }


def _list(node: Json) -> list[Json]:
    return list(node) if is_array(node) else []


def _parameters(place: _Place, item: _Place, path: str) -> tuple[Parameter, ...]:
    placeholders = _PLACEHOLDER.findall(path)
    merged: dict[tuple[str, Location], Parameter] = {}
    for each in (*item.elements("parameters"), *place.elements("parameters")):
        parameter = _parameter(each)
        if parameter is None or _is_out_of_place(parameter, placeholders, each):
            continue
        merged[parameter.name, parameter.location] = parameter
    for name in placeholders:
        if (name, "path") not in merged:
            what = f"no parameter describes {{{name}}} of the path"
            place.problem(what, action="read as a required string")
            merged[name, "path"] = Parameter(
                name=name, location="path", required=True, schema={"type": "string"}, style="simple"
            )
    return tuple(merged.values())


def _parameter(place: _Place) -> Parameter | None:
    name = place.text("name")
    location = _LOCATIONS.get(place.text("in"))
    if not name or location is None:
        missing = "`name`" if not name else "known `in`"
        place.problem(f"has no {missing}", severity="error", action="left out")
        return None
    style = place.text("style") or _STYLES[location]
    explode = place.flag("explode")
    content = next(iter(_content(place)), None)
    return Parameter(
        name=name,
        location=location,
        required=location == "path" or bool(place.flag("required")),
        description=place.text("description"),
        deprecated=bool(place.flag("deprecated")),
        schema=content.schema if content else _schema(place),
        style=style,
        explode=style == "form" if explode is None else explode,
        allow_reserved=bool(place.flag("allowReserved")),
        media_type=content.name if content else None,
    )


def _is_out_of_place(parameter: Parameter, placeholders: list[str], place: _Place) -> bool:
    if parameter.location == "header" and parameter.name.lower() in _RESERVED_HEADERS:
        return True
    if parameter.location == "path" and parameter.name not in placeholders:
        place.problem(f"the path has no {{{parameter.name}}}", action="left out")
        return True
    return False


def _schema(place: _Place) -> Json:
    schema = place.node.get("schema", True)
    if is_object(schema) or isinstance(schema, bool):
        return schema
    place.problem("its `schema` is no schema", action="any value is accepted")
    return True


def _content(place: _Place) -> Iterator[MediaType]:
    for name, media_type in place.members("content"):
        example = media_type.node.get("example")
        yield MediaType(name=name, schema=_schema(media_type), example=example)


def _request_body(place: _Place) -> RequestBody | None:
    if "requestBody" not in place.node:
        return None
    body = place.object_at("requestBody")
    return RequestBody(
        required=bool(body.flag("required")),
        description=body.text("description"),
        content=tuple(_content(body)),
    )


def _responses(place: _Place) -> Iterator[DocumentedResponse]:
    for status, response in place.members("responses"):
        yield DocumentedResponse(
            status=status,
            description=response.text("description"),
            content=tuple(_content(response)),
        )


def _servers(place: _Place) -> tuple[Server, ...]:
    if "servers" not in place.node:
        return ()
    return tuple(_server(each) for each in place.elements("servers") if each.text("url"))


def _server(place: _Place) -> Server:
    variables = {
        name: ServerVariable(default=each.text("default"))
        for name, each in place.members("variables")
    }
    return Server(url=place.text("url").strip(), variables=variables)


def _security(place: _Place) -> Security | None:
    """OR of ANDs; None where nothing is said, `()` where it is said that nothing is needed."""
    if "security" not in place.node:
        return None
    return tuple(
        {name: tuple(map(str, _list(scopes))) for name, scopes in each.node.items()}
        for each in place.elements("security")
    )


def _security_schemes(root: _Place) -> dict[str, SecurityScheme]:
    return {
        name: SecurityScheme(
            name=name,
            type=scheme.text("type"),
            scheme=scheme.text("scheme").lower(),
            location=scheme.text("in"),
            parameter=scheme.text("name"),
        )
        for name, scheme in root.members("components", "securitySchemes")
    }
