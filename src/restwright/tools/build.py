"""One operation becomes one tool, of which each part is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from restwright.openapi.model import API, Operation
from restwright.openapi.upgrade import Specification
from restwright.tools.definitions import Definitions
from restwright.tools.description import describe
from restwright.tools.naming import tool_name
from restwright.tools.options import DEFAULT, ToolOptions
from restwright.tools.schema import (
    Arguments,
    arguments_of,
    output_schema,
    positional,
    with_definitions,
)
from restwright.tools.shows import Shown, Shows
from restwright.tools.tool import Tool
from restwright.typing import Json

_MINIMUM = 500


@dataclass(frozen=True, slots=True)
class Schemas:
    """The cleaned schemas of one document, shared by all its tools."""

    checks: Definitions
    shows: Shows
    responses: Definitions


def schemas_of(api: API, options: ToolOptions = DEFAULT) -> Schemas:
    """The schemas of `api`, none of them cleaned yet."""
    is_human = options.separation.is_human if options.separation else None

    def definitions(direction: str, form: str) -> Definitions:
        return Definitions(
            lambda: api.document,
            direction="response" if direction == "response" else "request",
            form="shows" if form == "shows" else "checks",
            specification=cast("Specification", api.specification),
            is_human=is_human if direction == "request" else None,
        )

    return Schemas(
        checks=definitions("request", "checks"),
        shows=Shows(definitions("request", "shows")),
        responses=definitions("response", "checks"),
    )


def build_tool(
    operation: Operation,
    api: API,
    *,
    namespace: str,
    operation_name: str,
    schemas: Schemas | None = None,
    options: ToolOptions = DEFAULT,
) -> Tool:
    """
    Build the tool of one operation. Does no I/O.

    Args:
        operation_name: As `operation_names()` gives it.
        schemas: Of `api`, so that a component is cleaned once for all its tools.
    """
    parts = _Parts(schemas=schemas or schemas_of(api, options), options=options)
    now = {
        "name": tool_name(namespace, operation_name),
        "namespace": namespace,
        "operation_name": operation_name,
        "operation": operation,
        "source": api.source,
        "layout": options.layout,
    }
    return Tool.deferred(tuple(now), now.values(), parts.read)


@dataclass(slots=True, kw_only=True)
class _Parts:
    """The parts of one tool that several others are made of."""

    schemas: Schemas
    options: ToolOptions
    _shown: Shown | None = field(default=None)
    _arguments: Arguments | None = field(default=None)

    def read(self, tool: Tool, name: str) -> Json:
        return _READERS[name](self, tool)

    def shown(self, tool: Tool) -> Shown:
        if self._shown is None:
            shows, options = self.schemas.shows, self.options
            root = arguments_of(tool.operation, shows.definitions, options.layout).schema
            used = len(tool.name) + len(tool.description)
            budget = max(options.budget - used, _MINIMUM)
            self._shown = shows.within(root, budget=budget, lean=options.lean)
        return self._shown

    def arguments(self, tool: Tool) -> Arguments:
        if self._arguments is None:
            checks = self.schemas.checks
            self._arguments = arguments_of(tool.operation, checks, self.options.layout)
        return self._arguments

    def description(self, tool: Tool) -> Json:
        options = self.options
        return describe(tool.operation, form="lean" if options.lean else options.describe)

    def checks(self, tool: Tool) -> Json:
        return with_definitions(self.arguments(tool).schema, self.schemas.checks)

    def parameters_list(self, tool: Tool) -> Json:
        checks = self.schemas.checks
        return positional(arguments_of(tool.operation, checks, "grouped"), checks)


_READERS: Mapping[str, Callable[[_Parts, Tool], Json]] = {
    "description": _Parts.description,
    "shows": lambda parts, tool: parts.shown(tool).schema,
    "left_out": lambda parts, tool: parts.shown(tool).left_out(),
    "checks": _Parts.checks,
    "inputs": lambda parts, tool: parts.arguments(tool).inputs,
    "output": lambda parts, tool: output_schema(tool.operation, parts.schemas.responses),
    "servers": lambda parts, tool: tool.operation.servers,
    "parameters_list": _Parts.parameters_list,
    "separated": lambda parts, tool: None,
}
