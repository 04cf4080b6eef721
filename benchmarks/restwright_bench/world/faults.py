"""What goes wrong on purpose, said beforehand, so that every run meets the same faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from restwright.jsontypes import Json, JsonObject, is_object
from restwright_bench.world.exchange import Answer

MOST_LATENCY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """
    What is done to one answer.

    Args:
        status: Of a failure in place of the API's own answer; 0 lets the API answer. What it
            refuses by itself comes as it is.
        template: Only for this path as the document writes it; empty for any.
        method: Only for this one, in upper case; empty for any.
        every: The 1st, the (1 + every)th ... request that it is for; 0 for the first one alone.
        latency_s: Seconds until the answer is sent; such an API is only slow.
        cut: As many bytes of the body are sent, so that it is no JSON; 0 for all.
        media_type: As which the body is declared, JSON as it is; empty for the right one.
    """

    status: int = 0
    reason: str = "planned"
    template: str = ""
    method: str = ""
    every: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    latency_s: float = 0.0
    cut: int = 0
    media_type: str = ""

    def spoiled(self, answer: Answer) -> Answer:
        """An answer with all that but its status."""
        return replace(
            answer,
            delay_s=self.latency_s,
            cut=self.cut or None,
            media_type=self.media_type or answer.media_type,
        )

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
        ValueError: There is another name in it, or a value that no answer can have.
    """
    return FaultPlan(*map(_planned, told))


def _planned(told: JsonObject) -> PlannedFault:
    names = {each.name for each in fields(PlannedFault)}
    if not is_object(told):
        raise ValueError("a fault is an object")
    if unknown := sorted(set(told) - names):
        raise ValueError(f"a fault has no {unknown[0]}; it has {', '.join(sorted(names))}")
    if not any(told.get(each) for each in ("status", "latency_s", "cut", "media_type")):
        raise ValueError("a fault has a status from 200 to 599, latency_s, cut or media_type")
    for name, (fits, what) in _VALUES.items():
        if name in told and not fits(told[name]):
            raise ValueError(f"{name} of a fault is {what}")
    return PlannedFault(**told)


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


_VALUES: Mapping[str, tuple[Callable[[Json], bool], str]] = {
    "status": (
        lambda value: _is_count(value) and (value == 0 or 200 <= value <= 599),
        "a status from 200 to 599, or 0",
    ),
    "latency_s": (
        lambda value: isinstance(value, (int, float)) and 0 <= value <= MOST_LATENCY_S,
        f"a number of seconds up to {MOST_LATENCY_S:g}",
    ),
    "cut": (_is_count, "a number of bytes"),
    "every": (_is_count, "a number of requests"),
    "headers": (is_object, "an object"),
    "media_type": (_is_text, "a text"),
    "template": (_is_text, "a text"),
    "method": (_is_text, "a text"),
    "reason": (_is_text, "a text"),
}


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
