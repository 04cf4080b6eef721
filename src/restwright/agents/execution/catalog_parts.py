"""The part of a catalog that a run may use: its reads, its writes, what the policy allows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from restwright.agents.runtime.write_guard import is_collection_write
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.openapi.model import Operation
from restwright.tools.catalog.catalog import Catalog

_RECENT = 4

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
