"""
Bodies in parts: `multipart/*`, by the names of properties or by the positions of items.

Headers of a part come from the document alone: one is written where its schema allows a single
value (`const`, an `enum` of one) or has a `default`, and left out else. `Content-Type` is no header
of these (the specification says so), nor is what says the name of a part of a form.

Source: OAS 3.2, "Encoding Object" and "Encoding multipart Media Types"; RFC 2046; RFC 7578.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from restwright.calls.request.body_schema import Described
from restwright.calls.request.encode import Unwritable, content_text, primitive
from restwright.calls.request.files import file_of
from restwright.calls.request.media_ranges import best_for, essence, of_file
from restwright.calls.request.parameter_styles import Pair, header_text, query_pairs
from restwright.calls.request.urlencoded import has_style, parameter_of, properties_of
from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.model import Encoding, MediaType, Parameter
from restwright.tools.text.media_types import is_json

Write = Callable[[MediaType, Json, Described], tuple[bytes, str]]
"""Writes a part that is a body of its own: its bytes, and its media type."""
_OPEN = Encoding()
_ESCAPED = {"\r": "%0D", "\n": "%0A", '"': "%22"}
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One part; empty texts for what is not said, and no name where its position says which."""

    name: str | None = None
    content: bytes = field(repr=False)
    filename: str = ""
    media_type: str = ""
    headers: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What is said about one part; no name where its position says which it is."""

    name: str | None
    encoding: Encoding
    described: Described
    write: Write


def multipart(
    media_type: MediaType, value: Json, *, described: Described, write: Write
) -> tuple[bytes, str]:
    """
    Return a body in parts, and its boundary; the same for the same value, so that what was
    approved by its hash is what is sent.

    Raises:
        Unwritable: It is neither an object nor an array whose items are parts, or a part cannot be
            written.
    """
    is_form = essence(media_type.name) in {_FORM, "multipart/*"}
    parts = list(_parts(media_type, value, described, write, is_form=is_form))
    heads = [_head(part) for part in parts]
    digest = hashlib.sha256()
    for head, part in zip(heads, parts, strict=True):
        digest.update(b"%d %d " % (len(head), len(part.content)) + head)
        digest.update(part.content)
    boundary = f"restwright-{digest.hexdigest()[:32]}"
    between = f"--{boundary}\r\n".encode()
    pieces = zip(heads, parts, strict=True)
    body = b"".join(between + head + part.content + b"\r\n" for head, part in pieces)
    return body + f"--{boundary}--\r\n".encode(), boundary


def _head(part: _Part) -> bytes:
    filename = f'; filename="{_quoted(part.filename)}"' if part.filename else ""
    lines: list[str] = []
    if part.name is not None:
        lines.append(f'Content-Disposition: form-data; name="{_quoted(part.name)}"{filename}')
    elif filename:
        lines.append(f"Content-Disposition: attachment{filename}")
    if part.media_type:
        lines.append(f"Content-Type: {part.media_type}")
    lines += [f"{name}: {value}" for name, value in part.headers]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def _quoted(text: str) -> str:
    """
    A name in quotes; what would end it is percent-encoded, as browsers do.

    Source: HTML, "Multipart form data".
    """
    _text_bytes(text)
    return "".join(_ESCAPED.get(each, each) for each in text)


def _parts(
    media_type: MediaType, value: Json, described: Described, write: Write, *, is_form: bool
) -> Iterator[_Part]:
    found = (
        _by_position(media_type, value, described, write)
        if is_array(value) and not is_form
        else _by_name(media_type, value, described, write)
    )
    for key, told, each in found:
        try:
            yield from _parts_of(told, each)
        except Unwritable as error:
            raise Unwritable(str(error), (key, *error.path)) from None


def _by_name(
    media_type: MediaType, value: Json, described: Described, write: Write
) -> Iterator[tuple[str | int, _Told, Json]]:
    for name, each in properties_of(value).items():
        encoding = media_type.encoding.get(name, _OPEN)
        member = described.member(name)
        yield name, _Told(name=name, encoding=encoding, described=member, write=write), each


def _by_position(
    media_type: MediaType, value: Sequence[Json], described: Described, write: Write
) -> Iterator[tuple[str | int, _Told, Json]]:
    first = media_type.prefix_encoding
    rest = media_type.item_encoding or _OPEN
    for index, each in enumerate(value):
        encoding = first[index] if index < len(first) else rest
        element = described.element(index)
        yield index, _Told(name=None, encoding=encoding, described=element, write=write), each


def _parts_of(told: _Told, value: Json) -> Iterator[_Part]:
    encoding = told.encoding
    if told.name is not None and has_style(encoding) and not encoding.content_type:
        # Written as in a query, but in parts and without percent-encoding.
        for pair, text in _unencoded(parameter_of(told.name, encoding), value):
            yield _Part(name=pair, content=_text_bytes(text), headers=_headers(told))
    elif told.name is not None and is_array(value) and not _is_one_part(told):
        # An array is one part for each item, a nested one JSON.
        for index, each in enumerate(value):
            item = _Told(
                name=told.name,
                encoding=encoding,
                described=told.described.element(index),
                write=told.write,
            )
            yield _part(item, each)
    else:
        yield _part(told, value)


def _is_one_part(told: _Told) -> bool:
    """Whether an array is one part: a file, or a part with parts in it."""
    own = told.encoding
    return told.described.is_file or bool(own.prefix_encoding) or own.item_encoding is not None


def _unencoded(parameter: Parameter, value: Json) -> Iterator[Pair]:
    for name, text in query_pairs(parameter, value):
        yield unquote(name), unquote(text)


def _part(told: _Told, value: Json) -> _Part:
    allowed = told.encoding.content_type
    named = best_for(value, allowed) if allowed else ""
    if isinstance(value, str) and _takes_file(told.described, named):
        return _file_part(told, value, allowed or _media_type_in(told.described))
    if (is_object(value) or is_array(value)) and named and not is_json(named):
        return _whole(told, value, named)
    if isinstance(value, (str, int, float)):
        text = content_text(named, value) if named else primitive(value)
    elif value is None and not named:
        text = ""
    else:
        named = named or "application/json"
        text = content_text(named, value)
    return _Part(
        name=told.name, content=_text_bytes(text), media_type=named, headers=_headers(told)
    )


def _whole(told: _Told, value: Json, named: str) -> _Part:
    """A part that is a body of its own: XML, a form, a sequence, or again in parts."""
    own = told.encoding
    media_type = MediaType(
        name=named,
        schema=told.described.schema,
        encoding=own.encoding,
        prefix_encoding=own.prefix_encoding,
        item_encoding=own.item_encoding,
    )
    try:
        content, name = told.write(media_type, value, told.described)
    except LookupError:
        raise Unwritable(f"text, which is what {named[:60]} can write") from None
    return _Part(name=told.name, content=content, media_type=name, headers=_headers(told))


def _headers(told: _Told) -> tuple[Pair, ...]:
    return tuple(_written_headers(told))


def _written_headers(told: _Told) -> Iterator[Pair]:
    for header in told.encoding.headers:
        name = header.name.lower()
        value = Described(header.schema, told.described.document).fixed
        is_ours = name in {"content-type", "content-length"} or not _HEADER.fullmatch(name)
        # The name of a part, and how its bytes are written, are not for a header to contradict.
        is_ours |= name == "content-disposition" and told.name is not None
        is_ours |= name == "content-transfer-encoding" and not told.described.is_base64
        if not is_ours and value is not None:
            yield header.name, header_text(header, value)


def _takes_file(described: Described, named: str) -> bool:
    """Whether a text is a file: the schema says so, or it says nothing and its media type does."""
    if described.is_file:
        return True
    is_text = not named or named.startswith("text/") or "json" in named or "xml" in named
    return not is_text and not described.is_base64


def _file_part(told: _Told, text: str, allowed: str) -> _Part:
    """A part with a file name, without which many servers read a field that is no file."""
    found = file_of(text)
    own = found.media_type if found else ""
    return _Part(
        name=told.name,
        content=found.content if found else _text_bytes(text),
        filename=(found.name if found else "") or told.name or "",
        media_type=of_file(own if found else "text/plain", allowed),
        headers=_headers(told),
    )


def _media_type_in(described: Described) -> str:
    named = described.keyword("contentMediaType")
    return named if isinstance(named, str) else ""


def _text_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable("Unicode text") from None
