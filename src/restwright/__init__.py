"""
Give a language model hands on any REST API.

    api = load("shop.yaml", alias="shop")        # a document in
    tools = catalog(api)                         # tools out
    mismatches = check(tools["shop__get_order"], {"order_id": 7})
    answer = Agent(tools, model=model_named("local")).ask("Where is order 7?")

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.models.registry import model_named
    from restwright.agents.steps import Answer, Event
    from restwright.calls.arguments.check import check
    from restwright.calls.arguments.feedback import feedback
    from restwright.calls.auth.connection import Connection
    from restwright.calls.call import call, call_async, prepare
    from restwright.calls.mismatch import Mismatch
    from restwright.calls.request.build import build_request
    from restwright.calls.response.result import Result
    from restwright.errors import RestwrightError
    from restwright.net.http.transport import Transport
    from restwright.net.messages import Request, Response
    from restwright.openapi.api import load
    from restwright.openapi.model import API, Operation, Problem
    from restwright.tools.catalog.catalog import Catalog, catalog
    from restwright.tools.human_inputs import Separation
    from restwright.tools.options import ToolOptions
    from restwright.tools.tool import Tool

__version__ = "0.2.0"

__all__ = [
    "API",
    "Agent",
    "Answer",
    "Catalog",
    "Connection",
    "Event",
    "Limits",
    "Mismatch",
    "Operation",
    "Problem",
    "Request",
    "Response",
    "RestwrightError",
    "Result",
    "Separation",
    "Tool",
    "ToolOptions",
    "Transport",
    "build_request",
    "call",
    "call_async",
    "catalog",
    "check",
    "feedback",
    "load",
    "model_named",
    "prepare",
]

_HOMES = {
    "restwright.agents.agent": ("Agent", "Limits"),
    "restwright.agents.models.registry": ("model_named",),
    "restwright.agents.steps": ("Answer", "Event"),
    "restwright.calls.arguments.check": ("check",),
    "restwright.calls.call": ("call", "call_async", "prepare"),
    "restwright.calls.arguments.feedback": ("feedback",),
    "restwright.calls.mismatch": ("Mismatch",),
    "restwright.calls.request.build": ("build_request",),
    "restwright.calls.response.result": ("Result",),
    "restwright.calls.auth.connection": ("Connection",),
    "restwright.errors": ("RestwrightError",),
    "restwright.net.messages": ("Request", "Response"),
    "restwright.net.http.transport": ("Transport",),
    "restwright.openapi.api": ("load",),
    "restwright.openapi.model": ("API", "Operation", "Problem"),
    "restwright.tools.catalog.catalog": ("Catalog", "catalog"),
    "restwright.tools.options": ("ToolOptions",),
    "restwright.tools.human_inputs": ("Separation",),
    "restwright.tools.tool": ("Tool",),
}


def __getattr__(name: str) -> object:
    """Import the facade's names when they are first used, so that importing it costs nothing."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
