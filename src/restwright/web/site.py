"""What every page has at hand, made once at the start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from starlette.requests import Request

from restwright.doors.access import find_user
from restwright.errors import RestwrightError
from restwright.mcp.sources.served import ServedTools
from restwright.net.messages import Send
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.catalog.lock import Drift, detect_drift
from restwright.tools.catalog.usage import UsageCounter
from restwright.web.chat.chats import Chats
from restwright.web.kept import KeptCalls
from restwright.workspace.lock import find_lock_file
from restwright.workspace.settings import CatalogSettings


def find_hint(error: RestwrightError) -> str:
    """What a program can do about an error."""
    return error.hint


@dataclass(frozen=True, slots=True, kw_only=True)
class LockState:
    """
    The lock that names were taken from, and what is not as it was locked.

    Args:
        path: Of the file.
        drifts: In the order of the catalog.
    """

    path: Path
    drifts: Sequence[Drift] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """
    What every page has at hand.

    Args:
        served: What there is to call, how it is reached, and the agents of manifests.
        send: Carries the requests of calls.
        lock: None where nothing is locked.
        usage: What happens to tools while this process runs; agents count there too.
        find_remedy: What the reader can do about an error, such as the option of a command.
        kept: Requests that wait for a word, and the last responses.
        files: The folder in which responses are stored that are no text; None for none.
        is_shared: Whether the server has other users, so that what its own user counted is theirs
            alone.
        can_write: Whether a write of a run elsewhere may be allowed here.
        person: Who answers questions where nobody has to say who they are.
        chats: Who can be talked with; None for nobody.
    """

    served: ServedTools
    send: Send = field(repr=False)
    lock: LockState | None = None
    usage: UsageCounter = field(default_factory=UsageCounter)
    files: Path | None = None
    chats: Chats | None = None
    is_shared: bool = False
    can_write: bool = True
    person: str = "the user of this page"
    find_remedy: Callable[[RestwrightError], str] = find_hint
    kept: KeptCalls = field(default_factory=KeptCalls, repr=False)

    @property
    def catalog(self) -> Catalog:
        """The tools as they are called."""
        return self.served.catalog

    async def close(self) -> None:
        """Stop the runs of its chats; what they did is in the journal."""
        if self.chats is not None:
            await self.chats.runs.close()


def find_lock_state(settings: CatalogSettings, whole: Catalog) -> LockState | None:
    """
    How the tools of documents, before any is filtered, compare with the lock; None without one.

    Raises:
        UnusableLock: It cannot be read.
    """
    found = find_lock_file(settings)
    if found is None:
        return None
    return LockState(path=found.path, drifts=detect_drift(found.lock, whole))


FindSite = Callable[[str], Site]
"""The site of a user; one for everybody where nobody has to say who they are."""


def site_of(request: Request) -> Site:
    """What the pages of this application have at hand for who asks."""
    return cast("FindSite", request.app.state.find_site)(find_user(request))
