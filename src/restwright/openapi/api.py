"""From a path, a URL or bytes to an `API` in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from types import NoneType

from restwright.errors import require_callable, require_type
from restwright.jsontypes import JsonObject
from restwright.net.callbacks import enable_async_callbacks
from restwright.net.documents import Retrieve, make_retriever
from restwright.net.storage import is_cache_on
from restwright.openapi.document import Document
from restwright.openapi.load.loader import open_document
from restwright.openapi.load.source import is_url_source
from restwright.openapi.model import API, Problem
from restwright.openapi.read.reader import read_api

MIN_BYTES = 64 * 1024
"""Of a document on disk that is worth keeping an index of."""


def load(
    source: str | Path | bytes | JsonObject,
    *,
    alias: str | None = None,
    retrieve: Retrieve | None = None,
    allow_refs: str | Path | None = None,
    overlays: Sequence[str | Path | bytes | JsonObject] = (),
    on_overlay: Callable[[Problem], None] | None = None,
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
        overlays: OpenAPI Overlays of the same kinds, applied in this order to the document before
            it is read. What they could not do is among the problems of the API.
        on_overlay: Told at once what the overlays could not do.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: Neither JSON nor YAML, or over a limit.
        NotOpenAPI: Not a document of a version that we read.
        UnusableOverlay: An overlay is none.
        WrongType: An argument is of another type, such as one overlay in the place of several.
    """
    _require_options(alias, retrieve, allow_refs, overlays, on_overlay)
    document = open_document(
        source, retrieve=retrieve or make_retriever(), allow_refs=allow_refs, overlays=overlays
    )
    # With other files it has been parsed already.
    if allow_refs is not None or not _is_worth_indexing(source):
        return _read_and_report(document, alias, on_overlay)
    from restwright.openapi.index import find_indexed_api, index_api

    api = find_indexed_api(document, alias=alias)
    if api is None:
        api = _read_and_report(document, alias, on_overlay)
        # So that each run says again what the overlays could not do.
        if not document.overlay_problems:
            index_api(api)
    return api


async def load_async(
    source: str | Path | bytes | JsonObject,
    *,
    alias: str | None = None,
    retrieve: Retrieve | None = None,
    allow_refs: str | Path | None = None,
    overlays: Sequence[str | Path | bytes | JsonObject] = (),
    on_overlay: Callable[[Problem], None] | None = None,
) -> API:
    """Do the same as `load()` in a thread, so that the event loop goes on meanwhile."""
    from anyio.to_thread import run_sync

    def read() -> API:
        return load(
            source,
            alias=alias,
            retrieve=retrieve,
            allow_refs=allow_refs,
            overlays=overlays,
            on_overlay=on_overlay,
        )

    with enable_async_callbacks():
        return await run_sync(read, abandon_on_cancel=True)


def _require_options(
    alias: object, retrieve: object, allow_refs: object, overlays: object, on_overlay: object
) -> None:
    require_type(alias, (str, NoneType), what="`alias`", wanted="text or None")
    wanted = "the path of a folder or None"
    require_type(allow_refs, (str, PathLike, NoneType), what="`allow_refs`", wanted=wanted)
    # A text is a sequence too: of paths with one letter each.
    require_type(overlays, (list, tuple), what="`overlays`", wanted="a list of overlays")
    if retrieve is not None:
        require_callable(retrieve, what="`retrieve`", wanted="a function of a URL, or None")
    if on_overlay is not None:
        require_callable(
            on_overlay, what="`on_overlay`", wanted="a function of a `Problem`, or None"
        )


def _read_and_report(
    document: Document, alias: str | None, on_overlay: Callable[[Problem], None] | None
) -> API:
    api = read_api(document, alias=alias)
    if on_overlay is not None:
        for problem in document.overlay_problems:
            on_overlay(problem)
    return api


def _is_worth_indexing(source: str | Path | bytes | JsonObject) -> bool:
    """Whether reading a document again would take longer than looking for what was kept of it."""
    if not isinstance(source, str | Path) or not is_cache_on():
        return False
    try:
        return is_url_source(str(source)) or Path(source).stat().st_size >= MIN_BYTES
    except (OSError, ValueError):
        return False
