"""What ends `run` and `test` with 3, chats that last, and variables of a file."""

from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path

import pytest
from tests.support.manifests.stub import calling, saying, serving

from restwright.cli.render.images import ShowingCode, print_images, take_images
from restwright.cli.render.output import Output
from restwright.cli.runs.failures import list_failed_calls
from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall
from restwright.testing import ScriptedModel

GREET = {"name": "greet", "description": "g", "parameters": {"type": "object"}}
GIVEN = {"title": "Greeter", "prompt": "p", "bot": "Ana", "functions": [GREET]}
OURS = """\
agent: calling
prompt: Work.
functions: [{{name: ask}}]
actions: {{ask: {{type: rest, url: '{url}/x'}}}}
samples: [{{name: first, text: Ask., calls: [ask]}}]
"""


@pytest.fixture
def scripted(restwright):
    def put(*script):
        model = ScriptedModel(script)
        restwright.find_model(lambda *_: model)
        return model

    return put


@pytest.mark.parametrize("status", [200, 500])
def test_a_call_that_failed_ends_run_and_test_with_3(restwright, scripted, tmp_path, status):
    path = tmp_path / "a.yaml"
    with serving(lambda _: (status, {})) as stub:
        path.write_text(OURS.format(url=stub.url), "utf-8")
        scripted(calling("ask", {}), saying("It is well."))
        host = ("--allow-host", "127.0.0.1")
        ran = restwright("run", str(path), "Ask.", "--no-journal", *host)
        scripted(calling("ask", {}), saying("It is well."))
        tested = restwright("test", str(path), *host)
    assert ran.out == "It is well.\n"
    assert (ran.code, tested.code) == ((0, 0) if status == 200 else (3, 3))
    assert ("a call failed: a__ask" in tested.out) == (status == 500)


def test_a_call_that_was_made_again_with_success_has_not_failed() -> None:
    calls = [("a", "mismatch"), ("a", "ok"), ("b", "ok"), ("b", "no_response")]
    steps = [{"step": "call", "tool": tool, "outcome": kind, "text": ""} for tool, kind in calls]
    assert list_failed_calls([{"step": "answer"}, *steps]) == ("b: no_response",)


def test_autotests_tell_a_failed_call_too(restwright, scripted, tmp_path):
    path = tmp_path / "g.json"
    path.write_text(json.dumps({**GIVEN, "sample": ["One", "Two"]}), "utf-8")
    scripted(calling("greet", {}), saying("Hi."), saying("Ho."))
    ended = restwright("test", str(path))
    assert ended.code == 3
    assert "One: FAILED (a call failed: g__greet" in ended.out
    assert "g: Two: ok" in ended.out


def test_samples_are_said_by_name_and_item_by_item_under_the_label(restwright, scripted, tmp_path):
    path = tmp_path / "g.json"
    path.write_text(json.dumps({**GIVEN, "sample": "Zero", "sample2": ["One", "Two"]}), "utf-8")
    scripted(saying("First."), saying("Second."))
    ended = restwright("chat", str(path), stdin="/sample sample2\n")
    assert ended.out.splitlines() == ["> One", "Ana: First.", "Ana: Second."]
    ours = tmp_path / "ours.yaml"
    ours.write_text("agent: calling\nprompt: p\nsamples: [{name: crowns, text: How many?}]\n")
    scripted("Nine.")
    ended = restwright("chat", str(ours), stdin="/sample crowns\n")
    assert ended.out.splitlines() == ["> How many?", "Nine."]
    assert "agents of Restwright's manifests" in ended.err


