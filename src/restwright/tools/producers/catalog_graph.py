"""The producers of a catalog's tools: each API is read when it is first asked for, and kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from restwright.openapi.model import API
from restwright.tools.options import ToolOptions
from restwright.tools.producers.graph import Producer, Suppliers
from restwright.tools.producers.responses import DocumentResponses
from restwright.tools.tool import Tool

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog, CatalogEntry

_RECENT_APIS = 16
_RECENT_CATALOGS = 4


class _CachedSuppliers(NamedTuple):
    api: API
    options: ToolOptions
    names: tuple[str, ...]
    suppliers: Suppliers


def find_required_producers(tool: Tool, catalog: Catalog) -> Mapping[str, tuple[Producer, ...]]:
    """`{required input of a tool: which operations yield values for it, best first}`."""
    own = load_suppliers(catalog, tool.namespace)
    found = {name: own.find_producers(tool, name) for name in tool.model_checks.get("required", ())}
    return {name: several for name, several in found.items() if several}


_recent_suppliers: list[_CachedSuppliers] = []
_recent_names: list[tuple[Mapping[str, CatalogEntry], Mapping[str, tuple[str, ...]]]] = []


def load_suppliers(catalog: Catalog, namespace: str) -> Suppliers:
    """
    What the operations of one API supply; that of the last few is kept.

    Catalogs that have the same operations of an API share it.
    """
    api, names = catalog.apis[namespace], _names_by_namespace(catalog)[namespace]
    for known in _recent_suppliers:
        if known.api is api and known.names == names and known.options == catalog.options:
            return known.suppliers
    responses = DocumentResponses(api.document)
    tools = [catalog[name] for name in names]
    made = Suppliers(tools, lambda tool: responses.fields(tool.operation))
    _recent_suppliers.append(_CachedSuppliers(api, catalog.options, names, made))
    del _recent_suppliers[:-_RECENT_APIS]
    return made


def _names_by_namespace(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    """`{namespace: names of its tools}`."""
    for entries, known in _recent_names:
        if entries is catalog.entries:
            return known
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, each in catalog.entries.items():
        found[each.namespace].append(name)
    made = {namespace: tuple(names) for namespace, names in found.items()}
    _recent_names.append((catalog.entries, made))
    del _recent_names[:-_RECENT_CATALOGS]
    return made
