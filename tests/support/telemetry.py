"""
Providers of OpenTelemetry that keep what they are given.

A process has one provider of each kind for good, so these are set once; what is recorded goes to
the `Recorded` of the test that asks for it, and nowhere without one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import _logs, metrics, trace
from opentelemetry.context import Context


@dataclass
class Span:
    """A span that ended or goes on; `events` are its exceptions."""

    name: str
    kind: trace.SpanKind
    attributes: dict[str, Any]
    parent: str
    is_failed: bool = False
    events: list[str] = field(default_factory=list[str])


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


class Recording(trace.NonRecordingSpan):
    def __init__(self, kept: Span) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.kept = kept

    def is_recording(self) -> bool:
        return True

    def set_attributes(self, attributes: Any) -> None:
        self.kept.attributes.update(attributes)

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.kept.is_failed = status is trace.StatusCode.ERROR

    def record_exception(self, exception: BaseException, *_: Any, **__: Any) -> None:
        self.kept.events.append(str(exception))


class Tracer(trace.NoOpTracer):
    def start_span(self, name: str, *_: Any, **__: Any) -> trace.Span:
        return trace.INVALID_SPAN

    @contextmanager
    def start_as_current_span(  # type: ignore[override]
        self,
        name: str,
        context: Context | None = None,
        kind: trace.SpanKind = trace.SpanKind.INTERNAL,
        attributes: Any = None,
        record_exception: bool = True,
        **_: Any,
    ) -> Generator[trace.Span]:
        outer = trace.get_current_span()
        parent = outer.kept.name if isinstance(outer, Recording) else ""
        span = Recording(Span(name, kind, dict(attributes), parent))
        if _now:
            _now[-1].spans.append(span.kept)
        with trace.use_span(span, record_exception=record_exception, set_status_on_exception=False):
            yield span


class Traces(trace.TracerProvider):
    def get_tracer(self, name: str, version: str | None = None, *_: Any, **__: Any) -> Tracer:  # type: ignore[override]
        if _now:
            _now[-1].scopes.add((name, version or ""))
        return Tracer()


class Instrument:
    def __init__(self, name: str) -> None:
        self.name = name

    def record(self, amount: float, attributes: Any = None) -> None:
        if _now:
            _now[-1].points.append((self.name, amount, dict(attributes)))

    add = record


class Meter:
    def create_histogram(self, name: str, unit: str = "") -> Instrument:
        assert unit == "s"
        return Instrument(name)

    def create_counter(self, name: str, unit: str = "") -> Instrument:
        assert unit == "{token}"
        return Instrument(name)


class Metrics(metrics.MeterProvider):
    def get_meter(self, *_: Any, **__: Any) -> Any:
        return Meter()


class Logger(_logs.NoOpLogger):
    def emit(self, record: Any = None, **_: Any) -> None:  # type: ignore[override]
        if _now:
            _now[-1].events.append(record)


class Logs(_logs.LoggerProvider):
    def get_logger(self, name: str, *_: Any, **__: Any) -> Logger:
        return Logger(name)


trace.set_tracer_provider(Traces())
metrics.set_meter_provider(Metrics())
_logs.set_logger_provider(Logs())
