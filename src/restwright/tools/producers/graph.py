"""
Which operations can supply a value that another one needs.

The document says it, without a word list: by links, by names (`product_id`, or `id` of a
`Product`, or of what `/products` holds), by types, and by paths (`/products` holds what
`/products/{id}` names, with or without a schema of its response).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_

from restwright.openapi.model import Method
from restwright.tools.producers.fields import NameWords, ResponseField, response_fields
from restwright.tools.producers.foreign_keys import find_foreign_keys
from restwright.tools.producers.links import LinkedValue, collect_links
from restwright.tools.producers.matching import (
    Evidence,
    ValueSource,
    count_name_shares,
    find_envelopes,
    is_rare_name,
    score_nearness,
    word_prefix,
)
from restwright.tools.producers.paths import find_collections, is_path_prefix, is_same_path
from restwright.tools.producers.required_value import (
    RequiredValue,
    find_required_value,
    qualify_input_name,
)
from restwright.tools.tool import Input, Tool

_MIN_STRENGTH = 0.3

# What each circumstance is worth beside the strength of the evidence, which is at most 1.
_COLLECTION = 0.15
_ABOVE = 0.05
_WRITE = 0.2
_MISSING_IN_PATH = 0.08
_MISSING = 0.02

_SourceEvidence = tuple[ValueSource, Evidence]


@dataclass(frozen=True, slots=True)
class Producer:
    """
    An operation whose response holds values for an input.

    Args:
        path: Where, from the root, `[]` for elements of an array: `("items", "[]", "id")`. Empty
            where the document does not say what the response holds.
        why: In words.
        confidence: How surely, from 0 to 1.
    """

    tool: Tool
    path: tuple[str, ...]
    why: str
    confidence: float = field(default=1.0, compare=False)


@dataclass(frozen=True, slots=True)
class _Consumer:
    """The tool that needs a value, and the values that its other inputs bring along."""

    need: RequiredValue
    given: frozenset[NameWords] = field(repr=False)


class Suppliers:
    """
    The operations of one API that may supply values, ready to be asked for many inputs.

    Args:
        tools: Of one namespace; an id of one API says nothing to another.
        fields: What a response holds.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        fields: Callable[[Tool], Sequence[ResponseField]] = response_fields,
    ) -> None:
        every = list(tools)
        collections = find_collections(tool.operation.path for tool in every)
        suppliers = [tool for tool in every if tool.operation.method in {Method.GET, Method.POST}]
        known = {supplier.name: tuple(fields(supplier)) for supplier in suppliers}
        envelopes = find_envelopes(
            {supplier.operation.path: known[supplier.name] for supplier in suppliers}
        )
        self._sources = [
            ValueSource(supplier, known[supplier.name], collections, envelopes)
            for supplier in suppliers
        ]
        self._shares = count_name_shares(self._sources)
        self._by_name: defaultdict[NameWords, list[ValueSource]] = defaultdict(list)
        self._by_beginning: defaultdict[str, list[ValueSource]] = defaultdict(list)
        for source in self._sources:
            for name in source.fields_by_name:
                self._by_name[name].append(source)
            for beginning in source.word_prefixes:
                self._by_beginning[beginning].append(source)
        self._references = find_foreign_keys(self._sources, every)
        self._links = collect_links(every)
        self._evidence: dict[RequiredValue, list[_SourceEvidence]] = {}
        self._required: dict[str, Mapping[NameWords, str]] = {}
        self._ranked: dict[tuple[RequiredValue, frozenset[NameWords]], tuple[Producer, ...]] = {}
        self._wordy: dict[str, bool] = {}

    def find_producers(self, tool: Tool, input_name: str) -> tuple[Producer, ...]:
        """Which of them yield values for an input of `tool`, best first, as `find_producers()`
        says.
        """
        given = next(
            (tool_input for tool_input in tool.inputs if tool_input.name == input_name), None
        )
        # What a human fills in is not looked up by a model.
        if given is None or input_name not in tool.model_checks.get("properties", {}):
            return ()
        need = find_required_value(tool, given)
        if need.facts.is_enumerated or need.facts.types == frozenset({"boolean"}):
            return ()
        linked = [
            _producer_from_link(linked_value)
            for linked_value in self._links.get((tool.name, input_name), ())
        ]
        known = {producer.tool.name for producer in linked} | {tool.name}
        found = (
            self._infer(tool, need) if self._references.is_foreign_key(tool, given, need) else ()
        )
        return (*linked, *(producer for producer in found if producer.tool.name not in known))

    def _infer(self, tool: Tool, need: RequiredValue) -> tuple[Producer, ...]:
        if need not in self._evidence:
            self._evidence[need] = self._evidence_for(need)
        consumer = _Consumer(need, frozenset(self.required_inputs(tool)) - {need.qualified_name})
        key = need, consumer.given
        if key not in self._ranked:
            self._ranked[key] = tuple(self._rank(self._evidence[need], consumer))
        return self._ranked[key]

    def required_inputs(self, tool: Tool) -> Mapping[NameWords, str]:
        """`{qualified name: location}` of the inputs that a tool cannot do without."""
        if tool.name not in self._required:
            names = set(tool.model_checks.get("required", ()))
            self._required[tool.name] = {
                qualify_input_name(tool, tool_input): tool_input.location
                for tool_input in tool.inputs
                if tool_input.name in names
            }
        return self._required[tool.name]

    def needs_free_text(self, tool: Tool) -> bool:
        """Whether a tool must be given a text that no operation supplies, such as a title."""
        if tool.name not in self._wordy:
            required = set(tool.model_checks.get("required", ()))
            self._wordy[tool.name] = any(
                self._is_text(tool, tool_input)
                for tool_input in tool.inputs
                if tool_input.location == "query" and tool_input.name in required
            )
        return self._wordy[tool.name]

    def _is_text(self, tool: Tool, given: Input) -> bool:
        facts = find_required_value(tool, given).facts
        if facts.types != frozenset({"string"}) or facts.is_enumerated or facts.format:
            return False
        return not self.find_producers(tool, given.name)

    def _evidence_for(self, need: RequiredValue) -> list[_SourceEvidence]:
        """The best evidence of each source; by names, or else by what may identify the thing."""
        named = self._sources_by_name(need)
        rare = is_rare_name(need, named)
        several = {
            value_source.tool.name: list(value_source.evidence_by_name(need, is_rare=rare))
            for value_source in named
        }
        is_certain = any(
            _best_evidence(several[value_source.tool.name])
            and not self._is_self_dependent(value_source, need)
            for value_source in named
        )
        sources = {value_source.tool.name: value_source for value_source in named}
        if not is_certain or any(source.names_resource(need) for source in self._sources[:1]):
            for value_source in self._sources_by_prefix(need):
                sources[value_source.tool.name] = value_source
                several.setdefault(value_source.tool.name, [])
                if more := value_source.identifier_evidence(need, self._shares):
                    several[value_source.tool.name].append(more)
        found = [
            (each, best)
            for name, each in sources.items()
            if (best := _best_evidence(several[name]))
        ]
        return [*found, *self._by_path(need, {source.tool.name for source, _ in found})]

    def _by_path(self, need: RequiredValue, known: set[str]) -> Iterator[_SourceEvidence]:
        """Operations that do not say what they answer, by their paths alone."""
        for source in self._sources if need.holder else ():
            if not source.fields and source.tool.name not in known:
                evidence = source.path_evidence(need)
                if evidence and evidence.strength >= _MIN_STRENGTH:
                    yield source, evidence

    def _sources_by_name(self, need: RequiredValue) -> list[ValueSource]:
        found = {
            value_source.tool.name: value_source
            for name in need.names
            for value_source in self._by_name.get(name, ())
        }
        return sorted(found.values(), key=lambda each: each.tool.name)

    def _sources_by_prefix(self, need: RequiredValue) -> Iterable[ValueSource]:
        beginnings = {word_prefix(word) for word in need.words}
        found = {
            value_source.tool.name: value_source
            for beginning in beginnings
            for value_source in self._by_beginning.get(beginning, ())
        }
        return found.values()

    def _rank(self, found: Iterable[_SourceEvidence], consumer: _Consumer) -> Iterator[Producer]:
        ranked = sorted(
            ((self._score(*pair, consumer), *pair) for pair in found),
            key=lambda each: (
                self._is_self_dependent(each[1], consumer.need) or self._echoes_input(*each[1:]),
                -each[0],
                each[1].tool.name,
            ),
        )
        for score, source, each in ranked:
            confidence = round(max(0.0, min(1.0, score)), 2)
            yield Producer(source.tool, each.path, each.why, confidence)

    def _is_self_dependent(self, source: ValueSource, need: RequiredValue) -> bool:
        return need.qualified_name in self.required_inputs(source.tool)

    def _echoes_input(self, source: ValueSource, evidence: Evidence) -> bool:
        """Whether the field is one of the operation's own inputs: `id` of `/artists?ids=`."""
        return any(
            evidence.meant[-len(required_input) :] == required_input
            for required_input in self.required_inputs(source.tool)
        )

    def _score(self, source: ValueSource, evidence: Evidence, consumer: _Consumer) -> float:
        tool, need = source.tool, consumer.need
        score = _evidence_nearness(evidence)
        if need.collection and is_same_path(tool.operation.path, need.collection):
            score += _COLLECTION
        elif is_path_prefix(tool.operation.path, need.collection):
            score += _ABOVE
        if not tool.is_read:
            score -= _WRITE
        required = self.required_inputs(tool).items()
        missing = [each for name, each in required if name not in consumer.given]
        return score - sum(_MISSING_IN_PATH if name == "path" else _MISSING for name in missing)


