"""What `restwright-bench run` does: one policy over some suites, with its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from restwright.cli.render.output import Output
from restwright.jsontypes import JsonObject, is_array
from restwright_bench.calling.kept import append, records
from restwright_bench.errors import MissingData, UnusableChoice
from restwright_bench.policies.lexical import LexicalPolicy
from restwright_bench.policies.record import replay, transcript
from restwright_bench.policies.scripted import NothingPolicy, OraclePolicy, WrongArgumentsPolicy
from restwright_bench.policies.tools import tools_of
from restwright_bench.rounds import PolicyOf, Round, report, rounds
from restwright_bench.suites import Suite
from restwright_bench.world.faults import NO_FAULTS, FaultPlan, fault_plan

POLICIES: Mapping[str, PolicyOf] = {
    "oracle": lambda _: OraclePolicy(),
    "nothing": lambda _: NothingPolicy(),
    "wrong": lambda _: WrongArgumentsPolicy(),
    "lexical": lambda suite: LexicalPolicy(tools=tools_of(suite.api, suite.let_in)),
}
DONE, FAILED = 0, 1


def faults_in(file: Path) -> FaultPlan:
    """
    The plan of a file: a JSON list of objects with the names of `PlannedFault`.

    Raises:
        MissingData: There is no such file.
        UnusableChoice: It is no plan.
    """
    try:
        told = orjson.loads(file.read_bytes())
    except OSError as error:
        raise MissingData(file, "a plan of faults", "--faults FILE") from error
    except ValueError as error:
        raise UnusableChoice("--faults", f"{file} is no JSON: {error}") from error
    if not is_array(told):
        raise UnusableChoice("--faults", f"{file} has no list of faults")
    try:
        return fault_plan(told)
    except ValueError as error:
        raise UnusableChoice("--faults", f"{file}: {error}") from error


def scored(
    name: str,
    over: Sequence[Suite],
    seeds: Sequence[int],
    *,
    kept: Path | None = None,
    faults: FaultPlan = NO_FAULTS,
) -> JsonObject:
    """
    The report of a policy that needs no model.

    Args:
        kept: A file of transcripts: read by `replay`, written by the others.
        faults: What goes wrong in each run.

    Raises:
        UnusableChoice: There is no such policy.
        MissingData: There are no transcripts to replay.
    """
    if name == "replay":
        if kept is None or not kept.is_file():
            raise MissingData(kept or Path(), "transcripts", "--transcripts FILE")
        policy = replay(records(kept))
        return report(name, rounds(lambda _: policy, over, seeds, faults=faults), over)
    if name not in POLICIES:
        known = ", ".join([*POLICIES, "agent", "replay"])
        raise UnusableChoice("POLICY", f"there is {known}; no {name}")
    found = rounds(POLICIES[name], over, seeds, faults=faults)
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
