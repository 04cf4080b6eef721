"""Lines at the bottom of a terminal that change, while what is above them stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

# Between them a terminal that knows them draws nothing; others pass them over.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_ERASE = "\r\x1b[J"


class Region:
    """
    Some lines that are drawn anew in one write, so that nothing flickers.

    The cursor waits at the beginning of the first of them: where the terminal gets narrower or
    somebody else writes, nothing above them is lost.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn: tuple[str, ...] = ()

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines in the place of others, each no longer than the terminal is wide."""
        shown = tuple(lines)
        if shown == self._drawn:
            return
        if not shown:
            self.erase()
            return
        up = f"\x1b[{len(shown) - 1}A" if len(shown) > 1 else ""
        self._write(_BEGIN + _HIDE + _ERASE + "\r\n".join(shown) + up + "\r" + _END)
        self._drawn = shown

    def erase(self) -> None:
        """Take the lines away."""
        if self._drawn:
            self._drawn = ()
            self._write(_BEGIN + _ERASE + _SHOW + _END)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
