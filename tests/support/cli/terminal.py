"""A program at a terminal of its own, and what a person sees there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import pyte

SCREENS = Path(__file__).parents[2] / "golden" / "chat"
ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78]|\][^\x07]*\x07)")
# The space behind it is not drawn.
PROMPT = ">"
CTRL_C, CTRL_D, ENTER, TAB, ALT_ENTER = "\x03", "\x04", "\r", "\t", "\x1b\r"


class Terminal:
    """A program at a terminal of its own; to be closed."""

    def __init__(self, *argv: str, columns: int = 100, lines: int = 40) -> None:
        self.seen, self.raw, self._ours = "", b"", -1
        self.screen = pyte.HistoryScreen(columns, lines, history=2_000)
        self._stream = pyte.ByteStream(self.screen)
        self._ours, theirs = pty.openpty()
        self._set_size(columns, lines)
        self.process = subprocess.Popen(  # noqa: S603 - our own code
            argv,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # Ctrl-C reaches the process whose terminal this is.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
            env={
                # The size of our terminal, and not of that where the tests were begun.
                **{
                    key: text for key, text in os.environ.items() if key not in {"COLUMNS", "LINES"}
                },
                "TERM": "xterm",
                "LC_ALL": "C.UTF-8",
                "PROMPT_TOOLKIT_NO_CPR": "1",
            },
        )
        os.close(theirs)

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns: int, lines: int) -> None:
        self.screen.resize(lines, columns)
        self._set_size(columns, lines)

    @property
    def display(self) -> list[str]:
        """What a person sees, with what was scrolled away before it; without empty lines."""
        above = [
            "".join(line[x].data for x in range(self.screen.columns))
            for line in self.screen.history.top
        ]
        shown = (line.rstrip() for line in [*above, *self.screen.display])
        return [line for line in shown if line]

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def sees(self, text: str, *, within_s: float = 60.0) -> str:
        """Wait until the program has printed `text` since the last time, and return all of it."""
        deadline = time.monotonic() + within_s
        while text not in self.seen:
            ready, _, _ = select.select([self._ours], [], [], 0.1)
            if ready:
                try:
                    self._take(os.read(self._ours, 65_536))
                except OSError:
                    break
            assert time.monotonic() < deadline, f"{text!r} is not in {self.seen!r}"
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def _take(self, data: bytes) -> None:
        self._stream.feed(data)
        self.raw += data
        self.seen = ESCAPE.sub("", self.seen + data.decode("utf-8", "replace"))

    def ends(self) -> int:
        deadline = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < deadline:
            ready, _, _ = select.select([self._ours], [], [], 0.1)
            try:
                self._take(os.read(self._ours, 65_536) if ready else b"")
            except OSError:
                break
        return self.process.wait(10)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self._ours)


def paste(text: str) -> str:
    """A text as a terminal pastes it."""
    return f"\x1b[200~{text}\x1b[201~"


def check_screen(name: str, terminal: Terminal) -> None:
    """
    Compare what a person sees from the first message on with a golden screen; what differs from run
    to run is left out.

    With `REGEN_SCREENS` in the environment the screen is written instead.
    """
    begun = next(at for at, line in enumerate(terminal.display) if line.startswith("> "))
    lines = [_VARYING.sub(_same, line) for line in terminal.display[begun:]]
    text = "\n".join(lines) + "\n"
    path = SCREENS / name
    if os.environ.get("REGEN_SCREENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


_VARYING = re.compile(r"127\.0\.0\.1:\d+|\d+ ms|\d+\.\d s|\d{6}-[0-9a-f]{8}|[\d,]+\+[\d,]+ tokens")


def _same(match: re.Match[str]) -> str:
    return "ID" if "-" in match[0] else re.sub(r"\d[\d,.]*", "N", match[0])
