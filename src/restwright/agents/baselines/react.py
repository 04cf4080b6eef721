"""
ReAct as the paper compares it: RestGPT's executor without its planner.

The model thinks, chooses an operation with a task, reads the result, and goes on until it is done.
"""

from __future__ import annotations

from collections.abc import Mapping

from restwright.agents.executor.executor import use
from restwright.agents.executor.listing import lines_of, listed, without_others
from restwright.agents.executor.running import Run, allowed
from restwright.agents.executor.undone import REPEATED, settle, so_far, with_undone
from restwright.agents.memory.memory import Finding
from restwright.agents.roles.answer import best_partial, capabilities, compose_answer
from restwright.agents.roles.failure import Failure, say
from restwright.agents.roles.few_shot import NONE, Examples
from restwright.agents.roles.structured_output import ask, closed
from restwright.agents.roles.templates import render
from restwright.agents.spotlighting import mark_data_from
from restwright.agents.steps import Conclusion, Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.result import shorten_json
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

MAX_REACT_STEPS = 10
LANGUAGE = "the language of the message"

_FINISH = "finish"


def run_react(
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
    return (yield from conclude_run(run, _run_rounds(run)))


def _run_rounds(run: Run) -> Steps[Failure | None]:
    """Think and act until the model is done; why it ended where it could not be."""
    made: set[tuple[str, str]] = set()
    lost: set[str] = set()
    thought = ""
    for _ in range(MAX_REACT_STEPS):
        tools = without_others(run, listed(run, f"{run.question} {thought}", beside=_FINISH), lost)
        reply = yield from _request_thought(run, tools)
        thought, name, task = (str(reply[literal]) for literal in ("thought", "operation", "task"))
        yield say("plan", thought)
        if name == _FINISH:
            return _explain_no_answer(run)
        if (name, task) in made:
            return Failure(f"{name} was chosen twice for: {task}")
        made.add((name, task))
        offered = [tool.name for tool in tools.values()]
        yield say("select", f"{name} to {task}", tool=tools[name].name, offered=offered)
        failure = yield from _act_on_task(run, tools[name], task)
        if failure is not None and failure.final:
            return failure
        if failure is not None and failure != REPEATED and not run.is_read(tools[name]):
            lost.add(tools[name].name)
    return Failure(f"no end after {MAX_REACT_STEPS} steps")


def _act_on_task(run: Run, tool: Tool, task: str) -> Steps[Failure | None]:
    """Do one task; a write that is not made stays undone until the same is asked and made."""
    key = f"{tool.name} {task}"
    if not run.is_read(tool):
        run.undone[key] = f"{task}: not finished"
    failure = yield from execute_task(run, tool, task)
    if failure is None:
        settle(run, tool, task)
    elif key in run.undone:
        run.undone[key] = f"{task}: {failure.why}"
    return failure


def _request_thought(run: Run, tools: Mapping[str, Tool]) -> Steps[JsonObject]:
    found = [
        f"{finding.asked}: {shorten_json(finding.value, 300)}" for finding in run.memory.findings
    ]
    results = [f"{n}. {text}" for n, text in enumerate((*found, *run.failures), 1)]
    prompt = render(
        "react",
        operations=lines_of(tools),
        question=run.question,
        results=mark_data_from("results", "\n".join(results) or "none"),
    )
    properties: JsonObject = {
        "thought": {"type": "string", "maxLength": 200},
        "operation": {"enum": [*tools, _FINISH]},
        "task": {"type": "string", "maxLength": 200},
    }
    return (yield from ask("reactor", prompt, closed(properties), max_tokens=200))


def _explain_no_answer(run: Run) -> Failure | None:
    """Why there is no answer; None where there is something to answer with, or nothing to do."""
    if run.memory.findings or not run.failures:
        return None
    return Failure(run.failures[-1])


def execute_task(run: Run, tool: Tool, task: str) -> Steps[Failure | None]:
    """Let the executor do one task, and keep what it finds."""
    outcome = yield from use(run, tool, task, depth=0)
    if isinstance(outcome, Failure):
        run.failures.append(f"{task} failed: {outcome.why}")
        yield say("note", outcome.why)
        return outcome
    finding = Finding(asked=task, tool=tool.name, value=outcome, is_write=not run.is_read(tool))
    run.memory = run.memory.with_finding(finding)
    yield say("result", shorten_json(outcome, 600), value=outcome)
    return None


def conclude_run(run: Run, made: Steps[Failure | None]) -> Steps[Conclusion]:
    """Answer from what the steps `made` found, and say what was not done."""
    return (yield from best_partial(_compose_conclusion(run, made), lambda: so_far(run)))


def _compose_conclusion(run: Run, made: Steps[Failure | None]) -> Steps[Conclusion]:
    failure = yield from made
    text = ""
    if run.memory.findings:
        text = yield from compose_answer(
            run.question, run.memory, language=LANGUAGE, needs_all=False
        )
    elif failure is None and not run.undone:
        text = yield from capabilities(run.question, run.catalog, language=LANGUAGE)
    undone = [*run.undone.values()]
    if failure is not None and not any(failure.why in line for line in undone):
        undone.append(failure.why)
    text = with_undone(text, undone, run.accepted)
    if undone:
        stopped = failure.stopped if failure else "error"
        return Conclusion(text=text, stopped=stopped, reason="; ".join(undone))
    yield say("answer", text)
    return Conclusion(text=text)
