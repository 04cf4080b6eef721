"""Tools that a provider itself searches, as its dialect defers them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import DeferredTools, Dialect, ToolGroup
from restwright.tools.naming.names import NAMESPACE_SEPARATOR
from restwright.tools.text.prose import first_sentence, shorten_text, to_one_line
from restwright.tools.toolset.budget import count_characters

_DESCRIPTIONS = (300, 120, 40)


def defer_within(
    catalog: Catalog, names: Sequence[str], dialect: Dialect, room: int
) -> DeferredTools | None:
    """
    Tools of a catalog, deferred; None where what is read of them is more than `room` characters.

    Args:
        names: Ordered by namespace.
    """
    if dialect.defer is None:
        return None
    shapes = {name: catalog.render(name, dialect).shape for name in names}
    by_api = [
        (name, [*own]) for name, own in groupby(names, lambda each: _namespace_of(catalog, each))
    ]
    for longest in _DESCRIPTIONS:
        groups = [
            ToolGroup(
                name=namespace,
                description=_describe_api(catalog, namespace, longest),
                tools=[(_operation_name(namespace, name), shapes[name]) for name in own],
            )
            for namespace, own in by_api
        ]
        deferred = dialect.defer(groups)
        if sum(count_characters(item) + 1 for item in deferred.read) < room:
            return deferred
    return None


def _namespace_of(catalog: Catalog, name: str) -> str:
    return catalog.entries[name].namespace


def _operation_name(namespace: str, name: str) -> str:
    return name.removeprefix(f"{namespace}{NAMESPACE_SEPARATOR}")


def _describe_api(catalog: Catalog, namespace: str, longest: int) -> str:
    """The title of an API and its first sentence; a provider wants at least one character."""
    api = catalog.apis[namespace]
    about = f"{to_one_line(api.title)}. {first_sentence(api.description, longest)}"
    return shorten_text(about.strip(" ."), longest) or namespace
