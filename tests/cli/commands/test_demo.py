"""`demo`, `doctor` and `model` as far as they go without a model."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from restwright.manifests.code.process import probe_protections

PYTHON = (sys.executable, "-m", "restwright")


@pytest.mark.process
def test_serve_runs_the_shop_until_it_is_interrupted(restwright, monkeypatch):
    with subprocess.Popen(  # noqa: S603 - our own command
        (*PYTHON, "demo", "--serve"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        url = re.search(r"http://127\.0\.0\.1:\d+", lines[0])
        token = re.fullmatch(r"export SHOP_TOKEN=(\S+)\n", lines[1])
        assert url is not None
        assert token is not None
        monkeypatch.setenv("SHOP_TOKEN", token[1])
        document = f"{url[0]}/openapi.json"
        mine = restwright("call", document, "get_customer", "{}", "--auth", "env:SHOP_TOKEN")
        anonymous = ("--auth", "none", "--json")
        stranger = restwright("call", document, "get_customer", "{}", *anonymous)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert mine.code == 0
    assert (stranger.code, stranger.json["status"]) == (1, 401)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_serve_on_a_taken_port_is_one_line(restwright):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = restwright("demo", "--serve", "--port", str(port))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"error: cannot use 127.0.0.1:{port}: Address already in use\n"


def test_serve_takes_no_question(restwright):
    assert restwright("demo", "--serve", "How many?").code == 2


def test_a_missing_model_file_says_what_to_do(restwright, things):
    for argv in (("demo",), ("ask", "How many things?", "-a", things)):
        ended = restwright(*argv)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.startswith("error: ")
        assert len(ended.err.splitlines()) == 1
        assert "restwright model pull" in ended.err


def test_a_missing_model_file_is_an_error_object_with_json(restwright):
    ended = restwright("demo", "--json")
    assert (ended.code, ended.json["error"]["code"]) == (1, "model_unavailable")


def test_model_path_is_in_the_cache_folder_and_model_list_knows_it_is_missing(restwright, home):
    path = restwright("model", "path").out.rstrip("\n")
    assert path.startswith(f"{home}{os.sep}")
    models = restwright("model", "list", "--json").json["models"]
    assert {each["here"] for each in models} == {False}
    assert set(models[0]) == {"name", "bytes", "licence", "sha256", "here"}
    assert len(restwright("model", "list").out.splitlines()) == len(models)


def test_an_unknown_model_is_one_line(restwright):
    ended = restwright("model", "pull", "nothing")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: ")


def test_doctor_says_what_is_here_and_reports_ok(restwright):
    ended = restwright("doctor", "--json")
    checks = {each["what"]: each for each in ended.json["checks"]}
    assert (ended.code, ended.json["ok"]) == (0, True)
    assert checks["sandbox"] == {"what": "sandbox", "state": "works", "ok": True}
    assert checks["local model"]["ok"] is None
    assert json.dumps(checks["restwright"]).count("Python 3.") == 1


def test_doctor_says_what_would_hold_code_of_manifests(restwright):
    checks = {each["what"]: each for each in restwright("doctor", "--json").json["checks"]}
    held = probe_protections()
    assert checks["code"]["state"].endswith(", ".join(held)) or "files" not in held
    for what, protection in (
        ("Landlock", "files"),
        ("user namespaces", "own processes"),
        ("own mounts", "read-only outside"),
        ("seccomp", "system calls"),
    ):
        assert (checks[what]["ok"] is True) == (protection in held)
        assert checks[what]["state"].startswith("not here: ") == (protection not in held)


@pytest.mark.process
@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of its calls")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux offers this")
def test_doctor_says_what_a_kernel_without_landlock_and_namespaces_means(tmp_path):
    script = Path(__file__).parents[2] / "support" / "programs" / "older_kernel.py"
    given = {"without": [272, 444], "runs": "doctor", "arguments": {}}
    ended = subprocess.run(  # noqa: S603 - our own
        [sys.executable, script, json.dumps(given)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        "-      Landlock        not here: code reads every file that you can read" in ended.stdout
    )
    assert "-      code            not held in its folder" in ended.stdout


def test_doctor_prints_a_line_a_check(restwright):
    lines = restwright("doctor").out.splitlines()
    assert lines[0].startswith("ok     restwright")
    assert all(line.startswith(("ok ", "- ", "broken ")) for line in lines)
