"""
One operation becomes a hash of what a model is told about it and its arguments are checked against.

It is taken from the document, not from the tool: so it is the same for every way of presenting
tools, and a release that words them better changes none. What answers look like is not in it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.model import MediaType, Operation, Parameter, RequestBody
from restwright.openapi.references import dereference_node, join_pointer, lookup_reference

# 128 bits decide, since whoever writes a document may look for two texts with one hash.
HASH_DIGITS = 32
# These only say where; a part that changes unseen still changes the whole.
PART_DIGITS = 6

PINNED_EXTENSIONS = frozenset({"x-mcp"})
"""What of an operation's extensions is locked: what a server of MCP says of a tool beside them."""

# `$ref`s of all kinds, and the values of a discriminator's mapping; one too many does no harm.
_REFERENCE = re.compile(rb'"(?:\$ref|\$dynamicRef)":("(?:[^"\\]|\\.)*")|("#/(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """
    What an operation was at one time.

    Args:
        hash: Of everything.
        parts: `{pointer: digits}`: `/description`, `/query/limit`, `/body`, `/body/name`.
    """

    hash: str
    parts: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Fingerprints:
    """The fingerprints of one document's operations; what they share is hashed once."""

    document: JsonObject
    _memo: dict[str, tuple[str, frozenset[str]]] = field(
        default_factory=dict[str, tuple[str, frozenset[str]]]
    )

    def compute(self, operation: Operation) -> Fingerprint:
        """The fingerprint of one operation."""
        parts = {
            pointer: self._digest(value) for pointer, value in _list_parts(operation, self.document)
        }
        whole = _sha256(_to_canonical_json([[part, parts[part]] for part in sorted(parts)]))
        short = {pointer: digest[:PART_DIGITS] for pointer, digest in parts.items()}
        return Fingerprint(hash=whole[:HASH_DIGITS], parts=short)

    def _digest(self, value: Json) -> str:
        """Of a value and of everything that it refers to."""
        content = _to_canonical_json(value)
        reached = self._reachable_digests(_find_references(content))
        if not reached:
            return _sha256(content)
        return _sha256(
            _to_canonical_json([_sha256(content), *([name, reached[name]] for name in reached)])
        )

    def _reachable_digests(self, refs: Iterable[str]) -> dict[str, str]:
        """`{reference: digest of what stands there}` for all that can be reached, in order."""
        found: dict[str, str] = {}
        waiting = list(refs)
        while waiting:
            ref = waiting.pop()
            if ref not in found:
                found[ref], more = self._target(ref)
                waiting += more
        return dict(sorted(found.items()))

    def _target(self, ref: str) -> tuple[str, frozenset[str]]:
        if ref not in self._memo:
            try:
                content = _to_canonical_json(lookup_reference(self.document, ref))
            except UnresolvedReference:
                content = b""
            self._memo[ref] = _sha256(content), _find_references(content)
        return self._memo[ref]


def _list_parts(operation: Operation, document: JsonObject) -> Iterator[tuple[str, Json]]:
    yield "/description", [operation.summary, operation.description, operation.deprecated]
    for name in sorted(operation.extensions.keys() & PINNED_EXTENSIONS):
        yield join_pointer(name), operation.extensions[name]
    for parameter in operation.parameters:
        yield join_pointer(parameter.location, parameter.name), _parameter_content(parameter)
    if operation.request_body:
        yield from _body_parts(operation.request_body, document)


def _parameter_content(parameter: Parameter) -> Json:
    texts = [parameter.description, parameter.example, dict(parameter.examples)]
    form = [parameter.style, parameter.explode, parameter.allow_reserved, parameter.media_type]
    return [parameter.required, parameter.deprecated, parameter.schema, *texts, *form]


def _body_parts(body: RequestBody, document: JsonObject) -> Iterator[tuple[str, Json]]:
    """The properties of a body one by one, and the rest of it."""
    properties: dict[str, list[Json]] = {}
    rest: list[Json] = []
    for media in body.content:
        schema, own = _split_properties(media, document)
        rest.append([media.name, schema, media.example, dict(media.examples), media.item_schema])
        for name, each in own.items():
            properties.setdefault(name, []).append([media.name, each])
    yield "/body", [body.required, body.description, rest]
    for name, several in properties.items():
        yield join_pointer("body", name), cast("Json", several)


def _split_properties(media: MediaType, document: JsonObject) -> tuple[Json, Mapping[str, Json]]:
    """The schema of a body without its properties, and these."""
    try:
        schema = dereference_node(document, media.schema)
    except UnresolvedReference:
        return media.schema, {}
    properties = schema.get("properties") if is_object(schema) else None
    if not is_object(schema) or not is_object(properties):
        return media.schema, {}
    return {name: each for name, each in schema.items() if name != "properties"}, properties


def _find_references(content: bytes) -> frozenset[str]:
    found = _REFERENCE.findall(content)
    return frozenset(json.loads(first or second) for first, second in found)


def _to_canonical_json(value: Json) -> bytes:
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except TypeError:
        # Integers over 64 bits, lone surrogates.
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
