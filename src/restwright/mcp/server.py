"""Providers put together as one server, for clients of both kinds of revisions."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

import mcp_types as types
from mcp.server import NotificationOptions, Server
from mcp.server.caching import CacheHint
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from restwright.mcp.protocol.exchange import Context, Exchange
from restwright.mcp.protocol.results import error_result
from restwright.mcp.providers.providers import (
    Completer,
    PromptOutcome,
    PromptProvider,
    ResourceOutcome,
    ResourceProvider,
    ToolOutcome,
    ToolProvider,
)

PAGE_SIZE = 100
"""Tools, resources or prompts on one page of a list."""
LIST_TTL_MS = 60_000
"""For how long a list is good; who listens is told before."""
STATE_TTL_S = 600.0
MAX_SESSIONS = 1_000
"""Of older revisions that are told of changes: those that asked for something last."""
_MAX_COMPLETIONS = 100
_MAX_CLOSE = 3
_CACHED = (
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "server/discover",
)
ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """
    What a server says of itself.

    Args:
        instructions: How a model goes about it.
    """

    name: str
    version: str
    title: str = ""
    instructions: str = ""


@dataclass(slots=True, kw_only=True)
class ProviderServer:
    """
    A server over providers, to be run on any transport.

    Args:
        report_error: Told of what nobody foresaw, for whoever runs the server.
        keys: By which what clients are given to tell again is sealed, 32 bytes or more each; made
            anew by each process where none is given.
        running: What is open as long as the server runs.
    """

    info: ServerInfo
    report_error: Callable[[str], None] = field(repr=False)
    tools: Sequence[ToolProvider] = ()
    resources: Sequence[ResourceProvider] = ()
    prompts: Sequence[PromptProvider] = ()
    completers: Sequence[Completer] = ()
    keys: Sequence[bytes] = field(default=(), repr=False)
    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    running: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    _sessions: dict[int, ServerSession] = field(default_factory=dict[int, ServerSession])
    _levels: dict[int, types.LoggingLevel] = field(default_factory=dict[int, types.LoggingLevel])

    def build(self) -> Server[Any]:
        """The server of the SDK."""
        with warnings.catch_warnings():
            # Levels of logs are still asked for by clients of older revisions.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            made = Server[Any](
                self.info.name,
                version=self.info.version,
                title=self.info.title or None,
                instructions=self.info.instructions or None,
                lifespan=self._lifespan,
                cache_hints={name: CacheHint(LIST_TTL_MS, "private") for name in _CACHED},
                get_tool_input_schema=self._input_schema,
                on_list_tools=self._list_tools,
                on_call_tool=self._call_tool,
                on_list_resources=self._list_resources,
                on_list_resource_templates=self._list_templates,
                on_read_resource=self._read_resource,
                on_subscribe_resource=self._subscribe,
                on_unsubscribe_resource=self._unsubscribe,
                on_list_prompts=self._list_prompts,
                on_get_prompt=self._get_prompt,
                on_completion=self._complete,
                on_set_logging_level=self._set_level,
                on_subscriptions_listen=ListenHandler(self.bus),
            )
        security = (
            RequestStateSecurity(keys=[*self.keys], ttl=STATE_TTL_S)
            if self.keys
            else RequestStateSecurity.ephemeral(ttl=STATE_TTL_S)
        )
        made.middleware.append(RequestStateBoundary(security, default_audience=self.info.name))
        return made

    async def tell_of_change(self, uris: Sequence[str] = ()) -> None:
        """
        Tell everybody who listens that all lists are others now.

        Args:
            uris: Of resources that hold something else.
        """
        for event in (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged()):
            await self.bus.publish(event)
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri=uri))
        for session in [*self._sessions.values()]:
            await session.send_tool_list_changed()
            await session.send_prompt_list_changed()
            await session.send_resource_list_changed()
            for uri in uris:
                await session.send_resource_updated(uri)

    @asynccontextmanager
    async def _lifespan(self, server: Server[Any]) -> AsyncGenerator[None]:
        del server
        async with self.running():
            yield

    def _open(self, context: Context, params: Any = None) -> Exchange:
        exchange = Exchange(
            context,
            input_responses=getattr(params, "input_responses", None),
            request_state=getattr(params, "request_state", None),
            log_level=self._levels.get(id(context.session.client_params), ""),
        )
        if not exchange.is_modern:
            self._remember(context.session)
        return exchange

    def _remember(self, session: ServerSession) -> None:
        """Keep what reaches a session; there is a new one for each request of it."""
        connection = id(session.client_params)
        self._sessions.pop(connection, None)
        self._sessions[connection] = session
        while len(self._sessions) > MAX_SESSIONS:
            oldest = next(iter(self._sessions))
            del self._sessions[oldest]
            self._levels.pop(oldest, None)

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        found = (provider.input_schema(name) for provider in self.tools)
        return next((schema for schema in found if schema is not None), None)

    async def _list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        self._open(context)
        homes = {name: provider for provider in self.tools for name in provider.names()}
        names, following = _find_page([*homes], params)
        tools = [homes[name].describe(name) for name in names]
        return types.ListToolsResult(tools=tools, next_cursor=following)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> ToolOutcome:
        exchange = self._open(context, params)
        for provider in self.tools:
            try:
                outcome = await provider.call(exchange, params.name, params.arguments or {})
            except MCPError:
                raise
            except Exception as error:  # noqa: BLE001 - its words may hold anything
                self.report_error(f"{params.name} failed: {type(error).__name__}: {error}")
                return error_result(f"{params.name[:128]} failed: {type(error).__name__}")
            if outcome is not None:
                return outcome
        close = [name for provider in self.tools for name in provider.close_names(params.name)]
        hint = f"; did you mean {', '.join(close[:_MAX_CLOSE])}?" if close else ""
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:128]}{hint}")

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        self._open(context)
        found = {each.uri: each for source in self.resources for each in source.resources()}
        uris, following = _find_page([*found], params)
        return types.ListResourcesResult(
            resources=[found[uri] for uri in uris], next_cursor=following
        )

    async def _list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        del params
        self._open(context)
        found = [template for source in self.resources for template in source.templates()]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> ResourceOutcome:
        exchange = self._open(context, params)
        for source in self.resources:
            if (found := await source.read(exchange, str(params.uri))) is not None:
                return found
        uri = str(params.uri)[:500]
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri}", {"uri": uri})

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        # Everybody in a session is told of every change, which is seldom.
        del params
        self._open(context)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        del params
        self._open(context)
        return types.EmptyResult()

    async def _list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        self._open(context)
        found = {each.name: each for source in self.prompts for each in source.prompts()}
        names, following = _find_page([*found], params)
        return types.ListPromptsResult(
            prompts=[found[name] for name in names], next_cursor=following
        )

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> PromptOutcome:
        exchange = self._open(context, params)
        for source in self.prompts:
            found = await source.get(exchange, params.name, params.arguments or {})
            if found is not None:
                return found
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:128]}")

    async def _complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        self._open(context)
        named = params.ref
        reference = named.name if isinstance(named, types.PromptReference) else str(named.uri)
        for completer in self.completers:
            found = completer.complete(reference, params.argument.name, params.argument.value)
            if found is not None:
                return _make_completion(found)
        return _make_completion(())

    async def _set_level(
        self, context: Context, params: types.SetLevelRequestParams
    ) -> types.EmptyResult:
        # Functions say what happens; what the server has to say is for whoever runs it.
        self._open(context)
        self._levels[id(context.session.client_params)] = params.level
        return types.EmptyResult()


def initialization_options(server: Server[Any]) -> InitializationOptions:
    """What a client of a revision with sessions is told at the beginning."""
    changes = NotificationOptions(tools_changed=True, prompts_changed=True, resources_changed=True)
    return server.create_initialization_options(changes)


def _find_page(
    keys: Sequence[str], params: types.PaginatedRequestParams | None
) -> tuple[Sequence[str], str | None]:
    """
    One page, and the cursor of the next one, which is the last key of this: it stays good when
    other things come and go.
    """
    cursor = params.cursor if params is not None else None
    if cursor is not None and cursor not in keys:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor: begin the list again without one")
    start = 0 if cursor is None else keys.index(cursor) + 1
    page = keys[start : start + PAGE_SIZE]
    return page, page[-1] if start + PAGE_SIZE < len(keys) else None


def _make_completion(values: Sequence[str]) -> types.CompleteResult:
    shown = [*values[:_MAX_COMPLETIONS]]
    more = len(values) > len(shown)
    return types.CompleteResult(
        completion=types.Completion(values=shown, total=len(values), has_more=more)
    )
