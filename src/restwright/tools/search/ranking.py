"""The right API first, then its operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from restwright.tools.search.weights import API_FIRST

if TYPE_CHECKING:
    import tantivy

_COUNTED = 10
"""Operations of an API whose scores say how well the whole of it fits."""


@dataclass(frozen=True, slots=True)
class Scored:
    """An operation in an index, its score and the number of its API."""

    score: float
    address: tantivy.DocAddress
    api: int


def apis_first(pool: Sequence[Scored]) -> list[Scored]:
    """Rank again: operations of APIs that fit as a whole gain, in proportion."""
    fit = _fit(pool)
    best = max(fit.values(), default=1.0)
    gained = [
        replace(each, score=each.score * (1 + API_FIRST * fit[each.api] / best)) for each in pool
    ]
    return sorted(gained, key=lambda each: -each.score)


def _fit(pool: Sequence[Scored]) -> dict[int, float]:
    """`{API: sum of its best scores}`."""
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for each in pool:
        scores[each.api].append(each.score)
    return {api: sum(sorted(own, reverse=True)[:_COUNTED]) for api, own in scores.items()}
