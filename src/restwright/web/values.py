"""What an API answered, for people: folded, as a table, searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from restwright.calls.mismatch import pointer_from_path
from restwright.calls.truncate import compact_json, shorten_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object

MAX_NODES = 2_000
"""Of a value that are shown folded; the rest is in its JSON."""
MAX_ROWS, MAX_COLUMNS = 200, 12
MAX_MATCHES = 200
_MAX_CELL = 120
_MAX_TEXT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """
    A part of a value.

    Args:
        label: The name of a member, or the number of an item.
        text: Of a value without parts; of others what is in them.
        kind: Its JSON type.
        parts: What it has.
    """

    label: str
    kind: str
    text: str
    parts: Sequence[Node] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """
    A list of objects, or of plain values.

    Args:
        pointer: Where it stands in the value.
        total: Rows of the whole list.
    """

    pointer: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A place in a value whose name or text has what was searched for."""

    pointer: str
    text: str


def fold_value(value: Json) -> Node:
    """A value as a tree of at most `MAX_NODES` nodes."""
    return _Folder(left=MAX_NODES).fold("", value)


@dataclass(slots=True)
class _Folder:
    left: int

    def fold(self, label: str, value: Json) -> Node:
        self.left -= 1
        if is_object(value):
            return self._fold_parts(label, "object", list(value.items()), "member")
        if is_array(value):
            items = [(str(index), item) for index, item in enumerate(value)]
            return self._fold_parts(label, "array", items, "item")
        kind = "text" if isinstance(value, str) else "null" if value is None else "value"
        text = value if isinstance(value, str) else compact_json(value)
        cut = f"{text[:_MAX_TEXT]}… {len(text) - _MAX_TEXT:,} more" if len(text) > _MAX_TEXT else ""
        return Node(label=label, kind=kind, text=cut or text)

    def _fold_parts(
        self, label: str, kind: str, parts: Sequence[tuple[str, Json]], noun: str
    ) -> Node:
        made: list[Node] = []
        for name, part in parts:
            if self.left <= 0:
                rest = len(parts) - len(made)
                made.append(Node(label="…", kind="null", text=f"{rest:,} more, see the JSON"))
                break
            made.append(self.fold(name, part))
        count = f"{len(parts):,} {noun}{'' if len(parts) == 1 else 's'}"
        return Node(label=label, kind=kind, text=count, parts=made)


def find_table(value: Json) -> Table | None:
    """The list in a value: itself, or its longest member; None where it has none."""
    pointer, items = "", value
    if is_object(value):
        lists = {key: part for key, part in value.items() if is_array(part) and part}
        if not lists:
            return None
        name = max(lists, key=lambda key: len(lists[key]))
        pointer, items = pointer_from_path([name]), lists[name]
    if not is_array(items) or not items:
        return None
    rows = items[:MAX_ROWS]
    if not all(map(is_object, rows)):
        return _plain_table(pointer, rows, len(items))
    columns = list(dict.fromkeys(key for row in rows for key in row))[:MAX_COLUMNS]
    cells = [[_cell(row, column) for column in columns] for row in rows]
    return Table(pointer=pointer, columns=columns, rows=cells, total=len(items))


def _plain_table(pointer: str, rows: Sequence[Json], total: int) -> Table:
    cells = [[_show(row)] for row in rows]
    return Table(pointer=pointer, columns=["value"], rows=cells, total=total)


def _cell(row: JsonObject, column: str) -> str:
    return _show(row[column]) if column in row else ""


def _show(value: Json) -> str:
    return shorten_line(value if isinstance(value, str) else compact_json(value), _MAX_CELL)


def find_matches(value: Json, text: str) -> tuple[Match, ...]:
    """Places whose name or text has `text`, whatever its case; at most `MAX_MATCHES`."""
    found: list[Match] = []
    for path, part in _walk(value, ()):
        shown = part if isinstance(part, str) else compact_json(part)
        if text.casefold() in f"{path[-1] if path else ''} {shown}".casefold():
            found.append(Match(pointer=pointer_from_path(path), text=shorten_line(shown, 300)))
            if len(found) == MAX_MATCHES:
                break
    return tuple(found)


def _walk(value: Json, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Each part that has no parts of its own."""
    if is_object(value) and value:
        for key, part in value.items():
            yield from _walk(part, (*path, key))
    elif is_array(value) and value:
        for index, part in enumerate(value):
            yield from _walk(part, (*path, index))
    else:
        yield path, value


def describe_item(item: JsonObject, taken: Json) -> str:
    """An item by its first plain values, for who chooses among several."""
    texts = [
        _show(part)
        for part in item.values()
        if part is not None and part != taken and not is_object(part) and not is_array(part)
    ]
    return shorten_line(", ".join(texts[:3]), _MAX_CELL)
