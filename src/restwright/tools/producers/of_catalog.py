"""The producers of a catalog's tools: each API is read when it is first asked for, and kept."""

from __future__ import annotations

from collections.abc import Mapping

from restwright.tools.catalog import Catalog, Entry
from restwright.tools.producers.producing import Producer, Suppliers
from restwright.tools.producers.responses import Responses
from restwright.tools.tool import Tool

_RECENT = 16


def producers_of(tool: Tool, catalog: Catalog) -> Mapping[str, tuple[Producer, ...]]:
    """`{required input of a tool: which operations yield values for it, best first}`."""
    own = suppliers(catalog, tool.namespace)
    found = {name: own.of(tool, name) for name in tool.model_checks.get("required", ())}
    return {name: several for name, several in found.items() if several}


_recent: list[tuple[Mapping[str, Entry], str, Suppliers]] = []


def suppliers(catalog: Catalog, namespace: str) -> Suppliers:
    """What the operations of one API supply; that of the last few is kept."""
    for known in _recent:
        if known[0] is catalog.entries and known[1] == namespace:
            return known[2]
    responses = Responses(catalog.apis[namespace].document)
    tools = [catalog[name] for name, each in catalog.entries.items() if each.namespace == namespace]
    made = Suppliers(tools, lambda tool: responses.fields(tool.operation))
    _recent.append((catalog.entries, namespace, made))
    del _recent[:-_RECENT]
    return made
