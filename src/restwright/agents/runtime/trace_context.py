"""
Where a run stands in a trace: kept with its session, so that whoever takes it up goes on there.

Nothing is imported and nothing done in a process that has not imported `opentelemetry`.

Source: W3C, "Trace Context", `traceparent`.
"""

from __future__ import annotations

import sys
from typing import Any

HEADER = "traceparent"


def current_traceparent() -> str:
    """Return the span that is current; empty where this process does not trace."""
    if "opentelemetry.trace" not in sys.modules:
        return ""
    carrier: dict[str, str] = {}
    _propagator().inject(carrier)
    return carrier.get(HEADER, "")


def place_span(traceparent: str) -> dict[str, Any]:
    """
    Find out where a span goes that continues another one, maybe of another process.

    Args:
        traceparent: As `current_traceparent()` gave it there; what is none is left aside.

    Returns:
        What `Tracer.start_as_current_span()` takes: the other one as its parent, with a link to the
        span that is current; nothing where that one is of the same trace, or there is no other one.
    """
    if not traceparent:
        return {}
    api = sys.modules["opentelemetry.trace"]
    context = _propagator().extract({HEADER: traceparent})
    other = api.get_current_span(context).get_span_context()
    current = api.get_current_span().get_span_context()
    if not other.is_valid or other.trace_id == current.trace_id:
        return {}
    return {"context": context, "links": [api.Link(current)] if current.is_valid else []}


def _propagator() -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator()
