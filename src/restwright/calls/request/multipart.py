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

from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.encode import Unwritable, encode_content, encode_primitive
from restwright.calls.request.files import file_from_data_url
from restwright.calls.request.media_ranges import (
    choose_content_type,
    choose_file_type,
    media_type_essence,
)
from restwright.calls.request.parameter_styles import (
    Pair,
    serialize_header_parameter,
    serialize_query_parameter,
)
from restwright.calls.request.urlencoded import form_properties, has_style, parameter_from_encoding
from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.model import Encoding, MediaType, Parameter
from restwright.tools.text.media_types import can_be_json

PartEncoder = Callable[[MediaType, Json, BodySchema], tuple[bytes, str]]
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
class _PartSpec:
    """What is said about one part; no name where its position says which it is."""

    name: str | None
    encoding: Encoding
    schema: BodySchema
    write: PartEncoder


def encode_multipart(
    media_type: MediaType, value: Json, *, described: BodySchema, write: PartEncoder
) -> tuple[bytes, str]:
    """
    Return a body in parts, and its boundary; the same for the same value, so that what was
    approved by its hash is what is sent.

    Raises:
        Unwritable: It is neither an object nor an array whose items are parts, or a part cannot be
            written.
    """
    is_form = media_type_essence(media_type.name) in {_FORM, "multipart/*"}
    parts = list(_build_parts(media_type, value, described, write, is_form=is_form))
    heads = [_format_head(part) for part in parts]
    digest = hashlib.sha256()
    for head, part in zip(heads, parts, strict=True):
        digest.update(b"%d %d " % (len(head), len(part.content)) + head)
        digest.update(part.content)
    boundary = f"restwright-{digest.hexdigest()[:32]}"
    between = f"--{boundary}\r\n".encode()
    pieces = zip(heads, parts, strict=True)
    body = b"".join(between + head + part.content + b"\r\n" for head, part in pieces)
    return body + f"--{boundary}--\r\n".encode(), boundary


def _format_head(part: _Part) -> bytes:
    filename = f'; filename="{_quote_name(part.filename)}"' if part.filename else ""
    lines: list[str] = []
    if part.name is not None:
        lines.append(f'Content-Disposition: form-data; name="{_quote_name(part.name)}"{filename}')
    elif filename:
        lines.append(f"Content-Disposition: attachment{filename}")
    if part.media_type:
        lines.append(f"Content-Type: {part.media_type}")
    lines += [f"{name}: {value}" for name, value in part.headers]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def _quote_name(text: str) -> str:
    """
    A name in quotes; what would end it is percent-encoded, as browsers do.

    Source: HTML, "Multipart form data".
    """
    _utf8_bytes(text)
    return "".join(_ESCAPED.get(character, character) for character in text)


def _build_parts(
    media_type: MediaType, value: Json, described: BodySchema, write: PartEncoder, *, is_form: bool
) -> Iterator[_Part]:
    found = (
        _split_by_position(media_type, value, described, write)
        if is_array(value) and not is_form
        else _split_by_name(media_type, value, described, write)
    )
    for key, told, each in found:
        try:
            yield from _build_value_parts(told, each)
        except Unwritable as error:
            raise Unwritable(str(error), (key, *error.path)) from None


def _split_by_name(
    media_type: MediaType, value: Json, described: BodySchema, write: PartEncoder
) -> Iterator[tuple[str | int, _PartSpec, Json]]:
    for name, each in form_properties(value).items():
        encoding = media_type.encoding.get(name, _OPEN)
        member = described.member(name)
        yield name, _PartSpec(name=name, encoding=encoding, schema=member, write=write), each


def _split_by_position(
    media_type: MediaType, value: Sequence[Json], described: BodySchema, write: PartEncoder
) -> Iterator[tuple[str | int, _PartSpec, Json]]:
    first = media_type.prefix_encoding
    rest = media_type.item_encoding or _OPEN
    for index, each in enumerate(value):
        encoding = first[index] if index < len(first) else rest
        element = described.element(index)
        yield index, _PartSpec(name=None, encoding=encoding, schema=element, write=write), each


