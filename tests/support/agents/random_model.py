"""A model that replies at random: any value under the schema, and any code out of a few."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject, is_object

CODES = (
    "def parse(data):\n    return data",
    "def parse(data):\n    return None",
    "def parse(data):\n    return data[0]",
    "def parse(data):\n    return len(data)",
    "def parse(data):\n    return len(data) > 1",
    "def parse(data):\n    return [item for item in data if item]",
    "def parse(data):\n    return [item['id'] for item in data]",
    "def parse(data):\n    return 'all is well'",
    "def parse(data:",
)


@dataclass(slots=True)
class RandomModel:
    """
    Replies by a generator of random numbers.

    Args:
        texts: What it writes where a schema asks for a text.
        prefers: Choices of an enum that it takes whenever they are offered.
    """

    random: Random
    texts: Sequence[str]
    prefers: frozenset[str] = frozenset()
    name: str = "random"
    is_small: bool = True
    asked: list[Complete] = field(default_factory=list[Complete])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply something that the schema allows."""
        del deadline_s
        self.asked.append(request)
        if request.schema is None:
            return Completion(text=self.random.choice(CODES))
        return Completion(text=json.dumps(self._draw(request.schema, request.schema)))

    def _draw(self, schema: Json, root: JsonObject) -> Json:
        if not is_object(schema):
            return self.random.choice(self.texts)
        if "$ref" in schema:
            return self._draw(root["$defs"][str(schema["$ref"]).rpartition("/")[2]], root)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            preferred = [choice for choice in schema["enum"] if choice in self.prefers]
            return self.random.choice(preferred or schema["enum"])
        if "anyOf" in schema:
            return self._draw(self.random.choice(schema["anyOf"]), root)
        return self._draw_typed(schema, root)

    def _draw_typed(self, schema: JsonObject, root: JsonObject) -> Json:
        kind = schema.get("type", "string")
        if kind == "object":
            return self._draw_object(schema, root)
        if kind == "array":
            least, most = schema.get("minItems", 0), min(3, schema.get("maxItems", 3))
            count = self.random.randint(least, max(least, most))
            return [self._draw(schema.get("items"), root) for _ in range(count)]
        if kind == "integer":
            return self.random.randint(schema.get("minimum", 0), min(4, schema.get("maximum", 4)))
        if kind == "number":
            return self.random.choice([0.5, 3, 41.0])
        if kind == "boolean":
            return self.random.random() < 0.5
        return None if kind == "null" else self.random.choice(self.texts)

    def _draw_object(self, schema: JsonObject, root: JsonObject) -> JsonObject:
        needed = schema.get("required", ())
        return {
            name: self._draw(member, root)
            for name, member in schema.get("properties", {}).items()
            if name in needed or self.random.random() < 0.3
        }
