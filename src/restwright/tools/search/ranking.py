"""The right API first, then its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from restwright.tools.search.weights import API_FIRST, MIN_FIT

if TYPE_CHECKING:
    import tantivy


@dataclass(frozen=True, slots=True)
class Scored:
    """An operation in an index, its score and the number of its API."""

    score: float
    address: tantivy.DocAddress
    api: int


def apis_first(pool: Sequence[Scored], fits: Mapping[int, float]) -> list[Scored]:
    """Rank again: operations of APIs that fit less as a whole lose."""
    best = max(fits.values(), default=0.0)
    if best <= 0:
        return list(pool)
    ranked = [
        replace(each, score=each.score * max(MIN_FIT, fits.get(each.api, 0.0) / best) ** API_FIRST)
        for each in pool
    ]
    return sorted(ranked, key=lambda each: -each.score)
