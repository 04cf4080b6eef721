"""The options that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, BadParameter, Option

from restwright.cli.surroundings import current_surroundings

if TYPE_CHECKING:
    from restwright.calls.auth.connection import Connection
    from restwright.net.http.throttle import SharesTraffic, TransportLimits
    from restwright.net.messages import Send
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.options import ToolOptions
    from restwright.workspace.settings import CatalogSettings, DocumentSettings

Documents = Annotated[
    list[str] | None, Argument(metavar="DOC", help="Path, URL, - or alias=path-or-URL.")
]
Document = Annotated[str, Argument(metavar="DOC", help="Path, URL, - or alias=path-or-URL.")]
ToolName = Annotated[
    str, Argument(metavar="NAME", help="Of the tool; the operation's name where it is unique.")
]
OptionalName = Annotated[
    str | None,
    Argument(metavar="NAME", help="Of the tool; the operation's name where it is unique."),
]
OptionalArguments = Annotated[
    str | None, Argument(metavar="ARGS", help="A JSON object, @file or -.")
]

Classes = Annotated[
    list[str] | None,
    Option(
        "--class",
        metavar="NAME=CLASS",
        help="What calling a tool does, whatever its document says: read, write or destructive. May"
        " be repeated; NAME may hold * and ?.",
    ),
]
Port = Annotated[
    int | None,
    Option(
        "--port",
        min=0,
        max=65535,
        metavar="N",
        help="Listen on this port of 127.0.0.1; 0 takes a free one.",
    ),
]
AllowFolder = Annotated[
    Path | None,
    Option("--allow-folder", metavar="DIR", help="Let manifests name files in this folder too."),
]
Yes = Annotated[bool, Option("--yes", help="Send writes without asking.")]
ReadOnly = Annotated[bool, Option("--read-only", help="Only tools that change nothing.")]
Count = Annotated[bool, Option("--count", help="Count how tools are used, for `index --usage`.")]

TIMEOUT_S, MAX_BYTES = 30.0, 10_000_000

MIN_BUDGET = 2_000
"""Room for the longest name and description, and for the names of a few inputs."""
BUDGET = 16_000
MIN_NAME_LENGTH, MAX_NAME_LENGTH = 32, 64

NameLength = Annotated[
    int,
    Option(
        "--name-length",
        min=MIN_NAME_LENGTH,
        max=MAX_NAME_LENGTH,
        metavar="N",
        help="Characters of a whole name; 45 for hosts that add a prefix.",
    ),
]


def place_words(
    words: Sequence[str | None], names: Sequence[str], *, has_server: bool
) -> tuple[str | None, ...]:
    """
    Positional arguments of which the first, DOC, may be left out where a server is named.

    Raises:
        BadParameter: One is missing.
    """
    given = [word for word in words if word is not None]
    if len(given) == len(words):
        return tuple(given)
    if has_server and len(given) == len(words) - 1:
        return (None, *given)
    missing = names[len(given) + (1 if has_server else 0)]
    raise BadParameter(f"Missing argument '{missing}'.")


def place_call_words(
    document: str, name: str | None, arguments: str | None, named: Named
) -> tuple[list[str], str, str]:
    """
    `[DOC] NAME ARGS`: the documents, the name of a tool and its arguments.

    Raises:
        BadParameter: One is missing.
    """
    words = (document, name, arguments)
    names = ("DOC", "NAME", "ARGS")
    source, *rest = place_words(words, names, has_server=bool(named.mcp))
    tool, values = map(str, rest)
    return ([] if source is None else [source]), tool, values


# Without slots: classes that have them cannot be joined, as `Presented` joins two.
@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options of every command that opens documents."""

    allow_refs: Annotated[
        Path | None,
        Option("--allow-refs", metavar="DIR", help="Follow a $ref to files in this folder."),
    ] = None
    document_header: Annotated[
        list[str] | None,
        Option(
            "--document-header",
            metavar="[ALIAS=]K:V",
            help="Header to fetch a protected document with; env:NAME stands for a variable.",
        ),
    ] = None
    overlay: Annotated[
        list[str] | None,
        Option(
            "--overlay",
            metavar="[ALIAS=]FILE",
            help="OpenAPI Overlay to apply to the document before it is read; may be repeated.",
        ),
    ] = None
    source: Annotated[
        list[str] | None,
        Option(
            "--source",
            metavar="NAME=FILE-or-URL",
            help="Where a source of an Arazzo document is; may be repeated.",
        ),
    ] = None

    def document_settings(self) -> DocumentSettings:
        """How documents are opened."""
        from restwright.workspace.settings import DocumentSettings

        return DocumentSettings(
            document_header=self.document_header or (),
            allow_refs=self.allow_refs,
            overlay=self.overlay or (),
            source=self.source or (),
        )


