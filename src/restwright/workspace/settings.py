"""What a face says of documents and of the catalog that is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.tools.options import ToolOptions
    from restwright.workspace.credentials import MakeLogin


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSettings:
    """
    How documents are opened.

    Args:
        document_header: `[ALIAS=]Name: value` each, sent when a document is fetched from its URL.
        allow_refs: The folder in which a `$ref` may lead to other files; None for nowhere.
        overlay: `[ALIAS=]FILE` each, applied to the document before it is read.
        mcp: `NAME=COMMAND` or `NAME=URL` each, a server of MCP.
        trust_hints: Names of those whose word on what only reads is believed.
        make_login: How a person logs in to a server at a URL; None where nobody can.
        source: `NAME=FILE-or-URL` each, where a source of an Arazzo document is.
    """

    document_header: Sequence[str] = ()
    allow_refs: Path | None = None
    overlay: Sequence[str] = ()
    mcp: Sequence[str] = ()
    trust_hints: Sequence[str] = ()
    make_login: MakeLogin | None = None
    source: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """
    How a catalog is made of documents.

    Args:
        lock: The file that tools are named as in; None for `restwright.lock` where there is one.
        locked: Refuse operations that are not as they were locked.
        tools: How tools are presented; None for the defaults.
    """

    documents: DocumentSettings = field(default_factory=DocumentSettings)
    lock: Path | None = None
    locked: bool = False
    tools: ToolOptions | None = None

    @property
    def tool_options(self) -> ToolOptions:
        """How tools are presented."""
        from restwright.tools.options import DEFAULT_TOOL_OPTIONS

        return self.tools or DEFAULT_TOOL_OPTIONS
