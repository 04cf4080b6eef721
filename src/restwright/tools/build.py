"""One operation becomes one tool, of which each part is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.model import API, MediaType, Operation
from restwright.openapi.upgrade import Specification
from restwright.tools.human_inputs import ArgumentHalf, ArgumentHalves
from restwright.tools.naming.names import tool_name
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, MIN_BUDGET, ToolOptions
from restwright.tools.schemas.definitions import Definitions, SchemaForm
from restwright.tools.schemas.description import describe_operation
from restwright.tools.schemas.human_split import SchemaSplitter
from restwright.tools.schemas.layout import (
    ArgumentLayout,
    attach_definitions,
    describe_dependent_required,
    lay_out_arguments,
    positional_parameters,
    response_schema,
    response_schemas,
)
from restwright.tools.schemas.visible import SchemaView, VisibleSchemas
from restwright.tools.security import effective_security
from restwright.tools.tool import Input, Layout, Tool

_NO_ARGUMENTS: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class DocumentSchemas:
    """
    The cleaned schemas of one document, shared by all its tools.

    Args:
        api: The document.
        options: How its tools are presented.
    """

    api: API = field(repr=False)
    options: ToolOptions = field(repr=False)
    checks: Definitions
    shows: VisibleSchemas
    responses: Definitions
    halves: Mapping[SchemaForm, SchemaSplitter] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy none of what was cleaned so far; it is cleaned again when needed."""
        return build_schemas, (self.api, self.options)


def build_schemas(api: API, options: ToolOptions = DEFAULT_TOOL_OPTIONS) -> DocumentSchemas:
    """The schemas of `api`, none of them cleaned yet."""
    is_human = options.separation.is_human if options.separation else None

    def definitions(direction: str, form: str) -> Definitions:
        return Definitions(
            lambda: api.document,
            direction="response" if direction == "response" else "request",
            form="shows" if form == "shows" else "checks",
            specification=cast("Specification", api.specification),
            is_human=is_human if direction == "request" else None,
            security_schemes=lambda: api.security_schemes,
        )

    checks, shows = definitions("request", "checks"), definitions("request", "shows")
    return DocumentSchemas(
        api=api,
        options=options,
        checks=checks,
        shows=VisibleSchemas(shows),
        responses=definitions("response", "checks"),
        halves=_build_halves(shows, definitions("request", "shows")) if is_human else None,
    )


def _build_halves(shows: Definitions, checks: Definitions) -> Mapping[SchemaForm, SchemaSplitter]:
    # Both from schemas whose `allOf` is merged, so that they are split alike; that says the same.
    return {"shows": SchemaSplitter(shows), "checks": SchemaSplitter(checks, forbids_by_name=True)}


def build_tool(
    operation: Operation,
    api: API,
    *,
    namespace: str,
    operation_name: str,
    schemas: DocumentSchemas | None = None,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
) -> Tool:
    """
    Build the tool of one operation. Does no I/O.

    Args:
        operation_name: As `operation_names()` gives it.
        schemas: Of `api`, so that a component is cleaned once for all its tools.
    """
    parts = _new_tool_parts(api, schemas or build_schemas(api, options), options)
    now = {
        "name": tool_name(namespace, operation_name),
        "namespace": namespace,
        "operation_name": operation_name,
        "operation": operation,
        "source": api.source,
        "layout": options.layout,
    }
    return Tool.deferred(tuple(now), now.values(), parts.read)


def build_argument_schema(
    operation: Operation, schemas: DocumentSchemas, layout: Layout
) -> JsonObject:
    """What a model reads of the arguments of an operation before anything is left out."""
    root = lay_out_arguments(operation, schemas.shows.definitions, layout).schema
    return describe_dependent_required(
        schemas.halves["shows"].split(root)[0] if schemas.halves else root
    )


