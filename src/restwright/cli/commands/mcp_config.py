"""`mcp config`: what editors and other hosts are told, to start `mcp serve` or to reach it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from typer import BadParameter, Option

from restwright.cli.commands.mcp_serve import (
    ExposureOptions,
    LocalOptions,
    ServedNames,
    ServedWrites,
)
from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.command import list_given_options
from restwright.cli.inputs.options import ConnectionOptions, TransportOptions
from restwright.cli.inputs.run_options import ModelOptions
from restwright.cli.inputs.served_secrets import (
    check_journal,
    check_secrets,
    find_variables,
    make_files_absolute,
)
from restwright.cli.inputs.server_options import ClientToken, PublicURL, SourcesOrFunctions
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.mcp.hosts import ServerEntry, server_name, write_host_config
from restwright.workspace.documents import split_alias
from restwright.workspace.lock import FILE_NAME

_PATHS = frozenset(
    {
        *("--allow-folder", "--allow-refs", "--call-log", "--lock", "--notebooks"),
        *("--overlay", "--source"),  # with a name before the path
    }
)
_REFERENCES = frozenset({"--auth", "--document-header", "--header", "--journal", "--journal-key"})


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """Options of who is told, and of what."""

    host: Annotated[
        Literal[
            "claude",
            "claude-code",
            "cursor",
            "vscode",
            "codex",
            "gemini",
            "windsurf",
            "zed",
            "inspector",
        ],
        Option("--for", help="Which program is told."),
    ]
    entry_name: Annotated[
        str | None,
        Option("--name", metavar="NAME", help="By which it knows the server."),
    ] = None
    url: PublicURL = None
    token: ClientToken = None


def config(
    *,
    sources: SourcesOrFunctions,
    host: HostOptions,
    exposure: ExposureOptions,
    filters: FilterOptions,
    write: ServedWrites,
    connection: ConnectionOptions,
    transport: TransportOptions,
    named: ServedNames,
    model: ModelOptions,
    local: LocalOptions,
    out: Output,
) -> int:
    """Print what an editor or another host is told, to serve these documents and manifests."""
    options = [
        text
        for group in (exposure, filters, write, connection, transport, named, model, local)
        for text in list_given_options(group)
    ]
    check_secrets(sources, connection, named)
    check_journal(local.place)
    name = host.entry_name or server_name(_name_of(sources[0]))
    entry = _entry_of_url(name, host) if host.url else _entry_of_command(name, sources, options)
    written = write_host_config(host.host, entry)
    if out.json:
        out.value({"place": written.place, "text": written.text, "remarks": [*written.remarks]})
        return DONE
    out.note(f"for {written.place}:")
    out.text(written.text)
    for remark in written.remarks:
        out.note(remark)
    return DONE


def _entry_of_url(name: str, host: HostOptions) -> ServerEntry:
    variable = "".join(find_variables([host.token or ""]))
    if host.token and host.token != f"env:{variable}":
        raise BadParameter("--token is written as env:NAME, which a host can read too")
    return ServerEntry(name=name, url=host.url or "", token_variable=variable)


def _entry_of_command(name: str, sources: list[str], options: list[str]) -> ServerEntry:
    script = Path(sys.executable).with_name("restwright")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "restwright"]
    lock = [] if "--lock" in options or not Path(FILE_NAME).exists() else ["--lock", FILE_NAME]
    command = [*start, "mcp", "serve", *map(_absolute, sources), *_with_paths([*options, *lock])]
    return ServerEntry(name=name, command=tuple(command), variables=find_variables(options))


def _with_paths(options: list[str]) -> list[str]:
    """Options whose paths do not depend on where a host starts the server."""
    return [_with_path(before, text) for before, text in zip(["", *options], options, strict=False)]


def _with_path(option: str, text: str) -> str:
    if option in _PATHS:
        return _absolute(text)
    if option == "--journal" and text.startswith("sqlite:"):
        return f"sqlite:{Path(text.removeprefix('sqlite:')).expanduser().resolve()}"
    return make_files_absolute(text) if option in _REFERENCES else text


def _absolute(source: str) -> str:
    alias, text = split_alias(source)
    if text == "-":
        raise BadParameter("a host cannot give a document on standard input")
    where = text if "://" in text else str(Path(text).resolve())
    return where if alias is None else f"{alias}={where}"


def _name_of(source: str) -> str:
    alias, text = split_alias(source)
    if alias is not None:
        return alias
    parts = urlsplit(text)
    return (parts.hostname or text) if "://" in text else Path(text).stem