def _build_value_parts(spec: _PartSpec, value: Json) -> Iterator[_Part]:
    encoding = spec.encoding
    if spec.name is not None and has_style(encoding) and not encoding.content_type:
        # Written as in a query, but in parts and without percent-encoding.
        for pair, text in _decoded_pairs(parameter_from_encoding(spec.name, encoding), value):
            yield _Part(name=pair, content=_utf8_bytes(text), headers=_part_headers(spec))
    elif spec.name is not None and is_array(value) and not _is_one_part(spec):
        # An array is one part for each item, a nested one JSON.
        for index, each in enumerate(value):
            item = _PartSpec(
                name=spec.name,
                encoding=encoding,
                schema=spec.schema.element(index),
                write=spec.write,
            )
            yield _build_part(item, each)
    else:
        yield _build_part(spec, value)


def _is_one_part(spec: _PartSpec) -> bool:
    """Whether an array is one part: a file, or a part with parts in it."""
    own = spec.encoding
    return spec.schema.is_file or bool(own.prefix_encoding) or own.item_encoding is not None


def _decoded_pairs(parameter: Parameter, value: Json) -> Iterator[Pair]:
    for name, text in serialize_query_parameter(parameter, value):
        yield unquote(name), unquote(text)


def _build_part(spec: _PartSpec, value: Json) -> _Part:
    allowed = spec.encoding.content_type
    named = choose_content_type(value, allowed) if allowed else ""
    if isinstance(value, str) and _takes_file(spec.schema, named):
        return _build_file_part(spec, value, allowed or _content_media_type(spec.schema))
    if (is_object(value) or is_array(value)) and named and not can_be_json(named):
        return _build_nested_part(spec, value, named)
    if isinstance(value, (str, int, float)):
        text = encode_content(named, value) if named else encode_primitive(value)
    elif value is None and not named:
        text = ""
    else:
        named = named or "application/json"
        text = encode_content(named, value)
    return _Part(
        name=spec.name, content=_utf8_bytes(text), media_type=named, headers=_part_headers(spec)
    )


def _build_nested_part(spec: _PartSpec, value: Json, named: str) -> _Part:
    """A part that is a body of its own: XML, a form, a sequence, or again in parts."""
    own = spec.encoding
    media_type = MediaType(
        name=named,
        schema=spec.schema.schema,
        encoding=own.encoding,
        prefix_encoding=own.prefix_encoding,
        item_encoding=own.item_encoding,
    )
    try:
        content, name = spec.write(media_type, value, spec.schema)
    except LookupError:
        raise Unwritable(f"text, which is what {named[:60]} can write") from None
    return _Part(name=spec.name, content=content, media_type=name, headers=_part_headers(spec))


def _part_headers(spec: _PartSpec) -> tuple[Pair, ...]:
    return tuple(_fixed_headers(spec))


def _fixed_headers(spec: _PartSpec) -> Iterator[Pair]:
    for header in spec.encoding.headers:
        name = header.name.lower()
        value = BodySchema(header.schema, spec.schema.document).const_or_default
        is_ours = name in {"content-type", "content-length"} or not _HEADER.fullmatch(name)
        # The name of a part, and how its bytes are written, are not for a header to contradict.
        is_ours |= name == "content-disposition" and spec.name is not None
        is_ours |= name == "content-transfer-encoding" and not spec.schema.is_base64
        if not is_ours and value is not None:
            yield header.name, serialize_header_parameter(header, value)


def _takes_file(described: BodySchema, named: str) -> bool:
    """Whether a text is a file: the schema says so, or it says nothing and its media type does."""
    if described.is_file:
        return True
    is_text = not named or named.startswith("text/") or "json" in named or "xml" in named
    return not is_text and not described.is_base64


def _build_file_part(spec: _PartSpec, text: str, allowed: str) -> _Part:
    """A part with a file name, without which many servers read a field that is no file."""
    found = file_from_data_url(text)
    own = found.media_type if found else ""
    return _Part(
        name=spec.name,
        content=found.content if found else _utf8_bytes(text),
        filename=(found.name if found else "") or spec.name or "",
        media_type=choose_file_type(own if found else "text/plain", allowed),
        headers=_part_headers(spec),
    )


def _content_media_type(described: BodySchema) -> str:
    named = described.keyword("contentMediaType")
    return named if isinstance(named, str) else ""


def _utf8_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable("Unicode text") from None
