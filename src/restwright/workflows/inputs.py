"""The inputs of workflows as the JSON Schema of a tool's arguments."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.jsontypes import Json, JsonObject, is_array, is_object

OWN, TARGET = "#/components/inputs/", "#/components/schemas/"
_MAX_DEPTH = 20


def read_inputs(written: Json, components: JsonObject, used: Iterable[str]) -> JsonObject:
    """
    The schema of a workflow's inputs: an object, whose properties stand at its top.

    Args:
        written: `inputs` as they stand there; None for none.
        components: `components.inputs`, which references lead to.
        used: Names that expressions ask for; those that are not declared are added, of any type.
    """
    schema: JsonObject = {"type": "object", "properties": {}}
    for part in _parts(written, components, _MAX_DEPTH):
        for name, value in part.items():
            if name == "properties" and is_object(value):
                schema["properties"] |= value
            elif name == "required" and is_array(value):
                schema["required"] = [*schema.get("required", []), *value]
            elif name not in {"$ref", "allOf", "type", "properties", "required"}:
                schema[name] = value
    for name in used:
        schema["properties"].setdefault(name, {})
    return rename_references(schema)


def rename_references(schema: Json) -> Json:
    """A schema whose references lead to where the inputs stand in the document of the tools."""
    if is_object(schema):
        return {
            name: f"{TARGET}{value.removeprefix(OWN)}"
            if name == "$ref" and isinstance(value, str) and value.startswith(OWN)
            else rename_references(value)
            for name, value in schema.items()
        }
    return [rename_references(item) for item in schema] if is_array(schema) else schema


def _parts(written: Json, components: JsonObject, depth: int) -> Iterable[JsonObject]:
    """A schema and all that it is put together from, what it refers to first."""
    if not is_object(written) or not depth:
        return
    reference = written.get("$ref")
    if isinstance(reference, str) and reference.startswith(OWN):
        yield from _parts(components.get(reference.removeprefix(OWN)), components, depth - 1)
    members = written.get("allOf")
    for member in members if is_array(members) else ():
        yield from _parts(member, components, depth - 1)
    yield written
