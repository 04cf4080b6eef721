"""
The schemas of a document, cleaned: each component once, whoever refers to it.

A cleaned schema is JSON Schema 2020-12 that holds only what a validator or a model can use; its
references are `#/$defs/Name`, and `Definitions.reachable_definitions` gives the definitions behind
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.read.schema_resources import DynamicScope, SchemaResources
from restwright.openapi.references import find_ref, split_pointer
from restwright.openapi.upgrade import Specification, upgrade_schema
from restwright.tools.naming.names import clean_name as cleaned_name
from restwright.tools.naming.names import hash_digits
from restwright.tools.schemas.discriminator import describe_discriminator, relax_one_of
from restwright.tools.schemas.keywords import repair_keyword
from restwright.tools.schemas.merge import ANNOTATIONS, merge_all_of, wrap_reference
from restwright.tools.schemas.sanitizers import (
    CLEANERS,
    FOREIGN_KEYWORDS,
    LEAF_KEYWORDS,
    OMITTED,
    clean_leaf,
)
from restwright.tools.schemas.traverse import schema_references

if TYPE_CHECKING:
    from restwright.openapi.model import SecurityScheme

Direction = Literal["request", "response"]
SchemaForm = Literal["checks", "shows"]

HUMAN_KEY = "x-human"
"""Marks the cleaned schemas that are left to a human."""

_PREFIX = "#/$defs/"
_COMPONENT = re.compile(r"#/(?:components/schemas|definitions)/([A-Za-z0-9._-]+)")
_READABLE = 40
_REFERENCE_ALONE = frozenset({"$ref"})
_REFERENCES = frozenset({"$ref", "$dynamicRef"})
_REFERENCE_AND_TEXTS = ANNOTATIONS | {"$ref"}
_DEEPEST_MERGE = 100

_NO_SCHEMES: Mapping[str, SecurityScheme] = {}


@dataclass(slots=True)
class Definitions:
    """
    The cleaned components of one document, for one direction. Holds what was cleaned so far.

    Args:
        open_document: Gives what `$ref`s point into; called when a schema is first cleaned.
        direction: `request` leaves out read-only properties, `response` write-only ones.
        form: `checks` keeps the exact meaning, and `allOf` as it is; `shows` merges `allOf`, keeps
            short examples, and says in words what a discriminator decides.
        specification: The version that the document is written in.
        security_schemes: Gives those of the document; their parameters are no inputs.
        memo: What others made of values of the document, by the identity of the value.
        is_human: Marks a schema that is left to a human with `x-human`; None marks none.
    """

    open_document: Callable[[], JsonObject] = field(repr=False)
    direction: Direction = "request"
    form: SchemaForm = "checks"
    specification: Specification = "3.1"
    is_human: Callable[[JsonObject], bool] | None = None
    security_schemes: Callable[[], Mapping[str, SecurityScheme]] = field(
        default=lambda: _NO_SCHEMES, repr=False
    )
    _names: dict[tuple[str, int], str] = field(
        default_factory=dict[tuple[str, int], str], repr=False
    )
    _targets: dict[str, tuple[Json, DynamicScope]] = field(
        default_factory=dict[str, tuple[Json, DynamicScope]], repr=False
    )
    _cleaned: dict[str, Json] = field(default_factory=dict[str, "Json"], repr=False)
    _plain: dict[str, JsonObject] = field(default_factory=dict[str, "JsonObject"], repr=False)
    _in_progress: set[str] = field(default_factory=set[str], repr=False)
    _straight: set[str] = field(default_factory=set[str], repr=False)
    _foreign: dict[str, bool] = field(default_factory=dict[str, bool], repr=False)
    _links: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]], repr=False
    )
    memo: dict[int, tuple[Json, Json]] = field(
        default_factory=dict[int, tuple["Json", "Json"]], repr=False
    )
    _resources: SchemaResources | None = field(default=None, repr=False)

    @property
    def resources(self) -> SchemaResources:
        """What `$ref`s are resolved against."""
        if self._resources is None:
            self._resources = SchemaResources(self.open_document())
        return self._resources

    def clean(self, schema: Json, scope: DynamicScope | None = None) -> Json:
        """
        A schema of the document in its clean form; subschemas included, references kept.

        Args:
            scope: Where it stands; None for the document itself.
        """
        if not is_object(schema):
            return schema if isinstance(schema, bool) else True
        if scope is None and self.is_human is None and schema.keys() == _REFERENCE_ALONE:
            return self._reference(schema["$ref"])
        node = upgrade_schema(schema, self.specification)
        kept = (
            clean_leaf(node) if node.keys() <= LEAF_KEYWORDS else self._clean_keywords(node, scope)
        )
        if self.is_human is not None and self.is_human(schema):
            kept[HUMAN_KEY] = True
        return kept

    def _reference(self, ref: Json) -> JsonObject:
        """The cleaned form of a schema that is nothing but a reference, made once for each."""
        made = self._plain.get(ref) if isinstance(ref, str) else {}
        if made is None:
            target = self.resolve_target(ref, None)
            made = self._plain[ref] = {"$ref": target} if target else {}
        return made

    def _clean_keywords(self, node: JsonObject, scope: DynamicScope | None) -> JsonObject:
        if "$id" in node and isinstance(node["$id"], str):
            scope = self.resources.enter(node, scope or self.resources.root)
        kept: JsonObject = {}
        for keyword, value in node.items():
            clean = CLEANERS.get(keyword)
            if clean is not None and (value := clean(self, keyword, value, scope)) is not OMITTED:
                kept[keyword] = value
        if not _REFERENCES.isdisjoint(node):
            kept = self._with_reference(kept, node, scope)
        if "properties" in kept:
            self._drop_foreign(kept, node["properties"], scope)
        return self._finish(kept)

    def definition(self, ref: str) -> Json:
        """The cleaned schema that a cleaned `$ref` (`#/$defs/Name`) points at."""
        name = ref.removeprefix(_PREFIX)
        if name in self._cleaned:
            return self._cleaned[name]
        schema = self._cleaned_target(name)
        if find_ref(schema) is not None and self._is_circle(name):
            # It says nothing, and a validator would never come to an end.
            schema = {key: schema[key] for key in schema if key != "$ref"}
            self._cleaned[name] = schema
        return schema

    def _cleaned_target(self, name: str) -> Json:
        if name not in self._cleaned:
            node, scope = self._targets[name]
            self._in_progress.add(name)
            self._cleaned[name] = self.clean(node, scope)
            self._in_progress.discard(name)
        return self._cleaned[name]

    def _is_circle(self, name: str) -> bool:
        """Whether the references of a definition lead back to it."""
        passed: dict[str, None] = {}
        following: str | None = name
        while following is not None and following not in passed and following not in self._straight:
            passed[following] = None
            ref = find_ref(self._cleaned_target(following))
            following = ref.removeprefix(_PREFIX) if ref is not None else None
        if following is None or following in self._straight:
            self._straight.update(passed)
        return following == name

    def is_marked(self, schema: Json, extensions: Mapping[str, Json]) -> bool:
        """
        Whether what stands around a schema leaves it to a human.

        Args:
            extensions: The `x-` keys of what the schema belongs to, such as a parameter.
        """
        if self.is_human is None or not extensions:
            return False
        return self.is_human({**(schema if is_object(schema) else {}), **extensions})

    def unused_name(self, name: str) -> str:
        """`name`, or with a number where a component of the document has it."""
        document = self.open_document()
        components = document.get("components")
        groups = (document, components if is_object(components) else {})
        places = [group.get(key) for group in groups for key in ("definitions", "schemas")]
        taken = [place for place in places if is_object(place)]
        free, count = name, 2
        while any(free in item for item in taken):
            free, count = f"{name}_{count}", count + 1
        return free

    def define(self, name: str, schema: Json) -> None:
        """Add a cleaned definition that is made of others, under an unused name."""
        self._targets[name] = (schema, self.resources.root)
        self._cleaned[name] = schema

    def has(self, name: str) -> bool:
        """Whether a cleaned reference so far leads to `#/$defs/name`."""
        return name in self._targets

    def definition_to_merge(self, ref: str) -> Json:
        """As `definition()`; None for one that is being put together, and for a circle of them."""
        name = ref.removeprefix(_PREFIX)
        if name in self._in_progress or len(self._in_progress) > _DEEPEST_MERGE:
            return None
        definition = self.definition(ref)
        if not is_object(definition) or "allOf" not in definition:
            return definition
        self._in_progress.add(name)
        whole = merge_all_of(definition, self.definition_to_merge)
        self._in_progress.discard(name)
        return whole

    def resolve(self, schema: Json) -> Json:
        """`schema` or, where it is nothing but a reference, what it leads to; True for a circle."""
        seen: set[str] = set()
        while (ref := find_ref(schema)) is not None and len(schema) == 1:
            if ref in seen:
                return True
            seen.add(ref)
            schema = self.definition(ref)
        return schema

    def reachable_definitions(self, schema: Json) -> JsonObject:
        """`{name: definition}` of everything that a cleaned schema refers to, sorted by name."""
        found: dict[str, Json] = {}
        waiting = list(schema_references(schema))
        while waiting:
            ref = waiting.pop()
            if ref not in found:
                found[ref] = self.definition(ref)
                waiting.extend(self.definition_references(ref))
        return {ref.removeprefix(_PREFIX): found[ref] for ref in sorted(found)}

    def definition_references(self, ref: str) -> tuple[str, ...]:
        """The references in the definition that a cleaned `$ref` points at, each once."""
        if ref not in self._links:
            self._links[ref] = tuple(dict.fromkeys(schema_references(self.definition(ref))))
        return self._links[ref]

    def resolve_target(
        self, ref: str, scope: DynamicScope | None, *, is_dynamic: bool = False
    ) -> str | None:
        """`#/$defs/Name` for a reference of the document; None where it leads nowhere."""
        key = (f"dynamic {ref}" if is_dynamic else ref, scope.number if scope else 0)
        if key not in self._names:
            self._names[key] = self._name(ref, scope or self.resources.root, is_dynamic=is_dynamic)
        name = self._names[key]
        return _PREFIX + name if name else None

    def _name(self, ref: str, scope: DynamicScope, *, is_dynamic: bool) -> str:
        find = self.resources.resolve_dynamic_ref if is_dynamic else self.resources.resolve_ref
        try:
            node, there = find(ref, scope)
        except UnresolvedReference:
            return ""
        name = _definition_name(ref, there.number)
        if not ref.startswith("#/") and (component := self.resources.component_name(node, there)):
            # One schema gets one name, however it is referred to.
            name, there = component, self.resources.root
        known = self._targets.setdefault(name, (node, there))
        if known[0] is not node or known[1] != there:
            # The same words in another resource.
            name = f"{name}_{hash_digits(f'{ref} {id(node)} {there.number}')}"
            self._targets[name] = (node, there)
        return name

    def _with_reference(
        self, kept: JsonObject, node: JsonObject, scope: DynamicScope | None
    ) -> JsonObject:
        refs = [
            target
            for keyword in ("$ref", "$dynamicRef")
            if isinstance(ref := node.get(keyword), str)
            and (target := self.resolve_target(ref, scope, is_dynamic=keyword == "$dynamicRef"))
        ]
        first = {"$ref": refs[0]} if refs else {}
        more = {"allOf": [*kept.get("allOf", ()), {"$ref": refs[1]}]} if refs[1:] else {}
        return {**first, **kept, **more}

    def _drop_foreign(
        self, kept: JsonObject, properties: JsonObject, scope: DynamicScope | None
    ) -> None:
        """Leave out the properties of the other direction; they are not required either."""
        flag = FOREIGN_KEYWORDS[self.direction]
        foreign = {
            name
            for name, each in properties.items()
            if is_object(each)
            and (flag in each or "$ref" in each)
            and self._is_foreign(each, scope)
        }
        if not foreign:
            return
        own = kept["properties"]
        kept["properties"] = {name: own[name] for name in own if name not in foreign}
        required = [item for item in kept.pop("required", ()) if item not in foreign]
        if required:
            kept["required"] = required

    def _is_foreign(self, schema: Json, scope: DynamicScope | None) -> bool:
        flag = FOREIGN_KEYWORDS[self.direction]
        passed: dict[str, None] = {}
        is_foreign = False
        while is_object(schema):
            if flag in schema:
                is_foreign = bool(repair_keyword(flag, schema[flag]))
                break
            ref = schema.get("$ref")
            target = self.resolve_target(ref, scope) if isinstance(ref, str) else None
            if target is None or target in passed:
                break
            if target in self._foreign:
                is_foreign = self._foreign[target]
                break
            passed[target] = None
            schema, scope = self._targets[target.removeprefix(_PREFIX)]
        self._foreign.update(dict.fromkeys(passed, is_foreign))
        return is_foreign

    def _finish(self, kept: JsonObject) -> JsonObject:
        """For a model also without `allOf`, and with a discriminator in words."""
        if "discriminator" in kept:
            kept = relax_one_of(kept)
        if self.form == "checks":
            return kept
        if "$ref" in kept and not kept.keys() <= _REFERENCE_AND_TEXTS:
            kept = wrap_reference(kept)
        if "allOf" in kept:
            kept = merge_all_of(kept, self.definition_to_merge)
        return describe_discriminator(kept, self._constants) if "discriminator" in kept else kept

    def _constants(self, ref: str, name: str) -> list[str]:
        """The only values that the schema behind a cleaned reference allows for a property."""
        node, _ = self._targets.get(ref.removeprefix(_PREFIX), (None, None))
        for branch in (node, *node.get("allOf", ())) if is_object(node) else ():
            properties = branch.get("properties") if is_object(branch) else None
            declared = properties.get(name) if is_object(properties) else None
            if is_object(declared) and ("const" in declared or is_array(declared.get("enum"))):
                found = [declared["const"]] if "const" in declared else declared["enum"]
                return [value for value in found if isinstance(value, str)]
        return []


def _definition_name(ref: str, scope_number: int) -> str:
    """The component's own name where it is one and legal, else a readable part and a hash."""
    if scope_number == 0 and (match := _COMPONENT.fullmatch(ref)) is not None:
        return match[1]
    uri, _, fragment = ref.partition("#")
    last = (fragment or uri).rpartition("/")[2]
    readable = cleaned_name(split_pointer(f"/{unquote(last)}")[0])[:_READABLE]
    told_apart = f"{ref} {scope_number}" if scope_number else ref
    return f"{readable}_{hash_digits(told_apart)}".lstrip("_")
