"""
Arguments that nearly fit their schema, put right where there is one way to do it.

A value that fits is never altered, nor is what a schema leaves open. What is altered is told.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from restwright.calls.arguments.cost import resolve_local_reference
from restwright.calls.arguments.diagnose import MAX_VIOLATIONS, TooManySteps, ViolationFinder
from restwright.calls.arguments.lenient_json import parse_lenient_value
from restwright.calls.arguments.union_branch import branch_distance, choose_by_discriminator
from restwright.calls.arguments.validator import SchemaValidator, validator_for
from restwright.calls.human_paths import HIDDEN_VALUE, hide_human_values
from restwright.calls.mismatch import Mismatch, pointer_from_path
from restwright.calls.schema_words import preview_json
from restwright.calls.violation import ValuePath, Violations
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import Input, Tool

RepairReason = Literal[
    "the text was read as a number",
    "the text was read as a literal",
    "the text was read as JSON",
    "the quotes were taken off",
    "the spaces around were taken off",
    "the allowed value was taken",
    "the number was written as text",
    "one value was made a list of one",
    "the name of the tool was taken",
    "an optional null was left out",
    "several alternatives fit, and the document wants one",
]

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_LITERALS: dict[str, Json] = {"true": True, "false": False}
_NULLS = frozenset({"null", "None"})


@dataclass(frozen=True, slots=True)
class Repair:
    """
    One place of the arguments that was altered, or that was taken as it is against the document.

    Args:
        pointer: JSON Pointer into the arguments as the model gave them.
        was: The value as JSON, shortened to 80 characters; of a name, the name.
        now: What it has become, likewise; the same where it was taken as it is.
    """

    pointer: str
    was: str
    now: str
    why: RepairReason

    def __str__(self) -> str:
        what = "was kept" if self.why == _OVERLAPS else f"became {self.now}"
        return f"{self.pointer or '/'}: {self.was} {what} ({self.why})"


_OVERLAPS: RepairReason = "several alternatives fit, and the document wants one"


@dataclass(frozen=True, slots=True)
class RepairedArguments:
    """
    Arguments after repair; the very same object where nothing was altered.

    Args:
        repairs: What was altered, outermost first; a text that was read as JSON may have more
            repairs within.
    """

    arguments: JsonObject
    repairs: tuple[Repair, ...] = ()


def repair_arguments(
    tool: Tool, arguments: JsonObject, *, checks: JsonObject | None = None
) -> RepairedArguments:
    """
    Alter what does not fit where that makes it fit, and there is one way to.

    An argument under its name in the document (`page[size]`) gets the tool's (`page_size`). A null
    that an optional parameter cannot be is left out; in a body it may be meant to clear something.
    Of what a human fills in, a repair never says the value. Where several alternatives of a `oneOf`
    fit, nothing is altered, and a repair tells of it.

    Args:
        checks: In the place of the tool's, for a part of the arguments.
    """
    found = validator_for(tool.checks if checks is None else checks)
    if not is_object(arguments):
        return RepairedArguments(arguments)
    if _fits(found, arguments):
        kept = _find_overlaps(found, arguments)
        return RepairedArguments(
            arguments, tuple(_hide_human_value(tool, repair) for repair in kept)
        )
    named, renames = _rename_arguments(tool, arguments)
    given, nulls = _drop_nulls(tool, found.schema, named)
    value, repairs = _repair_with_schema(found, given)
    made = (*renames, *nulls, *repairs)
    told = tuple(
        _hide_human_value(tool, overlap) for overlap in (*made, *_find_overlaps(found, value))
    )
    return RepairedArguments(value, told) if told else RepairedArguments(arguments)


def repair_value(schema: Json, value: Json) -> tuple[Json, tuple[Repair, ...]]:
    """As `repair_arguments()`, for any value and any JSON Schema."""
    found = validator_for(schema)
    return (value, ()) if _fits(found, value) else _repair_with_schema(found, value)


def _find_overlaps(validator: SchemaValidator, value: Json) -> tuple[Repair, ...]:
    """What is told of a value that fits, but not by the letter."""
    try:
        places = validator.find_overlaps(value) if validator.fits(value) else ()
    except ValueError:
        return ()  # Nested too deep.
    return tuple(_overlap_repair(place, value) for place in places)


def _overlap_repair(place: ValuePath, value: Json) -> Repair:
    for key in place:
        value = value[key]
    return Repair(pointer_from_path(place), preview_json(value), preview_json(value), _OVERLAPS)


def _fits(validator: SchemaValidator, value: Json) -> bool:
    try:
        return validator.fits(value)
    except ValueError:
        return True  # Nested too deep: nothing for us to repair.


def _repair_with_schema(validator: SchemaValidator, value: Json) -> tuple[Json, tuple[Repair, ...]]:
    try:
        json.dumps(value, allow_nan=False)
        outcome = _SchemaRepairer(validator.violation_finder()).repair(validator.schema, value)
    except (ValueError, TypeError, RecursionError, TooManySteps):
        return value, ()
    repairs = (
        Repair(pointer_from_path(e.path), preview_json(e.was), preview_json(e.now), e.why)
        for e in outcome.changes
    )
    return outcome.value, tuple(repairs)


def _rename_arguments(tool: Tool, arguments: JsonObject) -> tuple[JsonObject, tuple[Repair, ...]]:
    """The arguments under the names of the tool's inputs."""
    renames: list[Repair] = []
    renamed = _rename_group(tool, arguments, "", renames)
    for group in {tool_input.group for tool_input in tool.inputs if tool_input.group}:
        if is_object(inner := renamed.get(group)):
            renamed = {**renamed, group: _rename_group(tool, inner, group, renames)}
    return (renamed, tuple(renames)) if renames else (arguments, ())


