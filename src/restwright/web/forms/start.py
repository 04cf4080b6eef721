"""What a form begins with."""

from __future__ import annotations

from restwright.jsontypes import JsonObject, is_array, is_object
from restwright.web.forms.draft import ABSENT, Draft
from restwright.web.forms.shape import Shape, find_shape


def make_start(schema: JsonObject, *, fill: bool = False) -> JsonObject:
    """
    What a form begins with: defaults and examples of what must be given.

    Args:
        fill: Of everything that has one.
    """
    started = _start(find_shape(schema, schema), schema, fill=fill)
    return started if is_object(started) else {}


def _start(shape: Shape, root: JsonObject, *, fill: bool) -> Draft:
    example = find_example(shape.schema)
    if example is not ABSENT:
        return example
    if shape.kind == "options" and len(shape.options) == 1:
        return shape.options[0]
    if shape.kind != "object":
        return ABSENT
    members: dict[str, Draft] = {}
    for key, schema in shape.members.items():
        if fill or key in shape.required:
            found = _start(shape.find_part(schema, root), root, fill=fill)
            if found is not ABSENT:
                members[key] = found
    return members if members or shape.depth == 0 else ABSENT


def find_example(schema: JsonObject) -> Draft:
    """The default of a schema, else its first example; `ABSENT` where it has none."""
    if "default" in schema:
        return schema["default"]
    examples = schema.get("examples")
    if is_array(examples) and examples:
        return examples[0]
    return schema.get("example", ABSENT)
