"""What a worker tells whoever watches it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("opentelemetry.exporter.prometheus")
pytest.importorskip("dbos")

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry
from tests.support.postgres import PostgresServer, running_postgres

from restwright.agents.runtime.metrics import METRICS, RunMeters
from restwright.errors import UsageError
from restwright.workers.probes import make_app, observe_worker, parse_listen, serving
from restwright.workers.worker import WorkerHealth, WorkerState

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "examples/grafana/restwright.json"
WELL = WorkerHealth(database=True, leases=True, engine=True, is_stopping=False)


@dataclass
class Watched:
    """Stands for a worker of the queue `shop`."""

    now: WorkerHealth = WELL
    is_away: bool = False
    settings: Any = field(default_factory=lambda: SimpleNamespace(queue="shop"))

    @property
    def journal(self) -> Watched:
        return self

    def health(self) -> WorkerHealth:
        return self.now

    def state(self, *, patience_s: float) -> WorkerState:
        if self.is_away:
            raise OSError(patience_s)
        depths: Any = {"queued": 5, "delayed": 2, "running": 3, "dead": 1}
        return WorkerState(
            queue="shop",
            id="worker-0",
            is_present=True,
            is_stopping=False,
            running=2,
            ended={},
            depths=depths,
        )

    def count_running(self) -> int:
        return 2

    def count_open_questions(self, *, patience_s: float) -> int:
        if self.is_away:
            raise OSError(patience_s)
        return 4


@contextmanager
def metered() -> Iterator[tuple[RunMeters, CollectorRegistry]]:
    """What measures, and what Prometheus reads of it."""
    registry = CollectorRegistry()
    reader = PrometheusMetricReader(registry=registry, scope_info_enabled=False)
    provider = MeterProvider([reader], shutdown_on_exit=False)
    yield RunMeters(provider.get_meter("test")), registry
    provider.shutdown()


@dataclass
class Served:
    worker: Watched
    meters: RunMeters
    url: str

    def get(self, path: str, **request: Any) -> tuple[int, str]:
        try:
            with urlopen(Request(self.url + path, **request), timeout=5) as response:  # noqa: S310
                return response.status, response.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()


@pytest.fixture(scope="module")
def whole() -> Generator[Served]:
    worker: Any = Watched()
    with metered() as (meters, registry):
        observe_worker(worker, meters.observe)
        with serving(make_app(worker, registry), "127.0.0.1", 0) as url:
            yield Served(worker, meters, url)


@pytest.fixture
def served(whole: Served) -> Served:
    whole.worker.now, whole.worker.is_away = WELL, False
    return whole


def test_a_worker_that_can_work_is_well(served: Served) -> None:
    status, told = served.get("/healthz")
    checks = {"database": True, "leases": True, "engine": True, "is_stopping": False}
    assert (status, json.loads(told)) == (200, {"status": "OK", **checks})
    assert served.get("/healthz", method="HEAD") == (200, "")


@pytest.mark.parametrize(
    "fault", [{"database": False}, {"leases": False}, {"engine": False}, {"is_stopping": True}]
)
def test_one_that_cannot_says_why(served: Served, fault: dict[str, bool]) -> None:
    served.worker.now = WorkerHealth(
        **{"database": True, "leases": True, "engine": True, "is_stopping": False, **fault}
    )
    status, told = served.get("/healthz")
    assert status == 503
    assert fault.items() <= json.loads(told).items()


def test_metrics_are_told_as_prometheus_reads_them(served: Served) -> None:
    served.meters.record_operation(
        "invoke_agent", 2.0, {"gen_ai.agent.name": "Shop", "restwright.stopped": "answered"}
    )
    status, told = served.get("/metrics")
    assert status == 200
    for line in (
        'restwright_queue_depth{restwright_queue_name="shop"} 7.0',
        'restwright_queue_active{restwright_queue_name="shop"} 3.0',
        'restwright_queue_dead{restwright_queue_name="shop"} 1.0',
        'restwright_worker_active{restwright_queue_name="shop"} 2.0',
        "restwright_questions_open 4.0",
        'restwright_runs_ended_total{gen_ai_agent_name="Shop",restwright_stopped="answered"} 1.0',
        'gen_ai_invoke_agent_duration_seconds_bucket{gen_ai_agent_name="Shop",le="5.0"} 1.0',
    ):
        assert line in told.splitlines()


def test_what_a_database_that_is_away_would_say_is_left_out(served: Served) -> None:
    served.worker.is_away = True
    status, told = served.get("/metrics")
    assert status == 200
    assert "restwright_queue_depth" not in told
    assert 'restwright_worker_active{restwright_queue_name="shop"} 2.0' in told


@pytest.mark.parametrize(
    ("path", "request_", "status"),
    [
        ("/", {}, 404),
        ("/metrics/more", {}, 404),
        ("/metrics", {"method": "POST", "data": b"x"}, 405),
        ("/healthz", {"headers": {"Host": "evil.example.test"}}, 403),
        ("/metrics", {"headers": {"Host": "evil.example.test:80"}}, 403),
        ("/healthz", {"headers": {"Host": "localhost:1"}}, 200),
        ("/healthz", {"headers": {"Host": "[::1]"}}, 200),
        ("/healthz", {"headers": {"Host": "[::1"}}, 403),
    ],
)
def test_nothing_else_is_served(
    served: Served, path: str, request_: dict[str, Any], status: int
) -> None:
    assert served.get(path, **request_)[0] == status


def test_a_place_that_is_taken_is_named(served: Served) -> None:
    port = int(served.url.rpartition(":")[2])
    app: Any = None
    with pytest.raises(OSError, match=f"127.0.0.1:{port}"), serving(app, "127.0.0.1", port):
        pass


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("9464", ("127.0.0.1", 9464)),
        (":9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),  # noqa: S104
        ("[::1]:80", ("::1", 80)),
    ],
)
def test_a_place_is_a_host_and_a_port(text: str, found: tuple[str, int]) -> None:
    assert parse_listen(text) == found


@pytest.mark.parametrize("text", ["", "host", "host:", "host:x", "1:65536", "host:-1", "h:²"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--listen"):
        parse_listen(text)


def exposed_names() -> set[str]:
    """The names under which Prometheus finds all that is measured."""
    with metered() as (meters, registry):
        for name, metric in METRICS.items():
            if metric.kind == "gauge":
                meters.observe(name, lambda: [(1, {})])
            else:
                meters._record(name, 1, {})
        return {sample.name for family in registry.collect() for sample in family.samples}


def test_the_dashboard_asks_for_what_is_measured() -> None:
    board = json.loads(DASHBOARD.read_text("utf-8"))
    asked = " ".join(
        target["expr"] for panel in board["panels"] for target in panel.get("targets", ())
    )
    labels = {label.replace(".", "_") for metric in METRICS.values() for label in metric.labels} | {
        "restwright_queue_name"
    }
    named = set(re.findall(r"\b(?:gen_ai|http_client|restwright|process)_\w+", asked)) - labels
    known = exposed_names() | {"process_resident_memory_bytes", "process_cpu_seconds_total"}
    assert named <= known
    # What is measured and shown nowhere helps nobody.
    stems = {re.sub(r"_(bucket|count|sum|created|total)$", "", name) for name in exposed_names()}
    shown = {re.sub(r"_(bucket|count|sum|total)$", "", name) for name in named}
    assert stems - shown - {"target_info"} == set()
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_the_documentation_has_all_that_is_measured() -> None:
    page = (ROOT / "docs/observability.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    told = {found[1]: line for line in rows if (found := re.match(r"\| `([a-z_.]+)`", line))}
    for name, metric in METRICS.items():
        assert metric.description in told[name]
        for label in metric.labels:
            assert f"`{label}`" in page


@pytest.fixture(scope="module")
def database() -> Generator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.mark.postgres
def test_a_worker_is_well_until_its_database_is_gone(database: PostgresServer) -> None:
    program = [sys.executable, "-m", "tests.support.programs.working"]
    arguments = [database.url(), "shop", "watched", "http://127.0.0.1:9", "--listen=0"]
    with subprocess.Popen([*program, *arguments], cwd=ROOT, stdout=subprocess.PIPE) as working:  # noqa: S603
        assert working.stdout is not None
        try:
            unused: Any = None
            served = Served(unused, unused, working.stdout.readline().decode().strip())
            assert working.stdout.readline() == b"up\n"
            await_status(served, 200)
            told = served.get("/metrics")[1]
            assert 'restwright_queue_depth{restwright_queue_name="shop"} 0.0' in told
            assert "process_resident_memory_bytes" in told
            database.crash()
            await_status(served, 503)
            assert "restwright_queue_depth{" not in served.get("/metrics")[1]
            database.start()
            await_status(served, 200)
        finally:
            working.terminate()


def await_status(served: Served, status: int) -> None:
    until = time.monotonic() + 60
    while served.get("/healthz")[0] != status:
        assert time.monotonic() < until
        time.sleep(0.2)