def _rename_group(
    tool: Tool, arguments: JsonObject, group: str, renames: list[Repair]
) -> JsonObject:
    inputs = [tool_input for tool_input in tool.inputs if tool_input.group == group]
    names = {tool_input.name for tool_input in inputs}
    found: JsonObject = {}
    for key, value in arguments.items():
        meant = (
            None
            if key in names
            else _sole_input(tool_input for tool_input in inputs if tool_input.target == key)
        )
        if meant is None or meant.name in arguments or meant.name in found:
            found[key] = value
        else:
            found[meant.name] = value
            at = pointer_from_path((group, key) if group else (key,))
            renames.append(Repair(at, preview_json(key), preview_json(meant.name), _RENAMED))
    return found


_RENAMED: RepairReason = "the name of the tool was taken"


def _drop_nulls(
    tool: Tool, checks: JsonObject, arguments: JsonObject
) -> tuple[JsonObject, tuple[Repair, ...]]:
    """The arguments without the nulls of optional parameters that cannot be null."""
    repairs: list[Repair] = []
    for tool_input in tool.inputs:
        given = arguments.get(tool_input.group) if tool_input.group else arguments
        if is_object(given) and _is_needless_null(tool_input, given, checks):
            left = {name: value for name, value in given.items() if name != tool_input.name}
            arguments = {**arguments, tool_input.group: left} if tool_input.group else left
            at = pointer_from_path(
                (tool_input.group, tool_input.name) if tool_input.group else (tool_input.name,)
            )
            repairs.append(Repair(at, "null", "nothing", _LEFT_OUT))
    return arguments, tuple(repairs)


def _is_needless_null(tool_input: Input, given: JsonObject, checks: JsonObject) -> bool:
    if tool_input.location not in _PARAMETERS or given.get(tool_input.name, "") is not None:
        return False
    schema = _property_schema(checks, tool_input.group)
    own = {"$defs": checks.get("$defs", {}), **_property_schema(schema, tool_input.name)}
    return tool_input.name not in schema.get("required", ()) and not validator_for(own).fits(None)


def _property_schema(schema: JsonObject, name: str) -> JsonObject:
    """The schema of a property; the whole where there is no name."""
    found = schema.get("properties", {}).get(name) if name else schema
    return found if is_object(found) else {}


_LEFT_OUT: RepairReason = "an optional null was left out"
_PARAMETERS = frozenset({"query", "header", "cookie"})


def _sole_input(inputs: Iterable[Input]) -> Input | None:
    found = list(inputs)
    return found[0] if len(found) == 1 else None


def _hide_human_value(tool: Tool, repair: Repair) -> Repair:
    [seen] = hide_human_values(tool.separated, [Mismatch(repair.pointer, "", repair.was)])
    return repair if seen.got == repair.was else hide_repair_values(repair)


