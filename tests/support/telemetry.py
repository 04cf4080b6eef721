"""
Providers of OpenTelemetry that keep what they are given.

A process has one provider of each kind for good, so these are set once; what is recorded goes to
the `Recorded` of the test that asks for it, and nowhere without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import _logs, metrics, trace
from opentelemetry.context import Context
from opentelemetry.sdk import trace as sdk
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from restwright.agents.runtime.metrics import METRICS


@dataclass(frozen=True)
class Span:
    """A span that ended or goes on; `parent` is the name of the one that it is in."""

    own: sdk.Span
    parent: str

    @property
    def name(self) -> str:
        return self.own.name

    @property
    def kind(self) -> trace.SpanKind:
        return self.own.kind

    @property
    def attributes(self) -> dict[str, Any]:
        return dict(self.own.attributes or {})

    @property
    def is_failed(self) -> bool:
        return self.own.status.status_code is trace.StatusCode.ERROR

    @property
    def has_ended(self) -> bool:
        return self.own.end_time is not None

    @property
    def events(self) -> list[str]:
        return [str((each.attributes or {})["exception.message"]) for each in self.own.events]

    @property
    def links(self) -> list[int]:
        return [each.context.span_id for each in self.own.links]

    @property
    def trace_id(self) -> int:
        return self.own.context.trace_id

    @property
    def id(self) -> int:
        return self.own.context.span_id

    def __repr__(self) -> str:
        return f"{self.own.to_json()} in {self.parent!r}"


@dataclass
class Recorded:
    """What one test recorded, in the order of its begin."""

    spans: list[Span] = field(default_factory=list[Span])
    points: list[tuple[str, float, dict[str, Any]]] = field(
        default_factory=list[tuple[str, float, dict[str, Any]]]
    )
    events: list[Any] = field(default_factory=list[Any])
    scopes: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def named(self, start: str) -> list[Span]:
        return [each for each in self.spans if each.name.startswith(start)]


_now: list[Recorded] = []


@contextmanager
def recording() -> Iterator[Recorded]:
    _now.append(Recorded())
    try:
        yield _now[-1]
    finally:
        _now.pop()


class Spans(sdk.SpanProcessor):
    def on_start(self, span: sdk.Span, parent_context: Context | None = None) -> None:
        if not _now:
            return
        scope = span.instrumentation_scope
        _now[-1].scopes.add((scope.name, scope.version or "") if scope else ("", ""))
        names = {each.id: each.name for each in _now[-1].spans}
        parent = names.get(span.parent.span_id, "") if span.parent else ""
        _now[-1].spans.append(Span(span, parent))


class Instrument:
    def __init__(self, name: str) -> None:
        self.name = name

    def record(self, amount: float, attributes: Any = None) -> None:
        if _now:
            _now[-1].points.append((self.name, amount, dict(attributes)))

    add = record


class Meter(metrics.NoOpMeter):
    """Makes instruments as they are described, and none else."""

    def create_histogram(self, name: str, **described: Any) -> Any:
        metric = METRICS[name]
        assert (metric.kind, described["unit"]) == ("histogram", metric.unit)
        assert described["explicit_bucket_boundaries_advisory"] == metric.buckets
        return Instrument(name)

    def create_counter(self, name: str, **described: Any) -> Any:
        assert (METRICS[name].kind, described["unit"]) == ("counter", METRICS[name].unit)
        return Instrument(name)


class Metrics(metrics.MeterProvider):
    def get_meter(self, name: str, *_: Any, **__: Any) -> Any:
        return Meter(name)


class Logger(_logs.NoOpLogger):
    def emit(self, record: Any = None, **_: Any) -> None:  # type: ignore[override]
        if _now:
            _now[-1].events.append(record)


class Logs(_logs.LoggerProvider):
    def get_logger(self, name: str, *_: Any, **__: Any) -> Logger:
        return Logger(name)


class Tracer(trace.Tracer):
    """
    Makes spans while something is recorded.

    Other programs of the tests, such as clients of MCP, tell others of each span that there is.
    """

    def __init__(self, own: trace.Tracer) -> None:
        self._own, self._none = own, trace.NoOpTracer()

    def start_span(self, *args: Any, **settings: Any) -> trace.Span:
        return (self._own if _now else self._none).start_span(*args, **settings)

    def start_as_current_span(self, *args: Any, **settings: Any) -> Any:
        return (self._own if _now else self._none).start_as_current_span(*args, **settings)


class Traces(trace.TracerProvider):
    def __init__(self) -> None:
        self._own = sdk.TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
        self._own.add_span_processor(Spans())

    def get_tracer(self, *args: Any, **settings: Any) -> Tracer:
        return Tracer(self._own.get_tracer(*args, **settings))


trace.set_tracer_provider(Traces())
metrics.set_meter_provider(Metrics())
_logs.set_logger_provider(Logs())
