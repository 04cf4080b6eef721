"""From a path, a URL or bytes to an `API` in one call."""

from __future__ import annotations

from pathlib import Path

from restwright.openapi.loader import load_document
from restwright.openapi.model import API
from restwright.openapi.reader import read
from restwright.typing import JsonObject, Retrieve


def load(
    source: str | Path | bytes | JsonObject,
    *,
    alias: str | None = None,
    retrieve: Retrieve | None = None,
) -> API:
    """
    Load and read a document.

    Args:
        source: A path, an http(s) URL, `-` for standard input, the bytes, or a parsed object.
        alias: The user's name for it, which becomes its namespace.
        retrieve: Fetches URLs; by default over our own transport.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: Neither JSON nor YAML, or over a limit.
        NotOpenAPI: Not a document of a version that we read.
    """
    return read(load_document(source, retrieve=retrieve or _fetch), alias=alias)


def _fetch(url: str) -> bytes:
    from restwright.net.transport import Transport, retrieve

    with Transport() as send:
        return retrieve(url, send=send)