@dataclass(slots=True, kw_only=True)
class _ToolParts:
    """The parts of one tool that several others are made of."""

    api: API
    schemas: DocumentSchemas
    options: ToolOptions
    _shown: SchemaView | None = field(default=None)
    _arguments: ArgumentLayout | None = field(default=None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_tool_parts, (self.api, self.schemas, self.options)

    def read(self, tool: Tool, name: str) -> Json:
        return _READERS[name](self, tool)

    def view(self, tool: Tool) -> SchemaView:
        if self._shown is None:
            options = self.options
            root = build_argument_schema(tool.operation, self.schemas, options.layout)
            used = len(tool.name) + len(tool.description)
            budget = max(options.budget - used, MIN_BUDGET)
            self._shown = self.schemas.shows.render(root, budget=budget, lean=options.lean)
        return self._shown

    def arguments(self, tool: Tool) -> ArgumentLayout:
        if self._arguments is None:
            checks = self.schemas.checks
            self._arguments = lay_out_arguments(tool.operation, checks, self.options.layout)
        return self._arguments

    def description(self, tool: Tool) -> Json:
        form = "lean" if self.options.lean else self.options.describe
        if form != "full":
            return describe_operation(tool.operation, form=form)
        names = {
            (tool_input.location, tool_input.target): _input_label(tool_input)
            for tool_input in tool.inputs
        }
        return describe_operation(
            tool.operation, form=form, names=names, unread=self._unread_inputs(tool)
        )

    def _unread_inputs(self, tool: Tool) -> frozenset[tuple[str, str]]:
        """`(location, name)` of the inputs that are left to a human as a whole."""
        if self.schemas.halves is None:
            return frozenset()
        return _find_unread_inputs(tool.inputs, self._split_arguments(tool, "checks")[0])

    def _split_arguments(
        self, tool: Tool, form: SchemaForm
    ) -> tuple[JsonObject, JsonObject | None]:
        """The model's part of the arguments and the human's, each with its `$defs`."""
        if self.schemas.halves is None:
            return self.checks(tool), None
        halves = self.schemas.halves[form]
        root = lay_out_arguments(tool.operation, halves.definitions, self.options.layout).schema
        model, human = halves.split(root)
        whole = attach_definitions(human, halves.definitions) if human else None
        return attach_definitions(model, halves.definitions), whole

    def checks(self, tool: Tool) -> Json:
        return attach_definitions(self.arguments(tool).schema, self.schemas.checks)

    def separated(self, tool: Tool) -> Json:
        if self.schemas.halves is None:
            return None
        model, human = self._split_arguments(tool, "checks")
        if human is None:
            return ArgumentHalves(ArgumentHalf(tool.shows, model), None)
        _, shown = self._split_arguments(tool, "shows")
        return ArgumentHalves(
            ArgumentHalf(tool.shows, model), ArgumentHalf(shown or _NO_ARGUMENTS, human)
        )

    def parameters_list(self, tool: Tool) -> Json:
        checks = self.schemas.checks
        return positional_parameters(lay_out_arguments(tool.operation, checks, "grouped"), checks)


def _new_tool_parts(api: API, schemas: DocumentSchemas, options: ToolOptions) -> _ToolParts:
    return _ToolParts(api=api, schemas=schemas, options=options)


def _build_media_type_variants(parts: _ToolParts, tool: Tool) -> dict[str, Tool]:
    body = tool.operation.request_body

    def narrowed(media_type: MediaType) -> Tool:
        narrow = replace(body, content=(media_type,)) if body else None
        only = replace(tool.operation, request_body=narrow)
        return build_tool(
            only,
            parts.api,
            namespace=tool.namespace,
            operation_name=tool.operation_name,
            schemas=parts.schemas,
            options=parts.options,
        )

    return {type_.name: narrowed(type_) for type_ in (body.content if body else ())}


def _input_label(given: Input) -> str:
    """How a description names an input: `page`, and `query.page` where it stands in a group."""
    return f"{given.group}.{given.name}" if given.group else given.name


def _find_unread_inputs(inputs: Iterable[Input], model: JsonObject) -> frozenset[tuple[str, str]]:
    """`(location, name)` of the inputs that the model's half does not have."""
    own = model["properties"]

    def has(each: Input) -> bool:
        around = own.get(each.group, {}).get("properties", {}) if each.group else own
        return each.name in around

    return frozenset(
        (tool_input.location, tool_input.target) for tool_input in inputs if not has(tool_input)
    )


_READERS: Mapping[str, Callable[[_ToolParts, Tool], Json]] = {
    "description": _ToolParts.description,
    "shows": lambda parts, tool: parts.view(tool).schema,
    "left_out": lambda parts, tool: parts.view(tool).left_out(),
    "checks": _ToolParts.checks,
    "inputs": lambda parts, tool: parts.arguments(tool).inputs,
    "output": lambda parts, tool: response_schema(tool.operation, parts.schemas.responses),
    "outputs": lambda parts, tool: response_schemas(tool.operation, parts.schemas.responses),
    "servers": lambda parts, tool: parts.api.servers,
    "security": lambda parts, tool: effective_security(parts.api, tool.operation),
    "security_schemes": lambda parts, tool: parts.api.security_schemes,
    "parameters_list": _ToolParts.parameters_list,
    "separated": _ToolParts.separated,
    "in_media_types": _build_media_type_variants,
    "document": lambda parts, tool: parts.schemas.checks.open_document(),
    "handler": lambda parts, tool: None,
}
