"""One keyword that one part of a value does not keep to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from restwright.jsontypes import Json

ValuePath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """
    What becomes a `Mismatch`, unless another fault explains it.

    Args:
        path: From the value that was looked at.
        keyword: Of JSON Schema; `union` for the alternatives of one together.
        constants: The values that `enum` and `const` allow.
        parts: What else is expected, one for each alternative of a union.
    """

    path: ValuePath
    keyword: str
    expected: str
    got: str
    hint: str = ""
    constants: tuple[Json, ...] = field(default=(), repr=False, compare=False)
    parts: tuple[str, ...] = field(default=(), repr=False, compare=False)


Violations = tuple[Violation, ...]

_KEYWORD_RANKS = {"enum": 0, "const": 0, "falseSchema": 0, "type": 1, "union": 1}
_LAST_RANK = 2


def nest_violations(key: str | int, faults: Iterable[Violation]) -> Violations:
    """The faults of a part as those of the whole."""
    return tuple(replace(fault, path=(key, *fault.path)) for fault in faults)


def drop_implied_violations(faults: Violations) -> Violations:
    """
    The faults that do not follow from another, outermost first.

    Where a place has one of `enum` or `const`, or else of `type`, what other keywords say about it
    and about what lies below it is left out. No other fault hides one of its parts.
    """
    rank: dict[ValuePath, int] = {}
    for fault in faults:
        rank[fault.path] = min(_keyword_rank(fault), rank.get(fault.path, _LAST_RANK))
    settled = {path for path, best in rank.items() if best < _LAST_RANK}

    def follows(fault: Violation) -> bool:
        above = any(fault.path[:length] in settled for length in range(len(fault.path)))
        return above or _keyword_rank(fault) > rank[fault.path]

    kept = (violation for violation in faults if not follows(violation))
    return tuple(sorted(kept, key=lambda each: len(each.path)))


def _keyword_rank(fault: Violation) -> int:
    return _KEYWORD_RANKS.get(fault.keyword, _LAST_RANK)
