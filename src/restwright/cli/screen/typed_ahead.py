"""What a person types while an answer comes: messages for later, and the beginning of one."""

from __future__ import annotations

import select
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from restwright.cli.render.output import one_line

_WAIT_S = 0.05


class TypedAhead:
    """
    Reads keys without showing them, from `start` to `stop`; Ctrl-C stays a signal.

    Where there is no terminal that can be read so, it reads nothing.
    """

    def __init__(self) -> None:
        self._messages: deque[str] = deque()
        self._begun = ""
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._restore: Callable[[], None] | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """What there is, as it is shown while an answer comes."""
        waiting = [f"next     {one_line(text)}" for text in self._messages]
        return (*waiting, *([f"> {one_line(self._begun)}"] if self._begun else []))

    def take(self) -> str | None:
        """Take the next message that was typed; None where there is none."""
        return self._messages.popleft() if self._messages else None

    def take_begun(self) -> str:
        """Take what was not sent."""
        begun, self._begun = self._begun, ""
        return begun

    def hold(self) -> None:
        """Let nothing be sent by itself any more: messages are the beginning of one again."""
        self._begun = "\n".join(filter(None, [*self._messages, self._begun]))
        self._messages.clear()

    def start(self) -> None:
        """Read from now on."""
        if self._thread is not None or not sys.stdin.isatty():
            return
        self._restore = _silence()
        if self._restore is None:
            return
        self._stopping.clear()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read no more; the terminal is as it was."""
        if self._thread is not None:
            self._stopping.set()
            self._thread.join()
            self._thread = None
        if self._restore is not None:
            self._restore()
            self._restore = None

    def _read(self) -> None:
        from prompt_toolkit.input.vt100 import Vt100Input

        source = Vt100Input(sys.stdin)
        while not self._stopping.is_set():
            ready, _, _ = select.select([sys.stdin], [], [], _WAIT_S)
            keys = source.read_keys() if ready else source.flush_keys()
            for key in keys:
                self._press(str(getattr(key.key, "value", key.key)), key.data)
            if source.closed:
                return

    def _press(self, key: str, data: str) -> None:
        if key in {"c-m", "c-j"}:
            if self._begun.strip():
                self._messages.append(self._begun)
            self._begun = ""
        elif key == "c-h":
            self._begun = self._begun[:-1]
        elif key in {"c-u", "c-w"}:
            self._begun = "" if key == "c-u" else self._begun.rstrip().rpartition(" ")[0]
        elif key == "<bracketed-paste>":
            self._begun += data.replace("\r\n", "\n").replace("\r", "\n")
        elif len(key) == 1:
            self._begun += key


def _silence() -> Callable[[], None] | None:
    """Have keys come one by one and unseen; what undoes it, or None where that cannot be."""
    try:
        import termios
    except ImportError:
        return None  # Windows has none.
    handle = sys.stdin.fileno()
    before: list[Any] = termios.tcgetattr(handle)
    silent = [*before]
    silent[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(handle, termios.TCSADRAIN, silent)
    # A paste is told from keys, so that its lines are one message.
    _say("\x1b[?2004h")

    def restore() -> None:
        _say("\x1b[?2004l")
        termios.tcsetattr(handle, termios.TCSADRAIN, before)

    return restore


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
