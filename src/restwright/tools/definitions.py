"""
The schemas of a document, cleaned: each component once, whoever refers to it.

A cleaned schema is JSON Schema 2020-12 that holds only what a validator or a model can use; its
references are `#/$defs/Name`, and `Definitions.reachable` gives the definitions behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from restwright.errors import UnresolvedReference
from restwright.openapi.references import lookup, ref_of, tokens_of
from restwright.openapi.upgrade import upgraded
from restwright.tools.keywords import (
    LIST_KEYWORDS,
    MAP_KEYWORDS,
    SCHEMA_KEYWORDS,
    is_pattern,
    repaired,
)
from restwright.tools.naming import cleaned as cleaned_name
from restwright.tools.naming import digits
from restwright.typing import Json, JsonObject, is_array, is_object

Direction = Literal["request", "response"]

_PREFIX = "#/$defs/"
_COMPONENT = re.compile(r"#/components/schemas/([A-Za-z0-9._-]+)")
_READABLE = 40
# Properties that do not belong in one direction (OAS 3.1.1 "Schema Object": readOnly, writeOnly).
_FOREIGN = {"request": "readOnly", "response": "writeOnly"}


@dataclass(slots=True)
class Definitions:
    """
    The cleaned components of one document, for one direction. Holds what was cleaned so far.

    Args:
        document: What `$ref`s point into.
        direction: `request` leaves out read-only properties, `response` write-only ones.
    """

    document: JsonObject = field(repr=False)
    direction: Direction = "request"
    _names: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _refs: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _cleaned: dict[str, Json] = field(default_factory=dict[str, "Json"], repr=False)
    _links: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]], repr=False
    )

    def cleaned(self, schema: Json) -> Json:
        """A schema of the document in its clean form; subschemas included, references kept."""
        if isinstance(schema, bool):
            return schema
        if not is_object(schema):
            return True
        node = upgraded(schema)
        kept: JsonObject = {}
        if (ref := ref_of(node)) is not None and (target := self._target(ref)) is not None:
            kept["$ref"] = target
        for keyword, value in node.items():
            if keyword in {"const", "default"}:
                kept[keyword] = value  # null is a value like others for these two
            elif (clean := self._keyword(keyword, value)) is not None:
                kept[keyword] = clean
        self._drop_foreign(kept, node)
        return kept

    def definition(self, ref: str) -> Json:
        """The cleaned schema that a cleaned `$ref` (`#/$defs/Name`) points at."""
        name = ref.removeprefix(_PREFIX)
        if name not in self._cleaned:
            # Set first, so that a schema that refers to itself finds an end.
            self._cleaned[name] = True
            self._cleaned[name] = self.cleaned(lookup(self.document, self._refs[name]))
        return self._cleaned[name]

    def resolved(self, schema: Json) -> Json:
        """`schema` or, where it is nothing but a reference, what it leads to; True for a circle."""
        seen: set[str] = set()
        while (ref := ref_of(schema)) is not None and len(schema) == 1:
            if ref in seen:
                return True
            seen.add(ref)
            schema = self.definition(ref)
        return schema

    def reachable(self, schema: Json) -> JsonObject:
        """`{name: definition}` of everything that a cleaned schema refers to, sorted by name."""
        found: dict[str, Json] = {}
        waiting = list(references_in(schema))
        while waiting:
            ref = waiting.pop()
            if ref not in found:
                found[ref] = self.definition(ref)
                waiting.extend(self._references(ref))
        return {ref.removeprefix(_PREFIX): found[ref] for ref in sorted(found)}

    def _references(self, ref: str) -> tuple[str, ...]:
        if ref not in self._links:
            self._links[ref] = tuple(dict.fromkeys(references_in(self.definition(ref))))
        return self._links[ref]

    def _target(self, ref: str) -> str | None:
        """`#/$defs/Name` for a reference of the document; None where it leads nowhere."""
        if ref not in self._names:
            try:
                lookup(self.document, ref)
            except UnresolvedReference:
                self._names[ref] = ""
            else:
                self._names[ref] = name = _definition_name(ref)
                self._refs[name] = ref
        name = self._names[ref]
        return _PREFIX + name if name else None

    def _keyword(self, keyword: str, value: Json) -> Json:
        """The clean value of a keyword; None where it has none."""
        if keyword in SCHEMA_KEYWORDS:
            return self.cleaned(value) if is_object(value) or isinstance(value, bool) else None
        if keyword in LIST_KEYWORDS:
            return [self.cleaned(each) for each in value] or None if is_array(value) else None
        if keyword in MAP_KEYWORDS and is_object(value):
            return {
                name: self.cleaned(each)
                for name, each in value.items()
                if keyword != "patternProperties" or is_pattern(name)
            }
        return repaired(keyword, value)

    def _drop_foreign(self, kept: JsonObject, node: JsonObject) -> None:
        """Leave out the properties of the other direction; they are not required either."""
        properties = node.get("properties")
        flag = _FOREIGN[self.direction]
        foreign = {
            name
            for name, each in (properties.items() if is_object(properties) else ())
            if is_object(each) and repaired(flag, each.get(flag))
        }
        if foreign:
            kept["properties"] = {
                name: each for name, each in kept["properties"].items() if name not in foreign
            }
            _keep_required(kept, [each for each in kept.get("required", ()) if each not in foreign])


def _definition_name(ref: str) -> str:
    """The component's own name where it is one and legal, else a readable part and a hash."""
    if (match := _COMPONENT.fullmatch(ref)) is not None:
        return match[1]
    tokens = tokens_of(unquote(ref.removeprefix("#")))
    readable = cleaned_name(tokens[-1] if tokens else "")[:_READABLE]
    return f"{readable}_{digits(ref)}".lstrip("_")


def _keep_required(schema: JsonObject, names: list[str]) -> None:
    schema.pop("required", None)
    if names:
        schema["required"] = names


def references_in(schema: Json) -> Iterator[str]:
    """Every `$ref` in a cleaned schema, in document order, `$defs` left out."""
    if not is_object(schema):
        return
    if (ref := ref_of(schema)) is not None:
        yield ref
    for child in subschemas(schema):
        yield from references_in(child)


def subschemas(schema: JsonObject) -> Iterator[Json]:
    """The schemas right below one cleaned schema."""
    for keyword, value in schema.items():
        if keyword in SCHEMA_KEYWORDS:
            yield value
        elif keyword in LIST_KEYWORDS:
            yield from value
        elif keyword in MAP_KEYWORDS:
            yield from value.values()
