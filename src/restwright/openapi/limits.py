"""How large and how deep a document may be."""

from __future__ import annotations

from itertools import chain

from restwright.typing import Json

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 200


def is_deeper(value: Json, levels: int) -> bool:
    """Whether a JSON value nests deeper than `levels`; its leaves do not count as a level."""
    level: list[Json] = [value]
    for _ in range(levels + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return False
        level = list(
            chain.from_iterable(node.values() if isinstance(node, dict) else node for node in level)
        )
    return any(isinstance(each, dict | list) for each in level)
