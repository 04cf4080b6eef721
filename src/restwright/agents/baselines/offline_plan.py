"""
Offline planning as the paper compares it: all calls are planned before any of them is made.

They are made in order, under the laws of the loop. What a response shows changes nothing of the
plan.
"""

from __future__ import annotations

from collections.abc import Mapping

from restwright.agents.baselines.execution import add_task, conclude_run, execute_task
from restwright.agents.baselines.listing import list_operations, operation_lines
from restwright.agents.execution.catalog_parts import allowed
from restwright.agents.execution.failure import Failure, say
from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.changing import REPEATED
from restwright.agents.rest.run import RestRun
from restwright.agents.steps import Conclusion, Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

MAX_PLAN_STEPS = 8


def run_offline_plan(
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
    return (yield from conclude_run(run, _run_plan(run)))


def _run_plan(run: RestRun) -> Steps[Failure | None]:
    """Plan, then do one step after the other; the first failure ends it, but for a repetition."""
    tools = list_operations(run, run.question)
    reply = yield from _request_plan(run, tools)
    for number, planned in enumerate(reply["steps"], 1):
        yield say("plan", f"{number}. {planned['operation']}: {planned['task']}")
    operations = [tools[planned["operation"]] for planned in reply["steps"]]
    steps = [
        add_task(run, tool, str(planned["task"]))
        for tool, planned in zip(operations, reply["steps"], strict=True)
    ]
    for tool, step in zip(operations, steps, strict=True):
        failure = yield from execute_task(run, tool, step)
        if failure not in (None, REPEATED):
            return failure
    return None


def _request_plan(run: RestRun, tools: Mapping[str, Tool]) -> Steps[JsonObject]:
    task: JsonObject = {"type": "string", "minLength": 3, "maxLength": 200}
    step = closed({"operation": {"enum": [*tools]}, "task": task})
    schema = closed({"steps": {"type": "array", "maxItems": MAX_PLAN_STEPS, "items": step}})
    prompt = render(
        "offline_planner", operations=operation_lines(tools), question=run.question, now=run.now
    )
    return (yield from ask("planner", prompt, schema, max_tokens=400))
