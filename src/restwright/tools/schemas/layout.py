"""
The schema of a tool's arguments, and of its response.

Laid out flat, the parameters of the path, the query, the headers and the cookies and the properties
of an object body stand side by side; a body that is no plain object is one argument, `body`.
Grouped, the path parameters stand beside `query`, `header`, `cookie` and `body`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.model import MediaType, Operation
from restwright.tools.schemas.arguments import (
    Argument,
    body_argument,
    name_arguments,
    parameter_arguments,
)
from restwright.tools.schemas.definitions import Definitions
from restwright.tools.schemas.elision import join_lines
from restwright.tools.schemas.flat_body import flatten_body
from restwright.tools.schemas.sse import event_schema
from restwright.tools.text.media_types import (
    EVENT_STREAM,
    body_schema,
    can_be_json,
    choose_media_type,
    is_sequence,
    is_xml,
    sequence_schema,
)
from restwright.tools.text.prose import to_plain_text
from restwright.tools.tool import Input, Layout, PositionalParameter

_GROUPS = ("query", "header", "cookie")


@dataclass(frozen=True, slots=True)
class ArgumentLayout:
    """The arguments of one operation: an object schema without `$defs`, and where each goes."""

    schema: JsonObject = field(repr=False)
    inputs: tuple[Input, ...]


def lay_out_arguments(
    operation: Operation, definitions: Definitions, layout: Layout
) -> ArgumentLayout:
    """
    Lay out the arguments of an operation.

    Args:
        definitions: Of the operation's document, for requests; shared by all its operations.

    Returns:
        A JSON Schema 2020-12 without additional properties. Names are legal for every provider:
        letters, digits and underscores, at most 64. Where two would be equal, the later of path,
        query, header, cookie, body becomes `query_name`, `body_name` and so on.
    """
    return _LAYOUTS[layout](operation, definitions)


def describe_dependent_required(schema: JsonObject) -> JsonObject:
    """
    What a body that may be left out needs once it is there, said once.

    As rules for each property, which `checks` has, it would be far longer.
    """
    if "dependentRequired" not in schema:
        return schema
    needed = {name for names in schema["dependentRequired"].values() for name in names}
    listed = ", ".join(f"`{name}`" for name in schema["properties"] if name in needed)
    told = f"Once any input of the body is given, these are required: {listed}."
    rest = {key: each for key, each in schema.items() if key != "dependentRequired"}
    return {**rest, "description": join_lines(schema.get("description", ""), told)}


def response_schema(operation: Operation, definitions: Definitions) -> Json:
    """
    The schema of the success response with its `$defs`; None where it has no body.

    Args:
        definitions: Of the operation's document, for responses.
    """
    success = operation.success
    media_type = choose_media_type(success.content) if success else None
    if media_type is None or _has_own_reading(media_type.name):
        return None
    return _schema_of_media_type(media_type, definitions)


def response_schemas(operation: Operation, definitions: Definitions) -> Mapping[str, Json]:
    """
    The schemas of the success response by its media types; those of bytes have none.

    Args:
        definitions: As of `response_schema()`.
    """
    content = operation.success.content if operation.success else ()
    found = {
        media_type.name: _schema_of_media_type(media_type, definitions) for media_type in content
    }
    return {name: schema for name, schema in found.items() if schema is not None}


def _schema_of_media_type(media_type: MediaType, definitions: Definitions) -> Json:
    name = media_type.name
    if name.partition(";")[0].strip().lower() == EVENT_STREAM:
        schema = media_type.schema
        if media_type.item_schema is not None:
            schema = event_schema(media_type.item_schema, definitions.open_document())
    elif can_be_json(name) or is_xml(name):
        schema = body_schema(media_type)
    elif is_sequence(name):
        schema = sequence_schema(media_type, definitions.open_document())
    else:
        return {"type": "string"} if name.startswith("text/") else None
    return attach_definitions(definitions.clean(schema), definitions)


def _has_own_reading(name: str) -> bool:
    """Whether what is read of a body is not what its schema describes."""
    return is_xml(name) or name.partition(";")[0].strip().lower() == EVENT_STREAM


def attach_definitions(schema: Json, definitions: Definitions) -> Json:
    """A cleaned schema with the `$defs` that it needs."""
    found = definitions.reachable_definitions(schema)
    return {**schema, "$defs": found} if is_object(schema) and found else schema


def positional_parameters(
    arguments: ArgumentLayout, definitions: Definitions
) -> tuple[PositionalParameter, ...]:
    """
    The parameters of a grouped layout, one by one.

    Args:
        arguments: Laid out `grouped`.
    """
    required = arguments.schema.get("required", ())
    return tuple(
        PositionalParameter(
            name=name, schema=attach_definitions(each, definitions), required=name in required
        )
        for name, each in arguments.schema["properties"].items()
    )


def _lay_out_flat(operation: Operation, definitions: Definitions) -> ArgumentLayout:
    body, groups = flatten_body(operation, definitions)
    arguments = name_arguments([*parameter_arguments(operation, definitions), *body])
    schema = _object_schema(arguments)
    if dependent := _dependent_required(arguments, groups):
        schema["dependentRequired"] = dependent
    if text := _body_text(operation, body):
        schema["description"] = text
    inputs = (_build_input(name, argument) for name, argument in arguments.items())
    return ArgumentLayout({**schema, "additionalProperties": False}, tuple(inputs))


def _body_text(operation: Operation, body: Sequence[Argument]) -> str:
    """What is said of a body whose properties are arguments of their own."""
    is_spread = any(argument.location == "body_property" for argument in body)
    said = operation.request_body.description if operation.request_body and is_spread else ""
    return to_plain_text(said)


def _lay_out_grouped(operation: Operation, definitions: Definitions) -> ArgumentLayout:
    by_group: dict[str, list[Argument]] = {group: [] for group in ("path", *_GROUPS)}
    for argument in parameter_arguments(operation, definitions):
        location = "query" if argument.location == "querystring" else argument.location
        by_group[location].append(argument)
    path = name_arguments(by_group["path"], taken=(*_GROUPS, "body"))
    groups = {name: name_arguments(by_group[name]) for name in _GROUPS if by_group[name]}
    body = body_argument(operation, definitions)
    single = {**path, **({"body": body} if body else {})}
    schemas = {name: _closed_object_schema(arguments) for name, arguments in groups.items()}
    required = {name for name, argument in single.items() if argument.required}
    required |= {name for name, each in schemas.items() if "required" in each}
    order = [*path, *groups, *(["body"] if body else [])]
    properties = {name: single[name].schema if name in single else schemas[name] for name in order}
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = [name for name in order if name in required]
    inputs = [_build_input(name, argument) for name, argument in single.items()]
    inputs += [
        _build_input(name, argument, group)
        for group, arguments in groups.items()
        for name, argument in arguments.items()
    ]
    return ArgumentLayout({**schema, "additionalProperties": False}, tuple(inputs))


_LAYOUTS: Mapping[Layout, Callable[[Operation, Definitions], ArgumentLayout]] = {
    "flat": _lay_out_flat,
    "grouped": _lay_out_grouped,
}


def _build_input(name: str, argument: Argument, group: str = "") -> Input:
    return Input(name=name, location=argument.location, target=argument.target, group=group)


def _object_schema(arguments: Mapping[str, Argument]) -> JsonObject:
    schema: JsonObject = {
        "type": "object",
        "properties": {name: argument.schema for name, argument in arguments.items()},
    }
    if required := [name for name, argument in arguments.items() if argument.required]:
        schema["required"] = required
    return schema


def _closed_object_schema(arguments: Mapping[str, Argument]) -> JsonObject:
    return {**_object_schema(arguments), "additionalProperties": False}


def _dependent_required(
    arguments: Mapping[str, Argument], groups: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    if not groups:
        return {}
    names = {
        each.target: name for name, each in arguments.items() if each.location == "body_property"
    }
    return {
        names[target]: [names[name] for name in required if name != target]
        for target, required in groups.items()
        if any(name != target for name in required)
    }
