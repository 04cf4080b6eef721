"""The right API first, then its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from restwright.tools.search.weights import SearchWeights

if TYPE_CHECKING:
    import tantivy


@dataclass(frozen=True, slots=True)
class ScoredOperation:
    """An operation in an index, its score and the number of its API."""

    score: float
    address: tantivy.DocAddress
    api: int


def rerank_by_api(
    pool: Sequence[ScoredOperation], fits: Mapping[int, float], weights: SearchWeights
) -> list[ScoredOperation]:
    """Rank again: operations of APIs that fit less as a whole lose."""
    top = max(fits.values(), default=0.0)
    if top <= 0 or not pool or not weights.api_first:
        return list(pool)
    fit = {api: value / top for api, value in fits.items()}
    best, second = (
        pool[0].score,
        max((number for number in fit.values() if number < 1), default=0.0),
    )
    # Where the words of one API clearly fit best, a single operation of another says little.
    share = weights.best_of_api * second**2
    seen: set[int] = set()
    for operation in pool:
        if operation.api not in seen:
            seen.add(operation.api)
            fit[operation.api] = fit.get(operation.api, 0.0) + share * operation.score / best
    top = max(fit.values())
    ranked = [
        replace(
            scored_operation,
            score=scored_operation.score
            * max(weights.least_fit, fit[scored_operation.api] / top) ** weights.api_first,
        )
        for scored_operation in pool
    ]
    return sorted(ranked, key=lambda each: -each.score)
