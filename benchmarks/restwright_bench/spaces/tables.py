"""An OpenAPI document and its handlers from a table: one row an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject
from restwright_bench.spaces.store import Does, Store
from restwright_bench.world.api import Api
from restwright_bench.world.checking import Fault
from restwright_bench.world.document import Route
from restwright_bench.world.exchange import Handlers, Received, Refused

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_WITH_BODY = frozenset(("POST", "PUT", "PATCH"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A kind of record: its fields in words, `name:schema name`."""

    name: str
    fields: Mapping[str, JsonObject]

    @property
    def schema(self) -> JsonObject:
        """All fields, none required: what a list shows may be less than what is there."""
        return {"type": "object", "properties": dict(self.fields)}


@dataclass(frozen=True, slots=True)
class Row:
    """
    One operation.

    Args:
        name: The `operationId`.
        route: Such as `GET /photos/{id}`.
        does: What stands behind it, with what it gives.
        summary: What a model reads.
        inputs: Names of fields, `!` behind those that are required; in the body of a POST, PUT or
            PATCH, else in the query.
    """

    name: str
    route: str
    does: Does
    summary: str
    inputs: str = ""

    @property
    def method(self) -> str:
        """In upper case."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The template."""
        return self.route.partition(" ")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """
    An API as a table.

    Args:
        name: Its namespace.
        fields: `{name: schema}` of everything that goes in.
        store: The data of a seed.
    """

    name: str
    title: str
    description: str
    fields: Mapping[str, JsonObject] = field(repr=False)
    entities: Sequence[Entity] = field(repr=False)
    rows: Sequence[Row] = field(repr=False)

    @property
    def document(self) -> JsonObject:
        """The document, without servers."""
        paths: JsonObject = {}
        for row in self.rows:
            paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, self.fields)
        info = {"title": self.title, "version": "1", "description": self.description}
        schemas = {each.name: each.schema for each in self.entities}
        return {
            "openapi": "3.1.0",
            "info": info,
            "paths": paths,
            "components": {"schemas": schemas},
        }

    @property
    def handlers(self) -> Handlers:
        """What answers; an operation without one is answered from the document."""
        return {(row.method, row.path): row.does.handler for row in self.rows if row.does.handler}


def api_of_table(table: Table, make: type[Store]) -> Api:
    """The API of a table, open to everybody."""
    return Api(
        name=table.name,
        prefix=f"/{table.name}",
        document=table.document,
        handlers=table.handlers,
        make=make,
        guard=_open,
        failure=_failure,
    )


def text(description: str = "", **more: object) -> JsonObject:
    """The schema of a text."""
    return {"type": "string", **({"description": description} if description else {}), **more}


def number(description: str = "", **more: object) -> JsonObject:
    """The schema of an integer."""
    return {"type": "integer", **({"description": description} if description else {}), **more}


def choice(description: str, *values: str) -> JsonObject:
    """The schema of one of some texts."""
    return {"type": "string", "enum": [*values], "description": description}


def _operation(row: Row, fields: Mapping[str, JsonObject]) -> JsonObject:
    operation: JsonObject = {"operationId": row.name, "summary": row.summary}
    if parameters := [*_parameters(row, fields)]:
        operation["parameters"] = parameters
    if row.method in _WITH_BODY and row.inputs:
        operation["requestBody"] = _body(row.inputs, fields)
    operation["responses"] = {str(row.does.status): _response(row.does)}
    return operation


def _parameters(row: Row, fields: Mapping[str, JsonObject]) -> Iterator[JsonObject]:
    for name in _PLACEHOLDER.findall(row.path):
        yield {"name": name, "in": "path", "required": True, "schema": fields[name]}
    if row.method not in _WITH_BODY:
        for name, is_required in _inputs(row.inputs):
            schema = fields[name]
            yield {"name": name, "in": "query", "required": is_required, "schema": schema}


def _body(inputs: str, fields: Mapping[str, JsonObject]) -> JsonObject:
    named = [*_inputs(inputs)]
    schema: JsonObject = {
        "type": "object",
        "properties": {name: fields[name] for name, _ in named},
        "additionalProperties": False,
    }
    required = [name for name, is_required in named if is_required]
    if required:
        schema["required"] = required
    return {"required": bool(required), "content": {"application/json": {"schema": schema}}}


def _inputs(inputs: str) -> Iterator[tuple[str, bool]]:
    for each in inputs.split():
        yield each.rstrip("!"), each.endswith("!")


def _response(does: Does) -> JsonObject:
    if not does.gives:
        return {"description": ""}
    return {"description": "", "content": {"application/json": {"schema": _schema(does)}}}


def _schema(does: Does) -> JsonObject:
    if does.gives == "ok":
        return {"type": "object", "properties": {"ok": {"const": True}}, "required": ["ok"]}
    entity = {"$ref": f"#/components/schemas/{does.gives.strip('[]')}"}
    if not does.gives.startswith("["):
        return entity
    properties = {"total": {"type": "integer"}, "items": {"type": "array", "items": entity}}
    return {"type": "object", "properties": properties, "required": [*properties]}


def _open(_received: Received, _route: Route) -> Refused | None:
    return None


def _failure(status: int, reason: str, faults: tuple[Fault, ...]) -> JsonObject:
    body: JsonObject = {"status": status, "message": reason}
    return body | ({"errors": [dict(each) for each in faults]} if faults else {})