def test_chats_are_there_the_next_day(restwright, scripted, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "g.json"
    path.write_text(json.dumps(GIVEN), "utf-8")
    scripted(saying("First."), saying("Third."))
    restwright("chat", str(path), stdin="Hello\n/bye\n")
    ended = restwright("chat", str(path), stdin="/import\n/import 1\n/history\nGoing on\n")
    assert "1: g" in ended.out
    assert "user: Hello" in ended.out


def test_two_agents_of_ours_hand_over_in_a_circle(restwright, scripted, tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        more = f"functions: [{{name: f}}]\nagents: {{{other}: {other}.yaml}}\n"
        text = f"agent: calling\nprompt: {name}.\n{more}"
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    over = [calling(f"hand_over_to_{name}", {"message": "Go."}) for name in "ba"]
    model = scripted(*over, saying("Here."))
    ended = restwright("run", str(tmp_path / "a.yaml"), "Go.", "--no-journal")
    assert (ended.code, ended.out) == (0, "Here.\n")
    assert [each.messages[0].text[:2] for each in model.asked] == ["a.", "b.", "a."]
    scripted(*over * 5)
    assert restwright("run", str(tmp_path / "a.yaml"), "Go.", "--no-journal").code == 3


def test_variables_of_a_file_are_there_while_a_command_runs(restwright, scripted, tmp_path):
    (tmp_path / ".env").write_text("# key\nexport SLASH_GPT_ENV_KEY='s3 cret'\nEMPTY=\n", "utf-8")
    with serving() as stub:
        action = {"type": "rest", "url": f"{stub.url}/x", "appkey": "KEY"}
        action["headers"] = {"X-Key": "{appkey}"}
        path = tmp_path / "g.json"
        path.write_text(json.dumps({**GIVEN, "actions": {"greet": action}}), "utf-8")
        scripted(calling("greet", {}), saying("Hi."))
        options = ("--env-file", str(tmp_path / ".env"), "--allow-host", "127.0.0.1")
        assert restwright("run", str(path), "x", *options).code == 0
    assert stub.received[0].headers["x-key"] == "s3 cret"
    assert "SLASH_GPT_ENV_KEY" not in os.environ
    (tmp_path / ".env").write_text("no line\n", "utf-8")
    assert "line 1 of" in restwright("run", str(path), "x", *options).err


def test_the_form_of_a_file_does_not_change_by_a_temperature(restwright, scripted, tmp_path):
    whose = {}
    for name, text in {
        "a.yaml": "prompt: p\n",
        "b.yaml": "prompt: p\ntemperature: 0.2\n",
        "c.yaml": "agent: calling\nprompt: p\n",
        "d.yaml": "agent: calling\nprompt: p\ntemperature: 0.2\n",
        "e.yaml": "format: restwright\nprompt: p\n",
        "f.json": '{"format": "slashgpt", "prompt": "p", "agents": {}}',
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
        scripted()
        said = restwright("chat", str(tmp_path / name), stdin="").err
        whose[name[0]] = "SlashGPT" in said
    assert whose == {"a": True, "b": True, "c": False, "d": False, "e": False, "f": True}


def test_errors_say_what_is_expected(restwright, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("agent: calling\nfunctions: [{name: f}]\nactions: {f: {type: soap}}\n", "utf-8")
    assert "write one of rest, graphQL" in restwright("run", str(path), "x").err
    assert "no such file" in restwright("run", str(tmp_path / "none.json"), "x").err.lower()
    assert "no such file" in restwright("run", str(tmp_path / "none.yaml"), "x").err.lower()


PNG = {"name": "cell-1-1.png", "media_type": "image/png", "content": "AAAA"}


def test_images_are_kept_for_who_shows_them(capsys, monkeypatch, tmp_path):
    run = ShowingCode(lambda _: CodeAnswer(text="t", data=(PNG, 7)))
    run(CodeCall(agent="a", kind="notebook", function="f", arguments={}))
    images = take_images(run)
    assert (images, take_images(run), take_images(None)) == ([PNG], [], [])
    print_images(images, Output())
    said = capsys.readouterr()
    written = Path(said.err.split()[-1])
    assert (said.out, written.read_bytes()) == ("", base64.b64decode("AAAA"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_images(images, Output(), {"KITTY_WINDOW_ID": "1"})
    assert capsys.readouterr().out == "\x1b_Ga=T,f=100,m=0;AAAA\x1b\\\n"
    print_images(images, Output(), {"TERM_PROGRAM": "iTerm.app"})
    assert capsys.readouterr().out == "\x1b]1337;File=inline=1:AAAA\x07\n"
