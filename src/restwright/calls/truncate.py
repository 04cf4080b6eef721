"""
JSON in few characters: first items whole, and marks of what was left out.

What is kept is kept as it is. A short text, such as a date or an id, is whole or left out; a long
one is cut between words. Where properties must go, ids, names and what the schema requires stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from restwright.calls.json_lists import child_pointer, value_at_pointer
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref

_MARK_CHARS = 40  # characters that a count of what was left out may take
_MIN_VALUE_CHARS = 40  # a longer value is given at least so many characters, or left out
_MAX_WHOLE_CHARS = 40  # a shorter text is never cut: dates, ids, the mask of a secret
_MAX_PARTS = 50  # of one schema, its references and its `allOf`
_IDENTIFYING_NAME = re.compile(
    r"id|uuid|guid|key|name|title|label|slug|code|.*_(id|name)|.*[a-z]Id"
)
_LAST_WORD = re.compile(r"\S{1,64}\Z")


def compact_json(value: Json) -> str:
    """Return `value` as JSON in one line; NaN and the like become strings."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return json.dumps(str(value))
    return text


def shorten_json(value: Json, max_chars: int, *, schema: Json = None) -> str:
    """
    Return JSON text of `value` in at most `max_chars` characters, 64 at least.

    Arrays keep their first items whole and end with `"... 58 more items"`; objects keep every
    property that has room, small values first, and end with `"...": "3 more properties"`; strings
    end with `... (1,200 more characters)`.

    Args:
        schema: What the document says of `value`, with its `$defs`; None where it says nothing.
    """
    pen = _JsonTruncator(marks=_WordMarks(), root=schema)
    return pen.truncate(value, max(max_chars, 64), _Position(schema=schema))


def excerpt_json(
    value: Json, max_chars: int, *, pointer: str = "", start: int = 0, schema: Json = None
) -> str:
    """
    Return JSON text of a part of `value` in at most `max_chars` characters, 64 at least.

    As `shorten_json()`, but a list that was cut ends with a handle to page on,
    `{"more":{"pointer":"/items","from":20,"of":512}}`: its pointer and `from` are the next
    `pointer` and `start`.

    Args:
        pointer: Of the part, a JSON Pointer.
        start: First item of a list, or first character of a text, to show.
        schema: What the document says of the whole `value`.

    Raises:
        LookupError: The pointer leads nowhere.
    """
    part = value_at_pointer(value, pointer)
    pen = _JsonTruncator(marks=_HandleMarks(), root=schema)
    place = _Position(schema=schema)
    for name in pointer.split("/")[1:]:
        place = pen.child_position(place, name.replace("~1", "/").replace("~0", "~"))
    if isinstance(part, str):
        part = part[start:]
    elif is_array(part):
        part, place = part[start:], replace(place, start=start)
    return pen.truncate(part, max(max_chars, 64), replace(place, pointer=pointer))


def shorten_line(text: str, max_chars: int) -> str:
    """Return `text` with white space collapsed, cut to `max_chars`."""
    flat = " ".join(text[: max_chars * 8].split())
    return flat if len(flat) <= max_chars else flat[: max_chars - 3] + "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """Where a value stands, and what the document says of it; `start` items stand before it."""

    pointer: str = ""
    start: int = 0
    schema: Json = field(default=None, repr=False)


class _Marks(Protocol):
    """How it is told what was left out: JSON text of an item, and of a property's value."""

    def items(self, position: _Position, *, kept: int, count: int) -> str: ...
    def properties(self, position: _Position, *, count: int) -> str: ...


class _WordMarks:
    def items(self, position: _Position, *, kept: int, count: int) -> str:
        del position
        return _format_more(count - kept, "item", "items")

    def properties(self, position: _Position, *, count: int) -> str:
        del position
        return _format_more(count, "property", "properties")


class _HandleMarks:
    def items(self, position: _Position, *, kept: int, count: int) -> str:
        start = position.start
        more = {"pointer": position.pointer, "from": start + kept, "of": start + count}
        return compact_json({"more": more})

    def properties(self, position: _Position, *, count: int) -> str:
        return compact_json({"pointer": position.pointer, "left_out": count})


