"""Who is asked before a write, and what is shown."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

ADD = ("add_thing", '{"thing_id": 8}')


@pytest.mark.process
@pytest.mark.parametrize(("typed", "code", "sent"), [(b"y\n", 0, 1), (b"\n", 3, 0)])
def test_a_terminal_is_asked_with_method_url_and_body(things, server, typed, code, sent):
    """A pseudo-terminal stands for the person."""
    person, terminal = pty.openpty()
    with subprocess.Popen(  # noqa: S603 - our own command
        (sys.executable, "-m", "restwright", "call", things, *ADD, "--server", server.url),
        stdin=terminal,
        stderr=terminal,
        stdout=subprocess.PIPE,
    ) as process:
        os.close(terminal)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(person, 4096)
        os.write(person, typed)
        process.communicate(timeout=20)
    os.close(person)
    assert (process.returncode, len(server.requests)) == (code, sent)
    text = shown.decode().replace("\r\n", "\n")
    assert text.startswith(f"things__add_thing would send\n  POST {server.url}/things\n")
    assert '"thing_id": 8' in text
    assert text.endswith(f"Send POST {server.url}/things? [y/N] ")
