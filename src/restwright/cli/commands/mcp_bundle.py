"""`mcp bundle`: documents as one file that a host installs, and what the registry is told of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.commands.mcp_serve import ExposureOptions, ServedNames, ServedWrites
from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.command import list_given_options
from restwright.cli.inputs.options import ConnectionOptions, TransportOptions
from restwright.cli.inputs.served_secrets import check_secrets, find_variables
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted
from restwright.errors import MissingExtra, RefusedRequest, RestwrightError, UsageError
from restwright.workspace.documents import load_apis
from restwright.workspace.lock import FILE_NAME, find_lock_file
from restwright.workspace.output_files import write_whole

if TYPE_CHECKING:
    from restwright.mcp.install.bundle import Bundle
    from restwright.openapi.model import API
    from restwright.tools.catalog.catalog import Catalog

_REGISTRY_NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
_ELSEWHERE = re.compile(r"(?:\A|[=:, ])(file|keyring|cmd|cert):")
# What is in the document of the bundle already, or cannot be there.
_APPLIED = frozenset({"--allow-refs", "--document-header", "--lock", "--overlay"})


@dataclass(frozen=True, kw_only=True)
class BundleOptions:
    """Options of what a bundle says of itself, and where it is written."""

    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="FILE.mcpb", help="File to write; NAME.mcpb without it."),
    ] = None
    force: Annotated[bool, Option("--force", help="Write over files that are there.")] = False
    bundle_name: Annotated[
        str | None,
        Option("--name", metavar="NAME", help="By which hosts know it."),
    ] = None
    version: Annotated[
        str | None,
        Option("--version", metavar="X.Y.Z", help="Of the bundle; that of the document without."),
    ] = None
    author: Annotated[
        str | None, Option("--author", metavar="NAME", help="Whose bundle it is; the API's.")
    ] = None
    server_json: Annotated[
        str | None,
        Option(
            "--server-json",
            metavar="NAME",
            help="Also write server.json beside it, for the MCP registry, under this name there,"
            " such as io.github.ada/shop. Needs --url.",
        ),
    ] = None
    url: Annotated[
        str | None,
        Option("--url", metavar="URL", help="Where the bundle can be downloaded."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored, and what the registry does not take."""
        if (self.server_json is None) != (self.url is None):
            raise BadParameter("--server-json and --url need each other")
        if self.server_json is not None and not _REGISTRY_NAME.fullmatch(self.server_json):
            raise BadParameter("--server-json takes a name such as io.github.ada/shop")
        if self.url is not None and not self.url.startswith("https://"):
            raise BadParameter("--url takes a URL of https")


def bundle(
    *,
    documents: Annotated[
        list[str], Argument(metavar="DOC...", help="Path, URL or alias=path-or-URL.")
    ],
    about: BundleOptions,
    exposure: ExposureOptions,
    filters: FilterOptions,
    write: ServedWrites,
    connection: ConnectionOptions,
    transport: TransportOptions,
    named: ServedNames,
    out: Output,
) -> int:
    """Write documents as one file (.mcpb) that a host installs, to serve them to its model."""
    _check_options(documents, connection, named, exposure)
    check_secrets(documents, connection, named)
    try:
        from restwright.mcp.install.bundle import make_manifest, make_server_json, pack_bundle
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "a bundle for the Model Context Protocol") from error

    groups = (exposure, filters, write, connection, transport, named)
    options = _without_applied([text for group in groups for text in list_given_options(group)])
    made = _make_bundle(documents, about, options, exposure, filters, named, connection, out)
    path = about.output or Path(f"{made.name}.mcpb")
    packed = pack_bundle(made)
    files: dict[Path, bytes] = {path: packed}
    entry = None
    if about.server_json is not None and about.url is not None:
        entry = make_server_json(made, packed, name=about.server_json, url=about.url)
        text = json.dumps(entry, indent=2, ensure_ascii=False) + "\n"
        files[path.with_name("server.json")] = text.encode()
    there = [str(file) for file in files if file.exists() and not about.force]
    if there:
        why = f"{', '.join(there)} is there"
        raise UsageError(why, setting="--output", next_move="write over it with --force")
    for file, content in files.items():
        write_whole(file, content)
    if out.json:
        written = [str(file) for file in files]
        out.value({"written": written, "manifest": make_manifest(made), "server": entry})
        return DONE
    out.text("\n".join(f"wrote {file}" for file in files))
    secrets = f"; its host asks for {', '.join(made.variables)}" if made.variables else ""
    out.note(f"{counted(len(made.tools), 'tool')} listed{secrets}")
    return DONE


