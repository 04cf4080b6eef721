"""
What a worker tells whoever watches it: `/healthz` whether it can work, `/metrics` what it did.

Off unless it is asked for, and without a password: neither says anything of what was asked, sent or
answered, but `/metrics` has the names of tools, of agents and of the servers that they call.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from restwright.agents.runtime.metrics import Observe, make_meters
from restwright.agents.runtime.semantic_conventions import Attributes
from restwright.agents.runtime.telemetry import SCOPE, find_version
from restwright.errors import MissingExtra, UsageError
from restwright.workers.queues import RunState
from restwright.workers.worker import Worker

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from prometheus_client import CollectorRegistry

LOOPBACK = "127.0.0.1"
_LOOPBACKS = frozenset({LOOPBACK, "::1", "localhost"})
PATIENCE_S = 2.0
"""How long a database is waited for that is away: Prometheus gives up after ten seconds."""
_LATEST_PORT = 65_535
_REQUEST_S = 10.0
_DEPTHS: dict[str, tuple[RunState, ...]] = {
    "restwright.queue.depth": ("queued", "delayed"),
    "restwright.queue.active": ("running",),
    "restwright.queue.dead": ("failed", "dead"),
}


def parse_listen(text: str) -> tuple[str, int]:
    """
    Read `HOST:PORT`, or `PORT` of the loopback interface.

    Raises:
        UsageError: It is neither.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal()) or int(port) > _LATEST_PORT:
        how = "give HOST:PORT, or a PORT of 127.0.0.1"
        raise UsageError(f"{text!r} is no place to listen at", "--listen", how)
    return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)


def collect_metrics(worker: Worker) -> CollectorRegistry:
    """
    Have this process measure, and return what Prometheus reads of it.

    Where it measures already, as under `opentelemetry-instrument`, that goes on beside.

    Raises:
        MissingExtra: What measures is not installed.
    """
    try:
        from opentelemetry import metrics
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from opentelemetry.sdk.metrics import MeterProvider
        from prometheus_client import CollectorRegistry, ProcessCollector
    except ImportError as error:
        raise MissingExtra("telemetry", "`--listen`") from error
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    reader = PrometheusMetricReader(registry=registry, scope_info_enabled=False)
    provider = metrics.get_meter_provider()
    if isinstance(provider, MeterProvider):
        provider.add_metric_reader(reader)
    else:
        metrics.set_meter_provider(MeterProvider([reader], shutdown_on_exit=False))
    observe_worker(worker, make_meters(SCOPE, find_version()).observe)
    return registry


def observe_worker(worker: Worker, observe: Callable[[str, Observe], None]) -> None:
    """Show how many runs a queue has, and how many answers are waited for, when somebody looks."""
    queue: Attributes = {"restwright.queue.name": worker.settings.queue}

    def depth(states: Iterable[RunState]) -> Iterable[tuple[float, Attributes]]:
        depths = worker.state(patience_s=PATIENCE_S).depths
        return [(sum(depths.get(state, 0) for state in states), queue)]

    def questions() -> Iterable[tuple[float, Attributes]]:
        return [(worker.journal.count_open_questions(patience_s=PATIENCE_S), {})]

    for name, states in _DEPTHS.items():
        observe(name, partial(depth, states))
    observe("restwright.questions.open", questions)
    observe("restwright.worker.active", lambda: [(worker.count_running(), queue)])


def make_app(worker: Worker, registry: CollectorRegistry) -> WSGIApplication:
    """Make what answers: `/healthz` 200 or 503, `/metrics`, and 404 elsewhere."""
    from prometheus_client import exposition

    metrics: WSGIApplication = cast("Any", exposition).make_wsgi_app(registry)

    def health(_: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        found = worker.health()
        return _answer(start, "200 OK" if found.is_well else "503 Service Unavailable", found)

    def app(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        routes: dict[str, WSGIApplication] = {"/healthz": health, "/metrics": metrics}
        if (route := routes.get(environ["PATH_INFO"])) is None:
            return _answer(start, "404 Not Found")
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            return _answer(start, "405 Method Not Allowed")
        # A page that calls this machine by a name of its own could read it otherwise.
        if not _is_named(environ):
            return _answer(start, "403 Forbidden")
        return route({**environ, "REQUEST_METHOD": "GET"}, start)

    return app


def _is_named(environ: WSGIEnvironment) -> bool:
    """Whether a request to the loopback interface calls it so."""
    if environ["SERVER_NAME"] not in _LOOPBACKS:
        return True
    try:
        return urlsplit(f"//{environ.get('HTTP_HOST', '')}").hostname in _LOOPBACKS
    except ValueError:
        return False


def _answer(start: StartResponse, status: str, found: Any = None) -> Iterable[bytes]:
    told = {"status": status.partition(" ")[2], **(asdict(found) if found is not None else {})}
    body = json.dumps(told).encode() + b"\n"
    start(
        status,
        [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
        ],
    )
    return [body]


class _Handler(WSGIRequestHandler):
    timeout = _REQUEST_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as its base has it
        """Log nothing: a probe asks every few seconds."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def server_bind(self) -> None:
        # Its base looks up the name of this machine, which may take long and say nothing.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]
        self.setup_environ()


class _Server6(_Server):
    address_family = socket.AF_INET6


@contextmanager
def listening(worker: Worker, listen: str) -> Generator[str]:
    """
    Answer `/healthz` and `/metrics` in the block, and give the URL where that is.

    Args:
        listen: As of `parse_listen`; port 0 for any free one.

    Raises:
        MissingExtra: What measures is not installed.
        OSError: The port is taken, or the host is not of this machine.
        UsageError: It is no place to listen at.
    """
    host, port = parse_listen(listen)
    with serving(make_app(worker, collect_metrics(worker)), host, port) as url:
        yield url


@contextmanager
def serving(app: WSGIApplication, host: str, port: int) -> Generator[str]:
    """Serve an application from a thread in the block, and give its URL; see `listening`."""
    try:
        server = (_Server6 if ":" in host else _Server)((host, port), _Handler)
    except OSError as error:
        # The address takes the place of a file name, for whoever reports the error.
        raise OSError(error.errno, os.strerror(error.errno or 0), f"{host}:{port}") from error
    server.set_app(app)
    threading.Thread(target=server.serve_forever, name="restwright probes", daemon=True).start()
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
