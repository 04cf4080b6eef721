"""
Any version of the specification in the canonical form, OpenAPI 3.2 with JSON Schema 2020-12.

`upgraded()` does so for one Schema Object, wherever one is used; `upgrade()` for a whole document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from restwright.errors import NotOpenAPI, UnreadableDocument
from restwright.openapi.load.hoist import gathered
from restwright.openapi.read.cursor import text_of
from restwright.openapi.syntax.limits import MAX_NODES
from restwright.openapi.upgrade_references import References, fragment_of, legal_names
from restwright.openapi.versions.detect import specification_of
from restwright.openapi.versions.object_map import Kind, Slot, is_data, slot
from restwright.openapi.versions.schema import Specification, is_true, upgraded
from restwright.openapi.versions.swagger import OPENAPI
from restwright.openapi.versions.swagger_document import swagger_document
from restwright.openapi.versions.swagger_parameters import VALUE_KEYWORDS, value_schema
from restwright.typing import Json, JsonObject, is_array, is_object

__all__ = ["Specification", "upgrade", "upgraded"]

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


def upgrade(document: JsonObject) -> JsonObject:
    """
    A whole document in OpenAPI 3.2. Upgrading that again changes nothing.

    What it takes from other files (`allow_refs`) becomes components.

    Args:
        document: Of version 2.0, 3.0, 3.1 or 3.2, at most 200 levels deep; stays as it is. What is
            wrong in it and in no version right is kept, but for `info`, whose texts are made ones.

    Returns:
        A new document, in which references lead to where their targets are now.

    Raises:
        UnreadableDocument: Written out, what it shares makes more than 3,000,000 objects.

    Source: Swagger 2.0; OAS 3.0.4, 3.1.1 and 3.2.0.
    """
    specification = _specification(document)
    shared: Mapping[str, str] = {}
    if specification == "2.0":
        canonical, shared = swagger_document(document)
        canonical = gathered(canonical, document)
    else:
        document = canonical = gathered(document, document)
    references = References(
        document=document,
        canonical=canonical,
        shared=shared,
        names=legal_names(canonical.get("components")),
    )
    whole = _Upgrade(specification, references).one("document", canonical, _Above())
    if not str(whole.get("openapi")).startswith("3.2."):
        # `swagger: 3.0` is OpenAPI under the key of its past.
        whole.pop("swagger", None)
        whole = {"openapi": OPENAPI, **{key: whole[key] for key in whole if key != "openapi"}}
    if str(whole.get("jsonSchemaDialect")).startswith(_DIALECT):
        del whole["jsonSchemaDialect"]
    info = _info(whole.pop("info", None))
    return {"openapi": whole.pop("openapi"), "info": info, **whole}


def _info(written: Json) -> JsonObject:
    """
    An Info Object with a title and a version; YAML reads `version: 1.0` as a number.

    Source: OAS 3.2, "Info Object".
    """
    info = written if is_object(written) else {}
    known = {
        key: text_of(value) if key in _INFO else value
        for key, value in info.items()
        if value is not None or key not in _INFO
    }
    return known | {key: "" for key in ("title", "version") if key not in known}


def _specification(document: JsonObject) -> Specification:
    try:
        found, _ = specification_of(document, "the document")
    except NotOpenAPI:
        return "3.2"
    return _SPECIFICATIONS[found]


class _Above(NamedTuple):
    """Where an object stands, and the nearest schema around it that asks to be recursed to."""

    tokens: tuple[str, ...] = ()
    recursion: str | None = None

    def below(self, token: str) -> _Above:
        return _Above((*self.tokens, token), self.recursion)


@dataclass(frozen=True, slots=True)
class _Upgrade:
    """Walks a document in the shape of 3.2, whose schemas are of any version."""

    specification: Specification
    references: References = field(repr=False)
    visits: Iterator[int] = field(default_factory=count, repr=False)

    def one(self, kind: Kind, node: Json, above: _Above) -> Json:
        """One object of a kind, and all that is in it."""
        if not is_object(node):
            return node
        if next(self.visits) > MAX_NODES:
            why = f"what it shares would be written out as more than {MAX_NODES:,} objects"
            raise UnreadableDocument("the upgraded document", why, is_over_limit=True)
        if kind == "schema":
            node = upgraded(node, self.specification)
            if "$recursiveAnchor" in node or "$recursiveRef" in node:
                node, above = _unrolled(node, above)
        elif kind in {"parameter", "header"}:
            node = _with_schema(node)
        new: JsonObject = {}
        for key, value in node.items():
            place = slot(kind, node, key)
            if place is None:
                new[key] = self._key(kind, key, value)
            else:
                names = self.references.names.get(key, _SAME) if kind == "components" else _SAME
                new[key] = self._at(place, value, names, above.below(key))
        return new

    def _at(self, place: Slot, value: Json, names: Mapping[str, str], above: _Above) -> Json:
        """What stands where the grammar has a place; `names` are the names that change."""
        if place.shape == "one":
            return self.one(place.kind, value, above)
        if place.shape == "list" and is_array(value):
            return [
                self.one(place.kind, each, above.below(str(index)))
                for index, each in enumerate(value)
            ]
        if place.shape == "map" and is_object(value):
            renamed = ((names.get(name, name), each) for name, each in value.items())
            return {
                name: each
                if is_data(place, name)
                else self.one(place.kind, each, above.below(name))
                for name, each in renamed
            }
        return value

    def _key(self, kind: Kind, key: str, value: Json) -> Json:
        """What stands under `key`, where no objects are."""
        if key in {"$ref", "$dynamicRef", "operationRef"} and isinstance(value, str):
            return self.references.canonical_ref(value)
        if key == "security" and kind in {"document", "operation"} and is_array(value):
            return [self._requirement(each) for each in value]
        if key == "discriminator" and kind == "schema" and is_object(value):
            return self._discriminator(value)
        return value

    def _requirement(self, value: Json) -> Json:
        if not is_object(value):
            return value
        name = self.references.name
        return {name("securitySchemes", key): scopes for key, scopes in value.items()}

    def _discriminator(self, value: JsonObject) -> JsonObject:
        mapping = value.get("mapping")
        if not is_object(mapping):
            return value
        return {**value, "mapping": {key: self._schema(each) for key, each in mapping.items()}}

    def _schema(self, value: Json) -> Json:
        """A schema by its reference or, as OpenAPI allows here, by its name."""
        if not isinstance(value, str):
            return value
        renamed = self.references.name("schemas", value)
        return self.references.canonical_ref(value) if renamed == value else renamed


def _unrolled(node: JsonObject, above: _Above) -> tuple[JsonObject, _Above]:
    """
    A recursion of draft 2019-09 as a reference to the schema that it means.

    By the letter it leads to the top of the document, since schemas in OpenAPI have no `$id`.
    """
    kept = {key: value for key, value in node.items() if key != "$recursiveAnchor"}
    if is_true(node.get("$recursiveAnchor")):
        above = above._replace(recursion=fragment_of(above.tokens))
    if above.recursion is not None and "$recursiveRef" in kept and "$ref" not in kept:
        kept["$ref"] = above.recursion
        del kept["$recursiveRef"]
    return kept, above


def _with_schema(node: JsonObject) -> JsonObject:
    """A parameter that describes its value as in Swagger 2.0, as OpenAPI does."""
    if "type" not in node or "schema" in node or "content" in node:
        return node
    kept = {key: value for key, value in node.items() if key not in VALUE_KEYWORDS}
    return {**kept, "schema": value_schema(node)}
