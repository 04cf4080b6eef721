"""Tools from plain names and JSON Schemas, as functions of a manifest: in a catalog like others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar
from urllib.parse import quote

from restwright.errors import NameCollision
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.load.loader import parse_document
from restwright.openapi.model import Method, Operation
from restwright.openapi.read.reader import read_api
from restwright.tools.catalog.catalog import Catalog, CatalogEntry, catalog
from restwright.tools.tool import Handler, Tool

_T = TypeVar("_T")
EMPTY_PARAMETERS: JsonObject = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTool:
    """
    One function: what a model reads of it, and how it is carried out.

    Args:
        name: As a model knows it.
        parameters: JSON Schema of its arguments, an object.
        method: By which it reads or writes, be it of the request that it sends: `get` for one
            that changes nothing, `delete` for one that destroys something. Its name may say more.
        path: Shown where a path is; the name where it is empty.
    """

    name: str
    handler: Handler
    description: str = ""
    parameters: JsonObject = field(default_factory=lambda: EMPTY_PARAMETERS)
    method: str = "get"
    path: str = ""


def build_function_catalog(
    namespace: str,
    functions: Sequence[FunctionTool],
    *,
    title: str = "",
    source: str = "functions",
    schemas: JsonObject | None = None,
) -> Catalog:
    """
    Make a catalog of functions, whose tools are checked, offered and called like all others.

    Args:
        namespace: Of all of them; made a legal one.
        source: Where they come from.
        schemas: `{name: schema}` that parameters refer to as `#/components/schemas/NAME`.

    Raises:
        NameCollision: Two functions have the same name.
    """
    document = _build_document(functions, title or namespace, schemas or {})
    written = parse_document(document, source=source)
    made = catalog(read_api(written, alias=_to_legal_namespace(namespace)))
    by_name = {function_tool.name: function_tool for function_tool in functions}
    entries: dict[str, CatalogEntry] = {}
    for name, entry in made.entries.items():
        function = by_name[str(entry.operation.operation_id)]
        tool = _attach_handler(made[name], function)
        entries[name] = replace(entry, operation=tool.operation)
        made.built[name] = tool
    return replace(made, entries=entries)


def tool_names_by_function(made: Catalog) -> dict[str, str]:
    """`{name of a function: full name of its tool}`."""
    return {str(each.operation.operation_id): name for name, each in made.entries.items()}


def combine_catalogs(catalogs: Iterable[Catalog]) -> Catalog:
    """
    Put catalogs together whose namespaces are different.

    Raises:
        NameCollision: A namespace is in two of them.
    """
    first, *others = catalogs
    for other in others:
        for name in other.apis:
            if name in first.apis:
                raise NameCollision(name, [first.apis[name].source, other.apis[name].source])
        first = replace(
            first,
            apis={**first.apis, **other.apis},
            namespaces={**first.namespaces, **other.namespaces},
            entries={**first.entries, **other.entries},
            schemas={**first.schemas, **other.schemas},
            built=first.built | other.built,
            name_problems=(*first.name_problems, *other.name_problems),
            problems_by_namespace={**first.problems_by_namespace, **other.problems_by_namespace},
        )
    return first


def normalize_parameters(parameters: Json) -> tuple[JsonObject, tuple[str, ...]]:
    """
    The schema of a function's arguments, and the names that it requires and does not have.

    Such a name is left out of `required`: nobody could fill it in.
    """
    if not is_object(parameters):
        return EMPTY_PARAMETERS, ()
    schema = {**EMPTY_PARAMETERS, **parameters, "type": "object"}
    properties = schema["properties"] if is_object(schema["properties"]) else {}
    required = schema.get("required")
    wanted = [name for name in required if isinstance(name, str)] if is_array(required) else []
    missing = tuple(name for name in wanted if name not in properties)
    schema |= {"properties": properties}
    if "required" in schema:
        schema["required"] = [name for name in wanted if name in properties]
    return schema, missing


def _attach_handler(tool: Tool, function: FunctionTool) -> Tool:
    """The tool with its own way to be carried out, which is given the arguments' own names."""
    operation = replace(
        tool.operation,
        method=Method(function.method.lower()),
        path=function.path or f"/{function.name}",
    )
    own = function.handler
    return replace(
        tool,
        operation=operation,
        handler=replace(
            own,
            build_request=_with_function_names(tool, own.build_request),
            run_locally=_with_function_names(tool, own.run_locally),
            make_steps=_with_function_names(tool, own.make_steps),
            narrow_operation=_wrap_effective_operation(tool, operation, own),
        ),
    )


def _wrap_effective_operation(
    tool: Tool, operation: Operation, handler: Handler
) -> Callable[[JsonObject], Operation] | None:
    if handler.narrow_operation is None:
        return None
    return partial(_effective_operation, handler.narrow_operation, tool, operation)


def _effective_operation(
    narrowed: Callable[[JsonObject], Operation],
    tool: Tool,
    operation: Operation,
    arguments: JsonObject,
) -> Operation:
    return replace(operation, method=narrowed(_to_function_names(tool, arguments)).method)


def _with_function_names(
    tool: Tool, act: Callable[[JsonObject], _T] | None
) -> Callable[[JsonObject], _T] | None:
    return None if act is None else partial(_act_with_function_names, act, tool)


def _act_with_function_names(
    act: Callable[[JsonObject], _T], tool: Tool, arguments: JsonObject
) -> _T:
    return act(_to_function_names(tool, arguments))


def _to_function_names(tool: Tool, arguments: JsonObject) -> JsonObject:
    """Arguments under the names that the function gives them."""
    targets = {
        tool_input.name: tool_input.target
        for tool_input in tool.inputs
        if tool_input.location == "body_property"
    }
    whole = next(
        (tool_input.name for tool_input in tool.inputs if tool_input.location == "body"), None
    )
    if whole is not None:
        given = arguments.get(whole)
        return given if is_object(given) else {}
    return {targets.get(name, name): value for name, value in arguments.items()}


def _build_document(functions: Sequence[FunctionTool], title: str, schemas: JsonObject) -> bytes:
    names = [function.name for function in functions]
    for name in names:
        if names.count(name) > 1:
            raise NameCollision(name, [title, title])
    paths = {
        f"/{quote(function.name, safe='')}": {"post": _build_operation(function)}
        for function in functions
    }
    whole: JsonObject = {"openapi": "3.1.0", "info": {"title": title, "version": "1"}}
    whole |= {"paths": paths, "components": {"schemas": schemas}}
    return json.dumps(whole).encode()


def _build_operation(function: FunctionTool) -> JsonObject:
    body: JsonObject = {"required": True}
    body["content"] = {"application/json": {"schema": function.parameters}}
    has_any = bool(set(function.parameters) - {"type", "properties", "required"}) or bool(
        function.parameters.get("properties")
    )
    return {
        "operationId": function.name,
        "description": function.description or function.name,
        **({"requestBody": body} if has_any else {}),
        "responses": {"default": {"description": "what it gives"}},
    }


def _to_legal_namespace(name: str) -> str:
    """A namespace: lower case, digits and single underscores, a letter first."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"f_{plain}".rstrip("_")
