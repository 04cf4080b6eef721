"""
How far a figure can be trusted: intervals that hold the true one in 95 of 100 cases.

A share has Wilson's interval. Means, and differences of pairs, have the bootstrap's (percentiles):
what belongs to one query is drawn together, since its seeds are not independent of each other.

Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927);
B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

SCORE = 1.959963984540054
"""Of a normal distribution, 95 % lies within as many standard deviations."""
DRAWS = 2_000
SEED = 0
_ENDS = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its ends."""

    value: float
    low: float
    high: float

    def said(self, digits: int = 1) -> str:
        """Such as `54.2 [41.1, 66.8]`."""
        value, low, high = (f"{each:,.{digits}f}" for each in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


def share(met: int, of: int) -> Interval | None:
    """A share in percent; None of nothing."""
    if not of:
        return None
    rate, spread = met / of, SCORE**2 / of
    middle = (rate + spread / 2) / (1 + spread)
    half = SCORE * sqrt(rate * (1 - rate) / of + spread / (4 * of)) / (1 + spread)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    # What rounding leaves of an end that is 0 or 1.
    ends = (0.0 if not met else low, 1.0 if met == of else high)
    return Interval(100 * rate, *(100 * each for each in ends))


def mean(groups: Sequence[Sequence[float]]) -> Interval | None:
    """
    The mean of all values; None where there is none.

    Args:
        groups: The values of each query; those of an empty one weigh nothing.
    """
    import numpy as np

    totals: Any = np.array([sum(each) for each in groups], dtype=float)
    counts: Any = np.array([len(each) for each in groups], dtype=float)
    if not counts.sum():
        return None
    drawn = np.random.default_rng(SEED).integers(0, len(groups), size=(DRAWS, len(groups)))
    weights = counts[drawn].sum(axis=1)
    means = totals[drawn].sum(axis=1)[weights > 0] / weights[weights > 0]
    low, high = np.percentile(means, _ENDS)
    return Interval(float(totals.sum() / counts.sum()), float(low), float(high))
