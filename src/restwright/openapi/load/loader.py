"""Bytes, a path or a URL becomes a document: read once, under limits, with errors that name it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from restwright.errors import DocumentUnavailable, NotOpenAPI, UnreadableDocument, require
from restwright.net.callbacks import settled
from restwright.net.policy.origins import shown
from restwright.openapi.model import Problem
from restwright.openapi.syntax.decode import Lazy, Parsed, parse_bytes
from restwright.openapi.syntax.limits import MAX_BYTES
from restwright.typing import Json, JsonObject, Retrieve, is_array, is_object

Source = str | Path | bytes | JsonObject

_SHOWN = 40
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """
    A document, parsed when its content is first asked for. Equal where source and bytes are.

    Args:
        source: A path, a URL without its query, `-`, `bytes` or `object`.
        digest: What `sha256` is taken from.
        parsed: What `content` and `problems` are taken from.
        doubts: What the overlays could not do.
    """

    source: str
    digest: Lazy[str] = field(repr=False)
    parsed: Lazy[Parsed] = field(repr=False)
    doubts: Lazy[tuple[Problem, ...]] | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        """Compare source and bytes."""
        is_one = isinstance(other, Document)
        return is_one and (self.source, self.sha256) == (other.source, other.sha256)

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash((self.source, self.sha256))

    @property
    def sha256(self) -> str:
        """Of the bytes that were read, in hexadecimal; of all files and overlays together."""
        return self.digest()

    @property
    def content(self) -> JsonObject:
        """
        Plain JSON values; every key is a string.

        Raises:
            UnreadableDocument: Neither JSON nor YAML, or over a limit.
            NotOpenAPI: The top of the document is no object.
        """
        return _object(self.parsed().value, self.source)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the parser met and passed over; the first question looks at JSON a second time."""
        return (*self.parsed().problems(), *self.overlay_problems)

    @property
    def overlay_problems(self) -> tuple[Problem, ...]:
        """What the overlays could not do; empty where there are none."""
        return self.doubts() if self.doubts else ()


def load_document(
    source: Source,
    *,
    retrieve: Retrieve,
    allow_refs: str | Path | None = None,
    overlays: Sequence[Source] = (),
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
    return _parsed(
        open_document(source, retrieve=retrieve, allow_refs=allow_refs, overlays=overlays)
    )


def open_document(
    source: Source,
    *,
    retrieve: Retrieve,
    allow_refs: str | Path | None = None,
    overlays: Sequence[Source] = (),
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
    document = _opened(*_read(source, retrieve))
    if overlays:
        from restwright.openapi.load.apply_overlay import overlaid_document
        from restwright.openapi.load.overlay import read_overlay

        read = [read_overlay(_opened(*_read(each, retrieve))) for each in overlays]
        document = overlaid_document(document, read)
    if allow_refs is None:
        return document
    from restwright.openapi.load.bundle import bundled

    bundle = bundled(document, folder=Path(allow_refs))
    parsed = Parsed(value=bundle.content, problems=bundle.problems)
    digest = Lazy(lambda: bundle.sha256)
    return Document(
        source=document.source, digest=digest, parsed=Lazy(lambda: parsed), doubts=document.doubts
    )


def parse_document(content: bytes, *, source: str) -> Document:
    """
    Parse the bytes of a document that came from `source`.

    Raises:
        UnreadableDocument: As `load_document()`.
        NotOpenAPI: As `load_document()`.
    """
    return _parsed(_opened(source, content))


def is_url(source: str) -> bool:
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
        raise DocumentUnavailable(source, reason_of(error)) from None
    except ValueError:
        raise DocumentUnavailable(repr(source), "the path holds a null character") from None


def _opened(source: str, content: bytes) -> Document:
    if len(content) > MAX_BYTES:
        why = f"it is larger than the limit of {MAX_BYTES:,} bytes"
        raise UnreadableDocument(source, why, is_over_limit=True)
    return Document(
        source=source,
        digest=Lazy(lambda: hashlib.sha256(content).hexdigest()),
        parsed=Lazy(lambda: parse_bytes(content, source=source)),
    )


def _parsed(document: Document) -> Document:
    _object(document.parsed().value, document.source)
    return document


def _read(source: Source, retrieve: Retrieve) -> tuple[str, bytes]:
    """The name that errors give the source, and its bytes."""
    if isinstance(source, bytes):
        return "bytes", source
    if isinstance(source, dict):
        return "object", _dumped(source)
    # Who does not check types learns it here, not as a file of that name that does not exist.
    wanted = "a path, a URL, '-', bytes or a parsed object"
    require(source, (str, os.PathLike), what="a document", wanted=wanted)
    name = os.fspath(source)
    if "\n" in name or name.lstrip().startswith("{"):
        why = "it is the text of a document, not its path: give it as bytes, or parsed"
        raise DocumentUnavailable(f"{name[:_SHOWN]!r}...", why)
    if is_url(name):
        return shown(name), settled(retrieve(name), "retrieve")
    if name == "-":
        return name, sys.stdin.buffer.read(MAX_BYTES + 1)
    if _SCHEME.match(name):
        raise DocumentUnavailable(shown(name), "only http and https URLs are fetched")
    return name, read_file(Path(name), source=name)


def _dumped(content: JsonObject) -> bytes:
    # Written here, so that later changes to the caller's object cannot reach the document.
    try:
        return json.dumps(content, ensure_ascii=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        why = str(error).partition("\n")[0]
        raise UnreadableDocument("object", f"it is not plain JSON: {why}") from None


def reason_of(error: OSError) -> str:
    """Why a file cannot be read, in words."""
    reasons: dict[type[OSError], str] = {
        FileNotFoundError: "there is no such file",
        IsADirectoryError: "it is a folder",
        PermissionError: "reading it is not permitted",
    }
    return reasons.get(type(error), error.strerror or "it cannot be opened")


def _object(value: Json, source: str) -> JsonObject:
    if is_object(value):
        return value
    if isinstance(value, str):
        raise UnreadableDocument(source, "it is plain text")
    kind = "a list" if is_array(value) else "a single value"
    raise NotOpenAPI(source, f"{kind} stands at the top, where an object is expected")