def find_producers(
    tool: Tool,
    input_name: str,
    tools: Sequence[Tool],
    *,
    fields: Callable[[Tool], Sequence[ResponseField]] = response_fields,
) -> tuple[Producer, ...]:
    """
    Which operations yield values for an input of `tool`.

    Args:
        tools: Those of the same namespace count: an id of one API says nothing to another.
        fields: What a response holds; pass a memoised one to ask for many inputs, or ask
            `Suppliers` for them.

    Returns:
        Best first, one entry an operation; reads before creating ones, those that need the same
        value themselves last. Empty where the values are listed in the schema.
    """
    own = [item for item in tools if item.namespace == tool.namespace]
    return _cached_suppliers(own, fields).find_producers(tool, input_name)


_RECENT = 4
_recent: list[tuple[Sequence[Tool], Suppliers]] = []


def _cached_suppliers(
    tools: Sequence[Tool], fields: Callable[[Tool], Sequence[ResponseField]]
) -> Suppliers:
    """What `tools` supply; the last few are kept, as one is asked for many inputs."""
    if fields is not response_fields:
        return Suppliers(tools, fields)
    for known, suppliers in _recent:
        if len(known) == len(tools) and all(map(is_, known, tools)):
            return suppliers
    made = Suppliers(tools)
    _recent.append((tools, made))
    del _recent[:-_RECENT]
    return made


def _best_evidence(candidates: Sequence[Evidence]) -> Evidence | None:
    # Of equal ones the first, which is nearest to the root.
    best = max(candidates, key=_evidence_nearness, default=None)
    return best if best and best.strength >= _MIN_STRENGTH else None


def _evidence_nearness(evidence: Evidence) -> float:
    return score_nearness(evidence.strength, evidence)


def _producer_from_link(link: LinkedValue) -> Producer:
    return Producer(link.tool, link.path, link.why)
