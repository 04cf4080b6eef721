"""A schema, ready to check values: compiled once, kept for as long as it is in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from restwright.calls.arguments.broken_schema import compile_schema_leniently
from restwright.calls.arguments.cost import ValidationCost
from restwright.calls.arguments.diagnose import (
    MAX_STEPS,
    MAX_VIOLATIONS,
    TooManySteps,
    ViolationFinder,
    violation_from_error,
)
from restwright.calls.violation import ValuePath, Violation, Violations, drop_implied_violations
from restwright.jsontypes import Json
from restwright.openapi.model import Problem

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

# Of one pattern on one text; a hundredth of what the engine allows, and takes 0.1 s for.
_MAX_BACKTRACKS = 10_000
_TOO_MANY = "arguments whose alternatives can be told apart in time"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaValidator:
    """
    Checks values against one schema.

    Args:
        schema: Without the keywords that cannot be compiled.
        problems: One for each of those.
    """

    schema: Json = field(repr=False)
    validator: Draft202012Validator = field(repr=False)
    cost: ValidationCost = field(repr=False)
    problems: tuple[Problem, ...] = ()
    compiled: dict[int | str, Draft202012Validator | None] = field(
        default_factory=dict[int | str, "Draft202012Validator | None"], repr=False
    )

    def violation_finder(self, *, is_bounded: bool = False) -> ViolationFinder:
        """What can say why values do not fit; `is_bounded` where the validator is always fast."""
        return ViolationFinder(self.schema, compile_schema, self.compiled, is_bounded)

    def fits(self, value: Json) -> bool:
        """
        Whether `value`, which JSON can write, has no fault.

        Raises:
            ValueError: It is nested too deep for the validator.
        """
        return not self.find_violations(value)

    def find_violations(self, value: Json) -> Violations:
        """
        Everything that is wrong with `value`, outermost first.

        That several alternatives of a `oneOf` fit is nothing wrong: see `find_overlaps()`.

        Raises:
            ValueError: As `fits()`.
        """
        is_bounded = self.cost.is_bounded(value)
        if is_bounded and self.validator.is_valid(value):
            return ()
        run = self.violation_finder(is_bounded=is_bounded)
        found = self._explain(run, value)
        if found or run.has_overlaps or not is_bounded:
            return found
        return tuple(islice(self._report(value), MAX_VIOLATIONS))

    def find_overlaps(self, value: Json) -> tuple[ValuePath, ...]:
        """
        Where several alternatives of a `oneOf` fit a value that has no fault; mostly nowhere.

        Raises:
            ValueError: As `fits()`.
        """
        is_bounded = self.cost.is_bounded(value)
        if is_bounded and self.validator.is_valid(value):
            return ()
        found = self._explain(self.violation_finder(is_bounded=is_bounded).strict, value)
        places = tuple(violation.path for violation in found if violation.keyword == "oneOf")
        # In alternatives of others it is the whole that does not fit by the letter.
        return places or (((),) if found else ())

    def _explain(self, run: ViolationFinder, value: Json) -> Violations:
        try:
            return drop_implied_violations(run.find_violations(self.schema, value))
        except (TooManySteps, RecursionError):
            if run.is_bounded:
                # It was not looked at whole, so the validator's word holds.
                run.has_overlaps = False
                return ()
            return (Violation((), "type", _TOO_MANY, f"more than {MAX_STEPS} of them"),)

    def _report(self, value: Json) -> Iterator[Violation]:
        """What the validator says, where nothing else explains it."""
        for error in self.validator.iter_errors(value):
            yield violation_from_error(error, {})


class _SchemaIdentity:
    """A key that is equal only for the very same schema, and that keeps it alive."""

    __slots__ = ("schema",)

    def __init__(self, schema: Json) -> None:
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SchemaIdentity) and other.schema is self.schema

    def __hash__(self) -> int:
        return id(self.schema)


def validator_for(schema: Json) -> SchemaValidator:
    """The checker of a schema (2020-12, formats asserted); the same one for the same schema."""
    return _build_validator(_SchemaIdentity(schema))


@lru_cache(maxsize=1024)
def _build_validator(key: _SchemaIdentity) -> SchemaValidator:
    found = compile_schema_leniently(key.schema, compile_schema)
    return SchemaValidator(
        schema=found.schema,
        validator=found.validator,
        cost=ValidationCost(found.schema),
        problems=found.problems,
    )


def compile_schema(schema: Json) -> Draft202012Validator:
    """Compile a schema."""
    import jsonschema_rs

    # `offline`: a document must not make the check of arguments open a connection.
    return jsonschema_rs.Draft202012Validator(
        schema,
        validate_formats=True,
        offline=True,
        pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=_MAX_BACKTRACKS),
    )
