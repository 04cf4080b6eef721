"""Definitions that require themselves: no value of them ends, and some readers refuse them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.dialects.rewriter import add_note, definition_name, format_keyword_line


def break_required_cycles(schema: JsonObject) -> JsonObject:
    """
    `schema` with its cycles of required properties opened: what leads back is optional, and said.

    A definition that is a list or a choice of itself, without a property between, ends there.

    Args:
        schema: With its `$defs`, each `$ref` of which leads to one of them.
    """
    for open_ in (_open_cycle, _cut_lists_and_choices):
        cycles = _find_cycles(schema.get("$defs", {}))
        if not cycles:
            break
        definitions = {
            name: open_(each, cycles[name]) if name in cycles else each
            for name, each in schema["$defs"].items()
        }
        schema = {**schema, "$defs": definitions}
    return schema


def _find_cycles(definitions: JsonObject) -> dict[str, set[str]]:
    """Each definition that requires itself, with those that it requires and that lead back."""
    needs = {name: frozenset(_needed_definitions(each)) for name, each in definitions.items()}
    reached = {name: _reachable_definitions(name, needs) for name, found in needs.items() if found}
    endless = {name: found for name, found in reached.items() if name in found}
    return {
        name: {item for item in found if name in endless.get(item, ())}
        for name, found in endless.items()
    }


def _needed_definitions(schema: Json) -> Iterator[str]:
    """Definitions that any value leads to; what only one alternative leads to counts too."""
    if not is_object(schema):
        return
    if (ref := find_ref(schema)) is not None:
        yield definition_name(ref)
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        if name in required:
            yield from _needed_definitions(each)
    for nested_schema in _nested_schemas(schema):
        yield from _needed_definitions(nested_schema)


def _nested_schemas(schema: JsonObject) -> Iterator[Json]:
    yield schema.get("items")
    yield schema.get("additionalProperties")
    yield from schema.get("anyOf", ())
    yield from schema.get("prefixItems", ())


def _reachable_definitions(name: str, needs: Mapping[str, frozenset[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [*needs[name]]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += needs.get(each, ())
    return found


def _open_cycle(schema: JsonObject, back: set[str]) -> JsonObject:
    """A definition whose required properties no longer lead back to it."""
    named: JsonObject = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    gone = [name for name in required if _leads_back(named.get(name), back)]
    kept = dict(schema)
    if gone:
        kept["required"] = [name for name in required if name not in gone]
        kept = add_note(kept, format_keyword_line("required", gone))
        if not kept["required"]:
            del kept["required"]
    for keyword in ("anyOf", "prefixItems"):
        if keyword in kept:
            kept[keyword] = [_open_cycle(branch, back) for branch in kept[keyword]]
    for keyword in ("items", "additionalProperties"):
        if is_object(kept.get(keyword)):
            kept[keyword] = _open_cycle(kept[keyword], back)
    return kept


def _cut_lists_and_choices(schema: JsonObject, back: set[str]) -> JsonObject:
    """A definition without the lists and the choices that lead back to it."""
    if _leads_back({"$ref": schema.get("$ref")}, back):
        return {"description": format_keyword_line("$ref", schema["$ref"])}
    kept = dict(schema)
    for keyword in ("items", "additionalProperties"):
        if _leads_back(kept.get(keyword), back):
            kept = add_note(kept, format_keyword_line(keyword, kept[keyword]))
            kept[keyword] = {}
    for keyword in ("anyOf", "prefixItems"):
        if any(_leads_back(branch, back) for branch in kept.get(keyword, ())):
            kept = add_note(kept, format_keyword_line(keyword, kept.pop(keyword)))
    return kept


def _leads_back(schema: Json, back: set[str]) -> bool:
    return not back.isdisjoint(_needed_definitions(schema))
