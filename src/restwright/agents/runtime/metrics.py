"""
Counts, durations and failures of runs for OpenTelemetry, where a process measures or logs.

Source: OpenTelemetry, "Semantic conventions for generative AI" and "for HTTP", metrics and events.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from restwright.agents.runtime.semantic_conventions import Attributes
from restwright.tools.catalog.usage import UsageCounter


class Metric(NamedTuple):
    """
    What is measured under one name.

    Args:
        labels: The attributes that a point of it may have; all of them have few values, since each
            combination is a series of its own.
        buckets: Upper bounds of those of a histogram.
    """

    kind: Literal["counter", "gauge", "histogram"]
    unit: str
    description: str
    labels: tuple[str, ...]
    buckets: tuple[float, ...] = ()


Observe = Callable[[], Iterable[tuple[float, Attributes]]]
"""Gives what a gauge shows now, with labels."""

_TO_82_S = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TO_2_H = (1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0)
_TO_10_S = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
STOPPED = "restwright.stopped"
"""The attribute of why a run ended, as `Answer.stopped`, or one of the next two."""
INTERRUPTED, RAISED = "interrupted", "raised"
_SERVER = ("server.address", "server.port")
_MODEL = (
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    *_SERVER,
)
_TOKEN = (*_MODEL, "gen_ai.token.modality")
_TOOL = ("gen_ai.tool.name",)
_QUEUE = ("restwright.queue.name",)

METRICS: Mapping[str, Metric] = {
    "gen_ai.client.inference.duration": Metric(
        "histogram", "s", "Requests to models.", (*_MODEL, "error.type"), _TO_82_S
    ),
    "gen_ai.client.inference.time_to_first_chunk": Metric(
        "histogram", "s", "Until the first piece of a reply came.", _MODEL, _TO_82_S
    ),
    "gen_ai.client.inference.usage.input_tokens": Metric(
        "counter", "{token}", "Tokens of prompts.", _TOKEN
    ),
    "gen_ai.client.inference.usage.output_tokens": Metric(
        "counter", "{token}", "Tokens of replies.", _TOKEN
    ),
    "gen_ai.client.inference.usage.cache_read.input_tokens": Metric(
        "counter", "{token}", "Tokens of prompts that the provider had in a cache.", _TOKEN
    ),
    "gen_ai.client.inference.usage.cache_write.input_tokens": Metric(
        "counter", "{token}", "Tokens of prompts that it put into one.", _TOKEN
    ),
    "gen_ai.client.inference.usage.reasoning.output_tokens": Metric(
        "counter", "{token}", "Tokens of thoughts, of those of replies.", _TOKEN
    ),
    "gen_ai.execute_tool.duration": Metric(
        "histogram",
        "s",
        "Calls of tools, and code of the parser.",
        ("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.type", "error.type"),
        _TO_82_S,
    ),
    "gen_ai.invoke_agent.duration": Metric(
        "histogram",
        "s",
        "Runs, or parts of one that was taken up again.",
        ("gen_ai.operation.name", "gen_ai.agent.name", "error.type"),
        _TO_2_H,
    ),
    "gen_ai.invoke_workflow.duration": Metric(
        "histogram",
        "s",
        "Runs of several agents, one handing over to the next.",
        ("gen_ai.operation.name", "gen_ai.workflow.name", "error.type"),
        _TO_2_H,
    ),
    "http.client.request.duration": Metric(
        "histogram",
        "s",
        "Requests to APIs, and those for their tokens.",
        ("http.request.method", "http.response.status_code", *_SERVER, "error.type"),
        _TO_10_S,
    ),
    "restwright.runs.ended": Metric(
        "counter",
        "{run}",
        "Runs, or parts of one, that ended, by why: as `Answer.stopped`, of which `question` is"
        " one that waits for a person; `interrupted` where its process was to end; `raised` by an"
        " exception.",
        ("gen_ai.agent.name", STOPPED),
    ),
    "restwright.tool.mismatches": Metric(
        "counter", "{call}", "Calls whose arguments did not fit, and that were not sent.", _TOOL
    ),
    "restwright.tool.repairs": Metric(
        "counter", "{call}", "Calls whose arguments had to be repaired.", _TOOL
    ),
    "restwright.queue.depth": Metric("gauge", "{run}", "Runs that wait for a worker.", _QUEUE),
    "restwright.queue.active": Metric("gauge", "{run}", "Runs that workers are at.", _QUEUE),
    "restwright.queue.dead": Metric(
        "gauge", "{run}", "Runs that failed, and are not tried again by themselves.", _QUEUE
    ),
    "restwright.worker.active": Metric("gauge", "{run}", "Runs that this worker is at.", _QUEUE),
    "restwright.questions.open": Metric(
        "gauge", "{question}", "Approvals and answers that runs wait for.", ()
    ),
}
"""All that is measured, by name."""

_DURATIONS = {
    "chat": "gen_ai.client.inference.duration",
    "execute_tool": "gen_ai.execute_tool.duration",
    "invoke_agent": "gen_ai.invoke_agent.duration",
    "invoke_workflow": "gen_ai.invoke_workflow.duration",
    "http": "http.client.request.duration",
}
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
        """
        Record an operation with the attributes of its span.

        Args:
            operation: As `gen_ai.operation.name` says it, or `http`.
        """
        if self.meter is None or operation not in _DURATIONS:
            return
        self._record(_DURATIONS[operation], seconds, attributes)
        if operation == "invoke_agent":
            self._record("restwright.runs.ended", 1, attributes)
        if operation == "chat":
            self._record_tokens(attributes)

    def _record_tokens(self, attributes: Attributes) -> None:
        # No provider says whether they were of words or of pictures.
        told = {**attributes, "gen_ai.token.modality": "unknown"}
        for name in _TOKENS:
            if tokens := attributes.get(f"gen_ai.{name}"):
                self._record(f"gen_ai.client.inference.{name}", tokens, told)
        if (first_s := attributes.get(_FIRST_CHUNK)) is not None:
            self._record("gen_ai.client.inference.time_to_first_chunk", first_s, attributes)

    def record_usage(self, counted: UsageCounter) -> None:
        """Record which tools were called with arguments that did not fit, or were repaired."""
        if self.meter is None:
            return
        for (tool, event), count in counted.counts.items():
            if event in _USAGE:
                self._record(_USAGE[event], count, {"gen_ai.tool.name": tool})

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

    def observe(self, name: str, observe: Observe) -> None:
        """Have a gauge show what `observe` gives when somebody looks; it may raise `OSError`."""
        metric = METRICS[name]

        def look(_: object) -> Iterable[Any]:
            make = sys.modules["opentelemetry.metrics"].Observation
            try:
                return [make(value, _labels(metric, given)) for value, given in observe()]
            except OSError:
                # It shows nothing rather than something old.
                return []

        if self.meter is not None:
            self.meter.create_observable_gauge(
                name, [look], unit=metric.unit, description=metric.description
            )

    def _record(self, name: str, amount: float, attributes: Attributes) -> None:
        metric = METRICS[name]
        if name not in self._instruments:
            self._instruments[name] = self._make_instrument(name, metric)
        labels = _labels(metric, attributes)
        if metric.kind == "histogram":
            self._instruments[name].record(amount, attributes=labels)
        else:
            self._instruments[name].add(amount, attributes=labels)

    def _make_instrument(self, name: str, metric: Metric) -> Any:
        known = {"unit": metric.unit, "description": metric.description}
        if metric.kind == "counter":
            return self.meter.create_counter(name, **known)
        return self.meter.create_histogram(
            name, **known, explicit_bucket_boundaries_advisory=metric.buckets
        )


_USAGE = {"mismatched": "restwright.tool.mismatches", "repaired": "restwright.tool.repairs"}


def _labels(metric: Metric, attributes: Attributes) -> Attributes:
    return {name: attributes[name] for name in metric.labels if name in attributes}


def make_meters(scope: str, version: str) -> RunMeters:
    """Measure and log where this process does."""
    metrics, logs = (
        sys.modules.get(f"opentelemetry.{literal}") for literal in ("metrics", "_logs")
    )
    return RunMeters(
        metrics.get_meter(scope, version) if metrics else None,
        logs.get_logger(scope, version) if logs else None,
    )
