"""From the DOC arguments of a command to a catalog, and from a NAME to its tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from restwright.errors import UsageError
from restwright.workspace.aliases import split_alias, split_header
from restwright.workspace.settings import CatalogSettings, DocumentSettings

if TYPE_CHECKING:
    from restwright.net.documents import Retrieve
    from restwright.openapi.model import API, Problem
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.tool import Tool

MAX_QUESTION = 200_000
"""Characters of a question, which standard input may have more of."""
_HEADER = "--document-header"
_OVERLAY = "--overlay"
_NO_WORKFLOWS = "--source is for Arazzo documents, and none is given"
_SECRET = re.compile(r"(.*[ =])?((?:env|file|keyring):\S*|cmd:.+)", re.DOTALL)
# What `tools.namespace` leaves as it is; said twice, so that a wrong command line costs no import.
_ALIAS = re.compile(r"(?=.{1,20}\Z)[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_DOCUMENTS = DocumentSettings()
_CATALOG = CatalogSettings()


def load_apis(
    documents: Sequence[str],
    settings: DocumentSettings = _DOCUMENTS,
    warn: Callable[[str], None] | None = None,
) -> list[API]:
    """
    Open every document of the command line; `alias=` becomes its namespace.

    Args:
        warn: Called with what an overlay could not do.

    Raises:
        UsageError: An alias that is no namespace, standard input twice, a header for a document
            that is not there, or not at a URL; an overlay for a document that is not there.
    """
    if settings.source:
        raise UsageError(_NO_WORKFLOWS)
    return [_load_api(document, settings, warn) for document in _split(documents, settings)]


@dataclass(frozen=True, slots=True)
class _AskedDocument:
    """A document of the command line, with what is said of it there."""

    alias: str | None
    source: str
    headers: Sequence[tuple[str, str]]
    overlays: Sequence[str]

    @property
    def retrieve(self) -> Retrieve | None:
        """What fetches it; None where it is at no URL."""
        return _retrieve(self.source, self.headers)


def _split(documents: Sequence[str], settings: DocumentSettings) -> list[_AskedDocument]:
    split = [split_alias(document) for document in documents]
    _check_documents(split)
    headers = _headers(split, settings.document_header)
    overlays = _by_document(split, settings.overlay, _OVERLAY)
    return [
        _AskedDocument(alias, source, own, changes)
        for (alias, source), own, changes in zip(split, headers, overlays, strict=True)
    ]


def _load_api(
    asked: _AskedDocument, settings: DocumentSettings, warn: Callable[[str], None] | None
) -> API:
    from restwright.openapi.api import load

    return load(
        asked.source,
        alias=asked.alias,
        retrieve=asked.retrieve,
        allow_refs=settings.allow_refs,
        overlays=asked.overlays,
        on_overlay=_make_overlay_reporter(warn),
    )


def _load_workflows(asked: _AskedDocument, settings: CatalogSettings) -> Catalog | None:
    """The workflows of a document; None where it is none of Arazzo."""
    from restwright.net.documents import make_retriever
    from restwright.openapi.load.loader import load_document

    if asked.source == "-":
        return None  # It is read already, and cannot be read a second time.
    retrieve = asked.retrieve or make_retriever()
    document = load_document(asked.source, retrieve=retrieve)
    if "arazzo" not in document.content:
        return None
    if asked.overlays or settings.locked:
        option = _OVERLAY if asked.overlays else "--locked"
        raise UsageError(f"{option} is for OpenAPI documents, and {asked.source} is one of Arazzo")
    from restwright.workflows.load import SourceSettings, catalog_from_content

    where = SourceSettings(
        sources=dict(_named_source(text) for text in settings.documents.source),
        folder=settings.documents.allow_refs,
        retrieve=retrieve,
    )
    return catalog_from_content(
        document.content,
        document.source,
        alias=asked.alias,
        settings=where,
        options=settings.tool_options,
    )


def _named_source(text: str) -> tuple[str, str]:
    name, source = split_alias(text)
    if name is None:
        raise UsageError(f"--source takes NAME=FILE-or-URL, not {text!r}")
    return name, source


def _make_overlay_reporter(warn: Callable[[str], None] | None) -> Callable[[Problem], None]:
    def report_problem(problem: Problem) -> None:
        if warn is not None:
            warn(f"{problem.severity}: {problem}")

    return report_problem


def load_catalog(
    documents: Sequence[str],
    settings: CatalogSettings = _CATALOG,
    warn: Callable[[str], None] | None = None,
) -> Catalog:
    """
    The tools of every document and server of the command line, under the names of the lock.

    Args:
        warn: Called with what an overlay could not do, and when operations are not as locked; and
            with the command of each server before it is started.

    Raises:
        UsageError: As `load_apis()`; or there is no lock where one was asked for.
        UnusableLock: The lock cannot be read.
        Drifted: An operation is not as it was locked, and `--locked` was given.
        ServerUnavailable: A server cannot be used.
    """
    from restwright.errors import NotOpenAPI
    from restwright.workspace.lock import build_locked_catalog
    from restwright.workspace.servers import open_servers, without_server_headers

    if not documents and not settings.documents.mcp:
        raise UsageError("a document is needed, or a server", setting="DOC or --mcp")
    apis: list[API] = []
    workflows: list[Catalog] = []
    for asked in _split(documents, without_server_headers(settings.documents)):
        try:
            apis.append(_load_api(asked, settings.documents, warn))
        except NotOpenAPI:
            if (found := _load_workflows(asked, settings)) is None:
                raise
            workflows.append(found)
    if settings.documents.source and not workflows:
        raise UsageError(_NO_WORKFLOWS)
    servers = open_servers(settings.documents, warn)
    if not workflows:
        return build_locked_catalog(apis, settings, warn, servers=servers)
    from restwright.tools.catalog.catalog import combine_catalogs

    has_own = apis or settings.documents.mcp
    own = [build_locked_catalog(apis, settings, warn, servers=servers)] if has_own else []
    return combine_catalogs([*own, *workflows])


def select_reads(catalog: Catalog) -> Catalog:
    """The part of `catalog` that changes nothing."""
    from restwright.tools.catalog.catalog import filter_operations
    from restwright.tools.safety import classify_operation

    return filter_operations(catalog, lambda operation: classify_operation(operation) == "read")


def find_tool(catalog: Catalog, name: str) -> Tool:
    """
    The tool `name`, whole or by its operation alone; of a workflow also by its own id.

    Raises:
        UnknownTool: There is none.
    """
    return catalog.find(name) or _find_workflow(catalog, name) or catalog[name]


def _find_workflow(catalog: Catalog, name: str) -> Tool | None:
    """The one workflow of this id, whose tool may have a shorter name."""
    found = [
        tool
        for tool in catalog.built.values()
        if tool.operation.operation_id == name and tool.handler and tool.handler.make_steps
    ]
    return found[0] if len(found) == 1 else None


def arguments_from(text: str, *, documents: Sequence[str] = ()) -> str:
    """
    The text of ARGS: itself, of `@file`, or of standard input for `-`.

    Raises:
        UnreadableArguments: The file cannot be read, or standard input is the document already.
    """
    import sys
    from pathlib import Path

    from restwright.errors import UnreadableArguments

    if text == "-":
        if any(split_alias(document)[1] == "-" for document in documents):
            raise UnreadableArguments("standard input is the document already")
        return sys.stdin.read()
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UnreadableArguments(_why_not(error), text[1:]) from None


def question_from(text: str, *, documents: Sequence[str] = (), name: str = "QUESTION") -> str:
    """
    The text of an argument such as QUESTION: itself, or of standard input for `-`.

    Raises:
        UsageError: It is empty, too long or not UTF-8, or standard input is a document already.
    """
    import sys

    where = f"the {name}"
    if text == "-":
        if any(split_alias(document)[1] == "-" for document in documents):
            raise UsageError("standard input is the document already", setting=name)
        where = "standard input"
        if (reconfigure := getattr(sys.stdin, "reconfigure", None)) is not None:
            reconfigure(errors="surrogateescape")
        text = sys.stdin.read(MAX_QUESTION + 1)
    if len(text) > MAX_QUESTION:
        raise UsageError(f"{where} holds more than {MAX_QUESTION:,} characters")
    if not text.strip():
        raise UsageError(f"{where} is empty")
    if not _is_text(text):
        raise UsageError(f"{where} is not UTF-8")
    return text


def _is_text(text: str) -> bool:
    """Whether it has no surrogates, which stand for bytes that are not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeError:
        return False
    return True


