"""
A fleet of workers at its busiest hour: what is full first, and what a day and a month leave behind.

    python benchmarks/fleet.py

Runs arrive at random and go through the model, APIs and the database, each of which serves so many
at once. What the journal costs is read from results/journal.json; what is assumed stands in
`Assumed`. Writes results/fleet.json and the tables of docs/scale.md.
"""

from __future__ import annotations

import heapq
import json
import random
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from restwright.agents.journal.postgres.pool import MAX_CONNECTIONS

HERE = Path(__file__).parent
JOURNAL, RESULTS = HERE / "results" / "journal.json", HERE / "results" / "fleet.json"
PAGE = HERE.parent / "docs" / "scale.md"
BEGIN, END = "<!-- made by benchmarks/fleet.py -->", "<!-- end -->"
DAY_S, MONTH_DAYS = 86_400, 30


@dataclass(frozen=True)
class Assumed:
    """What nobody measured here: a fleet, a day, and what other machines do."""

    runs_a_day: int = 10_000_000
    peak: float = 2.5
    workers: int = 1_000
    runs_at_once: int = 10
    model_s: float = 3.0
    model_at_once: int = 4_000
    api_s: float = 0.3
    api_at_once: int = 1_000
    database_cores: int = 4
    simulated_s: int = 120


MEANINGS = {
    "runs_a_day": "runs a day",
    "peak": "busiest hour, by how much it is over the mean",
    "workers": "workers",
    "runs_at_once": "runs at once in a worker",
    "model_s": "seconds of a call of the model, exponential; one in each second step",
    "model_at_once": "calls that the model takes at once",
    "api_s": "seconds of a call of an API, exponential; one in each other step",
    "api_at_once": "calls that the APIs take at once",
    "database_cores": "cores of the database",
}
USUAL = Assumed()
SCENARIOS = {
    "as assumed": USUAL,
    "a model that takes 2,000 at once": replace(USUAL, model_at_once=2_000),
    "APIs that take 200 at once": replace(USUAL, api_at_once=200),
    "a database of one core": replace(USUAL, database_cores=1),
    "250 workers": replace(USUAL, workers=250),
    "100 workers of 100 runs": replace(USUAL, workers=100, runs_at_once=100),
}


@dataclass
class Server:
    """Serves so many at once; the others wait in the order in which they came."""

    capacity: int
    busy: int = 0
    busy_s: float = 0.0
    queue: deque[Any] = field(default_factory=deque[Any])


Work = Generator[tuple[Server, float], None, None]


@dataclass
class Minutes:
    """
    The busiest minutes of a fleet, from an empty start.

    Args:
        cpu_s: Processor time of the database for each of its commits.
        steps: Of a run.
    """

    given: Assumed
    cpu_s: float
    steps: int
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    now: float = 0.0
    arrived: int = 0
    times: list[float] = field(default_factory=list[float])
    events: list[tuple[float, int, Any, Server | None]] = field(default_factory=list[Any])
    order: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        given = self.given
        self.rate = given.runs_a_day * given.peak / DAY_S
        self.until = float(given.simulated_s)
        self.places = Server(given.workers * given.runs_at_once)
        self.model, self.apis = Server(given.model_at_once), Server(given.api_at_once)
        self.database = Server(given.database_cores)

    def play(self) -> None:
        self._push(0.0, None, None)
        while self.events and (soonest := self.events[0][0]) < self.until:
            self.now = soonest
            _, _, work, server = heapq.heappop(self.events)
            if server is None:
                self._arrive()
            else:
                self._leave(server)
                self._go_on(work)

    def _push(self, after_s: float, work: Any, server: Server | None) -> None:
        heapq.heappush(self.events, (self.now + after_s, next(self.order), work, server))

    def _arrive(self) -> None:
        self.arrived += 1
        self._push(self.dice.expovariate(self.rate), None, None)
        work = self._run(self.now)
        if self.places.busy < self.places.capacity:
            self.places.busy += 1
            self._go_on(work)
        else:
            self.places.queue.append(work)

    def _run(self, arrived: float) -> Work:
        yield self.database, self.cpu_s
        for step in range(self.steps):
            yield self.database, self.cpu_s
            if step % 2:
                yield self.apis, self.dice.expovariate(1 / self.given.api_s)
            else:
                yield self.model, self.dice.expovariate(1 / self.given.model_s)
            yield self.database, self.cpu_s
        yield self.database, self.cpu_s
        self.times.append(self.now - arrived)

    def _go_on(self, work: Work) -> None:
        if (wanted := next(work, None)) is not None:
            self._enter(*wanted, work)
            return
        self.places.busy -= 1
        if self.places.queue:
            self.places.busy += 1
            self._go_on(self.places.queue.popleft())

    def _enter(self, server: Server, seconds: float, work: Any) -> None:
        if server.busy == server.capacity:
            server.queue.append((seconds, work))
            return
        server.busy += 1
        server.busy_s += min(seconds, self.until - self.now)
        self._push(seconds, work, server)

    def _leave(self, server: Server) -> None:
        server.busy -= 1
        if server.queue:
            self._enter(server, *server.queue.popleft())


