"""The options of the commands that serve documents and manifests to clients of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from typer import Argument, BadParameter, Option

Sources = Annotated[
    list[str],
    Argument(metavar="DOC|MANIFEST", help="Path, URL or alias=path-or-URL; or a manifest's path."),
]
SourcesOrFunctions = Annotated[
    list[str],
    Argument(
        metavar="DOC|MANIFEST|FILE.py:OBJECT",
        help="Path, URL or alias=path-or-URL; a manifest's path; or an object of a Python file,"
        " which is run.",
    ),
]
PublicURL = Annotated[
    str | None,
    Option("--url", metavar="URL", help="Of the server over HTTP, as its clients know it."),
]
ClientToken = Annotated[
    str | None,
    Option("--token", metavar="REF", help="Where the token is that clients must have."),
]


def check_sources(sources: list[str]) -> None:
    """
    See to it that what is served can be read again.

    Raises:
        BadParameter: It comes from standard input.
    """
    if "-" in sources:
        raise BadParameter("a document on standard input cannot be read again: give a path")


@dataclass(frozen=True, kw_only=True)
class ClientOptions:
    """Options of which clients a server lets in."""

    url: PublicURL = None
    token: ClientToken = None
    oauth: Annotated[
        str | None,
        Option("--oauth", metavar="ISSUER", help="Whose access tokens clients must have."),
    ] = None
    scope: Annotated[
        list[str] | None,
        Option("--scope", metavar="SCOPE", help="That a token must have; may be repeated."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored, and a URL that is none."""
        if self.token and self.oauth:
            raise BadParameter("--token and --oauth exclude each other")
        if self.scope and not self.oauth:
            raise BadParameter("--scope needs --oauth")
        if self.url is not None and not urlsplit(self.url).netloc:
            raise BadParameter(f"--url: {self.url!r} is no URL")

    @property
    def wants_secret(self) -> bool:
        """Whether nobody is let in without a token."""
        return bool(self.token or self.oauth)
