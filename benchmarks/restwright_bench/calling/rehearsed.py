"""Replies made from the right ones, to try the board and to show it without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random

from restwright.agents.steps import Complete, Completion
from restwright_bench.calling.kinds import KINDS, Kind
from restwright_bench.calling.mutations import MUTATIONS
from restwright_bench.calling.prompt import request_for
from restwright_bench.calling.task import Task

Opening = tuple[str, ...]


class RehearsedModel:
    """
    A model that knows the right arguments of every trial.

    Args:
        name: `right`: replies with them; `mutated`: with one fault in the first reply, and with
            them after feedback; `mute`: with nothing.
        trials: How many of each kind it knows.
    """

    def __init__(self, name: str, *, trials: int = 10) -> None:
        self._name = name
        self._reply = REHEARSED[name]
        self._known = dict(_known(trials))

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._name

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply as it was rehearsed."""
        kind, task = self._known[_opening(request)]
        is_first = len(request.messages) == len(_opening(request))
        return Completion(text=self._reply(kind, task) if is_first else _after(self._name, task))


def _opening(request: Complete) -> Opening:
    return tuple(each.text for each in request.messages[:2])


def _known(trials: int) -> Iterator[tuple[Opening, tuple[Kind, Task]]]:
    for kind in KINDS:
        for number in range(1, trials + 1):
            task = kind.task(number)
            request = request_for(kind.tool, task, kind.max_tokens, constrained=False)
            yield _opening(request), (kind, task)


def _after(name: str, task: Task) -> str:
    return "" if name == "mute" else json.dumps(task.reference)


def _right(_: Kind, task: Task) -> str:
    return json.dumps(task.reference)


def _mutated(kind: Kind, task: Task) -> str:
    """The right arguments with one fault, drawn by what they are."""
    right = json.dumps(task.reference)
    draw = Random(right)
    ways = draw.sample(list(MUTATIONS.values()), len(MUTATIONS))
    found = (list(way(kind.tool, task.reference)) for way in ways)
    return draw.choice(next(filter(None, found)))


def _mute(_: Kind, _task: Task) -> str:
    return ""


REHEARSED: Mapping[str, Callable[[Kind, Task], str]] = {
    "right": _right,
    "mutated": _mutated,
    "mute": _mute,
}
