"""Which server is meant, as the user wrote it, and how far it is trusted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from restwright.calls.auth.oauth.client import Login
from restwright.errors import UsageError
from restwright.net.policy.origins import parse_origin, redact_url
from restwright.net.secret_references import is_secret_reference, resolve_secret

_NAMESPACE = re.compile(r"(?=.{1,20}\Z)[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_ALIASED = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=(.+)", re.DOTALL)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)

Era = Literal["auto", "legacy", "2026-07-28"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """
    A server that is a process of this machine.

    Args:
        command: Program and arguments; no shell reads them.
        environment: What it gets beside `PATH`, `HOME` and the like: text, or a reference to a
            secret such as `env:GITHUB_TOKEN`.
        folder: Where it runs; None for here.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: Path | None = None

    def __str__(self) -> str:
        names = [f"{name}=***" for name in self.environment]
        return (
            shlex.join([*self.command])
            if not names
            else " ".join([*names, shlex.join(self.command)])
        )

    def resolve_environment(self, *, allow_commands: bool = False) -> dict[str, str]:
        """
        The variables with their secrets filled in.

        Raises:
            MissingCredential: A reference leads nowhere.
        """
        return {
            name: resolve_secret(text, allow_commands=allow_commands).reveal()
            if is_secret_reference(text)
            else text
            for name, text in self.environment.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerURL:
    """
    A server at a URL, which the user named.

    Args:
        headers: Sent with each request to its origin, and to no other.
        origins: URLs of other origins that the user named, such as of a server to log in at on
            this machine.
        client_id: By which this program is known where one logs in: what a server gave, or the URL
            of a Client ID Metadata Document; empty to register there.
        client_secret: A reference to the secret of that; empty for none.
    """

    url: str
    origins: tuple[str, ...] = ()
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def __str__(self) -> str:
        return redact_url(self.url)


ServerPlace: TypeAlias = ServerProcess | ServerURL


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """
    What a server may use, whatever it says.

    Args:
        start_s: Seconds until it must be ready.
        login_s: Seconds more that a person has to log in.
        call_s: Seconds of one call.
        line_bytes: Of one message.
        pages: Of its list of tools.
        tools: Of the list as a whole.
        rounds: How often one call may ask something before it is answered.
        restarts: How often its process is started again.
    """

    start_s: float = 60.0
    login_s: float = 300.0
    call_s: float = 120.0
    line_bytes: int = 16 * 1024 * 1024
    pages: int = 100
    tools: int = 2_000
    rounds: int = 10
    restarts: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """
    A server whose tools are used.

    Args:
        name: The namespace of its tools.
        trust_hints: Whether its word that a tool only reads spares the user's consent.
        era: Which revisions are spoken; `auto` finds out.
        make_login: How a person logs in where a server at a URL asks for it; None where nobody can.
    """

    name: str
    place: ServerPlace
    trust_hints: bool = False
    era: Era = "auto"
    limits: ServerLimits = field(default_factory=ServerLimits)
    allow_commands: bool = False
    make_login: Callable[[], Login | None] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a name that is no namespace."""
        if not _NAMESPACE.fullmatch(self.name):
            raise UsageError(
                f"{self.name[:40]} is no name of a server: it is made of lower case letters,"
                " digits and single underscores, at most 20, and starts with a letter"
            )


def parse_server(text: str, *, headers: Sequence[tuple[str, str]] = ()) -> ServerSettings:
    """
    Read `NAME=URL` or `NAME=[VARIABLE=VALUE...] COMMAND [ARGUMENT...]`, split as a shell does.

    Nothing is expanded, and no shell is started. A value may be a reference such as `env:TOKEN`.

    Raises:
        UsageError: There is no name, no command, or a quotation mark has no end.
        RefusedRequest: The URL is none that may be asked.
    """
    found = _ALIASED.fullmatch(text)
    if not found:
        # It is not repeated: a value in it may be a secret.
        raise UsageError(
            "a server of MCP is written as NAME=COMMAND... or NAME=URL",
            setting="--mcp",
            next_move="such as git='uvx mcp-server-git'",
        )
    name, rest = found[1], found[2].strip()
    if re.match(r"https?://", rest, re.IGNORECASE):
        parse_origin(rest)
        return ServerSettings(name=name, place=ServerURL(url=rest, headers=dict(headers)))
    if headers:
        raise UsageError(f"a header is for a server at a URL, which {name} is not")
    return ServerSettings(name=name, place=parse_command(rest, name))


def parse_command(text: str, name: str) -> ServerProcess:
    """
    Split a command as a POSIX shell does; leading `VARIABLE=VALUE` words are its environment.

    Raises:
        UsageError: There is no command, or a quotation mark has no end.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"the command of {name} cannot be split: {error}") from None
    environment: dict[str, str] = {}
    while words and (found := _ASSIGNMENT.fullmatch(words[0])):
        environment[found[1]] = found[2]
        del words[0]
    if not words:
        raise UsageError(f"{name} has no command")
    if any("\0" in word for word in words):
        raise UsageError(f"the command of {name} has a NUL character")
    return ServerProcess(command=tuple(words), environment=environment)
