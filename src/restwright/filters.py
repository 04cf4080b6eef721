"""Catalogs made of other catalogs: fewer tools, other names, fewer inputs, others' tools."""

from __future__ import annotations

from restwright.tools.catalog.catalog import filter_operations
from restwright.tools.catalog.filters import (
    EntryFilter,
    add_tools,
    drop_namespaces,
    exclude_by_name,
    exclude_deprecated,
    filter_by_method,
    filter_by_name,
    filter_by_tag,
    filter_catalog,
    filter_reads,
    hide_inputs,
    hide_tools,
    limit_tools,
    rename_tools,
)

__all__ = [
    "EntryFilter",
    "add_tools",
    "drop_namespaces",
    "exclude_by_name",
    "exclude_deprecated",
    "filter_by_method",
    "filter_by_name",
    "filter_by_tag",
    "filter_catalog",
    "filter_operations",
    "filter_reads",
    "hide_inputs",
    "hide_tools",
    "limit_tools",
    "rename_tools",
]
