"""What was done for a message: a line for each step, and one step whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.render.outline import read_json
from restwright.cli.render.output import Output, one_line, to_readable_json
from restwright.cli.screen.step_lines import SHOWN_ELSEWHERE, folded, step_line, whole_step
from restwright.jsontypes import JsonObject

if TYPE_CHECKING:
    from restwright.agents.events import Event
    from restwright.agents.memory.turn import Turn

_LONGEST = 200
_NUMBER = 4


class Trace:
    """
    The steps of a turn. Those that were shown while it went on have the same numbers.

    Args:
        events: What happened in the turn; of one from the journal there is nothing but its calls.
    """

    def __init__(self, turn: Turn, events: Sequence[Event]) -> None:
        self._turn = turn
        self._shown = [event for event in events if event.kind not in SHOWN_ELSEWHERE]
        self._steps = turn.answer.steps if turn.answer else ()
        self._numbers = dict(self._numbered()) if self._steps else {}

    def _numbered(self) -> Iterator[tuple[int, int]]:
        """`(place of a step, its number)`: steps at the same time were shown as they came."""
        left = dict(enumerate(self._steps))
        for number, event in enumerate(self._shown, 1):
            for place, step in left.items():
                if step["step"] == event.kind and step.get("text") == event.text:
                    del left[place]
                    yield place, number
                    break

    def print_all(self, out: Output) -> None:
        """Print a line for each step; a person is shown none longer than the terminal."""
        out.text("\n".join([f"{'asked':<9}{one_line(self._turn.question)}", *self._lines()]))
        answer = self._turn.answer
        if answer is None:
            out.text(f"{'stopped':<9}interrupted")
        elif answer.stopped != "answered":
            out.text(f"{'stopped':<9}{answer.stopped}: {one_line(answer.reason)}")

    def _lines(self) -> Iterator[str]:
        if self._steps:
            for place, step in enumerate(self._steps):
                if text := _step_text(step):
                    number = str(self._numbers.get(place, ""))
                    yield f"{number:>{_NUMBER - 1}} {step['step']:<9}{_cut(text)}"
            return
        lines = [step_line(event) for event in self._shown] or self._call_lines()
        for number, line in enumerate(lines, 1):
            yield f"{number:>{_NUMBER - 1}} {_shortened(line)}"

    def _call_lines(self) -> list[str]:
        return [
            f"{'call':<9}{call.tool} {_dumped(call.arguments)}"
            f" -> {'no response' if call.status is None else call.status}"
            for call in self._turn.calls
        ]

    def print_step(self, number: int, out: Output) -> None:
        """
        Print a step whole, with what led to it.

        Raises:
            BadParameter: There is none of that number.
        """
        count = len(self._shown) or len(self._turn.calls)
        if not 0 < number <= count:
            raise BadParameter(f"/trace {number}: the steps are 1 to {count}; /trace lists them")
        out.text("\n".join(self._whole(number)))

    def _whole(self, number: int) -> Iterator[str]:
        if not self._shown:
            call = self._turn.calls[number - 1]
            yield self._call_lines()[number - 1]
            yield to_readable_json(call.arguments)
            return
        places = {own: place for place, own in self._numbers.items()}
        if number in places:
            before = [place for place in self._numbers if place < places[number]]
            for step in self._steps[max(before, default=-1) + 1 : places[number]]:
                yield from _whole_entry(step)
        yield from whole_step(self._shown[number - 1])


def _whole_entry(step: JsonObject) -> Iterator[str]:
    """What stands in a trace between two steps: requests to the model, and arguments of calls."""
    yield f"{step['step']:<9}{one_line(_step_text(step))[:_LONGEST]}"
    for name in ("prompt", "reply", "calls", "arguments", "text", "code", "value"):
        if found := step.get(name):
            value = read_json(found) if isinstance(found, str) else found
            text = str(found) if value is None else to_readable_json(value)
            yield f"  {name}:"
            yield from (f"    {line}" for line in text.split("\n"))


def _step_text(step: JsonObject) -> str:
    lines = _LINES.get(step["step"])
    return lines(step) if lines else folded(str(step.get("text", "")))


def _complete_line(step: JsonObject) -> str:
    tokens = f"{step['input_tokens']:,}+{step['output_tokens']:,} tokens, {step['seconds']:.1f} s"
    reply = step["reply"] or _dumped(step.get("calls", ""))
    return f"{step['role']} ({tokens}): {folded(reply)}"


def _call_line(step: JsonObject) -> str:
    if step.get("method"):
        # The request and its response have lines of their own.
        return f"{step['tool']} {_dumped(step['arguments'])}: {step['outcome']}"
    return str(step.get("text", ""))


_LINES: Mapping[str, Callable[[JsonObject], str]] = {
    "complete": _complete_line,
    "call": _call_line,
    "extract": lambda step: step["error"] or folded(_dumped(step["value"]), step["value"]),
    "question": lambda step: f"{step['text']} {step.get('why') or 'answered'}",
    "approve": lambda step: f"{step['tool']}: {'yes' if step['is_allowed'] else step['text']}",
}


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return _shortened(one_line(text))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