def hide_repair_values(repair: Repair) -> Repair:
    """`repair`, not saying what was given; the name of an argument may be said."""
    return repair if repair.why == _RENAMED else replace(repair, was=HIDDEN_VALUE, now=HIDDEN_VALUE)


@dataclass(frozen=True, slots=True)
class _Change:
    path: ValuePath
    was: Json
    now: Json
    why: RepairReason


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Json
    changes: tuple[_Change, ...] = ()


@dataclass(frozen=True, slots=True)
class _SchemaRepairer:
    """Repairs values with the same schema, each part once for each schema that is about it."""

    finder: ViolationFinder
    _memo: dict[tuple[int, int], tuple[Json, Json, _Outcome]] = field(
        default_factory=dict[tuple[int, int], tuple["Json", "Json", _Outcome]]
    )

    def repair(self, node: Json, value: Json) -> _Outcome:
        """`value` as near to `node` as can be, and never further from it."""
        if not is_object(node) or self.finder.fits(node, value):
            return _Outcome(value)
        key = (id(node), id(value))
        if key not in self._memo:
            self._memo[key] = (node, value, _Outcome(value))
            self._memo[key] = (node, value, self._repair_value(node, value))
        return self._memo[key][2]

    def _repair_value(self, node: JsonObject, value: Json) -> _Outcome:
        """Another value for the whole where one fits; else the value with its parts repaired."""
        for now, why in propose_values(value, self.finder.find_violations(node, value)):
            outcome = self._try_change(node, _Change((), value, now, why))
            if outcome is not None:
                return outcome
        return self._choose_better(node, value, self._repair_parts(node, value))

    def _try_change(self, node: JsonObject, change: _Change) -> _Outcome | None:
        """The outcome of a change; a text of JSON alone may be unwrapped and still not fit."""
        parts = _Outcome(change.now)
        if is_object(change.now) or is_array(change.now):
            parts = self._choose_better(node, change.now, self._repair_parts(node, change.now))
        may_remain = change.why == _UNWRAPPED and self._is_improvement(
            node, change.was, parts.value
        )
        if not may_remain and not self.finder.fits(node, parts.value):
            return None
        return _Outcome(parts.value, (change, *parts.changes))

    def _choose_better(self, node: JsonObject, value: Json, outcome: _Outcome) -> _Outcome:
        """The outcome, or the value as it was where there are no fewer faults."""
        if outcome.changes and self._is_improvement(node, value, outcome.value):
            return outcome
        return _Outcome(value)

    def _is_improvement(self, node: JsonObject, before: Json, after: Json) -> bool:
        """Whether faults are fewer, or at least deeper: those of a part once its whole fits."""
        old, new = (
            self.finder.find_violations(node, before),
            self.finder.find_violations(node, after),
        )
        return len(old) >= MAX_VIOLATIONS or _count_by_depth(new) < _count_by_depth(old)

    def _repair_parts(self, node: JsonObject, value: Json) -> _Outcome:
        """Repair what is below, as each keyword of the schema sees it, one after the other."""
        outcome = self._repair_members(node, value)
        for item in self._in_place_schemas(node, value):
            outcome = _chain_outcomes(outcome, self.repair(item, outcome.value))
        for keyword in ("anyOf", "oneOf"):
            branches = node.get(keyword, ())
            if branches and not any(self.finder.fits(branch, outcome.value) for branch in branches):
                outcome = _chain_outcomes(
                    outcome, self._repair_branch(node, branches, outcome.value)
                )
        return outcome

    def _repair_members(self, node: JsonObject, value: Json) -> _Outcome:
        if is_object(value):
            found = {name: self._repair_member(node, name, each) for name, each in value.items()}
            made = _prefix_changes(found.items())
            now: Json = {name: each.value for name, each in found.items()}
        elif is_array(value):
            each_of = [self._repair_element(node, index, each) for index, each in enumerate(value)]
            made = _prefix_changes(enumerate(each_of))
            now = [outcome.value for outcome in each_of]
        else:
            return _Outcome(value)
        return _Outcome(now, made) if made else _Outcome(value)

    def _repair_member(self, node: JsonObject, name: str, value: Json) -> _Outcome:
        outcome = _Outcome(value)
        for schema in self.finder.property_schemas(node, name):
            outcome = _chain_outcomes(outcome, self.repair(schema, outcome.value))
        return outcome

    def _repair_element(self, node: JsonObject, index: int, value: Json) -> _Outcome:
        first = node.get("prefixItems", ())
        return self.repair(first[index] if index < len(first) else node.get("items", True), value)

    def _in_place_schemas(self, node: JsonObject, value: Json) -> Iterator[Json]:
        """The other schemas that the same value has to fit."""
        if "$ref" in node:
            yield resolve_local_reference(node["$ref"], self.finder.schema)
        yield from node.get("allOf", ())
        if "if" in node:
            yield node.get("then" if self.finder.strict.fits(node["if"], value) else "else", True)
        for name, each in node.get("dependentSchemas", {}).items():
            if is_object(value) and name in value:
                yield each

    def _repair_branch(self, node: JsonObject, branches: Sequence[Json], value: Json) -> _Outcome:
        """Repair by the alternative that then fits, else by the one that was meant most likely."""
        chosen, _ = choose_by_discriminator(node, value, self.finder.schema)
        if chosen is not None:
            return self.repair(chosen, value)
        tried = [(branch, self.repair(branch, value)) for branch in branches]
        fitting = [each for schema, each in tried if self.finder.fits(schema, each.value)]
        if fitting:
            return min(fitting, key=lambda each: len(each.changes))
        return min(
            tried,
            key=lambda pair: branch_distance(self.finder.find_violations(pair[0], pair[1].value)),
        )[1]


