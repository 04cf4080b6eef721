"""`chat` through pipes: each line is a message."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.planned import planned

from restwright.cli.chat.loop import command_in
from restwright.cli.chat.shared_commands import help_lines
from restwright.cli.chat.slash_commands import COMMANDS
from restwright.errors import ModelUnavailable
from restwright.testing import Reply, ScriptedModel

HELP = Path(__file__).parents[2] / "golden" / "chat" / "help.txt"
SCRIPTED = Path(__file__).parents[2] / "support" / "programs" / "scripted_chat.py"
CANARY = "canary-7c11e0d2"
READ = {"tool": "things__list_things", "arguments": {}}
WRITE = {"tool": "things__add_thing", "arguments": {"thing_id": 1}}


def chosen(*names: str, answer: str = "") -> Reply:
    tools = [{"reason": "r", "name": f"things__{each}"} for each in names]
    return ("selector", {"tools": tools, "answer": answer})


def calls(*made: dict[str, Any]) -> Reply:
    return ("caller", {"calls": list(made)})


def told(text: str) -> Reply:
    return ("describer", {"answer": text})


READS: list[Reply] = [chosen("list_things"), calls(READ), calls(), told("One thing is there.")]
WRITES: list[Reply] = [chosen("add_thing"), calls(WRITE), calls(), told("It is added.")]
HELLO: list[Reply] = [chosen(answer="Hello.")]


@pytest.fixture
def chat(restwright, things: str, server, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run `chat` with lines, and with a model that has a script."""
    monkeypatch.setenv("CANARY", CANARY)

    def run(
        *lines: str,
        script: list[Reply] | None = None,
        argv: tuple[str, ...] = (),
        model: ScriptedModel | None = None,
    ):
        run.model = model or ScriptedModel(script or [])

        def scripted(name: str | None, _: str | None) -> ScriptedModel:
            if name == "nowhere":
                raise ModelUnavailable(name, "there is none", "name another")
            return run.model

        restwright.find_model(scripted)
        api = ("-a", f"things={things}", "--server", server.url, "--header", "X-Key: env:CANARY")
        stdin = "".join(f"{each}\n" for each in lines)
        return restwright("chat", *api, "--agent", "calling", *argv, stdin=stdin)

    return run


def test_each_line_is_a_message_that_knows_those_before(chat, server) -> None:
    ended = chat("What is there?", "", "And of those?", script=[*READS, *HELLO])
    assert (ended.code, ended.out) == (0, "One thing is there.\nHello.\n")
    assert "User: What is there?" in chat.model.asked[-1].messages[-1].text
    assert len(server.requests) == 1


def test_a_backslash_joins_lines(chat) -> None:
    chat("one\\", "two", script=HELLO)
    assert chat.model.asked[0].messages[-1].text == "one\ntwo"


def test_a_line_that_begins_with_a_space_is_a_message(chat) -> None:
    chat(" /quit is a word", script=HELLO)
    assert chat.model.asked[0].messages[-1].text == "/quit is a word"


def test_with_json_there_is_one_document(chat) -> None:
    ended = chat("Hello", "/help", "What is there?", script=[*HELLO, *READS], argv=("--json",))
    first, second = ended.json["turns"]
    assert (first["answer"], second["answer"]) == ("Hello.", "One thing is there.")
    assert [each["tool"] for each in second["calls"]] == ["things__list_things"]
    assert ended.json["session"] == first["session"]


def test_a_write_is_refused_without_a_terminal(chat, server) -> None:
    ended = chat("Add it.", script=WRITES)
    assert (ended.code, server.requests) == (3, [])
    assert "refused" in ended.err
    assert "send it with --yes, or ask on a terminal" in ended.err


def test_a_write_is_sent_with_yes(chat, server) -> None:
    ended = chat("Add it.", script=WRITES, argv=("--yes",))
    assert (ended.code, ended.out) == (0, "It is added.\n")
    assert [each[0] for each in server.requests] == ["POST"]


def test_what_an_option_says_of_a_tool_holds_after_an_approval_too(chat, server) -> None:
    for argv in (("--class", "list_things=write"), ("--class", "list_things=write", "--read-only")):
        ended = chat("/approve reads", "What is there?", script=HELLO, argv=argv)
        assert "list_things" not in chat.model.asked[0].messages[0].text
        assert (ended.code, server.requests) == (0, [])


