"""
Any version of the specification in the canonical form, OpenAPI 3.2 with JSON Schema 2020-12.

`upgrade_schema()` does so for one Schema Object, wherever one is used; `upgrade_document()` for a
whole document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple
from urllib.parse import quote, unquote

from restwright.errors import NotOpenAPI, UnreadableDocument, UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.load.hoist import hoist_components
from restwright.openapi.read.cursor import text_from_scalar
from restwright.openapi.references import join_pointer, lookup_reference, split_pointer
from restwright.openapi.syntax.limits import MAX_NODES
from restwright.openapi.versions.detect import detect_specification
from restwright.openapi.versions.object_map import (
    ObjectKind,
    Slot,
    find_slot,
    is_extension,
    slot_members,
)
from restwright.openapi.versions.schema import (
    Specification,
    is_true,
    relocate_subschema,
    upgrade_schema,
)
from restwright.openapi.versions.swagger import OPENAPI_VERSION
from restwright.openapi.versions.swagger_document import convert_swagger_document
from restwright.openapi.versions.swagger_parameters import VALUE_KEYWORDS, value_schema

__all__ = ["Specification", "upgrade_document"]

_SPECIFICATIONS: Mapping[str, Specification] = {
    "2.0": "2.0",
    "3.0": "3.0",
    "3.1": "3.1",
    "3.2": "3.2",
}
_SAME: Mapping[str, str] = {}
_INFO = ("title", "version", "summary", "description", "termsOfService")
# The dialect of 3.1 is the one that 3.2 has without saying so.
_DIALECT = "https://spec.openapis.org/oas/3.1/"


def upgrade_document(document: JsonObject, *, max_objects: int = MAX_NODES) -> JsonObject:
    """
    A whole document in OpenAPI 3.2. Upgrading that again changes nothing.

    What it takes from other files (`allow_refs`) becomes components.

    Args:
        document: Of version 2.0, 3.0, 3.1 or 3.2, at most 200 levels deep; stays as it is. What is
            wrong in it and in no version right is kept, but for `info`, whose texts are made ones.
        max_objects: That what it shares may make, written out.

    Returns:
        A new document, in which references lead to where their targets are now.

    Raises:
        UnreadableDocument: Written out, what it shares makes more than `max_objects`.

    Source: Swagger 2.0; OAS 3.0.4, 3.1.1 and 3.2.0.
    """
    specification = _specification_or_latest(document)
    shared: Mapping[str, str] = {}
    if specification == "2.0":
        canonical, shared = convert_swagger_document(document)
        canonical = hoist_components(canonical, document)
    else:
        document = canonical = hoist_components(document, document)
    references = ReferenceMap(
        document=document,
        canonical=canonical,
        shared=shared,
        names=legalize_component_names(canonical.get("components")),
    )
    whole = _Upgrader(specification, references, max_objects).upgrade(
        "document", canonical, _Position()
    )
    if not str(whole.get("openapi")).startswith("3.2."):
        # `swagger: 3.0` is OpenAPI under the key of its past.
        whole.pop("swagger", None)
        whole = {
            "openapi": OPENAPI_VERSION,
            **{key: whole[key] for key in whole if key != "openapi"},
        }
    if str(whole.get("jsonSchemaDialect")).startswith(_DIALECT):
        del whole["jsonSchemaDialect"]
    info = _upgrade_info(whole.pop("info", None))
    return {"openapi": whole.pop("openapi"), "info": info, **whole}


def _upgrade_info(written: Json) -> JsonObject:
    """
    An Info Object with a title and a version; YAML reads `version: 1.0` as a number.

    Source: OAS 3.2, "Info Object".
    """
    info = written if is_object(written) else {}
    known = {
        key: text_from_scalar(value) if key in _INFO else value
        for key, value in info.items()
        if value is not None or key not in _INFO
    }
    return known | {key: "" for key in ("title", "version") if key not in known}


def _specification_or_latest(document: JsonObject) -> Specification:
    try:
        found, _ = detect_specification(document, "the document")
    except NotOpenAPI:
        return "3.2"
    return _SPECIFICATIONS[found]


class _Position(NamedTuple):
    """Where an object stands, and the nearest schema around it that asks to be recursed to."""

    tokens: tuple[str, ...] = ()
    recursion: str | None = None

    def below(self, token: str) -> _Position:
        return _Position((*self.tokens, token), self.recursion)


@dataclass(frozen=True, slots=True)
class _Upgrader:
    """Walks a document in the shape of 3.2, whose schemas are of any version."""

    specification: Specification
    references: ReferenceMap = field(repr=False)
    max_objects: int
    visits: Iterator[int] = field(default_factory=count, repr=False)

    def upgrade(self, kind: ObjectKind, node: Json, parent: _Position) -> Json:
        """One object of a kind, and all that is in it."""
        if not is_object(node):
            return node
        if next(self.visits) > self.max_objects:
            why = f"what it shares would be written out as more than {self.max_objects:,} objects"
            raise UnreadableDocument("the upgraded document", why, is_over_limit=True)
        if kind == "schema":
            node = upgrade_schema(node, self.specification)
            if "$recursiveAnchor" in node or "$recursiveRef" in node:
                node, parent = _unroll_recursion(node, parent)
        elif kind in {"parameter", "header"}:
            node = _move_value_to_schema(node)
        new: JsonObject = {}
        for key, value in node.items():
            place = find_slot(kind, node, key)
            if place is None:
                new[key] = self._upgrade_key(kind, key, value)
            else:
                names = self.references.names.get(key, _SAME) if kind == "components" else _SAME
                new[key] = self._upgrade_at(place, value, names, parent.below(key))
        return new

    def _upgrade_at(
        self, place: Slot, value: Json, names: Mapping[str, str], parent: _Position
    ) -> Json:
        """What stands where the grammar has a place; `names` are the names that change."""
        if place.shape == "one":
            return self.upgrade(place.kind, value, parent)
        if place.shape == "list" and is_array(value):
            return [
                self.upgrade(place.kind, each, parent.below(str(index)))
                for index, each in enumerate(value)
            ]
        if place.shape == "map" and is_object(value):
            renamed = ((names.get(name, name), each) for name, each in value.items())
            return {
                name: each
                if is_extension(place, name)
                else self.upgrade(place.kind, each, parent.below(name))
                for name, each in renamed
            }
        return value

    def _upgrade_key(self, kind: ObjectKind, key: str, value: Json) -> Json:
        """What stands under `key`, where no objects are."""
        if key in {"$ref", "$dynamicRef", "operationRef"} and isinstance(value, str):
            return self.references.canonical_ref(value)
        if key == "security" and kind in {"document", "operation"} and is_array(value):
            return [self._upgrade_requirement(item) for item in value]
        if key == "discriminator" and kind == "schema" and is_object(value):
            return self._upgrade_discriminator(value)
        return value

    def _upgrade_requirement(self, value: Json) -> Json:
        if not is_object(value):
            return value
        name = self.references.component_name
        return {name("securitySchemes", key): scopes for key, scopes in value.items()}

    def _upgrade_discriminator(self, value: JsonObject) -> JsonObject:
        mapping = value.get("mapping")
        if not is_object(mapping):
            return value
        return {
            **value,
            "mapping": {key: self._upgrade_schema_reference(each) for key, each in mapping.items()},
        }

    def _upgrade_schema_reference(self, value: Json) -> Json:
        """A schema by its reference or, as OpenAPI allows here, by its name."""
        if not isinstance(value, str):
            return value
        renamed = self.references.component_name("schemas", value)
        return self.references.canonical_ref(value) if renamed == value else renamed


def _unroll_recursion(node: JsonObject, parent: _Position) -> tuple[JsonObject, _Position]:
    """
    A recursion of draft 2019-09 as a reference to the schema that it means.

    By the letter it leads to the top of the document, since schemas in OpenAPI have no `$id`.
    """
    kept = {key: value for key, value in node.items() if key != "$recursiveAnchor"}
    if is_true(node.get("$recursiveAnchor")):
        parent = parent._replace(recursion=fragment_from_tokens(parent.tokens))
    if parent.recursion is not None and "$recursiveRef" in kept and "$ref" not in kept:
        kept["$ref"] = parent.recursion
        del kept["$recursiveRef"]
    return kept, parent


def _move_value_to_schema(node: JsonObject) -> JsonObject:
    """A parameter that describes its value as in Swagger 2.0, as OpenAPI does."""
    if "type" not in node or "schema" in node or "content" in node:
        return node
    kept = {key: value for key, value in node.items() if key not in VALUE_KEYWORDS}
    return {**kept, "schema": value_schema(node)}


PointerTokens = tuple[str, ...]

# OAS 3.2.0 "Components Object": the characters of a name.
_ILLEGAL = re.compile(r"[^a-zA-Z0-9._-]+")
_DOCUMENT = Slot("one", "document")
_MOVED = {
    "definitions": ("components", "schemas"),
    "securityDefinitions": ("components", "securitySchemes"),
}
# RFC 3986 "Fragment", beside letters and digits; the slash separates the tokens.
_FRAGMENT = "/?:@!$&'()*+,;=-._~"


def legalize_component_names(components: Json) -> Mapping[str, Mapping[str, str]]:
    """
    `{kind: {name: legal name}}` of the components whose names are not legal.

    What is legal stays; the rest stays readable, and gets eight digits of its SHA-256 where the
    readable name is taken.
    """
    if not is_object(components):
        return {}
    return {
        kind: _legalize_names(several)
        for kind, several in components.items()
        if is_object(several) and not kind.startswith("x-")
    }


def _legalize_names(several: JsonObject) -> dict[str, str]:
    illegal = [name for name in several if not name or _ILLEGAL.search(name)]
    taken = {name.lower() for name in several.keys() - set(illegal)}
    names: dict[str, str] = {}
    for name in illegal:
        readable = _ILLEGAL.sub("_", name).strip("_")
        if not readable or readable.lower() in taken:
            digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            readable = f"{readable}_{digits}".lstrip("_")
        taken.add(readable.lower())
        names[name] = readable
    return names


def fragment_from_tokens(tokens: PointerTokens) -> str:
    """
    The reference to what stands under `tokens` in the same document.

    Source: RFC 6901, "URI Fragment Identifier Representation".
    """
    return f"#{quote(join_pointer(*tokens), safe=_FRAGMENT)}"


@dataclass(slots=True, kw_only=True)
class ReferenceMap:
    """
    The references of one document, each looked at once.

    Args:
        document: As written.
        canonical: In the shape of OpenAPI 3.2, its schemas the objects of `document`.
        shared: `{reference: what it leads to in canonical}` where that was found out before; the
            references without percent-encoding.
        names: As `legalize_component_names()`.
    """

    document: JsonObject = field(repr=False)
    canonical: JsonObject = field(repr=False)
    shared: Mapping[str, str]
    names: Mapping[str, Mapping[str, str]]
    _memo: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _places: dict[int, PointerTokens] = field(default_factory=dict[int, PointerTokens], repr=False)

    def canonical_ref(self, ref: str) -> str:
        """What `ref` is in the upgraded document; itself where it leads elsewhere or nowhere."""
        if ref not in self._memo:
            self._memo[ref] = self._canonical(self.shared.get(unquote(ref), ref))
        return self._memo[ref]

    def component_name(self, kind: str, name: str) -> str:
        """The name of a component."""
        return self.names.get(kind, {}).get(name, name)

    def _canonical(self, ref: str) -> str:
        fragment = unquote(ref[1:])
        if not ref.startswith("#") or not fragment.startswith("/"):
            return ref
        tokens = split_pointer(fragment)
        there = self._upgrade_tokens(self._canonical_tokens(ref, tokens))
        if there == tokens:
            return ref
        return fragment_from_tokens(there)

    def _canonical_tokens(self, ref: str, tokens: PointerTokens) -> PointerTokens:
        """The tokens of the same object in `canonical`."""
        if self.canonical is self.document or tokens[0] == "components":
            return tokens
        if tokens[0] in _MOVED:
            return (*_MOVED[tokens[0]], *tokens[1:])
        try:
            target = lookup_reference(self.document, ref)
        except UnresolvedReference:
            return tokens
        if not self._places:
            for identity, place in _walk_objects(self.canonical):
                # Components come first.
                self._places.setdefault(identity, place)
        return self._places.get(id(target), tokens)

    def _upgrade_tokens(self, tokens: PointerTokens) -> PointerTokens:
        """The tokens after names were made legal and schemas upgraded."""
        there: list[str] = []
        node: Json = self.canonical
        place: Slot | None = _DOCUMENT
        for index, token in enumerate(tokens):
            if place is not None and place.shape == "one" and is_object(node):
                following = tokens[index + 1] if index + 1 < len(tokens) else None
                is_schema = place.kind == "schema"
                there.extend(relocate_subschema(node, token, following) if is_schema else (token,))
                place = find_slot(place.kind, node, token)
            else:
                is_name = len(there) == 2 and there[0] == "components"
                there.append(self.component_name(there[1], token) if is_name else token)
                place = Slot("one", place.kind) if place is not None else None
            node = _find_member(node, token)
        return tuple(there)


def _find_member(node: Json, token: str) -> Json:
    if is_object(node):
        return node.get(token)
    if is_array(node) and token.isdecimal() and int(token) < len(node):
        return node[int(token)]
    return None


def _walk_objects(document: JsonObject) -> Iterator[tuple[int, PointerTokens]]:
    """`(id, tokens)` of every object that the grammar knows, from the end of the document on."""
    waiting: list[tuple[PointerTokens, Slot, Json]] = [((), _DOCUMENT, document)]
    while waiting:
        tokens, place, node = waiting.pop()
        if place.shape != "one":
            one = Slot("one", place.kind)
            waiting.extend(((*tokens, key), one, each) for key, each in slot_members(place, node))
        elif is_object(node):
            yield id(node), tokens
            for key, each in node.items():
                if (found := find_slot(place.kind, node, key)) is not None:
                    waiting.append(((*tokens, key), found, each))
