"""From a path, a URL or bytes to an `API` in one call."""

from __future__ import annotations

from pathlib import Path

from restwright.net.fetch import retriever
from restwright.net.files import is_cache_on
from restwright.openapi.loader import is_url, open_document
from restwright.openapi.model import API
from restwright.openapi.reader import read
from restwright.typing import JsonObject, Retrieve

MIN_BYTES = 64 * 1024
"""Of a document on disk that is worth keeping an index of."""


def load(
    source: str | Path | bytes | JsonObject,
    *,
    alias: str | None = None,
    retrieve: Retrieve | None = None,
    allow_refs: str | Path | None = None,
) -> API:
    """
    Load and read a document.

    What a list of its operations needs is kept on this machine for the next time, unless it is
    small or `RESTWRIGHT_CACHE` is `off`.

    Args:
        source: A path, an http(s) URL, `-` for standard input, the bytes, or a parsed object.
        alias: The user's name for it, which becomes its namespace.
        retrieve: Fetches URLs; by default over our own transport.
        allow_refs: The folder whose files a `$ref` may lead to; None for no other file at all.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: Neither JSON nor YAML, or over a limit.
        NotOpenAPI: Not a document of a version that we read.
    """
    document = open_document(source, retrieve=retrieve or retriever(), allow_refs=allow_refs)
    # With other files it has been parsed already.
    if allow_refs is not None or not _is_worth_keeping(source):
        return read(document, alias=alias)
    from restwright.openapi.index import find, keep

    api = find(document, alias=alias)
    if api is None:
        api = read(document, alias=alias)
        keep(api)
    return api


def _is_worth_keeping(source: str | Path | bytes | JsonObject) -> bool:
    """Whether reading a document again would take longer than looking for what was kept of it."""
    if not isinstance(source, str | Path) or not is_cache_on():
        return False
    try:
        return is_url(str(source)) or Path(source).stat().st_size >= MIN_BYTES
    except (OSError, ValueError):
        return False
