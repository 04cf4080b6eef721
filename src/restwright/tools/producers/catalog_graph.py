"""The producers of a catalog's tools: each API is read when it is first asked for, and kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from restwright.openapi.model import API
from restwright.tools.options import ToolOptions
from restwright.tools.producers.graph import Producer, Suppliers
from restwright.tools.producers.responses import Responses
from restwright.tools.tool import Tool

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog, Entry

_RECENT_APIS = 16
_RECENT_CATALOGS = 4


class _Known(NamedTuple):
    api: API
    options: ToolOptions
    names: tuple[str, ...]
    suppliers: Suppliers


def producers_of(tool: Tool, catalog: Catalog) -> Mapping[str, tuple[Producer, ...]]:
    """`{required input of a tool: which operations yield values for it, best first}`."""
    own = suppliers(catalog, tool.namespace)
    found = {name: own.of(tool, name) for name in tool.model_checks.get("required", ())}
    return {name: several for name, several in found.items() if several}


_recent: list[_Known] = []
_grouped: list[tuple[Mapping[str, Entry], Mapping[str, tuple[str, ...]]]] = []


def suppliers(catalog: Catalog, namespace: str) -> Suppliers:
    """
    What the operations of one API supply; that of the last few is kept.

    Catalogs that have the same operations of an API share it.
    """
    api, names = catalog.apis[namespace], _names_of(catalog)[namespace]
    for known in _recent:
        if known.api is api and known.names == names and known.options == catalog.options:
            return known.suppliers
    responses = Responses(api.document)
    tools = [catalog[name] for name in names]
    made = Suppliers(tools, lambda tool: responses.fields(tool.operation))
    _recent.append(_Known(api, catalog.options, names, made))
    del _recent[:-_RECENT_APIS]
    return made


def _names_of(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    """`{namespace: names of its tools}`."""
    for entries, known in _grouped:
        if entries is catalog.entries:
            return known
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, each in catalog.entries.items():
        found[each.namespace].append(name)
    made = {namespace: tuple(names) for namespace, names in found.items()}
    _grouped.append((catalog.entries, made))
    del _grouped[:-_RECENT_CATALOGS]
    return made
