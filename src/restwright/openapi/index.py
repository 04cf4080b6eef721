"""
What a list of operations needs, kept under the SHA-256 of its document.

With it a document that was opened once is not parsed until a part of an operation is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from restwright.jsontypes import Json, JsonObject
from restwright.net.storage import read_state, write_state
from restwright.openapi.document import Document
from restwright.openapi.model import API, METHODS, Method, Operation, Server, ServerVariable
from restwright.openapi.read.reader import APIReader, api_from_reader

FORMAT = 4
"""To be raised when the same document is read differently than before."""

_TEXTS = ("title", "version", "description", "specification")
# Columns rather than rows: fewer objects to read.
_COLUMNS = (
    *("method", "path", "pointer", "operation_id", "summary", "tags", "deprecated"),
    "headline",
)


def find_indexed_api(document: Document, *, alias: str | None) -> API | None:
    """Return the API of a document that was kept before, without parsing it; else None."""
    data = read_state("index", _index_name(document))
    if data is None:
        return None
    try:
        return _restore_api(orjson.loads(data), document, alias)
    # What was written by another version, or damaged, can be anything.
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def index_api(api: API) -> None:
    """Keep what `find_indexed_api()` needs; a document with text that is no Unicode is not kept."""
    try:
        data = orjson.dumps(_index_entry(api))
    except orjson.JSONEncodeError:
        return
    write_state("index", f"{api.sha256}.json", data)


def _index_name(document: Document) -> str:
    return f"{document.sha256}.json"


def _producer() -> str:
    from restwright import __version__

    return f"restwright {__version__} {FORMAT}"


def _index_entry(api: API) -> JsonObject:
    return {
        "made_by": _producer(),
        "sha256": api.sha256,
        **{name: getattr(api, name) for name in _TEXTS},
        "servers": [_encode_server(server) for server in api.servers],
        "own_server": api.own_server and _encode_server(api.own_server),
        "extensions": api.extensions,
        "operations": [_column(api.operations, name) for name in _COLUMNS],
    }


def _column(operations: Sequence[Operation], name: str) -> list[Json]:
    if name == "method":
        return [str(operation.method) for operation in operations]
    return [getattr(operation, name) for operation in operations]


def _encode_server(server: Server) -> JsonObject:
    variables = {
        name: [each.default, each.enum, each.description] for name, each in server.variables.items()
    }
    return {"url": server.url, "variables": variables, "description": server.description}


def _decode_server(written: Any) -> Server:
    variables = {
        name: ServerVariable(default=default, enum=tuple(enum), description=description)
        for name, (default, enum, description) in written["variables"].items()
    }
    return Server(url=written["url"], variables=variables, description=written["description"])


def _restore_api(entry: Any, document: Document, alias: str | None) -> API:
    if (entry["made_by"], entry["sha256"]) != (_producer(), document.sha256):
        raise ValueError("of another version or document")
    reader = APIReader(document)
    return api_from_reader(
        reader,
        alias=alias,
        **{name: entry[name] for name in _TEXTS},
        servers=tuple(map(_decode_server, entry["servers"])),
        own_server=entry["own_server"] and _decode_server(entry["own_server"]),
        operations=tuple(_restore_operations(entry["operations"], reader)),
        extensions=entry["extensions"],
    )


def _restore_operations(columns: list[list[Any]], reader: APIReader) -> list[Operation]:
    methods, paths, pointers, ids, summaries, tags, deprecated, headlines = columns
    rows = zip(
        [METHODS.get(method) or Method(method) for method in methods],
        paths,
        pointers,
        ids,
        summaries,
        map(tuple, tags),
        deprecated,
        headlines,
        strict=True,
    )
    return list(map(Operation.deferring(_COLUMNS, reader.read_field), rows))
