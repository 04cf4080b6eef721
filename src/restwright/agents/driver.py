"""Drives a loop: performs each step that it yields, and sends the outcome in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from restwright.agents.budget import Limits
from restwright.agents.performing import Performer
from restwright.agents.steps import Outcome, Step, Steps
from restwright.errors import LimitReached

__all__ = ["Limits", "Performer", "run", "run_async"]

T = TypeVar("T")


def run(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` with blocking calls. A limit is thrown into the loop, so that it can conclude.

    `run_async` is the same with one `await`.
    """
    try:
        step = next(steps)
        while True:
            try:
                outcome = perform(step)
            except LimitReached as limit:
                step = steps.throw(limit)
            else:
                step = steps.send(outcome)
    except StopIteration as stop:
        return stop.value


async def run_async(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """Drive `steps` from an event loop; each step is performed in a worker thread."""
    try:
        step = next(steps)
        while True:
            try:
                outcome = await asyncio.to_thread(perform, step)
            except LimitReached as limit:
                step = steps.throw(limit)
            else:
                step = steps.send(outcome)
    except StopIteration as stop:
        return stop.value
