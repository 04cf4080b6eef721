"""What goes wrong on purpose, said beforehand, so that every run meets the same faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from restwright.typing import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """
    One answer in place of the API's own.

    Args:
        template: Only for this path as the document writes it; empty for any.
        method: Only for this one, in upper case; empty for any.
        every: The 1st, the (1 + every)th ... request that it is for; 0 for the first one alone.
    """

    status: int
    reason: str = "planned"
    template: str = ""
    method: str = ""
    every: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def is_for(self, method: str, template: str) -> bool:
        """Whether a request is one of those."""
        return self.method in {"", method} and self.template in {"", template}


class FaultPlan:
    """Faults in the order in which they are tried; each counts its own requests."""

    def __init__(self, *faults: PlannedFault) -> None:
        self.faults = faults
        self._seen = [0] * len(faults)

    def begun(self) -> FaultPlan:
        """The same plan with no request counted."""
        return FaultPlan(*self.faults)

    def next_for(self, method: str, template: str) -> PlannedFault | None:
        """The fault that the request meets; None for none."""
        for index, fault in enumerate(self.faults):
            if not fault.is_for(method, template):
                continue
            seen = self._seen[index]
            self._seen[index] += 1
            if seen == 0 or (fault.every and seen % fault.every == 0):
                return fault
        return None


def fault_plan(told: Sequence[JsonObject]) -> FaultPlan:
    """
    A plan as JSON: objects with the names of `PlannedFault`.

    Raises:
        ValueError: There is another name in it, or a status that no answer has.
    """
    names = {each.name for each in fields(PlannedFault)}
    for each in told:
        if unknown := sorted(set(each) - names):
            raise ValueError(f"a fault has no {unknown[0]}; it has {', '.join(sorted(names))}")
        status = each.get("status")
        if not isinstance(status, int) or not 200 <= status <= 599:
            raise ValueError("a fault has a status from 200 to 599")
    return FaultPlan(*(PlannedFault(**each) for each in told))


NO_FAULTS = FaultPlan()


def too_many(*, after_s: int = 1, template: str = "", every: int = 0) -> PlannedFault:
    """A 429 that says when to come back."""
    return PlannedFault(
        status=429,
        reason="too many requests",
        template=template,
        every=every,
        headers={"Retry-After": str(after_s)},
    )
