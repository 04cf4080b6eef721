"""
What a journal costs: one event, and whole runs of six steps with a scripted model.

    python benchmarks/journal.py

SQLite and PostgreSQL are measured in turns in one run, with the database beside the workers on the
same machine, and `fsync` on. Prints milliseconds an event (one after another, median of rounds) and
runs a second (threads at once in one process), and writes results/journal.json. Without PostgreSQL
on this machine it says so, and measures SQLite alone.
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
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.postgres import find_programs, running_postgres  # noqa: E402

from restwright.agents.agent import Agent  # noqa: E402
from restwright.agents.journal.opening import journal as open_journal  # noqa: E402
from restwright.agents.journal.rows import SessionHeader  # noqa: E402
from restwright.agents.journal.store import Journal  # noqa: E402
from restwright.agents.steps import Complete, Completion, Conclusion, Message, Steps  # noqa: E402
from restwright.openapi.api import load  # noqa: E402
from restwright.testing import document, never  # noqa: E402
from restwright.tools.catalog.catalog import catalog  # noqa: E402

ROUNDS, EVENTS, RUNS, THREADS, STEPS = 3, 200, 100, 10, 6
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


def time_events(journal: Journal) -> float:
    """Milliseconds an event."""
    session = journal.start(OPENING)
    began = time.perf_counter()
    for number in range(EVENTS):
        session.append(str(number + 1), "step", DATA)
    took = time.perf_counter() - began
    session.release()
    return took / EVENTS * 1000


def time_runs(journal: Journal) -> float:
    """Runs a second."""
    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        answers = [*pool.map(lambda n: AGENT.ask(f"q{n}", journal=journal), range(RUNS))]
    took = time.perf_counter() - began
    assert all(answer.stopped == "answered" for answer in answers)
    return RUNS / took


def time_bare() -> float:
    """Runs a second where nothing is kept, which is what the loop itself costs."""
    began = time.perf_counter()
    for number in range(RUNS):
        AGENT.ask(f"q{number}")
    return RUNS / (time.perf_counter() - began)


def main() -> None:
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        stores: dict[str, Journal] = {
            "sqlite": ending.enter_context(open_journal(folder / "runs.sqlite3"))
        }
        if find_programs() is None:
            print("postgres: not measured (there is no PostgreSQL on this machine)")
        else:
            server = ending.enter_context(running_postgres(is_durable=True))
            place = server.url(tenant=secrets.token_hex(4))
            stores["postgres"] = ending.enter_context(open_journal(place))
        events: dict[str, list[float]] = {name: [] for name in stores}
        runs: dict[str, list[float]] = {name: [] for name in stores}
        bare: list[float] = []
        measures: list[tuple[Callable[[Journal], float], dict[str, list[float]]]] = [
            (time_events, events),
            (time_runs, runs),
        ]
        for _ in range(ROUNDS):
            bare.append(time_bare())
            for measure, found in measures:
                for name, journal in stores.items():
                    found[name].append(measure(journal))
    shown = {
        name: {
            "ms_an_event": round(statistics.median(events[name]), 3),
            "ms_an_event_best": round(min(events[name]), 3),
            "runs_a_second": round(statistics.median(runs[name]), 1),
            "runs_a_second_best": round(max(runs[name]), 1),
        }
        for name in stores
    }
    for name, figures in shown.items():
        print(name, json.dumps(figures))
    print(f"without a journal: {statistics.median(bare):.0f} runs/s; load {os.getloadavg()[0]:.1f}")
    about = {"python": platform.python_version(), "cores": os.cpu_count(), "rounds": ROUNDS}
    loads = {"load_1_minute": round(os.getloadavg()[0], 1)}
    kept = {**about, **loads, "bare_runs_a_second": round(statistics.median(bare), 1), **shown}
    RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
