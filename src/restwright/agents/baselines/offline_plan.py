"""
Offline planning as the paper compares it: all calls are planned before any of them is made.

RestGPT's executor makes them in order. What a response shows changes nothing of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping

from restwright.agents.baselines.react import conclude_run, execute_task
from restwright.agents.executor.listing import lines_of, listed
from restwright.agents.executor.running import Run, allowed
from restwright.agents.executor.undone import REPEATED
from restwright.agents.roles.failure import Failure, say
from restwright.agents.roles.few_shot import NONE, Examples
from restwright.agents.roles.structured_output import ask, closed
from restwright.agents.roles.templates import render
from restwright.agents.steps import Conclusion, Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

MAX_PLAN_STEPS = 8


def run_offline_plan(
    question: str, catalog: Catalog, *, policy: Policy = CONFIRM, examples: Examples = NONE
) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Args:
        policy: Says which tools are reads; what it refuses is not offered to the model.
        examples: What the caller and the parser are shown of how it is done.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    run = Run(question, allowed(catalog, policy), policy, examples=examples)
    return (yield from conclude_run(run, _run_plan(run)))


def _run_plan(run: Run) -> Steps[Failure | None]:
    """Plan, then do one step after the other; the first failure ends it, but for a repetition."""
    tools = listed(run, run.question)
    reply = yield from _request_plan(run, tools)
    for number, each in enumerate(reply["steps"], 1):
        yield say("plan", f"{number}. {each['operation']}: {each['task']}")
    steps = {str(number): each for number, each in enumerate(reply["steps"])}
    run.undone.update((number, f"{each['task']}: not begun") for number, each in steps.items())
    made: set[tuple[str, str]] = set()
    for number, each in steps.items():
        task = str(each["task"])
        run.undone[number] = f"{task}: not finished"
        failure = yield from _run_step(run, tools[each["operation"]], task, made)
        if failure is None:
            del run.undone[number]
            continue
        run.undone[number] = f"{task}: {failure.why}"
        if failure != REPEATED:
            return failure
    return None


def _run_step(run: Run, tool: Tool, task: str, made: set[tuple[str, str]]) -> Steps[Failure | None]:
    """Take one step; a change that a step before made in the same words is not made again."""
    if (tool.name, task) in made:
        yield say("note", f"{task}: {REPEATED.why}")
        return REPEATED
    if not run.is_read(tool):
        made.add((tool.name, task))
    return (yield from execute_task(run, tool, task))


def _request_plan(run: Run, tools: Mapping[str, Tool]) -> Steps[JsonObject]:
    task: JsonObject = {"type": "string", "minLength": 3, "maxLength": 200}
    step = closed({"operation": {"enum": [*tools]}, "task": task})
    schema = closed({"steps": {"type": "array", "maxItems": MAX_PLAN_STEPS, "items": step}})
    prompt = render("offline_planner", operations=lines_of(tools), question=run.question)
    return (yield from ask("planner", prompt, schema, max_tokens=400))
