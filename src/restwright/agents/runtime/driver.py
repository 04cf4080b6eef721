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
from restwright.errors import RestwrightError, StepFailed
from restwright.net.callbacks import enable_async_callbacks
from restwright.stepping import drive, drive_async, map_steps

__all__ = ["Limits", "Performer", "run_steps", "run_steps_async"]

T = TypeVar("T")


def run_steps(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` with blocking calls.

    What a step raises is thrown into the loop, so that it can conclude: as a `StepFailed` where it
    is none of our exceptions. A loop that does not catch it ends with what was raised.
    """
    return drive(_translate_errors(steps), perform)


async def run_steps_async(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` from an event loop; each step is performed in a thread of its own.

    Callbacks that are asynchronous are awaited in the loop, the others called in that thread. Who
    is cancelled waits for no step: its performer is to be told to `leave()`.
    """
    with enable_async_callbacks():
        return await drive_async(
            _translate_errors(steps), lambda step: run_in_thread(partial(perform, step))
        )


def _translate_errors(steps: Steps[T]) -> Steps[T]:
    """The same steps, told of our exceptions alone; others that they do not catch are as raised."""
    raised: list[Exception] = []

    def perform(step: Step) -> Steps[Outcome]:
        try:
            return (yield step)
        except RestwrightError:
            raise
        except Exception as error:
            raised.append(error)
            raise failure_from_error(error, performer_name(step)) from error

    try:
        return (yield from map_steps(steps, perform))
    except StepFailed as failed:
        for error in raised:
            if error is failed.__cause__:
                raise error from error.__cause__
        raise
