"""
ReAct as the paper compares it: thoughts and calls in turn, without a planner.

The model thinks, chooses an operation with a task, reads the result, and goes on until it is done.
Each task is done under the laws of the loop.
"""

from __future__ import annotations

from collections.abc import Mapping

from restwright.agents.baselines.execution import add_task, conclude_run, execute_task
from restwright.agents.baselines.listing import (
    list_operations,
    operation_lines,
    without_other_writes,
)
from restwright.agents.execution.catalog_parts import allowed
from restwright.agents.execution.failure import Failure, say
from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.changing import REPEATED
from restwright.agents.rest.run import RestRun
from restwright.agents.spotlighting import mark_data_from
from restwright.agents.steps import Conclusion, Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.result import shorten_json
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

MAX_REACT_STEPS = 10

_FINISH = "finish"


def run_react(
    question: str, catalog: Catalog, *, policy: Policy = CONFIRM, now: str = ""
) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Args:
        policy: Says which tools are reads; what it refuses is not offered to the model.
        now: What the prompts are told of the date, the time zone and the locale.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    run = RestRun(question, allowed(catalog, policy), policy, now=now)
    return (yield from conclude_run(run, _run_rounds(run)))


def _run_rounds(run: RestRun) -> Steps[Failure | None]:
    """Think and act until the model is done; why it ended where it could not be."""
    made: set[tuple[str, str]] = set()
    lost: set[str] = set()
    failed: list[str] = []
    thought = ""
    for _ in range(MAX_REACT_STEPS):
        listed = list_operations(run, f"{run.question} {thought}", reserved={_FINISH})
        tools = without_other_writes(run, listed, lost)
        reply = yield from _request_thought(run, tools, failed)
        thought, name, task = (str(reply[key]) for key in ("thought", "operation", "task"))
        yield say("plan", thought)
        if name == _FINISH:
            return Failure(failed[-1]) if failed and not run.facts else None
        if (name, task) in made:
            return Failure(f"{name} was chosen twice for: {task}")
        made.add((name, task))
        tool = tools[name]
        offered = [other.name for other in tools.values()]
        yield say("select", f"{name} to {task}", tool=tool.name, offered=offered)
        failure = yield from _act(run, tool, task)
        if failure is None:
            continue
        if failure.stopped != "error" or (failure.final and run.is_read(tool)):
            return failure
        failed.append(f"{task} failed: {failure.why}")
        if not run.is_read(tool) and failure != REPEATED:
            lost.add(tool.name)
    return Failure(f"no end after {MAX_REACT_STEPS} steps")


def _act(run: RestRun, tool: Tool, task: str) -> Steps[Failure | None]:
    """Do one task. Another read may replace one that gave nothing; a change is not replaced."""
    step = add_task(run, tool, task)
    failure = yield from execute_task(run, tool, step)
    if failure is not None and run.is_read(tool):
        del run.failures[step.id]
    for number, write in run.refused.items():
        if write in run.written:
            run.failures.pop(number, None)
    return failure


def _request_thought(
    run: RestRun, tools: Mapping[str, Tool], failed: list[str]
) -> Steps[JsonObject]:
    found = [f"{fact.what}: {shorten_json(fact.value, 300)}" for fact in run.facts if fact.step]
    results = [f"{number}. {text}" for number, text in enumerate((*found, *failed), 1)]
    prompt = render(
        "react",
        operations=operation_lines(tools),
        question=run.question,
        results=mark_data_from("results", "\n".join(results) or "none"),
        now=run.now,
    )
    properties: JsonObject = {
        "thought": {"type": "string", "maxLength": 200},
        "operation": {"enum": [*tools, _FINISH]},
        "task": {"type": "string", "maxLength": 200},
    }
    return (yield from ask("reactor", prompt, closed(properties), max_tokens=200))
