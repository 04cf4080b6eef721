"""Tools from plain names and JSON Schemas, as functions of a manifest: in a catalog like others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote

from restwright.errors import NameCollision
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.effects import CLAIM_FLAG, CLASS_FLAGS, ReadClaim, UserText
from restwright.openapi.load.loader import parse_document
from restwright.openapi.model import API, Method, Operation
from restwright.openapi.read.reader import read_api
from restwright.openapi.references import walk_references
from restwright.tools.catalog.catalog import Catalog, CatalogEntry, catalog
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.safety import OperationClass
from restwright.tools.tool import Handler, Tool

_T = TypeVar("_T")
EMPTY_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
# Keys of a schema that by themselves ask for no argument.
_ABOUT_NOTHING = frozenset(
    {"type", "properties", "required", "$schema", "$id", "$defs", "title", "description"}
)


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
        output: JSON Schema of what it gives; None where nobody says.
        returns: What is said of that.
        declared_class: What the user says that calling it may do, which holds whatever its method
            and name say; None where the user says nothing.
        claims_read: Whether who offers it says that it changes nothing. It is planned with as a
            read, and approved as what `method` and its name say.
        title: A few words for people.
        extensions: `{"x-...": value}` that stand beside its description.
    """

    name: str
    handler: Handler
    description: str = ""
    parameters: JsonObject = field(default_factory=lambda: EMPTY_PARAMETERS)
    method: str = "get"
    path: str = ""
    output: Json = None
    returns: str = ""
    declared_class: OperationClass | None = None
    claims_read: bool = False
    title: str = ""
    extensions: JsonObject = field(default_factory=dict[str, Json])


def build_function_catalog(
    namespace: str,
    functions: Sequence[FunctionTool],
    *,
    title: str = "",
    description: str = "",
    components: Mapping[str, JsonObject] = MappingProxyType({}),
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
    source: str = "functions",
) -> Catalog:
    """
    Make a catalog of functions, whose tools are checked, offered and called like all others.

    Args:
        namespace: Of all of them; made a legal one.
        components: `{name: schema}` of what their schemas refer to as `#/components/schemas/NAME`.
        options: How the tools are presented.
        source: Where they are from.

    Returns:
        The tools in the order of `functions`.

    Raises:
        NameCollision: Two functions have the same name.
    """
    api = build_function_api(
        to_legal_namespace(namespace),
        functions,
        title=title or namespace,
        description=description,
        components=components,
        source=source,
    )
    return attach_functions(catalog(api, options=options), {str(api.alias): functions})


def build_function_api(
    namespace: str,
    functions: Sequence[FunctionTool],
    *,
    title: str,
    description: str = "",
    components: Mapping[str, JsonObject] = MappingProxyType({}),
    source: str = "functions",
) -> API:
    """
    Say as a document what functions offer, so that they are named and locked as operations are.

    Args:
        namespace: Its alias, a legal namespace.
        source: Where they are from.

    Raises:
        NameCollision: Two functions have the same name.
    """
    document = _build_document(functions, title, description, components)
    written = parse_document(json.dumps(document).encode(), source=source)
    return read_api(written, alias=namespace)


def attach_functions(made: Catalog, functions: Mapping[str, Sequence[FunctionTool]]) -> Catalog:
    """
    Let the tools of some namespaces be carried out by their functions.

    Args:
        functions: `{namespace: those that its API was built of}`.

    Returns:
        The catalog, with these tools in the order of their functions.
    """
    entries: dict[str, CatalogEntry] = {}
    for name, entry in made.entries.items():
        if entry.namespace not in functions:
            entries[name] = entry
            continue
        if name in entries:
            continue
        names = _names_in_namespace(made, entry.namespace)
        for function in functions[entry.namespace]:
            if (own := names.get(function.name)) is None:
                continue  # it is a human's alone, by the options
            tool = _attach_handler(made[own], function)
            entries[own] = replace(made.entries[own], operation=tool.operation)
            made.built[own] = tool
    return replace(made, entries=entries)


def _names_in_namespace(made: Catalog, namespace: str) -> dict[str, str]:
    return {
        str(entry.operation.operation_id): name
        for name, entry in made.entries.items()
        if entry.namespace == namespace
    }


def tool_names_by_function(made: Catalog) -> dict[str, str]:
    """`{name of a function: full name of its tool}`."""
    return {str(each.operation.operation_id): name for name, each in made.entries.items()}


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
    if function.claims_read:
        claim = {CLAIM_FLAG: ReadClaim("read")}
        operation = replace(operation, extensions={**operation.extensions, **claim})
    if function.declared_class is not None:
        flags = {CLASS_FLAGS[0]: UserText(function.declared_class)}
        operation = replace(operation, extensions={**operation.extensions, **flags})
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


def _build_document(
    functions: Sequence[FunctionTool],
    title: str,
    description: str,
    components: Mapping[str, JsonObject],
) -> JsonObject:
    names = [function.name for function in functions]
    for name in names:
        if names.count(name) > 1:
            raise NameCollision(name, [title, title])
    paths = {
        f"/{quote(function.name, safe='')}": {"post": _build_operation(function)}
        for function in functions
    }
    about = {"description": description} if description else {}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1", **about},
        "paths": paths,
        **({"components": {"schemas": {**components}}} if components else {}),
    }


def _build_operation(function: FunctionTool) -> JsonObject:
    body: JsonObject = {"required": True}
    uri = f"function:/{quote(function.name, safe='')}"
    schema = _as_resource(function.parameters, uri)
    body["content"] = {"application/json": {"schema": schema}}
    gives: JsonObject = {"description": function.returns or "what it gives"}
    if is_object(function.output):
        output = _as_resource(function.output, f"{uri}/output")
        gives["content"] = {"application/json": {"schema": output}}
    elif function.output is not None:
        gives["content"] = {"application/json": {"schema": function.output}}
    return {
        "operationId": function.name,
        **({"summary": function.title} if function.title else {}),
        "description": function.description or function.name,
        **({"requestBody": body} if _takes_arguments(function.parameters) else {}),
        "responses": {"default" if function.output is None else "200": gives},
        **function.extensions,
    }


def _takes_arguments(parameters: JsonObject) -> bool:
    if parameters.get("properties") or parameters.get("additionalProperties"):
        return True
    return bool(set(parameters) - _ABOUT_NOTHING - {"additionalProperties"})


def _as_resource(schema: JsonObject, uri: str) -> JsonObject:
    """A schema whose references lead into itself, wherever it stands in a document."""
    is_own = any(not ref.startswith("#/components/") for _, ref in walk_references(schema))
    return {**schema, "$id": uri} if is_own else schema


def to_legal_namespace(name: str) -> str:
    """`name` as a namespace: lower case, digits and single underscores, a letter first."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"f_{plain}".rstrip("_")
