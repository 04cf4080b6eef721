"""
What `restwright-bench run agent` does: agents with a model over the world, pair by pair.

A line is kept for each query, seed and kind of agent as soon as it is answered. All kinds answer
one query before the next one is asked, so that a run that was interrupted still compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

from restwright.agents.agent import Limits
from restwright.agents.models.registry import model_named
from restwright.agents.steps import Model
from restwright.cli.render.output import Output
from restwright.jsontypes import JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Send
from restwright.openapi.api import API
from restwright_bench.calling.kept import append, records
from restwright_bench.errors import UnusableChoice
from restwright_bench.intervals import share
from restwright_bench.policies.ablations import AGENT_KINDS
from restwright_bench.policies.agent import LIMITS, AgentPolicy, line_of
from restwright_bench.policies.beside import without_own
from restwright_bench.policies.causes import cause_of
from restwright_bench.policies.record import transcript
from restwright_bench.policies.run import whole_run
from restwright_bench.policies.scripted import OraclePolicy
from restwright_bench.policies.tools import Tools, tools_of
from restwright_bench.queries.query import Oracle, Query
from restwright_bench.queries.scores import score_from
from restwright_bench.queries.sets import ALL, Selection, set_of, set_of_line
from restwright_bench.results import RESULTS, origin, slug
from restwright_bench.suites import Suite
from restwright_bench.world.api import Logged, Running
from restwright_bench.world.app import World
from restwright_bench.world.faults import NO_FAULTS, FaultPlan
from restwright_bench.world.serving import serving

REST = "rest"
"""The kind of a line that says none."""
DONE = 0

NOTHING_BESIDE: Mapping[str, API] = MappingProxyType({})

Key = tuple[str, int, int, str, int]
"""API, index of the query, seed, kind of the agent, APIs beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    What `run agent` is asked for.

    Args:
        of: Which queries the suites have.
        beside: Further APIs that are offered with that of a query, `{alias: API}`.
        faults: What goes wrong in each run.
        to: The file of all lines; one for each kind and model where None.
        kept: Where transcripts go.
    """

    kinds: tuple[str, ...] = (REST,)
    seeds: tuple[int, ...] = (0,)
    model: str = "local"
    url: str | None = None
    of: Selection = ALL
    beside: Mapping[str, API] = field(default_factory=dict[str, API], repr=False)
    limits: Limits = LIMITS
    to: Path | None = None
    kept: Path | None = None
    faults: FaultPlan = field(default=NO_FAULTS, repr=False)

    def files(self) -> dict[str, Path]:
        """`{kind: where its lines are kept}`."""
        return {each: self.to or file_of(each, self.model) for each in self.kinds}


def file_of(kind: str, model: str, folder: Path = RESULTS) -> Path:
    """Where the lines of a kind of agent with a model are kept."""
    return folder / f"run-agent-{slug(kind)}-{slug(model)}.jsonl"


def kinds_of(text: str) -> tuple[str, ...]:
    """
    `rest,react` as names of agents.

    Raises:
        UnusableChoice: One of them is no name.
    """
    names = tuple(dict.fromkeys(each.strip() for each in text.split(",")))
    if unknown := [each for each in names if each not in AGENT_KINDS]:
        raise UnusableChoice(
            "--agent", f"there is {', '.join(AGENT_KINDS)}; no {unknown[0] or 'name'}"
        )
    return names


def agents(over: Sequence[Suite], asked: Asked, out: Output) -> int:
    """Let agents answer over HTTP; what stands in the files already is not run again."""
    files = asked.files()
    opened: Any = model_named(asked.model, url=asked.url)
    with closing(opened) as model:
        lines = agent_lines(
            *(over, asked.seeds, model, files),
            kept=asked.kept,
            limits=asked.limits,
            faults=asked.faults,
            beside=asked.beside,
        )
        for line in lines:
            out.note(_told(line))
    for kind, file in files.items():
        for suite in over:
            found = [each for each in records(file) if each["api"] == suite.name]
            found = [each for each in found if each.get("kind", REST) == kind]
            found = [each for each in found if each.get("beside", 0) == len(asked.beside)]
            for name in dict.fromkeys(map(set_of_line, found)):
                told = [score_from(each["score"]) for each in found if set_of_line(each) == name]
                success = share(sum(bool(one.success) for one in told), len(told))
                said = success.said() if success else ""
                out.text(f"{kind} {suite.name}, {len(told)} runs, {name}: success {said} %")
    return DONE


def _told(line: JsonObject) -> str:
    score, cause = line["score"], line["cause"]
    met = {True: "met", False: "not met", None: "not judged"}[score["success"]]
    why = f" ({cause['role']}: {cause['why']})" if cause else ""
    return (
        f"{line['kind']} {line['api']} {line['index']} (seed {line['seed']}): {met}{why},"
        f" {score['calls']} calls, {score['seconds']:.0f} s"
    )


def agent_lines(
    over: Sequence[Suite],
    seeds: Sequence[int],
    model: Model,
    files: Mapping[str, Path],
    *,
    kept: Path | None = None,
    limits: Limits = LIMITS,
    faults: FaultPlan = NO_FAULTS,
    beside: Mapping[str, API] = NOTHING_BESIDE,
) -> Iterator[JsonObject]:
    """
    Run what the files have not, adding a line as soon as a query is answered.

    Args:
        files: `{kind of agent: the file of its lines}`, in the order in which they are asked.
        kept: A file of transcripts.
        beside: Further APIs that are offered.
    """
    done = {key_of(each) for file in set(files.values()) for each in records(file)}
    world = World([each.api for each in over])
    world.reset(faults=faults)
    with serving(world) as url, Transport() as transport:
        tools = {
            each.name: tools_of(
                *(each.api, each.let_in), origin=url, beside=without_own(beside, each.name)
            )
            for each in over
        }
        reached = _Reached(
            world=world,
            tools=tools,
            send=transport,
            model=model,
            limits=limits,
            beside=len(beside),
        )
        for seed in seeds:
            for suite, query, oracle in in_turn(over):
                for kind, file in files.items():
                    if (suite.name, query.index, seed, kind, len(beside)) in done:
                        continue
                    line, said = reached.answered(suite, query, oracle, seed, kind)
                    append(file, line)
                    if kept is not None:
                        append(kept, said)
                    yield line


def key_of(line: JsonObject) -> Key:
    """By what two lines are of the same run."""
    kind, beside = line.get("kind", REST), line.get("beside", 0)
    return line["api"], line["index"], line["seed"], kind, beside


def in_turn(over: Sequence[Suite]) -> Iterator[tuple[Suite, Query, Oracle]]:
    """The first query of each suite, then the second of each."""
    for row in zip_longest(*([(each, *pair) for pair in each.queries] for each in over)):
        yield from (each for each in row if each is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reached:
    """The world as it is served, and who answers."""

    world: World
    tools: Mapping[str, Tools]
    send: Send
    model: Model
    limits: Limits
    beside: int

    def answered(
        self, suite: Suite, query: Query, oracle: Oracle, seed: int, kind: str
    ) -> tuple[JsonObject, JsonObject]:
        """One query: its line, and its transcript."""
        running = self.world.running[suite.name]
        if running.seed != seed:
            running.reset(seed=seed)
        tools = self.tools[suite.name]
        policy = AgentPolicy(
            model=self.model, tools=tools, send=self.send, limits=self.limits, kind=kind
        )
        ran = whole_run(policy, query, oracle, running, suite.let_in)
        right = _Right(suite=suite, query=query, oracle=oracle, seed=seed)
        cause = cause_of(query, oracle, ran, tools, right.calls)
        told = line_of(
            *(ran,),
            seed=seed,
            model=self.model.name,
            kind=kind,
            limits=self.limits,
            cause=asdict(cause) if cause else None,
        )
        offered: JsonObject = {
            "set": set_of(query.index),
            "beside": self.beside,
            "operations": len(tools.catalog),
        }
        name = f"{kind}, {self.model.name}"
        return origin() | told | offered, transcript(ran, seed=seed, policy=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Right:
    """What the right calls of a query look like in a world of the same seed."""

    suite: Suite
    query: Query
    oracle: Oracle
    seed: int

    def calls(self) -> tuple[Logged, ...]:
        running = Running(self.suite.api, seed=self.seed)
        return whole_run(OraclePolicy(), self.query, self.oracle, running, self.suite.let_in).log