def _why_not(error: OSError | ValueError) -> str:
    from restwright.openapi.load.source import describe_os_error

    if isinstance(error, OSError):
        return describe_os_error(error)
    return "it is not UTF-8" if isinstance(error, UnicodeError) else "that is no path"


def _check_documents(documents: Sequence[tuple[str | None, str]]) -> None:
    for alias, _ in documents:
        if alias and not _ALIAS.fullmatch(alias):
            raise UsageError(
                f"{alias}= is no alias: it is made of lower case letters, digits and single"
                " underscores, at most 20, and starts with a letter",
                setting="DOC",
                next_move="write ./ before a path with =",
            )
    if [source for _, source in documents].count("-") > 1:
        raise UsageError("standard input can be only one of the documents", setting="DOC")


def _retrieve(source: str, headers: Sequence[tuple[str, str]]) -> Retrieve | None:
    from restwright.openapi.load.source import is_url_source

    if not is_url_source(source):
        return None
    from restwright.net.documents import make_retriever

    return make_retriever(headers=headers)


def _headers(
    documents: Sequence[tuple[str | None, str]], given: Sequence[str]
) -> list[list[tuple[str, str]]]:
    """The headers of each document, secrets filled in."""
    from restwright.openapi.load.source import is_url_source

    found: list[list[tuple[str, str]]] = []
    for (_, source), texts in zip(documents, _by_document(documents, given, _HEADER), strict=True):
        if texts and not is_url_source(source):
            raise UsageError(f"{_HEADER} is for a document at a URL")
        split = [split_header(text, option=_HEADER) for text in texts]
        found.append([(name, fill_in_secret(value)) for name, value in split])
    return found


def _by_document(
    documents: Sequence[tuple[str | None, str]], given: Sequence[str], option: str
) -> list[list[str]]:
    """The values of `option` for each document; `ALIAS=` before a value names its document."""
    aliases = [name for name, _ in documents]
    found: list[list[str]] = [[] for _ in documents]
    for text in given:
        alias, value = split_alias(text)
        found[_index_of(alias, aliases, option)].append(value)
    return found


def _index_of(alias: str | None, aliases: Sequence[str | None], option: str) -> int:
    known = ", ".join(name for name in aliases if name)
    if alias is None and len(aliases) > 1:
        raise UsageError(f"{option} needs the ALIAS= of its document before its value")
    if alias is not None and alias not in aliases:
        raise UsageError(f"{option}: no document is named {alias} ({known or 'none has a name'})")
    return aliases.index(alias) if alias else 0


def fill_in_secret(value: str, *, allow_commands: bool = False) -> str:
    """`Bearer env:NAME` or `sid=env:NAME` with what the variable holds; so for all references."""
    found = _SECRET.fullmatch(value)
    if not found:
        return value
    from restwright.calls.auth.connection import resolve_credential

    return (found[1] or "") + resolve_credential(found[2], allow_commands=allow_commands)
