"""
Any version of the specification in the canonical form, OpenAPI 3.2 with JSON Schema 2020-12.

`upgraded()` does so for one Schema Object, wherever one is used; `upgrade()` for a whole document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from restwright.openapi.grammar import Kind, Slot, is_data, slot
from restwright.openapi.swagger import OPENAPI
from restwright.openapi.swagger_document import swagger_document
from restwright.openapi.swagger_inputs import VALUE_KEYWORDS, value_schema
from restwright.openapi.upgrade_references import References, legal_names
from restwright.openapi.upgrade_schema import Specification, upgraded
from restwright.typing import Json, JsonObject, is_array, is_object

__all__ = ["Specification", "upgrade", "upgraded"]

_SAME: Mapping[str, str] = {}
# The dialect of 3.1 is the one that 3.2 has without saying so.
_DIALECT = "https://spec.openapis.org/oas/3.1/"


def upgrade(document: JsonObject) -> JsonObject:
    """
    A whole document in OpenAPI 3.2. Upgrading that again changes nothing.

    Args:
        document: Of version 2.0, 3.0, 3.1 or 3.2, at most 200 levels deep; stays as it is. What is
            wrong in it and in no version right is kept.

    Returns:
        A new document, in which references lead to where their targets are now.

    Source: Swagger 2.0; OAS 3.0.4, 3.1.1 and 3.2.0.
    """
    specification = _specification(document)
    canonical, shared = document, dict[str, str]()
    if specification == "2.0":
        canonical, shared = swagger_document(document)
    references = References(
        document=document,
        canonical=canonical,
        shared=shared,
        names=legal_names(canonical.get("components")),
    )
    whole = _Upgrade(specification, references).one("document", canonical)
    if not str(whole.get("openapi")).startswith("3.2."):
        whole["openapi"] = OPENAPI
    if str(whole.get("jsonSchemaDialect")).startswith(_DIALECT):
        del whole["jsonSchemaDialect"]
    return whole


def _specification(document: JsonObject) -> Specification:
    if "openapi" not in document and str(document.get("swagger")).startswith("2"):
        return "2.0"
    version = str(document.get("openapi"))
    if version.startswith("3.0"):
        return "3.0"
    return "3.1" if version.startswith("3.1") else "3.2"


@dataclass(frozen=True, slots=True)
class _Upgrade:
    """Walks a document in the shape of 3.2, whose schemas are of any version."""

    specification: Specification
    references: References = field(repr=False)

    def one(self, kind: Kind, node: Json) -> Json:
        """One object of a kind, and all that is in it."""
        if not is_object(node):
            return node
        if kind == "schema":
            node = upgraded(node, self.specification)
        elif kind in {"parameter", "header"}:
            node = _with_schema(node)
        new: JsonObject = {}
        for key, value in node.items():
            place = slot(kind, node, key)
            names = self.references.names.get(key, _SAME) if kind == "components" else _SAME
            new[key] = (
                self._key(kind, key, value) if place is None else self._at(place, value, names)
            )
        return new

    def _at(self, place: Slot, value: Json, names: Mapping[str, str]) -> Json:
        """What stands where the grammar has a place; `names` are the names that change."""
        if place.shape == "one":
            return self.one(place.kind, value)
        if place.shape == "list" and is_array(value):
            return [self.one(place.kind, each) for each in value]
        if place.shape == "map" and is_object(value):
            return {
                names.get(name, name): each if is_data(place, name) else self.one(place.kind, each)
                for name, each in value.items()
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


def _with_schema(node: JsonObject) -> JsonObject:
    """A parameter that describes its value as in Swagger 2.0, as OpenAPI does."""
    if "type" not in node or "schema" in node or "content" in node:
        return node
    kept = {key: value for key, value in node.items() if key not in VALUE_KEYWORDS}
    return {**kept, "schema": value_schema(node)}
