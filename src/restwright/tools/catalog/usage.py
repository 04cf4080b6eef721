"""How often each tool was used, and what that suggests. Holds names and numbers alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject

UsageEvent = Literal["offered", "called", "failed", "mismatched", "repaired"]
USAGE_EVENTS: tuple[UsageEvent, ...] = ("offered", "called", "failed", "mismatched", "repaired")

FAILURE_KINDS = frozenset({"http_error", "no_response", "mismatch"})
"""Kinds of results that count as failed; that a person refused a call says nothing of its tool."""

MIN_RUNS_OFFERED = 20
"""Runs in which a tool must have been offered before something is said about it."""
OFTEN_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUsage:
    """
    How often one tool was used.

    Args:
        tool: Its full name.
        offered: Runs in which a model was given it.
        called: Calls that a model made of it, with whatever result.
        failed: Those that ended with a mismatch, no response or a status of 400 and above.
        mismatched: Those of the failed ones whose arguments did not fit.
        repaired: Those whose arguments had to be repaired first.
    """

    tool: str
    offered: int = 0
    called: int = 0
    failed: int = 0
    mismatched: int = 0
    repaired: int = 0

    def to_json(self) -> JsonObject:
        """As JSON."""
        return {"tool": self.tool, **{literal: getattr(self, literal) for literal in USAGE_EVENTS}}


@dataclass(slots=True)
class UsageCounter:
    """Counts what happens to tools until somebody keeps it."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def count_offered(self, names: Iterable[str]) -> None:
        """Count that a model was given these tools."""
        for name in dict.fromkeys(names):
            self.count_event(name, "offered")

    def count_call(self, name: str, *, kind: str = "ok", is_repaired: bool = False) -> None:
        """Count one call of a tool, and how it went: `kind` is that of its result."""
        self.count_event(name, "called")
        if kind in FAILURE_KINDS:
            self.count_event(name, "failed")
        if kind == "mismatch":
            self.count_event(name, "mismatched")
        if is_repaired:
            self.count_event(name, "repaired")

    def count_event(self, name: str, event: UsageEvent) -> None:
        """Count one event."""
        self.counts[name, event] = self.counts.get((name, event), 0) + 1

    def add(self, other: UsageCounter) -> None:
        """Count what another one has counted."""
        for key, count in other.counts.items():
            self.counts[key] = self.counts.get(key, 0) + count


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageAdvice:
    """What the counts of one tool suggest, and why."""

    tool: str
    what: str

    def __str__(self) -> str:
        return f"{self.tool}: {self.what}"


def count_usage(
    names: Iterable[str], counts: Mapping[tuple[str, str], int]
) -> tuple[ToolUsage, ...]:
    """The uses of the tools `names`, in their order; those that never were among them."""
    return tuple(
        ToolUsage(
            tool=name, **{literal: counts.get((name, literal), 0) for literal in USAGE_EVENTS}
        )
        for name in names
    )


def advise_on_usage(uses: Sequence[ToolUsage]) -> tuple[UsageAdvice, ...]:
    """
    What to prune and what to look at.

    A tool is to go when it was offered often enough and never called; it is to be looked at when
    most of its calls failed or had to be repaired.
    """
    return tuple(
        UsageAdvice(tool=use.tool, what=what)
        for use in uses
        for what in (_advice_text(use),)
        if what
    )


def _advice_text(use: ToolUsage) -> str:
    if use.offered >= MIN_RUNS_OFFERED and not use.called:
        return f"offered {use.offered:,} times and never called; hide it"
    if use.called < MIN_RUNS_OFFERED // 2:
        return ""
    for event, count in (("failed", use.failed), ("were repaired", use.repaired)):
        if count > use.called * OFTEN_SHARE:
            return f"{count:,} of {use.called:,} calls {event}; look at its description"
    return ""
