"""Bytes, a path or a URL becomes a document: read once, under limits, with errors that name it."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from restwright.errors import DocumentUnavailable, NotOpenAPI, UnreadableDocument
from restwright.openapi.limits import MAX_BYTES, MAX_DEPTH, is_deeper
from restwright.openapi.model import Problem
from restwright.typing import Json, JsonObject, Retrieve, is_array, is_object

_BOMS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """
    A parsed document.

    Args:
        source: A path, a URL, `-`, `bytes` or `object`.
        content: Plain JSON values; every key is a string.
        sha256: Of the bytes that were read, in hexadecimal.
        problems: What the parser met and passed over (keys that stand twice).
    """

    source: str
    content: JsonObject = field(repr=False)
    sha256: str
    problems: tuple[Problem, ...] = ()


def load_document(source: str | Path | bytes | JsonObject, *, retrieve: Retrieve) -> Document:
    """
    Read and parse a document, JSON or YAML.

    Args:
        source: A path, an http(s) URL, `-` for standard input, the bytes, or a parsed object.
        retrieve: Fetches URLs; not called for anything else.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: Neither JSON nor YAML, or over a limit (32 MB, 200 levels).
        NotOpenAPI: The top of the document is no object.
    """
    if isinstance(source, dict):
        return _given(source)
    if isinstance(source, bytes):
        return parse_document(source, source="bytes")
    name = str(source)
    return parse_document(_read(name, retrieve), source=name)


def parse_document(content: bytes, *, source: str) -> Document:
    """
    Parse the bytes of a document that came from `source`.

    Raises:
        UnreadableDocument: As `load_document()`.
        NotOpenAPI: As `load_document()`.
    """
    if len(content) > MAX_BYTES:
        raise UnreadableDocument(source, f"it is larger than {MAX_BYTES:,} bytes")
    problems: list[Problem] = []
    value = _parse(_text(content, source), source, problems)
    return Document(
        source=source,
        content=_object(value, source),
        sha256=hashlib.sha256(content).hexdigest(),
        problems=tuple(problems),
    )


def is_url(source: str) -> bool:
    """Whether `source` is an http or https URL rather than a path."""
    return source.lower().startswith(("http://", "https://"))


def _given(content: JsonObject) -> Document:
    try:
        text = json.dumps(content, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableDocument("object", f"it is not plain JSON: {_first_line(error)}") from None
    # Read back, so that later changes to the caller's object cannot reach the document.
    return parse_document(text.encode(), source="object")


def _read(source: str, retrieve: Retrieve) -> bytes:
    if is_url(source):
        return retrieve(source)
    if source == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentUnavailable(source, _reason(error)) from None
    except ValueError:
        raise DocumentUnavailable(repr(source), "the path holds a null character") from None


def _reason(error: OSError) -> str:
    reasons: dict[type[OSError], str] = {
        FileNotFoundError: "there is no such file",
        IsADirectoryError: "it is a folder",
        PermissionError: "reading it is not permitted",
    }
    return reasons.get(type(error), error.strerror or "it cannot be opened")


def _text(content: bytes, source: str) -> str:
    encoding = next((name for bom, name in _BOMS if content.startswith(bom)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        why = f"it is not text (byte 0x{content[error.start]:02x} at offset {error.start:,})"
        raise UnreadableDocument(source, why) from None
    if not text.strip():
        raise UnreadableDocument(source, "it is empty")
    if "\0" in text:
        raise UnreadableDocument(source, "it is not text (it holds null characters)")
    return text


def _parse(text: str, source: str, problems: list[Problem]) -> Json:
    start = text.lstrip()[:1]
    if start == "<":
        raise UnreadableDocument(source, "it looks like HTML or XML")
    if start not in {"{", "["}:
        return _parse_yaml(text, source, problems)
    try:
        return _parse_json(text, source)
    except json.JSONDecodeError as error:
        why = f"{error.msg}, line {error.lineno}, column {error.colno}"
    if source.lower().endswith(".json"):
        raise UnreadableDocument(source, why)
    try:
        return _parse_yaml(text, source, problems)
    except UnreadableDocument as error:
        # What begins like JSON was meant as JSON, so that is the error to report; but a limit that
        # the YAML reader met says more than a syntax error.
        raise error if "limit" in error.why else UnreadableDocument(source, why) from None


def _parse_json(text: str, source: str) -> Json:
    try:
        # NaN and Infinity are no JSON; nothing in an OpenAPI document can mean them.
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise UnreadableDocument(source, f"it nests deeper than {MAX_DEPTH} levels") from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise UnreadableDocument(source, _first_line(error)) from None
    if is_deeper(value, MAX_DEPTH):
        raise UnreadableDocument(source, f"it nests deeper than {MAX_DEPTH} levels")
    return value


def _no_constant(_: str) -> None:
    return None


def _parse_yaml(text: str, source: str, problems: list[Problem]) -> Json:
    from restwright.openapi.yaml_text import parse_yaml

    repeated: list[tuple[str, int]] = []
    value = parse_yaml(text, source=source, max_depth=MAX_DEPTH, repeated=repeated)
    problems.extend(
        Problem("", f"the key {key!r} stands twice, line {line}", action="the last one counts")
        for key, line in repeated
    )
    return value


def _object(value: Json, source: str) -> JsonObject:
    if is_object(value):
        return value
    if isinstance(value, str):
        raise UnreadableDocument(source, "it is plain text")
    raise NotOpenAPI(source, f"{_kind(value)} stands at the top, where an object is expected")


def _kind(value: Json) -> Literal["a list", "a single value"]:
    return "a list" if is_array(value) else "a single value"


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
