"""The operations of APIs as tools: all of them, or three with which the others are found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.shared.exceptions import MCPError

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, JsonObject
from restwright.mcp.calling.caller import ToolCaller
from restwright.mcp.protocol.annotations import annotate_class
from restwright.mcp.protocol.client_runs import ClientRun, ClientRuns
from restwright.mcp.protocol.consent import ApprovalLedger, Consent, open_consent
from restwright.mcp.protocol.exchange import Exchange
from restwright.mcp.protocol.output_schemas import OutputSchema, OutputStyle, make_output_schema
from restwright.mcp.protocol.results import (
    ResultOptions,
    error_result,
    make_call_result,
    text_block,
)
from restwright.mcp.protocol.unicode_text import to_unicode_json, to_unicode_text
from restwright.mcp.providers.functions.context import use_context
from restwright.mcp.providers.providers import ToolOutcome
from restwright.mcp.sources.served import ServedTools
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import dialect_named
from restwright.tools.toolset import (
    MetaTool,
    OfferLimits,
    ToolCall,
    build_meta_tools,
    handle_meta_call,
    offer_tools,
)

Exposure = Literal["auto", "all", "search", "code"]

SEARCH, SHOW, CALL = "search_tools", "show_tool", "call_tool"
_READS: JsonObject = annotate_class("read", "GET")
_ANYTHING: JsonObject = annotate_class("destructive", "POST")
_TITLES = {SEARCH: "Find tools", SHOW: "Show a tool", CALL: "Call a tool"}


def choose_exposure(catalog: Catalog) -> Exposure:
    """`all` where clients can be shown every tool, by what a model's provider takes; `search`."""
    offer = offer_tools(catalog, dialect=dialect_named("mcp"), limits=OfferLimits(above="meta"))
    return "all" if offer.policy == "all" else "search"


@dataclass(slots=True, kw_only=True)
class CatalogTools:
    """
    A `ToolProvider` of what there is to call.

    Args:
        served: Right now.
        exposure: What is listed of it. What is not can be called by its name all the same.
        announce: Tells clients that there are other tools.
        runs: Of functions, which may ask on their way.
    """

    served: Callable[[], ServedTools]
    caller: ToolCaller
    ledger: ApprovalLedger
    exposure: Exposure
    output: OutputStyle = "off"
    announce: Callable[[], Awaitable[None]] = field(repr=False)
    runs: ClientRuns = field(default_factory=ClientRuns)
    _schemas: dict[str, tuple[object, OutputSchema | None]] = field(
        default_factory=dict[str, "tuple[object, OutputSchema | None]"]
    )

    def names(self) -> Sequence[str]:
        """The tools that are listed."""
        if self.exposure == "all":
            return self.served().offered.names
        return [tool.name for tool in self._meta_tools()]

    def describe(self, name: str) -> types.Tool:
        """A tool that is listed."""
        for meta_tool in self._meta_tools():
            if meta_tool.name == name:
                return self._describe_meta(meta_tool)
        return self.describe_tool(name)

    def describe_tool(self, name: str) -> types.Tool:
        """A tool of the catalog, be it listed or not."""
        served = self.served()
        tool = served.offered[name]
        shape = served.offered.render(name, dialect_named("mcp")).shape
        operation = tool.operation
        operation_class = served.policy_of(tool.namespace).consent_class_of(served.catalog[name])
        title = operation.summary or operation.headline
        own: JsonObject = {
            "title": title or f"{operation.method.upper()} {operation.path}",
            "annotations": annotate_class(operation_class, operation.method),
        }
        output = self._output_schema(name)
        more: JsonObject = {} if output is None else {"outputSchema": output.schema}
        whole = to_unicode_json({**shape, **own, **more})
        return types.Tool.model_validate(whole, by_name=False)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of the arguments of a tool, listed or not."""
        for meta_tool in self._meta_tools():
            if meta_tool.name == name:
                return meta_tool.schema
        offered = self.served().offered
        return offered[name].shows if name in offered else None

    def close_names(self, name: str) -> Sequence[str]:
        """The names that are most like one that there is not."""
        return self.served().offered.dispatch(name).close

    async def call(
        self, exchange: Exchange, name: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome | None:
        """Call a tool of the catalog by its name, or one of those about tools."""
        if any(meta_tool.name == name for meta_tool in self._meta_tools()):
            return await self._call_meta(exchange, name, {**arguments})
        if name in self.served().catalog:
            return await self.call_tool(exchange, name, {**arguments})
        return None

    async def call_tool(self, exchange: Exchange, name: str, arguments: Json) -> ToolOutcome:
        """Call a tool of the catalog, and have the user asked where it writes."""
        if self.served().catalog[name].handler is None:
            return await self._call_tool(exchange, name, arguments)

        async def act(run: ClientRun) -> ToolOutcome:
            with use_context(run, self.announce):
                return await self._call_tool(exchange, name, arguments)

        return await self.runs.carry_out(exchange, act, f"{name} goes on")

    async def _call_tool(self, exchange: Exchange, name: str, arguments: Json) -> ToolOutcome:
        consent = open_consent(exchange, self.ledger)
        if consent.refusal:
            return error_result(consent.refusal)
        tool = self.served().catalog[name]
        result = await self.caller.call(tool, arguments, consent)
        if consent.question is not None:
            return consent.question
        if isinstance(result.error, MCPError):
            raise result.error
        result = self.caller.tell_doubts(consent, result)
        return make_call_result(result, self._result_options(name, consent))

    def _result_options(self, name: str, consent: Consent) -> ResultOptions:
        keep = partial(self.caller.keep, consent)
        return ResultOptions(schema=self._output_schema(name), keep=keep)

    def _output_schema(self, name: str) -> OutputSchema | None:
        """The same one as long as the tool is the same, so that it is compiled once."""
        tool = self.served().offered[name]
        known = self._schemas.get(name)
        if known is None or known[0] is not tool:
            known = self._schemas[name] = tool, make_output_schema(tool, self.output)
        return known[1]

    def _meta_tools(self) -> Sequence[MetaTool]:
        """Those about tools: none where all are listed, and only code calls where code does."""
        if self.exposure == "all":
            return ()
        made = build_meta_tools(self.served().offered)
        return [tool for tool in made if self.exposure != "code" or tool.name != CALL]

    def _describe_meta(self, meta_tool: MetaTool) -> types.Tool:
        writes = meta_tool.name == CALL and not self.served().is_read_only
        return types.Tool.model_validate(
            {
                "name": meta_tool.name,
                "title": _TITLES[meta_tool.name],
                "description": to_unicode_text(meta_tool.description),
                "inputSchema": meta_tool.schema,
                "annotations": _ANYTHING if writes else _READS,
            },
            by_name=False,
        )

    async def _call_meta(self, exchange: Exchange, name: str, arguments: JsonObject) -> ToolOutcome:
        # A search reads files, and takes a while with thousands of tools.
        outcome = await run_sync(handle_meta_call, self.served().offered, name, arguments)
        if isinstance(outcome, ToolCall):
            return await self.call_tool(exchange, outcome.tool, outcome.arguments)
        text = text_block(compact_json(outcome))
        return types.CallToolResult(content=[text], is_error="error" in outcome)