@dataclass(frozen=True, kw_only=True)
class Named(Reading):
    """Options of a command that names tools."""

    naming: Annotated[
        Literal["operation-id", "accessor"],
        Option("--naming", help="Operation ids or path words; or path words and method."),
    ] = "operation-id"
    namespace_style: Annotated[
        Literal["sound", "url"],
        Option(
            "--namespace-style",
            help="By the registered domain or the title; or the host's last label but one.",
        ),
    ] = "sound"
    name_length: NameLength = MAX_NAME_LENGTH
    lock: Annotated[
        Path | None,
        Option(
            "--lock",
            metavar="FILE",
            help="Name tools as in this file; ./restwright.lock where there is one.",
        ),
    ] = None
    locked: Annotated[
        bool, Option("--locked", help="Refuse operations that are not as they were locked.")
    ] = False
    mcp: Annotated[
        list[str] | None,
        Option(
            "-m",
            "--mcp",
            metavar="NAME=COMMAND|URL",
            help="A server of the Model Context Protocol, whose tools are beside those of"
            " documents, which may be left out then. NAME='[VARIABLE=VALUE...] COMMAND...' is"
            " started without a shell. May be repeated.",
        ),
    ] = None
    trust_hints: Annotated[
        list[str] | None,
        Option(
            "--trust-hints",
            metavar="NAME",
            help="Believe this server of --mcp which of its tools only read: they are called"
            " without asking. May be repeated.",
        ),
    ] = None

    def document_settings(self) -> DocumentSettings:
        """How documents and servers are opened."""
        from dataclasses import replace

        own = super().document_settings()
        if not self.mcp and not self.trust_hints:
            return own
        from restwright.cli.inputs.login import login

        return replace(
            own,
            mcp=self.mcp or (),
            trust_hints=self.trust_hints or (),
            make_login=current_surroundings().make_login or login,
        )

    def tool_options(self) -> ToolOptions:
        """What of these says how tools are presented."""
        from restwright.tools.options import ToolOptions

        names = {field.name for field in fields(ToolOptions)}
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return ToolOptions(**{name: value for name, value in given.items() if name in names})

    def catalog_settings(self) -> CatalogSettings:
        """How a catalog is made of documents."""
        from restwright.workspace.settings import CatalogSettings

        return CatalogSettings(
            documents=self.document_settings(),
            lock=self.lock,
            locked=self.locked,
            tools=self.tool_options(),
        )


@dataclass(frozen=True, kw_only=True)
class ConnectionOptions:
    """Options of how APIs are reached."""

    server: Annotated[
        list[str] | None,
        Option(
            "--server",
            metavar="[ALIAS=]URL",
            help="Base URL to call instead of the document's first; or another of its servers, by"
            " its number (1 is the first) or words of its description.",
        ),
    ] = None
    server_variable: Annotated[
        list[str] | None,
        Option(
            "--server-variable",
            metavar="[ALIAS=]NAME=VALUE",
            help="Value for the braces in the server's URL. May be repeated.",
        ),
    ] = None
    auth: Annotated[
        list[str] | None,
        Option(
            "--auth",
            metavar="[ALIAS=][SCHEME=]REF",
            help="Where a credential is: env:NAME, file:PATH, keyring:NAME, cmd:COMMAND; for basic"
            " USER:REF; for OAuth oauth:CLIENT_ID[,secret=REF][,flow=client|code|device|refresh]"
            "[,scope=A+B][,issuer=URL][,token_url=URL][,refresh=REF]; for TLS cert:PATH[,key=PATH];"
            " none to send none. May be repeated, once a scheme.",
        ),
    ] = None
    header: Annotated[
        list[str] | None,
        Option(
            "--header",
            metavar="[ALIAS=]K:V",
            help="Header to send with every call; env:NAME stands for a variable.",
        ),
    ] = None
    allow_commands: Annotated[
        bool, Option("--allow-commands", help="Let --auth run commands (cmd:COMMAND).")
    ] = False

    @property
    def is_given(self) -> bool:
        """Whether the command line says something in the place of a manifest."""
        return any((self.server, self.server_variable, self.auth, self.header))

    def connections(
        self, namespaces: Sequence[str], *, has_person: bool = True
    ) -> Mapping[str, Connection]:
        """
        One connection a namespace; who sits at the terminal logs in where that is needed.

        Args:
            has_person: Whether whom a login is for sits there.

        Raises:
            UsageError: As `build_connections()`.
        """
        from restwright.cli.inputs.login import login
        from restwright.workspace.connections import build_connections

        return build_connections(
            namespaces,
            server=self.server,
            server_variable=self.server_variable,
            auth=self.auth,
            header=self.header,
            allow_commands=self.allow_commands,
            make_login=(current_surroundings().make_login or login) if has_person else None,
        )

    def connect(self, catalog: Catalog) -> Mapping[str, Connection]:
        """
        One connection an API of `catalog`; of workflows over several APIs, by those of their own.

        Raises:
            UsageError: As `build_connections()`.
        """
        from restwright.workspace.connections import group_sources, list_connection_names

        names = list_connection_names(catalog)
        made = self.connections([name for several in names.values() for name in several])
        return group_sources(names, made)


