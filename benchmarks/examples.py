"""Arguments for a tool, made from its schema: the same ones each time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from restwright.calls.arguments.check import check
from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Tool

DEEPEST = 6
# At the top and one level below, inputs that may be left out are given as well.
OPTIONAL_LEVELS = (2, 1, 0)

FORMATS = {
    "binary": "data:application/octet-stream;base64,AAEC",
    "byte": "dGVh",
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
    "email": "ada@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.7",
    "ipv6": "2001:db8::7",
    "time": "09:30:00Z",
    "uri": "https://example.com/a?b=c",
    "url": "https://example.com/a?b=c",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}
TEXT = "tea & milk/50%"


def arguments_of(tool: Tool) -> JsonObject | None:
    """Arguments that `check` accepts, with as many optional inputs as it can be; None for none."""
    return next((each for each in _tried(tool) if not check(tool, each)), None)


def _tried(tool: Tool) -> Iterator[JsonObject]:
    definitions = tool.checks.get("$defs", {})
    for levels in OPTIONAL_LEVELS:
        for is_said in (True, False):
            made = _Maker(definitions, levels, says_examples=is_said).value(tool.checks)
            if isinstance(made, dict):
                yield made


@cache
def _matching(pattern: str, shortest: int) -> str:
    """The simplest text that a pattern accepts; `x` for what Python cannot read."""
    try:
        texts = st.from_regex(re.compile(pattern, re.ASCII), fullmatch=False)
        return find(texts, lambda text: len(text) >= shortest, settings=settings(database=None))
    except (re.error, HypothesisException):
        return "x"


class _Maker:
    def __init__(self, definitions: JsonObject, levels: int, *, says_examples: bool) -> None:
        self.definitions, self.levels, self.says_examples = definitions, levels, says_examples

    def value(self, schema: Json, depth: int = 0) -> Json:
        if not isinstance(schema, dict) or depth > DEEPEST:
            return "x"
        if (said := self._said(schema)) is not None:
            return said[0]
        if ref := schema.get("$ref"):
            return self.value(self.definitions.get(ref.rpartition("/")[2], True), depth)
        if "allOf" in schema:
            return self._all_of(schema, depth)
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                return self._with(schema, schema[keyword][0], depth)
        return self._typed(schema, depth)

    def _said(self, schema: JsonObject) -> list[Json] | None:
        """What the schema itself gives as a value, in a list of one."""
        if "const" in schema:
            return [schema["const"]]
        if schema.get("enum"):
            return [schema["enum"][0]]
        if not self.says_examples:
            return None
        if schema.get("examples"):
            return [schema["examples"][0]]
        return [schema["default"]] if schema.get("default") is not None else None

    def _all_of(self, schema: JsonObject, depth: int) -> Json:
        rest = {name: each for name, each in schema.items() if name != "allOf"}
        values = [
            self.value(each, depth + 1) for each in (*schema["allOf"], *([rest] if rest else []))
        ]
        objects = [each for each in values if isinstance(each, dict)]
        if not objects:
            return values[0]
        return {name: each for one in objects for name, each in one.items()}

    def _with(self, schema: JsonObject, branch: Json, depth: int) -> Json:
        value = self.value(branch, depth + 1)
        own = self._typed(schema, depth) if "properties" in schema else {}
        return {**own, **value} if isinstance(value, dict) else value

    def _typed(self, schema: JsonObject, depth: int) -> Json:
        found = schema.get("type", "object" if "properties" in schema else "string")
        kind = (
            next((each for each in found if each != "null"), "null")
            if isinstance(found, list)
            else found
        )
        return getattr(self, f"_{kind}")(schema, depth)

    def _object(self, schema: JsonObject, depth: int) -> JsonObject:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        made: dict[str, Any] = {
            name: self.value(each, depth + 1)
            for name, each in properties.items()
            if name in required or (depth < self.levels and each is not False)
        }
        open_ = schema.get("additionalProperties")
        if not properties and isinstance(open_, dict):
            made["key"] = self.value(open_, depth + 1)
        return made

    def _array(self, schema: JsonObject, depth: int) -> list[Json]:
        count = max(1, schema.get("minItems", 1))
        firsts = [self.value(each, depth + 1) for each in schema.get("prefixItems", ())]
        item = schema.get("items", {})
        if schema.get("uniqueItems"):
            count = len(firsts) or 1
        return firsts + [self.value(item, depth + 1) for _ in range(count - len(firsts))]

    def _string(self, schema: JsonObject, depth: int) -> str:
        text = FORMATS.get(schema.get("format", ""))
        if text is not None:
            return text
        if pattern := schema.get("pattern"):
            return _matching(pattern, schema.get("minLength", 0))
        plain = "x" if self.levels == 0 else TEXT
        text = plain * max(1, -(-schema.get("minLength", 1) // len(plain)))
        return text[: schema.get("maxLength", len(text))]

    def _integer(self, schema: JsonObject, depth: int) -> int:
        lowest = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return int(min(max(lowest, 1), schema.get("maximum", 10**9)))

    def _number(self, schema: JsonObject, depth: int) -> float:
        whole = self._integer(schema, depth)
        return whole if "maximum" in schema or "multipleOf" in schema else whole + 0.5

    def _boolean(self, schema: JsonObject, depth: int) -> bool:
        return True

    def _null(self, schema: JsonObject, depth: int) -> None:
        return None