def _check_options(
    documents: Sequence[str],
    connection: ConnectionOptions,
    named: ServedNames,
    exposure: ExposureOptions,
) -> None:
    """Refuse what another machine has not, or must not do on the word of a file."""
    if "-" in documents:
        raise BadParameter("a bundle is made of paths and URLs")
    if named.mcp or connection.allow_commands:
        raise BadParameter("a bundle starts no commands: --mcp and --allow-commands are not for it")
    if named.source or exposure.calls is not None:
        raise BadParameter("--source and --call-log name files that a bundle has not")
    for text in (*(connection.auth or ()), *(connection.header or ())):
        if found := _ELSEWHERE.search(text):
            why = f"{found[1]}: is on this machine alone"
            raise BadParameter(f"{why}; write it as env:NAME, which the host asks its user for")


def _without_applied(options: Sequence[str]) -> list[str]:
    before = ["", *options]
    return [
        text
        for option, text in zip(before, options, strict=False)
        if text not in _APPLIED and option not in _APPLIED
    ]


def _make_bundle(
    documents: Sequence[str],
    about: BundleOptions,
    options: Sequence[str],
    exposure: ExposureOptions,
    filters: FilterOptions,
    named: ServedNames,
    connection: ConnectionOptions,
    out: Output,
) -> Bundle:
    from restwright.mcp.install.bundle import Bundle, semantic_version, summarize
    from restwright.mcp.install.hosts import server_name
    from restwright.workspace.lock import build_locked_catalog

    settings = named.catalog_settings()
    apis = load_apis(documents, settings.documents, out.warn)
    whole = build_locked_catalog(apis, settings, out.warn)
    catalog = filters.filter(whole)
    if not catalog.entries:
        raise UsageError("nothing is left to be called", next_move="look at --only and --tag")
    places = {name: f"documents/{name}.json" for name in whole.apis}
    lock = find_lock_file(settings)
    first = next(iter(whole.apis.values()))
    title = first.title if len(whole.apis) == 1 else ", ".join(whole.apis)
    version = about.version or first.version
    if about.version is not None and semantic_version(about.version) != about.version:
        raise BadParameter("--version takes three numbers, such as 1.2.0")
    tools, has_more = _list_tools(catalog, exposure)
    return Bundle(
        name=server_name(about.bundle_name or next(iter(whole.apis))),
        title=title,
        version=semantic_version(version) or "1.0.0",
        description=summarize(first.description) or title,
        author=about.author or title,
        arguments=(
            *(f"{name}={place}" for name, place in places.items()),
            *options,
            *_name_origins(whole, connection),
            *(["--lock", FILE_NAME] if lock is not None else []),
        ),
        files={
            **{place: _write_document(whole.apis[name]) for name, place in places.items()},
            **({FILE_NAME: lock.text.encode()} if lock is not None else {}),
        },
        variables=find_variables(options),
        tools=tools,
        has_more_tools=has_more,
    )


def _write_document(api: API) -> bytes:
    """A document as it was read: with its overlays, and what its references lead to."""
    text = json.dumps(api.document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _name_origins(catalog: Catalog, connection: ConnectionOptions) -> list[str]:
    """What a document's own URL named, and its copy in a bundle does not: where its API is."""
    from restwright.calls.request.servers import resolve_server_url
    from restwright.net.policy.origins import parse_origin
    from restwright.openapi.load.source import is_url_source

    if connection.server:
        return []
    found: list[str] = []
    for name, api in catalog.apis.items():
        tool = next((tool for tool in catalog.values() if tool.namespace == name), None)
        if tool is None or not is_url_source(api.source):
            continue
        try:
            url = resolve_server_url(tool, None)
            is_named = parse_origin(url) == parse_origin(api.source)
        except (RefusedRequest, RestwrightError):
            continue
        found += ["--server", f"{name}={url}"] if is_named else []
    return found


def _list_tools(catalog: Catalog, exposure: ExposureOptions) -> tuple[list[tuple[str, str]], bool]:
    """The tools that a client would see, and whether there are others."""
    from restwright.mcp.protocol.unicode_text import to_unicode_text
    from restwright.mcp.providers.catalog_tools import choose_exposure

    chosen = exposure.expose if exposure.expose != "auto" else choose_exposure(catalog)
    if chosen != "all":
        return [], True
    texts = {tool.name: tool.description for tool in catalog.values()}
    return [
        (name, to_unicode_text(text.partition("\n")[0][:200])) for name, text in texts.items()
    ], False
