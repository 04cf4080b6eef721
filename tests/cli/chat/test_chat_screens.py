"""What a person sees of a chat: on a screen as a terminal draws it, step by step."""

from __future__ import annotations

import base64
import re
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there is no pseudo terminal", allow_module_level=True)

from tests.support.cli.terminal import (
    CTRL_C,
    CTRL_D,
    ENTER,
    PROMPT,
    TAB,
    check_screen,
    paste,
)

pytestmark = pytest.mark.process

CHOSEN = ("selector", {"tools": [{"reason": "r", "name": "things__list_things"}], "answer": ""})
CALLED = ("caller", {"calls": [{"tool": "things__list_things", "arguments": {}}]})
DONE = ("caller", {"calls": []})
SLOW = ("selector", {"tools": [{"reason": "r", "name": "things__get_thing"}], "answer": ""})
HANGS = ("caller", {"calls": [{"tool": "things__get_thing", "arguments": {"thing_id": 30}}]})
WRITES = ("selector", {"tools": [{"reason": "r", "name": "things__add_thing"}], "answer": ""})
WRITE = ("caller", {"calls": [{"tool": "things__add_thing", "arguments": {"thing_id": 1}}]})
ANSWER = """\
# Things
There is **one**, `teal`, see [all](https://e.org/all).

| thing | colour |
|---|---|
| 7 | teal |

```python
print("teal")
```

> That is all.
"""


def told(text: str) -> tuple[str, object]:
    return ("describer", {"answer": text})


