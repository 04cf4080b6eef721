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

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TypeAlias

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref, resolve_reference_token, split_pointer
from restwright.tools.schemas.definitions import Definitions
from restwright.tools.schemas.elision import (
    BARE,
    DETAILS,
    LEAN,
    LEFT_OUT_MARK,
    SHALLOW,
    WHOLE,
    Detail,
    build_stub,
    find_marks,
    join_lines,
    reduce_schema,
)
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.text.prose import shorten_text

DEFAULT_BUDGET = 16_000
"""Characters of a tool: its name, description and schema as JSON."""

_PREFIX = "#/$defs/"
_TRIES = 8
_NAMES = 400
# Budgets are rounded so far down, and limits up, that one search serves several operations.
_STEP = 256
_LIMIT_STEP = 2048
_KINDS = (b'"examples":', b'"title":', b'"description":', b'"deprecated":')
_REFERENCE = re.compile(r'"\$ref":"#/\$defs/([^"]+)"')
_MARKS_EXPLAINED = f"Parts marked {LEFT_OUT_MARK} exist, and may be given."
# Of a stub in `$defs`: quotes, braces, its type and the mark.
_STUB_COST = 52


@dataclass(frozen=True, slots=True)
class SchemaView:
    """A schema as a model reads it, and how much of each part it holds."""

    schema: JsonObject = field(repr=False)
    detail: Detail

    def left_out(self) -> tuple[str, ...]:
        """Kinds of texts, and JSON Pointers of the places where parts are left out."""
        return (*self.detail.left_out(), *find_marks(self.schema))


@dataclass(frozen=True, slots=True)
class _SizedSchema:
    """One schema at one detail: its size in characters, and the definitions that it refers to."""

    schema: Json
    size: int
    names: tuple[str, ...]
    kinds: tuple[bool, ...]


