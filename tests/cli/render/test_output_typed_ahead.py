"""What is typed before a question is there."""

from __future__ import annotations

import os
import pty
import sys
import threading

import pytest

from restwright.cli.render.output import confirmed


@pytest.mark.parametrize(("typed", "is_yes"), [(b"n\n", False), (b"y\n", True)])
def test_a_line_that_was_typed_ahead_approves_nothing(
    typed: bytes, is_yes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, terminal = pty.openpty()
    monkeypatch.setattr(sys, "stdin", os.fdopen(terminal, encoding="utf-8"))
    os.write(person, b"y\n")
    later = threading.Timer(0.3, os.write, (person, typed))
    later.start()
    try:
        assert confirmed("Send it?") is is_yes
    finally:
        later.join()
        sys.stdin.close()
        os.close(person)
