"""The body of a response as a value, by its media type and, where that is wrong, by its bytes."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TypeAlias

from restwright.calls.request.build import is_json_media_type
from restwright.calls.response.charset import decode_response_text, detect_charset
from restwright.calls.response.file_store import store_body
from restwright.calls.response.sse import parse_events
from restwright.calls.response.xml_reader import UnreadableXML, parse_xml
from restwright.jsontypes import Json
from restwright.net.http.exchange import is_json_too_deep
from restwright.net.messages import Response

MAX_DEPTH = 200
"""Levels of objects and arrays of a response; a deeper one is read as text."""
MAX_VALUE_BYTES = 150_000_000
"""Of memory, about, for the value of a response; JSON of a larger one is read as text."""
MAX_LINES = 100_000
"""That are kept of a sequence of JSON values."""
_MAX_BROKEN = 1_000

_SEQUENCE_TYPES = frozenset(
    {
        "application/json-lines",
        "application/json-seq",
        "application/jsonl",
        "application/jsonlines",
        "application/ndjson",
        "application/stream+json",
        "application/x-json-stream",
        "application/x-jsonlines",
        "application/x-ndjson",
        "text/x-ndjson",
    }
)
_TEXT_ENDINGS = ("+yaml", "+xml", "/yaml", "/x-yaml", "/toml", "/sql", "/graphql")
_TEXT_TYPES = (
    "text/",
    "application/javascript",
    "application/x-www-form-urlencoded",
    "image/svg+xml",
)
_BINARY_TYPES = ("image/", "audio/", "video/", "font/", "application/zip", "application/pdf")
# These are often said of JSON.
_VAGUE_TYPES = frozenset(
    {"", "*/*", "application/octet-stream", "binary/octet-stream", "text/html", "text/plain"}
)
_NO_BODY = frozenset({204, 205, 304})
# What a long integer, or a number that may be beyond a double, has in it; digits as zeros.
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LARGE = (b"0" * 18, b"0e000", b"0E000", b"0e+000", b"0E+000")
# Bytes of memory for what a mark begins, ends or stands between: in CPython, and while it is read.
_MARK_SIZES: Mapping[bytes, int] = {b"{": 220, b"[": 120, b",": 24, b'"': 20, b":": 10}
_MAX_MARK_SIZE = max(_MARK_SIZES.values())
_LINE = re.compile(rb"\S[^\n]*")
_RECORD = re.compile(rb"[^\s\x1e][^\x1e]*")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


_Fits: TypeAlias = Callable[[str], bool]
_Reader: TypeAlias = "Callable[[Response, str], DecodedBody | None]"


@dataclass(frozen=True, slots=True)
class DecodedBody:
    """
    A body as it was read.

    Args:
        value: A JSON value, text, or None for no body.
        notes: What is wrong with the body, in sentences.
    """

    value: Json
    notes: tuple[str, ...] = ()


def decode_body(
    response: Response, *, method: str = "GET", files: Path | None = None
) -> DecodedBody:
    """
    Read a body: JSON, sequences of JSON, server-sent events, XML, text, or what is none of these.

    What is no text becomes `{"media_type", "bytes"}`, with `file` where it was stored.

    Args:
        method: Of the request; the answer to HEAD has no body.
        files: Folder to store in what is no text; None to store nothing.
    """
    if not response.body or method.upper() == "HEAD" or response.status in _NO_BODY:
        return DecodedBody(None)
    essence = response_essence(response)
    reader = next((read for fits, read in _READERS if fits(essence)), _read_unknown)
    read = reader(response, essence)
    if read is None:
        return _read_binary(response, essence, files)
    note = detect_charset(response).note
    return replace(read, notes=(note, *read.notes)) if note else read


def response_essence(response: Response) -> str:
    """Return the media type without parameters, in lower case; empty where none is given."""
    return response.header("content-type").partition(";")[0].strip().lower()


def _read_json(response: Response, essence: str) -> DecodedBody | None:
    is_utf8 = detect_charset(response).name == "utf_8"
    value, why = _parse_json(response.body)
    if why and not is_utf8:
        value, why = _parse_json(_utf8_octets(response))
    if not why:
        return DecodedBody(value)
    if is_utf8 and _looks_binary(response.body):
        return None
    first = [*islice(_split_sequence(_utf8_octets(response)), 2)]
    if len(first) > 1 and all(found is None for _, found in map(_parse_json, first)):
        return _read_sequence(response, essence)
    return DecodedBody(
        decode_response_text(response), (f"the body is said to be {essence}, but {why}",)
    )


def _read_sequence(response: Response, _: str) -> DecodedBody | None:
    """Source: RFC 7464 (json-seq); NDJSON."""
    values: list[Json] = []
    broken = size = 0
    lines = _split_sequence(_utf8_octets(response))
    for line in islice(lines, MAX_LINES):
        size += _estimate_size(line)
        if size > MAX_VALUE_BYTES:
            break
        value, why = _parse_json(line, is_strict=broken >= _MAX_BROKEN)
        broken += why is not None
        values.append(line.decode("utf-8", "replace") if why else value)
    notes = [f"{broken} of {len(values)} lines are no JSON and are kept as text"] if broken else []
    if size > MAX_VALUE_BYTES or next(lines, None) is not None:
        notes.append(f"only the first {len(values):,} lines are kept")
    return DecodedBody(values, tuple(notes))


def _split_sequence(octets: bytes) -> Iterator[bytes]:
    """The texts of a sequence: behind record separators where it has them, else lines."""
    separated = _RECORD if b"\x1e" in octets else _LINE
    return (found[0].strip() for found in separated.finditer(octets))


def _read_events(response: Response, _: str) -> DecodedBody | None:
    events, has_more = parse_events(response.body.decode("utf-8", "replace"))
    size = 0
    for position, event in enumerate(events):
        if event["data"][:1] in ("{", "["):
            octets = event["data"].encode()
            size += _estimate_size(octets)
            if size > MAX_VALUE_BYTES:
                events, has_more = events[:position], True
                break
            value, why = _parse_json(octets)
            event["data"] = event["data"] if why else value
    note = f"only the first {len(events):,} events are kept"
    return DecodedBody(events, (note,) if has_more else ())


def _read_xml(response: Response, essence: str) -> DecodedBody | None:
    charset = detect_charset(response)
    is_named = "charset=" in response.header("content-type") and not charset.note
    try:
        return DecodedBody(parse_xml(response.body, encoding=charset.name if is_named else None))
    except UnreadableXML as error:
        note = f"the body is said to be {essence}, but cannot be read as XML: {error}"
        return DecodedBody(decode_response_text(response), (note,))


def _read_text(response: Response, _: str) -> DecodedBody | None:
    is_binary = b"\0" in response.body[:1024] and not detect_charset(response).is_wide
    return None if is_binary else DecodedBody(decode_response_text(response))


def _read_vague(response: Response, essence: str) -> DecodedBody | None:
    """JSON by its first character, where the type says little; else text, where it is some."""
    if response.body.lstrip()[:1] in (b"{", b"["):
        value, why = _parse_json(response.body)
        if not why:
            said = (f"the body is JSON, though it is said to be {essence}",) if essence else ()
            return DecodedBody(value, said)
        if not essence:
            return DecodedBody(
                decode_response_text(response), (f"the body looks like JSON, but {why}",)
            )
    return _read_unknown(response, essence)


def _read_unknown(response: Response, essence: str) -> DecodedBody | None:
    if essence.startswith("text/"):
        return _read_text(response, essence)
    return None if _looks_binary(response.body) else DecodedBody(decode_response_text(response))


def _read_nothing(_: Response, __: str) -> DecodedBody | None:
    return None


def _read_binary(response: Response, essence: str, files: Path | None) -> DecodedBody:
    essence = essence or "application/octet-stream"
    handle: Json = {"media_type": essence, "bytes": len(response.body)}
    if files is None:
        return DecodedBody(handle)
    try:
        path = store_body(response, essence, files)
    except OSError as error:
        return DecodedBody(handle, (f"the body could not be stored in {files}: {error.strerror}",))
    return DecodedBody({"file": str(path), **handle})


_READERS: tuple[tuple[_Fits, _Reader], ...] = (
    (lambda essence: essence in _SEQUENCE_TYPES or essence.endswith("+json-seq"), _read_sequence),
    (is_json_media_type, _read_json),
    (lambda essence: essence == "text/event-stream", _read_events),
    (lambda essence: essence in _VAGUE_TYPES, _read_vague),
    (
        lambda essence: (
            essence in {"application/xml", "text/xml"}
            or (
                essence.endswith("+xml")
                and essence not in {"image/svg+xml", "application/xhtml+xml"}
            )
        ),
        _read_xml,
    ),
    (
        lambda essence: essence.startswith(_TEXT_TYPES) or essence.endswith(_TEXT_ENDINGS),
        _read_text,
    ),
    (lambda essence: essence.startswith(_BINARY_TYPES), _read_nothing),
)


def _parse_json(octets: bytes, *, is_strict: bool = False) -> tuple[Json, str | None]:
    """
    Return a value and None, or None and why the text is no JSON that is read here.

    Args:
        is_strict: Read only what is quickly read; what is wrong is not looked for.
    """
    if is_json_too_deep(octets, MAX_DEPTH):
        return None, f"is not read as JSON: it nests deeper than {MAX_DEPTH} levels"
    if len(octets) * _MAX_MARK_SIZE > MAX_VALUE_BYTES and _estimate_size(octets) > MAX_VALUE_BYTES:
        return None, "is not read as JSON: it holds too many values"
    try:
        return _load_json(octets, is_strict=is_strict), None
    except RecursionError:
        return None, "is not read as JSON: it nests too deep"
    except ValueError as error:
        return None, f"is no JSON: {str(error)[:200]}"


def _estimate_size(octets: bytes) -> int:
    """About the bytes of memory that the value of JSON takes, told without parsing it."""
    return sum(size * octets.count(mark) for mark, size in _MARK_SIZES.items())


def _load_json(octets: bytes, *, is_strict: bool) -> Json:
    """NaN is not JSON, but some servers write it for "no value"; of equal names the last counts."""
    import orjson

    digits = octets.translate(_DIGITS)
    if any(item in digits for item in _LARGE):
        # Long integers keep their digits; looking at each number takes its time.
        return json.loads(octets, parse_constant=_return_none, parse_float=_parse_finite)
    try:
        return orjson.loads(octets)
    except orjson.JSONDecodeError:
        if is_strict:
            raise
        # Other charsets, halves of surrogate pairs, NaN; and what is wrong, which `json` says.
        return json.loads(octets, parse_constant=_return_none)


def _return_none(_: str) -> None:
    return None


def _parse_finite(text: str) -> float | None:
    """A number, or None for one that is beyond what a double can be (`1e400`)."""
    number = float(text)
    return number if isfinite(number) else None


def _looks_binary(body: bytes) -> bool:
    head = body[:4096]
    try:
        # A character may be cut off at the end of the piece.
        text = codecs.getincrementaldecoder("utf-8")().decode(head, len(head) == len(body))
    except UnicodeDecodeError:
        return True
    return bool(_CONTROLS.search(text))


def _utf8_octets(response: Response) -> bytes:
    """The body in UTF-8."""
    charset = detect_charset(response)
    if charset.name == "utf_8":
        return response.body
    return decode_response_text(response).encode("utf-8", "surrogatepass")
