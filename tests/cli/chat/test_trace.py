"""The steps of a turn, by the numbers that they were shown with."""

from __future__ import annotations

import pytest
from typer import BadParameter

from restwright.agents.events import Event
from restwright.agents.memory.turn import Turn
from restwright.agents.steps import Answer, CallRecord
from restwright.cli.chat.trace import Trace
from restwright.cli.render.output import Output
from restwright.jsontypes import JsonObject

OUT = Output()
COMPLETED: JsonObject = {
    "step": "complete",
    "role": "caller",
    "prompt": "What now?",
    "reply": '{"calls": []}',
    "input_tokens": 3,
    "output_tokens": 1,
    "seconds": 0.5,
}


def turn(*steps: JsonObject) -> Turn:
    return Turn(question="Q?", answer=Answer(text="A.", stopped="answered", steps=steps))


def step(kind: str, text: str) -> JsonObject:
    return {"step": kind, "text": text}


def test_reads_at_the_same_time_have_the_numbers_they_were_shown_with(capsys) -> None:
    events = [
        Event("call", "GET /a", {"id": "1"}),
        Event("call", "GET /b", {"id": "2"}),
        Event("response", "200, a", {"id": "1"}),
        Event("response", "200, b", {"id": "2"}),
    ]
    kept = [step("call", "GET /a"), step("response", "200, a")]
    kept += [step("call", "GET /b"), step("response", "200, b")]
    trace = Trace(turn(COMPLETED, *kept), events)
    trace.print_all(OUT)
    assert capsys.readouterr().out.splitlines() == [
        "asked    Q?",
        '    complete caller (3+1 tokens, 0.5 s): {"calls": []}',
        "  1 call     GET /a",
        "  3 response 200, a",
        "  2 call     GET /b",
        "  4 response 200, b",
    ]
    trace.print_step(2, OUT)
    assert capsys.readouterr().out == 'call     GET /b\n         {"id": "2"}\n'
    trace.print_step(1, OUT)
    opened = capsys.readouterr().out
    assert "  prompt:\n    What now?\n" in opened
    assert opened.endswith('call     GET /a\n         {"id": "1"}\n')


def test_of_a_turn_from_the_journal_there_are_its_calls(capsys) -> None:
    call = CallRecord(tool="get_a", method="GET", path="/a", arguments={"n": 1}, status=200)
    trace = Trace(Turn(question="Q?", answer=None, calls=(call,)), ())
    trace.print_all(OUT)
    trace.print_step(1, OUT)
    line = 'call     get_a {"n": 1} -> 200'
    expected = ["asked    Q?", f"  1 {line}", "stopped  interrupted", line, '{"n": 1}']
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("number", [0, 2])
def test_a_step_that_is_none_is_said(number: int) -> None:
    trace = Trace(turn(step("note", "n")), [Event("note", "n", {})])
    with pytest.raises(BadParameter, match="the steps are 1 to 1"):
        trace.print_step(number, OUT)
