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
from dataclasses import dataclass, field, replace



from restwright.errors import UnresolvedReference
from restwright.openapi.references import member_at, pointer_of, ref_of, tokens_of
from restwright.tools.definitions import Definitions, subschemas
from restwright.tools.description import first_sentence, shortened
from restwright.tools.keywords import LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS
from restwright.tools.written import written
from restwright.typing import Json, JsonObject, is_array, is_object

BUDGET = 16_000
"""Characters of a tool: its name, description and schema as JSON."""

MARK = "[left out]"

_PREFIX = "#/$defs/"
_SENTENCE = 200
_ENUM = 20
_TRIES = 4
_NAMES = 400
_VALUE = 60
_DEPTHS = (6, 4, 3, 2, 1)
_MARKS_EXPLAINED = f"Parts marked {MARK} can be asked for by their JSON Pointer."
# Of a stub in `$defs`: quotes, braces, its type and the mark.
_STUB_COST = 52


@dataclass(frozen=True, slots=True)
class Detail:
    """
    How much of a schema is shown.

    Args:
        sentence: Characters of a description; None for all of it.
        depth: Levels of optional objects and lists inside one schema; None for all of them.
        values: Of an enumeration; None for all of them.
    """

    examples: bool = True
    titles: bool = True
    sentence: int | None = None
    deprecated: bool = True
    depth: int | None = None
    values: int | None = None


WHOLE = Detail()
_NO_EXAMPLES = replace(WHOLE, examples=False)
_NO_TITLES = replace(_NO_EXAMPLES, titles=False)
_SENTENCES = replace(_NO_TITLES, sentence=_SENTENCE)
LEAN = replace(_SENTENCES, deprecated=False)
"""First sentences only, no deprecated optional properties, no titles and no examples."""

