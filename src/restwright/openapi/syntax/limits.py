"""How large, how deep and how scattered a document may be."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from restwright.jsontypes import Json, is_array, is_object
from restwright.net.documents import MAX_DOCUMENT_BYTES

MAX_BYTES = MAX_DOCUMENT_BYTES
"""Of one file, before and after decompression."""
MAX_DEPTH = 200
"""Levels of objects and arrays."""
MAX_NODES = 3_000_000
"""Nodes of a YAML value with every alias written out."""
MAX_DIGITS = 400
"""Of one integer."""
MAX_FILES = 2_000
"""Of a document that is spread over files."""
MAX_TOTAL_BYTES = 2 * MAX_BYTES
"""Of all the files of a document."""
MAX_REPEATED = 100
"""Keys standing twice that are reported; what is wrong a hundred times needs no more."""


def is_deeper(value: Json, levels: int) -> bool:
    """Whether a JSON value nests deeper than `levels`; its leaves do not count as a level."""
    level: list[Json] = [value]
    for _ in range(levels):
        level = list(chain.from_iterable(map(_child_values, level)))
        if not level:
            return False
    return any(is_object(schema) or is_array(schema) for schema in level)


def _child_values(node: Json) -> Iterable[Json]:
    if is_object(node):
        return node.values()
    return node if is_array(node) else ()
