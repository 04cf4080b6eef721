"""A value of a JSON Schema, drawn at random; what is chosen among can be steered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright_bench.any.draw import FORMATS
from restwright_bench.any.patterns import text_matching

DEEPEST = 8
_MOST_ITEMS = 3
_Choose = Callable[[Sequence[Json]], Json]


@dataclass(frozen=True, slots=True)
class Sampler:
    """
    Draws values under one schema.

    Args:
        choose: Takes one of several: of an enumeration, of alternatives, of truth values.
        words: What texts are taken from.
        is_full: Whether arrays and objects have as much as they may.
        said: `{property: the text that it always has}`.
    """

    root: JsonObject
    rng: Random
    choose: _Choose
    words: Sequence[str]
    is_full: bool = False
    said: Mapping[str, str] = field(default_factory=dict[str, str])

    def draw(self, schema: Json, depth: int = 0) -> Json:
        """Draw one value of a part of the schema."""
        if not is_object(schema) or depth > DEEPEST:
            return None
        node = self._resolved(schema)
        if "const" in node:
            return node["const"]
        if is_array(node.get("enum")) and node["enum"]:
            return self.choose(node["enum"])
        for keyword in ("anyOf", "oneOf"):
            if node.get(keyword):
                return self.draw(self.choose(node[keyword]), depth + 1)
        if node.get("allOf"):
            return self._all_of(node, depth)
        return _MAKERS.get(self._type(node), _nothing)(self, node, depth)

    def draw_named(self, name: str, schema: Json, depth: int) -> Json:
        """Draw the value of a property; a free text may be one that is always said there."""
        drawn = self.draw(schema, depth)
        node = self._resolved(schema) if is_object(schema) else {}
        is_free = isinstance(drawn, str) and not {"enum", "const", "pattern", "format"} & set(node)
        said = self.said.get(name)
        return said[: int(node.get("maxLength") or len(said))] if is_free and said else drawn

    def _resolved(self, schema: JsonObject) -> JsonObject:
        reference = schema.get("$ref")
        for _ in range(DEEPEST):
            if not isinstance(reference, str):
                break
            found: Json = self.root
            for token in reference.removeprefix("#/").split("/"):
                found = found.get(token.replace("~1", "/").replace("~0", "~"), {})
            schema = {**{k: v for k, v in schema.items() if k != "$ref"}, **found}
            reference = found.get("$ref")
        return schema

    def _all_of(self, node: JsonObject, depth: int) -> Json:
        drawn = [self.draw(each, depth + 1) for each in node["allOf"]]
        objects = [each for each in drawn if is_object(each)]
        return {k: v for each in objects for k, v in each.items()} if objects else drawn[0]

    def _type(self, node: JsonObject) -> str:
        kind = node.get("type", "object" if "properties" in node else "string")
        return kind if isinstance(kind, str) else str(self.choose(kind))


def _object(sampler: Sampler, node: JsonObject, depth: int) -> JsonObject:
    required = set(node.get("required", ()))
    drawn: JsonObject = {}
    for name, schema in node.get("properties", {}).items():
        if name in required or (
            depth < DEEPEST and (sampler.is_full or sampler.rng.random() < 0.3)
        ):
            drawn[name] = sampler.draw_named(name, schema, depth + 1)
    return drawn


def _array(sampler: Sampler, node: JsonObject, depth: int) -> list[Json]:
    least = int(node.get("minItems") or 0)
    most = max(least, min(int(node.get("maxItems", _MOST_ITEMS)), _MOST_ITEMS))
    count = most if sampler.is_full else sampler.rng.randint(least, most)
    items = node.get("items", {})
    return [sampler.draw(items if is_object(items) else {}, depth + 1) for _ in range(count)]


def _string(sampler: Sampler, node: JsonObject, _: int) -> str:
    if isinstance(node.get("pattern"), str):
        found = text_matching(node["pattern"], sampler.rng)
        if found is not None:
            return found
    if node.get("format") in FORMATS:
        return FORMATS[node["format"]](sampler.rng)
    text = sampler.rng.choice(sampler.words) if sampler.words else "word"
    shortest, longest = int(node.get("minLength") or 0), int(node.get("maxLength") or 200)
    return text.ljust(shortest, "x")[:longest]


def _integer(sampler: Sampler, node: JsonObject, _: int) -> int:
    low = int(node.get("minimum", 0))
    digits = [int(each) for each in sampler.words if each.isdecimal() and len(each) < 16]
    high = int(node.get("maximum", low + 20))
    fitting = [each for each in digits if each >= low and each <= node.get("maximum", each)]
    return sampler.rng.choice([*fitting, sampler.rng.randint(low, max(low, high))])


def _nothing(_: Sampler, __: JsonObject, ___: int) -> None:
    return None


_MAKERS: Mapping[str, Callable[[Sampler, JsonObject, int], Json]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": lambda sampler, node, depth: float(_integer(sampler, node, depth)),
    "boolean": lambda sampler, _, __: sampler.choose([False, True]),
}
