"""JSON Schemas of what functions take and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError, to_jsonable_python

from restwright.errors import UsageError
from restwright.jsontypes import Json, JsonObject
from restwright.tools.functions.signature import FunctionSignature

_COMPONENT = "#/components/schemas/"


class FunctionSchemas(NamedTuple):
    """The schemas of one function."""

    parameters: JsonObject
    output: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerSchemas:
    """
    The schemas of functions that stand beside each other.

    Args:
        functions: In the order of the functions.
        components: `{name: schema}` of the types that several parts of them refer to.
    """

    functions: Sequence[FunctionSchemas]
    components: Mapping[str, JsonObject]


class _Untitled(GenerateJsonSchema):
    """Without the titles that say the name of a field again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        del schema
        return False


def build_function_schemas(signatures: Sequence[FunctionSignature]) -> ControllerSchemas:
    """
    Make the schemas of functions, in which a type has one name.

    Raises:
        UsageError: A type has no schema.
    """
    for signature in signatures:
        _check_schema(signature.arguments, "validation", signature.name)
        _check_schema(signature.output, "serialization", f"{signature.name}(...) ->")
    wanted: list[tuple[int, Any, TypeAdapter[Any]]] = []
    for number, signature in enumerate(signatures):
        wanted.append((number, "validation", signature.arguments))
        wanted.append((number, "serialization", signature.output))
    schemas, definitions = TypeAdapter.json_schemas(
        wanted, ref_template=f"{_COMPONENT}{{model}}", schema_generator=_Untitled
    )
    components: dict[str, JsonObject] = definitions.get("$defs", {})
    functions = [
        FunctionSchemas(
            _describe_parameters(
                signature, _take_component(schemas[number, "validation"], components)
            ),
            schemas[number, "serialization"],
        )
        for number, signature in enumerate(signatures)
    ]
    return ControllerSchemas(functions=functions, components=components)


def _check_schema(adapter: TypeAdapter[Any], mode: Any, where: str) -> None:
    try:
        adapter.json_schema(mode=mode)
    except PydanticInvalidForJsonSchema as error:
        why = str(error).partition("\n")[0]
        raise UsageError(f"a type has no JSON Schema: {why}", where) from None


def _take_component(schema: JsonObject, components: dict[str, JsonObject]) -> JsonObject:
    """The schema of all arguments, which nothing else refers to, in its own place."""
    reference = schema.get("$ref", "")
    return components.pop(reference.removeprefix(_COMPONENT)) if reference else schema


def _describe_parameters(signature: FunctionSignature, schema: JsonObject) -> JsonObject:
    """With what the docstring and the defaults say; what an annotation says holds before it."""
    if signature.mark.parameters is not None:
        return signature.mark.parameters
    described: dict[str, Json] = {}
    for name, own in schema.get("properties", {}).items():
        more: JsonObject = {}
        if "description" not in own and (text := signature.docs.parameters.get(name)):
            more["description"] = text
        if "default" not in own and name in signature.defaults:
            more |= _write_default(signature.defaults[name])
        described[name] = {**own, **more}
    whole = {key: value for key, value in schema.items() if key != "title"}
    return {**whole, "properties": described}


def _write_default(default: Any) -> JsonObject:
    """A default as a model is told of it; Python's own holds, which may be no JSON."""
    try:
        return {"default": to_jsonable_python(default)}
    except PydanticSerializationError:
        return {}
