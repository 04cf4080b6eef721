"""
Give a language model hands on any REST API.

    api = load("shop.yaml", alias="shop")        # a document in
    tools = catalog(api)                         # tools out
    mismatches = check(tools["shop__get_order"], {"order_id": 7})
    answer = Agent(tools, model=model_named("local")).ask("Where is order 7?")
    box = toolbox("shop.yaml")                   # or the tools in a loop of your own

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright import auth as auth
    from restwright import dialects as dialects
    from restwright import events as events
    from restwright import filters as filters
    from restwright import human as human
    from restwright import policy as policy
    from restwright import serving as serving
    from restwright import testing as testing
    from restwright import transport as transport
    from restwright import workflows as workflows
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.calling.loop import Calling
    from restwright.agents.conversation import Conversation
    from restwright.agents.journal.opening import journal as journal
    from restwright.agents.journal.store import Journal
    from restwright.agents.models.registry import model_named
    from restwright.agents.models.request_limit import RequestLimit
    from restwright.agents.steps import Answer, Event, Usage
    from restwright.calls.approval.policy import Policy
    from restwright.calls.arguments.check import check
    from restwright.calls.arguments.feedback import feedback
    from restwright.calls.auth.connection import Connection
    from restwright.calls.call import call, call_async, prepare
    from restwright.calls.mismatch import Mismatch
    from restwright.calls.request.build import build_request
    from restwright.calls.response.result import Result
    from restwright.errors import RestwrightError, Said
    from restwright.mcp_client.opening import mcp
    from restwright.mcp_client.server import MCPServer
    from restwright.net.http.async_transport import AsyncTransport
    from restwright.net.http.transport import Transport
    from restwright.net.messages import Request, Response
    from restwright.net.secret import Secret
    from restwright.openapi.api import load, load_async
    from restwright.openapi.model import API, Operation, Problem
    from restwright.toolboxes.opening import toolbox
    from restwright.toolboxes.pending import Pending
    from restwright.toolboxes.reply import Reply
    from restwright.toolboxes.toolbox import Toolbox
    from restwright.tools.catalog.catalog import Catalog, catalog
    from restwright.tools.functions.controller import controller, functions
    from restwright.tools.functions.marks import Injected, tool
    from restwright.tools.human_inputs import Separation
    from restwright.tools.options import ToolOptions
    from restwright.tools.tool import Tool
    from restwright.workers.enqueueing import enqueue, enqueue_async

__version__ = "0.2.0"

__all__ = [
    "API",
    "Agent",
    "Answer",
    "AsyncTransport",
    "Calling",
    "Catalog",
    "Connection",
    "Conversation",
    "Event",
    "Injected",
    "Journal",
    "Limits",
    "MCPServer",
    "Mismatch",
    "Operation",
    "Pending",
    "Policy",
    "Problem",
    "Reply",
    "Request",
    "RequestLimit",
    "Response",
    "RestwrightError",
    "Result",
    "Said",
    "Secret",
    "Separation",
    "Tool",
    "ToolOptions",
    "Toolbox",
    "Transport",
    "Usage",
    "build_request",
    "call",
    "call_async",
    "catalog",
    "check",
    "controller",
    "enqueue",
    "enqueue_async",
    "feedback",
    "functions",
    "load",
    "load_async",
    "mcp",
    "model_named",
    "prepare",
    "tool",
    "toolbox",
]

_HOMES = {
    "restwright.agents.agent": (
        "Agent",
        "Limits",
    ),
    "restwright.agents.calling.loop": ("Calling",),
    "restwright.agents.conversation": ("Conversation",),
    "restwright.agents.journal.store": ("Journal",),
    "restwright.agents.models.registry": ("model_named",),
    "restwright.agents.models.request_limit": ("RequestLimit",),
    "restwright.agents.steps": (
        "Answer",
        "Event",
        "Usage",
    ),
    "restwright.calls.approval.policy": ("Policy",),
    "restwright.calls.arguments.check": ("check",),
    "restwright.calls.arguments.feedback": ("feedback",),
    "restwright.calls.auth.connection": ("Connection",),
    "restwright.calls.call": (
        "call",
        "call_async",
        "prepare",
    ),
    "restwright.calls.mismatch": ("Mismatch",),
    "restwright.calls.request.build": ("build_request",),
    "restwright.calls.response.result": ("Result",),
    "restwright.errors": (
        "RestwrightError",
        "Said",
    ),
    "restwright.mcp_client.opening": ("mcp",),
    "restwright.mcp_client.server": ("MCPServer",),
    "restwright.net.http.async_transport": ("AsyncTransport",),
    "restwright.net.http.transport": ("Transport",),
    "restwright.net.messages": (
        "Request",
        "Response",
    ),
    "restwright.net.secret": ("Secret",),
    "restwright.openapi.api": (
        "load",
        "load_async",
    ),
    "restwright.openapi.model": (
        "API",
        "Operation",
        "Problem",
    ),
    "restwright.toolboxes.opening": ("toolbox",),
    "restwright.toolboxes.pending": ("Pending",),
    "restwright.toolboxes.reply": ("Reply",),
    "restwright.toolboxes.toolbox": ("Toolbox",),
    "restwright.tools.catalog.catalog": (
        "Catalog",
        "catalog",
    ),
    "restwright.tools.functions.controller": (
        "controller",
        "functions",
    ),
    "restwright.tools.functions.marks": (
        "Injected",
        "tool",
    ),
    "restwright.tools.human_inputs": ("Separation",),
    "restwright.tools.options": ("ToolOptions",),
    "restwright.tools.tool": ("Tool",),
    "restwright.workers.enqueueing": (
        "enqueue",
        "enqueue_async",
    ),
}
_MODULES = frozenset(
    (
        *("auth", "dialects", "events", "filters", "human", "journal", "policy", "serving"),
        *("testing", "transport", "workflows"),
    )
)
"""What is documented beside these names: `rw.policy`, `rw.auth`... `rw.journal` can be called."""


def __getattr__(name: str) -> object:
    """Import the facade's names when they are first used, so that importing it costs nothing."""
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