def test_a_program_cannot_approve_writes(chat, server) -> None:
    ended = chat("/approve all", "Add it.", script=WRITES)
    assert (ended.code, server.requests) == (1, [])
    assert "--yes alone" in ended.err


def test_reads_alone_can_be_approved(chat, server) -> None:
    ended = chat("/approve reads", "Add it.", script=HELLO, argv=("--yes",))
    assert "* reads" in ended.out
    assert "add_thing" not in chat.model.asked[0].messages[0].text
    assert server.requests == []


def test_what_was_approved_holds_for_that_chat_alone(chat) -> None:
    session = chat("What is there?", script=READS, argv=("--json",)).json["session"]
    ended = chat("/approve reads", f"/resume {session}", "/approve")
    marked = [each.split()[1] for each in ended.out.splitlines() if each.startswith("* ")]
    assert marked == ["reads", "ask"]
    assert "what was approved does not hold here: /approve ask" in ended.err
    assert "does not hold" not in chat(f"/resume {session}").err


def test_read_only_cannot_be_taken_back(chat) -> None:
    ended = chat("/approve ask", argv=("--read-only",))
    assert ended.code == 1
    assert "begun with --read-only" in ended.err


def test_help_is_its_golden_file() -> None:
    assert "\n".join(help_lines(COMMANDS)) + "\n" == HELP.read_text("utf-8")


def test_every_command_is_in_the_help(chat) -> None:
    ended = chat("/help", "/help UNDO")
    assert all(f"/{name}" in ended.out for name in COMMANDS)
    assert ended.out.endswith("/undo: Forget the last message; what was sent stays sent.\n")


def test_the_page_about_the_chat_has_every_command() -> None:
    page = (Path(__file__).parents[3] / "docs" / "chat.md").read_text("utf-8")
    assert all(f"`/{name}" in page for name in COMMANDS)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/hlep", "did you mean /help?"),
        ("/tol", "did you mean /tools?"),
        ("/xyzzy", "see /help"),
        ("/show", "needs the NAME"),
        ("/show nothing", "nothing"),
        ("/agent none", "there are rest, calling, react, plan, dfsdt"),
        ("/approve maybe", "there are reads, ask, writes, all"),
        ("/quit now", "takes nothing"),
        ("/save", "needs a FILE"),
        ("/save /absent/folder/x.md", "no file can be written there"),
        ("/save ~nobody-of-this-name/x.md", "no file can be written there"),
        ("/save a\0b", "no file can be written there"),
        (f"/save {'x' * 250}", f"cannot use {'x' * 250}: File name too long"),
        ("/resume nothing", "there is no session of that id"),
        ("/model nowhere", "there is none"),
    ],
)
def test_a_command_that_makes_no_sense_is_one_line_and_the_chat_goes_on(chat, line, said) -> None:
    ended = chat(line, "Hello", script=HELLO)
    (error,) = [each for each in ended.err.splitlines() if each.startswith("error: ")]
    assert said in error
    assert (ended.code, ended.out) == (1, "Hello.\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/help", ("help", "")),
        ("/show  x y ", ("show", "x y")),
        ("/?", ("?", "")),
        ("/orders/7 fails", None),
        ("/help\nme", None),
        (" /help", None),
        ("help", None),
    ],
)
def test_what_a_command_is(text, found) -> None:
    assert command_in(text) == found


def test_tools_are_listed_searched_and_shown(chat) -> None:
    ended = chat("/tools", "/tools add a thing", "/show get_thing")
    first, *_ = ended.out.splitlines()
    assert first.startswith("things__add_thing\tPOST\t/things\t")
    assert "3 tools (2 reads, 1 write); see /show NAME" in ended.err
    assert "GET /things/{thing_id}" in ended.out
    assert ended.code == 0


def test_the_trace_and_the_cost_are_told(chat) -> None:
    ended = chat("/trace", "What is there?", "/trace", "/cost", script=READS)
    assert ended.out.startswith("Nothing was asked yet.\n")
    assert "asked    What is there?\n    complete selector (" in ended.out
    assert "call     GET http://" in ended.out
    assert "call     things__list_things {}: ok" in ended.out
    rows = [line.split("\t") for line in ended.out.splitlines() if "\t" in line]
    assert [each[:2] for each in rows] == [
        ["selector", "1"],
        ["caller", "2"],
        ["describer", "1"],
        ["all", "4"],
    ]
    assert ended.out.endswith("things: 1 HTTP call\ncost: not known of scripted\n")


