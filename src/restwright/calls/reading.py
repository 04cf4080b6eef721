"""The body of a response as a value, by its media type and, where that is wrong, by its bytes."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TypeAlias

from restwright.calls.request import is_json
from restwright.calls.sse import MAX_EVENTS, parse_events
from restwright.calls.stored import store
from restwright.calls.xml_value import UnreadableXML, parse_xml
from restwright.net.message import Response
from restwright.openapi.limits import is_deeper
from restwright.typing import Json

MAX_DEPTH = 200
"""Levels of objects and arrays of a response; a deeper one is read as text."""

_SEQUENCES = frozenset(
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
_TEXTS = ("text/", "application/javascript", "application/x-www-form-urlencoded", "image/svg+xml")
_BINARY = ("image/", "audio/", "video/", "font/", "application/zip", "application/pdf")
# These are often said of JSON.
_VAGUE = frozenset(
    {"", "*/*", "application/octet-stream", "binary/octet-stream", "text/html", "text/plain"}
)
_NO_BODY = frozenset({204, 205, 304})
# What a long integer, or a number that may be beyond a double, has in it; digits as zeros.
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LARGE = (b"0" * 18, b"0e000", b"0E000", b"0e+000", b"0E+000")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


_Fits: TypeAlias = Callable[[str], bool]
_Reader: TypeAlias = "Callable[[Response, str], Read | None]"


@dataclass(frozen=True, slots=True)
class Read:
    """
    A body as it was read.

    Args:
        value: A JSON value, text, or None for no body.
        notes: What is wrong with the body, in sentences.
    """

    value: Json
    notes: tuple[str, ...] = ()


def read_body(response: Response, *, method: str = "GET", files: Path | None = None) -> Read:
    """
    Read a body: JSON, sequences of JSON, server-sent events, XML, text, or what is none of these.

    What is no text becomes `{"media_type", "bytes"}`, with `file` where it was stored.

    Args:
        method: Of the request; the answer to HEAD has no body.
        files: Folder to store in what is no text; None to store nothing.
    """
    if not response.body or method.upper() == "HEAD" or response.status in _NO_BODY:
        return Read(None)
    essence = essence_of(response)
    reader = next((read for fits, read in _READERS if fits(essence)), _read_unknown)
    read = reader(response, essence)
    return read or _read_binary(response, essence, files)


def essence_of(response: Response) -> str:
    """Return the media type without parameters, in lower case; empty where none is given."""
    return response.header("content-type").partition(";")[0].strip().lower()


def _read_json(response: Response, essence: str) -> Read | None:
    value, why = _json(response.body)
    if why and _charset(response) != "utf-8":
        value, why = _json(_text(response))
    if not why:
        return Read(value)
    if _charset(response) == "utf-8" and _looks_binary(response.body):
        return None
    lines = _lines(_text(response))
    if len(lines) > 1 and all(found is None for _, found in map(_json, lines[:2])):
        return _read_sequence(response, essence)
    return Read(_text(response), (f"the body is said to be {essence}, but is no JSON: {why}",))


def _read_sequence(response: Response, _: str) -> Read | None:
    """Source: RFC 7464 (json-seq); NDJSON."""
    values: list[Json] = []
    broken = 0
    for line in _lines(_text(response)):
        value, why = _json(line)
        broken += why is not None
        values.append(line if why else value)
    notes = (f"{broken} of {len(values)} lines are no JSON and are kept as text",) if broken else ()
    return Read(values, notes)


def _lines(text: str) -> list[str]:
    """The texts of a sequence: behind record separators where it has them, else lines."""
    pieces = text.split("\x1e") if "\x1e" in text else text.split("\n")
    return [piece.strip() for piece in pieces if piece.strip()]


def _read_events(response: Response, _: str) -> Read | None:
    events, has_more = parse_events(response.body.decode("utf-8", "replace"))
    for event in events:
        if event["data"][:1] in ("{", "["):
            value, why = _json(event["data"])
            event["data"] = event["data"] if why else value
    note = f"only the first {MAX_EVENTS:,} events are kept"
    return Read(events, (note,) if has_more else ())


def _read_xml(response: Response, essence: str) -> Read | None:
    charset = _charset(response) if "charset=" in response.header("content-type") else None
    try:
        return Read(parse_xml(response.body, encoding=charset))
    except UnreadableXML as error:
        note = f"the body is said to be {essence}, but cannot be read as XML: {error}"
        return Read(_text(response), (note,))


def _read_text(response: Response, _: str) -> Read | None:
    is_wide = _charset(response).startswith(("utf-16", "utf-32"))
    return None if b"\0" in response.body[:1024] and not is_wide else Read(_text(response))


def _read_vague(response: Response, essence: str) -> Read | None:
    """JSON by its first character, where the type says little; else text, where it is some."""
    if response.body.lstrip()[:1] in (b"{", b"["):
        value, why = _json(response.body)
        if not why:
            said = (f"the body is JSON, though it is said to be {essence}",) if essence else ()
            return Read(value, said)
        if not essence:
            return Read(_text(response), (f"the body looks like JSON, but is none: {why}",))
    return _read_unknown(response, essence)


def _read_unknown(response: Response, essence: str) -> Read | None:
    if essence.startswith("text/"):
        return _read_text(response, essence)
    return None if _looks_binary(response.body) else Read(_text(response))


def _read_nothing(_: Response, __: str) -> Read | None:
    return None


def _read_binary(response: Response, essence: str, files: Path | None) -> Read:
    essence = essence or "application/octet-stream"
    handle: Json = {"media_type": essence, "bytes": len(response.body)}
    if files is None:
        return Read(handle)
    try:
        path = store(response, essence, files)
    except OSError as error:
        return Read(handle, (f"the body could not be stored in {files}: {error.strerror}",))
    return Read({"file": str(path), **handle})


_READERS: tuple[tuple[_Fits, _Reader], ...] = (
    (lambda essence: essence in _SEQUENCES or essence.endswith("+json-seq"), _read_sequence),
    (is_json, _read_json),
    (lambda essence: essence == "text/event-stream", _read_events),
    (lambda essence: essence in _VAGUE, _read_vague),
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
    (lambda essence: essence.startswith(_TEXTS) or essence.endswith(_TEXT_ENDINGS), _read_text),
    (lambda essence: essence.startswith(_BINARY), _read_nothing),
)


def _json(text: str | bytes) -> tuple[Json, str | None]:
    """Return a value and None, or None and why the text is no JSON that is read here."""
    try:
        value = _loaded(text)
    except RecursionError:
        return None, f"it nests deeper than {MAX_DEPTH} levels"
    except ValueError as error:
        return None, str(error)[:200]
    opened = text.count(b"[") + text.count(b"{") if isinstance(text, bytes) else len(text)
    if opened > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
        return None, f"it nests deeper than {MAX_DEPTH} levels"
    return value, None


def _loaded(text: str | bytes) -> Json:
    """NaN is not JSON, but some servers write it for "no value"; of equal names the last counts."""
    import orjson

    octets = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    digits = octets.translate(_DIGITS)
    if any(each in digits for each in _LARGE):
        # Long integers keep their digits; looking at each number takes its time.
        return json.loads(text, parse_constant=_nothing, parse_float=_finite)
    try:
        return orjson.loads(octets)
    except orjson.JSONDecodeError:
        # Other charsets, halves of surrogate pairs, NaN; and what is wrong, which `json` says.
        return json.loads(text, parse_constant=_nothing)


def _nothing(_: str) -> None:
    return None


def _finite(text: str) -> float | None:
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


def _text(response: Response) -> str:
    return response.body.decode(_charset(response), "replace")


def _charset(response: Response) -> str:
    """The charset that is named, or that a byte order mark gives away; UTF-8 else."""
    for mark, name in _MARKS:
        if response.body.startswith(mark):
            return name
    match = re.search(r"charset=\"?([\w.:-]+)", response.header("content-type"), re.IGNORECASE)
    try:
        info = codecs.lookup(match[1]) if match else None
    except LookupError:
        return "utf-8"
    # `hex`, `zip` and the like are codecs too, but no charsets.
    return info.name if info and getattr(info, "_is_text_encoding", True) else "utf-8"


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
