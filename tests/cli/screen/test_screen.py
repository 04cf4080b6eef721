"""A run on a terminal while it goes on, drawn on a screen as a terminal draws it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import pyte
import pytest
from tests.support.cli.regen import Terminal

from restwright.agents.events import Event
from restwright.agents.runtime.streaming import TextDelta
from restwright.cli.render.output import Output
from restwright.cli.screen.screen import Screen

OUT = Output()


class Drawn(Terminal):
    """A terminal whose screen is known; standard output and standard error are the same one."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = pyte.Screen(40, 12)
        self.stream = pyte.Stream(self.screen)

    def write(self, text: str, /) -> int:
        self.stream.feed(text.replace("\n", "\r\n"))
        return super().write(text)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display if line.strip()]


@contextmanager
def at_terminal() -> Iterator[Drawn]:
    # Not by a fixture: pytest puts streams of its own in their place between that and the test.
    drawn = Drawn()
    with redirect_stdout(drawn), redirect_stderr(drawn):
        yield drawn


@pytest.fixture(autouse=True)
def size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "12")
    monkeypatch.setenv("TERM", "xterm")


def call(id_: str, tool: str) -> Event:
    return Event("call", f"GET http://127.0.0.1/{tool}", {"tool": tool, "id": id_})


def test_until_the_first_word_it_is_said_what_goes_on_and_for_how_long() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT, model="openai:gpt-5")
        screen.start()
        asking = drawn.lines
        screen.show_event(call("1", "films"))
        screen.show_event(call("2", "casts"))
        screen.redraw()
        waiting = drawn.lines
        screen.close()
    assert asking[-1][2:] == "asking openai:gpt-5, 0 s"
    assert waiting[-1][2:] == "waiting for films, casts, 0 s"
    assert drawn.lines == [
        " 1 call     GET http://127.0.0.1/films",
        " 2 call     GET http://127.0.0.1/casts",
    ]


def test_how_far_the_plan_is_stays_in_view() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT)
        screen.start()
        for number, what in enumerate(["Find the film", "Rent it"], 1):
            screen.show_event(Event("plan", f"{number}. {what}", {"type": "find"}))
        screen.redraw()
        first = drawn.lines[-2]
        screen.show_event(Event("result", "Rain", {}))
        screen.redraw()
        second = drawn.lines[-2]
        screen.close()
    assert first == "plan     1 of 2: Find the film"
    assert second == "plan     2 of 2: Rent it"


def test_a_step_is_one_line_and_json_its_shape() -> None:
    value = [{"id": number, "name": "x" * 20} for number in range(9)]
    with at_terminal() as drawn:
        screen = Screen(OUT)
        screen.show_event(Event("result", str(value), {"value": value}))
        screen.show_event(Event("note", "long " * 40))
        screen.close()
    assert drawn.lines == [" 1 result   [9 x {id, name}]", " 2 note     " + "long " * 5 + "lo…"]
    assert screen.values == [value]


def test_with_verbose_a_step_is_whole() -> None:
    with at_terminal() as drawn:
        screen = Screen(Output(verbose=True))
        screen.show_event(Event("response", "200, 4 bytes", {"tool": "films", "outcome": "ok"}))
    assert drawn.lines[0] == " 1 response 200, 4 bytes"
    assert [line.strip() for line in drawn.lines[1:]] == [
        "{",
        '"tool": "films",',
        '"outcome": "ok"',
        "}",
    ]


def test_words_are_shown_as_they_come_and_what_has_ended_is_printed_for_good() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT, keeps_words=True)
        for piece in (
            "# Films\n\nThere ",
            "are **two**",
            ".\n\n- Rain\n- Gate",
            "\n\nEnd \x1b[31m",
        ):
            screen.show_delta(TextDelta(piece, 1))
        screen.redraw()
        assert drawn.lines[-1] == "End \\x1b[31m"
        screen.close()
        assert drawn.lines == ["Films", "There are two.", " • Rain", " • Gate"]
        rest = screen.finish("# Films\n\nThere are **two**.\n\n- Rain\n- Gate\n\nEnd \x1b[31m")
    assert rest == "End \x1b[31m"


def test_words_that_are_worded_anew_are_printed_whole() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT, keeps_words=True)
        screen.show_delta(TextDelta("One.\n\nTw", 1))
        screen.show_delta(TextDelta("Three.\n\nFour", 2))
        screen.close()
        rest = screen.finish("Three.\n\nFour.")
    assert drawn.lines == ["One.", "Tw", "Three."]
    assert rest == "Four."


def test_without_one_to_keep_words_they_are_taken_away_at_the_end() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT)
        screen.show_delta(TextDelta("It is red.\n\nIt is not.", 1))
        seen = drawn.lines
        screen.close()
    assert seen == ["It is red.", "It is not."]
    assert drawn.lines == []
    assert screen.finish("It is red.") == "It is red."


def test_of_a_long_answer_the_last_lines_are_shown() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT)
        screen.show_delta(TextDelta("\n".join(f"line {each}." for each in range(30)), 1))
        assert drawn.lines[-1] == "line 29."
        assert len(drawn.lines) <= 10
        screen.close()


def test_a_question_is_asked_where_nothing_else_is_drawn() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT, model="m")
        screen.start()
        with screen.paused():
            assert drawn.lines == []
            drawn.write("Send it? [y/N]")
        assert drawn.lines[0].startswith("Send it?") or drawn.lines[0][2:].startswith("asking m")
        screen.close()


@pytest.mark.parametrize("out", [Output(quiet=True), Output(json=True)])
def test_nothing_moves_where_nobody_wants_it(out: Output) -> None:
    with at_terminal() as drawn:
        screen = Screen(out, model="m")
        screen.start()
        screen.show_delta(TextDelta("It is red", 1))
        screen.close()
    assert drawn.getvalue() == ""


def test_nothing_is_streamed_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(OUT)
    screen.start()
    screen.show_delta(TextDelta("It is red", 1))
    screen.close()
    assert capsys.readouterr() == ("", "")


def test_who_goes_on_is_said_between_the_words_of_two() -> None:
    with at_terminal() as drawn:
        screen = Screen(OUT, keeps_words=True)
        screen.show_delta(TextDelta("I pass you on.", 1))
        screen.print_part("I pass you on.")
        screen.say("agent    Billing goes on")
        screen.show_delta(TextDelta("It is paid.", 2))
        screen.close()
        rest = screen.finish("I pass you on.\nIt is paid.")
    assert drawn.lines == ["I pass you on.", "agent    Billing goes on"]
    assert rest == "It is paid."
