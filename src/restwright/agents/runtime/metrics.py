"""
Counts, durations and failures of a run for OpenTelemetry, where a process measures or logs.

Source: OpenTelemetry, "Semantic conventions for generative AI", metrics and events.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from restwright.agents.runtime.semantic_conventions import Attributes

DURATIONS = {
    "chat": "gen_ai.client.inference.duration",
    "execute_tool": "gen_ai.execute_tool.duration",
    "invoke_agent": "gen_ai.invoke_agent.duration",
}
"""`{operation: the histogram of how long it took, in seconds}`."""
_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
_FAILURES = {
    "chat": "gen_ai.client.operation.exception",
    "execute_tool": "gen_ai.execute_tool.exception",
}
_TOKENS = (
    "usage.input_tokens",
    "usage.output_tokens",
    "usage.cache_read.input_tokens",
    "usage.cache_write.input_tokens",
    "usage.reasoning.output_tokens",
)
_LABELS = frozenset(
    {
        "error.type",
        "gen_ai.agent.name",
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.response.model",
        "gen_ai.tool.name",
        "server.address",
        "server.port",
    }
)
"""Attributes that have few values; a metric with others would be a series for each run."""


@dataclass(frozen=True, slots=True)
class RunMeters:
    """
    Records what spans say as metrics and events.

    Args:
        meter: Of `opentelemetry.metrics`; None to measure nothing.
        logger: Of `opentelemetry._logs`; None to log nothing.
    """

    meter: Any = None
    logger: Any = None
    _instruments: dict[str, Any] = field(default_factory=dict[str, Any], compare=False)

    def record_operation(self, operation: str, seconds: float, attributes: Attributes) -> None:
        """Record an operation with the attributes of its span."""
        if self.meter is None or operation not in DURATIONS:
            return
        labels = {name: value for name, value in attributes.items() if name in _LABELS}
        self._histogram(DURATIONS[operation]).record(seconds, attributes=labels)
        if operation != "chat":
            return
        for literal in _TOKENS:
            if tokens := attributes.get(f"gen_ai.{literal}"):
                self._counter(f"gen_ai.client.inference.{literal}").add(tokens, attributes=labels)
        if (first_s := attributes.get(_FIRST_CHUNK)) is not None:
            first = self._histogram("gen_ai.client.inference.time_to_first_chunk")
            first.record(first_s, attributes=labels)

    def record_error(self, operation: str, error: BaseException, attributes: Attributes) -> None:
        """Log that an operation raised; what the exception says only where `attributes` do."""
        if self.logger is None or operation not in _FAILURES:
            return
        logs = sys.modules["opentelemetry._logs"]
        record = logs.LogRecord(
            event_name=_FAILURES[operation],
            severity_number=logs.SeverityNumber.WARN,
            attributes={"exception.type": type(error).__name__, **attributes},
        )
        self.logger.emit(record)

    def _histogram(self, name: str) -> Any:
        if name not in self._instruments:
            self._instruments[name] = self.meter.create_histogram(name, unit="s")
        return self._instruments[name]

    def _counter(self, name: str) -> Any:
        if name not in self._instruments:
            self._instruments[name] = self.meter.create_counter(name, unit="{token}")
        return self._instruments[name]


def make_meters(scope: str, version: str) -> RunMeters:
    """Measure and log where this process does."""
    metrics, logs = (
        sys.modules.get(f"opentelemetry.{literal}") for literal in ("metrics", "_logs")
    )
    return RunMeters(
        metrics.get_meter(scope, version) if metrics else None,
        logs.get_logger(scope, version) if logs else None,
    )
