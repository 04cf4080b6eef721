"""
The schema of a tool's arguments, and of its response.

Arguments are laid out flat: parameters of the path, the query, the headers and the cookies, and the
properties of an object body, side by side. A body that is no plain object is one argument, `body`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from restwright.openapi.model import DocumentedResponse, MediaType, Operation, Parameter
from restwright.tools.definitions import Definitions
from restwright.tools.tool import Input, InputLocation
from restwright.typing import Json, JsonObject, is_array, is_object

_ORDER = {"path": 0, "query": 1, "header": 2, "cookie": 3, "querystring": 4}

# What an object may say beside its properties and still be laid out flat. Anything else (oneOf,
# minProperties, additional properties of its own) is about the object as a whole.
_FLAT_KEYWORDS = frozenset(
    {"type", "properties", "required", "title", "description", "deprecated", "format"}
)
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Argument:
    target: str
    location: InputLocation
    schema: Json = field(repr=False)
    required: bool


def parameters_schema(
    operation: Operation, definitions: Definitions
) -> tuple[JsonObject, tuple[Input, ...]]:
    """
    The JSON Schema 2020-12 of an operation's arguments.

    Args:
        definitions: Of the operation's document, for requests; shared by all its operations.

    Returns:
        An object schema without additional properties, whose `$defs` hold what is reachable, and
        where each property goes. Names: path, query, header, cookie, body; one that is taken
        becomes `query_name`, `body_name` and so on.
    """
    body, groups = _body(operation, definitions)
    named = _named([*_parameters(operation, definitions), *body])
    schema: JsonObject = {
        "type": "object",
        "properties": {name: argument.schema for name, argument in named.items()},
    }
    if required := [name for name, argument in named.items() if argument.required]:
        schema["required"] = required
    if dependent := _dependent(named, groups):
        schema["dependentRequired"] = dependent
    schema["additionalProperties"] = False
    if found := definitions.reachable(schema):
        schema["$defs"] = found
    inputs = tuple(
        Input(name=name, location=argument.location, target=argument.target)
        for name, argument in named.items()
    )
    return schema, inputs


def output_schema(operation: Operation, definitions: Definitions) -> Json:
    """
    The schema of the success response with its `$defs`; None where it has no body.

    Args:
        definitions: Of the operation's document, for responses.
    """
    success = operation.success
    media_type = _of_response(success) if success else None
    if media_type is None:
        return None
    if not is_json(media_type.name):
        return {"type": "string"} if media_type.name.startswith("text/") else None
    schema = definitions.cleaned(media_type.schema)
    found = definitions.reachable(schema)
    if is_object(schema) and found:
        return {**schema, "$defs": found}
    return schema


def body_media_type(operation: Operation) -> MediaType | None:
    """The media type that a body is written in: JSON where it can be, then forms; None for none."""
    content = operation.request_body.content if operation.request_body else ()
    return min(content, key=_rank, default=None)


def is_json(name: str) -> bool:
    """
    Whether a media type is JSON, or leaves it open.

    Source: RFC 6839, "The +json Structured Syntax Suffix".
    """
    essence = name.partition(";")[0].strip().lower()
    return essence.endswith(("/json", "+json")) or essence in {"*/*", "application/*"}


def _rank(media_type: MediaType) -> int:
    essence = media_type.name.partition(";")[0].strip().lower()
    if essence == "application/json":
        return 0
    if essence.endswith(("/json", "+json")):
        return 1
    if essence in _FORMS:
        return 2 + _FORMS.index(essence)
    return 4 if is_json(essence) else 5


def _of_response(response: DocumentedResponse) -> MediaType | None:
    return min(response.content, key=_rank, default=None)


def _parameters(operation: Operation, definitions: Definitions) -> Iterator[_Argument]:
    for parameter in sorted(operation.parameters, key=lambda each: _ORDER[each.location]):
        yield _Argument(
            target=parameter.name,
            location=parameter.location,
            schema=_parameter_schema(parameter, definitions),
            required=parameter.required,
        )


def _parameter_schema(parameter: Parameter, definitions: Definitions) -> Json:
    schema = definitions.cleaned(parameter.schema)
    more: JsonObject = {}
    if parameter.description and not (is_object(schema) and "description" in schema):
        more["description"] = parameter.description
    if parameter.deprecated:
        more["deprecated"] = True
    return with_annotations(schema, more)


def with_annotations(schema: Json, more: Mapping[str, Json]) -> Json:
    """`schema` and what it says further; a boolean schema stays one where there is nothing more."""
    if not more or schema is False:
        return schema
    return {**schema, **more} if is_object(schema) else dict(more)


def _body(
    operation: Operation, definitions: Definitions
) -> tuple[list[_Argument], Mapping[str, list[str]]]:
    """The arguments of the body, and which of its properties need others once one is given."""
    body, media_type = operation.request_body, body_media_type(operation)
    if body is None or media_type is None:
        return [], {}
    schema = definitions.cleaned(media_type.schema)
    flat = _flat(schema, definitions)
    if flat is None:
        more = {"description": body.description} if body.description else {}
        schema = with_annotations(schema, more)
        argument = _Argument(target="", location="body", schema=schema, required=body.required)
        return [argument], {}
    required = flat[1]
    # A name may be required without a schema: any value will do for it.
    properties = {**flat[0], **{name: True for name in required if name not in flat[0]}}
    arguments = [
        _Argument(
            target=name,
            location="body_property",
            schema=each,
            required=body.required and name in required,
        )
        for name, each in properties.items()
    ]
    # A body that may be left out needs its required properties only when it is there.
    return arguments, {} if body.required or not required else dict.fromkeys(properties, required)


def _flat(schema: Json, definitions: Definitions) -> tuple[Mapping[str, Json], list[str]] | None:
    """Properties and required names of a plain object, allOf of plain objects included; or None."""
    node = definitions.resolved(schema)
    if not is_object(node):
        return None
    parts = node.get("allOf")
    if parts is not None:
        rest = {key: value for key, value in node.items() if key != "allOf"}
        return _merged([*parts, *([rest] if rest else [])], definitions)
    if not _is_plain_object(node):
        return None
    return node.get("properties", {}), node.get("required", [])


def _merged(
    parts: list[Json], definitions: Definitions
) -> tuple[Mapping[str, Json], list[str]] | None:
    properties: dict[str, Json] = {}
    required: list[str] = []
    for part in parts:
        flat = _part(part, definitions)
        if flat is None or _disagree(properties, flat[0]):
            return None
        properties |= flat[0]
        required += [name for name in flat[1] if name not in required]
    return (properties, required) if properties else None


def _disagree(properties: Mapping[str, Json], others: Mapping[str, Json]) -> bool:
    return any(properties.get(name, each) != each for name, each in others.items())


def _part(part: Json, definitions: Definitions) -> tuple[Mapping[str, Json], list[str]] | None:
    """As `_flat()`; a part of an allOf may also hold nothing but required names or texts."""
    if is_object(part) and not (part.keys() - (_FLAT_KEYWORDS - {"type", "properties"})):
        return {}, part.get("required", [])
    return _flat(part, definitions)


def _is_plain_object(node: JsonObject) -> bool:
    kinds = node.get("type", "object")
    is_kind = kinds == "object" or (is_array(kinds) and "object" in kinds)
    others = {
        key
        for key, value in node.items()
        if key not in _FLAT_KEYWORDS and not (key == "additionalProperties" and value is False)
    }
    return is_kind and not others and bool(node.get("properties"))


def _named(arguments: list[_Argument]) -> dict[str, _Argument]:
    named: dict[str, _Argument] = {}
    for argument in arguments:
        location = "body" if argument.location.startswith("body") else argument.location
        name = argument.target or location
        candidate, count = name, 1
        while candidate in named:
            candidate = f"{location}_{name}" if count == 1 else f"{location}_{name}_{count}"
            count += 1
        named[candidate] = argument
    return named


def _dependent(
    named: Mapping[str, _Argument], groups: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    if not groups:
        return {}
    names = {each.target: name for name, each in named.items() if each.location == "body_property"}
    return {
        names[target]: [names[each] for each in required if each != target]
        for target, required in groups.items()
        if any(each != target for each in required)
    }
