"""
What a model reads of a schema, held under a number of characters.

What matters least goes first, for the whole tool at once, and only as far as needed:

1. examples
2. titles
3. descriptions after their first sentence
4. deprecated properties that are not required
5. deep parts: definitions that no longer fit, optional ones and those farthest from the top first;
   then optional properties that are objects or lists, the deepest first
6. descriptions
7. values of enumerations after the first 20
8. optional properties of the top

Everything that goes is marked where it stood with `[left out]` and can be asked for by its JSON
Pointer; what is required, or constrains what is shown, stays until nothing else is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from restwright.errors import UnresolvedReference
from restwright.openapi.references import member_at, ref_of, tokens_of
from restwright.tools.definitions import Definitions, subschemas
from restwright.tools.detail import (
    BARE,
    DETAILS,
    LEAN,
    MARK,
    SHALLOW,
    Detail,
    is_stub,
    joined,
    marked,
    reduced,
    stub,
)
from restwright.tools.texts import shortened
from restwright.tools.written import written
from restwright.typing import Json, JsonObject, is_object

BUDGET = 16_000
"""Characters of a tool: its name, description and schema as JSON."""

_PREFIX = "#/$defs/"
_TRIES = 4
_NAMES = 400
_MARKS_EXPLAINED = f"Parts marked {MARK} can be asked for by their JSON Pointer."
# Of a stub in `$defs`: quotes, braces, its type and the mark.
_STUB_COST = 52


@dataclass(frozen=True, slots=True)
class Shown:
    """A schema as a model reads it, and how much of each part it holds."""

    schema: JsonObject = field(repr=False)
    detail: Detail

    def left_out(self) -> tuple[str, ...]:
        """Kinds of texts, and JSON Pointers of the places where parts are left out."""
        return (*self.detail.left_out(), *marked(self.schema))


@dataclass(frozen=True, slots=True)
class _Part:
    """One definition at one detail: its size in characters, and where it leads."""

    schema: Json
    size: int
    links: Mapping[str, bool]


@dataclass(slots=True)
class Shows:
    """
    The schemas of one document as models read them. Holds each definition that was shown so far.

    Args:
        definitions: In the form `shows`.
    """

    definitions: Definitions
    _parts: dict[tuple[str, Detail], _Part] = field(
        default_factory=dict[tuple[str, Detail], _Part], repr=False
    )

    def within(self, root: JsonObject, *, budget: int = BUDGET, lean: bool = False) -> Shown:
        """
        A cleaned schema with the definitions that it needs, in at most `budget` characters.

        Args:
            root: In the form `shows`, without `$defs`.
            lean: Begin with what `LEAN` shows.
        """
        for detail in (LEAN,) if lean else DETAILS:
            part = _part(root, detail)
            names = self._closure(part, detail, budget - part.size)
            if names is not None:
                return self._whole(part, names, detail)
        return self._cut(root, budget)

    def _closure(self, root: _Part, detail: Detail, room: int) -> list[str] | None:
        """The definitions behind a schema; None where they do not fit."""
        found = dict.fromkeys(root.links)
        waiting = list(found)
        room -= len('"$defs":{},') if found else 0
        while waiting and room >= 0:
            name = waiting.pop()
            part = self._definition(name, detail)
            room -= part.size + len(name) + len('"":,')
            new = [each for each in part.links if each not in found]
            found.update(dict.fromkeys(new))
            waiting += new
        return sorted(found) if room >= 0 else None

    def _whole(self, root: _Part, names: list[str], detail: Detail) -> Shown:
        schema = root.schema
        if names:
            definitions = {name: self._definition(name, detail).schema for name in names}
            schema = {**schema, "$defs": definitions}
        return Shown(schema, detail)

    def _cut(self, root: JsonObject, budget: int) -> Shown:
        """Leave out whole parts, until it fits."""
        room, schema = budget, self._explained(root, budget)
        for _ in range(_TRIES):
            if (excess := len(written(schema)) - budget) <= 0:
                break
            room -= excess
            schema = self._explained(root, room)
        return Shown(schema, LEAN)

    def _explained(self, root: JsonObject, room: int) -> JsonObject:
        shown = self._cut_to(root, room)
        return {**shown, "description": joined(shown.get("description", ""), _MARKS_EXPLAINED)}

    def _cut_to(self, root: JsonObject, room: int) -> JsonObject:
        for detail in SHALLOW:
            part = _part(root, detail)
            if part.size + _stubs_cost(part.links) <= room:
                return self._nearest(part, detail, room)
        return self._inputs(root, room)

    def _nearest(self, root: _Part, detail: Detail, room: int) -> JsonObject:
        """A schema with the definitions that fit: required ones first, then the nearest."""
        room -= root.size + len('"$defs":{},')
        kept: dict[str, Json] = {}
        waiting = deque(sorted(root.links, key=lambda name: not root.links[name]))
        seen = dict.fromkeys(waiting)
        room -= _stubs_cost(seen)
        while waiting:
            name = waiting.popleft()
            part = self._definition(name, detail)
            new = {each: required for each, required in part.links.items() if each not in seen}
            cost = part.size - _STUB_COST + _stubs_cost(new)
            if cost > room:
                kept[name] = stub(part.schema)
                continue
            room -= max(0, cost)
            kept[name] = part.schema
            seen.update(dict.fromkeys(new))
            waiting.extend(each for each, required in new.items() if not required)
            waiting.extendleft(each for each, required in reversed(new.items()) if required)
        self._name_properties(kept, room)
        return {**root.schema, "$defs": dict(sorted(kept.items()))} if kept else root.schema

    def _name_properties(self, definitions: dict[str, Json], room: int) -> None:
        """Let stubs say which properties they stand for, while that fits."""
        for name, each in definitions.items():
            named = self._naming(name) if is_stub(each) else None
            if named is None:
                continue
            room -= len(written(named)) - len(written(each))
            if room < 0:
                break
            definitions[name] = named

    def _naming(self, name: str) -> JsonObject | None:
        """A stub that names the properties of what it stands for; None where there are none."""
        schema = self.definitions.resolved(self.definitions.definition(_PREFIX + name))
        properties = schema.get("properties") if is_object(schema) else None
        if not properties:
            return None
        names = shortened(f"{MARK} properties: {', '.join(properties)}", _NAMES)
        return {"type": "object", "description": names}

    def _inputs(self, root: JsonObject, room: int) -> JsonObject:
        """The last resort: the names of the properties, optional ones only while they fit."""
        properties: JsonObject = root.get("properties", {})
        required = set(root.get("required", ()))
        names = sorted(properties, key=lambda name: name not in required)
        kept: JsonObject = {}
        size = len(written({**reduced(root, BARE), "properties": {}}))
        for name in names:
            schema = stub(properties[name])
            size += len(written({name: schema}))
            if size > room - len(MARK) - 200 and name not in required:
                break
            kept[name] = schema
        left = [name for name in names if name not in kept]
        note = f"{MARK} {len(left)} more inputs, from {left[0]!r} on" if left else ""
        whole = {**reduced(root, BARE), "properties": kept, "description": note}
        # What depends on inputs that are not shown would only confuse.
        return {key: each for key, each in whole.items() if key != "dependentRequired"}

    def at(self, root: JsonObject, pointer: str) -> Json:
        """
        The part of a schema at a JSON Pointer, as a schema of its own; references are passed.

        Args:
            root: As in `within()`.
            pointer: As it stands in `shows`: `/properties/filter`, `/$defs/Filter/properties/age`.

        Raises:
            UnresolvedReference: Nothing is there.
        """
        node: Json = root
        tokens = tokens_of(pointer)
        if tokens[:1] == ("$defs",) and len(tokens) > 1:
            node, tokens = self._named(tokens[1], pointer), tokens[2:]
        for token in tokens:
            node = member_at(self.definitions.resolved(node), token, pointer)
        return node

    def _named(self, name: str, pointer: str) -> Json:
        if not self.definitions.has(name):
            raise UnresolvedReference(pointer, f"there is no definition {name!r}")
        return self.definitions.definition(_PREFIX + name)

    def _definition(self, name: str, detail: Detail) -> _Part:
        key = (name, detail)
        if key not in self._parts:
            self._parts[key] = _part(self.definitions.definition(_PREFIX + name), detail)
        return self._parts[key]


def _part(schema: Json, detail: Detail) -> _Part:
    shown = reduced(schema, detail)
    text = written(shown)
    links: dict[str, bool] = {}
    if b'"$ref"' in text:
        for name, required in _links(shown, is_required=True):
            links[name] = links.get(name, False) or required
    return _Part(shown, len(text), links)


def _links(schema: Json, *, is_required: bool) -> Iterator[tuple[str, bool]]:
    """`(definition, whether a value needs it)` of every reference in a schema."""
    if not is_object(schema):
        return
    if (ref := ref_of(schema)) is not None:
        yield ref.removeprefix(_PREFIX), is_required
    names = set(schema.get("required", ()))
    for name, each in schema.get("properties", {}).items():
        yield from _links(each, is_required=is_required and name in names)
    rest = {key: value for key, value in schema.items() if key != "properties"}
    for each in subschemas(rest):
        yield from _links(each, is_required=is_required and "items" not in schema)


def _stubs_cost(names: Mapping[str, object]) -> int:
    return sum(len(name) for name in names) + _STUB_COST * len(names)
