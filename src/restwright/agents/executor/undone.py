"""What was asked and is not done: said by code at the end of a run, whatever a model says."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.agents.executor.running import Run
from restwright.agents.roles.answering import facts_so_far
from restwright.agents.roles.outcome import Failure

REPEATED = Failure("it is the same as what was done before")
"""Why a write is not made: the same one was made before in this run."""


def with_undone(text: str, undone: Iterable[str], accepted: Iterable[str] = ()) -> str:
    """`text`, and after it what is not done, each with why; and what may not be finished."""
    said = [text] if text else []
    if left := "; ".join(undone):
        said.append(f"Not done: {left}")
    if begun := "; ".join(accepted):
        said.append(f"Accepted, and not known to be finished: {begun}")
    return "\n".join(said)


def so_far(run: Run) -> str:
    """What a run has found, and what it has left undone."""
    return with_undone(facts_so_far(run.memory), run.undone.values(), run.accepted)
