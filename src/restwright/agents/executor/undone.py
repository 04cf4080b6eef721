"""What was asked and is not done: said by code at the end of a run, whatever a model says."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.agents.executor.running import Run
from restwright.agents.roles.answer import facts_so_far
from restwright.agents.roles.failure import Failure
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

REPEATED = Failure("it is the same as what was done before")
"""Why a write is not made: the same one was made before in this run."""

# Words that tell no change of one operation from another.
_EMPTY = frozenset(split_words("a an the this that my our please id number"))
_ALIKE = {
    word: words[0]
    for words in (
        ("delete", "remove", "drop", "cancel", "erase"),
        ("create", "add", "make", "place", "put", "insert", "append"),
        ("change", "set", "update", "edit", "modify"),
    )
    for word in words
}


def with_undone(text: str, undone: Iterable[str], accepted: Iterable[str] = ()) -> str:
    """`text`, and after it what is not done, each with why; and what may not be finished."""
    said = [text] if text else []
    if left := "; ".join(undone):
        said.append(f"Not done: {left}")
    if begun := "; ".join(accepted):
        said.append(f"Accepted, and not known to be finished: {begun}")
    return "\n".join(said)


def settle(run: Run, tool: Tool, task: str) -> None:
    """
    Take out of what is undone what a write of `tool` did now: the task itself in any words.

    What names another thing, another number or another value is another change.
    """
    done = _told(tool, task)
    for key in [*run.undone]:
        name, _, other = key.partition(" ")
        if name == tool.name and _told(tool, other) == done:
            del run.undone[key]


def _told(tool: Tool, task: str) -> tuple[str, ...]:
    """What a task tells beside the words for the operation itself, in its order."""
    called = split_words(f"{tool.operation_name} {tool.operation.path}")
    own = {_ALIKE.get(each, each) for each in called if not each.isdecimal()} | _EMPTY
    words = (_ALIKE.get(each, each) for each in split_words(task))
    return tuple(each for each in words if each not in own)


def so_far(run: Run) -> str:
    """What a run has found, and what it has left undone."""
    return with_undone(facts_so_far(run.memory), run.undone.values(), run.accepted)
