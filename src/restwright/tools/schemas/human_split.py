"""
One schema with marked parts becomes two: what a model fills in, and what a human does.

Objects are split property by property, arrays by their items, references into `Name.model` and
`Name.human`. Whatever else holds a mark goes to the human as a whole: alternatives, maps, tuples,
conditions. So no marked schema is ever in the model's half.

A value that the whole schema accepts can be taken apart into values that the halves accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.naming.names import hash_digits
from restwright.tools.schemas.definitions import HUMAN_KEY, Definitions
from restwright.tools.schemas.human_marks import HumanMarks
from restwright.tools.schemas.merge import ANNOTATIONS, merge_all_of
from restwright.tools.text.json_bytes import to_json_bytes

_PREFIX = "#/$defs/"
_NULL = {"type": "null"}
_TEXTS = frozenset({"title", "description", "deprecated", "readOnly", "writeOnly"})
# What these say is about the whole value: it would tell a secret, or name what is not there.
_OF_THE_WHOLE = frozenset({"default", "examples", "discriminator"})
_ABOUT_OTHERS = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_OBJECT = frozenset(
    {
        *ANNOTATIONS,
        *_ABOUT_OTHERS,
        *("type", "format", "properties", "required", "dependentRequired"),
        *("minProperties", "maxProperties"),
    }
)
_ARRAY = frozenset({*ANNOTATIONS, "type", "format", "items", "minItems", "maxItems", "uniqueItems"})
# Both halves of an object may keep these: each has no more properties than the whole.
_KEPT_BY_HUMAN = frozenset({*_TEXTS, "type", "maxProperties", "propertyNames"})
_MAX_MERGED = 2000
_MAX_LOOKED_THROUGH = 3


@dataclass(frozen=True, slots=True)
class _SplitParts:
    """What a schema leaves to each side; None for nothing."""

    model: Json
    human: Json


@dataclass(slots=True)
class SchemaSplitter:
    """
    The halves of the schemas of one document.

    Args:
        definitions: Those with `is_human`. The halves of references are added to them.
        forbids_by_name: Whether the model's half of an open object names what must not stand there.
    """

    definitions: Definitions
    forbids_by_name: bool = False
    _names: dict[tuple[str, str], str] = field(
        default_factory=dict[tuple[str, str], str], repr=False
    )
    _sources: dict[str, Json] = field(default_factory=dict[str, "Json"], repr=False)
    _merged: dict[str, JsonObject] = field(default_factory=dict[str, "JsonObject"], repr=False)
    _pending: list[str] = field(default_factory=list[str], repr=False)
    _unsplit: set[str] = field(default_factory=set[str], repr=False)
    _in_progress: list[str] = field(default_factory=list[str], repr=False)
    _marks: HumanMarks = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._marks = HumanMarks(self.definitions)

    def split(self, root: JsonObject) -> tuple[JsonObject, JsonObject | None]:
        """
        The model's half of a tool's arguments, and the human's.

        Args:
            root: A cleaned object schema without `$defs`, as `arguments_of()` makes it.

        Returns:
            Schemas without `$defs`; the first is `root` itself where nothing is marked.
        """
        if not self._marks.contains_mark(root):
            return root, None
        self._split_object(root)
        while self._pending:
            self._define_pending()
        parts = self._split_object(root)
        if parts.model is None:
            empty: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
            return empty, parts.human
        return parts.model, parts.human

    def _define_pending(self) -> None:
        """
        Define the halves of what was referred to.

        All of it counts as divided until a part turns out to be the human's as a whole; that may
        leave nothing for the model in what refers to it.
        """
        fresh: list[str] = []
        while self._pending:
            fresh.append(self._pending.pop())
            self._split(self._sources[fresh[-1]])
        changed = True
        while changed:
            left = [ref for ref in fresh if ref not in self._unsplit]
            whole = [ref for ref in left if self._split(self._sources[ref]).model is None]
            self._unsplit.update(whole)
            changed = bool(whole)
        for ref in fresh:
            if ref not in self._unsplit:
                parts = self._split(self._sources[ref])
                self.definitions.define(self._name(ref, "model"), parts.model)
                # Merging can leave nothing of what was marked.
                human: Json = {} if parts.human is None else parts.human
                self.definitions.define(self._name(ref, "human"), human)

    def _split(self, schema: Json) -> _SplitParts:
        if not is_object(schema) or not self._marks.contains_mark(schema):
            return _SplitParts(schema, None)
        if HUMAN_KEY in schema:
            return _SplitParts(None, schema)
        if "$ref" in schema and schema.keys() - {"$ref"} <= ANNOTATIONS:
            return self._split_reference(schema, schema["$ref"])
        if "$ref" in schema or "allOf" in schema:
            return self._split_all_of(schema)
        kinds = (
            (_is_object_schema, self._split_object),
            (_is_array_schema, self._split_array),
            (_is_nullable, self._split_nullable),
        )
        split = next((split for fits, split in kinds if fits(schema)), None)
        return split(schema) if split else _SplitParts(None, schema)

    def _split_reference(self, schema: JsonObject, ref: str) -> _SplitParts:
        if ref not in self._sources:
            self._sources[ref] = self.definitions.definition(ref)
            self._pending.append(ref)
        if ref in self._unsplit:
            return _SplitParts(None, schema)
        return self._referring(ref, _drop_keywords(schema, _OF_THE_WHOLE))

    def _split_all_of(self, schema: JsonObject) -> _SplitParts:
        """What `allOf` comes down to, under a name: it may contain itself."""
        whole = self._merge_all_of(schema)
        if whole is None:
            return _SplitParts(None, schema)
        if "$ref" in whole or HUMAN_KEY in whole:
            return self._split(whole)
        ref = f"{_PREFIX}Part_{hash_digits(to_json_bytes(schema).decode())}"
        if ref not in self._sources:
            self._sources[ref] = whole
            self._pending.append(ref)
        return _SplitParts(None, schema) if ref in self._unsplit else self._referring(ref, {})

    def _merge_all_of(self, schema: JsonObject) -> JsonObject | None:
        """A schema with its `allOf` merged; None where that cannot be said."""
        key = to_json_bytes(schema).decode()
        if key not in self._merged:
            if len(self._merged) >= _MAX_MERGED:
                return None
            rest = _drop_keywords(schema, {"$ref", "allOf"})
            beside = [{"$ref": schema["$ref"]}] if "$ref" in schema else []
            parts = [*beside, *schema.get("allOf", ())]
            self._merged[key] = merge_all_of(
                {**rest, "allOf": parts}, self.definitions.definition_to_merge
            )
        whole = self._merged[key]
        return None if "allOf" in whole else whole

    def _referring(self, ref: str, beside: JsonObject) -> _SplitParts:
        model, human = (
            {**beside, "$ref": _PREFIX + self._name(ref, side)} for side in ("model", "human")
        )
        return _SplitParts(model, human)

    def _name(self, ref: str, side: str) -> str:
        if (ref, side) not in self._names:
            name = self.definitions.unused_name(f"{ref.removeprefix(_PREFIX)}.{side}")
            self._names[ref, side] = name
        return self._names[ref, side]

    def _split_object(self, schema: JsonObject) -> _SplitParts:
        if any(self._marks.contains_mark(schema.get(keyword)) for keyword in _ABOUT_OTHERS):
            return _SplitParts(None, schema)
        parts = {name: self._split(each) for name, each in schema["properties"].items()}
        model = {name: each.model for name, each in parts.items() if each.model is not None}
        human = {name: each.human for name, each in parts.items() if each.human is not None}
        if not model:
            return _SplitParts(None, schema)
        required = self._split_required(schema, model, human)
        forbidden = self._forbidden(schema, [name for name in human if name not in model])
        rest = _drop_keywords(schema, {*_OF_THE_WHOLE, *_DIVIDED})
        kept = {key: value for key, value in schema.items() if key in _KEPT_BY_HUMAN}
        return _SplitParts(
            {
                **rest,
                "properties": {**model, **forbidden},
                **required[0],
                **_filter_dependent_required(
                    schema, lambda name: name in model or name not in human
                ),
            },
            {
                **kept,
                "properties": human,
                **required[1],
                **_filter_dependent_required(schema, human.__contains__),
                # What the schema does not name is the model's.
                "additionalProperties": False,
            },
        )

    def _forbidden(self, schema: JsonObject, names: list[str]) -> JsonObject:
        """Keep the human's names from being given as further properties of an open object."""
        is_open = all(schema.get(keyword) is not False for keyword in _ABOUT_OTHERS[:2])
        return dict.fromkeys(names, False) if is_open and self.forbids_by_name else {}

    def _split_required(
        self, schema: JsonObject, model: JsonObject, human: JsonObject
    ) -> tuple[JsonObject, JsonObject]:
        """
        Who has to give what is required. Of what is divided, the side that something in it is
        required of; the model where that is neither.
        """
        properties, required = schema["properties"], schema.get("required", ())
        of_human = [
            name
            for name in required
            if name in human and (name not in model or self._is_asked(properties[name], "human"))
        ]
        of_model = [
            name
            for name in required
            if name not in human
            or (
                name in model
                and (name not in of_human or self._is_asked(properties[name], "model"))
            )
        ]
        return _keyword_unless_empty("required", of_model), _keyword_unless_empty(
            "required", of_human
        )

    def _is_asked(self, schema: Json, side: str) -> bool:
        """Whether a divided object has a required property of that side; True for no object."""
        source = self._resolve_object(schema)
        text = to_json_bytes(source).decode()
        if "properties" not in source or text in self._in_progress:
            return True
        if len(self._in_progress) >= _MAX_LOOKED_THROUGH:
            return True
        self._in_progress.append(text)
        needed = (
            self._split(source["properties"].get(name, True)) for name in source.get("required", ())
        )
        is_asked = any(getattr(split_parts, side) is not None for split_parts in needed)
        self._in_progress.pop()
        return is_asked

    def _resolve_object(self, schema: Json) -> JsonObject:
        """The object behind references and `allOf`."""
        seen: set[str] = set()
        while is_object(schema) and ("$ref" in schema or "allOf" in schema):
            ref = find_ref(schema)
            if ref is not None and schema.keys() - {"$ref"} <= ANNOTATIONS:
                if ref in seen:
                    return {}
                seen.add(ref)
                schema = self.definitions.definition(ref)
            else:
                schema = self._merge_all_of(schema)
        return schema if is_object(schema) else {}

    def _split_array(self, schema: JsonObject) -> _SplitParts:
        items = self._split(schema["items"])
        if items.model is None:
            return _SplitParts(None, schema)
        # Elements that differ as a whole may be equal in one half.
        rest = _drop_keywords(schema, {*_OF_THE_WHOLE, "uniqueItems"})
        return _SplitParts({**rest, "items": items.model}, {**rest, "items": items.human})

    def _split_nullable(self, schema: JsonObject) -> _SplitParts:
        keyword = "anyOf" if "anyOf" in schema else "oneOf"
        (only,) = (branch for branch in schema[keyword] if branch != _NULL)
        parts = self._split(only)
        if parts.model is None:
            return _SplitParts(None, schema)
        rest = _drop_keywords(schema, _OF_THE_WHOLE)
        model, human = (
            [branch if branch == _NULL else half for branch in schema[keyword]]
            for half in (parts.model, parts.human)
        )
        return _SplitParts({**rest, keyword: model}, {**rest, keyword: human})


