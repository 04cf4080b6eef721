"""What one run of an agent carries along, and what it asks of its catalog."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import orjson

from restwright.agents.memory.context import known_before
from restwright.agents.memory.memory import Known, Memory
from restwright.agents.memory.referring import Reference
from restwright.agents.roles.failure import Failure
from restwright.agents.roles.few_shot import NONE, Examples
from restwright.agents.runtime.write_guard import is_collection_write
from restwright.agents.steps import Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.http.retry import IDEMPOTENCY_HEADERS
from restwright.openapi.model import Operation
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

_RECENT = 4


Find: TypeAlias = "Callable[[Run, str, int, Collection[str]], Steps[Json | Failure]]"
"""Finds out what a description means, at a depth of look-ups: by an operation of its own choice,
which is none of some."""


@dataclass(slots=True)
class Run:
    """
    What one run carries along.

    Args:
        policy: Says which tools are reads, and which are never to be called.
        expands: Whether the model words what to search for, where there is much to search.
        sequences: Whether the model may choose several operations at once.
        examples: What roles are shown of how it is done.
        about: The results of earlier steps that the one that is taken speaks of.
        written: The writes that succeeded, each by what it changes.
        find: For things that are described by others: `the director of North Star`.
        undone: What was asked and is not done, each with why; a loop says which is which.
        accepted: Writes that were only taken in, to be done later (202).
        partly: Reads that were last made of a part of what there is.
        said: What the user said when asked for an input, by tool, input and task.
    """

    question: str
    catalog: Catalog
    policy: Policy = CONFIRM
    language: str = "English"
    memory: Memory = field(default_factory=Memory)
    failures: list[str] = field(default_factory=list[str])
    answered_calls: dict[bytes, Result] = field(default_factory=dict[bytes, Result])
    expands: bool = False
    sequences: bool = False
    examples: Examples = NONE
    about: tuple[Reference, ...] = ()
    find: Find | None = None
    written: set[bytes] = field(default_factory=set[bytes])
    undone: dict[str, str] = field(default_factory=dict[str, str])
    accepted: list[str] = field(default_factory=list[str])
    partly: set[str] = field(default_factory=set[str])
    said: dict[tuple[str, str, str], Json] = field(default_factory=dict[tuple[str, str, str], Json])
    sought: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])
    _apis: dict[str, tuple[Tool, ...]] = field(default_factory=dict[str, tuple[Tool, ...]])
    _counts: Counter[str] = field(default_factory=Counter[str])

    def answered(self, tool: Tool, arguments: JsonObject) -> Result | None:
        """What the same read gave before, while nothing was written since."""
        return self.answered_calls.get(key_of(tool, arguments)) if self.is_read(tool) else None

    def is_written(self, tool: Tool, arguments: JsonObject) -> bool:
        """Whether the same write succeeded before in this run."""
        return not self.is_read(tool) and _change_of(tool, arguments) in self.written

    def keep(self, tool: Tool, arguments: JsonObject, result: Result) -> None:
        """Remember what a read gave; a write makes all of that doubtful."""
        if not self.is_read(tool):
            self.answered_calls.clear()
            if result.ok:
                self.written.add(_change_of(tool, arguments))
        elif result.ok:
            self.answered_calls[key_of(tool, arguments)] = result

    def beside(self, tool: Tool) -> tuple[Tool, ...]:
        """The tools of the same API, which alone can say something about its ids."""
        if tool.namespace not in self._apis:
            own = self.catalog.entries.items()
            names = [name for name, each in own if each.namespace == tool.namespace]
            self._apis[tool.namespace] = tuple(self.catalog[name] for name in names)
        return self._apis[tool.namespace]

    def known_before(self, tool: Tool, name: str) -> tuple[Known, ...]:
        """The values for the input `name` that earlier turns of the conversation found."""
        return known_before(tool, name, self.beside(tool))

    def is_read(self, tool: Tool) -> bool:
        """Whether calling `tool` changes nothing, by what the user or the document says."""
        return self.policy.class_of(tool) == "read"

    def part(self, *, reads: bool) -> Catalog:
        """The reads of the catalog, or its writes; without what the policy refuses."""
        return part_of(self.catalog, self.policy, reads=reads)

    def in_order(self, names: Collection[str]) -> tuple[Tool, ...]:
        """Tools in the order of their documents: what belongs together stands together."""
        entries = self.catalog.entries
        places = {
            (namespace, operation.pointer): place
            for namespace in {entries[name].namespace for name in names}
            for place, operation in enumerate(self.catalog.apis[namespace].operations)
        }

        def place_of(name: str) -> tuple[str, int]:
            entry = entries[name]
            return entry.namespace, places[entry.namespace, entry.operation.pointer]

        return tuple(self.catalog[name] for name in sorted(names, key=place_of))

    def short_name(self, tool: Tool) -> str:
        """The shortest name that means only this tool."""
        if not self._counts:
            self._counts.update(each.operation_name for each in self.catalog.entries.values())
        name = tool.operation_name if self._counts[tool.operation_name] == 1 else tool.name
        # A plain `str`: the checker of schemas takes no other in an `enum`.
        return str(name)


def key_of(tool: Tool, arguments: JsonObject) -> bytes:
    """The same for calls that are the same."""
    try:
        return orjson.dumps([tool.name, arguments], option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        # A number of more than 64 bits, half of a surrogate.
        return json.dumps([tool.name, arguments], sort_keys=True).encode()


def is_idempotency_key(tool: Tool, name: str) -> bool:
    """Whether an input only tells a server which calls are one."""
    found = (each for each in tool.inputs if each.name == name and each.location == "header")
    return any(each.target.lower() in IDEMPOTENCY_HEADERS for each in found)


def _change_of(tool: Tool, arguments: JsonObject) -> bytes:
    """The same for writes that change the same, with whatever idempotency keys they are sent."""
    left = dict(arguments)
    for each in tool.inputs:
        if is_idempotency_key(tool, each.name):
            group = left.get(each.group) if each.group else None
            if is_object(group):
                left[each.group] = {key: group[key] for key in group if key != each.name}
            elif not each.group:
                left.pop(each.name, None)
    return key_of(tool, left)


_recent: list[tuple[Catalog, Policy, bool | None, Catalog]] = []


def part_of(catalog: Catalog, policy: Policy = CONFIRM, *, reads: bool | None) -> Catalog:
    """
    The reads of a catalog, its writes, or both (None); without what would be refused.

    Those of the last few catalogs are kept, as what a search finds out is kept by the catalog.
    """
    for whole, its_policy, is_of_reads, kept in _recent:
        if whole is catalog and its_policy == policy and is_of_reads == reads:
            return kept
    entries = {
        name: entry
        for name, entry in catalog.entries.items()
        if _is_offered(_Unbuilt(name, entry.operation_name, entry.operation), policy, reads=reads)
        and not is_collection_write(catalog, policy, name)
    }
    is_whole = reads is None and len(entries) == len(catalog)
    part = catalog if is_whole else replace(catalog, entries=entries)
    _recent.append((catalog, policy, reads, part))
    del _recent[:-_RECENT]
    return part


def allowed(catalog: Catalog, policy: Policy) -> Catalog:
    """The catalog without what `policy` refuses."""
    return part_of(catalog, policy, reads=None)


class _Unbuilt(NamedTuple):
    """A tool before it is built, which in a large catalog would take a while."""

    name: str
    operation_name: str
    operation: Operation


def _is_offered(tool: _Unbuilt, policy: Policy, *, reads: bool | None) -> bool:
    if policy.decision(tool) == "refuse":
        return False
    return reads is None or (policy.class_of(tool) == "read") == reads
