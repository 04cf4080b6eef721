"""
Which operations can supply a value that another one needs.

The document says it, without a word list: by names (`product_id`, or `id` of a `Product`, or of
what `/products` holds), by types, and by paths (`/products` holds what `/products/{id}` names).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from restwright.openapi.model import Method
from restwright.tools.producers.evidence import (
    Evidence,
    Need,
    Source,
    envelopes_of,
    is_rare,
    need_of,
    qualified_name,
    shares_of,
)
from restwright.tools.producers.fields import Field, Words, fields_of
from restwright.tools.producers.paths import collections_of, is_above, is_same_path
from restwright.tools.tool import Tool

_MIN_STRENGTH = 0.3

# What each circumstance is worth beside the strength of the evidence, which is at most 1.
_COLLECTION = 0.15
_ABOVE = 0.05
_WRITE = 0.2
_MISSING_IN_PATH = 0.08
_MISSING = 0.02
_LEVEL = 0.01


@dataclass(frozen=True, slots=True)
class Producer:
    """
    An operation whose response holds values for an input.

    Args:
        path: Where, from the root, `[]` for elements of an array: `("items", "[]", "id")`.
        why: In words.
    """

    tool: Tool
    path: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class _Consumer:
    """The tool that needs a value, and the values that its other inputs bring along."""

    need: Need
    given: frozenset[Words] = field(repr=False)


def producers(
    tool: Tool,
    input_name: str,
    tools: Sequence[Tool],
    *,
    fields: Callable[[Tool], Sequence[Field]] = fields_of,
) -> tuple[Producer, ...]:
    """
    Which operations yield values for an input of `tool`.

    Args:
        tools: Those of the same namespace count: an id of one API says nothing to another.
        fields: What a response holds; pass a memoised one to ask for many inputs.

    Returns:
        Best first, one entry an operation; reads before creating ones, those that need the same
        value themselves last. Empty where the values are listed in the schema.
    """
    need = need_of(tool, input_name)
    if need is None or need.facts.is_enumerated or need.facts.types == frozenset({"boolean"}):
        return ()
    collections = collections_of(each.operation.path for each in tools)
    known = {each.name: tuple(fields(each)) for each in tools if _may_produce(each, tool)}
    envelopes = envelopes_of(
        {each.operation.path: known[each.name] for each in tools if each.name in known}
    )
    sources = [
        Source(each, known[each.name], collections, envelopes)
        for each in tools
        if each.name in known
    ]
    consumer = _Consumer(need, frozenset(_required(tool)) - {need.qualified})
    return tuple(_best_first(_found(sources, need), consumer))


def _may_produce(other: Tool, tool: Tool) -> bool:
    is_fitting = other.operation.method in {Method.GET, Method.POST}
    return is_fitting and other.namespace == tool.namespace and other.name != tool.name


def _found(sources: Sequence[Source], need: Need) -> list[tuple[Source, Evidence]]:
    """The best evidence of each source; by names, or else by what may identify the thing."""
    rare = is_rare(need, sources)
    found = [(each, list(each.by_name(need, is_rare=rare))) for each in sources]
    is_certain = any(_best(several) and not _needs_itself(each, need) for each, several in found)
    if not is_certain or any(each.is_thing(need) for each in sources[:1]):
        shares = shares_of(sources)
        found = [(each, [*several, *each.as_identifier(need, shares)]) for each, several in found]
    return [(each, best) for each, several in found if (best := _best(several))]


def _best(several: Sequence[Evidence]) -> Evidence | None:
    # Of equal ones the first, which is nearest to the root.
    best = max(several, key=_nearness, default=None)
    return best if best and best.strength >= _MIN_STRENGTH else None


def _nearness(each: Evidence) -> float:
    return each.strength - _LEVEL * len(each.field.path)


def _best_first(
    found: Iterable[tuple[Source, Evidence]], consumer: _Consumer
) -> Iterable[Producer]:
    ranked = sorted(
        found,
        key=lambda pair: (
            _needs_itself(pair[0], consumer.need) or _gives_what_it_takes(*pair),
            -_score(*pair, consumer),
            pair[0].tool.name,
        ),
    )
    return (Producer(source.tool, each.field.path, each.why) for source, each in ranked)


def _needs_itself(source: Source, need: Need) -> bool:
    return need.qualified in _required(source.tool)


def _gives_what_it_takes(source: Source, evidence: Evidence) -> bool:
    """Whether the field is one of the operation's own inputs: `id` of `/artists?ids=`."""
    return any(evidence.meant[-len(each) :] == each for each in _required(source.tool))


def _score(source: Source, evidence: Evidence, consumer: _Consumer) -> float:
    tool, need = source.tool, consumer.need
    score = _nearness(evidence)
    if need.collection and is_same_path(tool.operation.path, need.collection):
        score += _COLLECTION
    elif is_above(tool.operation.path, need.collection):
        score += _ABOVE
    if not tool.is_read:
        score -= _WRITE
    missing = [each for name, each in _required(tool).items() if name not in consumer.given]
    return score - sum(_MISSING_IN_PATH if each == "path" else _MISSING for each in missing)


def _required(tool: Tool) -> dict[Words, str]:
    """`{qualified name: location}` of the inputs that a tool cannot do without."""
    names = set(tool.required)
    return {qualified_name(tool, each): each.location for each in tool.inputs if each.name in names}
