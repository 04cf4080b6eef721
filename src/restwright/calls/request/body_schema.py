"""What a document says about one value of a body, as far as writing it needs that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import lookup_reference

_MOST = 200  # schemas looked at for one question: references and branches may go round in circles
_BRANCHES = ("allOf", "anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class BodySchema:
    """
    A schema as the document writes it, read for how a value is written and no further.

    Args:
        document: What its references point into.
    """

    schema: Json
    document: JsonObject = field(repr=False)

    def member(self, name: str) -> BodySchema:
        """The property `name`, else what additional ones are; also where a branch says it."""
        additional: Json = True
        for schema in self._schemas():
            properties = schema.get("properties")
            if is_object(properties) and name in properties:
                return BodySchema(properties[name], self.document)
            if is_object(schema.get("additionalProperties")):
                additional = schema["additionalProperties"]
        return BodySchema(additional, self.document)

    @property
    def properties(self) -> Mapping[str, BodySchema]:
        """`{name: what is said of it}` of every property, also where a branch says it."""
        found: dict[str, BodySchema] = {}
        for item in self._schemas():
            properties = item.get("properties")
            for name, schema in properties.items() if is_object(properties) else ():
                found.setdefault(name, BodySchema(schema, self.document))
        return found

    @property
    def items(self) -> BodySchema:
        """The items of an array."""
        return BodySchema(self.keyword("items", missing=True), self.document)

    def element(self, index: int) -> BodySchema:
        """The item of an array at a position."""
        first = self.keyword("prefixItems")
        if is_array(first) and index < len(first):
            return BodySchema(first[index], self.document)
        return self.items

    @property
    def const_or_default(self) -> Json:
        """The one value that it allows, else its default; None for neither."""
        enum = self.keyword("enum")
        only = enum[0] if is_array(enum) and len(enum) == 1 else None
        return next(
            (e for e in (self.keyword("const"), only, self.keyword("default")) if e is not None),
            None,
        )

    def keyword(self, name: str, *, missing: Json = None) -> Json:
        """The first value of a keyword, here or behind references and branches."""
        return next((schema[name] for schema in self._schemas() if name in schema), missing)

    @property
    def component(self) -> str:
        """The name of the component that it refers to; empty for none."""
        ref = self.schema.get("$ref") if is_object(self.schema) else None
        return ref.rpartition("/")[2] if isinstance(ref, str) else ""

    @property
    def is_text(self) -> bool:
        """Whether it is a string."""
        kind = self.keyword("type")
        return kind == "string" or (is_array(kind) and "string" in kind)

    @property
    def is_file(self) -> bool:
        """
        Whether it is a string of bytes that JSON has no form for.

        Source: OAS 3.2, "Working with Binary Data"; OAS 3.0, `format: binary`.
        """
        if self.keyword("type") == "file":
            return True
        if self.is_base64:
            return False
        is_media = self.keyword("contentMediaType") is not None
        return self.keyword("format") in {"binary", "file"} or (is_media and self._is_open)

    @property
    def is_base64(self) -> bool:
        """Whether it is bytes as base64 text."""
        return self.keyword("format") == "byte" or self.keyword("contentEncoding") == "base64"

    @property
    def _is_open(self) -> bool:
        return self.keyword("type") is None or self.is_text

    def _schemas(self) -> Iterator[JsonObject]:
        """This schema and those that it refers to and combines, the nearest first, bounded."""
        waiting, seen = [self.schema], set[int]()
        for schema in waiting:
            if not is_object(schema) or id(schema) in seen:
                continue
            seen.add(id(schema))
            if len(seen) > _MOST:
                return
            yield schema
            if "$ref" in schema:
                waiting.append(self._resolve(schema["$ref"]))
            for keyword in _BRANCHES:
                branches = schema.get(keyword)
                waiting.extend(branches[:_MOST] if is_array(branches) else ())

    def _resolve(self, ref: Json) -> Json:
        try:
            return lookup_reference(self.document, ref) if isinstance(ref, str) else True
        except UnresolvedReference:
            return True
