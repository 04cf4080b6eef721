"""From a path, a URL, bytes or an object to the bytes of one document."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from pathlib import Path

from restwright.errors import DocumentUnavailable, UnreadableDocument, require_type
from restwright.jsontypes import JsonObject
from restwright.net.callbacks import await_callback_result
from restwright.net.documents import Retrieve
from restwright.net.policy.origins import redact_url
from restwright.openapi.document import Document
from restwright.openapi.syntax.decode import LazyValue, parse_bytes
from restwright.openapi.syntax.limits import MAX_BYTES

DocumentSource = str | Path | bytes | JsonObject

_SHOWN = 40
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def read_source(source: DocumentSource, retrieve: Retrieve) -> tuple[str, bytes]:
    """
    The name that errors give the source, and its bytes.

    Raises:
        TypeError: It is none of what a document can be.
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: A given object is not plain JSON.
    """
    if isinstance(source, bytes):
        return "bytes", source
    if isinstance(source, dict):
        return "object", _dump_object(source)
    # Who does not check types learns it here, not as a file of that name that does not exist.
    wanted = "a path, a URL, '-', bytes or a parsed object"
    require_type(source, (str, os.PathLike), what="a document", wanted=wanted)
    name = os.fspath(source)
    if "\n" in name or name.lstrip().startswith("{"):
        why = "it is the text of a document, not its path: give it as bytes, or parsed"
        raise DocumentUnavailable(f"{name[:_SHOWN]!r}...", why)
    if is_url_source(name):
        return redact_url(name), await_callback_result(retrieve(name), "retrieve")
    if name == "-":
        return name, sys.stdin.buffer.read(MAX_BYTES + 1)
    if _SCHEME.match(name):
        raise DocumentUnavailable(redact_url(name), "only http and https URLs are fetched")
    return name, read_file(Path(name), source=name)


def document_from_bytes(source: str, content: bytes) -> Document:
    """
    A document of these bytes, which are parsed when its content is asked for.

    Raises:
        UnreadableDocument: It is over the limit.
    """
    if len(content) > MAX_BYTES:
        why = f"it is larger than the limit of {MAX_BYTES:,} bytes"
        raise UnreadableDocument(source, why, is_over_limit=True)
    return Document(
        source=source,
        digest=LazyValue(lambda: hashlib.sha256(content).hexdigest()),
        parsed=LazyValue(lambda: parse_bytes(content, source=source)),
    )


def is_url_source(source: str) -> bool:
    """Whether `source` is an http or https URL rather than a path."""
    return source.lower().startswith(("http://", "https://"))


def read_file(path: Path, *, source: str) -> bytes:
    """
    Read a file; of one over the limit, one byte more than the limit.

    Raises:
        DocumentUnavailable: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            # Asking for no more than there is saves making room for 32 MB; a pipe has no size.
            size = os.fstat(file.fileno()).st_size
            return file.read(min(size, MAX_BYTES) + 1 if size else MAX_BYTES + 1)
    except OSError as error:
        raise DocumentUnavailable(source, describe_os_error(error)) from None
    except ValueError:
        raise DocumentUnavailable(repr(source), "the path holds a null character") from None


def describe_os_error(error: OSError) -> str:
    """Why a file cannot be read, in words."""
    reasons: dict[type[OSError], str] = {
        FileNotFoundError: "there is no such file",
        IsADirectoryError: "it is a folder",
        PermissionError: "reading it is not permitted",
    }
    return reasons.get(type(error), error.strerror or "it cannot be opened")


def _dump_object(content: JsonObject) -> bytes:
    # Written here, so that later changes to the caller's object cannot reach the document.
    try:
        return json.dumps(content, ensure_ascii=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        why = str(error).partition("\n")[0]
        raise UnreadableDocument("object", f"it is not plain JSON: {why}") from None