@dataclass(slots=True)
class VisibleSchemas:
    """
    The schemas of one document as models read them. Holds each definition that was shown so far.

    Args:
        definitions: In the form `shows`.
    """

    definitions: Definitions
    _parts: dict[Detail, dict[str, _SizedSchema]] = field(
        default_factory=dict[Detail, dict[str, _SizedSchema]], repr=False
    )
    _closures: dict[tuple[tuple[str, ...], Detail, int], tuple[list[str], int]] = field(
        default_factory=dict[tuple[tuple[str, ...], Detail, int], tuple[list[str], int]], repr=False
    )
    _selected: dict[tuple[object, ...], dict[str, Json]] = field(
        default_factory=dict[tuple[object, ...], dict[str, "Json"]], repr=False
    )
    _needed: dict[str, frozenset[str]] = field(
        default_factory=dict[str, frozenset[str]], repr=False
    )
    _stubs: dict[str, tuple[JsonObject, int]] = field(
        default_factory=dict[str, tuple[JsonObject, int]], repr=False
    )

    def render(
        self, root: JsonObject, *, budget: int = DEFAULT_BUDGET, lean: bool = False
    ) -> SchemaView:
        """
        A cleaned schema with the definitions that it needs, in at most `budget` characters.

        Args:
            root: In the form `shows`, without `$defs`.
            lean: Begin with what `LEAN` shows.
        """
        whole = _size_schema(root, WHOLE)
        if not lean and (shown := self._try_detail(whole, WHOLE, budget)):
            return shown
        least = self._try_detail(whole, LEAN, budget)
        if least is None:
            return self._truncate(root, budget)
        between = () if lean else DETAILS[1:-1]
        tried = (self._try_detail(whole, detail, budget) for detail in between)
        return next((shown for shown in tried if shown), least)

    def _try_detail(self, whole: _SizedSchema, detail: Detail, budget: int) -> SchemaView | None:
        """A schema at one detail with all definitions; None where that does not fit."""
        part = _reduce_sized(whole, detail)
        names, size = self._reachable(part.names, detail, budget)
        return self._assemble(part, names, detail) if part.size + size <= budget else None

    def _reachable(
        self, names: tuple[str, ...], detail: Detail, limit: int
    ) -> tuple[list[str], int]:
        """The definitions behind some, and the size of all; goes on at least to `limit`."""
        # Operations often differ in other things than what they refer to.
        limit += -limit % _LIMIT_STEP
        key = (names, detail, limit)
        if key not in self._closures:
            self._closures[key] = self._closure(names, detail, limit) if names else ([], 0)
        return self._closures[key]

    def _closure(self, names: tuple[str, ...], detail: Detail, limit: int) -> tuple[list[str], int]:
        parts = self._parts.setdefault(detail, {})
        found = set(names)
        waiting = list(names)
        size = len('"$defs":{},')
        while waiting and size <= limit:
            name = waiting.pop()
            part = parts.get(name) or self._definition(name, detail)
            size += part.size + len(name) + len('"":,')
            new = [text for text in part.names if text not in found]
            found.update(new)
            waiting += new
        return sorted(found), size

    def _assemble(self, root: _SizedSchema, names: list[str], detail: Detail) -> SchemaView:
        schema = root.schema
        if names:
            parts = self._parts[detail]
            definitions = {name: parts[name].schema for name in names}
            schema = {**schema, "$defs": definitions}
        return SchemaView(schema, detail)

    def _truncate(self, root: JsonObject, budget: int) -> SchemaView:
        """Leave out whole parts, until it fits."""
        room = budget - len(_MARKS_EXPLAINED) - len(',"description":"\\n"')
        # How large it is does not depend on the room, and takes longest.
        size = cache(partial(_size_schema, root))
        shown = self._truncate_with_note(root, room, size)
        for more in range(_TRIES):
            if (excess := len(to_json_bytes(shown.schema)) - budget) <= 0:
                break
            room -= excess + more * budget // 50
            shown = self._truncate_with_note(root, room, size)
        return shown

    def _truncate_with_note(self, root: JsonObject, room: int, size: _Sizes) -> SchemaView:
        shown = self._truncate_to(root, room, size)
        told = join_lines(shown.schema.get("description", ""), _MARKS_EXPLAINED)
        return SchemaView({**shown.schema, "description": told}, shown.detail)

    def _truncate_to(self, root: JsonObject, room: int, size: _Sizes) -> SchemaView:
        for detail in SHALLOW:
            part = size(detail)
            if part.size + _estimate_stubs(part.names) <= room:
                return SchemaView(self._select_nearest(part, detail, room), detail)
        return SchemaView(self._property_names_only(root, room), BARE)

    def _select_nearest(self, root: _SizedSchema, detail: Detail, room: int) -> JsonObject:
        """A schema with the definitions that fit: required ones first, then the nearest."""
        if not root.names:
            return root.schema
        room -= root.size + len('"$defs":{},') + _estimate_stubs(root.names)
        room -= room % _STEP
        names = tuple(_order_needed_first(root.names, _required_definitions(root.schema)))
        key = (names, detail, room)
        if key not in self._selected:
            self._selected[key] = self._fitting_definitions(names, detail, room)
        return {**root.schema, "$defs": self._selected[key]}

    def _fitting_definitions(
        self, names: tuple[str, ...], detail: Detail, room: int
    ) -> dict[str, Json]:
        """The definitions that fit, and stubs for the others that those refer to."""
        kept: dict[str, Json] = {}
        stubs: list[str] = []
        waiting, seen = deque(names), set(names)
        parts = self._parts.setdefault(detail, {})
        while waiting:
            name = waiting.popleft()
            part = parts.get(name) or self._definition(name, detail)
            new = [text for text in part.names if text not in seen]
            cost = part.size - _STUB_COST + (_estimate_stubs(new) if new else 0)
            if cost > room:
                stubs.append(name)
                continue
            room -= max(0, cost)
            kept[name] = part.schema
            seen.update(new)
            needed = self._needed_by(name) if new else frozenset[str]()
            waiting.extend(text for text in new if text not in needed)
            waiting.extendleft(text for text in reversed(new) if text in needed)
        kept |= self._stubs_within(stubs, room)
        return {name: kept[name] for name in sorted(kept)}

    def _stubs_within(self, names: list[str], room: int) -> dict[str, Json]:
        """What stands for definitions that did not fit; they name properties while that fits."""
        stubs: dict[str, Json] = {}
        for name in names:
            named, size = self._stub(name)
            is_room = size <= room
            room -= size if is_room else 0
            stubs[name] = named if is_room else {**named, "description": LEFT_OUT_MARK}
        return stubs

    def _stub(self, name: str) -> tuple[JsonObject, int]:
        """A stub that names the properties, and by how much it is larger than a bare one."""
        if name not in self._stubs:
            schema = self.definitions.resolve(self.definitions.definition(_PREFIX + name))
            bare = build_stub(schema)
            properties = schema.get("properties") if is_object(schema) else None
            named = bare
            if properties:
                names = shorten_text(f"{LEFT_OUT_MARK} properties: {', '.join(properties)}", _NAMES)
                named = {"type": "object", "description": names}
            self._stubs[name] = named, len(to_json_bytes(named)) - _STUB_COST
        return self._stubs[name]

    def _needed_by(self, name: str) -> frozenset[str]:
        if name not in self._needed:
            self._needed[name] = _required_definitions(self.definitions.definition(_PREFIX + name))
        return self._needed[name]

    def _property_names_only(self, root: JsonObject, room: int) -> JsonObject:
        """The last resort: the names of the properties, optional ones only while they fit."""
        properties: JsonObject = root.get("properties", {})
        required = set(root.get("required", ()))
        names = sorted(properties, key=lambda name: name not in required)
        kept: JsonObject = {}
        bare = {**reduce_schema(root, BARE), "properties": kept}
        size = len(to_json_bytes(bare))
        for name in names:
            schema = build_stub(properties[name])
            size += len(to_json_bytes({name: schema}))
            if size > room - len(LEFT_OUT_MARK) - 200 and name not in required:
                break
            kept[name] = schema
        left = [name for name in names if name not in kept]
        note = f"{LEFT_OUT_MARK} {len(left)} more inputs, from {left[0]!r} on" if left else ""
        return {**bare, "description": note}

    def part_at(self, root: JsonObject, pointer: str) -> Json:
        """
        The part of a schema at a JSON Pointer, as a schema of its own; references are passed.

        Args:
            root: As in `render()`.
            pointer: As it stands in `shows`: `/properties/filter`, `/$defs/Filter/properties/age`.

        Raises:
            UnresolvedReference: Nothing is there.
        """
        node: Json = root
        tokens = split_pointer(pointer)
        if tokens[:1] == ("$defs",) and len(tokens) > 1:
            node, tokens = self._definition_at(tokens[1], root, pointer), tokens[2:]
        for token in tokens:
            node = resolve_reference_token(self.definitions.resolve(node), token, pointer)
        return node

    def _definition_at(self, name: str, root: JsonObject, pointer: str) -> Json:
        # Others are of other tools, or left to a human.
        if name not in self.definitions.reachable_definitions(root):
            raise UnresolvedReference(pointer, f"there is no definition {name!r}")
        return self.definitions.definition(_PREFIX + name)

    def _definition(self, name: str, detail: Detail) -> _SizedSchema:
        parts = self._parts.setdefault(detail, {})
        if name not in parts:
            if detail == WHOLE:
                parts[name] = _size_schema(self.definitions.definition(_PREFIX + name), WHOLE)
            else:
                parts[name] = _reduce_sized(self._definition(name, WHOLE), detail)
        return parts[name]


