"""JSON folded to its shape: what is in it, in a line, without the values."""

from __future__ import annotations

import json
from collections.abc import Sequence

from restwright.jsontypes import Json, is_array, is_object

_MOST_NAMES = 8
_DEEPEST = 3
_LOOKED_AT = 20


def outline(value: Json, *, depth: int = _DEEPEST) -> str:
    """`{total, items: [25 x {id, name, price}]}`."""
    if is_object(value):
        shown = [_member(name, each, depth) for name, each in [*value.items()][:_MOST_NAMES]]
        more = ["..."] if len(value) > _MOST_NAMES else []
        return "{" + ", ".join([*shown, *more]) + "}"
    if is_array(value):
        return f"[{len(value):,} x {_item(value, depth)}]" if value else "[]"
    return json.dumps(value, ensure_ascii=False)


def _member(name: str, value: Json, depth: int) -> str:
    if not (is_object(value) or is_array(value)):
        return name
    return f"{name}: {outline(value, depth=depth - 1)}" if depth > 1 else f"{name}: ..."


def _item(values: Sequence[Json], depth: int) -> str:
    """What the items have in common, by the first of them."""
    several = values[:_LOOKED_AT]
    objects = [item for item in several if is_object(item)]
    if len(objects) == len(several):
        return outline({name: each for item in objects for name, each in item.items()}, depth=depth)
    kinds = {_kind(item) for item in several}
    return kinds.pop() if len(kinds) == 1 else "value"


def _kind(value: Json) -> str:
    if is_array(value):
        return "list"
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number" if value is not None else "null"


def read_json(text: str) -> Json:
    """The object or list that a text is; None where it is none."""
    if text.strip()[:1] not in {"{", "["}:
        return None
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) or is_array(value) else None
