"""
A server whose tools are in a catalog: opened once, asked again where it ended, closed at the end.

What its tools are is what they were when they were listed: one that is another later is not called.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from restwright.calls.arguments.check import check_value
from restwright.calls.response.redact import make_masker, mask_value
from restwright.errors import MissingExtra, Said, ServerUnavailable
from restwright.jsontypes import JsonObject
from restwright.mcp_client.contents import read_result
from restwright.mcp_client.listing import ListedTool, ReadTools
from restwright.mcp_client.settings import ServerProcess, ServerSettings, ServerURL
from restwright.openapi.model import API, Problem
from restwright.openapi.references import walk_references
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.function_tools import FunctionTool, attach_functions, build_function_api
from restwright.tools.tool import Handler, LocalResult

if TYPE_CHECKING:
    from restwright.mcp_client.connection import ServerConnection

_SHORTEST_SECRET = 4
_MAX_WARNINGS = 3


@dataclass(slots=True)
class _Opened:
    """The connection that is open, which outlives nobody who uses it."""

    connection: ServerConnection | None = None

    def close(self) -> None:
        """End it."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()


class MCPServer:
    """
    A server of the Model Context Protocol that was started or reached, and whose tools are known.

    Close it, or use it in a `with` statement: a process runs until then.

    Raises:
        ServerUnavailable: It cannot be started, reached or listed.
        MissingCredential: A variable of its environment, or a header, refers to nothing.
        MissingExtra: What the protocol needs is not installed.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self._lock = threading.RLock()
        self._secrets: tuple[str, ...] = ()
        self._restarts = -1
        self._opened = _Opened()
        # What nobody closed is closed with the last that refers to it, or with this process.
        weakref.finalize(self, self._opened.close)
        self._digests: dict[str, str] = {}
        connection = self._connect()
        try:
            self._listed = connection.list_tools()
        except BaseException:
            self.close()
            raise
        self._digests = {tool.name: tool.digest for tool in self._listed.tools}
        self.api = self._build_api(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MCPServer({self.name}: {len(self._listed.tools)} tools)"

    @property
    def name(self) -> str:
        """The namespace of its tools."""
        return self.settings.name

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is doubtful in what it says of its tools."""
        return self._listed.problems

    @property
    def tools(self) -> tuple[ListedTool, ...]:
        """What it says of its tools."""
        return self._listed.tools

    @property
    def functions(self) -> tuple[FunctionTool, ...]:
        """Its tools, each with how it is carried out."""
        return tuple(map(self._make_function, self._listed.tools))

    @property
    def catalog(self) -> Catalog:
        """Its tools, for `catalog(api, server.catalog)` or alone."""
        return attach_servers(catalog(self.api), [self])

    def close(self) -> None:
        """End the connection, and the process where there is one; nothing is called afterwards."""
        with self._lock:
            self._restarts = self.settings.limits.restarts
        self._opened.close()

    def _build_api(self, connection: ServerConnection) -> API:
        place = self.settings.place
        source = f"mcp:{place.url}" if isinstance(place, ServerURL) else f"mcp:{place}"
        title = " ".join(connection.title.split())[:200] or self.name
        return build_function_api(self.name, self.functions, title=title, source=source)

    def _make_function(self, tool: ListedTool) -> FunctionTool:
        is_trusted = self.settings.trust_hints
        is_loss = tool.annotations.get("destructiveHint") is True and not tool.claims_read
        pinned = {"annotations": tool.annotations, "outputSchema": tool.output}
        return FunctionTool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            parameters=tool.parameters,
            output=tool.output,
            method="get" if tool.claims_read and is_trusted else "post",
            claims_read=tool.claims_read,
            extensions={
                "x-mcp": {name: value for name, value in pinned.items() if value},
                **({"x-restwright-class": "destructive"} if is_loss else {}),
            },
            declared_class="read" if tool.claims_read and is_trusted else None,
            handler=Handler(run_locally=partial(self._run_tool, tool)),
        )

    def _run_tool(self, tool: ListedTool, arguments: JsonObject) -> LocalResult:
        """Call a tool; where the server ends meanwhile, once more if it says that it only reads."""
        from restwright.mcp_client.connection import ConnectionLost

        for is_last in (not tool.claims_read, True):
            # What is refused here was not sent, and may be said of a write too.
            try:
                connection = self._ready_connection(tool)
            except (Said, ServerUnavailable) as error:
                return LocalResult(error=self._mask(error.message), is_foreign=True)
            try:
                result = connection.call_tool(
                    tool.name, arguments, tool=f"{self.name}__{tool.name}"
                )
            except ConnectionLost:
                if not is_last:
                    continue
                return self._failed(tool, "the server ended before it answered")
            except Said as error:
                return self._failed(tool, self._mask(error.message))
            return self._read_result(tool, result)
        raise AssertionError

    def _failed(self, tool: ListedTool, why: str) -> LocalResult:
        return LocalResult(error=why, may_have_acted=not tool.claims_read, is_foreign=True)

    def _read_result(self, tool: ListedTool, result: JsonObject) -> LocalResult:
        read = read_result(result, is_read=tool.claims_read)
        doubts = () if read.error else tuple(_find_misfits(tool, result))
        return LocalResult(
            value=mask_value(read.value, self._secrets) if self._secrets else read.value,
            error=self._mask(read.error),
            may_have_acted=read.may_have_acted,
            is_foreign=True,
            warnings=(*read.warnings, *doubts),
        )

    def _mask(self, text: str) -> str:
        return make_masker(self._secrets)(text)

    def _ready_connection(self, tool: ListedTool) -> ServerConnection:
        """A connection that is open, over which the tool is what it was."""
        with self._lock:
            connection = self._opened.connection
            if connection is None or connection.is_lost:
                connection = self._connect()
                self._check_digests(connection.list_tools())
            elif connection.has_changed:
                self._check_digests(connection.list_tools())
            if self._digests.get(tool.name) != tool.digest:
                raise Said(
                    f"what the server says of {tool.name} is not what it was when it was listed;"
                    " it is not called"
                )
            return connection

    def _check_digests(self, now: ReadTools) -> None:
        self._digests = {tool.name: tool.digest for tool in now.tools}

    def _connect(self) -> ServerConnection:
        if self._restarts >= self.settings.limits.restarts:
            why = "it is closed" if self._opened.connection is None else "it ended too often"
            raise ServerUnavailable(self.name, why)
        self._restarts += 1
        known = self._opened.connection
        self._opened.close()
        try:
            from restwright.mcp_client.connection import ServerConnection
        except ImportError:
            raise MissingExtra("mcp", "a server of MCP") from None
        place = self.settings.place
        if isinstance(place, ServerProcess):
            environment = place.resolve_environment(allow_commands=self.settings.allow_commands)
            secrets = environment.values()
            connection = ServerConnection(self.settings, environment=environment, known=known)
        else:
            from restwright.mcp_client.http import HTTPConnector

            connector = HTTPConnector(self.settings, place)
            secrets = connector.secrets
            connection = ServerConnection(self.settings, transport=connector.open, known=known)
        self._secrets = tuple(text for text in secrets if len(text) >= _SHORTEST_SECRET)
        connection.open()
        self._opened.connection = connection
        return connection


def _find_misfits(tool: ListedTool, result: JsonObject) -> Iterator[str]:
    """Where a structured result is not as the tool says, which costs nothing but a word."""
    if tool.output is None:
        return
    if "structuredContent" not in result:
        yield "it is not structured, though the tool says that it is"
        return
    if any(not ref.startswith("#") for _, ref in walk_references(tool.output)):
        return
    found = check_value(tool.output, result["structuredContent"])
    yield from [f"not as the tool says: {mismatch}"[:300] for mismatch in found[:_MAX_WARNINGS]]


def attach_servers(made: Catalog, servers: Sequence[MCPServer]) -> Catalog:
    """Let the tools of servers, whose APIs `made` was built of, be carried out by these."""
    attached = attach_functions(made, {server.name: server.functions for server in servers})
    more: dict[str, tuple[Problem, ...]] = {
        server.name: server.problems for server in servers if server.problems
    }
    known = attached.problems_by_namespace
    return replace(
        attached,
        name_problems=(
            *attached.name_problems,
            *(problem for several in more.values() for problem in several),
        ),
        problems_by_namespace={
            **known,
            **{name: (*known.get(name, ()), *several) for name, several in more.items()},
        },
    )
