"""Definitions that require themselves: no value of them ends, and some readers refuse them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from restwright.openapi.references import ref_of
from restwright.tools.rewriting import line, name_of, noted
from restwright.typing import Json, JsonObject, is_object


def without_endless(schema: JsonObject) -> JsonObject:
    """
    `schema` with its cycles of required properties opened: what leads back is optional, and said.

    Args:
        schema: With its `$defs`, each `$ref` of which leads to one of them.
    """
    definitions: JsonObject = schema.get("$defs", {})
    needs = {name: frozenset(_needed(each)) for name, each in definitions.items()}
    endless = {name for name in needs if name in _reached(name, needs)}
    if not endless:
        return schema
    opened = {
        name: _opened(each, endless) if name in endless else each
        for name, each in definitions.items()
    }
    return {**schema, "$defs": opened}


def _needed(schema: Json) -> Iterator[str]:
    """Definitions that any value leads to; what only one alternative leads to counts too."""
    if not is_object(schema):
        return
    if (ref := ref_of(schema)) is not None:
        yield name_of(ref)
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        if name in required:
            yield from _needed(each)
    for each in _others(schema):
        yield from _needed(each)


def _others(schema: JsonObject) -> Iterator[Json]:
    yield schema.get("items")
    yield schema.get("additionalProperties")
    yield from schema.get("anyOf", ())
    yield from schema.get("prefixItems", ())


def _reached(name: str, needs: Mapping[str, frozenset[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [*needs[name]]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += needs.get(each, ())
    return found


def _opened(schema: JsonObject, endless: set[str]) -> JsonObject:
    """A definition whose required properties no longer lead into a cycle."""
    named: JsonObject = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    gone = [name for name in required if not endless.isdisjoint(_needed(named.get(name)))]
    kept = dict(schema)
    if gone:
        kept["required"] = [name for name in required if name not in gone]
        kept = noted(kept, line("required", gone))
        if not kept["required"]:
            del kept["required"]
    for keyword in ("anyOf", "prefixItems"):
        if keyword in kept:
            kept[keyword] = [_opened(each, endless) for each in kept[keyword]]
    for keyword in ("items", "additionalProperties"):
        if is_object(kept.get(keyword)):
            kept[keyword] = _opened(kept[keyword], endless)
    return _unbound(kept, endless)


def _unbound(schema: JsonObject, endless: set[str]) -> JsonObject:
    """A definition that leads into a cycle by itself, such as a list of itself, ends there."""
    kept = dict(schema)
    for keyword in ("items", "additionalProperties"):
        if not endless.isdisjoint(_needed(kept.get(keyword))):
            kept = noted(kept, line(keyword, kept[keyword]))
            kept[keyword] = {}
    for keyword in ("anyOf", "prefixItems"):
        if keyword in kept and not endless.isdisjoint(*map(_needed, kept[keyword])):
            kept = noted(kept, line(keyword, kept.pop(keyword)))
    return kept
