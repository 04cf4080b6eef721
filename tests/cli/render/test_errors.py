"""Bad input: one line, the right exit code, and never a traceback."""

from __future__ import annotations

import gc
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from restwright.cli import main
from restwright.cli.render.errors import guarded

PYTHON = (sys.executable, "-m", "restwright")


def closed_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


NOWHERE = f"http://127.0.0.1:{closed_port()}"
GET_7 = ("get_thing", '{"thing_id": 7}')

BAD_INPUT = {
    "missing file": (("tools", "absent.yaml"), 1, "document_unavailable"),
    "neither YAML nor JSON": (("tools", "{folder}/broken.yaml"), 1, "unreadable_document"),
    "not OpenAPI": (("tools", "{folder}/list.yaml"), 1, "not_openapi"),
    "unreachable URL": (("tools", f"{NOWHERE}/openapi.json"), 1, "document_unavailable"),
    "two APIs of one name": (("tools", "a={things}", "a={things}"), 1, "name_collision"),
    "unknown tool": (("show", "{things}", "get_thin"), 2, "unknown_tool"),
    "unknown tool to call": (("call", "{things}", "get_thin", "{{}}"), 2, "unknown_tool"),
    "arguments not JSON": (("call", "{things}", "get_thing", "thing 7"), 2, "unreadable_arguments"),
    "arguments a list": (("check", "{things}", "get_thing", "[7]"), 2, "unreadable_arguments"),
    "arguments file missing": (
        ("check", "{things}", "get_thing", "@absent.json"),
        2,
        "unreadable_arguments",
    ),
    "standard input twice": (("check", "-", "get_thing", "-"), 2, "unreadable_arguments"),
    "mismatching arguments": (("call", "{things}", "get_thing", "{{}}"), 1, "mismatch"),
    "no server": (("call", "{things}", *GET_7), 1, "missing_server"),
    "connection refused": (("call", "{things}", *GET_7, "--server", NOWHERE), 1, "no_response"),
    "server not a URL": (("call", "{things}", *GET_7, "--server", "ftp://x"), 1, "refused"),
    "missing credential": (
        ("call", "{things}", *GET_7, "--server", "{url}", "--auth", "env:ABSENT"),
        1,
        "missing_credential",
    ),
    "401": (
        ("call", "{things}", "get_thing", '{{"thing_id": 401}}', "--server", "{url}"),
        1,
        "http_error",
    ),
    "500": (
        ("call", "{things}", "get_thing", '{{"thing_id": 500}}', "--server", "{url}"),
        1,
        "http_error",
    ),
    "response over the cap": (
        (
            *("call", "{things}", "get_thing", '{{"thing_id": 1000}}', "--server", "{url}"),
            *("--max-bytes", "500"),
        ),
        1,
        "no_response",
    ),
    "slow response": (
        (
            *("call", "{things}", "get_thing", '{{"thing_id": 30}}', "--server", "{url}"),
            *("--timeout", "0.2"),
        ),
        1,
        "no_response",
    ),
    "no command": (("nonsense",), 2, "usage"),
    "no such option": (("tools", "{things}", "--nonsense"), 2, "usage"),
    "missing argument": (("call", "{things}"), 2, "usage"),
    "trace nowhere": (("ask", "?", "-a", "{things}", "--trace", "absent/t.json"), 2, "usage"),
    "log nowhere": (("tools", "{things}", "--log-file", "{folder}/absent/log"), 1, "file"),
    "not a number": (("call", "{things}", *GET_7, "--timeout", "soon"), 2, "usage"),
}
bad_input = pytest.mark.parametrize(("argv", "code", "name"), BAD_INPUT.values(), ids=[*BAD_INPUT])


@pytest.fixture
def filled(things, server, tmp_path):
    """Fill the places of a command with what exists only in this test."""
    (tmp_path / "broken.yaml").write_text("{a: [1, }", encoding="utf-8")
    (tmp_path / "list.yaml").write_text("[1, 2]", encoding="utf-8")

    def fill(argv: tuple[str, ...]) -> list[str]:
        places = {"folder": tmp_path, "things": things, "url": server.url}
        return [each if each.startswith('{"') else each.format(**places) for each in argv]

    return fill


