"""
What comes in on a connection, cut where a response may end.

Where a server sends more than one response to one request, the rest would be read as the answer to
the next request. `h11` keeps such a rest where nobody sees it, so it is never given one: it gets
the bytes up to the next place where a message can end, and what then follows is still here.
"""

from __future__ import annotations

import re

# Heads, and bodies in chunks, end with an empty line.
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_LONGEST = 3


class Intake:
    """The bytes of one connection that were received and not yet handed out."""

    def __init__(self) -> None:
        self._received, self._at = b"", 0
        self._left: int | None = None

    @property
    def has_more(self) -> bool:
        """Whether there are bytes that were not handed out."""
        return self._at < len(self._received)

    def restart(self) -> None:
        """Expect the head of a response."""
        self._left = None

    def expect(self, length: int | None) -> None:
        """Expect a body of `length` bytes; None where it says itself where it ends."""
        self._left = length

    def put(self, received: bytes) -> None:
        """Take in bytes; what was put in before must be handed out."""
        # An empty line may begin in the bytes before.
        before = self._received[max(0, self._at + 1 - _LONGEST) : self._at]
        self._received, self._at = before + received, len(before)

    def take(self, max_bytes: int) -> bytes:
        """Hand out bytes that are not behind the end of the message; empty where there are none."""
        end = min(len(self._received), self._at + max_bytes)
        end = (
            self._behind_empty_line(end) if self._left is None else min(end, self._at + self._left)
        )
        taken = self._received[self._at : end]
        self._at = end
        if self._left is not None:
            self._left -= len(taken)
        return taken

    def _behind_empty_line(self, end: int) -> int:
        start = max(0, self._at + 1 - _LONGEST)
        while found := _EMPTY_LINE.search(self._received, start, end):
            if found.end() > self._at:
                return found.end()
            start = found.start() + 1
        return end
