"""
What a journal costs: one event, and whole runs of six steps with a scripted model.

    python benchmarks/journal.py

SQLite and PostgreSQL are measured in turns in one run, with the database beside the workers on the
same machine, and `fsync` on. Prints milliseconds an event (one after another), runs a second
(threads at once in one process), and the processor time of both, of the process and of the server:
that one says something on a machine that has other work too. Of PostgreSQL also what a run leaves
on the disk, and what runs that wait cost. Writes results/journal.json. Without PostgreSQL it says
so, measures SQLite alone, and writes nothing.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.postgres import PostgresServer, find_programs, running_postgres  # noqa: E402

from restwright.agents.agent import Agent  # noqa: E402
from restwright.agents.journal.opening import journal as open_journal  # noqa: E402
from restwright.agents.journal.rows import SessionHeader  # noqa: E402
from restwright.agents.journal.store import Journal  # noqa: E402
from restwright.agents.steps import Complete, Completion, Conclusion, Message, Steps  # noqa: E402
from restwright.jsontypes import JsonObject  # noqa: E402
from restwright.openapi.api import load  # noqa: E402
from restwright.testing import document, never  # noqa: E402
from restwright.tools.catalog.catalog import catalog  # noqa: E402

ROUNDS, EVENTS, RUNS, THREADS, STEPS = 3, 200, 200, 10, 6
WAITING_RUNS, IDLE_S = 10_000, 3.0
Connection = Any
RESULTS = Path(__file__).parent / "results" / "journal.json"
OPENING = SessionHeader(question="?", agent="", model="m", apis={})
TOOLS = catalog(load(document({"/a": {"get": {"operationId": "a"}}}), alias="one"))
DATA = {"step": "say", "text": "x" * 500}


@dataclass
class Scripted:
    """A model that answers at once."""

    name: str = "scripted"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del request, deadline_s
        return Completion(text="x" * 200, input_tokens=100, output_tokens=50)


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent
    for number in range(STEPS):
        yield Complete(role="planner", messages=(Message("user", f"{question} {number}"),))
    return Conclusion(text="done")


AGENT = Agent(TOOLS, model=Scripted(), send=never, kind=loop)


Times = tuple[float, float, float]
"""Seconds by the clock, of processor time of this process, and of that of the server."""


def time_work(work: Callable[[], None], server: PostgresServer | None) -> Times:
    of_server, own, began = _server_s(server), time.process_time(), time.perf_counter()
    work()
    took = time.perf_counter() - began
    return took, time.process_time() - own, _server_s(server) - of_server


def _server_s(server: PostgresServer | None) -> float:
    """Processor time of the processes of a server, where Linux tells it."""
    if server is None or not Path("/proc/self/schedstat").exists():
        return 0.0
    head = (server.folder / "data" / "postmaster.pid").read_text("utf-8").split("\n")[0]
    found = 0
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (path / "stat").read_text("utf-8").rpartition(")")[2].split()[1]
            if head in (parent, path.name):
                found += int((path / "schedstat").read_text("utf-8").split()[0])
    return found / 1e9


def append_events(journal: Journal) -> None:
    session = journal.start(OPENING)
    for number in range(EVENTS):
        session.append(str(number + 1), "step", DATA)
    session.release()


def ask_all(journal: Journal) -> None:
    def ask(number: int) -> str:
        return AGENT.ask(f"q{number}", journal=journal).stopped

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(ask, range(RUNS))) == {"answered"}


def time_bare() -> float:
    """Runs a second where nothing is kept, which is what the loop itself costs."""
    began = time.perf_counter()
    for number in range(RUNS):
        AGENT.ask(f"q{number}")
    return RUNS / (time.perf_counter() - began)


def describe(events: list[Times], runs: list[Times]) -> JsonObject:
    """Figures of one journal: medians, and the best round of what a busy machine lengthens most."""
    ms = [took / EVENTS * 1000 for took, *_ in events]
    rates = [RUNS / took for took, *_ in runs]
    return {
        "ms_an_event": round(statistics.median(ms), 3),
        "ms_an_event_best": round(min(ms), 3),
        "runs_a_second": round(statistics.median(rates), 1),
        "runs_a_second_best": round(max(rates), 1),
        "worker_cpu_ms_a_run": _median_ms([own for _, own, _ in runs], RUNS),
        "server_cpu_ms_a_run": _median_ms([other for *_, other in runs], RUNS),
        "worker_cpu_ms_an_event": _median_ms([own for _, own, _ in events], EVENTS),
        "server_cpu_ms_an_event": _median_ms([other for *_, other in events], EVENTS),
    }


def _median_ms(seconds: list[float], count: int) -> float:
    return round(statistics.median(seconds) / count * 1000, 3)


def measure_sizes(base: Connection, journal: Journal) -> JsonObject:
    """Bytes that runs leave, with their indexes, and in the log of the database."""
    tables = ("events", "sessions", "leases")
    size = "select pg_total_relation_size(%s), pg_current_wal_insert_lsn() - '0/0'"
    base.execute("checkpoint")
    before = {table: base.execute(size, (f"restwright.{table}",)).fetchone() for table in tables}
    for _ in range(ROUNDS):
        ask_all(journal)
    after = {table: base.execute(size, (f"restwright.{table}",)).fetchone() for table in tables}
    runs = ROUNDS * RUNS
    kept = {
        f"{table}_bytes_a_run": round((after[table][0] - before[table][0]) / runs)
        for table in tables
    }
    wal = float(after["leases"][1] - before["leases"][1]) / runs
    return {**kept, "wal_bytes_a_run": round(wal), "events_a_run": 2 * STEPS, "steps_a_run": STEPS}


WAITING = """
with run as (
    insert into restwright.sessions (tenant, id, question, agent, model, apis)
    select %(tenant)s, 'waits-' || n, '"?"', '', 'm', '{}' from generate_series(1, %(count)s) n
    returning tenant, id
), lease as (
    insert into restwright.leases (tenant, session, token, until, last)
    select tenant, id, 'gone', '-infinity', 0 from run
)
insert into restwright.questions (tenant, id, session, place, kind, request_hash, contents)
select tenant, 'q' || id, id, '1', 'question', '', '{"text": "?"}' from run
"""


def measure_waiting(base: Connection, journal: Journal, tenant: str) -> JsonObject:
    """What runs that wait for a person cost a worker, and the database while nobody answers."""
    base.execute(WAITING, {"tenant": tenant, "count": WAITING_RUNS})
    base.execute("analyze")
    assert len(journal.questions()) == WAITING_RUNS
    time.sleep(IDLE_S)
    busy = "select count(*), sum(coalesce((query_start > now() - %s * interval '1 s')::int, 0))"
    busy += " from pg_stat_activity where application_name = 'restwright'"
    own = time.process_time()
    time.sleep(IDLE_S)
    own = time.process_time() - own
    connections, asked = base.execute(busy, (IDLE_S,)).fetchone() or (0, 0)
    return {
        "waiting_runs": WAITING_RUNS,
        "waiting_queries": int(asked),
        "waiting_connections": int(connections),
        "waiting_worker_cpu_ms_a_second": round(own / IDLE_S * 1000, 2),
    }


def measure_postgres(server: PostgresServer, journal: Journal, tenant: str) -> JsonObject:
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as base:
        sizes = measure_sizes(base, journal)
        waiting = measure_waiting(base, journal, tenant)
        with_waiting = time_work(partial(ask_all, journal), server)
    cpu = round(sum(with_waiting[1:]) / RUNS * 1000, 3)
    return {**sizes, **waiting, "cpu_ms_a_run_beside_waiting": cpu}


def main() -> None:
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        stores: dict[str, tuple[Journal, PostgresServer | None]] = {
            "sqlite": (ending.enter_context(open_journal(folder / "runs.sqlite3")), None)
        }
        tenant = secrets.token_hex(4)
        server = None
        if find_programs() is None:
            print("postgres: not measured (there is no PostgreSQL on this machine)")
        else:
            server = ending.enter_context(running_postgres(is_durable=True))
            place = server.url(tenant=tenant)
            stores["postgres"] = (ending.enter_context(open_journal(place)), server)
        events: dict[str, list[Times]] = {name: [] for name in stores}
        runs: dict[str, list[Times]] = {name: [] for name in stores}
        bare: list[float] = []
        loads = [os.getloadavg()[0]]
        for _ in range(ROUNDS):
            bare.append(time_bare())
            for work, found in ((append_events, events), (ask_all, runs)):
                for name, (journal, beside) in stores.items():
                    found[name].append(time_work(partial(work, journal), beside))
            loads.append(os.getloadavg()[0])
        shown = {name: describe(events[name], runs[name]) for name in stores}
        if server is not None:
            shown["postgres"] |= measure_postgres(server, stores["postgres"][0], tenant)
    for name, figures in shown.items():
        print(name, json.dumps(figures))
    print(f"without a journal: {statistics.median(bare):.0f} runs/s; load {max(loads):.1f}")
    about = {"python": platform.python_version(), "cores": os.cpu_count(), "rounds": ROUNDS}
    load = {"load_1_minute": round(max(loads), 1), "threads": THREADS, "steps": STEPS}
    kept = {**about, **load, "bare_runs_a_second": round(statistics.median(bare), 1), **shown}
    if server is not None:
        RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
