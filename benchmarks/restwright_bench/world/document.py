"""A document as a server needs it: routes, and schemas to check what comes in and goes out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

import jsonschema_rs

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.upgrade import upgrade_document

METHODS = ("get", "put", "post", "delete", "patch")
# Some documents write truth values and numbers as texts.
FLAGS = {"true": True, "false": False}
NUMBER_KEYWORDS = frozenset(
    (
        *("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf"),
        *("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
    )
)
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
FLAG_KEYWORDS = frozenset(
    ("additionalProperties", "explode", "nullable", "required", "uniqueItems")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter; `schema` is JSON Schema 2020-12 within the document."""

    name: str
    location: str
    required: bool
    schema: JsonObject
    is_list: bool = False
    is_exploded: bool = True


@dataclass(frozen=True, kw_only=True)
class Route:
    """
    One operation.

    Args:
        method: In upper case.
        template: The path as the document writes it.
        root: The whole document, for what schemas refer to.
    """

    method: str
    template: str
    operation: JsonObject = field(repr=False)
    parameters: tuple[Parameter, ...] = field(repr=False)
    root: JsonObject = field(repr=False)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a path below the prefix looks like."""
        parts = re.split(r"\{([^{}]+)\}", self.template)
        literal = [re.escape(each) for each in parts[::2]]
        names = [f"(?P<{_group(each)}>[^/]+)" for each in parts[1::2]]
        whole = "".join(a + b for a, b in zip(literal, [*names, ""], strict=True))
        return re.compile(whole)

    def values_in(self, path: str) -> Mapping[str, str] | None:
        """The path parameters of a concrete path, decoded; None where it is another's."""
        found = self.pattern.fullmatch(path)
        if found is None:
            return None
        return {
            each.name: unquote(found[_group(each.name)])
            for each in self.parameters
            if each.location == "path"
        }

    @cached_property
    def body_checker(self) -> jsonschema_rs.Draft202012Validator | None:
        """What a JSON body is checked by; None where the operation takes none."""
        content = self.operation.get("requestBody", {}).get("content", {})
        media = content.get("application/json")
        return self.checker(media.get("schema", {})) if media is not None else None

    @cached_property
    def response_checkers(self) -> Mapping[int, jsonschema_rs.Draft202012Validator]:
        """`{status: checker}` of those responses that have a JSON body."""
        found: dict[int, jsonschema_rs.Draft202012Validator] = {}
        for status, response in self.operation.get("responses", {}).items():
            media = resolved(response, self.root).get("content", {}).get("application/json")
            if status.isdecimal() and media is not None:
                found[int(status)] = self.checker(media.get("schema", {}))
        return found

    @cached_property
    def parameter_checkers(self) -> Mapping[tuple[str, str], jsonschema_rs.Draft202012Validator]:
        """`{(location, name): checker}`."""
        return {(each.location, each.name): self.checker(each.schema) for each in self.parameters}

    def checker(self, schema: JsonObject) -> jsonschema_rs.Draft202012Validator:
        """A validator of a schema of this document."""
        # What refers to nothing compiles ten times as fast without the rest of the document.
        is_alone = "$ref" not in json.dumps(schema)
        shared = {} if is_alone else {"components": self.root.get("components", {})}
        return jsonschema_rs.Draft202012Validator({**schema, **shared}, validate_formats=False)

    @property
    def statuses(self) -> tuple[int, ...]:
        """Those the document tells of, in its order."""
        return tuple(int(each) for each in self.operation["responses"] if each.isdecimal())


def read_document(path: Path) -> JsonObject:
    """A JSON document in OpenAPI 3.2, truth values made such where they are written as texts."""
    return upgrade_document(_with_flags(json.loads(path.read_text(encoding="utf-8"))))


def served(document: JsonObject, url: str) -> JsonObject:
    """The document with its server's URL changed and nothing else."""
    return {**document, "servers": [{"url": url}]}


def prepared(routes: Iterable[Route]) -> None:
    """Compile what requests are checked by, so that the first one waits no longer than others."""
    for route in routes:
        _ = route.pattern, route.parameter_checkers, route.body_checker


def routes_of(root: JsonObject) -> tuple[Route, ...]:
    """The operations of a document, those with literal segments before those with parameters."""
    found = sorted(_routes(root), key=lambda each: [part[:1] == "{" for part in _parts(each)])
    return tuple(found)


def resolved(node: JsonObject, root: JsonObject) -> JsonObject:
    """What a Reference Object refers to; any other object itself."""
    while "$ref" in node:
        target: Json = root
        for token in node["$ref"].removeprefix("#/").split("/"):
            target = target[unquote(token).replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _routes(root: JsonObject) -> Iterator[Route]:
    for template, item in root["paths"].items():
        for method in METHODS:
            if method in item:
                operation = item[method]
                given = [*item.get("parameters", ()), *operation.get("parameters", ())]
                yield Route(
                    method=method.upper(),
                    template=template,
                    operation=operation,
                    parameters=_parameters(given, root),
                    root=root,
                )


def _parameters(given: Sequence[JsonObject], root: JsonObject) -> tuple[Parameter, ...]:
    found: dict[tuple[str, str], Parameter] = {}
    for node in given:
        one = resolved(node, root)
        schema = resolved(one.get("schema", {}), root)
        found[one["in"], one["name"]] = Parameter(
            name=one["name"],
            location=one["in"],
            required=one.get("required", False),
            schema=one.get("schema", {}),
            is_list=schema.get("type") == "array",
            is_exploded=one.get("explode", True),
        )
    return tuple(found.values())


def _parts(route: Route) -> list[str]:
    return route.template.strip("/").split("/")


def _group(name: str) -> str:
    return "p_" + re.sub(r"\W", "_", name)


def _with_flags(node: Json) -> Json:
    if isinstance(node, list):
        return [_with_flags(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {name: _plain(name, each) for name, each in node.items()}


def _plain(name: str, value: Json) -> Json:
    if isinstance(value, str):
        if name in FLAG_KEYWORDS:
            return FLAGS.get(value, value)
        # In an example the same word may stand before something else.
        if name in NUMBER_KEYWORDS and NUMBER.fullmatch(value):
            return json.loads(value)
    return _with_flags(value)
