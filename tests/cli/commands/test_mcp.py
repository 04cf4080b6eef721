"""`mcp serve` and `mcp config`, as they are typed."""

from __future__ import annotations

import signal
import subprocess
import sys

import httpx2
import pytest
from tests.support.mcp.over_http import HEADERS
from tests.support.mcp.over_stdio import COMMAND, over_stdio

BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("-",), "standard input is the client's"),
        (("--token", "env:T"), "need --http"),
        (("--http", "127.0.0.1:0", "--token", "env:T", "--oauth", "https://i.example"), "exclude"),
        (("--http", "127.0.0.1:0", "--scope", "s"), "--scope needs --oauth"),
        (("--http", "0.0.0.0:0"), "with your credentials"),
        (("--http", "0.0.0.0:0", "--token", "env:T"), "--url"),
        (("--http", "nowhere"), "HOST:PORT"),
        (("--http", ":0", "--oauth", "https://i.example", "--allow-code"), "for several users"),
        (("--notebooks", "."), "needs --allow-code"),
        (("--only", "nothing"), "nothing is left"),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_is_served(
    restwright, things, arguments, word
):
    ended = restwright("mcp", "serve", things, *arguments)
    assert ended.code == 2
    assert word in ended.err
    assert ended.out == ""


def test_a_token_that_is_not_there_is_said(restwright, things):
    ended = restwright("mcp", "serve", things, "--http", "127.0.0.1:0", "--token", "env:NOT_HERE")
    assert ended.code == 1
    assert "NOT_HERE" in ended.err


@pytest.mark.process
def test_filters_names_and_locks_are_those_of_tools(things):
    with over_stdio(f"shelf={things}", "--read-only", "--tag", "reading") as spoken:
        spoken.begin()
        (tool,) = spoken.ask("tools/list")["result"]["tools"]
    assert tool["name"] == "shelf__get_thing"


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_over_http_it_says_where_and_ends_when_told(things, number):
    command = [*COMMAND, things, "--http", "127.0.0.1:0"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:")
            with httpx2.Client(trust_env=False, verify=False) as client:
                response = client.post(url, json=BEGIN, headers=HEADERS)
            assert response.status_code == 200
            process.send_signal(number)
            assert process.wait(15) != 0
        finally:
            process.kill()


@pytest.mark.process
def test_without_the_extra_it_says_what_to_install(things, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfrom importlib.abc import MetaPathFinder\n"
        "class Hide(MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'mcp': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Hide())\n"
    )
    ended = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "restwright", "mcp", "serve", things],
        env={"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "pip install 'restwright[mcp]'" in ended.stderr
