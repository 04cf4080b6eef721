"""Many runs: every query of some suites, over some seeds, and what they amount to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

from restwright.jsontypes import JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Send
from restwright_bench.policies.corruptions import CORRUPTIONS
from restwright_bench.policies.mutation import CONTROL, MutationPolicy, Tally
from restwright_bench.policies.run import Policy, Ran, whole_run
from restwright_bench.policies.tools import tools_of
from restwright_bench.queries.scores import Score, summed
from restwright_bench.suites import Suite
from restwright_bench.world.api import Running
from restwright_bench.world.app import World
from restwright_bench.world.faults import NO_FAULTS, FaultPlan
from restwright_bench.world.serving import serving

PolicyOf = Callable[[Suite], Policy]
MOST_TOLD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One run of a round."""

    suite: Suite = field(repr=False)
    seed: int
    ran: Ran


def rounds(
    policy_of: PolicyOf,
    over: Iterable[Suite],
    seeds: Sequence[int],
    *,
    world: World | None = None,
    faults: FaultPlan = NO_FAULTS,
) -> Iterator[Round]:
    """
    Every query of every suite over every seed, one after the other.

    Args:
        world: Which a policy reaches in its own way; one for each suite where there is none.
        faults: What goes wrong in each run.
    """
    for suite in over:
        policy = policy_of(suite)
        running = world.running[suite.name] if world else Running(suite.api)
        for seed in seeds:
            running.reset(seed=seed, faults=faults)
            for query, oracle in suite.queries:
                ran = whole_run(policy, query, oracle, running, suite.let_in)
                yield Round(suite=suite, seed=seed, ran=ran)


def report(policy: str, found: Iterable[Round], over: Sequence[Suite]) -> JsonObject:
    """What a round amounts to by API, with the runs that were not met."""
    started = time.perf_counter()
    by_api: dict[str, list[Round]] = {each.name: [] for each in over}
    for each in found:
        by_api[each.suite.name].append(each)
    return {
        "policy": policy,
        "seconds": round(time.perf_counter() - started, 2),
        "apis": {
            suite.name: _of_api(suite, by_api[suite.name]) for suite in over if by_api[suite.name]
        },
    }


def _of_api(suite: Suite, found: Sequence[Round]) -> JsonObject:
    scores = [each.ran.score for each in found]
    failed = [each for each in found if each.ran.score.success is False]
    astray = sorted({each.index for each in scores if not each.path_accepted})
    return {
        "seeds": sorted({each.seed for each in found}),
        "queries": len(suite.queries),
        "summary": asdict(summed(scores)),
        "by_length": _by_length(suite, scores),
        "failed": [f"{each.ran.score.index} (seed {each.seed})" for each in failed[:MOST_TOLD]],
        "other_path": astray[:MOST_TOLD],
        "unsound": _told(suite, "unsound"),
        "unsound_gold": _told(suite, "unsound_gold"),
        "alternatives": sum(bool(oracle.alternatives) for _, oracle in suite.queries),
    }


def _by_length(suite: Suite, scores: Sequence[Score]) -> JsonObject:
    """`{length of the published path: share of success in percent}` of what can be judged."""
    lengths = {query.index: len(query.gold) for query, _ in suite.queries}
    found: dict[int, list[bool]] = {}
    for each in scores:
        if each.success is not None:
            found.setdefault(lengths[each.index], []).append(each.success)
    return {str(k): round(100 * sum(v) / len(v), 1) for k, v in sorted(found.items())}


def _told(suite: Suite, name: str) -> JsonObject:
    return {
        str(query.index): getattr(oracle, name)
        for query, oracle in suite.queries
        if getattr(oracle, name)
    }


def mutations(over: Sequence[Suite], seeds: Sequence[int]) -> JsonObject:
    """Every kind of corruption over every query: what became of the calls, and of the queries."""
    started = time.perf_counter()
    world = World([each.api for each in over])
    with serving(world) as url, Transport() as send:
        reached = _Reached(world=world, origin=url, send=send)
        apis = {
            suite.name: {
                kind: _mutated(suite, kind, seeds, reached) for kind in (CONTROL, *CORRUPTIONS)
            }
            for suite in over
        }
    return {"seeds": list(seeds), "seconds": round(time.perf_counter() - started, 2), "apis": apis}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reached:
    world: World
    origin: str
    send: Send


def _mutated(suite: Suite, kind: str, seeds: Sequence[int], reached: _Reached) -> JsonObject:
    tally = Tally()
    tools = tools_of(suite.api, suite.let_in, origin=reached.origin)
    policy = MutationPolicy(kind=kind, tools=tools, sender=lambda _: reached.send, tally=tally)
    ran = [each.ran.score for each in rounds(lambda _: policy, [suite], seeds, world=reached.world)]
    return {
        "calls": tally.calls,
        "outcomes": dict(sorted(tally.outcomes.items())),
        "success": summed(ran).success,
        "refused": tally.refused[:MOST_TOLD],
        "sent_wrong": tally.sent_wrong[:MOST_TOLD],
    }
