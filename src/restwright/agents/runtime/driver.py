"""Drives a loop: performs each step that it yields, and sends the outcome in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.concurrency import aside
from restwright.agents.runtime.faults import as_failure, named
from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import Outcome, Step, Steps
from restwright.errors import RestwrightError
from restwright.net.callbacks import awaited_here

__all__ = ["Limits", "Performer", "run", "run_async"]

T = TypeVar("T")


def run(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` with blocking calls.

    What a step raises is thrown into the loop, so that it can conclude: as a `StepFailed` where it
    is none of our exceptions. A loop that does not catch it ends with what was raised. `run_async`
    is the same with one `await`.
    """
    try:
        step = next(steps)
        while True:
            try:
                outcome = perform(step)
            except Exception as error:  # noqa: BLE001 - the loop decides
                step = _thrown(steps, step, error)
            else:
                step = steps.send(outcome)
    except StopIteration as stop:
        return stop.value


async def run_async(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` from an event loop; each step is performed in a thread of its own.

    Callbacks that are asynchronous are awaited in the loop, the others called in that thread. Who
    is cancelled waits for no step: its performer is to be told to `leave()`.
    """
    with awaited_here():
        try:
            step = next(steps)
            while True:
                try:
                    outcome = await aside(partial(perform, step))
                except Exception as error:  # noqa: BLE001 - the loop decides
                    step = _thrown(steps, step, error)
                else:
                    step = steps.send(outcome)
        except StopIteration as stop:
            return stop.value


def _thrown(steps: Steps[T], step: Step, error: Exception) -> Step:
    """The next step of a loop that is told what came of the last one."""
    failure = as_failure(error, named(step))
    try:
        return steps.throw(failure)
    except RestwrightError as raised:
        if raised is failure:
            raise error from None
        raise