def test_a_turn_is_steps_the_answer_and_what_it_used(terminal) -> None:
    chat = terminal(CHOSEN, CALLED, DONE, told(ANSWER))
    chat.type("What is there?" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    check_screen("turn.txt", chat)


def test_one_step_is_opened_with_what_led_to_it(terminal) -> None:
    chat = terminal(CHOSEN, CALLED, DONE, told("One."))
    chat.type("What is there?" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    chat.type("/trace 2" + ENTER)
    shown = chat.sees('"method": "GET"')
    assert "complete caller" in shown
    assert "things__list_things" in shown
    chat.sees(PROMPT)
    chat.type("/trace 99" + ENTER)
    chat.sees("/trace lists them")


def test_an_agent_of_a_manifest_streams(talk) -> None:
    chat = talk(
        "# Bills\n\nThe first is paid, and the second one is not yet.\n\nThat is all of it."
    )
    chat.type("Which are there?" + ENTER)
    chat.sees("asking scripted, 0 s")
    chat.sees("The first")
    assert not [line for line in chat.display if "That is all" in line]
    chat.sees("done ")
    chat.sees(PROMPT)
    check_screen("manifest.txt", chat)


def test_40_columns_and_japanese(talk) -> None:
    answer = (
        "# 注文\n\nご注文は三つあります。すべて今日の午後に発送されますので、"
        "どうぞお待ちください。\n\n"
        "| 品名 | 数 |\n|---|--:|\n| 鉛筆 | 12 |\n\nThank you for your patience with us today."
    )
    chat = talk(answer, columns=40, lines=24)
    chat.type("注文は?" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    check_screen("japanese.40.txt", chat)


def test_a_long_table_scrolls_and_nothing_of_it_is_lost(talk) -> None:
    rows = [f"| {number} | film {number} | {'x' * (number % 9 + 1)} |" for number in range(60)]
    chat = talk("\n".join(["| id | film | mark |", "|--:|---|---|", *rows]), columns=60, lines=20)
    chat.type("All films" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    lines = [line.split() for line in chat.display]
    assert [line for line in lines if line[1:2] == ["film"] and line[0].isdecimal()] == [
        [str(number), "film", str(number), "x" * (number % 9 + 1)] for number in range(60)
    ]


def test_an_escape_sequence_of_a_model_does_nothing(talk) -> None:
    chat = talk("Red \x1b[31m\x1b]0;title\x07\x1b[2J\x1b[H and [a](https://e.org/\x9b2J).\n\nEnd.")
    chat.type("Colours?" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    assert any("Red \\x1b[31m\\x1b]0;title" in line for line in chat.display)
    assert b"\x1b]0;" not in chat.raw
    assert chat.screen.title == ""


WORDS = " ".join(f"word{number}" for number in range(200))


def test_ctrl_c_while_words_come_leaves_them(talk) -> None:
    chat = talk(f"First.\n\n{WORDS}", "Here.")
    chat.type("Tell me" + ENTER)
    chat.sees("word9 ")
    stopped_at = time.monotonic()
    chat.type(CTRL_C)
    chat.sees("stopped; /resume")
    assert time.monotonic() - stopped_at < 3
    assert [line for line in chat.display if line.startswith("word0 word1")]
    chat.sees(PROMPT)
    chat.type("Still there?" + ENTER)
    chat.sees("Here.")


def test_ctrl_c_while_a_server_is_waited_for(terminal, server) -> None:
    chat = terminal(SLOW, HANGS, ("selector", {"tools": [], "answer": "Here."}))
    chat.type("Get it" + ENTER)
    chat.sees("waiting for things__get_thing, 1 s")
    chat.type(CTRL_C)
    chat.sees("goes on with it", within_s=5)
    chat.sees(PROMPT)
    chat.type("Still there?" + ENTER)
    chat.sees("Here.")


def test_ctrl_c_at_a_question_sends_nothing(terminal, server) -> None:
    chat = terminal(WRITES, WRITE, ("selector", {"tools": [], "answer": "Here."}))
    chat.type("Add it" + ENTER)
    chat.sees("[y/N] ")
    chat.type(CTRL_C)
    chat.sees("goes on with it", within_s=5)
    chat.sees(PROMPT)
    assert server.requests == []
    chat.type("Still there?" + ENTER)
    chat.sees("Here.")


def test_what_is_typed_during_an_answer_comes_next(talk) -> None:
    chat = talk(WORDS, "Second.", "Third.")
    chat.type("Tell me" + ENTER)
    chat.sees("word3 ")
    chat.type("and thex\x7fn" + ENTER + paste("two\nlines") + ENTER + "begun")
    chat.sees("next     and then")
    chat.sees("> begun")
    chat.sees("> and then\r\n")
    chat.sees("Second.")
    chat.sees("> two\r\nlines")
    chat.sees("Third.")
    # What was not sent is where the next message is written.
    chat.sees("done ")
    chat.sees("> begun")


def test_what_is_typed_is_kept_back_where_the_answer_is_stopped(talk) -> None:
    chat = talk(WORDS, "Second.")
    chat.type("Tell me" + ENTER)
    chat.sees("word3 ")
    chat.type("and then" + ENTER)
    chat.sees("next     and then")
    chat.type(CTRL_C)
    chat.sees("stopped")
    chat.sees("> and then")
    chat.type("?" + ENTER)
    chat.sees("Second.")


def test_a_terminal_that_gets_narrower_loses_nothing(talk) -> None:
    chat = talk(f"First.\n\n{WORDS}\n\nLast.", "Here.", columns=80, lines=30)
    chat.type("Tell me" + ENTER)
    chat.sees("word20 ")
    chat.resize(40, 30)
    chat.sees("done ")
    chat.sees(PROMPT)
    text = " ".join(" ".join(chat.display).split())
    assert "First." in text
    assert "Last." in text
    assert max(map(len, chat.display)) <= 40


def test_a_paste_of_200_lines_is_one_message(talk) -> None:
    text = "\n".join(f"line {number}" for number in range(200))
    chat = talk("Read.", "Nothing else.")
    chat.type(paste(text) + ENTER)
    chat.sees("Read.")
    chat.sees(PROMPT)
    chat.type("/trace" + ENTER)
    chat.sees("line 198 line 199")
    chat.type(CTRL_D)


def test_the_history_is_there_after_a_restart(talk) -> None:
    first = talk("One.")
    first.type("a first question" + ENTER)
    first.sees("One.")
    first.sees(PROMPT)
    first.type(CTRL_D)
    assert first.ends() == 0
    again = talk("Two.")
    again.type("a fi\x1b[A")
    again.sees("a first question")
    again.type(CTRL_C)
    again.sees(PROMPT)
    again.type("\x12first")
    again.sees("a first question")
    again.type(ENTER + ENTER)
    again.sees("Two.")


def test_files_are_completed_and_put_beneath_the_message(talk, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Buy seals.", "utf-8")
    chat = talk("Done.")
    chat.type(f"Do @{tmp_path}/no")
    chat.sees("notes.md")
    chat.type(TAB)
    chat.type(" now" + ENTER)
    chat.sees("in the message? [y/N] ")
    chat.type("y\n")
    chat.sees("characters")
    chat.sees("Done.")
    chat.sees(PROMPT)
    chat.type("/trace" + ENTER)
    chat.sees("Buy seals.")


def test_an_answer_is_copied_and_a_message_edited(talk, tmp_path: Path, monkeypatch) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\necho 'edited words' > \"$1\"\n", "utf-8")
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    chat = talk("```\nseals\n```", "Two.")
    chat.type("One" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    chat.type("/copy code" + ENTER)
    chat.sees("copied 6 characters")
    assert b"\x1b]52;c;" + base64.b64encode(b"seals\n") + b"\x07" in chat.raw
    chat.sees(PROMPT)
    chat.type("/edit" + ENTER)
    chat.sees("> edited words")
    chat.sees("Two.")


def test_warnings_are_counted_and_listed_when_asked_for(opened, tmp_path: Path) -> None:
    path = tmp_path / "clerk.yaml"
    path.write_text("title: Clerk\nprompt: Be brief.\nfirst: 1\nsecond: 2\n", "utf-8")
    chat = opened([], str(path), greeting="2 warnings; /problems lists them.")
    assert not [line for line in chat.display if "warning:" in line]
    chat.type("/problems" + ENTER)
    chat.sees("first")
    chat.sees("second")


def test_nothing_flickers(talk) -> None:
    """Each change of what moves is one write, which a terminal draws at once."""
    chat = talk(f"First.\n\n{WORDS}")
    chat.type("Tell me" + ENTER)
    chat.sees("done ")
    chat.sees(PROMPT)
    erased = [found.start() for found in re.finditer(rb"\x1b\[J", chat.raw)]
    begun = [found.start() for found in re.finditer(rb"\x1b\[\?2026h", chat.raw)]
    ended = [found.start() for found in re.finditer(rb"\x1b\[\?2026l", chat.raw)]
    assert len(begun) == len(ended) > 5
    spans = list(zip(begun, ended, strict=True))
    within = [at for at in erased if any(start < at < end for start, end in spans)]
    assert len(within) == len(begun)


def test_a_manifest_says_how_both_are_called(opened, tmp_path: Path) -> None:
    path = tmp_path / "desk.yaml"
    path.write_text("title: Clerk\nprompt: Be brief.\nbot: Desk\nyou: Customer\n", "utf-8")
    chat = opened(["Hello."], str(path), greeting="Desk: Ask")
    assert chat.display[-1] == "Customer>"
    chat.type("Hi" + ENTER)
    chat.sees("Desk: Hello.")
