"""The bytes of one file become plain JSON values, whatever they are packed and written in."""

from __future__ import annotations

import json
import re
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from restwright.errors import UnreadableDocument
from restwright.jsontypes import Json
from restwright.net.gunzip import GZIP_MAGIC, decompress_gzip
from restwright.openapi.model import Problem
from restwright.openapi.syntax.duplicate_keys import duplicate_key_problem
from restwright.openapi.syntax.json_reader import find_duplicate_keys, parse_json
from restwright.openapi.syntax.limits import MAX_BYTES

_T = TypeVar("_T")
_FIRST = re.compile(rb"\s*([^\s])")
_BOMS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class LazyValue(Generic[_T]):
    """A value that is made when it is first asked for, once, whichever thread asks."""

    __slots__ = ("_lock", "_make", "_value")

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make: Callable[[], _T] | None = make
        self._lock = threading.RLock()

    def __call__(self) -> _T:
        """Return the value; what made it is let go of."""
        if self._make is not None:
            with self._lock:
                if self._make is not None:
                    self._value = self._make()
                    self._make = None
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the value, which is made for that."""
        return _ready_value, (self(),)


def _ready_value(value: _T) -> LazyValue[_T]:
    return LazyValue(lambda: value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFile:
    """
    What stands in the bytes of one file.

    Args:
        value: Plain JSON; every key is a string.
        problems: What was met and passed over; asking costs a second look at JSON.
    """

    value: Json
    problems: LazyValue[tuple[Problem, ...]]


def parse_bytes(content: bytes, *, source: str) -> ParsedFile:
    """
    Parse JSON or YAML in UTF-8 or UTF-16, gzipped or not.

    Raises:
        UnreadableDocument: It is neither, or over a limit.
    """
    content = _to_utf8(_decompress(content, source), source)
    first = _FIRST.match(content)
    if first is None:
        raise UnreadableDocument(source, "it is empty")
    if first[1] == b"<":
        raise UnreadableDocument(source, "it looks like HTML or XML")
    return (
        _parse_json_or_yaml(content, source)
        if first[1] in {b"{", b"["}
        else _parse_yaml_bytes(content, source)
    )


def _decompress(content: bytes, source: str) -> bytes:
    if len(content) > MAX_BYTES:
        why = f"it is larger than the limit of {MAX_BYTES:,} bytes"
        raise UnreadableDocument(source, why, is_over_limit=True)
    if not content.startswith(GZIP_MAGIC):
        return content
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in decompress_gzip([content]):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BYTES:
                why = f"unpacked it is larger than the limit of {MAX_BYTES:,} bytes"
                raise UnreadableDocument(source, why, is_over_limit=True)
    except zlib.error as error:
        raise UnreadableDocument(source, f"it cannot be decompressed ({error})") from None
    return b"".join(pieces)


def _to_utf8(content: bytes, source: str) -> bytes:
    """`content` in UTF-8 without a byte order mark. UTF-8 itself is checked by the parsers."""
    encoding = next((name for bom, name in _BOMS if content.startswith(bom)), "")
    encoding = encoding or _detect_utf16(content)
    if not encoding:
        return content
    if encoding == "utf-8-sig":
        return content[3:]
    return _decode_text(content, source, encoding).encode()


def _detect_utf16(content: bytes) -> str:
    """
    Tell from the first two characters, which are ASCII in any document of ours.

    Source: RFC 4627, "Encoding".
    """
    nulls = [number == 0 for number in content[:4]]
    patterns = {(False, True) * 2: "utf-16-le", (True, False) * 2: "utf-16-be"}
    return patterns.get(tuple(nulls), "")


def _decode_text(content: bytes, source: str, encoding: str) -> str:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        why = f"it is not text (byte 0x{content[error.start]:02x} at offset {error.start:,})"
        raise UnreadableDocument(source, why) from None
    if "\0" in text:
        raise UnreadableDocument(source, "it is not text (it holds null characters)")
    return text


def _parse_json_or_yaml(content: bytes, source: str) -> ParsedFile:
    """What begins like JSON: JSON, or YAML in its flow style."""
    try:
        value = parse_json(content, source=source)
    except UnicodeDecodeError:
        _decode_text(content, source, "utf-8")
        raise
    except json.JSONDecodeError as error:
        why = f"{error.msg}, line {error.lineno}, column {error.colno}"
    else:
        return ParsedFile(
            value=value,
            problems=LazyValue(lambda: _report_duplicate_keys(find_duplicate_keys(content, value))),
        )
    if source.lower().removesuffix(".gz").endswith(".json"):
        raise UnreadableDocument(source, why)
    try:
        return _parse_yaml_bytes(content, source)
    except UnreadableDocument as error:
        # What begins like JSON was meant as JSON, so that is the error to report; but a limit that
        # the YAML reader met says more than a syntax error.
        raise error if error.is_over_limit else UnreadableDocument(source, why) from None


def _parse_yaml_bytes(content: bytes, source: str) -> ParsedFile:
    from restwright.openapi.syntax.yaml_reader import parse_yaml

    value, problems = parse_yaml(_decode_text(content, source, "utf-8"), source=source)
    return ParsedFile(value=value, problems=LazyValue(lambda: problems))


def _report_duplicate_keys(keys: Sequence[tuple[tuple[str, ...], str]]) -> tuple[Problem, ...]:
    return tuple(duplicate_key_problem(tokens, key) for tokens, key in keys)
