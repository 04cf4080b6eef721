"""
YAML text becomes plain JSON values, built straight from the parser's events.

Only what JSON can say is read: no dates, no `yes`/`no`, keys are strings as written (`200`), the
last of two equal keys counts. What makes YAML dangerous (depth, aliases that multiply, merge keys)
is counted while it is read, so a small text cannot become a large value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from restwright.errors import UnreadableDocument
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.references import join_pointer
from restwright.openapi.syntax.duplicate_keys import duplicate_key_problem
from restwright.openapi.syntax.limits import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NODES,
    MAX_REPEATED,
    is_deeper,
)

# YAML 1.2, "JSON Schema", with the words of the "Core Schema" for null and the booleans.
_WORDS: dict[str, Json] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_NO_NUMBERS = frozenset(
    sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")
) | {".nan", ".NaN", ".NAN"}
# Fewer digits than these always fit into 64 bits.
_SHORT = 18
_MIN_64, _MAX_64 = -(2**63), 2**64 - 1
_NUMERIC = frozenset("-0123456789")
_TAG = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset({_TAG + name for name in ("int", "float", "bool", "null")})


def parse_yaml(
    text: str, *, source: str, max_depth: int = MAX_DEPTH
) -> tuple[Json, tuple[Problem, ...]]:
    """
    Parse one YAML document.

    Returns:
        Its value, and what is doubtful: keys that stand twice and infinite numbers, with lines.

    Raises:
        UnreadableDocument: A syntax error (with its line), more than one document, or a limit.
    """
    import yaml

    # The C parser where PyYAML was built with it; the same events, several times faster.
    loader_type: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader = loader_type(text)
        try:
            builder = _Builder(events=loader, source=source, max_depth=max_depth)
            value = builder.build_document()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UnreadableDocument(source, f"{error.problem or error.context}{where}") from None
    except yaml.YAMLError as error:
        raise UnreadableDocument(source, " ".join(str(error).split())) from None
    return value, tuple(builder.problems)


@dataclass(slots=True, kw_only=True)
class _Builder:
    """
    The state of one pass over the events: counts, and the value and size of every anchor.

    Args:
        path: Leads to what is being built.
    """

    events: Any
    source: str
    max_depth: int
    nodes: int = 0
    path: list[str | int] = field(default_factory=list[str | int])
    anchors: dict[str, tuple[Json, int]] = field(default_factory=dict[str, tuple[Json, int]])
    problems: list[Problem] = field(default_factory=list[Problem])

    def build_document(self) -> Json:
        self._skip("StreamStartEvent")
        if not self._skip("DocumentStartEvent"):
            return None
        value = self._build_value(self.events.get_event(), 0)
        # Aliases nest what was counted only where it stands.
        if self.anchors and is_deeper(value, self.max_depth):
            raise self._limit_error(f"it nests deeper than the limit of {self.max_depth} levels")
        self._skip("DocumentEndEvent")
        if self._skip("DocumentStartEvent"):
            raise self._unreadable("it holds more than one YAML document")
        return value

    def _skip(self, kind: str) -> bool:
        if type(self.events.peek_event()).__name__ != kind:
            return False
        self.events.get_event()
        return True

    def _build_value(self, event: Any, depth: int) -> Json:
        before = self.nodes
        self._count(1)
        kind = type(event).__name__
        if kind == "AliasEvent":
            return self._resolve_alias(event)
        if event.tag and event.tag.startswith(_TAG + "python"):
            raise self._unreadable(f"a tag that makes Python objects, {_format_line(event)}")
        if kind == "ScalarEvent":
            value = _parse_scalar(event)
            if value in _NO_NUMBERS and event.implicit[0]:
                what = f"{value} is no number of JSON, {_format_line(event)}"
                self._add_problem(
                    Problem(join_pointer(*self.path), what, action="read as a string")
                )
        elif depth >= self.max_depth:
            raise self._limit_error(f"it nests deeper than the limit of {self.max_depth} levels")
        elif kind == "MappingStartEvent":
            value = self._build_mapping(depth + 1)
        else:
            value = self._build_sequence(depth + 1)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.nodes - before)
        return value

    def _build_sequence(self, depth: int) -> list[Json]:
        values: list[Json] = []
        self.path.append(0)
        while type(event := self.events.get_event()).__name__ != "SequenceEndEvent":
            self.path[-1] = len(values)
            values.append(self._build_value(event, depth))
        self.path.pop()
        return values

    def _build_mapping(self, depth: int) -> JsonObject:
        values: JsonObject = {}
        merged: list[JsonObject] = []
        while type(event := self.events.get_event()).__name__ != "MappingEndEvent":
            key = self._build_key(event)
            self.path.append(key)
            value = self._build_value(self.events.get_event(), depth)
            self.path.pop()
            if key == "<<" and event.implicit[0]:
                merged.extend(self._merged_mappings(value))
            else:
                if key in values:
                    self._add_problem(
                        duplicate_key_problem((*self.path,), key, f", {_format_line(event)}")
                    )
                values[key] = value
        # Keys of the mapping itself win, then the earlier of the merged ones.
        for mapping in merged:
            for key, value in mapping.items():
                values.setdefault(key, value)
        return values

    def _build_key(self, event: Any) -> str:
        kind = type(event).__name__
        if kind == "AliasEvent":
            key = self._resolve_alias(event)
        else:
            key = event.value if kind == "ScalarEvent" else None
            if event.anchor:
                self.anchors[event.anchor] = (key, 1)
        if not isinstance(key, str):
            raise self._unreadable(f"a key that is not a string, {_format_line(event)}")
        return key

    def _merged_mappings(self, value: Json) -> list[JsonObject]:
        mappings = list(value) if is_array(value) else [value]
        if not all(is_object(mapping) for mapping in mappings):
            raise self._unreadable("a merge key (<<) whose value is no mapping")
        return mappings

    def _resolve_alias(self, event: Any) -> Json:
        if event.anchor not in self.anchors:
            why = f"the alias *{event.anchor} names nothing that is complete, {_format_line(event)}"
            raise self._unreadable(why)
        value, size = self.anchors[event.anchor]
        self._count(size)
        return value

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise self._limit_error(f"with its aliases it is over the limit of {MAX_NODES:,} nodes")

    def _add_problem(self, problem: Problem) -> None:
        if len(self.problems) < MAX_REPEATED:
            self.problems.append(problem)

    def _limit_error(self, why: str) -> UnreadableDocument:
        return UnreadableDocument(self.source, why, is_over_limit=True)

    def _unreadable(self, why: str) -> UnreadableDocument:
        return UnreadableDocument(self.source, why)


def _format_line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}"


def _parse_scalar(event: Any) -> Json:
    text: str = event.value
    is_plain = event.implicit[0] or event.tag in _PLAIN_TAGS
    if not is_plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMERIC:
        return _parse_number(text)
    return text


def is_plain_string(text: str) -> bool:
    """Whether `text`, written without quotes, is read as text rather than as another value."""
    return text not in _WORDS and text not in _NO_NUMBERS and isinstance(_parse_number(text), str)


def _parse_number(text: str) -> Json:
    if _INTEGER.fullmatch(text) and len(text) <= _SHORT:
        return int(text)
    is_integer = _INTEGER.fullmatch(text) and len(text) <= MAX_DIGITS
    # As in JSON, integers of more than 64 bits are read in double precision.
    if is_integer and _MIN_64 <= int(text) <= _MAX_64:
        return int(text)
    if is_integer or _FLOAT.fullmatch(text):
        number = float(text)
        # 1e400 is infinite as a float, which no JSON can say.
        return text if number in {float("inf"), float("-inf")} else number
    return text
