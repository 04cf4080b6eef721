"""On which line of a file a part of its value stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from restwright.openapi.references import join_pointer, split_pointer

MAX_SOURCE_LINES = 50_000
"""Places that are kept of one file."""


@dataclass(frozen=True, slots=True)
class SourceLines:
    """The lines of a file, by JSON Pointer; the first is 1."""

    lines: Mapping[str, int] = field(default_factory=dict[str, int])

    def line(self, pointer: str) -> int | None:
        """The line at which the value at `pointer` begins, else of what it would stand in."""
        tokens = split_pointer(pointer)
        for end in range(len(tokens), -1, -1):
            line = self.lines.get(join_pointer(*tokens[:end]))
            if line is not None:
                return line
        return None


def parse_source_lines(text: str) -> SourceLines:
    """The lines of a text that has been read as YAML or JSON; none where it is neither."""
    import yaml

    # JSON may be indented by tabs, which YAML does not take; within its texts there are none.
    loader_type: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader = loader_type(text.replace("\t", " "))
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except (yaml.YAMLError, RecursionError):
        return SourceLines()
    return SourceLines(_collect_lines(root))


def _collect_lines(root: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    waiting: list[tuple[str, Any]] = [("", root)] if root is not None else []
    while waiting and len(found) < MAX_SOURCE_LINES:
        pointer, node = waiting.pop()
        found.setdefault(pointer, node.start_mark.line + 1)
        if node.id == "mapping":
            for key, each in node.value:
                below = pointer + join_pointer(str(key.value))
                found[below] = key.start_mark.line + 1
                waiting.append((below, each))
        elif node.id == "sequence":
            waiting.extend((f"{pointer}/{index}", each) for index, each in enumerate(node.value))
    return found
