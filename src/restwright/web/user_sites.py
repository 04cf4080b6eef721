"""A site for each user of a server: what one has kept, asked or used is not there for another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Lock

from restwright.errors import LimitReached
from restwright.web.site import Site

MAX_SITES = 200
"""Of users, open at the same time; who was here longest ago goes first."""
MAX_RUNNING = 200
"""Runs of all users together that go on at the same time."""
MAX_RUNNING_OF_USER = 20
MAX_ENDED_OF_USER = 20
"""Runs that are kept in memory after their end; the journal has them all."""
MAX_ENDED_CHARS_OF_USER = 8 * 1024 * 1024
"""Of the records of these together."""
MAX_CHATS_OF_USER = 50
"""Chats that are kept in memory; the journal has them all."""
MAX_KEPT_BYTES_OF_USER = 4_000_000
"""Of the responses of calls that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenSite:
    site: Site
    ending: ExitStack

    @property
    def running(self) -> int:
        return self.site.chats.runs.running if self.site.chats is not None else 0


@dataclass(slots=True, kw_only=True)
class UserSites:
    """
    The sites of users, each opened when its user comes.

    Args:
        open_site: Opens the site of a user; what is to be closed with it goes into the stack.
    """

    open_site: Callable[[str, ExitStack], Site] = field(repr=False)
    max_sites: int = MAX_SITES
    max_running: int = MAX_RUNNING
    _open: dict[str, _OpenSite] = field(default_factory=dict[str, _OpenSite], repr=False)
    _lock: Lock = field(default_factory=Lock)

    def find(self, user: str) -> Site:
        """
        Return the site of a user.

        Raises:
            LimitReached: As many users as may have something going on.
            OSError: What is kept of the user cannot be reached.
        """
        with self._lock:
            found = self._open.pop(user, None)
            if found is None:
                self._make_room()
                with ExitStack() as ending:
                    site = self.open_site(user, ending)
                    self._limit(site)
                    found = _OpenSite(site=site, ending=ending.pop_all())
            self._open[user] = found
            return found.site

    def _limit(self, site: Site) -> None:
        """Leave other users their part of the server."""
        site.kept.max_bytes = MAX_KEPT_BYTES_OF_USER
        if site.chats is not None:
            runs = site.chats.runs
            runs.max_running, runs.max_ended = MAX_RUNNING_OF_USER, MAX_ENDED_OF_USER
            runs.max_chars = MAX_ENDED_CHARS_OF_USER
            runs.is_full = self.is_full
            site.chats.max_chats = MAX_CHATS_OF_USER

    def is_full(self) -> bool:
        """Whether as many runs go on as may, of all users together."""
        return sum(own.running for own in [*self._open.values()]) >= self.max_running

    def _make_room(self) -> None:
        if len(self._open) < self.max_sites:
            return
        idle = next((user for user, own in self._open.items() if not own.running), None)
        if idle is None:
            raise LimitReached("users at the same time", self.max_sites)
        self._open.pop(idle).ending.close()

    async def close(self) -> None:
        """End all runs, and close what was opened."""
        sites = [*self._open.values()]
        await asyncio.gather(*(own.site.close() for own in sites))
        self._open.clear()
        for own in sites:
            own.ending.close()
