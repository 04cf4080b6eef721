"""A generator of steps ends as if it called, where it yields, what performs them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.stepping import drive, drive_async, map_steps

Steps: TypeAlias = Generator[int, Any, Any]


class Failed(Exception):
    """What performing a step raises."""


class Interrupted(BaseException):
    """What is no `Exception`."""


@dataclass(frozen=True)
class Yield:
    """One step, and what a generator does about what it raises."""

    step: int
    catches: bool
    translates: bool


FAIL = "fail"
"""Where a generator raises an exception of its own."""


@dataclass
class Run:
    """One run of a script, and all that happens on it."""

    script: list[Yield | str]
    outcomes: list[Any]
    events: list[Any] = field(default_factory=list)

    def steps(self) -> Steps:
        try:
            for action in self.script:
                with self._handle(action) as step:
                    self.events.append((yield step))
        finally:
            self.events.append("closed")
        return len(self.events)

    def call_directly(self) -> int:
        """Do what `steps` say, without a generator."""
        try:
            for action in self.script:
                with self._handle(action) as step:
                    self.events.append(self.perform(step))
        finally:
            self.events.append("closed")
        return len(self.events)

    @contextmanager
    def _handle(self, action: Yield | str) -> Generator[int]:
        if action == FAIL:
            raise LookupError("of the generator")
        assert isinstance(action, Yield)
        try:
            yield action.step
        except Exception as error:
            self.events.append(error)
            if action.translates:
                raise LookupError("for another") from error
            if not action.catches:
                raise

    def perform(self, step: int) -> Any:
        outcome = self.outcomes.pop(0) if self.outcomes else None
        self.events.append(("performed", step))
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def perform_async(self, step: int) -> Any:
        await asyncio.sleep(0)
        return self.perform(step)


def keep_step(step: int) -> Steps:
    """The steps in the place of one that stays as it is."""
    return (yield step)


def map_twice(steps: Steps) -> Steps:
    return map_steps(map_steps(steps, keep_step), keep_step)


WAYS: dict[str, Callable[[Run], Any]] = {
    "drive": lambda run: drive(run.steps(), run.perform),
    "drive_async": lambda run: asyncio.run(drive_async(run.steps(), run.perform_async)),
    "map_steps": lambda run: drive(map_steps(run.steps(), keep_step), run.perform),
    "map_steps twice": lambda run: drive(map_twice(run.steps()), run.perform),
    "map_steps async": lambda run: asyncio.run(
        drive_async(map_steps(run.steps(), keep_step), run.perform_async)
    ),
}
OUTCOMES = st.lists(st.one_of(st.integers(), st.none(), st.builds(Failed), st.builds(Interrupted)))
YIELDS = st.builds(Yield, st.integers(), st.booleans(), st.booleans())
SCRIPTS = st.lists(st.one_of(YIELDS, YIELDS, st.just(FAIL)))


def end_of(run: Callable[[], Any]) -> Any:
    """What is returned; else which exception is raised."""
    try:
        return run()
    except (Failed, Interrupted) as error:
        return error
    except LookupError as error:
        return str(error), error.__cause__


@pytest.mark.parametrize("way", WAYS)
@given(script=SCRIPTS, outcomes=OUTCOMES)
def test_a_generator_ends_as_if_it_called(
    way: str, script: list[Yield | str], outcomes: list[Any]
) -> None:
    driven, direct = Run(script, [*outcomes]), Run(script, [*outcomes])
    assert end_of(lambda: WAYS[way](driven)) == end_of(direct.call_directly)
    assert driven.events == direct.events


@pytest.mark.parametrize("way", WAYS)
def test_a_stop_iteration_of_a_step_is_not_the_end_of_the_steps(way: str) -> None:
    run = Run([Yield(1, catches=False, translates=False)], [StopIteration("lost")])
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        WAYS[way](run)


def test_a_step_becomes_several_or_none() -> None:
    def count() -> Steps:
        return (yield 1), (yield 2), (yield 0)

    def repeat(step: int) -> Steps:
        outcomes: list[int] = []
        for number in range(step):
            outcomes += [(yield number)]
        return outcomes

    outcomes = drive(map_steps(count(), repeat), lambda number: number + 10)
    assert outcomes == ([10], [10, 11], [])


def test_a_mapped_generator_is_closed_with_the_one_around_it() -> None:
    run = Run([Yield(1, catches=True, translates=False)], [])
    steps = map_twice(run.steps())
    assert next(steps) == 1
    steps.close()
    assert run.events == ["closed"]


def test_a_cancelled_generator_is_closed() -> None:
    run = Run([Yield(1, catches=True, translates=False)], [])

    async def wait(step: int) -> None:
        await asyncio.sleep(60)

    async def cancel() -> None:
        async with asyncio.timeout(0):
            await drive_async(run.steps(), wait)

    with pytest.raises(TimeoutError):
        asyncio.run(cancel())
    assert run.events == ["closed"]
