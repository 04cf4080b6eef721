"""
What comes in on a connection, cut where a response may end.

Where a server sends more than one response to one request, the rest would be read as the answer to
the next request. `h11` keeps such a rest where nobody sees it, so it is never given one: it gets
the bytes up to the next place where a message can end, and what then follows is still here.
"""

from __future__ import annotations

import re

_EMPTY_LINE = re.compile(rb"\n\r?\n")
_LONGEST = 3
# RFC 9112, "Chunked Transfer Coding".
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,20})[ \t]*(?:;[^\n]*)?\r\n")


class ReceiveBuffer:
    """The bytes of one connection that were received and not yet handed out."""

    def __init__(self) -> None:
        self._received, self._position = b"", 0
        self._remaining: int | None = None
        self._chunks: _ChunkedBody | None = None

    @property
    def has_more(self) -> bool:
        """Whether there are bytes that were not handed out."""
        return self._position < len(self._received)

    def restart(self) -> None:
        """Expect the head of a response."""
        self._remaining = self._chunks = None

    def expect(self, length: int | None) -> None:
        """Expect a body of `length` bytes; None for one in chunks."""
        self._remaining, self._chunks = length, _ChunkedBody() if length is None else None

    def put(self, received: bytes) -> None:
        """Take in bytes; what was put in before must be handed out."""
        # An empty line may begin in the bytes before.
        before = self._received[max(0, self._position + 1 - _LONGEST) : self._position]
        self._received, self._position = before + received, len(before)

    def take(self, max_bytes: int) -> bytes:
        """Hand out bytes that are not behind the end of the message; empty where there are none."""
        end = min(len(self._received), self._position + max_bytes)
        if self._remaining is not None:
            end = min(end, self._position + self._remaining)
        elif self._chunks:
            end = self._chunks.end(self._received, self._position, end)
        else:
            end = self._behind_empty_line(end)
        taken = self._received[self._position : end]
        self._position = end
        if self._remaining is not None:
            self._remaining -= len(taken)
        return taken

    def _behind_empty_line(self, end: int) -> int:
        start = max(0, self._position + 1 - _LONGEST)
        while found := _EMPTY_LINE.search(self._received, start, end):
            if found.end() > self._position:
                return found.end()
            start = found.start() + 1
        return end


class _ChunkedBody:
    """Follows a body in chunks, to see where it ends."""

    def __init__(self) -> None:
        self._skipped, self._line, self._ends = 0, b"", False

    def end(self, received: bytes, at: int, end: int) -> int:
        """Return the end of the body where it is between `at` and `end`; else `end`."""
        while at < end:
            if self._skipped:
                step = min(self._skipped, end - at)
                self._skipped, at = self._skipped - step, at + step
                continue
            newline = received.find(b"\n", at, end)
            stop = newline + 1 or end
            self._line, at = self._line + received[at:stop], stop
            if newline >= 0 and self._is_last_line():
                return at
        return end

    def _is_last_line(self) -> bool:
        """Take in the line that is now whole."""
        line, self._line = self._line, b""
        if self._ends:
            return line in (b"\n", b"\r\n")
        size = _CHUNK.fullmatch(line)
        if size and int(size[1], 16):
            self._skipped = int(size[1], 16) + len(b"\r\n")
        else:
            # After what is no chunk, too, no empty line is gone past.
            self._ends = True
        return False
