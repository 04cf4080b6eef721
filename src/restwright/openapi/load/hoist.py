"""Parts of other files, which stand under a key of their own, become components of the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from urllib.parse import unquote

from restwright.errors import UnreadableDocument, UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref, lookup_reference, split_pointer
from restwright.openapi.syntax.limits import MAX_NODES
from restwright.openapi.versions.object_map import ObjectKind, Slot, find_slot, is_extension

FILES_KEY = "x-restwright-files"
"""The key of the root under which the other files stand, each under its path in the folder."""

_COMPONENTS: Mapping[ObjectKind, str] = {
    "schema": "schemas",
    "response": "responses",
    "parameter": "parameters",
    "example": "examples",
    "request body": "requestBodies",
    "header": "headers",
    "security scheme": "securitySchemes",
    "link": "links",
    "callback": "callbacks",
    "path item": "pathItems",
    "media type": "mediaTypes",
}
_REFERENCES = ("$ref", "$dynamicRef")
_ILLEGAL = re.compile(r"[^a-zA-Z0-9._-]+")


def hoist_components(canonical: JsonObject, document: JsonObject) -> JsonObject:
    """
    `canonical`, with a component for each part of another file that is referred to.

    What a part is follows from the place that refers to it. What nothing refers to is left out,
    and references that lead nowhere stay.

    Args:
        canonical: In the shape of OpenAPI 3; stays as it is.
        document: As written, with the files.
    """
    # Where the document has such a key of its own, that of the files is longer.
    key = max((text for text in document if text.startswith(FILES_KEY)), key=len, default="")
    if not key:
        return canonical
    kept = {name: value for name, value in canonical.items() if name != key}
    written = kept.get("components")
    components: JsonObject = dict(written) if is_object(written) else {}
    work = _Hoister(document=document, key=key, components=components)
    whole = work.hoist("document", kept)
    added: dict[str, JsonObject] = {}
    while work.queue:
        kind, name, node = work.queue.pop(0)
        added.setdefault(_COMPONENTS[kind], {})[name] = work.hoist(kind, node)
    components = dict(whole.pop("components", None) or {})
    for several, parts in added.items():
        components[several] = {**(components.get(several) or {}), **parts}
    return {**whole, "components": components} if components else whole


@dataclass(slots=True, kw_only=True)
class _Hoister:
    """
    The state of one pass.

    Args:
        components: As they were.
        names: `{(key of components, pointer): name}` of what has become one.
        used_names: The names of each kind of component in lower case.
        queue: `(kind, name, object as written)` of what is to be put in.
    """

    document: JsonObject = field(repr=False)
    key: str
    components: JsonObject = field(repr=False)
    names: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    used_names: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    visits: Iterator[int] = field(default_factory=count, repr=False)
    queue: list[tuple[ObjectKind, str, Json]] = field(
        default_factory=list[tuple[ObjectKind, str, Json]]
    )

    def hoist(self, kind: ObjectKind, node: Json) -> Json:
        """A copy of an object of a kind, its references leading to components."""
        if not is_object(node):
            return node
        if next(self.visits) > MAX_NODES:
            why = f"what its files share would be written out as more than {MAX_NODES:,} objects"
            raise UnreadableDocument("the upgraded document", why, is_over_limit=True)
        if kind == "operation" and self._leads_to_file(find_ref(node)):
            # Operations are no components.
            return self.hoist(
                kind, {**self._target(find_ref(node) or ""), **_reference_siblings(node)}
            )
        new: JsonObject = {}
        for key, value in node.items():
            place = find_slot(kind, node, key) if key not in _REFERENCES else None
            new[key] = (
                self._hoist_key(kind, key, value) if place is None else self._hoist_at(place, value)
            )
        return new

    def _hoist_at(self, place: Slot, value: Json) -> Json:
        if place.shape == "list" and is_array(value):
            return [self.hoist(place.kind, item) for item in value]
        if place.shape == "map" and is_object(value):
            return {
                name: each if is_extension(place, name) else self.hoist(place.kind, each)
                for name, each in value.items()
            }
        return self.hoist(place.kind, value)

    def _hoist_key(self, kind: ObjectKind, key: str, value: Json) -> Json:
        if key in _REFERENCES:
            return self._reference(kind, value)
        mapping = value.get("mapping") if is_object(value) else None
        if kind == "schema" and key == "discriminator" and is_object(mapping):
            led = {name: self._reference(kind, each) for name, each in mapping.items()}
            return {**value, "mapping": led}
        return value

    def _leads_to_file(self, ref: Json) -> bool:
        if not isinstance(ref, str) or not ref.startswith("#/"):
            return False
        if split_pointer(unquote(ref[1:]))[0] != self.key:
            return False
        return self._target(ref) is not None

    def _target(self, ref: str) -> Json:
        try:
            return lookup_reference(self.document, ref)
        except UnresolvedReference:
            return None

    def _reference(self, kind: ObjectKind, ref: Json) -> Json:
        several = _COMPONENTS.get(kind)
        if several is None or not self._leads_to_file(ref):
            return ref
        pointer = unquote(ref[1:])
        if (several, pointer) not in self.names:
            name = self._unused_name(several, split_pointer(pointer)[1:])
            self.names[several, pointer] = name
            self.queue.append((kind, name, self._target(ref)))
        return f"#/components/{several}/{self.names[several, pointer]}"

    def _unused_name(self, several: str, tokens: tuple[str, ...]) -> str:
        """A name after the last token or, where there is none, after the file."""
        stem = tokens[0].rpartition("/")[2].rpartition(".")[0]
        wanted = _ILLEGAL.sub("_", tokens[-1] if len(tokens) > 1 else stem).strip("_") or "part"
        if several not in self.used_names:
            self.used_names[several] = {item.lower() for item in self.components.get(several) or ()}
        taken = self.used_names[several]
        numbered = (f"{wanted}_{number}" for number in count(2))
        name = next(text for text in chain([wanted], numbered) if text.lower() not in taken)
        taken.add(name.lower())
        return name


def _reference_siblings(node: JsonObject) -> JsonObject:
    return {key: value for key, value in node.items() if key != "$ref"}
