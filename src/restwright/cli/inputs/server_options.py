"""The options of the commands that serve documents and manifests to clients of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from typer import Argument, BadParameter, Option

from restwright.cli.inputs.options import Port
from restwright.net.policy.origins import LOOPBACK_HOSTS

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


@dataclass(frozen=True, kw_only=True)
class ListeningOptions:
    """Options of where a server listens."""

    host: Annotated[
        str,
        Option("--host", metavar="NAME", help="Where it listens; elsewhere with a token alone."),
    ] = "127.0.0.1"
    port: Port = None


# The fields of the last class are the first options.
@dataclass(frozen=True, kw_only=True)
class AddressOptions(ClientOptions, ListeningOptions):
    """Options of where a server is, and who may ask it."""

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored, and a server that nobody could name."""
        super().__post_init__()
        if self.url is not None and not self.wants_secret:
            raise BadParameter("--url is for a server that others reach: give --token or --oauth")
        if self.host not in LOOPBACK_HOSTS and self.wants_secret and self.url is None:
            raise BadParameter("--host: clients know the server by a name: give --url https://HOST")


@dataclass(frozen=True, kw_only=True)
class PageAddressOptions(AddressOptions):
    """Options of where a page is, and who may open it."""

    client_id: Annotated[
        str | None,
        Option(
            "--client-id",
            metavar="ID",
            help="With --oauth: by which the issuer knows this page, where users log in.",
        ),
    ] = None
    client_secret: Annotated[
        str | None,
        Option("--client-secret", metavar="REF", help="With --client-id: where its secret is."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a page that others could open without saying who they are."""
        super().__post_init__()
        if bool(self.oauth) != bool(self.client_id):
            raise BadParameter("--oauth and --client-id need each other: users log in to the page")
        if self.client_secret and not self.client_id:
            raise BadParameter("--client-secret needs --client-id")
        if self.token and (self.url or self.host not in LOOPBACK_HOSTS):
            why = "--token is for programs; for others the page needs --oauth, so that users log in"
            raise BadParameter(why)