_WRAPPED: RepairReason = "one value was made a list of one"
_UNWRAPPED: RepairReason = "the text was read as JSON"


def propose_values(value: Json, faults: Violations) -> Iterator[tuple[Json, RepairReason]]:
    """
    What a value may stand for, the surest first.

    Args:
        faults: Of the value itself and its parts; those of the value say what is allowed.
    """
    here = [fault for fault in faults if not fault.path]
    if not here or value is None or is_object(value) or is_array(value):
        return
    if isinstance(value, str):
        yield from _interpret_text(value)
    yield from _match_constant(
        value, [constant for violation in here for constant in violation.constants]
    )
    if isinstance(value, str) and any(violation.keyword == "format" for violation in here):
        yield value.strip(), "the spaces around were taken off"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield json.dumps(value), "the number was written as text"
    if value != "" and not (isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}):
        yield [value], _WRAPPED


def _interpret_text(text: str) -> Iterator[tuple[Json, RepairReason]]:
    """The values that a whole text is the JSON of."""
    bare = text.strip()
    if _NUMBER.fullmatch(bare):
        yield json.loads(bare), "the text was read as a number"
    elif bare.lower() in _LITERALS:
        yield _LITERALS[bare.lower()], "the text was read as a literal"
    elif bare in _NULLS:
        yield None, "the text was read as a literal"
    elif bare[:1] in {"{", "["}:
        try:
            yield parse_lenient_value(bare), _UNWRAPPED
        except ValueError:
            return
    elif bare[:1] == '"' == bare[-1:]:
        yield from _strip_quotes(bare)


def _strip_quotes(text: str) -> Iterator[tuple[Json, RepairReason]]:
    try:
        inner = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(inner, str) and inner:
        yield inner, "the quotes were taken off"
        yield from _interpret_text(inner)


def _match_constant(value: Json, constants: list[Json]) -> Iterator[tuple[Json, RepairReason]]:
    """The one allowed value that differs in case, spaces around or type alone."""
    wanted = _fold_value(value)
    alike = [constant for constant in constants if _fold_value(constant) == wanted]
    if len({json.dumps(item) for item in alike}) == 1:
        yield alike[0], "the allowed value was taken"


def _fold_value(value: Json) -> str:
    return (value if isinstance(value, str) else json.dumps(value)).strip().casefold()


def _count_by_depth(faults: Violations) -> list[int]:
    """How many faults there are on each level, the outermost first."""
    counts = Counter(len(fault.path) for fault in faults)
    return [counts[depth] for depth in range(max(counts, default=-1) + 1)]


def _chain_outcomes(first: _Outcome, second: _Outcome) -> _Outcome:
    return _Outcome(second.value, (*first.changes, *second.changes))


def _prefix_changes(parts: Iterable[tuple[str | int, _Outcome]]) -> tuple[_Change, ...]:
    return tuple(
        replace(change, path=(key, *change.path))
        for key, outcome in parts
        for change in outcome.changes
    )