@dataclass(frozen=True, kw_only=True)
class TransportOptions:
    """Options of what carries requests."""

    timeout: Annotated[
        float,
        Option(
            "--timeout",
            min=0.1,
            max=86400,
            metavar="SECONDS",
            help="Longest wait for one response.",
        ),
    ] = TIMEOUT_S
    max_bytes: Annotated[
        int, Option("--max-bytes", min=1, metavar="N", help="Longest response that is read.")
    ] = MAX_BYTES

    def open_transport(
        self, shared: SharesTraffic | None = None, limits: TransportLimits | None = None
    ) -> AbstractContextManager[Send]:
        """
        What carries the requests. To be closed after use.

        Args:
            shared: Who its limits are shared with; None for nobody.
            limits: Of each origin.
        """
        from restwright.net.http.transport import Transport

        own = current_surroundings().open_transport
        if own is not None:
            return own(timeout_s=self.timeout, max_bytes=self.max_bytes)
        size = self.max_bytes
        return Transport(timeout_s=self.timeout, max_bytes=size, limits=limits, shared=shared)


# The defaults are those of `TransportLimits`, said twice as those of `LimitOptions` are.
@dataclass(frozen=True, kw_only=True)
class OriginLimitOptions:
    """Options of what one API is asked for at most by all who share its limits."""

    max_concurrent: Annotated[
        int,
        Option(
            "--max-concurrent",
            min=1,
            metavar="N",
            help="Most requests to one origin at the same time, of all workers together.",
        ),
    ] = 8
    per_second: Annotated[
        float | None,
        Option(
            "--per-second",
            min=0.001,
            metavar="N",
            help="Most requests to one origin that start in a second, of all workers together.",
        ),
    ] = None

    def limits(self) -> TransportLimits:
        """Of a transport."""
        from restwright.net.http.throttle import TransportLimits

        return TransportLimits(max_concurrent=self.max_concurrent, per_second=self.per_second)


@dataclass(frozen=True, kw_only=True)
class Shaped:
    """Options of a command that prints what an API answers."""

    pick: Annotated[
        str | None,
        Option("--pick", metavar="EXPR", help="Print only this part of the response (JMESPath)."),
    ] = None
    all_pages: Annotated[
        bool,
        Option("--all", help="Read every page of a list: 100 pages, 10,000 items at most."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Called(Named):
    """Options of a command that takes the arguments of a tool."""

    layout: Annotated[
        Literal["flat", "grouped"],
        Option("--layout", help="All arguments side by side; or query, headers and body apart."),
    ] = "flat"


@dataclass(frozen=True, kw_only=True)
class Described(Named):
    """Options of a command that lets a model read tools."""

    describe: Annotated[
        Literal["short", "full"],
        Option("--describe", help="The text alone; or parameters, security and tags too."),
    ] = "short"
    budget: Annotated[
        int,
        Option("--budget", min=MIN_BUDGET, metavar="N", help="Characters of a whole tool."),
    ] = BUDGET
    lean: Annotated[
        bool, Option("--lean", help="First sentences only, no deprecated optional inputs.")
    ] = False

    def __post_init__(self) -> None:
        """Refuse two options of which one would be ignored."""
        if self.lean and self.describe == "full":
            raise BadParameter("--lean and --describe full exclude each other")


@dataclass(frozen=True, kw_only=True)
class Presented(Described, Called):
    """Options of a command that prints tools."""

    dialect: Annotated[
        str | None,
        Option(
            "--dialect",
            metavar="NAME",
            help="In the provider's own shape: json-schema, openai, openai-strict,"
            " openai-responses, openai-responses-strict, anthropic, gemini, gemini-openapi, mcp,"
            " openapi-3.0, llama-grammar; or azure, bedrock, chatgpt, claude, deepseek, grok,"
            " llama, qwen or vertex, which speak one of them.",
        ),
    ] = None
