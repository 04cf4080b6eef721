"""What a catalog amounts to, by namespace: the same JSON for a program, a person and a log."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict

from restwright.openapi.model import Problem
from restwright.tools.naming.names import NAMESPACE_SEPARATOR
from restwright.tools.safety import classify_by_name
from restwright.tools.text.json_bytes import to_json_bytes

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject
    from restwright.tools.catalog.catalog import Catalog, CatalogEntry

LOGGER_NAME = "restwright.tools"
SELECTED_EVENT = "tools.selected"
SAMPLE_SIZE = 10
CHARACTERS_PER_TOKEN = 4


class NamespaceSummary(TypedDict):
    """
    What the index says about one namespace.

    `collisions` counts names that had to be changed because another wanted them. What stands last
    takes building every tool and reading the document whole, so it is there when asked for.
    """

    title: str
    description: str
    tools: int
    reads: int
    writes: int
    reason: str
    source: str
    version: str
    sha256: str
    collisions: int
    characters: NotRequired[int]
    tokens: NotRequired[int]
    problems: NotRequired[int]


class CatalogSummary(TypedDict):
    """The whole index; `hash` is of the documents and the names, in whatever order they came."""

    namespaces: dict[str, NamespaceSummary]
    total: int
    hash: str


def summarize_catalog(catalog: Catalog, *, measure: bool = False) -> CatalogSummary:
    """
    The index of a catalog.

    Args:
        measure: Say how many characters and problems there are, too.
    """
    return CatalogSummary(
        namespaces=summarize_namespaces(catalog, measure=measure),
        total=len(catalog),
        hash=hash_catalog(catalog),
    )


def summarize_namespaces(catalog: Catalog, *, measure: bool = False) -> dict[str, NamespaceSummary]:
    """`{namespace: what the index says about it}` in the order of namespaces."""
    by_namespace: dict[str, list[tuple[str, CatalogEntry]]] = {
        name: [] for name in sorted(catalog.apis)
    }
    for name, entry in catalog.entries.items():
        by_namespace[entry.namespace].append((name, entry))
    found = {name: _summarize_namespace(catalog, name, own) for name, own in by_namespace.items()}
    if measure:
        for name, own in by_namespace.items():
            _add_measurements(catalog, name, [tool for tool, _ in own], found[name])
    return found


def hash_catalog(catalog: Catalog) -> str:
    """SHA-256 of the documents' hashes and the names of their tools; the order does not matter."""
    names: dict[str, list[str]] = {name: [] for name in sorted(catalog.apis)}
    for name, entry in catalog.entries.items():
        names[entry.namespace].append(name)
    hashed = [[name, catalog.apis[name].sha256, sorted(own)] for name, own in names.items()]
    return hashlib.sha256(json.dumps(hashed, separators=(",", ":")).encode()).hexdigest()


def _summarize_namespace(
    catalog: Catalog, namespace: str, own: Sequence[tuple[str, CatalogEntry]]
) -> NamespaceSummary:
    api = catalog.apis[namespace]
    count = sum(classify_by_name(each.operation) == "read" for _, each in own)
    doubts = catalog.problems_by_namespace.get(namespace, ())
    return NamespaceSummary(
        title=api.title,
        description=api.description,
        tools=len(own),
        reads=count,
        writes=len(own) - count,
        reason=catalog.namespaces[namespace].reason,
        source=api.source,
        version=api.version,
        sha256=api.sha256,
        collisions=sum(map(_is_collision, doubts)),
    )


def _add_measurements(
    catalog: Catalog, namespace: str, names: Sequence[str], entry: NamespaceSummary
) -> None:
    tools = [catalog[name] for name in names]
    entry["characters"] = sum(
        len(tool.name) + len(tool.description) + len(to_json_bytes(tool.shows)) for tool in tools
    )
    entry["tokens"] = entry["characters"] // CHARACTERS_PER_TOKEN
    doubts = catalog.problems_by_namespace.get(namespace, ())
    entry["problems"] = len(dict.fromkeys([*catalog.apis[namespace].problems, *doubts]))


def _is_collision(problem: Problem) -> bool:
    # A name made from the path because the `operationId` says nothing collides with none.
    return problem.action.startswith("named ") and not problem.pointer.endswith("/operationId")


class OfferLike(Protocol):
    """What is read of an offer of tools to a model."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the tools that the model is shown."""
        ...

    @property
    def provider(self) -> str:
        """Whose model it is."""
        ...

    @property
    def total(self) -> int:
        """How many tools there are to choose from."""
        ...

    @property
    def reason(self) -> str:
        """Why these."""
        ...

    @property
    def hash(self) -> str:
        """Of what is sent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSelection:
    """
    The log record `tools.selected`: which tools a model was given to choose from, and why.

    Args:
        agent: Its name.
        provider: Whose model it asks.
        total: How many tools there were to choose from.
        index: `{namespace: how many of its tools the model was given}`.
        sample: The first names of those.
        reason: Why these.
        hash: Of what the model was given.
    """

    agent: str
    provider: str
    total: int
    index: Mapping[str, int] = field(default_factory=dict[str, int])
    sample: tuple[str, ...] = ()
    reason: str = ""
    hash: str = ""

    def to_json(self) -> JsonObject:
        """As JSON; the keys never change."""
        return {
            "event": SELECTED_EVENT,
            "agent": self.agent,
            "provider": self.provider,
            "total": self.total,
            "index": dict(self.index),
            "sample": list(self.sample),
            "reason": self.reason,
            "hash": self.hash,
        }

    def __str__(self) -> str:
        return f"{SELECTED_EVENT} {json.dumps(self.to_json(), ensure_ascii=True)}"


def selection_from_offer(
    chosen: OfferLike, *, agent: str, catalog: Catalog | None = None
) -> ToolSelection:
    """
    The record of an offer.

    Args:
        catalog: Says of which namespace a tool is; without it, its name does.
    """
    return ToolSelection(
        agent=agent,
        provider=chosen.provider,
        total=chosen.total,
        index=dict(
            sorted(Counter(_tool_namespace(name, catalog) for name in chosen.names).items())
        ),
        sample=chosen.names[:SAMPLE_SIZE],
        reason=chosen.reason,
        hash=chosen.hash,
    )


def selection_from_names(
    catalog: Catalog, names: Sequence[str], *, agent: str, provider: str, reason: str
) -> ToolSelection:
    """The record of a list of tools, by their full names in a catalog."""
    part = replace(catalog, entries={name: catalog.entries[name] for name in names})
    counts = Counter(entry.namespace for entry in part.entries.values())
    return ToolSelection(
        agent=agent,
        provider=provider,
        total=len(catalog),
        index=dict(sorted(counts.items())),
        sample=part.names[:SAMPLE_SIZE],
        reason=reason,
        hash=hash_catalog(part),
    )


def _tool_namespace(name: str, catalog: Catalog | None) -> str:
    if catalog is not None and name in catalog.entries:
        return catalog.entries[name].namespace
    # Tools of our own, such as `search_tools`, are of none.
    return name.partition(NAMESPACE_SEPARATOR)[0] if NAMESPACE_SEPARATOR in name else ""
