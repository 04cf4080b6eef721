"""One task of a baseline by the operation that its model chose, and the end of its run."""

from __future__ import annotations

from dataclasses import replace

from restwright.agents.execution.conclusion import best_partial, with_undone
from restwright.agents.execution.failure import Failure, say
from restwright.agents.prompting.capabilities import capabilities
from restwright.agents.rest.answering import compose_answer, fact_text
from restwright.agents.rest.changing import Change, change_by
from restwright.agents.rest.facts import Fact
from restwright.agents.rest.finding import read_by
from restwright.agents.rest.plan import Plan, PlanStep
from restwright.agents.rest.run import RestRun
from restwright.agents.steps import Conclusion, Steps
from restwright.tools.tool import Tool

LANGUAGE = "the language of the message"


def add_task(run: RestRun, tool: Tool, task: str) -> PlanStep:
    """Note a task as a step of the run's plan, which is not begun."""
    steps = run.plan.steps
    kind = "find" if run.is_read(tool) else "change"
    step = PlanStep(id=len(steps) + 1, kind=kind, what=task)
    run.plan = Plan(LANGUAGE, (*steps, step))
    run.failures[step.id] = "not begun"
    return step


def execute_task(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Failure | None]:
    """Do one task under the laws of the loop, and keep what it finds; or say why it was not."""
    run.failures[step.id] = "not finished"
    outcome = yield from (read_by if run.is_read(tool) else change_by)(run, tool, step)
    facts = _facts_of(outcome)
    run.facts += facts
    for fact in facts:
        yield say("result", str(fact)[2:], value=fact.value)
    failure = outcome if isinstance(outcome, Failure) else None
    if isinstance(outcome, Change):
        failure = outcome.failure
    if failure is None:
        del run.failures[step.id]
        return None
    run.failures[step.id] = failure.why
    yield say("note", failure.why)
    return failure


def conclude_run(run: RestRun, made: Steps[Failure | None]) -> Steps[Conclusion]:
    """Answer from what the steps `made` found, and say what was not done."""
    return (yield from best_partial(_compose_conclusion(run, made), lambda: fact_text(run)))


def _facts_of(outcome: Fact | Change | Failure) -> tuple[Fact, ...]:
    if isinstance(outcome, Change):
        return outcome.facts
    return (outcome,) if isinstance(outcome, Fact) else ()


def _compose_conclusion(run: RestRun, made: Steps[Failure | None]) -> Steps[Conclusion]:
    failure = yield from made
    undone, missing = run.list_undone(changes=True), run.list_undone(changes=False)
    if failure is not None and not any(failure.why in line for line in (*undone, *missing)):
        undone.append(failure.why)
    text = ""
    if run.facts:
        # What is not done stands after the answer, in the words of code.
        facts_alone = replace(run, failures={})
        text = yield from compose_answer(facts_alone, needs_all=False)
    elif not (undone or missing):
        text = yield from capabilities(run.question, run.catalog, language=LANGUAGE)
    text = with_undone(text, undone, run.list_accepted(), missing)
    if undone or missing:
        stopped = failure.stopped if failure else "error"
        return Conclusion(text=text, stopped=stopped, reason="; ".join((*missing, *undone)))
    yield say("answer", text)
    return Conclusion(text=text)