def test_the_agent_and_the_model_are_changed(chat) -> None:
    script: list[Reply] = [
        planned(),
        ("answer", {"answer": "I can list."}),
    ]
    ended = chat("/agent", "/agent rest", "/model other", "What can you do?", script=script)
    assert ended.out == (
        "The agent is calling.\nThe agent is rest.\nThe model is scripted.\nI can list.\n"
    )


def test_undo_forgets_and_says_what_was_sent(chat) -> None:
    script = [*WRITES, *HELLO]
    ended = chat("Add it.", "/undo", "/undo", "Hi", script=script, argv=("--yes",))
    assert (
        'Forgotten: Add it.\nWhat was sent cannot be undone:\n  things__add_thing {"thing_id"'
        in (ended.out)
    )
    assert "took effect\nThere is nothing to undo.\nHello.\n" in ended.out
    assert chat.model.asked[-1].messages[-1].text == "Hi"


@pytest.mark.parametrize("name", ["chat.md", "chat.jsonl"])
def test_a_chat_is_saved_for_its_user_alone_and_never_over_another(chat, tmp_path, name) -> None:
    path = tmp_path / name
    ended = chat("What is there?", f"/save {path}", f"/save {path}", script=READS)
    assert "1 turn in" in ended.out
    assert "it exists and was left as it is" in ended.err
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text("utf-8")
    assert "One thing is there." in text
    assert CANARY not in text
    if name.endswith(".jsonl"):
        (turn,) = map(json.loads, text.splitlines())
        assert (turn["question"], turn["stopped"]) == ("What is there?", "answered")
    else:
        assert (
            "> What is there?\n\nOne thing is there.\n\n- `things__list_things {}` -> 200" in text
        )


def test_what_a_terminal_would_act_on_is_escaped_in_all_that_is_shown(chat, tmp_path) -> None:
    path = tmp_path / "chat.md"
    bad = "red \x1b[31m and \u202e hidden"
    ended = chat("Hi", "/trace", f"/save {path}", script=[chosen(answer=bad)])
    for each in (ended.out, ended.err, path.read_text("utf-8")):
        assert "\x1b" not in each
        assert "\u202e" not in each
    assert "\\x1b[31m" in ended.out


def test_a_chat_is_taken_up_again_with_what_was_said(chat) -> None:
    session = chat("What is there?", script=READS, argv=("--json",)).json["session"]
    ended = chat("And?", "/cost", script=HELLO, argv=("--resume", session))
    assert "User: What is there?" in chat.model.asked[0].messages[-1].text
    assert f"session  {session}, 1 turn so far\n> What is there?\n" in ended.err
    assert "all\t5" in ended.out
    listed = chat("/resume").out.splitlines()
    assert [each.split("\t")[0::2] for each in listed] == [[session, "2"]]
    assert chat(f"/resume {session}").err.count("> ") == 2


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelUnavailable("far", "it is off", "turn it on"), "it is off; turn it on"),
        (RuntimeError("boom"), "boom"),
    ],
)
def test_a_turn_that_fails_does_not_end_the_chat(chat, error, said) -> None:
    class Failing(ScriptedModel):
        def complete(self, request: Any, *, deadline_s: float) -> Any:
            if len(self.asked) == 0:
                self.asked.append(request)
                raise error
            return super().complete(request, deadline_s=deadline_s)

    ended = chat("One", "Two", model=Failing(HELLO))
    assert (ended.code, ended.out) == (1, "Hello.\n")
    assert said in ended.err
    assert "User: One" in chat.model.asked[-1].messages[-1].text


def test_a_turn_that_failed_goes_on_when_the_chat_is_taken_up(chat, server) -> None:
    model = Breaking(READS[:-1])
    broken = chat("What is there?", model=model, argv=("--json",)).json
    assert broken["turns"][0]["stopped"] == "error"
    ended = chat("Thanks", script=[READS[-1], *HELLO], argv=("--resume", broken["session"]))
    assert (ended.code, ended.out) == (0, "One thing is there.\nHello.\n")
    assert len(server.requests) == 1
    listed = chat("/resume").out.split("\t")
    assert (listed[0], listed[2]) == (broken["session"], "2")


