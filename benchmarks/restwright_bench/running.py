"""What `restwright-bench run` does: one policy over some suites, with its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from restwright.agents.models import model_named
from restwright.cli.output import Output
from restwright.net.transport import Transport
from restwright.typing import JsonObject, Model
from restwright_bench.calling.kept import append, records
from restwright_bench.errors import MissingData, UnusableChoice
from restwright_bench.policies.agent import AgentPolicy, line_of
from restwright_bench.policies.lexical import LexicalPolicy
from restwright_bench.policies.record import replay, transcript
from restwright_bench.policies.run import Ran, whole_run
from restwright_bench.policies.scripted import NothingPolicy, OraclePolicy, WrongArgumentsPolicy
from restwright_bench.policies.tools import tools_of
from restwright_bench.queries.scores import score_from, summed
from restwright_bench.results import RESULTS, origin, slug
from restwright_bench.rounds import PolicyOf, Round, report, rounds
from restwright_bench.suites import Suite
from restwright_bench.world.app import World
from restwright_bench.world.serving import serving

POLICIES: Mapping[str, PolicyOf] = {
    "oracle": lambda _: OraclePolicy(),
    "nothing": lambda _: NothingPolicy(),
    "wrong": lambda _: WrongArgumentsPolicy(),
    "lexical": lambda suite: LexicalPolicy(tools=tools_of(suite.api, suite.let_in)),
}
DONE, FAILED = 0, 1


def scored(
    name: str, over: Sequence[Suite], seeds: Sequence[int], *, kept: Path | None = None
) -> JsonObject:
    """
    The report of a policy that needs no model.

    Args:
        kept: A file of transcripts: read by `replay`, written by the others.

    Raises:
        UnusableChoice: There is no such policy.
        MissingData: There are no transcripts to replay.
    """
    if name == "replay":
        if kept is None or not kept.is_file():
            raise MissingData(kept or Path(), "transcripts", "--transcripts FILE")
        policy = replay(records(kept))
        return report(name, rounds(lambda _: policy, over, seeds), over)
    if name not in POLICIES:
        known = ", ".join([*POLICIES, "agent", "replay"])
        raise UnusableChoice("POLICY", f"there is {known}; no {name}")
    found = rounds(POLICIES[name], over, seeds)
    return report(name, _written(found, name, kept) if kept else found, over)


def _written(found: Iterable[Round], policy: str, kept: Path) -> Iterator[Round]:
    for each in found:
        append(kept, transcript(each.ran, seed=each.seed, policy=policy))
        yield each


def told(found: JsonObject, out: Output) -> int:
    """Show a report; 1 where an oracle missed something that can be judged."""
    for name, each in found["apis"].items():
        told = each["summary"]
        out.text(
            f"{found['policy']} {name}: success {told['success']} % of {told['judged']} runs,"
            f" path {told['path_strict']} % strict, {told['path_accepted']} % accepted"
        )
        if each["failed"]:
            out.note(f"  not met: {', '.join(each['failed'])}")
    missed = any(each["failed"] for each in found["apis"].values())
    return FAILED if found["policy"] == "oracle" and missed else DONE


def agents(
    over: Sequence[Suite],
    seeds: Sequence[int],
    *,
    model: str,
    url: str | None,
    every: int,
    to: Path | None,
    kept: Path | None,
    out: Output,
) -> int:
    """Let an agent answer over HTTP; what stands in the file already is not run again."""
    file = to or RESULTS / f"agent-{slug(model)}.jsonl"
    opened: Any = model_named(model, url=url)
    with closing(opened) as asked:
        for line in agent_lines(over, seeds, asked, file, kept=kept):
            score = line["score"]
            met = {True: "met", False: "not met", None: "not judged"}[score["success"]]
            out.note(
                f"{line['api']} {line['index']} (seed {line['seed']}): {met},"
                f" {score['calls']} calls, {score['seconds']:.0f} s"
            )
    for suite in over:
        found = [each for each in records(file) if each["api"] == suite.name]
        if found:
            summary = summed([score_from(each["score"]) for each in found])
            out.text(f"{suite.name}, each {every}: success {summary.success} %")
    return DONE


def agent_lines(
    over: Sequence[Suite],
    seeds: Sequence[int],
    model: Model,
    file: Path,
    *,
    kept: Path | None = None,
) -> Iterator[JsonObject]:
    """Run what the file has not, adding a line for each query as soon as it is answered."""
    done = {(each["api"], each["index"], each["seed"]) for each in records(file)}
    world = World([each.api for each in over])
    with serving(world) as url, Transport() as transport:
        for suite in over:
            tools = tools_of(suite.api, suite.let_in, origin=url)
            policy = AgentPolicy(model=model, tools=tools, send=transport)
            answer = _answerer(policy, suite, world)
            for seed in seeds:
                for query, oracle in suite.queries:
                    if (suite.name, query.index, seed) in done:
                        continue
                    ran = answer(query, oracle, seed)
                    line = origin() | line_of(ran, seed=seed, model=model.name)
                    append(file, line)
                    if kept is not None:
                        append(kept, transcript(ran, seed=seed, policy=model.name))
                    yield line


def _answerer(policy: AgentPolicy, suite: Suite, world: World) -> Callable[..., Ran]:
    running = world.running[suite.name]

    def answer(query: Any, oracle: Any, seed: int) -> Ran:
        if running.seed != seed:
            running.reset(seed=seed)
        return whole_run(policy, query, oracle, running, suite.let_in)

    return answer