@bad_input
def test_bad_input_is_one_line_without_a_traceback(restwright, filled, argv, code, name):
    ended = restwright(*filled(argv))
    assert (ended.code, ended.out) == (code, "")
    assert "Traceback" not in ended.err
    if name == "mismatch":
        assert ended.err.startswith("things__get_thing was not called.")
    else:
        assert ended.err.startswith("error: ")
        assert len(ended.err.splitlines()) == 1


@bad_input
def test_bad_input_as_json_is_one_error_object(restwright, filled, argv, code, name):
    ended = restwright(*filled(argv), "--json")
    assert ended.code == code
    error = ended.json["error"]
    assert (set(error), error["code"]) == ({"code", "message", "hint"}, name)
    assert error["message"]
    assert "Traceback" not in ended.err


def test_an_unknown_tool_names_near_ones(restwright, things):
    assert "did you mean things__get_thing or " in restwright("show", things, "get_thin").err


def test_several_documents_need_an_alias_on_the_connection(restwright, things):
    ended = restwright("ask", "?", "-a", f"a={things}", "-a", f"b={things}", "--server", NOWHERE)
    assert ended.code == 2
    assert "--server needs one of a, b= before its value" in ended.err


def test_what_nobody_foresaw_is_one_line_that_asks_for_a_report(capsys):
    assert guarded(lambda: 1 // 0, ["tools"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "error: this should not happen (ZeroDivisionError: integer division or modulo by zero);"
        " please report it with what -v shows\n"
    )


def test_what_nobody_foresaw_has_a_traceback_with_verbose(capsys):
    assert guarded(lambda: 1 // 0, ["tools", "-v"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_traceback_cannot_drive_the_terminal(capsys):
    def fail() -> int:
        raise ValueError("a\x1b[2J\u202e")

    assert guarded(fail, ["tools", "-v"]) == 1
    shown = capsys.readouterr().err
    assert "ValueError: a\\x1b[2J\\u202e\n" in shown
    assert not set("\x1b\u202e") & set(shown)


def test_what_nobody_foresaw_is_an_object_with_json(capsys):
    assert guarded(lambda: 1 // 0, ["tools", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "unexpected"


def test_an_option_after_two_dashes_is_not_an_option(capsys):
    assert guarded(lambda: 1 // 0, ["tools", "--", "--json"]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.process
def test_an_interrupt_ends_a_slow_call_with_130_and_nothing_on_standard_output(things, server):
    command = (*PYTHON, "call", things, "get_thing", '{"thing_id": 30}', "--server", server.url)
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not server.requests and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err


@pytest.mark.process
def test_a_reader_that_leaves_is_met_in_silence(things):
    with subprocess.Popen(  # noqa: S603 - our own command
        (*PYTHON, "tools", things, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (1, b"")


def test_help_of_every_command_is_printed(restwright):
    commands = (
        *("tools", "show", "index", "upgrade", "check", "call", "ask"),
        *("demo", "doctor", "model", "cache"),
    )
    whole = restwright("--help")
    assert whole.code == 0
    assert restwright().out == whole.out
    for name in commands:
        assert f"\n  {name} " in whole.out
        assert restwright(name, "--help").out.startswith(f"Usage: restwright {name} ")


def test_version_is_that_of_the_package(restwright):
    from restwright import __version__

    assert restwright("--version").out == f"restwright {__version__}\n"


@pytest.mark.process
def test_python_minus_m_is_the_same_command(things):
    ended = subprocess.run(  # noqa: S603 - our own command
        (*PYTHON, "tools", things),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(things).parent,
    )
    assert "things__get_thing" in ended.stdout


def test_a_process_collects_garbage_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    before = gc.get_threshold()
    monkeypatch.setattr(sys, "argv", ["restwright", "--version"])
    try:
        assert (main(["--version"]), gc.get_threshold()) == (0, before)
        assert (main(), gc.get_threshold()[0]) == (0, 100_000)
    finally:
        gc.set_threshold(*before)
