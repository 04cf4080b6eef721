"""
How long the check of a value may take.

A validator that follows every alternative needs a time that doubles with each union inside a union;
a document can hold 25 of those in 25 lines. What would take too long is checked by
`calls.explain`, which looks at each schema and each part of the value once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import split_pointer

_MAX_VISITS = 20_000
_MAX_DEPTH = 64
_LIST_APPLICATORS = ("allOf", "anyOf", "oneOf")
_SINGLE_APPLICATORS = ("not", "if", "then", "else", "propertyNames")
_CHILD_APPLICATORS = ("contains", "unevaluatedItems", "unevaluatedProperties")


@dataclass(frozen=True, slots=True)
class ValidationCost:
    """The cost of checking values against `schema`, computed when asked for."""

    schema: Json = field(repr=False)
    _memo: dict[tuple[int, int], int] = field(
        default_factory=dict[tuple[int, int], int], repr=False
    )

    def is_bounded(self, value: Json) -> bool:
        """Whether following every alternative for `value` takes no more than milliseconds."""
        if self._unbounded_cost() < _MAX_VISITS:
            return True
        return self._cost(self.schema, min(_measure_depth(value), _MAX_DEPTH)) < _MAX_VISITS

    def _unbounded_cost(self) -> int:
        return self._cost(self.schema, -1)

    def _cost(self, node: Json, depth: int) -> int:
        """Schemas visited for the costliest path through a value; a negative depth is any."""
        if not is_object(node):
            return 1
        key = (id(node), depth)
        if key not in self._memo:
            # A circle that stays at one place is broken off; one that goes down any depth is dear.
            self._memo[key] = _MAX_VISITS if depth < 0 else 0
            self._memo[key] = self._compute_cost(node, depth)
        return self._memo[key]

    def _compute_cost(self, node: JsonObject, depth: int) -> int:
        try:
            spent = 1
            for in_place_subschema in in_place_subschemas(node, self.schema):
                spent += self._cost(in_place_subschema, depth)
                if spent >= _MAX_VISITS:
                    return _MAX_VISITS
            return min(spent + self._child_cost(node, depth), _MAX_VISITS) if depth else spent
        except RecursionError:
            return _MAX_VISITS

    def _child_cost(self, node: JsonObject, depth: int) -> int:
        """One part of a value is checked by one property, all its patterns and its like."""
        named = [*_keyword_values(node, "properties"), *node.get("prefixItems", ())]
        others = [node[key] for key in ("additionalProperties", "items") if key in node]
        beside = [
            *_keyword_values(node, "patternProperties"),
            *(node[k] for k in _CHILD_APPLICATORS if k in node),
        ]
        deeper = depth if depth < 0 else depth - 1
        dearest = max((self._cost(other, deeper) for other in (*named, *others)), default=0)
        return dearest + sum(self._cost(item, deeper) for item in beside)


def in_place_subschemas(node: JsonObject, root: Json) -> Iterator[Json]:
    """The schemas that are about the same value as `node`."""
    if "$ref" in node and (target := resolve_local_reference(node["$ref"], root)) is not None:
        yield target
    for keyword in _LIST_APPLICATORS:
        yield from node.get(keyword, ())
    for keyword in _SINGLE_APPLICATORS:
        if keyword in node:
            yield node[keyword]
    yield from _keyword_values(node, "dependentSchemas")


def resolve_local_reference(ref: Json, root: Json) -> Json:
    """What a `$ref` inside `root` leads to; None for nothing that can be followed."""
    if not isinstance(ref, str) or (ref != "#" and not ref.startswith("#/")):
        return None
    node = root
    for token in split_pointer(unquote(ref[1:])):
        if is_object(node) and token in node:
            node = node[token]
        elif is_array(node) and token.isdecimal() and int(token) < len(node):
            node = node[int(token)]
        else:
            return None
    return node


def _keyword_values(node: JsonObject, keyword: str) -> Iterable[Json]:
    found = node.get(keyword)
    return found.values() if is_object(found) else ()


def _measure_depth(value: Json, limit: int = _MAX_DEPTH) -> int:
    """Levels below `value`, counted up to `limit`."""
    below = value.values() if is_object(value) else value if is_array(value) else ()
    if not below or not limit:
        return 0
    return 1 + max(_measure_depth(name, limit - 1) for name in below)
