"""Drives a loop: performs each step that it yields, and sends the outcome in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from restwright.agents.driving.budget import Limits
from restwright.agents.driving.performing import Performer
from restwright.agents.driving.together import aside
from restwright.agents.steps import Outcome, Step, Steps
from restwright.errors import LimitReached, UnusableReply
from restwright.net.awaiting import awaited_here

__all__ = ["Limits", "Performer", "run", "run_async"]

T = TypeVar("T")


def run(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` with blocking calls.

    A limit is thrown into the loop, and so is a reply that a model cannot give in its form, so that
    it can conclude. `run_async` is the same with one `await`.
    """
    try:
        step = next(steps)
        while True:
            try:
                outcome = perform(step)
            except (LimitReached, UnusableReply) as error:
                step = steps.throw(error)
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
                except (LimitReached, UnusableReply) as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as stop:
            return stop.value
