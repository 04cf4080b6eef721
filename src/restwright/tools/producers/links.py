"""What the links of responses say about the next call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from restwright.jsontypes import Json
from restwright.openapi.model import Link
from restwright.openapi.references import split_pointer
from restwright.tools.tool import Tool

_BODY = "$response.body#"


@dataclass(frozen=True, slots=True)
class LinkedValue:
    """
    A value that a response links to an input of another operation.

    Args:
        path: Where it is in the response.
    """

    tool: Tool
    path: tuple[str, ...]
    why: str


def collect_links(tools: Iterable[Tool]) -> Mapping[tuple[str, str], list[LinkedValue]]:
    """
    `{(name of a tool, its input): what is linked to it}`.

    Source: OAS 3.2, "Link Object".
    """
    every = list(tools)
    linking = [(tool, link) for tool in every for link in _response_links(tool)]
    found: defaultdict[tuple[str, str], list[LinkedValue]] = defaultdict(list)
    if linking:
        by_id = {item.operation.operation_id or "": item for item in every}
        by_id.pop("", None)
        by_pointer = {item.operation.pointer: item for item in every}
        for tool, link in linking:
            pointer = link.operation_ref.partition("#")[2]
            target = by_id.get(link.operation_id) or by_pointer.get(pointer)
            if target is not None and target is not tool:
                for name, linked in _linked_values(tool, link, target):
                    found[target.name, name].append(linked)
    return found


def _response_links(tool: Tool) -> Iterator[Link]:
    success = tool.operation.success
    if success is not None:
        yield from success.links


def _linked_values(tool: Tool, link: Link, target: Tool) -> Iterator[tuple[str, LinkedValue]]:
    for name, value in link.parameters.items():
        path = _parse_body_expression(value)
        # A name may be qualified by its place: `path.id`.
        names = {name, name.partition(".")[2]}
        for tool_input in target.inputs if path is not None else ():
            if tool_input.target in names:
                why = f"{tool.operation.method.upper()} {tool.operation.path}: link `{link.name}`"
                yield tool_input.name, LinkedValue(tool, path or (), why)


def _parse_body_expression(value: Json) -> tuple[str, ...] | None:
    """The path that a runtime expression names; None for what is no part of the response."""
    if not isinstance(value, str) or not value.startswith(_BODY):
        return None
    return tuple("[]" if token.isdigit() else token for token in split_pointer(value[len(_BODY) :]))
