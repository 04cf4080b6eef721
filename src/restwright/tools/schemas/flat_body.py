"""A body laid out flat: the properties of a plain object become arguments of their own."""

from __future__ import annotations

from collections.abc import Mapping

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Operation
from restwright.tools.schemas.arguments import Argument, body_argument, is_body_human
from restwright.tools.schemas.definitions import Definitions
from restwright.tools.schemas.merge import merge_all_of, wrap_reference
from restwright.tools.text.media_types import body_media_type, body_schema

# What an object may say beside its properties and still be laid out flat. Anything else (oneOf,
# minProperties, additional properties of its own) is about the object as a whole.
_FLAT_KEYWORDS = frozenset(
    {
        *("type", "properties", "required", "title", "description", "deprecated", "format"),
        *("examples", "discriminator"),
    }
)
_REFERENCE = frozenset({"$ref", "title", "description", "deprecated", "examples"})


def flatten_body(
    operation: Operation, definitions: Definitions
) -> tuple[list[Argument], Mapping[str, list[str]]]:
    """
    The arguments of a body.

    Returns:
        `(arguments, {property: properties that it needs once it is given})`; a body that is no
        plain object is the one argument `body`.
    """
    body, media_type = operation.request_body, body_media_type(operation)
    if body is None or media_type is None:
        return [], {}
    flat = _flatten_object(_resolve_object(definitions.clean(body_schema(media_type)), definitions))
    if flat is None or is_body_human(body, media_type, definitions):
        whole = body_argument(operation, definitions)
        return [whole] if whole else [], {}
    properties, required = flat
    arguments = [
        Argument(
            target=name,
            location="body_property",
            schema=each,
            required=body.required and name in required,
        )
        for name, each in properties.items()
    ]
    # A body that may be left out needs its required properties only when it is there.
    return arguments, {} if body.required or not required else dict.fromkeys(properties, required)


def _resolve_object(schema: Json, definitions: Definitions) -> Json:
    """The object behind references, with its `allOf` merged; True for a circle."""
    seen: set[str] = set()
    node = schema
    while is_object(node):
        if "$ref" in node and not node.keys() <= _REFERENCE:
            node = wrap_reference(node)
        if "allOf" in node:
            node = merge_all_of(node, definitions.definition_to_merge)
        # What `allOf` came down to may be a reference with texts of its own.
        ref = node.get("$ref")
        if not isinstance(ref, str) or not node.keys() <= _REFERENCE:
            return node
        if ref in seen:
            return True
        seen.add(ref)
        node = definitions.definition(ref)
    return node


def _flatten_object(node: Json) -> tuple[Mapping[str, Json], list[str]] | None:
    """Properties and required names of a plain object; None where it is none."""
    if not is_object(node) or not _is_plain_object(node):
        return None
    properties: JsonObject = node.get("properties", {})
    required: list[str] = node.get("required", [])
    # A name may be required without a schema: any value will do for it.
    missing = {name: True for name in required if name not in properties}
    return {**properties, **missing}, required


def _is_plain_object(node: JsonObject) -> bool:
    kinds = node.get("type", "object")
    is_kind = kinds == "object" or (is_array(kinds) and "object" in kinds)
    others = {
        key
        for key, value in node.items()
        if key not in _FLAT_KEYWORDS and not (key == "additionalProperties" and value is False)
    }
    return is_kind and not others and bool(node.get("properties"))