@dataclass(frozen=True, slots=True, kw_only=True)
class _JsonTruncator:
    """Writes one value into a room; `root` holds the `$defs` of all schemas."""

    marks: _Marks
    root: Json = field(repr=False)

    def truncate(self, value: Json, room: int, position: _Position) -> str:
        text = "" if _is_longer(value, room) else compact_json(value)
        if 0 < len(text) <= room:
            return text
        if is_object(value):
            text = self._object(value, room, position)
        elif is_array(value):
            text = self._array(value, room, position)
        else:
            text = _fit_string(
                value if isinstance(value, str) else text or compact_json(value), room
            )
        return text if len(text) <= room else '"..."'

    def child_position(self, position: _Position, name: str | int) -> _Position:
        """The place of a property or an item."""
        pointer = child_pointer(position.pointer, name)
        return _Position(pointer=pointer, schema=self._schema_below(position.schema, str(name)))

    def _array(self, items: Sequence[Json], room: int, position: _Position) -> str:
        kept: list[str] = []
        count = len(items)
        left = room - 2 - len(self.marks.items(position, kept=count, count=count)) - 4
        for index, item in enumerate(items):
            text = "" if _is_longer(item, left) else compact_json(item)
            if not text or len(text) + 1 > left:
                if not kept and left > _MIN_VALUE_CHARS:
                    kept.append(
                        self.truncate(
                            item, left - 1, self.child_position(position, position.start + index)
                        )
                    )
                break
            kept.append(text)
            left -= len(text) + 1
        more = self.marks.items(position, kept=len(kept), count=count)
        return f"[{','.join([*kept, *([more] if len(kept) < count else [])])}]"

    def _object(self, value: JsonObject, room: int, place: _Position) -> str:
        names = {key: compact_json(str(key)) for key in value}
        sizes = {key: _measure_json(each, room) for key, each in value.items()}
        mark = f"{_mark_name(value)}:{self.marks.properties(place, count=len(value))}"
        kept = self._select_names(names, sizes, room - 2, place, mark=mark)
        left = room - 2 - sum(len(names[key]) + 2 for key in kept)
        left -= len(mark) if len(kept) < len(value) else 0
        texts: dict[str, str] = {}
        # Small values first: what they do not use is left for the large ones.
        by_size = sorted(kept, key=lambda key: sizes[key])
        for position, key in enumerate(by_size):
            share = left // (len(by_size) - position)
            texts[key] = self.truncate(value[key], share, self.child_position(place, key))
            left -= len(texts[key])
        pairs = [f"{names[key]}:{texts[key]}" for key in kept]
        if len(kept) < len(value):
            more = self.marks.properties(place, count=len(value) - len(kept))
            pairs.append(f"{_mark_name(value)}:{more}")
        return "{" + ",".join(pairs) + "}"

    def _select_names(
        self,
        names: dict[str, str],
        sizes: dict[str, int],
        room: int,
        position: _Position,
        *,
        mark: str,
    ) -> list[str]:
        """As many names as have room for themselves and a bit of value, in their order."""
        needs = {
            key: len(name) + 2 + min(sizes[key], _MIN_VALUE_CHARS) for key, name in names.items()
        }
        if sum(needs.values()) <= room:
            return list(names)
        room -= len(mark)
        kept: set[str] = set()
        for key in self._sort_by_importance(names, position.schema):
            room -= needs[key]
            if room < 0:
                break
            kept.add(key)
        return [key for key in names if key in kept]

    def _sort_by_importance(self, names: dict[str, str], schema: Json) -> list[str]:
        """Ids and names first, then what the schema requires; else as they stand."""
        required = {name for part in self._parts(schema) for name in part.get("required", ())}
        return sorted(
            names,
            key=lambda key: (
                0 if _IDENTIFYING_NAME.fullmatch(str(key)) else 1 + (key not in required)
            ),
        )

    def _schema_below(self, schema: Json, name: str) -> Json:
        for part in self._parts(schema):
            properties = part.get("properties", {})
            if name in properties:
                return properties[name]
            if name.isdecimal() and "items" in part:
                return part["items"]
        return None

    def _parts(self, schema: Json) -> Iterator[JsonObject]:
        """A schema, what it refers to, and what its `allOf` adds."""
        left = [schema]
        for _ in range(_MAX_PARTS):
            if not left:
                return
            part = left.pop()
            if is_object(part):
                yield part
                left.extend(part.get("allOf", ()))
                if (ref := find_ref(part)) is not None and is_object(self.root):
                    left.append(self.root.get("$defs", {}).get(ref.rpartition("/")[2]))


def _measure_json(value: Json, limit: int) -> int:
    """How long `value` is as JSON; more than `limit` where it is longer than that."""
    return limit + 1 if _is_longer(value, limit) else len(compact_json(value))


def _is_longer(value: Json, limit: int) -> bool:
    """
    Whether JSON of `value` surely has more than `limit` characters, without writing all of
    it.
    """
    left, parts = limit, [value]
    while parts and left >= 0:
        part = parts.pop()
        if isinstance(part, str):
            left -= len(part) + 2
        elif is_object(part):
            left -= 1 + 4 * len(part)
            parts.extend(part.values())
        elif is_array(part):
            left -= 1 + len(part)
            parts.extend(part)
        else:
            left -= 1
    return left < 0


def _fit_string(text: str, room: int) -> str:
    kept = max(0, room - _MARK_CHARS) if len(text) > _MAX_WHOLE_CHARS else 0
    while True:
        kept = _find_word_break(text, kept)
        cut = compact_json(f"{text[:kept]}... ({len(text) - kept:,} more characters)")
        if len(cut) <= room or not kept:
            return cut
        # What JSON escapes takes more room than it has characters.
        kept = max(0, kept - (len(cut) - room))


def _find_word_break(text: str, kept: int) -> int:
    """The nearest place before `kept` that is in no word (of 64 characters or less), in no mask."""
    last = _LAST_WORD.search(text, max(0, kept - 64), kept)
    if last and re.match(rf"\S{{0,{64 - len(last[0])}}}(\s|\Z)", text[kept : kept + 65]):
        starts_word = last.start() == 0 or text[last.start() - 1].isspace()
        kept = last.start() if starts_word and not text[kept : kept + 1].isspace() else kept
    while 0 < kept < len(text) and text[kept - 1] == text[kept] == "*":
        kept -= 1
    return kept


def _mark_name(value: JsonObject) -> str:
    """The name under which it is told what was left out; none that the object has itself."""
    name = "..."
    while name in value:
        name += "."
    return compact_json(name)


def _format_more(count: int, one: str, many: str) -> str:
    return f'"... {count:,} more {one if count == 1 else many}"'
