"""Undoes in arguments what a dialect did to optional inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref
from restwright.tools.dialects.nullable import is_null_schema
from restwright.tools.dialects.rewriter import definition_name, schema_types


def remove_filler_nulls(arguments: JsonObject, checks: JsonObject) -> JsonObject:
    """
    `arguments` without the nulls that stand for "not given".

    A strict dialect makes a model give every property, null for those it has nothing for. A null
    for a property that is optional and that `checks` does not allow to be null is removed, at any
    depth; nothing else changes.

    Args:
        checks: JSON Schema 2020-12 of the arguments with its `$defs`, as `Tool.checks`.
    """
    found = _NullRemover(definitions=checks.get("$defs", {})).remove(arguments, [checks])
    return found if is_object(found) else arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class _NullRemover:
    definitions: JsonObject = field(repr=False)

    def remove(self, value: Json, schemas: list[Json]) -> Json:
        """
        A value and everything below it.

        Args:
            schemas: That apply to it, all of them.
        """
        if is_object(value):
            parts = [part for schema in schemas for part in self.matching_parts(schema, value)]
            return {
                name: self.remove(each, self.property_schemas(parts, name))
                for name, each in value.items()
                if each is not None or not self.is_filler(name, schemas, parts)
            }
        if is_array(value):
            parts = [part for schema in schemas for part in self.matching_parts(schema, value)]
            return [
                self.remove(each, _item_schemas(parts, index)) for index, each in enumerate(value)
            ]
        return value

    def is_filler(self, name: str, schemas: list[Json], parts: list[JsonObject]) -> bool:
        """Whether a null for this property says that it is not given."""
        if any(self.requires(schema, name, ()) for schema in schemas):
            return False
        allowed = self.property_schemas(parts, name)
        return bool(allowed) and not all(self.allows_null(item, ()) for item in allowed)

    def matching_parts(
        self, schema: Json, value: Json, inside: tuple[str, ...] = ()
    ) -> Iterator[JsonObject]:
        """
        The schemas that say something about `remove` itself: through `$ref`, `allOf`,
        `anyOf`.
        """
        if not is_object(schema):
            return
        yield schema
        if (ref := find_ref(schema)) is not None and ref not in inside:
            yield from self.matching_parts(
                self.definitions.get(definition_name(ref)), value, (*inside, ref)
            )
        for branch in schema.get("allOf", ()):
            yield from self.matching_parts(branch, value, inside)
        for keyword in ("anyOf", "oneOf"):
            for alternative in self.choose_branch(schema.get(keyword, ()), value):
                yield from self.matching_parts(alternative, value, inside)

    def choose_branch(self, branches: list[Json], value: Json) -> list[Json]:
        """
        The alternative that `remove` was written for, as far as can be told; else all of
        them.
        """
        left = [branch for branch in branches if not is_null_schema(branch)]
        for test in (self.has_type, self.has_constants, self.declares_all):
            chosen = [item for item in left if test(item, value)]
            left = chosen or left
        return left[:1] if is_object(value) else left

    def has_type(self, branch: Json, value: Json) -> bool:
        kinds = {kind for part in self.matching_parts(branch, None) for kind in schema_types(part)}
        kind = "object" if is_object(value) else "array"
        return value is None or not kinds or kind in kinds

    def has_constants(self, branch: Json, value: Json) -> bool:
        """Whether what is given fits the constants and enumerations of a branch."""
        if not is_object(value):
            return True
        for part in self.matching_parts(branch, None):
            for name, each in part.get("properties", {}).items():
                given = value.get(name)
                if given is not None and is_object(each) and not _fits_constants(each, given):
                    return False
        return True

    def declares_all(self, branch: Json, value: Json) -> bool:
        """Whether a branch names all the properties that are given."""
        known = {
            name
            for part in self.matching_parts(branch, None)
            for name in part.get("properties", ())
        }
        return not is_object(value) or value.keys() <= known

    def property_schemas(self, parts: list[JsonObject], name: str) -> list[Json]:
        """The schemas of a property."""
        found = [part["properties"][name] for part in parts if name in part.get("properties", ())]
        if found:
            return found
        others = [part.get("additionalProperties") for part in parts]
        return [other for other in others if is_object(other)]

    def requires(self, schema: Json, name: str, inside: tuple[str, ...]) -> bool:
        if not is_object(schema):
            return False
        return name in schema.get("required", ()) or self._combine(
            schema,
            inside,
            lambda each, deeper: self.requires(each, name, deeper),
            some=any,
            one=all,
        )

    def allows_null(self, schema: Json, inside: tuple[str, ...]) -> bool:
        if not is_object(schema):
            return schema is not False
        kinds = schema_types(schema)
        refused = bool(kinds) and "null" not in kinds
        refused = refused or ("enum" in schema and None not in schema["enum"])
        refused = refused or schema.get("const", None) is not None
        return not refused and self._combine(schema, inside, self.allows_null, some=all, one=any)

    def _combine(
        self,
        schema: JsonObject,
        inside: tuple[str, ...],
        test: Callable[[Json, tuple[str, ...]], bool],
        *,
        some: Callable[[list[bool]], bool],
        one: Callable[[list[bool]], bool],
    ) -> bool:
        """`test` over what a schema is made of: `some` joins parts, `one` joins alternatives."""
        results = [test(branch, inside) for branch in schema.get("allOf", ())]
        if (ref := find_ref(schema)) is not None and ref not in inside:
            results.append(test(self.definitions.get(definition_name(ref), True), (*inside, ref)))
        alternatives = [schema[literal] for literal in ("anyOf", "oneOf") if literal in schema]
        results += [one([test(branch, inside) for branch in branches]) for branches in alternatives]
        return some(results)


def _item_schemas(parts: list[JsonObject], index: int) -> list[Json]:
    """The schemas of one element of an array."""
    found: list[Json] = []
    for part in parts:
        first = part.get("prefixItems", ())
        if index < len(first):
            found.append(first[index])
        elif "items" in part:
            found.append(part["items"])
    return found


def _fits_constants(schema: JsonObject, value: Json) -> bool:
    if "const" in schema:
        return bool(schema["const"] == value)
    return "enum" not in schema or value in schema["enum"]
