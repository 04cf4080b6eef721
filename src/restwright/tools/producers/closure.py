"""What a search found, together with what supplies the values that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from restwright.tools.producers.catalog_graph import load_suppliers
from restwright.tools.producers.graph import Producer, Suppliers
from restwright.tools.tool import Tool

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog

_CONSUMERS = 20
_DEPTH = 2
_LEAST = 0.25
"""Of the best score: what is found for less asks for nothing."""

_APIS = 3
"""Of so many, those of the best hits, responses are read."""

# What share of a consumer's score its producers get: in a path nothing goes without the value.
_IN_PATH, _ELSEWHERE = 1.0, 0.6
# The surest one; one that turns words into values, the more where the query names something; those
# that the query is about themselves. Each further one gets less.
_SUREST, _BY_WORDS, _BY_NAME, _ASKED_FOR = 0.8, 0.8, 0.95, 0.65
_FURTHER = 0.8
_MANY_ASKED_FOR = 3
_MANY_BY_WORDS = 2
_READ = 40
_BOTH = 0.3
"""How much of the smaller score counts where a tool is found and supplies too."""


@dataclass(frozen=True, slots=True)
class RankedTool:
    """
    A tool with its score.

    Args:
        why: It supplies a value; empty for what was found by itself.
    """

    name: str
    score: float
    why: str = field(default="")


def add_producers(
    found: Iterable[tuple[str, float]], catalog: Catalog, k: int, *, is_named: bool = False
) -> tuple[RankedTool, ...]:
    """
    The `k` best tools, producers of what the found ones need among them.

    Args:
        found: Names of tools of `catalog` and their scores, best first.
        is_named: Whether the query names something (`"Titanic"`), so that what it wants must be
            looked up by that name.
    """
    own = dict(found)
    supplied = _score_producers(own, catalog, is_named=is_named)
    ranked = [*_merge_scores(own, supplied)]
    ranked.sort(key=lambda each: (-each.score, each.name))
    return tuple(ranked[: max(k, 0)])


def _merge_scores(
    own: Mapping[str, float], supplied: Mapping[str, RankedTool]
) -> Iterator[RankedTool]:
    for name, score in own.items():
        other = supplied.get(name)
        if other is None:
            yield RankedTool(name, score)
        else:
            low, high = sorted((score, other.score))
            yield replace(other, score=high + _BOTH * low)
    yield from (each for name, each in supplied.items() if name not in own)


def _score_producers(
    own: Mapping[str, float], catalog: Catalog, *, is_named: bool
) -> dict[str, RankedTool]:
    """`{name: what it supplies}`, for what was found and then for what supplies that."""
    best: dict[str, RankedTool] = {}
    consumers = _choose_consumers(own, catalog)
    for _ in range(_DEPTH):
        new: dict[str, RankedTool] = {}
        for name, score in consumers:
            for ranked_tool in _rank_producers_of(
                catalog[name], score, own, catalog, is_named=is_named
            ):
                if ranked_tool.name not in best or best[ranked_tool.name].score < ranked_tool.score:
                    best[ranked_tool.name] = new[ranked_tool.name] = ranked_tool
        consumers = [(tool.name, tool.score) for tool in new.values()]
    return best


def _choose_consumers(own: Mapping[str, float], catalog: Catalog) -> list[tuple[str, float]]:
    least = _LEAST * max(own.values(), default=0.0)
    namespaces = dict.fromkeys(catalog.entries[name].namespace for name in own)
    read = set(list(namespaces)[:_APIS])
    return [
        (name, score)
        for name, score in own.items()
        if score >= least and catalog.entries[name].namespace in read
    ][:_CONSUMERS]


def _rank_producers_of(
    tool: Tool, score: float, own: Mapping[str, float], catalog: Catalog, *, is_named: bool
) -> Iterator[RankedTool]:
    api = load_suppliers(catalog, tool.namespace)
    locations = {tool_input.name: tool_input.location for tool_input in tool.inputs}
    for name in tool.model_checks.get("required", ()):
        share = _IN_PATH if locations[name] == "path" else _ELSEWHERE
        several = api.find_producers(tool, name)
        for producer, worth in _weigh_producers(several, own, api, is_named=is_named).items():
            why = f"supplies {name} of {tool.operation_name}: {several[producer].why}"
            yield RankedTool(several[producer].tool.name, score * share * worth, why)


def _weigh_producers(
    producers: Sequence[Producer], own: Mapping[str, float], api: Suppliers, *, is_named: bool
) -> dict[int, float]:
    """`{index of a producer: how likely it is the one to call, from 0 to 1}`."""
    by_words = [n for n, each in enumerate(producers[:_READ]) if api.needs_free_text(each.tool)]
    asked_for = [n for n, each in enumerate(producers) if each.tool.name in own]
    asked_for.sort(key=lambda n: -own[producers[n].tool.name])
    worth: dict[int, float] = {}
    for indexes, share in (
        (range(min(1, len(producers))), _SUREST),
        (by_words[:_MANY_BY_WORDS], _BY_NAME if is_named else _BY_WORDS),
        (asked_for[:_MANY_ASKED_FOR], _ASKED_FOR),
    ):
        for rank, index in enumerate(indexes):
            worth[index] = max(worth.get(index, 0.0), share * _FURTHER**rank)
    return worth
