"""Programs by themselves: what a task takes, without any agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jmespath

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.call import call
from restwright.jsontypes import Json
from restwright_bench.any.judge import Verdict
from restwright_bench.any.tasks.wordings import say_number
from restwright_bench.servers.judge import judge
from restwright_bench.servers.server import State
from restwright_bench.servers.stage import Stage
from restwright_bench.servers.tasks import ProgramStep, ServerTask, find_values

DONE, NOTHING = "Done.", "There is no such thing, or it cannot be done."


class StepFailed(RuntimeError):
    """A call of a program came out otherwise than it says."""


def ideal_answer(task: ServerTask, state: State) -> str:
    """What an ideal agent says at the end."""
    found = find_values(task.answers, state)
    said = [say_number(each) if isinstance(each, int | float) else str(each) for each in found]
    return "; ".join([*said, *([NOTHING] if task.is_denial else [])]) or DONE


def run_program(
    task: ServerTask, stage: Stage, *, answer: str | None = None, more: Sequence[ProgramStep] = ()
) -> Verdict:
    """
    Make the calls of a task, and judge what came of it.

    Args:
        answer: The ideal one where None.
        more: Calls after those.

    Raises:
        StepFailed: A call came out otherwise than the task says.
    """
    stage.reset()
    before = stage.state()
    make_calls((*task.program, *more), stage)
    text = ideal_answer(task, before) if answer is None else answer
    return judge(task, text, "answered", (before, stage.state()), len(stage.log))


def make_calls(program: Sequence[ProgramStep], stage: Stage) -> None:
    """
    Make calls one after the other.

    Raises:
        StepFailed: One came out otherwise than it says.
    """
    names = {tool.operation_name: tool for tool in stage.tools.values()}
    ((_, connection),) = stage.connections.items()
    bodies: list[Json] = []
    for step in program:
        result = call(
            *(names[step.tool], _with_found(step.arguments, bodies)),
            connection=connection,
            send=stage.send,
            approve=approve_all,
            policy=ALLOW,
        )
        if result.ok is step.fails:
            raise StepFailed(f"{step.tool} {step.arguments}: {result}")
        bodies.append(result.value)


def _with_found(value: Any, bodies: Sequence[Json]) -> Any:
    if isinstance(value, list):
        return [_with_found(part, bodies) for part in value]  # type: ignore[unknown]
    if not isinstance(value, dict):
        return value
    if set(value) == {"step", "take"}:  # type: ignore[unknown]
        search: Any = jmespath
        return search.search(value["take"], bodies[value["step"]])  # type: ignore[unknown]
    return {name: _with_found(part, bodies) for name, part in value.items()}  # type: ignore[unknown]
