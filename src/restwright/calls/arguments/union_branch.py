"""Of the alternatives of a schema, the one that a value was most likely meant for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from restwright.calls.arguments.cost import resolve_local_reference
from restwright.calls.schema_words import MAX_LIST_CHARS, list_values, preview_json
from restwright.calls.violation import ValuePath, Violation, Violations
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref

_OTHER_TYPE = frozenset({"type", "const", "enum", "falseSchema", "union"})
_CONSTANT = frozenset({"const", "enum"})
_MAX_CONSTANTS = 1_000
_MAX_DEPTH = 10


def choose_by_discriminator(node: JsonObject, value: Json, root: Json) -> tuple[Json, Violations]:
    """
    What the `discriminator` of a union says about a value that fits none of its alternatives.

    Args:
        root: The schema that references lead into.

    Returns:
        The alternative that was meant, None where it names none that exists; then the fault of the
        property that should name it, or nothing without a discriminator.

    Source: OAS 3.1.1, "Discriminator Object".
    """
    discriminator = node.get("discriminator")
    if not is_object(discriminator) or not is_object(value):
        return None, ()
    name = str(discriminator["propertyName"])
    known = _branches_by_value(node, name, discriminator.get("mapping", {}), root)
    given = value.get(name)
    if not known:
        return None, ()
    if isinstance(given, str) and given in known:
        return known[given], ()
    expected = f"one of {list_values(known)}" + ("" if name in value else " (required)")
    got = preview_json(given) if name in value else "nothing"
    return None, (Violation((name,), "union", expected, got, constants=tuple(known)),)


def _branches_by_value(
    node: JsonObject, name: str, mapping: JsonObject, root: Json
) -> Mapping[str, Json]:
    """
    `{value of the property: alternative}`.

    Only the constants of an alternative can be sent for it, whatever the document calls it; else
    the names that it is mapped to, or its own.
    """
    alternatives = [item for key in ("anyOf", "oneOf") for item in node.get(key, ())]
    found: dict[str, Json] = {}
    for alternative in alternatives:
        ref = find_ref(alternative)
        implicit = [ref.rpartition("/")[2]] if ref else []
        mapped = [value for value, target in mapping.items() if target == ref]
        constants = property_constants(alternative, name, root)
        told = mapped or implicit if constants is None else constants
        found.update((text, alternative) for text in told if isinstance(text, str))
    refs = {find_ref(item) for item in alternatives}
    others = {text: {"$ref": ref} for text, ref in mapping.items() if ref not in refs}
    return {**others, **found}


def property_constants(
    schema: Json, name: str, root: Json, depth: int = 0
) -> Sequence[Json] | None:
    """The only values that a schema allows for the property `name`; None where it says none."""
    if not is_object(schema) or depth > _MAX_DEPTH:
        return None
    declared = schema.get("properties", {}).get(name)
    if is_object(declared) and (told := _schema_constants(declared, root)) is not None:
        return told
    parts = [resolve_local_reference(schema.get("$ref"), root), *schema.get("allOf", ())]
    found = (property_constants(part, name, root, depth + 1) for part in parts)
    return next((sequence for sequence in found if sequence is not None), None)


def _schema_constants(schema: JsonObject, root: Json) -> Sequence[Json] | None:
    target = resolve_local_reference(schema.get("$ref"), root)
    for item in (schema, target):
        if is_object(item) and ("const" in item or "enum" in item):
            return [item["const"]] if "const" in item else item["enum"]
    return None


def explain_best_branch(branches: Sequence[Violations], value: Json) -> Violations:
    """The faults of the alternative that was most likely meant; of all where none stands out."""
    best = min(branches, key=branch_distance)
    other_type, other_kind, _ = branch_distance(best)
    together = [fault for faults in branches for fault in faults]
    if other_type:
        return (_merge_alternatives(together, (), value),)
    if other_kind:
        place = next(violation.path for violation in best if _tells_kind(violation))
        key: Json = place[0]
        given = value[key] if not is_object(value) or key in value else None
        return (_merge_alternatives(together, place, given),)
    return best


def branch_distance(faults: Violations) -> tuple[bool, int, int]:
    """How far a value is from a branch: of another type, of another kind, number of faults."""
    other_type = any(not fault.path and fault.keyword in _OTHER_TYPE for fault in faults)
    return other_type, sum(map(_tells_kind, faults)), len(faults)


def _tells_kind(fault: Violation) -> bool:
    """Whether a direct property, such as `type`, says that another branch is meant."""
    return len(fault.path) == 1 and fault.keyword in _CONSTANT


def _merge_alternatives(faults: Iterable[Violation], place: ValuePath, given: Json) -> Violation:
    """Put what the branches of a union expect at `place` into one fault."""
    there = [fault for fault in faults if fault.path == place]
    constants = tuple(value for branch in there for value in branch.constants)[:_MAX_CONSTANTS]
    parts = tuple(dict.fromkeys(part for branch in there for part in branch.parts))
    listed = [f"one of {list_values(constants)}"] if constants else []
    expected = " or ".join([*listed, *parts])[:MAX_LIST_CHARS] or "one of the alternatives"
    return Violation(
        place, "union", expected, preview_json(given), constants=constants, parts=parts
    )
