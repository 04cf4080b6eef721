"""Bytes, a path or a URL becomes a document: read once, under limits, with errors that name it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from restwright.net.documents import Retrieve
from restwright.openapi.document import Document
from restwright.openapi.load.source import DocumentSource, document_from_bytes, read_source
from restwright.openapi.syntax.decode import LazyValue, ParsedFile


def load_document(
    source: DocumentSource,
    *,
    retrieve: Retrieve,
    allow_refs: str | Path | None = None,
    overlays: Sequence[DocumentSource] = (),
) -> Document:
    """
    Read and parse a document, JSON or YAML.

    Args:
        source: A path, an http(s) URL, `-` for standard input, the bytes, or a parsed object.
        retrieve: Fetches URLs; not called for anything else.
        allow_refs: The folder whose files a `$ref` may lead to; None for no other file at all.
        overlays: OpenAPI Overlays, applied in this order to what is read.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: Neither JSON nor YAML, or over a limit (32 MB, 200 levels).
        NotOpenAPI: The top of the document is no object.
        UnusableOverlay: An overlay is none.
    """
    return _require_content(
        open_document(source, retrieve=retrieve, allow_refs=allow_refs, overlays=overlays)
    )


def open_document(
    source: DocumentSource,
    *,
    retrieve: Retrieve,
    allow_refs: str | Path | None = None,
    overlays: Sequence[DocumentSource] = (),
) -> Document:
    """
    Read the bytes of a document; they are parsed when its content is asked for.

    With `allow_refs` they are parsed here, as that says which other files belong to it.

    Raises:
        WrongType: It is none of what a document can be.
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: A given object is not plain JSON; with `allow_refs` as
            `load_document()`.
        NotOpenAPI: As `load_document()`, with `allow_refs`.
        UnusableOverlay: An overlay is none; they are read at once.
    """
    document = document_from_bytes(*read_source(source, retrieve))
    if overlays:
        from restwright.openapi.load.apply_overlay import document_with_overlays
        from restwright.openapi.load.overlay import read_overlay

        files = [document_from_bytes(*read_source(overlay, retrieve)) for overlay in overlays]
        document = document_with_overlays(document, [read_overlay(file) for file in files])
    if allow_refs is None:
        return document
    from restwright.openapi.load.bundle import bundle_document

    bundle = bundle_document(document, folder=Path(allow_refs))
    parsed = ParsedFile(value=bundle.content, problems=bundle.problems)
    digest = LazyValue(lambda: bundle.sha256)
    return Document(
        source=document.source,
        digest=digest,
        parsed=LazyValue(lambda: parsed),
        doubts=document.doubts,
    )


def parse_document(content: bytes, *, source: str) -> Document:
    """
    Parse the bytes of a document that came from `source`.

    Raises:
        UnreadableDocument: As `load_document()`.
        NotOpenAPI: As `load_document()`.
    """
    return _require_content(document_from_bytes(source, content))


def _require_content(document: Document) -> Document:
    document.content  # noqa: B018 - what is no object is refused here
    return document
