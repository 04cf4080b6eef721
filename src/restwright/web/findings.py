"""What is doubtful in documents by operation, what providers make of a catalog, and its use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf

from restwright.errors import OverLimit
from restwright.jsontypes import JsonObject
from restwright.openapi.model import Problem
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.catalog.records import list_problems, problem_json
from restwright.tools.dialects import dialect_named
from restwright.tools.toolset import PROVIDERS, OfferLimits, ProviderLimits, offer_tools

_SPOKEN = {"xai": "openai"}
"""Providers that speak the dialect of another one."""
_SEVERITIES = ("error", "warning", "information")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemGroup:
    """
    What is doubtful in one place.

    Args:
        tool: Whose operation it is; empty for the rest of a document.
        place: In words, for the rest of a document.
    """

    namespace: str
    tool: str
    place: str
    problems: Sequence[Problem]

    def to_json(self) -> JsonObject:
        """As JSON."""
        return {
            "namespace": self.namespace,
            "tool": self.tool or None,
            "problems": [problem_json(problem) for problem in self.problems],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFit:
    """
    What the limits of one provider mean for a catalog.

    Args:
        policy: How its tools are offered; empty where it would refuse them.
        reason: Why so.
        offered: Tools that a model is shown where nothing is known of the task yet.
        tokens: About as many the model reads of them.
    """

    limits: ProviderLimits
    policy: str
    reason: str
    offered: int = 0
    tokens: int = 0

    def to_json(self) -> JsonObject:
        """As JSON; None for a limit that there is not."""
        most, size = self.limits.max_tools, self.limits.request_characters
        return {
            "provider": self.limits.name,
            "tools": self.limits.tools,
            "max_tools": None if isinf(most) else most,
            "request_characters": None if isinf(size) else size,
            "source": self.limits.source,
            "policy": self.policy or None,
            "reason": self.reason,
            "offered": self.offered,
            "tokens": self.tokens,
        }


def group_problems(catalog: Catalog, *, severity: str = "") -> tuple[ProblemGroup, ...]:
    """
    What is doubtful, by operation, in the order of the documents. Reads them whole.

    Args:
        severity: Only what is as bad as that; empty for all.
    """
    names = {
        (entry.namespace, entry.operation.pointer): name for name, entry in catalog.entries.items()
    }
    groups: dict[tuple[str, str], list[Problem]] = {}
    for namespace, problems in list_problems(catalog).items():
        for problem in problems:
            if severity in ("", problem.severity):
                # `/paths/~1users/get`, or one component: what stands there is shown together.
                place = "/".join(problem.pointer.split("/")[:4])
                groups.setdefault((namespace, place), []).append(problem)
    return tuple(
        ProblemGroup(
            namespace=namespace,
            tool=names.get((namespace, place), ""),
            place=place or "the whole document",
            problems=problems,
        )
        for (namespace, place), problems in groups.items()
    )


def count_severities(groups: Sequence[ProblemGroup]) -> dict[str, int]:
    """`{severity: how many problems}`, the worst first."""
    counts = Counter(problem.severity for group in groups for problem in group.problems)
    return {severity: counts[severity] for severity in _SEVERITIES}


def fit_providers(catalog: Catalog, question: str = "") -> tuple[ProviderFit, ...]:
    """
    What the limits of each provider mean for a catalog.

    Args:
        question: What a model is asked; empty where nothing is known yet.
    """
    return tuple(_fit_provider(catalog, question, limits) for limits in PROVIDERS.values())


def _fit_provider(catalog: Catalog, question: str, limits: ProviderLimits) -> ProviderFit:
    dialect = dialect_named(_SPOKEN.get(limits.name, limits.name))
    try:
        offer = offer_tools(
            catalog, question, dialect=dialect, limits=OfferLimits(provider=limits.name)
        )
    except OverLimit as error:
        return ProviderFit(limits=limits, policy="", reason=error.message)
    return ProviderFit(
        limits=limits,
        policy=offer.policy,
        reason=offer.reason,
        offered=len(offer.names),
        tokens=offer.tokens,
    )
