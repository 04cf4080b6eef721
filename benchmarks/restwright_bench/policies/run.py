"""Runs one query under a policy, in a world of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.query import Expected, Oracle, Query
from restwright_bench.queries.scores import Ended, Score, Usage, scored
from restwright_bench.world.api import Logged, Running
from restwright_bench.world.exchange import Answer, Received


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """
    What a policy has to say at its end.

    Args:
        reason: One line more about `stopped`.
        roles: `{part of an agent: what it used of the model}`.
        chosen: `{"tool", "offered"}` of each choice of an operation, in order.
        told_of: Names of the tools whose arguments the model was told to mend.
    """

    answer: str = ""
    usage: Usage = field(default_factory=Usage)
    stopped: str = "answered"
    reason: str = ""
    trace: tuple[JsonObject, ...] = ()
    roles: JsonObject = field(default_factory=dict[str, Json])
    chosen: tuple[JsonObject, ...] = ()
    told_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """
    One run with everything that is known of it.

    Args:
        requests: As they came, in order; `log` and `answers` likewise.
        expected: What the query asked for in this world.
    """

    score: Score
    said: Said
    requests: tuple[Received, ...]
    log: tuple[Logged, ...]
    answers: tuple[Answer, ...]
    expected: Expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    What a policy is given.

    Args:
        oracle: Only those that are scripted may look at it.
        running: The API with fresh state.
        send: Answers a request, credentials filled in.
    """

    query: Query
    oracle: Oracle
    running: Running
    send: Callable[[Received], Answer]


class Policy(Protocol):
    """Answers one query by calls."""

    @property
    def name(self) -> str:
        """Such as `oracle` or `local`."""
        ...

    def answer(self, task: Task) -> Said:
        """Make calls until there is something to say."""
        ...


Credentials = Callable[[Received], Received]
"""Fills in what lets a request in."""


def run(
    policy: Policy, query: Query, oracle: Oracle, running: Running, let_in: Credentials
) -> Score:
    """Reset the world, let `policy` answer, and score that."""
    return whole_run(policy, query, oracle, running, let_in).score


def whole_run(
    policy: Policy, query: Query, oracle: Oracle, running: Running, let_in: Credentials
) -> Ran:
    """Do what `run()` does, and give all that is known of it."""
    running.reset()
    before = running.state.snapshot()
    expected = oracle.expected(running.state)
    task = Task(
        query=query,
        oracle=oracle,
        running=running,
        send=lambda received: running.answer(let_in(received)),
    )
    started = time.perf_counter()
    said = policy.answer(task)
    seconds = time.perf_counter() - started
    ended = Ended(
        answer=said.answer,
        log=tuple(running.log),
        before=before,
        after=running.state.snapshot(),
        usage=replace(said.usage, seconds=said.usage.seconds or round(seconds, 3)),
        stopped=said.stopped,
    )
    score = scored(query, oracle, expected, ended)
    return Ran(
        score=score,
        said=said,
        requests=tuple(running.requests),
        log=tuple(running.log),
        answers=tuple(running.answers),
        expected=expected,
    )


def run_all(
    policy: Policy,
    queries: Iterable[tuple[Query, Oracle]],
    running: Running,
    let_in: Credentials,
) -> Iterator[Score]:
    """Run queries one after the other, each in a fresh world."""
    for query, oracle in queries:
        yield run(policy, query, oracle, running, let_in)
