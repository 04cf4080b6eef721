"""`chat` at a real terminal: keys, completion, Ctrl-C, and what is left on disk."""

from __future__ import annotations

import stat
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there is no pseudo terminal", allow_module_level=True)

from tests.support.cli.terminal import ALT_ENTER, CTRL_C, CTRL_D, ENTER, PROMPT, TAB

pytestmark = pytest.mark.process


def said(answer: str) -> tuple[str, object]:
    return ("selector", {"tools": [], "answer": answer})


CHOSEN = ("selector", {"tools": [{"reason": "r", "name": "things__add_thing"}], "answer": ""})
WRITE = {"tool": "things__add_thing", "arguments": {"thing_id": 1}}


def test_ctrl_c_stops_the_run_and_not_the_chat(terminal) -> None:
    chat = terminal(("selector", "wait"), said("Here I am."))
    chat.type("Wait for me" + ENTER)
    chat.sees("waiting")
    chat.type(CTRL_C)
    assert "goes on with it" in chat.sees("goes on with it")
    chat.sees(PROMPT)
    # At the prompt it throws away what was typed.
    chat.type("never mind" + CTRL_C)
    chat.sees(PROMPT)
    chat.type("Are you there?" + ENTER)
    chat.sees("Here I am.")
    chat.sees(PROMPT)
    chat.type(CTRL_D)
    assert chat.ends() == 0


def test_ctrl_c_stops_reads_that_go_on_together_at_once(terminal, server) -> None:
    names = [{"reason": "r", "name": f"things__{each}"} for each in ("list_things", "get_thing")]
    made = [
        {"tool": "things__list_things", "arguments": {}},
        {"tool": "things__get_thing", "arguments": {"thing_id": 30}},
    ]
    chat = terminal(
        ("selector", {"tools": names, "answer": ""}), ("caller", {"calls": made}), said("Here.")
    )
    chat.type("Read both" + ENTER)
    deadline = time.monotonic() + 30
    while len(server.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    chat.type(CTRL_C)
    chat.sees("goes on with it", within_s=5)
    chat.sees(PROMPT)
    chat.type("Are you there?" + ENTER)
    chat.sees("Here.")
    chat.sees(PROMPT)
    begun = time.monotonic()
    chat.type(CTRL_D)
    assert chat.ends() == 0
    assert time.monotonic() - begun < 10


def test_ctrl_c_right_behind_enter_takes_the_message_back(terminal) -> None:
    chat = terminal(said("Here I am."))
    chat.type("Do it" + ENTER + CTRL_C)
    chat.sees("Do it")
    chat.type("Are you there?" + ENTER)
    chat.sees("Here I am.")
    chat.sees(PROMPT)
    chat.type("/trace" + ENTER)
    chat.sees("asked    Are you there?")
    chat.sees(PROMPT)
    chat.type(CTRL_D)
    assert chat.ends() == 0


def test_what_is_typed_ahead_is_not_lost(terminal) -> None:
    chat = terminal(said("First."), said("Second."))
    chat.type("one" + ENTER + "two" + ENTER)
    chat.sees("First.")
    chat.sees("Second.")
    chat.sees(PROMPT)
    chat.type(CTRL_D)
    assert chat.ends() == 0


def test_keys_complete_and_begin_lines(terminal, home: Path) -> None:
    chat = terminal(said("Both lines."))
    chat.type("/to")
    chat.sees("with a query those")
    chat.type(TAB)
    chat.sees("ols")
    chat.type(ENTER)
    chat.sees("3 tools (2 reads, 1 write); see /show NAME")
    chat.sees(PROMPT)
    chat.type("/show get_th")
    chat.sees("things__get_thing")
    chat.type(TAB)
    chat.sees("things__get_thing")
    chat.type(ENTER)
    chat.sees("GET /things/{thing_id}")
    chat.sees(PROMPT)
    chat.type("one" + ALT_ENTER + "two\\" + ENTER + "three" + ENTER)
    chat.sees("Both lines.")
    chat.sees(PROMPT)
    chat.type(" /not kept" + CTRL_C + "/trace" + ENTER)
    chat.sees("asked    one two three")
    chat.sees(PROMPT)
    chat.type("/quit" + ENTER)
    assert chat.ends() == 0
    (history,) = home.rglob("chat_history")
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    kept = history.read_text("utf-8")
    assert "+one\n+two\n+three\n" in kept
    assert "not kept" not in kept


def test_a_write_is_asked_about_and_the_answer_is_streamed(terminal, server, home: Path) -> None:
    words = "The thing is added, and it is a rather long story that takes some lines. " * 3
    replies = (
        CHOSEN,
        ("caller", {"calls": [WRITE]}),
        ("caller", {"calls": []}),
        ("describer", {"answer": words.strip()}),
    )
    chat = terminal(*replies)
    chat.type("Add it." + ENTER)
    chat.sees("things__add_thing would send")
    chat.sees(f"Send POST {server.url}/things? [y/N] ")
    assert server.requests == []
    chat.type("y\n")
    chat.sees("The thing is")
    assert "done     " not in chat.seen
    chat.sees("takes some lines.")
    chat.sees("done     1 HTTP call")
    chat.sees(PROMPT)
    assert [each[0] for each in server.requests] == ["POST"]
    chat.type(CTRL_D)
    assert chat.ends() == 0
    (history,) = home.rglob("chat_history")
    assert "+y\n" not in history.read_text("utf-8")
