"""Takes in changes of the files that a server is made of, without being asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from restwright.errors import RestwrightError
from restwright.mcp.sources.served import ServedTools

LOOK_EVERY_S = 1.0
POLL_EVERY_S = 300.0
"""Between two requests for the documents that are URLs; a server says then whether they changed."""

FileMark = tuple[int, int, int] | None


@dataclass(slots=True, kw_only=True)
class Reloader:
    """
    What is served, which changes with its files.

    What cannot be used, such as a document that is being written, or that drifted from its lock
    where that holds, changes nothing: what was served before still is.

    Args:
        served: At the beginning.
        load: Reads everything again.
        files: That are looked at.
        tell: Told after a change.
        report_error: Told why something was not taken in, for whoever runs the server.
        poll_every_s: How often everything is read again without a change of a file, since there
            are documents that are URLs; None where there is none.
    """

    served: ServedTools
    load: Callable[[], ServedTools] = field(repr=False)
    files: Sequence[Path]
    tell: Callable[[], Awaitable[None]] = field(repr=False)
    report_error: Callable[[str], None] = field(repr=False)
    look_every_s: float = LOOK_EVERY_S
    poll_every_s: float | None = None
    _last_error: str = ""

    def current(self) -> ServedTools:
        """What is served right now."""
        return self.served

    async def watch(self) -> None:
        """Look at the files, and ask for the URLs, for as long as nobody cancels it."""
        known, polled_at = self._marks(), anyio.current_time()
        while True:
            await anyio.sleep(self.look_every_s)
            marks, now = await run_sync(self._marks), anyio.current_time()
            if marks != known:
                known = marks
                await self._reload()
            elif self.poll_every_s is not None and now - polled_at >= self.poll_every_s:
                await self._reload(is_poll=True)
                polled_at = anyio.current_time()

    async def _reload(self, *, is_poll: bool = False) -> None:
        try:
            loaded = await run_sync(self.load)
        except Exception as error:  # noqa: BLE001 - a file may hold anything; the server goes on
            is_ours = isinstance(error, RestwrightError)
            why = error.message if is_ours else f"{type(error).__name__}: {error}"
            # A host that is away for a day is told of once.
            if not is_poll or why != self._last_error:
                self.report_error(f"a change is not taken in: {why}")
            self._last_error = why
            return
        self._last_error = ""
        if is_poll and _hashes(loaded) == _hashes(self.served):
            return
        self.served = loaded
        await self.tell()

    def _marks(self) -> tuple[FileMark, ...]:
        return tuple(map(_mark_file, self.files))


def _hashes(served: ServedTools) -> dict[str, str]:
    return {name: api.sha256 for name, api in served.catalog.apis.items()}


def _mark_file(path: Path) -> FileMark:
    """By what a change of a file shows; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