def simulate(given: Assumed, cpu_s: float, steps: int) -> dict[str, Any]:
    """What came of the busiest minutes; shares in percent."""
    minutes = Minutes(given, cpu_s, steps)
    minutes.play()
    until, times, places = minutes.until, sorted(minutes.times), minutes.places
    servers = {"model": minutes.model, "apis": minutes.apis, "database": minutes.database}
    queues = {"place": places, **servers}
    return {
        "arrive_a_second": round(minutes.arrived / until, 1),
        "end_a_second": round(len(times) / until, 1),
        "median_s": round(times[len(times) // 2], 1),
        "p99_s": round(times[int(len(times) * 0.99)], 1),
        "places": round(100 * places.busy / places.capacity),
        **{
            name: round(100 * server.busy_s / until / server.capacity)
            for name, server in servers.items()
        },
        # A queue shorter than a second of arrivals comes and goes by chance.
        "waiting": {
            name: len(server.queue)
            for name, server in queues.items()
            if len(server.queue) > minutes.rate
        },
    }


def connections(runs_at_once: int) -> int:
    """Of one worker at most: its journal, its engine (one a run, and five), its queue, its lock."""
    return MAX_CONNECTIONS + runs_at_once + 5 + 3 + 1


def page_tables(journal: dict[str, Any], played: dict[str, Any]) -> str:
    """The tables of the page, as Markdown."""
    found = journal["postgres"]
    runs, commits = USUAL.runs_a_day, found["events_a_run"] + 2
    mean, peak = runs / DAY_S, runs / DAY_S * USUAL.peak
    own = found["events_bytes_a_run"] + found["sessions_bytes_a_run"] + found["leases_bytes_a_run"]
    cpu_s = found["server_cpu_ms_an_event"] / 1000
    measured = [
        ("events of a run of six steps", found["events_a_run"]),
        ("commits of a run that is alone in its worker", commits),
        ("processor time of the database for a commit, ms", found["server_cpu_ms_an_event"]),
        ("the same for a run, where ten share commits, ms", found["server_cpu_ms_a_run"]),
        ("processor time of a worker for a run, ms", found["worker_cpu_ms_a_run"]),
        ("bytes that a run leaves in tables and indexes", own),
        ("bytes of a run in the log of the database", found["wal_bytes_a_run"]),
        ("queries that 10,000 waiting runs cause in 3 s", found["waiting_queries"]),
    ]
    sums = [
        ("runs a second", f"{mean:,.0f}", f"{peak:,.0f}"),
        ("commits a second", f"{mean * commits:,.0f}", f"{peak * commits:,.0f}"),
        ("rows of events a second", *(f"{r * found['events_a_run']:,.0f}" for r in (mean, peak))),
        ("log, MB a second", *(f"{r * found['wal_bytes_a_run'] / 1e6:.1f}" for r in (mean, peak))),
        ("cores of the database", *(f"{r * commits * cpu_s:.1f}" for r in (mean, peak))),
        ("connections at most", *(f"{USUAL.workers * connections(USUAL.runs_at_once):,}",) * 2),
        ("the same, 100 workers of 100 runs", *(f"{100 * connections(100):,}",) * 2),
    ]
    rows = found["events_a_run"]
    left = [
        (name, f"{runs * days * rows / 1e6:,.0f}", f"{runs * days * own / 1e9:,.0f}")
        for name, days in (("a day", 1), ("a month", MONTH_DAYS), ("a year", 365))
    ]
    shown = [
        (
            name,
            f"{one['end_a_second']:,} of {one['arrive_a_second']:,}",
            f"{one['median_s']}, {one['p99_s']}",
            *(f"{one[key]}" for key in ("places", "model", "apis", "database")),
            ", ".join(f"{key}: {value:,}" for key, value in one["waiting"].items()) or "nobody",
        )
        for name, one in played.items()
    ]
    assumed = [(MEANINGS[key], f"{asdict(USUAL)[key]:,}") for key in MEANINGS]
    about = f"Python {journal['python']}, {journal['cores']} cores, load {journal['load_1_minute']}"
    parts = [
        ["Measured, by `python benchmarks/journal.py`:", ""],
        [*_table(("measured", about), [(a, f"{b:,}") for a, b in measured]), ""],
        ["Assumed:", "", *_table(("assumed", "value"), assumed), ""],
        ["What follows by multiplication:", "", *_table(("", "mean", "busiest hour"), sums), ""],
        [*_table(("kept of", "million rows of events", "GB"), left), ""],
        [f"The busiest {USUAL.simulated_s} seconds, simulated from an empty start:", ""],
        _table(
            (
                "scenario",
                "runs that end a second",
                "seconds of a run: median, p99",
                *("places % at the end", "model %", "APIs %", "database %", "waits at the end for"),
            ),
            shown,
        ),
    ]
    return "\n".join(line for part in parts for line in part)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def write_tables(page: str, tables: str) -> str:
    """The page with these tables in their place."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def main() -> None:
    journal = json.loads(JOURNAL.read_text("utf-8"))
    cpu_s = journal["postgres"]["server_cpu_ms_an_event"] / 1000
    steps = journal["postgres"]["steps_a_run"]
    played = {name: simulate(given, cpu_s, steps) for name, given in SCENARIOS.items()}
    RESULTS.write_text(json.dumps(played, indent=2) + "\n", "utf-8")
    tables = page_tables(journal, played)
    PAGE.write_text(write_tables(PAGE.read_text("utf-8"), tables), "utf-8")
    print(tables)


if __name__ == "__main__":
    main()
