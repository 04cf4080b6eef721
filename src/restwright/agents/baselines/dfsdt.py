"""
A depth-first search over decisions: what led nowhere is left, and another decision is tried.

The model sees the results on its way from the root and acts, gives up or finishes. Where it gives
up, it is asked again at the decision before, and told what was tried there. Nothing takes back a
change: from the first one on the way is the only one, and one that fails ends the search.

Source: ToolLLM (Qin et al., 2023), DFSDT: a depth-first search-based decision tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from restwright.agents.baselines.execution import add_task, conclude_run, execute_task
from restwright.agents.baselines.listing import list_operations, operation_lines
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

MAX_DECISIONS = 16
"""As many operations are called for one question, on all ways together."""
MAX_DEPTH = 8
MAX_WIDTH = 3
"""As many ways are tried from one place."""

_FINISH, _GIVE_UP = "finish", "give_up"
_TRIED = Failure("it was tried before")


@dataclass(slots=True)
class _Search:
    """
    What all ways have in common.

    Args:
        made: Operations that were called with a task; no way makes one of them again.
        failed: Why tasks gave nothing.
        has_changed: Whether a change was sent, so that no other way is tried.
    """

    run: RestRun
    made: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    failed: list[str] = field(default_factory=list[str])
    has_changed: bool = False


def run_dfsdt(
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
    return (yield from conclude_run(run, _run_search(_Search(run))))


def _run_search(search: _Search) -> Steps[Failure | None]:
    outcome = yield from _explore(search, depth=0)
    if outcome is None and search.failed and not search.run.facts:
        return Failure(search.failed[-1])
    return outcome


def _explore(search: _Search, *, depth: int) -> Steps[Failure | None]:
    """
    Decide at one place until a way from it leads to the end.

    Returns:
        None where the model is done; a final failure ends the search, another leads back.
    """
    run, tried = search.run, list[str]()
    facts = tuple(run.facts)
    while depth < MAX_DEPTH and len(tried) < MAX_WIDTH and len(search.made) < MAX_DECISIONS:
        tools = list_operations(run, run.question, reserved={_FINISH, _GIVE_UP})
        reply = yield from _request_decision(run, tools, tried)
        yield say("plan", str(reply["thought"]))
        name, task = str(reply["operation"]), str(reply["task"])
        if name == _FINISH:
            return None
        if name == _GIVE_UP:
            break
        offered = [tool.name for tool in tools.values()]
        yield say("select", f"{name} to {task}", tool=tools[name].name, offered=offered)
        failure = yield from _act(search, tools[name], task)
        if failure is None:
            failure = yield from _explore(search, depth=depth + 1)
        if failure is None or failure.final:
            return failure
        tried.append(f"{name} to {task}: {failure.why}")
        run.facts = [*facts]
    return Failure("no way led to an answer", final=search.has_changed)


def _act(search: _Search, tool: Tool, task: str) -> Steps[Failure | None]:
    """Do one task. A change that fails ends the search; one that works leaves no other way."""
    run = search.run
    if (tool.name, task) in search.made:
        return _TRIED
    search.made.add((tool.name, task))
    is_read = run.is_read(tool)
    # Before it is sent: a limit may end the run while it is under way.
    search.has_changed |= not is_read
    step = add_task(run, tool, task)
    failure = yield from execute_task(run, tool, step)
    if failure is None:
        return None
    search.failed.append(f"{task}: {failure.why}")
    if is_read or failure == REPEATED:
        del run.failures[step.id]
    return failure if is_read else replace(failure, final=failure != REPEATED)


def _request_decision(
    run: RestRun, tools: Mapping[str, Tool], tried: Sequence[str]
) -> Steps[JsonObject]:
    found = [f"{fact.what}: {shorten_json(fact.value, 300)}" for fact in run.facts if fact.step]
    results = "\n".join(f"{number}. {text}" for number, text in enumerate(found, 1))
    prompt = render(
        "dfsdt",
        operations=operation_lines(tools),
        question=run.question,
        results=mark_data_from("results", results or "none"),
        tried=mark_data_from("results", "\n".join(tried) or "nothing"),
        now=run.now,
    )
    properties: JsonObject = {
        "thought": {"type": "string", "maxLength": 200},
        "operation": {"enum": [*tools, _FINISH, _GIVE_UP]},
        "task": {"type": "string", "maxLength": 200},
    }
    return (yield from ask("decider", prompt, closed(properties), max_tokens=200))