class Breaking(ScriptedModel):
    """Breaks off where it is first asked to describe."""

    def complete(self, request: Any, *, deadline_s: float) -> Any:
        if request.role == "describer" and not any(each.role == "describer" for each in self.asked):
            self.asked.append(request)
            raise RuntimeError("broken")
        return super().complete(request, deadline_s=deadline_s)


def sessions_in(ended: Any) -> list[str]:
    return [each["session"] for each in ended.json["turns"]]


def test_a_turn_before_the_last_goes_on_where_it_is_named(chat, server) -> None:
    model = Breaking([*HELLO, *READS[:-1], *HELLO])
    argv = ("--json",)
    first, broken, _ = sessions_in(chat("Hi", "What is there?", "Ho", model=model, argv=argv))
    ended = chat(f"/resume {broken}", script=[READS[-1]])
    assert (ended.code, ended.out) == (0, "One thing is there.\n")
    assert len(server.requests) == 1
    ended = chat(f"/resume {first}", "/trace", script=[])
    assert "interrupted" not in ended.err
    assert "Ho" in ended.out


def test_what_can_be_gone_on_with_is_told(chat) -> None:
    model = Breaking([*READS[:-1], *HELLO])
    broken, last = sessions_in(chat("What is there?", "Hi", model=model, argv=("--json",)))
    line = f"interrupted: What is there?; /resume {broken} goes on with it\n"
    # Its id is that of the chat, which a program may want alone.
    for name in (broken, last):
        ended = chat("/trace", argv=("--resume", name))
        assert line in ended.err
        assert ended.code == 0
    ended = chat(f"/resume {broken}", script=[READS[-1]], argv=("--resume", broken))
    assert ended.out == "One thing is there.\n"


def test_what_was_sent_since_is_told_before_a_turn_goes_on(chat, server) -> None:
    model = Breaking([*HELLO, *READS[:-1], *WRITES])
    argv = ("--json", "--yes")
    _, broken, _ = sessions_in(chat("Hi", "What is there?", "Add it", model=model, argv=argv))
    ended = chat(f"/resume {broken}", script=[READS[-1]])
    assert 'sent since then: things__add_thing {"thing_id": 1}: took effect\n' in ended.err
    assert [each[0] for each in server.requests] == ["GET", "POST"]


def test_a_turn_that_was_undone_is_not_gone_on_with(chat) -> None:
    model = Breaking([*HELLO, *READS[:-1]])
    ended = chat("Hi", "What is there?", "/resume", "/undo", model=model, argv=("--json",))
    broken = ended.err.partition("; /resume ")[2].split()[0]
    ended = chat(f"/resume {broken}")
    assert f"{broken} was undone, or is too far back to be gone on with\n" in ended.err


@pytest.mark.process
def test_a_line_that_is_no_text_is_left_out_and_the_others_are_taken(
    things: str, server, tmp_path: Path
) -> None:
    script = tmp_path / "replies.json"
    script.write_text(json.dumps(HELLO * 2), "utf-8")
    api = ("-a", f"things={things}", "--server", server.url, "--agent", "calling")
    ended = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, str(SCRIPTED), str(script), *api],
        input=b"Hi\n" + b"Zubeh\xf6r\n" + "Zubehör\n".encode(),
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, b"Hello.\nHello.\n")
    assert ended.stderr.count(b"error: a message that is not UTF-8 was left out") == 1


def test_without_an_api_it_says_what_is_needed(restwright) -> None:
    ended = restwright("chat")
    assert (ended.code, ended.out) == (2, "")
    assert "-a DOC" in ended.err


def test_nothing_is_kept_where_that_is_not_wanted(chat, restwright) -> None:
    ended = chat("Hi", "/resume", script=HELLO, argv=("--no-journal",))
    assert "this chat is not kept" in ended.err
    assert restwright("sessions", "list", "--json").json["sessions"] == []


def test_no_secret_is_in_any_file_of_the_user(chat, home: Path) -> None:
    chat("What is there?", "/trace", script=READS)
    kept = [each for each in home.rglob("*") if each.is_file()]
    assert kept
    assert not any(CANARY.encode() in each.read_bytes() for each in kept)
