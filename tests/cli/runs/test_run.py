"""How a run is shown while it goes on, and how it ends."""

from __future__ import annotations

import json
import os

import pytest
from typer import BadParameter

from restwright.agents.steps import Answer, CallRecord, Event, RoleUsage, Usage
from restwright.cli.render.output import Output
from restwright.cli.runs.run import answer_json, check_trace, finish
from restwright.cli.screen.screen import progress
from restwright.workspace.output_files import write_whole

ANSWER = Answer(
    text="Seven.",
    stopped="answered",
    steps=({"step": "plan", "text": "count"},),
    calls=(
        CallRecord(
            tool="things__list_things", method="GET", path="/things", arguments={}, status=200
        ),
    ),
    usage=Usage(
        model_calls=3,
        input_tokens=10,
        output_tokens=2,
        http_calls=1,
        elapsed_s=1.25,
        cost=0.5,
        roles={"planner": RoleUsage(model_calls=3, input_tokens=10, output_tokens=2)},
        apis={"things": 1},
    ),
)
TRACE = {
    "answer": "Seven.",
    "steps": [{"step": "plan", "text": "count"}],
    "calls": [
        {
            "tool": "things__list_things",
            "method": "GET",
            "path": "/things",
            "arguments": {},
            "status": 200,
        }
    ],
    "usage": {
        "model_calls": 3,
        "input_tokens": 10,
        "output_tokens": 2,
        "http_calls": 1,
        "elapsed_s": 1.25,
        "cost": 0.5,
        "roles": {
            "planner": {
                "model_calls": 3,
                "input_tokens": 10,
                "output_tokens": 2,
                "elapsed_s": 0.0,
                "cache_read_tokens": 0,
                "cache_write_tokens": 0,
                "reasoning_tokens": 0,
            }
        },
        "apis": {"things": 1},
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
    },
    "stopped": "answered",
    "reason": "",
}


def test_the_answer_is_all_that_standard_output_gets(capsys):
    assert finish(ANSWER, Output(), trace=None) == 0
    captured = capsys.readouterr()
    assert captured.out == "Seven.\n"
    assert captured.err == "done     1 HTTP call, 3 model calls, 10+2 tokens, 1.2 s, $0.5000\n"


def test_with_json_the_whole_trace_is_printed(capsys):
    assert finish(ANSWER, Output(json=True), trace=None) == 0
    assert json.loads(capsys.readouterr().out) == TRACE == answer_json(ANSWER)


def test_the_trace_file_holds_the_same(tmp_path, capsys):
    path = tmp_path / "trace.json"
    finish(ANSWER, Output(quiet=True), trace=path)
    assert json.loads(path.read_text(encoding="utf-8")) == TRACE
    assert [each.name for each in tmp_path.glob("*trace*")] == ["trace.json"]
    assert capsys.readouterr() == ("Seven.\n", "")


def test_a_file_that_cannot_be_written_whole_is_left_as_it_was(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert [*tmp_path.glob("*.json*")] == [path]


def test_an_error_of_writing_names_the_file_of_the_user(tmp_path):
    path = tmp_path / "absent" / "trace.json"
    with pytest.raises(FileNotFoundError) as error:
        write_whole(path, "{}")
    assert error.value.filename == str(path)


@pytest.mark.parametrize("out", [Output(), Output(json=True), Output(quiet=True)])
def test_an_answer_is_printed_though_its_trace_cannot_be_written(out, tmp_path, capsys):
    path = tmp_path / "absent" / "trace.json"
    assert finish(ANSWER, out, trace=path) == 1
    captured = capsys.readouterr()
    assert (json.loads(captured.out)["answer"] if out.json else captured.out) in {
        *("Seven.", "Seven.\n"),
    }
    why = f"error: the trace is not in {path}: No such file or directory"
    assert captured.err.splitlines()[-1] == why


def test_a_trace_that_could_not_be_written_is_refused_before(tmp_path):
    there = {*tmp_path.iterdir()}
    # The file that is written beside it first has a longer name.
    for name in ("absent/trace.json", "t" * 250, ""):
        with pytest.raises(BadParameter, match="no file can be written there"):
            check_trace(tmp_path / name)
    check_trace(tmp_path / "trace.json")
    check_trace(None)
    assert {*tmp_path.iterdir()} == there


def test_a_trace_in_a_folder_that_is_not_ours_is_refused_before(tmp_path):
    tmp_path.chmod(0o500)
    try:
        if os.access(tmp_path, os.W_OK):
            pytest.skip("this user may write everywhere")
        with pytest.raises(BadParameter, match="Permission denied"):
            check_trace(tmp_path / "trace.json")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("stopped", "code"),
    [("answered", 0), ("limit", 3), ("question", 3), ("refused", 3), ("error", 1)],
)
def test_the_exit_code_says_how_the_run_ended(stopped, code, capsys):
    answer = Answer(text="", stopped=stopped, reason="why")
    assert finish(answer, Output(json=True), trace=None) == code
    assert json.loads(capsys.readouterr().out)["stopped"] == stopped


def test_a_stopped_run_says_why(capsys):
    finish(Answer(text="", stopped="limit", reason="25 HTTP calls"), Output(), trace=None)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == "stopped  limit: 25 HTTP calls"


def test_a_stopped_run_says_why_though_it_is_quiet(capsys):
    answer = Answer(text="", stopped="limit", reason="25 HTTP calls")
    finish(answer, Output(quiet=True), trace=None)
    assert capsys.readouterr() == ("", "error: limit: 25 HTTP calls\n")


def test_a_way_out_is_told_last(capsys):
    answer = Answer(text="", stopped="refused", reason="a write was not allowed")
    finish(answer, Output(), trace=None, way_out="send it with --yes")
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "stopped  refused: a write was not allowed",
        "way out  send it with --yes",
    ]
    finish(answer, Output(quiet=True), trace=None, way_out="send it with --yes")
    assert capsys.readouterr().err == (
        "error: refused: a write was not allowed; send it with --yes\n"
    )


def test_progress_is_a_line_an_event_on_standard_error(capsys):
    show = progress(Output())
    show(Event("plan", "count \x1b[2Jthings"))
    show(Event("call", "GET http://h/things"))
    show(Event("answer", "Seven."))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "plan     count \\x1b[2Jthings\ncall     GET http://h/things\n"


def test_progress_is_silent_when_quiet(capsys):
    progress(Output(quiet=True))(Event("plan", "count"))
    assert capsys.readouterr() == ("", "")
