"""How a run ends: with what it has found, however it ends, and with what is not done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from restwright.agents.steps import Call, Conclusion, Gather, Outcome, Say, Step, Steps, T
from restwright.errors import LimitReached, RestwrightError, UnusableReply, UnusableSession


def best_partial(steps: Steps[Conclusion], so_far: Callable[[], str]) -> Steps[Conclusion]:
    """
    The conclusion of `steps`; what was found `so_far` where a limit or a failure ends them.

    Raises:
        RestwrightError: Nothing was performed before it, or the session cannot be used.
    """
    begun: list[Step] = []
    try:
        return (yield from _watched(steps, begun))
    except LimitReached as limit:
        return Conclusion(text=so_far(), stopped="limit", reason=limit.message)
    except UnusableReply as error:
        return Conclusion(text=so_far(), stopped="error", reason=error.message)
    except UnusableSession:
        raise
    except RestwrightError as error:
        if not begun:
            raise
        return Conclusion(text=so_far(), stopped="error", reason=error.message, error=error)


def _watched(steps: Steps[T], begun: list[Step]) -> Steps[T]:
    """The same steps; `begun` is given those that did something, or may have before they failed."""
    outcome: Outcome = None
    thrown: RestwrightError | None = None
    while True:
        try:
            step = steps.throw(thrown) if thrown else steps.send(outcome)
        except StopIteration as end:
            return cast("T", end.value)
        outcome, thrown = None, None
        if isinstance(step, Call | Gather):
            begun.append(step)
        try:
            outcome = yield step
        except RestwrightError as error:
            thrown = error
        else:
            begun += [] if isinstance(step, Say) else [step]


def with_undone(
    text: str,
    undone: Iterable[str],
    accepted: Iterable[str] = (),
    missing: Iterable[str] = (),
) -> str:
    """`text`, and after it what is not found or done, each with why, and what may not be ended."""
    said = [text] if text else []
    if lost := "; ".join(missing):
        said.append(f"Not found: {lost}")
    if left := "; ".join(undone):
        said.append(f"Not done: {left}")
    if begun := "; ".join(accepted):
        said.append(f"Accepted, and not known to be finished: {begun}")
    return "\n".join(said)
