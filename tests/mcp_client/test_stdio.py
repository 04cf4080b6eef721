"""No process is left of a server, however this program or the server ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.support.mcp.over_stdio import wait_until

import restwright as rw
from restwright.errors import ServerUnavailable
from restwright.mcp_client.settings import ServerLimits
from restwright.policy import ALLOW

pytestmark = pytest.mark.process

STUBBORN = Path(__file__).parents[1] / "support" / "mcp_client" / "stubborn_server.py"
USER = """\
import sys
import restwright as rw
from restwright.policy import ALLOW

with rw.mcp([sys.executable, *sys.argv[1:3]], name="notes", era="legacy") as server:
    if sys.argv[3] == "call":
        rw.call(server.catalog["notes__write_note"], {}, policy=ALLOW)
    print("ready", flush=True)
    sys.stdin.read()
"""


def is_alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    # Nobody has asked yet how it ended.
    return state not in "ZX"


def processes(file: Path) -> list[int]:
    wait_until(lambda: file.exists() and file.read_text().count(" "))
    return [int(word) for word in file.read_text().split()[:2]]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it is read from /proc")
@pytest.mark.parametrize("moment", ["idle", "call"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_when_this_program_is_killed_no_process_is_left(tmp_path, moment, number):
    file = tmp_path / "server.txt"
    command = [sys.executable, "-c", USER, str(STUBBORN), str(file), moment]
    with subprocess.Popen(  # noqa: S603 - our own
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as user:
        try:
            if moment == "call":
                wait_until(lambda: file.exists() and "called" in file.read_text(), 60)
            else:
                assert user.stdout is not None
                assert user.stdout.readline() == b"ready\n"
            left = processes(file)
            assert all(map(is_alive, left))
            user.send_signal(number)
            user.wait(30)
            wait_until(lambda: not any(map(is_alive, left)))
        finally:
            user.kill()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it is read from /proc")
def test_when_a_server_is_killed_a_write_is_told_of_and_no_process_is_left(tmp_path):
    file = tmp_path / "server.txt"
    limits = ServerLimits(start_s=120.0, restarts=0)
    with rw.mcp(
        [sys.executable, str(STUBBORN), str(file)], name="notes", era="legacy", limits=limits
    ) as server:
        tool = server.catalog["notes__write_note"]
        server_number, child = processes(file)

        def kill() -> None:
            wait_until(lambda: "called" in file.read_text())
            os.kill(server_number, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        lost = rw.call(tool, {}, policy=ALLOW)
        killer.join()
    assert (lost.kind, lost.effect) == ("no_response", "unknown")
    wait_until(lambda: not is_alive(child))


def test_a_program_that_cannot_be_run_says_why(tmp_path):
    (tmp_path / "plain.txt").write_text("text")
    with pytest.raises(ServerUnavailable, match="Permission denied"):
        rw.mcp([str(tmp_path / "plain.txt")], name="none")
    begun = time.monotonic()
    with pytest.raises(ServerUnavailable, match="No such file"):
        rw.mcp(["no-such-program-of-ours"], name="none")
    assert time.monotonic() - begun < 30
