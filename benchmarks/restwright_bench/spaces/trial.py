"""One task in one mode: calls until it is said to be done, each judged by what it was aimed at."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, Protocol

from restwright.calls.response.result import shorten_json
from restwright.errors import LimitReached
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import Tool
from restwright.tools.toolset import ToolCall, handle_meta_call, search_tools
from restwright_bench.queries.checker import is_answered, is_changed
from restwright_bench.queries.query import Changed, Expected
from restwright_bench.results import shortened
from restwright_bench.spaces.modes import CHOOSE, MODES, Offering
from restwright_bench.spaces.question import Question
from restwright_bench.spaces.space import Space

MOST_CALLS = 12
"""Document 004 tells of 48."""
RESULT = 800
ANSWER = 600

Aim = Literal["right", "operation", "namespace", "unknown", "meta"]
"""A call of a tool that the task takes, of another of its APIs, of another API, of none at all, or
of a tool about tools."""


@dataclass(frozen=True, slots=True)
class Move:
    """A call that is to be made: the name as it was written, and the arguments."""

    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of a move: for a model in words, for others as a value."""

    text: str
    value: Json = None


Moves = Generator[Move, Told, str]
"""Yields moves, is sent what came of them, returns what is said to the user."""


@dataclass(slots=True)
class Meter:
    """What a chooser has used in one task."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Chooser(Protocol):
    """Decides what is called."""

    @property
    def name(self) -> str:
        """Such as `lexical` or `local`."""
        ...

    def moves(self, question: Question, offering: Offering, meter: Meter) -> Moves:
        """Work on one task; may move to `choose_namespaces` where the offering can `narrow`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    What became of one task in one mode.

    Args:
        calls: All that the chooser called, tools about tools and unknown names included.
        aims: `{aim: calls}`.
        offered: Whether every tool of the shortest way was offered by name, at last; in mode
            `meta`, whether it is on the first page of a search for the task's words.
        prompt_characters: Of the tools that are offered, at last.
        stopped: `answered`, or what ended it: `calls`, a limit of the model, or `context` where a
            prompt is too long for it and the model was not asked.
    """

    model: str
    mode: str
    question: str
    seed: int
    success: bool
    calls: int
    aims: Mapping[str, int]
    offered: bool
    prompt_characters: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    seconds: float
    stopped: str
    answer: str
    trace: str = field(repr=False)

    def line(self) -> JsonObject:
        """As one line of a file."""
        return asdict(self)


@dataclass(slots=True)
class _Run:
    """A task on its way; `trace` has every call with its aim."""

    question: Question
    offering: Offering
    space: Space
    trace: list[JsonObject] = field(default_factory=list[JsonObject])

    def perform(self, move: Move) -> Told:
        """Make one move."""
        if move.tool == CHOOSE and self.offering.narrow is not None:
            return self._chosen(move, self.offering.narrow)
        if move.tool in self.offering.meta:
            return self._meta(move)
        tool, why = self.offering.dispatch(move.tool)
        if tool is None:
            return self._told(move, "unknown", why)
        return self._called(move, tool, move.arguments)

    def _chosen(self, move: Move, narrow: Callable[[Sequence[str]], Offering]) -> Told:
        self.offering = narrow(namespaces_in(move.arguments))
        chosen = self.offering.chosen
        if not chosen:
            known = ", ".join(self.offering.catalog.apis)
            return self._told(move, "unknown", f"There is no such API. There is {known}.")
        return self._told(move, "meta", f"The tools of {', '.join(chosen)} are listed.")

    def _meta(self, move: Move) -> Told:
        came = handle_meta_call(self.offering.catalog, move.tool, move.arguments)
        if not isinstance(came, ToolCall):
            aim: Aim = "unknown" if move.tool == "call_tool" else "meta"
            return self._told(move, aim, shorten_json(came, RESULT * 2), came)
        arguments = came.arguments if is_object(came.arguments) else {}
        return self._called(move, self.offering.catalog[came.tool], arguments)

    def _called(self, move: Move, tool: Tool, arguments: JsonObject) -> Told:
        result = self.space.call(tool, arguments)
        text = result.text or shorten_json(result.value, RESULT)
        return self._told(move, self._aim(tool), text, result.value)

    def _aim(self, tool: Tool) -> Aim:
        if tool.name in (*self.question.uses, *self.question.accepts):
            return "right"
        return "operation" if tool.namespace in self.question.namespaces else "namespace"

    def _told(self, move: Move, aim: Aim, text: str, value: Json = None) -> Told:
        self.trace.append(
            {"call": move.tool, "aim": aim, "arguments": move.arguments, "result": text}
        )
        return Told(text=text or "(nothing)", value=value)


def namespaces_in(arguments: JsonObject) -> tuple[str, ...]:
    """The namespaces that are chosen by these arguments, whatever else a model wrote."""
    written = arguments.get("namespaces") or ()
    return tuple(map(str, written)) if is_array(written) else (str(written),)


def tried(chooser: Chooser, question: Question, mode: str, space: Space, *, seed: int = 0) -> Trial:
    """
    Let `chooser` work on one task in a world of its own.

    Raises:
        ModelUnavailable: There is no model to ask.
    """
    space.world.reset(seed=seed)
    before, expected = space.world.snapshot(), question.expected(space.stores)
    offering, meter = MODES[mode](space.catalog, question.text), Meter()
    run = _Run(question, offering, space)
    started = time.perf_counter()
    answer, stopped = _driven(run, chooser.moves(question, offering, meter))
    seconds = time.perf_counter() - started
    aims = [each["aim"] for each in run.trace]
    return Trial(
        model=chooser.name,
        mode=mode,
        question=question.name,
        seed=seed,
        success=_is_met(expected, answer, before, space.world.snapshot()),
        calls=len(aims),
        aims={each: aims.count(each) for each in dict.fromkeys(aims)},
        offered=set(question.uses) <= _offered(question.text, run.offering),
        prompt_characters=len(run.offering.text),
        **asdict(meter),
        seconds=round(seconds, 3),
        stopped=stopped,
        answer=answer,
        trace=shortened(run.trace, most=2_500),
    )


def _offered(text: str, offering: Offering) -> set[str]:
    if offering.names or offering.narrow is not None:
        return {*offering.names}
    return {each["name"] for each in search_tools(offering.catalog, text)["tools"]}


def _driven(run: _Run, moves: Moves) -> tuple[str, str]:
    """Make the moves; what is said at the end, and why it ended."""
    try:
        move = next(moves)
        while len(run.trace) < MOST_CALLS:
            move = moves.send(run.perform(move))
    except StopIteration as stop:
        return str(stop.value)[:ANSWER], "answered"
    except LimitReached as limit:
        return "", limit.limit
    moves.close()
    return "", "calls"


def _is_met(expected: Expected, answer: str, before: JsonObject, after: JsonObject) -> bool:
    if isinstance(expected, Changed):
        return is_changed(expected, before, after)
    # A task that only reads must leave everything as it is.
    return before == after and is_answered(expected, answer)
