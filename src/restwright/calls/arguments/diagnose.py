"""
Why a value does not fit a schema: every fault, each schema and each part of the value at most once.

A fast validator says whether a value fits; where it does not, or where asking it would take too
long, this goes through schema and value side by side. What a keyword says about one value alone
(`type`, `pattern`, `format`) is still left to the validator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from restwright.calls.arguments.cost import in_place_subschemas, resolve_local_reference
from restwright.calls.arguments.union_branch import choose_by_discriminator, explain_best_branch
from restwright.calls.schema_words import (
    FIXED_PHRASES,
    KEYWORD_PHRASES,
    MAX_VALUE_CHARS,
    list_names,
    preview_json,
    summarize_schema,
)
from restwright.calls.violation import (
    Violation,
    Violations,
    drop_implied_violations,
    nest_violations,
)
from restwright.jsontypes import Json, JsonObject, is_array, is_object

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

MAX_VIOLATIONS = 200
MAX_STEPS = 30_000
_MAX_LOOKUPS = 500_000
_MAX_NAMES = 200
_PRESENCE_KEYWORDS = frozenset({"required", "type", "title", "description"})
_MAX_HINTS = 10  # looking for near names takes long
_MIN_SIEVED_ITEMS = 8  # items, of which most will fit
SchemaCompiler = Callable[[Json], "Draft202012Validator"]
_NameSuggester = Callable[[Json, Iterable[str]], str]


class TooManySteps(Exception):
    """A value cannot be checked against a schema in bounded time."""


@dataclass(slots=True)
class ViolationFinder:
    """
    The faults of values in one schema. Keeps what it found, for values that live as long as it.

    Args:
        schema: The root, which references lead into.
        build: Compiles a schema without references.
        compiled: What was compiled, by the identity of a part of the schema, or as a pattern;
            may be shared by all explanations of the same schema.
        is_bounded: Whether the validator takes no time that matters for the value.
        is_strict: Whether a value that several alternatives of a `oneOf` fit is a fault. By the
            letter it is one; mostly the alternatives overlap by mistake, and servers take it.
        has_overlaps: Whether one was taken so.
    """

    schema: Json = field(repr=False)
    build: SchemaCompiler = field(repr=False)
    compiled: dict[int | str, Draft202012Validator | None] = field(
        default_factory=dict[int | str, "Draft202012Validator | None"], repr=False
    )
    is_bounded: bool = False
    is_strict: bool = False
    has_overlaps: bool = False
    _strict: ViolationFinder | None = field(default=None, repr=False)
    _lookup_count: int = 0
    _hint_count: int = 0
    _memo: dict[tuple[int, int], tuple[Json, Json, Violations]] = field(
        default_factory=dict[tuple[int, int], tuple["Json", "Json", "Violations"]], repr=False
    )

    @property
    def strict(self) -> ViolationFinder:
        """The same by the letter, for what turns a verdict round: taking more would take less."""
        if self.is_strict:
            return self
        if self._strict is None:
            self._strict = ViolationFinder(
                self.schema, self.build, self.compiled, self.is_bounded, is_strict=True
            )
        return self._strict

    def find_violations(self, node: Json, value: Json) -> Violations:
        """
        Everything that is wrong with `value`, as `node` of the schema sees it.

        Raises:
            TooManySteps: There are more pairs of schemas and parts than can be looked at.
        """
        if node is False:
            return (
                Violation((), "falseSchema", FIXED_PHRASES["falseSchema"], preview_json(value)),
            )
        if not is_object(node):
            return ()
        key = (id(node), id(value))
        if key not in self._memo:
            if len(self._memo) >= MAX_STEPS:
                raise TooManySteps
            # A circle of references that stays at one place says nothing.
            self._memo[key] = (node, value, ())
            found = (
                violation
                for keyword, explain in _KEYWORD_HANDLERS
                if keyword in node
                for violation in explain(self, node, value)
            )
            faults = tuple(
                islice(chain(self._keyword_violations(node, value), found), MAX_VIOLATIONS)
            )
            self._memo[key] = (node, value, faults)
        return self._memo[key][2]

    def fits(self, node: Json, value: Json) -> bool:
        """Whether `value` has no fault."""
        return not self.find_violations(node, value)

    def _keyword_violations(self, node: JsonObject, value: Json) -> Iterator[Violation]:
        """What the keywords say that need nothing but the value."""
        if id(node) not in self.compiled:
            own = {key: node[key] for key in node if key in KEYWORD_PHRASES}
            self.compiled[id(node)] = self.build(own) if own else None
        validator = self.compiled[id(node)]
        if validator is not None and not validator.is_valid(value):
            for error in validator.iter_errors(value):
                yield violation_from_error(error, node, self.suggest_name)

    def suggest_name(self, given: Json, known: Iterable[str]) -> str:
        """Which of the known names was meant; nothing after the first faults."""
        self._hint_count += 1
        return _suggest_names(given, known) if self._hint_count <= _MAX_HINTS else ""

    def quick_validator(self, node: Json) -> Callable[[Json], bool]:
        """What tells at once that a value has no fault, for a schema that many are held against."""
        key = ~id(node)
        if key not in self.compiled:
            definitions: JsonObject = self.schema.get("$defs", {}) if is_object(self.schema) else {}
            try:
                self.compiled[key] = self.build({"allOf": [node], "$defs": definitions})
            except ValueError:  # it refers to what is elsewhere
                self.compiled[key] = None
        validator = self.compiled[key]
        return _return_false if validator is None else validator.is_valid

    def matches(self, pattern: str, name: str) -> bool:
        """Whether a name matches a pattern, as the validator reads patterns."""
        if pattern not in self.compiled:
            self.compiled[pattern] = self.build({"pattern": pattern})
        validator = self.compiled[pattern]
        return validator is None or validator.is_valid(name)

    def property_schemas(self, node: JsonObject, name: str) -> list[Json]:
        """What the keywords of one schema object say about the property `name`."""
        found: list[Json] = []
        if name in node.get("properties", ()):
            found.append(node["properties"][name])
        patterns = node.get("patternProperties", {})
        self._lookup_count += 1 + len(patterns)
        if self._lookup_count > _MAX_LOOKUPS:
            raise TooManySteps
        found += [patterns[pattern] for pattern in patterns if self.matches(pattern, name)]
        if not found and "additionalProperties" in node:
            found.append(node["additionalProperties"])
        return found

    def evaluated_locations(self, node: Json, value: Json) -> set[str | int]:
        """The properties or elements that a schema that `value` fits says something about."""
        if not is_object(node) or not self.fits(node, value):
            return set()
        found = _find_evaluated(self, node, value)
        for item in self.applied_subschemas(node, value):
            run = self.strict if item is node.get("if") else self
            found |= run.evaluated_locations(item, value)
        return found

    def applied_subschemas(self, node: JsonObject, value: Json) -> Iterator[Json]:
        """The subschemas about the same value that count for `unevaluatedProperties`."""
        excluded = [node.get(keyword) for keyword in ("not", "then", "else", "propertyNames")]
        absent = [
            each
            for name, each in node.get("dependentSchemas", {}).items()
            if not is_object(value) or name not in value
        ]
        if "if" in node:
            yield node.get("then" if self.strict.fits(node["if"], value) else "else", True)
        for in_place_subschema in in_place_subschemas(node, self.schema):
            if not any(in_place_subschema is other for other in (*excluded, *absent)):
                yield in_place_subschema


def _return_false(_: Json) -> bool:
    return False


def _no_hint(_: Json, __: Iterable[str]) -> str:
    return ""


def violation_from_error(
    error: ValidationError, node: Mapping[str, Json], near: _NameSuggester = _no_hint
) -> Violation:
    """The fault that an error of the validator tells of, for a keyword of `node`."""
    path, keyword = tuple(error.instance_path), error.kind.name
    got = preview_json(error.instance)
    if keyword not in KEYWORD_PHRASES:
        expected = FIXED_PHRASES.get(keyword, f"a value that its `{keyword}` allows")
        return Violation(path, keyword, expected, got)
    details: Any = error.kind.as_dict()
    expected = KEYWORD_PHRASES[keyword](details, node)
    if keyword not in {"enum", "const"}:
        return Violation(path, keyword, expected, got, parts=(expected,))
    constants = details["options"] if keyword == "enum" else [details["expected_value"]]
    hint = near(
        error.instance,
        [constant for constant in constants[:_MAX_NAMES] if isinstance(constant, str)],
    )
    return Violation(path, keyword, expected, got, hint, constants=tuple(constants))


def _suggest_names(given: Json, known: Iterable[str]) -> str:
    """The names that are about as near to what was given as the nearest one."""
    if not isinstance(given, str):
        return ""
    text = given[:MAX_VALUE_CHARS]
    near = get_close_matches(text, list(islice(known, _MAX_NAMES)), n=3, cutoff=0.5)
    likeness = [SequenceMatcher(None, candidate, text).ratio() for candidate in near]
    best = [
        candidate
        for candidate, ratio in zip(near, likeness, strict=True)
        if ratio > likeness[0] - 0.1
    ]
    return f"did you mean {' or '.join(best)}?" if best else ""


def _reference(run: ViolationFinder, node: JsonObject, value: Json) -> Violations:
    return run.find_violations(resolve_local_reference(node["$ref"], run.schema), value)


def _all_of(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    for branch in node["allOf"]:
        yield from run.find_violations(branch, value)


def _any_of(run: ViolationFinder, node: JsonObject, value: Json) -> Violations:
    found: list[Violations] = []
    for branch in node["anyOf"]:
        faults = run.find_violations(branch, value)
        if not faults:
            return ()
        found.append(drop_implied_violations(faults))
    return _explain_branches(run, node, found, value)


def _one_of(run: ViolationFinder, node: JsonObject, value: Json) -> Violations:
    found = [
        drop_implied_violations(run.find_violations(branch, value)) for branch in node["oneOf"]
    ]
    fitting = sum(not item for item in found)
    if fitting == 1:
        return ()
    if fitting and not run.is_strict and not _is_exclusive(node):
        run.has_overlaps = True
        return ()
    if fitting:
        return (Violation((), "oneOf", FIXED_PHRASES["oneOf"], preview_json(value)),)
    return _explain_branches(run, node, found, value)


def _is_exclusive(node: JsonObject) -> bool:
    """Whether the alternatives of a `oneOf` are meant to exclude each other."""
    # The way to say `either a or b`; and where a property decides, no overlap is a mistake.
    names_alone = all(
        is_object(branch) and "required" in branch and branch.keys() <= _PRESENCE_KEYWORDS
        for branch in node["oneOf"]
    )
    return names_alone or "discriminator" in node


def _explain_branches(
    run: ViolationFinder, node: JsonObject, found: list[Violations], value: Json
) -> Violations:
    chosen, faults = choose_by_discriminator(node, value, run.schema)
    if chosen is not None:
        faults = drop_implied_violations(run.find_violations(chosen, value))
    return faults or explain_best_branch(found, value)


def _not(run: ViolationFinder, node: JsonObject, value: Json) -> Violations:
    fits = run.strict.fits(node["not"], value)
    return (Violation((), "not", FIXED_PHRASES["not"], preview_json(value)),) if fits else ()


def _if(run: ViolationFinder, node: JsonObject, value: Json) -> Violations:
    branch = "then" if run.strict.fits(node["if"], value) else "else"
    return run.find_violations(node.get(branch, True), value)


def _dependent_schemas(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    for name, each in node["dependentSchemas"].items():
        if is_object(value) and name in value:
            yield from run.find_violations(each, value)


def _required(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    for name in node["required"] if is_object(value) else ():
        if name not in value:
            yield _report_missing(run, node, name, "required")


def _dependent_required(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    for given, names in node["dependentRequired"].items() if is_object(value) else ():
        for name in names:
            if given in value and name not in value:
                yield _report_missing(run, node, name, f"required with {given[:MAX_VALUE_CHARS]}")


def _report_missing(run: ViolationFinder, node: JsonObject, name: str, why: str) -> Violation:
    declared = _collect_properties(run, node).get(name, True)
    expected = f"{summarize_schema(declared, run.schema)} ({why})"
    return Violation((name,), "required", expected, "nothing", parts=(expected,))


def _properties(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    if not is_object(value):
        return
    for name, each in value.items():
        for schema in run.property_schemas(node, name):
            if schema is False:
                yield _report_unknown(run, node, name, each)
            else:
                yield from nest_violations(name, run.find_violations(schema, each))


def _pattern_properties(run: ViolationFinder, node: JsonObject, value: Json) -> Iterable[Violation]:
    return () if "properties" in node else _properties(run, node, value)


def _additional_properties(
    run: ViolationFinder, node: JsonObject, value: Json
) -> Iterable[Violation]:
    said = "properties" in node or "patternProperties" in node
    return () if said else _properties(run, node, value)


def _report_unknown(run: ViolationFinder, node: JsonObject, name: str, value: Json) -> Violation:
    known = _collect_properties(run, node)
    around = [text for text in islice(known, 20) if name in _collect_properties(run, known[text])]
    hint = f"it belongs into {around[0]}" if len(around) == 1 else run.suggest_name(name, known)
    if not hint and known:
        hint = f"the names are {list_names([*known])}"
    expected = "no property of this name"
    return Violation((name,), "additionalProperties", expected, preview_json(value), hint)


def _collect_properties(run: ViolationFinder, node: Json) -> JsonObject:
    """The properties that a schema and its parts know, by name; its own first."""
    found: JsonObject = {}
    waiting: list[Json] = [node]
    for _ in range(_MAX_NAMES):
        if not waiting:
            break
        each = waiting.pop()
        if is_object(each):
            for name, schema in each.get("properties", {}).items():
                found.setdefault(name, schema)
            waiting.extend(in_place_subschemas(each, run.schema))
    return {name: each for name, each in found.items() if each is not False}


def _property_names(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    for name in value if is_object(value) else ():
        if faults := run.find_violations(node["propertyNames"], name):
            expected = f"{FIXED_PHRASES['propertyNames']}: {faults[0].expected}"
            yield Violation((), "propertyNames", expected, preview_json(name))


def _items(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    first = len(node.get("prefixItems", ()))
    items: list[Json] = [*value[first:]] if is_array(value) else []
    fits = run.quick_validator(node["items"]) if _is_long(run, items) else _return_false
    for index, each in enumerate(items, start=first):
        if not fits(each):
            yield from nest_violations(index, run.find_violations(node["items"], each))


def _is_long(run: ViolationFinder, items: Sequence[Json]) -> bool:
    return run.is_bounded and len(items) >= _MIN_SIEVED_ITEMS


def _prefix_items(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    pairs = zip(node["prefixItems"], value, strict=False) if is_array(value) else ()
    for index, (schema, each) in enumerate(pairs):
        yield from nest_violations(index, run.find_violations(schema, each))


def _contains(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    if not is_array(value):
        return
    wanted, run = node["contains"], run.strict
    fits = run.quick_validator(wanted) if _is_long(run, value) else partial(run.fits, wanted)
    count = sum(map(fits, value))
    if not node.get("minContains", 1) <= count <= node.get("maxContains", len(value)):
        yield Violation((), "contains", FIXED_PHRASES["contains"], preview_json(value))


def _unevaluated_properties(
    run: ViolationFinder, node: JsonObject, value: Json
) -> Iterator[Violation]:
    if not is_object(value):
        return
    for name in _find_unevaluated(run, node, value, "unevaluatedProperties"):
        if node["unevaluatedProperties"] is False:
            yield _report_unknown(run, node, str(name), value[name])
        else:
            yield from nest_violations(
                name, run.find_violations(node["unevaluatedProperties"], value[name])
            )


def _unevaluated_items(run: ViolationFinder, node: JsonObject, value: Json) -> Iterator[Violation]:
    if not is_array(value):
        return
    for index in _find_unevaluated(run, node, value, "unevaluatedItems"):
        yield from nest_violations(
            index, run.find_violations(node["unevaluatedItems"], value[index])
        )


def _find_unevaluated(
    run: ViolationFinder, node: JsonObject, value: Json, keyword: str
) -> list[Any]:
    """The names or indexes that nothing else in `node` says something about."""
    # Its neighbours count even where one of them fails.
    found = _find_evaluated(run, {key: node[key] for key in node if key != keyword}, value)
    for item in run.applied_subschemas(node, value):
        found |= (run.strict if item is node.get("if") else run).evaluated_locations(item, value)
    keys = value if is_object(value) else range(len(value))
    return [key for key in keys if key not in found]


def _find_evaluated(run: ViolationFinder, node: JsonObject, value: Json) -> set[str | int]:
    if is_object(value):
        if "unevaluatedProperties" in node:
            return set(value)
        return {name for name in value if run.property_schemas(node, name)}
    if not is_array(value):
        return set()
    if "items" in node or "unevaluatedItems" in node:
        return set(range(len(value)))
    found: set[str | int] = set(range(min(len(node.get("prefixItems", ())), len(value))))
    if "contains" in node:
        fits = run.strict.fits
        found |= {at for at, each in enumerate(value) if fits(node["contains"], each)}
    return found


_KeywordHandler = Callable[[ViolationFinder, JsonObject, Json], Iterable[Violation]]
_KEYWORD_HANDLERS: tuple[tuple[str, _KeywordHandler], ...] = (
    ("$ref", _reference),
    ("required", _required),
    ("dependentRequired", _dependent_required),
    ("properties", _properties),
    ("patternProperties", _pattern_properties),
    ("additionalProperties", _additional_properties),
    ("propertyNames", _property_names),
    ("prefixItems", _prefix_items),
    ("items", _items),
    ("contains", _contains),
    ("allOf", _all_of),
    ("anyOf", _any_of),
    ("oneOf", _one_of),
    ("not", _not),
    ("if", _if),
    ("dependentSchemas", _dependent_schemas),
    ("unevaluatedItems", _unevaluated_items),
    ("unevaluatedProperties", _unevaluated_properties),
)
