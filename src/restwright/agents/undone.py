"""What was asked and is not done: said by code at the end of a run, whatever a model says."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.agents.answering import facts_so_far
from restwright.agents.running import Run


def with_undone(text: str, undone: Iterable[str]) -> str:
    """`text`, and after it what is not done, each with why."""
    left = "; ".join(undone)
    return f"{text}\nNot done: {left}".strip() if left else text


def so_far(run: Run) -> str:
    """What a run has found, and what it has left undone."""
    return with_undone(facts_so_far(run.memory), run.undone.values())
