"""How large and how deep a document may be."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from restwright.typing import Json, is_array, is_object

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 200


def is_deeper(value: Json, levels: int) -> bool:
    """Whether a JSON value nests deeper than `levels`; its leaves do not count as a level."""
    level: list[Json] = [value]
    for _ in range(levels):
        level = list(chain.from_iterable(map(_members, level)))
        if not level:
            return False
    return any(is_object(each) or is_array(each) for each in level)


def _members(node: Json) -> Iterable[Json]:
    if is_object(node):
        return node.values()
    return node if is_array(node) else ()
