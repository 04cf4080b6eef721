"""What a loop is told of a step that raises, and what comes out where it does not catch that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from restwright.agents.runtime.driver import run_steps, run_steps_async
from restwright.agents.steps import Complete, Outcome, Step, Steps
from restwright.errors import LimitReached, RestwrightError, StepFailed

Run: TypeAlias = Callable[[Steps[Any], Callable[[Step], Outcome]], Any]


def run_in_loop(steps: Steps[Any], perform: Callable[[Step], Outcome]) -> Any:
    return asyncio.run(run_steps_async(steps, perform))


@pytest.fixture(params=[run_steps, run_in_loop], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    return request.param


def ask_once() -> Steps[str]:
    yield Complete(role="planner", messages=())
    return "done"


def ask_twice() -> Steps[RestwrightError]:
    try:
        yield Complete(role="planner", messages=())
    except RestwrightError as error:
        yield Complete(role="answer", messages=())
        return error
    raise AssertionError


def raising(error: Exception) -> Callable[[Step], Outcome]:
    def perform(step: Step) -> Outcome:
        assert isinstance(step, Complete)
        if step.role == "planner":
            raise error
        return None

    return perform


def test_a_loop_is_told_of_others_exceptions_as_a_failed_step(run: Run) -> None:
    error = ValueError("t0ps3cret")
    failure = run(ask_twice(), raising(error))
    assert failure == StepFailed("the model", "ValueError")
    assert failure.__cause__ is error


def test_a_loop_is_told_of_our_exceptions_as_they_are(run: Run) -> None:
    error = LimitReached("seconds", 1)
    assert run(ask_twice(), raising(error)) is error


@pytest.mark.parametrize("error", [ValueError("x"), LimitReached("seconds", 1)], ids=repr)
def test_what_a_loop_does_not_catch_is_raised_as_it_was(run: Run, error: Exception) -> None:
    error.__cause__ = KeyError("why")
    with pytest.raises(type(error)) as raised:
        run(ask_once(), raising(error))
    assert raised.value is error
    assert repr(error.__cause__) == "KeyError('why')"


def test_a_failed_step_of_the_performer_is_no_exception_of_others(run: Run) -> None:
    failure = StepFailed("on_event", "ValueError")
    failure.__cause__ = ValueError()
    with pytest.raises(StepFailed) as raised:
        run(ask_once(), raising(failure))
    assert raised.value is failure


def test_a_stop_iteration_of_a_step_is_not_the_end_of_the_loop(run: Run) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        run(ask_once(), raising(StopIteration("lost")))