_DETAILS = (WHOLE, _NO_EXAMPLES, _NO_TITLES, _SENTENCES, LEAN)
_SHALLOW = tuple(replace(LEAN, depth=depth) for depth in _DEPTHS)
_BARE = (
    replace(LEAN, depth=1, sentence=0),
    replace(LEAN, depth=1, sentence=0, values=_ENUM),
    replace(LEAN, depth=0, sentence=0, values=_ENUM),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A schema as a model reads it, and how much of each part it holds."""

    schema: JsonObject = field(repr=False)
    detail: Detail = Detail()

    def left_out(self) -> tuple[str, ...]:
        """Kinds of texts, and JSON Pointers of the places where parts are left out."""
        return (*_kinds_left_out(self.detail), *_marked(self.schema))


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
        details = (LEAN,) if lean else _DETAILS
        for detail in details:
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
        room = budget
        for _ in range(_TRIES):
            shown = self._cut_to(root, room)
            told = _joined(shown.get("description", ""), _MARKS_EXPLAINED)
            schema = {**shown, "description": told}
            if (excess := len(written(schema)) - budget) <= 0:
                break
            room -= excess
        return Shown(schema, LEAN)

    def _cut_to(self, root: JsonObject, room: int) -> JsonObject:
        for detail in (LEAN, *_SHALLOW, *_BARE):
            part = _part(root, detail)
            if part.size + _stubs_cost(part.links) <= room:
                return self._nearest(part, detail, room)
        return self._inputs(root, room)

    def _nearest(self, root: _Part, detail: Detail, room: int) -> JsonObject:
        """A schema with the definitions that fit: required ones first, then the nearest."""
        room -= root.size + len('"$defs":{},')
        kept: dict[str, Json] = {}
        waiting = deque(sorted(root.links, key=lambda name: not root.links[name]))
        seen = set(waiting)
        room -= _stubs_cost(seen)
        while waiting:
            name = waiting.popleft()
            part = self._definition(name, detail)
            new = {each: required for each, required in part.links.items() if each not in seen}
            cost = part.size - _STUB_COST + _stubs_cost(new)
            if cost > room:
                kept[name] = _stub(part.schema)
                continue
            room -= max(0, cost)
            kept[name] = part.schema
            seen.update(new)
            waiting.extend(each for each, required in new.items() if not required)
            waiting.extendleft(each for each, required in reversed(new.items()) if required)
        for name in seen:
            stub = kept[name]
            if MARK in stub.get("description", "") and (named := self._naming(name)):
                room -= len(written(named)) - len(written(stub))
                kept[name] = named if room > 0 else stub
        return {**root.schema, "$defs": dict(sorted(kept.items()))} if kept else root.schema

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
        bare = _BARE[-1]
        properties: JsonObject = root.get("properties", {})
        required = set(root.get("required", ()))
        names = sorted(properties, key=lambda name: name not in required)
        kept: JsonObject = {}
        size = len(written({**_reduced(root, bare), "properties": {}}))
        for name in names:
            schema = _stub(properties[name])
            size += len(written({name: schema}))
            if size > room - len(MARK) - 200 and name not in required:
                break
            kept[name] = schema
        left = [name for name in names if name not in kept]
        note = f"{MARK} {len(left)} more inputs, from {left[0]!r} on" if left else ""
        whole = {**_reduced(root, bare), "properties": kept, "description": note}
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
    reduced = schema if detail is WHOLE else _reduced(schema, detail)
    text = written(reduced)
    links: dict[str, bool] = {}
    if b'"$ref"' in text:
        for name, required in _links(reduced, is_required=True):
            links[name] = links.get(name, False) or required
    return _Part(reduced, len(text), links)


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


def _stubs_cost(names: Mapping[str, bool] | set[str]) -> int:
    return sum(len(name) for name in names) + _STUB_COST * len(names)


def _stub(schema: Json) -> JsonObject:
    """What stands for a part that is left out: its type and the mark."""
    kind = schema.get("type") if is_object(schema) else None
    return {"type": kind, "description": MARK} if isinstance(kind, str) else {"description": MARK}


def _reduced(schema: Json, detail: Detail, level: int = 0) -> Json:
    """A schema with no more than `detail`; `level` counts the objects and lists around it."""
    if not is_object(schema):
        return schema
    required: list[str] = schema.get("required", ())
    left: list[str] = []
    kept: JsonObject = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            kept[keyword] = _properties(value, required, detail, level, left)
        elif keyword in MAP_KEYWORDS:
            kept[keyword] = {name: _reduced(each, detail, level + 1) for name, each in value.items()}
        elif keyword in LIST_KEYWORDS:
            kept[keyword] = [_reduced(each, detail, level) for each in value]
        elif keyword in SCHEMA_KEYWORDS:
            kept[keyword] = _reduced(value, detail, level + 1)
        elif keyword == "enum" and detail.values is not None and len(value) > detail.values:
            left.append(_values(value, detail.values))
        elif (text := _leaf(keyword, value, detail)) is not None:
            kept[keyword] = text
    if left:
        kept["description"] = _joined(kept.get("description", ""), f"{MARK} {', '.join(left)}")
    return kept


def _properties(
    properties: JsonObject, required: list[str], detail: Detail, level: int, left: list[str]
) -> JsonObject:
    kept: JsonObject = {}
    for name, each in properties.items():
        is_optional = is_object(each) and name not in required
        if is_optional and not detail.deprecated and each.get("deprecated") is True:
            left.append(f"{name} (deprecated)")
        elif is_optional and detail.depth is not None and level >= detail.depth and _is_deep(each):
            kept[name] = _stub(each)
        else:
            kept[name] = _reduced(each, detail, level + 1)
    return kept


def _is_deep(schema: JsonObject) -> bool:
    return any(True for _ in subschemas(schema))


def _leaf(keyword: str, value: Json, detail: Detail) -> Json:
    """The value of a keyword that holds no schemas; None where it is left out."""
    if keyword == "examples":
        return value if detail.examples else None
    if keyword == "title":
        return value if detail.titles else None
    if keyword == "description" and detail.sentence is not None:
        return _text(value, detail.sentence)
    return value


def _values(values: list[Json], count: int) -> str:
    shown = ", ".join(written(each).decode()[:_VALUE] for each in values[:count])
    return f"{len(values) - count} of the values {shown}, ..."


def _text(text: str, limit: int) -> str | None:
    if not limit:
        return None
    return text if len(text) <= limit // 4 else shortened(first_sentence(text), limit)


def _joined(text: str, more: str) -> str:
    return f"{text}\n{more}" if text else more


def _kinds_left_out(detail: Detail) -> tuple[str, ...]:
    kinds = (
        ("examples", not detail.examples),
        ("titles", not detail.titles),
        ("descriptions after their first sentence", detail.sentence is not None),
        ("deprecated optional properties", not detail.deprecated),
    )
    return tuple(kind for kind, is_left_out in kinds if is_left_out)


def _marked(schema: Json, pointer: str = "") -> Iterator[str]:
    """The JSON Pointers of the places that say that something is left out."""
    if is_object(schema):
        if MARK in schema.get("description", ""):
            yield pointer
        for key, each in schema.items():
            if key in MAP_KEYWORDS or key == "$defs":
                for name, inner in each.items():
                    yield from _marked(inner, pointer + pointer_of(key, name))
            elif key in SCHEMA_KEYWORDS:
                yield from _marked(each, pointer + pointer_of(key))
            elif key in LIST_KEYWORDS and is_array(each):
                for index, inner in enumerate(each):
                    yield from _marked(inner, pointer + pointer_of(key, index))
