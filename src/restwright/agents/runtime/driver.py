"""Drives a loop: performs each step that it yields, and sends the outcome in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.concurrency import run_in_thread
from restwright.agents.runtime.faults import failure_from_error, performer_name
from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import Outcome, Step, Steps
from restwright.errors import RestwrightError
from restwright.net.callbacks import enable_async_callbacks

__all__ = ["Limits", "Performer", "run_steps", "run_steps_async"]

T = TypeVar("T")


def run_steps(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` with blocking calls.

    What a step raises is thrown into the loop, so that it can conclude: as a `StepFailed` where it
    is none of our exceptions. A loop that does not catch it ends with what was raised.
    `run_steps_async` is the same with one `await`.
    """
    try:
        step = next(steps)
        while True:
            try:
                outcome = perform(step)
            except Exception as error:  # noqa: BLE001 - the loop decides
                step = _throw_error(steps, step, error)
            else:
                step = steps.send(outcome)
    except StopIteration as stop:
        return stop.value


async def run_steps_async(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` from an event loop; each step is performed in a thread of its own.

    Callbacks that are asynchronous are awaited in the loop, the others called in that thread. Who
    is cancelled waits for no step: its performer is to be told to `leave()`.
    """
    with enable_async_callbacks():
        try:
            step = next(steps)
            while True:
                try:
                    outcome = await run_in_thread(partial(perform, step))
                except Exception as error:  # noqa: BLE001 - the loop decides
                    step = _throw_error(steps, step, error)
                else:
                    step = steps.send(outcome)
        except StopIteration as stop:
            return stop.value


def _throw_error(steps: Steps[T], step: Step, error: Exception) -> Step:
    """The next step of a loop that is told what came of the last one."""
    failure = failure_from_error(error, performer_name(step))
    try:
        return steps.throw(failure)
    except RestwrightError as raised:
        if raised is failure:
            raise error from None
        raise
