"""From the name that a model writes to a tool: exactly that one, or the names that come near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from heapq import nlargest, nsmallest
from typing import TYPE_CHECKING

from restwright.tools.naming.names import NAMESPACE_SEPARATOR

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog, CatalogEntry
    from restwright.tools.tool import Tool

_NEAREST_COUNT = 3
# What is compared letter by letter; of 100,000 names those that share most runs of three letters.
_MAX_COMPARED = 200
_MAX_SHOWN = 100
_WITHOUT_NAMESPACE = 0.9
# An API that a model names is meant more likely than an operation that others have too.
_SAME_NAMESPACE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchResult:
    """
    What became of a name that a model wrote.

    Args:
        requested_name: As it was written, with its namespace where that was given apart.
        tool: None where nothing has exactly that name.
        is_bare: The name had no namespace, and only one tool of all is called so.
        close: The nearest full names, best first, at most three; empty where there is a tool.
        text: What a model is told instead of a result; empty where there is a tool.
    """

    requested_name: str
    tool: Tool | None = field(default=None, repr=False)
    is_bare: bool = False
    close: tuple[str, ...] = ()
    text: str = ""


def dispatch_name(catalog: Catalog, name: str, *, namespace: str | None = None) -> DispatchResult:
    """
    Find the tool of a full name, or of a bare operation name that is unique in the catalog.

    Anything else is no tool: what follows a wrong namespace is never looked up by itself, since it
    would be sent to another API with that API's credentials.

    Args:
        namespace: Where a provider gives it apart from the name, which then may be bare or full.
    """
    entries = catalog.entries
    asked = name if namespace is None else _join_namespace(namespace, name)
    full = resolve_name(entries, name, namespace=namespace)
    if full is None:
        close = nearest_names(entries, asked)
        return DispatchResult(
            requested_name=asked, close=close, text=_explain_unknown(asked, close)
        )
    is_bare = namespace is None and full != name
    return DispatchResult(requested_name=asked, tool=catalog[full], is_bare=is_bare)


def resolve_name(
    entries: Mapping[str, CatalogEntry], name: str, *, namespace: str | None = None
) -> str | None:
    """The full name that `name` stands for; None where it stands for none or for several."""
    if namespace is not None:
        return _resolve_in_namespace(entries, name, namespace)
    if name in entries:
        return name
    named = (full for full, each in entries.items() if each.operation_name == name)
    found = next(named, None)
    return found if next(named, None) is None else None


def nearest_names(
    entries: Mapping[str, CatalogEntry], name: str, *, count: int = _NEAREST_COUNT
) -> tuple[str, ...]:
    """The full names that look most like `name`, best first."""
    text = name.lower()[: 2 * _MAX_SHOWN]
    names: list[str] = list(entries)
    if len(names) > _MAX_COMPARED:
        runs = {text[start : start + 3] for start in range(max(1, len(text) - 2))}
        names = nlargest(
            _MAX_COMPARED, names, key=lambda each: _count_shared_runs(runs, each.lower())
        )
    whole = SequenceMatcher(b=text, autojunk=False)
    namespace, _, operation = text.rpartition(NAMESPACE_SEPARATOR)
    rest = SequenceMatcher(b=operation, autojunk=False)

    def likeness(full: str) -> float:
        entry = entries[full]
        # Some models leave the namespace out, or write another one.
        found = max(
            _similarity_ratio(whole, full.lower()),
            _similarity_ratio(rest, entry.operation_name.lower()) * _WITHOUT_NAMESPACE,
        )
        return found + (_SAME_NAMESPACE if entry.namespace == namespace else 0)

    ranked = {word: likeness(word) for word in names}
    return tuple(nsmallest(count, ranked, key=lambda each: (-ranked[each], each)))


def _resolve_in_namespace(
    entries: Mapping[str, CatalogEntry], name: str, namespace: str
) -> str | None:
    if name in entries and entries[name].namespace == namespace:
        return name
    full = f"{namespace}{NAMESPACE_SEPARATOR}{name}"
    return full if full in entries and entries[full].namespace == namespace else None


def _join_namespace(namespace: str, name: str) -> str:
    prefix = f"{namespace}{NAMESPACE_SEPARATOR}"
    return name if name.startswith(prefix) else f"{prefix}{name}"


def _count_shared_runs(runs: set[str], name: str) -> int:
    return sum(run in name for run in runs)


def _similarity_ratio(matcher: SequenceMatcher[str], text: str) -> float:
    matcher.set_seq1(text)
    return matcher.ratio()


def _explain_unknown(asked: str, close: tuple[str, ...]) -> str:
    shown = " ".join(asked.split())[:_MAX_SHOWN]
    if not close:
        return f"There is no tool {shown!r}, and there are no other tools. Nothing was called."
    listed = ", ".join(close)
    return (
        f"There is no tool {shown!r}. Nothing was called. The nearest names are: {listed}."
        " If one of them is meant, call it by its whole name."
    )
