"""
Runs generators of steps: what is to be done is yielded, and what came of it is sent in.

Such a generator does no I/O, so the same one is run by blocking calls, from an event loop, or as
part of another one. Each of the three ways is one function here, and they keep to the same rules:

- What is raised while a step is performed is thrown into the generator, which may catch it. Since
  no generator can pass on a `StopIteration`, that becomes a `RuntimeError` (PEP 479).
- What is no `Exception`, such as an interruption or a cancellation, ends everything at once.
- Whatever the end, the generator is closed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import closing
from typing import TypeVar

StepT = TypeVar("StepT")
OutcomeT = TypeVar("OutcomeT")
OtherStepT = TypeVar("OtherStepT")
OtherOutcomeT = TypeVar("OtherOutcomeT")
ReturnT = TypeVar("ReturnT")


def drive(
    steps: Generator[StepT, OutcomeT, ReturnT], perform: Callable[[StepT], OutcomeT]
) -> ReturnT:
    """
    Run `steps` with blocking calls and return what they return.

    Args:
        perform: Given each step; returns its outcome, or raises.

    Raises:
        Exception: What `steps` raise, or do not catch of what `perform` raised.
    """
    with closing(steps):
        try:
            step = next(steps)
            while True:
                try:
                    outcome = perform(step)
                except Exception as error:  # noqa: BLE001 - the generator decides
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as stop:
            return stop.value


async def drive_async(
    steps: Generator[StepT, OutcomeT, ReturnT], perform: Callable[[StepT], Awaitable[OutcomeT]]
) -> ReturnT:
    """Do the same as `drive` from an event loop: what `perform` returns is awaited."""
    with closing(steps):
        try:
            step = next(steps)
            while True:
                try:
                    outcome = await perform(step)
                except Exception as error:  # noqa: BLE001 - the generator decides
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as stop:
            return stop.value


def map_steps(
    steps: Generator[StepT, OutcomeT, ReturnT],
    perform: Callable[[StepT], Generator[OtherStepT, OtherOutcomeT, OutcomeT]],
) -> Generator[OtherStepT, OtherOutcomeT, ReturnT]:
    """
    Run `steps` as part of another generator: each becomes the steps that `perform` makes of it.

    Args:
        perform: Given each step; yields any number of others, which whoever runs this performs,
            and returns the outcome, or raises.

    Returns:
        What `steps` return.
    """
    with closing(steps):
        try:
            step = next(steps)
            while True:
                try:
                    outcome = yield from perform(step)
                except Exception as error:  # noqa: BLE001 - the generator decides
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as stop:
            return stop.value
