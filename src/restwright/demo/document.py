"""The shop's OpenAPI document, which is also what requests are checked against."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from restwright.jsontypes import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One input: a path or query parameter, or a property of the body. `schema` is `$ref`-free."""

    name: str
    required: bool
    schema: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The JSON object that an operation takes as its body."""

    required: bool
    properties: Mapping[str, Property]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """
    What the HTTP edge needs to know of one operation.

    Args:
        method: Upper case.
        status: Of its success.
        secured: Whether it wants the bearer token.
        query: Query parameters by name.
        body: None where it takes none.
    """

    operation_id: str
    method: str
    path: str
    status: int
    secured: bool
    query: Mapping[str, Property]
    body: Body | None


@cache
def _text() -> str:
    return files("restwright.demo").joinpath("openapi.json").read_text(encoding="utf-8")


def openapi(url: str) -> JsonObject:
    """The document as it is served at `url`, the base URL of the shop."""
    return json.loads(_text()) | {"servers": [{"url": url}]}


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the document, in document order."""
    return tuple(_operations(json.loads(_text())))


def _operations(document: JsonObject) -> Iterator[Operation]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield _operation(document, path, method, operation)


def _operation(document: JsonObject, path: str, method: str, operation: JsonObject) -> Operation:
    parameters = [_resolved(document, parameter) for parameter in operation.get("parameters", ())]
    query = [
        Property(
            name=parameter["name"],
            required=parameter.get("required", False),
            schema=_resolved(document, parameter["schema"]),
        )
        for parameter in parameters
    ]
    return Operation(
        operation_id=operation["operationId"],
        method=method.upper(),
        path=path,
        status=min(int(status) for status in operation["responses"]),
        secured=bool(operation.get("security", document["security"])),
        query={property_.name: property_ for property_ in query},
        body=_body(document, operation["requestBody"]) if "requestBody" in operation else None,
    )


def _body(document: JsonObject, body: JsonObject) -> Body:
    schema = _resolved(document, body["content"]["application/json"]["schema"])
    properties = [
        Property(
            name=name,
            required=name in schema.get("required", ()),
            schema=_resolved(document, each),
        )
        for name, each in schema["properties"].items()
    ]
    return Body(
        required=body["required"],
        properties={property_.name: property_ for property_ in properties},
    )


def _resolved(document: JsonObject, value: JsonObject) -> JsonObject:
    if "$ref" not in value:
        return value
    target = document
    for token in value["$ref"].removeprefix("#/").split("/"):
        target = target[token]
    return target
