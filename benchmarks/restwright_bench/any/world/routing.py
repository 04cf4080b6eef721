"""Which operation a request is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from restwright.tools.tool import Tool
from restwright_bench.any.resources import Resource, placeholders


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """
    One operation.

    Args:
        resource: What it is about, and `action` what it does there; None for what fits none.
    """

    tool: Tool
    pattern: re.Pattern[str] = field(repr=False)
    resource: Resource | None = None
    action: str = ""

    def values_in(self, path: str) -> Mapping[str, str] | None:
        """The values of the placeholders, in their order; None for a path of another route."""
        found = self.pattern.fullmatch(path)
        if found is None:
            return None
        names = placeholders(self.tool.operation.path)
        return {name: unquote(text) for name, text in zip(names, found.groups(), strict=True)}


def build_routes(
    tools: Iterable[Tool], resources: Iterable[Resource]
) -> Mapping[str, tuple[Route, ...]]:
    """`{method: its routes}`, concrete paths before those with placeholders (OAS, "Paths")."""
    owned = {
        tool.name: (resource, action)
        for resource in resources
        for action, tool in resource.operations.items()
    }
    found: dict[str, list[Route]] = {}
    for tool in tools:
        resource, action = owned.get(tool.name, (None, ""))
        route = Route(
            tool=tool, pattern=_pattern(tool.operation.path), resource=resource, action=action
        )
        found.setdefault(tool.operation.method.upper(), []).append(route)
    return {
        method: tuple(sorted(several, key=lambda each: each.pattern.groups))
        for method, several in found.items()
    }


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"\{[^{}/]*\}", path.rstrip("/") or "/")
    return re.compile("([^/]+)".join(map(re.escape, parts)) + "/?")
