"""
Schemas, parameters and headers of OpenAPI 3.0 as Swagger 2.0 says them.

Source: Swagger 2.0, "Schema Object", "Parameter Object", "Items Object" and "Header Object".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.references import dereference_node, join_pointer, lookup_reference
from restwright.openapi.versions.object_map import find_slot

# Swagger 2.0, "Schema Object".
_SCHEMA_KEYS = frozenset({
    "$ref", "format", "title", "description", "default", "multipleOf", "maximum",
    "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
    "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required", "enum",
    "type", "items", "allOf", "properties", "additionalProperties", "discriminator", "readOnly",
    "xml", "externalDocs", "example",
})  # fmt: skip
# Swagger 2.0, "Items Object"; an array in an array is separated by commas where nothing is said.
_VALUE_KEYS = frozenset({
    "type", "format", "items", "default", "enum", "multipleOf", "pattern", "maximum",
    "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "maxItems",
    "minItems", "uniqueItems",
})  # fmt: skip
_UNTOLD = frozenset({"title", "description", "example", "externalDocs", "xml", "readOnly"})
_PLAIN_TYPES = frozenset({"string", "number", "integer", "boolean"})
_COMPONENTS = "#/components/schemas/"
_STYLES = {"spaceDelimited": "ssv", "pipeDelimited": "pipes"}
_MAX_DEPTH = 20


@dataclass(slots=True)
class SwaggerValues:
    """
    Writes the values of one document.

    Args:
        document: In 3.0, as `downgrade_document()` gives it.
        definitions: Schemas that a reference led to outside the components, by their new names.
        problems: What could not be said until now.
    """

    document: JsonObject
    definitions: JsonObject = field(default_factory=dict[str, Json])
    problems: dict[Problem, None] = field(default_factory=dict[Problem, None])
    _moved: dict[str, str] = field(default_factory=dict[str, str])

    def tell(self, pointer: str, what: str, action: str = "left out") -> None:
        """Keep what cannot be said; once where the same is met on several ways."""
        self.problems[Problem(pointer, f"Swagger 2.0 has no {what}", "warning", action)] = None

    def find(self, node: Json) -> JsonObject:
        """What a node or its reference says; empty where that is nothing."""
        try:
            found = dereference_node(self.document, node)
        except UnresolvedReference:
            return {}
        return found if is_object(found) else {}

    def convert_schema(self, schema: Json, pointer: str) -> JsonObject:
        """A Schema Object with all that stands in it."""
        if not is_object(schema):
            return {}
        made: JsonObject = {}
        for key in schema:
            place = f"{pointer}{join_pointer(key)}"
            if key in _SCHEMA_KEYS or key.startswith("x-"):
                made[key] = self._convert_below(schema, key, place)
            elif key == "nullable":
                made |= self._convert_nullable(schema, place)
            else:
                self.tell(place, f"`{key}` in a schema")
        return made

    def _convert_nullable(self, schema: JsonObject, pointer: str) -> JsonObject:
        if schema.get("nullable") is not True:
            return {}
        self.tell(pointer, "`nullable`", "said as `x-nullable`")
        return {"x-nullable": True}

    def _convert_below(self, schema: JsonObject, key: str, pointer: str) -> Json:
        value, slot = schema[key], find_slot("schema", schema, key)
        if key == "discriminator" and is_object(value):
            if value.get("mapping"):
                self.tell(f"{pointer}/mapping", "`mapping` in a discriminator")
            return value.get("propertyName", "")
        if key == "$ref" and isinstance(value, str):
            return self._convert_reference(value)
        if slot is None or isinstance(value, bool):
            return value
        if slot.shape == "list" and is_array(value):
            return [
                self.convert_schema(item, f"{pointer}/{number}")
                for number, item in enumerate(value)
            ]
        if slot.shape == "map" and is_object(value):
            return {
                name: self.convert_schema(item, f"{pointer}{join_pointer(name)}")
                for name, item in value.items()
            }
        return self.convert_schema(value, pointer)

    def _convert_reference(self, ref: str) -> str:
        """The same schema among the definitions; one that stood elsewhere is put there."""
        if ref.startswith(_COMPONENTS) and ref.count("/") == _COMPONENTS.count("/"):
            return f"#/definitions/{ref.removeprefix(_COMPONENTS)}"
        if ref not in self._moved:
            try:
                found = lookup_reference(self.document, ref)
            except UnresolvedReference:
                return ref
            taken = {*self.document.get("components", {}).get("schemas", {}), *self.definitions}
            name = base = "".join(c if c.isalnum() else "_" for c in ref.rpartition("/")[2])
            number = 1
            while name in taken:
                number += 1
                name = f"{base}{number}"
            # The name comes first: a schema may lead to itself.
            self._moved[ref] = f"#/definitions/{name}"
            self.definitions[name] = {}
            self.definitions[name] = self.convert_schema(found, ref.removeprefix("#"))
        return self._moved[ref]

    def convert_parameter(self, parameter: JsonObject, pointer: str) -> JsonObject:
        """A parameter of a path, a query or a header."""
        kept = {"name", "in", "description", "required", "allowEmptyValue"}
        made = keep_keys(parameter, kept)
        if parameter["in"] != "query":
            made.pop("allowEmptyValue", None)
        if (example := self.find_example(parameter)) is not None:
            made["x-example"] = example
        for key in ("deprecated", "allowReserved"):
            if parameter.get(key):
                self.tell(f"{pointer}/{key}", f"`{key}` in a parameter")
        value = self.convert_value(parameter, pointer, parameter["in"])
        described = keep_keys(self.find(parameter.get("schema")), frozenset({"description"}))
        return {**described, **made, **value}

    def convert_header(self, header: Json, pointer: str) -> JsonObject:
        """A Header Object of a response."""
        found = self.find(header)
        made = keep_keys(found, {"description"})
        return made | self.convert_value(found, pointer, "header")

    def find_example(self, owner: JsonObject) -> Json:
        """The example of a parameter or a media type, the first of several; None for none."""
        examples = owner.get("examples")
        first = next(iter(examples.values()), None) if is_object(examples) else None
        return owner.get("example", self.find(first).get("value"))

    def convert_value(self, owner: JsonObject, pointer: str, location: str) -> JsonObject:
        """What stands in the place of `schema`, with `collectionFormat` for an array."""
        if "schema" not in owner and (content := owner.get("content")):
            name = next(iter(content))
            self.tell(f"{pointer}/content", f"value of {name} in a {location}", "said as a text")
            return {"type": "string"}
        value = self.convert_plain_value(owner.get("schema"), f"{pointer}/schema")
        style = owner.get("style", "form" if location in {"query", "formData"} else "simple")
        if value["type"] == "array":
            collection = self._find_collection(owner, style, pointer)
            if collection != "csv":
                value["collectionFormat"] = collection
        elif style in {"label", "matrix"}:
            self.tell(f"{pointer}/style", f"style `{style}`", "said as `simple`")
        return value

    def _find_collection(self, owner: JsonObject, style: str, pointer: str) -> str:
        if isinstance(own := owner.get("x-collectionFormat"), str):
            return own
        explodes = owner.get("explode", style == "form")
        if style in {"form", *_STYLES}:
            return "multi" if explodes else _STYLES.get(style, "csv")
        if style != "simple":
            self.tell(f"{pointer}/style", f"style `{style}`", "said as `csv`")
        return "csv"

    def convert_plain_value(self, schema: Json, pointer: str, depth: int = 0) -> JsonObject:
        """A schema of one text, number or flag, or of a list of such."""
        whole = self._merge(schema, depth)
        made = keep_keys(whole, _VALUE_KEYS)
        made |= self._convert_nullable(whole, f"{pointer}/nullable")
        if made.get("type") == "array" and depth < _MAX_DEPTH:
            items = self.convert_plain_value(whole.get("items"), f"{pointer}/items", depth + 1)
            return {**made, "items": items}
        if made.get("type") not in _PLAIN_TYPES:
            kind = made.get("type", "of several kinds")
            self.tell(pointer, f"value that is {kind} here", "said as a text")
            return {**keep_keys(made, {"default", "x-nullable"}), "type": "string"}
        for key in whole.keys() - _VALUE_KEYS - _UNTOLD - {"nullable"}:
            if not key.startswith("x-"):
                self.tell(f"{pointer}{join_pointer(key)}", f"`{key}` in a value that is no body")
        return made

    def _merge(self, schema: Json, depth: int) -> JsonObject:
        """A schema with what it refers to and all of `allOf`, as far as one place can say it."""
        found = self.find(schema)
        merged: JsonObject = {}
        for part in found.get("allOf", ()) if depth < _MAX_DEPTH else ():
            merged |= self._merge(part, depth + 1)
        return merged | {key: value for key, value in found.items() if key != "allOf"}

    def find_fields(self, schema: Json, depth: int = 0) -> tuple[JsonObject, list[str]]:
        """The properties of a form and which of them are needed, those of `allOf` among them."""
        found = self.find(schema)
        fields: JsonObject = {}
        required: list[str] = []
        for part in found.get("allOf", ()) if depth < _MAX_DEPTH else ():
            own, needed = self.find_fields(part, depth + 1)
            fields |= own
            required += needed
        fields |= found.get("properties", {})
        return fields, [*required, *found.get("required", ())]


def keep_keys(node: JsonObject, keys: frozenset[str] | set[str]) -> JsonObject:
    """What stands under these keys, and the extensions."""
    return {key: value for key, value in node.items() if key in keys or key.startswith("x-")}
