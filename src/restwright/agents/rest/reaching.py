"""How one step of a plan is taken: in other words after a failure, by another operation."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from restwright.agents.executor.executor import use
from restwright.agents.executor.running import Run
from restwright.agents.memory.memory import Finding, Memory, label_of
from restwright.agents.memory.referring import counted, is_told
from restwright.agents.rest.planning import Goal
from restwright.agents.rest.shortlist import Part, offered, select
from restwright.agents.roles.failure import Failure, say
from restwright.agents.roles.structured_output import ask, briefly
from restwright.agents.roles.templates import render, schema
from restwright.agents.steps import Steps
from restwright.calls.response.result import shorten_json
from restwright.jsontypes import Json, is_object

_GOAL_TRIES = 3

# Words that mean something said before, which only the model can put a name to.
_REFERRING = re.compile(
    r"(?i)\b(it|its|they|them|their|this|that|these|those|there|he|him|his|she|her)\b"
)

_NOTHING_LEFT = Failure("no operation is left to try", final=True)


def reach(run: Run, goal: Goal, *, first: bool) -> Steps[Failure | None]:
    """Work on one goal until it has a value; None when it has."""
    failure: Failure | None = None
    tried: set[str] = set()
    for attempt in range(_GOAL_TRIES):
        # Another change than the one that failed would do what nobody asked for.
        if failure and (goal.type == "do" or not _is_any_left(run, goal, tried)):
            break
        task = goal.what
        if not (first and attempt == 0):
            task = yield from _next_sub_task(run, goal)
        outcome = yield from _attempt(run, goal, task, tried)
        if outcome is _NOTHING_LEFT and failure:
            # Why what was tried failed says more.
            return failure
        failure = outcome
        if failure is None or failure.final:
            return failure
        run.failures.append(f"{task} failed: {failure.why}")
        yield say("note", failure.why)
    return failure


def _is_any_left(run: Run, goal: Goal, tried: Collection[str]) -> bool:
    return any(name not in tried for name in run.part(reads=goal.type == "find").names)


def _next_sub_task(run: Run, goal: Goal) -> Steps[str]:
    """Word the next sub-task, now that there are results: by code where that is a substitution."""
    named = _with_names(goal.what, run.memory)
    if not run.failures and not _REFERRING.search(named):
        yield say("plan", named)
        return named
    results = [f"{each.asked}: {shorten_json(each.value, 300)}" for each in run.memory.findings]
    lines = [f"{n}. {text}" for n, text in enumerate((*results, *run.failures), 1)]
    prompt = render(
        "replanner", question=run.question, results="\n".join(lines) or "none", goal=goal.what
    )
    contract = schema("replanner")
    reply = yield from ask("planner", prompt, contract, max_tokens=120, checks=briefly(contract))
    yield say("plan", reply["sub_task"])
    return str(reply["sub_task"])


def _with_names(text: str, memory: Memory) -> str:
    """Put the names that were found in the place of the descriptions they were found by."""
    for finding in memory.findings:
        name = label_of(finding.value) if is_object(finding.value) else ""
        if is_told(name) and name.lower() not in text.lower():
            text = re.sub(
                re.escape(finding.asked), lambda _, name=name: name, text, flags=re.IGNORECASE
            )
    return text


def _attempt(run: Run, goal: Goal, task: str, tried: set[str]) -> Steps[Failure | None]:
    listed = yield from offered(run, goal.type, task, tried)
    if not listed.names:
        return _NOTHING_LEFT
    parts = yield from select(run, listed, task)
    before = run.memory.findings
    failure: Failure | None = None
    for number, part in enumerate(parts, 1):
        asked = goal.what if number == len(parts) else part.task
        failure = yield from _do(run, part, asked)
        # A read that gave something may serve the next attempt too; a write is never made twice.
        if failure or not run.is_read(part.tool):
            tried.add(part.tool.name)
        if failure:
            tried.update(failure.rules_out(listed.tools.values()))
            break
    _forget_the_way(run, before, is_reached=failure is None)
    return failure


def _do(run: Run, part: Part, asked: str) -> Steps[Failure | None]:
    """Let the executor do one part, and keep what it finds."""
    outcome = yield from use(run, part.tool, part.task, depth=0)
    if isinstance(outcome, Failure):
        return outcome
    is_write = not run.is_read(part.tool)
    outcome = outcome if is_write else counted(asked, outcome)
    finding = Finding(asked=asked, tool=part.tool.name, value=outcome, is_write=is_write)
    run.memory = run.memory.with_finding(finding)
    yield say("result", shorten_json(outcome, 600), value=outcome)
    return None


def find(run: Run, what: str, depth: int, without: Collection[str]) -> Steps[Json | Failure]:
    """Find out what a description means, on the way to something else."""
    listed = yield from offered(run, "find", what, without)
    if not listed.names:
        return Failure(f"nothing finds {what}")
    outcome: Json | Failure = None
    for part in (yield from select(run, listed, what)):
        outcome = yield from use(run, part.tool, part.task, depth=depth)
        if isinstance(outcome, Failure):
            break
    return outcome


def _forget_the_way(run: Run, before: tuple[Finding, ...], *, is_reached: bool) -> None:
    """
    Keep of a sequence what was asked for and what was written.

    The answer need not say what was found only on the way. Its ids stay known.
    """
    found = run.memory.findings[len(before) :]
    way, last = (found[:-1], found[-1:]) if is_reached else (found, ())
    written = tuple(each for each in way if each.is_write)
    run.memory = replace(run.memory, findings=(*before, *written, *last))