_DIVIDED = frozenset({"properties", "required", "dependentRequired", "minProperties"})


def _is_object_schema(schema: JsonObject) -> bool:
    return "properties" in schema and schema.keys() <= _OBJECT and _is_only(schema, "object")


def _is_array_schema(schema: JsonObject) -> bool:
    return "items" in schema and schema.keys() <= _ARRAY and _is_only(schema, "array")


def _is_only(schema: JsonObject, kind: str) -> bool:
    """Whether values of one type, or null, are meant."""
    return schema.get("type", kind) in (kind, [kind], [kind, "null"], ["null", kind])


def _is_nullable(schema: JsonObject) -> bool:
    """Whether there are no alternatives but null, which says nothing."""
    keywords = schema.keys() - ANNOTATIONS
    if keywords != {"anyOf"} and keywords != {"oneOf"}:
        return False
    branches = schema[keywords.pop()]
    return sum(branch != _NULL for branch in branches) == 1


def _filter_dependent_required(schema: JsonObject, is_own: Callable[[str], bool]) -> JsonObject:
    groups: Mapping[str, list[str]] = schema.get("dependentRequired", {})
    own = {
        name: needed
        for name, each in groups.items()
        if is_own(name) and (needed := [one for one in each if is_own(one)])
    }
    return _keyword_unless_empty("dependentRequired", own)


def _keyword_unless_empty(keyword: str, value: Json) -> JsonObject:
    return {keyword: value} if value else {}


def _drop_keywords(schema: JsonObject, keywords: Iterable[str]) -> JsonObject:
    return {key: value for key, value in schema.items() if key not in keywords}
