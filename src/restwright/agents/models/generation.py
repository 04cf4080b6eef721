"""One generation of the engine in a thread of its own, read piece by piece."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from restwright.errors import LimitReached
from restwright.jsontypes import JsonObject

Chunk: TypeAlias = JsonObject
Generate: TypeAlias = Callable[[JsonObject, Callable[[Chunk], bool]], Any]
"""A function of the engine: given a request and what takes its chunks, of which true ends it."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When a request began, and when it is to end: instants of `time.monotonic()`."""

    started: float
    deadline: float

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, not below 0."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started


class Generation:
    """
    One reply, streamed by a thread of its own, so that the caller's thread stays free to see
    Ctrl-C and the deadline even while the engine is busy.
    """

    def __init__(self, generate: Generate, body: JsonObject) -> None:
        self._chunks: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._stream, args=(generate, body), name="restwright"
        )

    def _stream(self, generate: Generate, body: JsonObject) -> None:
        try:
            generate(body, self._append_chunk)
        except ValueError as error:
            self._chunks.put({"error": {"message": str(error)}})
        finally:
            self._chunks.put(None)

    def _append_chunk(self, chunk: Chunk) -> bool:
        """Keep a chunk; True ends the generation."""
        self._chunks.put(chunk)
        return self._stopped.is_set()

    def chunks(self, clock: Clock) -> Generator[Chunk]:
        """Yield the chunks until the end. Whatever interrupts this ends the generation."""
        try:
            self._thread.start()
            while (chunk := self._next_chunk(clock)) is not None:
                yield chunk
        finally:
            self.stop()

    def _next_chunk(self, clock: Clock) -> Chunk | None:
        try:
            return self._chunks.get(timeout=clock.left_s)
        except queue.Empty:
            raise LimitReached("seconds", clock.elapsed_s) from None

    def stop(self) -> None:
        """End the generation at its next token, or at the next piece of the prompt."""
        self._stopped.set()

    def join(self) -> None:
        """Wait for its thread."""
        if self._thread.ident is not None:
            self._thread.join()
