"""
Whose a place in the arguments is, where a model fills in one part and a human the other.

What both halves of a tool's arguments describe holds parts of both. What only one half describes is
its own, with all that is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref, split_pointer
from restwright.tools.human_inputs import ArgumentHalf, ArgumentHalves

HIDDEN_VALUE = "a value"
"""Stands for what a human gave, wherever a model may read it."""

ValuePath = tuple[str | int, ...]
_NULL = {"type": "null"}
MAX_DEPTH = 100
"""Levels of a value below which nobody looks for parts of the other side."""


@dataclass(frozen=True, slots=True)
class HalfSchema:
    """A place in the schema of one half; `definitions` are all of that schema."""

    schema: Json = field(repr=False)
    definitions: JsonObject = field(repr=False)

    def member(self, key: str | int) -> HalfSchema | None:
        """The place of a property or an element; None where this half has none."""
        node = self._resolved()
        further = node.get("items", node.get("additionalProperties", True))
        found = node.get("properties", {}).get(key, further)
        return None if found is None or found is False else replace(self, schema=found)

    def _resolved(self) -> JsonObject:
        """What references lead to, and what null is the only alternative of."""
        schema, seen = self.schema, set[str]()
        while is_object(schema):
            ref, branches = find_ref(schema), schema.get("anyOf", schema.get("oneOf", ()))
            others = [branch for branch in branches if branch != _NULL]
            if ref is not None and ref not in seen:
                seen.add(ref)
                schema = self.definitions.get(ref.rpartition("/")[2])
            elif ref is None and len(others) == 1:
                schema = others[0]
            else:
                break
        return schema if is_object(schema) else {}


def schema_from_half(half: ArgumentHalf) -> HalfSchema:
    """The whole of one half."""
    return HalfSchema(half.checks, half.checks.get("$defs", {}))


def find_foreign_paths(
    value: Json, half: HalfSchema, other: HalfSchema, path: ValuePath = ()
) -> Iterator[ValuePath]:
    """The places in `value` that belong to the other side alone, the outermost only."""
    if len(path) > MAX_DEPTH:
        return
    for key, each in _list_members(value):
        theirs = other.member(key)
        if theirs is None:
            continue
        ours = half.member(key)
        if ours is None:
            yield (*path, key)
        else:
            yield from find_foreign_paths(each, ours, theirs, (*path, key))


def _list_members(value: Json) -> Iterable[tuple[str | int, Json]]:
    if is_object(value):
        return value.items()
    return enumerate(value) if is_array(value) else ()


def hide_human_values(
    separated: ArgumentHalves | None, mismatches: Iterable[Mismatch]
) -> tuple[Mismatch, ...]:
    """`mismatches` without the values of what a human fills in, or of what holds such a part."""
    if separated is None or separated.human is None:
        return tuple(mismatches)
    model, human = schema_from_half(separated.model), schema_from_half(separated.human)
    return tuple(
        hide_value(mismatch) if _may_reveal(mismatch.pointer, model, human) else mismatch
        for mismatch in mismatches
    )


def hide_value(mismatch: Mismatch) -> Mismatch:
    """`mismatch`, not saying what was given."""
    return mismatch if mismatch.got == "nothing" else replace(mismatch, got=HIDDEN_VALUE)


def _may_reveal(pointer: str, model: HalfSchema, human: HalfSchema) -> bool:
    for token in split_pointer(pointer):
        ours, theirs = model.member(token), human.member(token)
        if theirs is None:
            # A name that nobody has may be a misspelt one of the human's.
            return ours is None
        if ours is None:
            return True
        model, human = ours, theirs
    return True