_Sizes: TypeAlias = Callable[[Detail], _SizedSchema]


def _size_schema(schema: Json, detail: Detail) -> _SizedSchema:
    shown = reduce_schema(schema, detail)
    text = to_json_bytes(shown)
    # Names of definitions need no escapes; inside a text, quotes would have them.
    names = dict.fromkeys(_REFERENCE.findall(text.decode())) if b'"$ref":"#' in text else ()
    kinds = tuple(literal in text for literal in _KINDS)
    return _SizedSchema(shown, len(text), tuple(names), kinds)


def _reduce_sized(part: _SizedSchema, detail: Detail) -> _SizedSchema:
    """A part with no more than `detail`; itself where it holds nothing of what goes."""
    texts = (not detail.examples, not detail.titles, detail.sentence is not None)
    goes = (*texts, not detail.deprecated)
    is_less = any(gone and there for gone, there in zip(goes, part.kinds, strict=True))
    is_cut = detail.depth is not None or detail.values is not None
    return _size_schema(part.schema, detail) if is_less or is_cut else part


def _order_needed_first(names: Iterable[str], needed: frozenset[str]) -> list[str]:
    return sorted(names, key=lambda name: name not in needed)


def _required_definitions(schema: Json) -> frozenset[str]:
    """The definitions that a value of a schema cannot do without."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if not is_object(node):
            continue
        if (ref := find_ref(node)) is not None:
            found.add(ref.removeprefix(_PREFIX))
        properties = node.get("properties", {})
        waiting += [properties[name] for name in node.get("required", ()) if name in properties]
        waiting += [node["items"]] if "items" in node else []
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += node.get(keyword, ())
    return frozenset(found)


def _estimate_stubs(names: Sequence[str]) -> int:
    return sum(map(len, names)) + _STUB_COST * len(names)
