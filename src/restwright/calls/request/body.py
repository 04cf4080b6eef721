"""A request body in its media type. No I/O: files stand in the arguments as data URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.encode import Unwritable, encode_json, encode_primitive
from restwright.calls.request.files import OCTET_STREAM, file_from_data_url
from restwright.calls.request.media_ranges import matches_media_range, media_type_essence
from restwright.calls.request.multipart import encode_multipart
from restwright.calls.request.urlencoded import encode_form
from restwright.calls.request.xml_writer import encode_xml
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import MediaType
from restwright.tools.text.media_types import body_schema, can_be_json, is_sequence

_HEADER = re.compile(r"[\x20-\x7e]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedBody:
    """The bytes of a request body, and its `Content-Type`."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, slots=True)
class _BodyInput:
    """What a writer is told."""

    media_type: MediaType
    value: Json
    schema: BodySchema


def encode_body(media_type: MediaType, value: Json, *, document: JsonObject) -> EncodedBody:
    """
    Return a value as a body.

    Args:
        document: What the references of the media type's schema point into.

    Raises:
        Unwritable: The value has no form in the media type; says where.
        LookupError: Nothing is written in this media type.
    """
    return _encode_body(
        _BodyInput(media_type, value, BodySchema(body_schema(media_type), document))
    )


def _encode_body(body_input: _BodyInput) -> EncodedBody:
    media_type = body_input.media_type
    for accepts, write in _ENCODERS:
        if accepts(media_type_essence(media_type.name)):
            return write(body_input)
    if isinstance(body_input.value, str):
        return _encode_octets(body_input)
    raise LookupError(media_type.name)


def choose_body_media_type(
    content: Iterable[MediaType], described: MediaType, value: Json, *, document: JsonObject
) -> MediaType:
    """
    Return the media type that a value is sent in.

    Args:
        described: The one that the value was checked against: JSON first, then forms.

    Returns:
        A multipart one where the value has a file that `described` cannot carry, and both have the
        same schema, so that what was checked is what is sent; else `described`.
    """
    if is_multipart(described.name):
        return described
    others = [media_type for media_type in content if is_multipart(media_type.name)]
    alike = next((other for other in others if other.schema == described.schema), None)
    is_needed = alike is not None and _has_file(value, BodySchema(described.schema, document))
    return alike if alike is not None and is_needed else described


def is_multipart(name: str) -> bool:
    """Whether a media type is one in parts."""
    return media_type_essence(name).startswith("multipart/")


def _has_file(value: Json, described: BodySchema) -> bool:
    if isinstance(value, str):
        return value.startswith("data:") and described.is_file
    if is_array(value):
        return any(_has_file(item, described.items) for item in value)
    members = value.items() if is_object(value) else ()
    return any(_has_file(each, described.member(name)) for name, each in members)


def _encode_json(body_input: _BodyInput) -> EncodedBody:
    name = body_input.media_type.name
    exact = "*" not in name and _HEADER.fullmatch(name)
    media_type = name if exact else "application/json"
    return EncodedBody(content=encode_json(body_input.value).encode(), media_type=media_type)


def _encode_sequence(body_input: _BodyInput) -> EncodedBody:
    """Each item of an array on a line of its own."""
    # RFC 7464: a record begins with a separator, so that a broken one can be skipped.
    first = "\x1e" if "json-seq" in media_type_essence(body_input.media_type.name) else ""
    items = body_input.value if is_array(body_input.value) else [body_input.value]
    lines = (f"{first}{encode_json(item)}\n" for item in items)
    return EncodedBody(content="".join(lines).encode(), media_type=_require_exact_name(body_input))


def _encode_form(body_input: _BodyInput) -> EncodedBody:
    text = encode_form(body_input.media_type, body_input.value)
    return EncodedBody(content=text.encode(), media_type=_require_exact_name(body_input))


def _encode_multipart(body_input: _BodyInput) -> EncodedBody:
    content, boundary = encode_multipart(
        body_input.media_type, body_input.value, described=body_input.schema, write=_encode_part
    )
    name = media_type_essence(body_input.media_type.name)
    name = "multipart/form-data" if "*" in name else name
    return EncodedBody(content=content, media_type=f"{name}; boundary={boundary}")


def _encode_part(media_type: MediaType, value: Json, described: BodySchema) -> tuple[bytes, str]:
    body = _encode_body(_BodyInput(media_type, value, described))
    return body.content, body.media_type


def _encode_xml(body_input: _BodyInput) -> EncodedBody:
    if isinstance(body_input.value, str) and not body_input.schema.keyword("xml"):
        return _encode_text(body_input)  # XML that was written already
    text = encode_xml(body_input.value, described=body_input.schema)
    return EncodedBody(content=_utf8_bytes(text), media_type=_require_exact_name(body_input))


def _encode_text(body_input: _BodyInput) -> EncodedBody:
    content = _utf8_bytes(encode_primitive(body_input.value))
    name = (
        _require_exact_name(body_input) if "*" not in body_input.media_type.name else "text/plain"
    )
    is_told = content.isascii() or "charset" in name.lower()
    return EncodedBody(content=content, media_type=name if is_told else f"{name}; charset=utf-8")


def _encode_octets(body_input: _BodyInput) -> EncodedBody:
    """The bytes of a data URL, or of the text."""
    if not isinstance(body_input.value, str):
        raise Unwritable("text or a data URL, which is what bytes are made of")
    found = file_from_data_url(body_input.value)
    name = (
        _require_exact_name(body_input)
        if _HEADER.fullmatch(body_input.media_type.name)
        else OCTET_STREAM
    )
    if "*" in name:
        own = found.media_type if found else ""
        name = own if own and matches_media_range(own, name) else OCTET_STREAM
    return EncodedBody(
        content=found.content if found else _utf8_bytes(body_input.value), media_type=name
    )


def _encode_any(body_input: _BodyInput) -> EncodedBody:
    """Any media type: a file as it is, all else as JSON."""
    is_file = isinstance(body_input.value, str) and file_from_data_url(body_input.value) is not None
    return (
        _encode_octets(body_input)
        if is_file or body_input.schema.is_file
        else _encode_json(body_input)
    )


def _require_exact_name(body_input: _BodyInput) -> str:
    if not _HEADER.fullmatch(body_input.media_type.name):
        raise Unwritable("a media type that can stand in a header, which the document does not say")
    return body_input.media_type.name


def _utf8_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable("Unicode text") from None


def _is_xml(name: str) -> bool:
    return name.endswith(("/xml", "+xml"))


def _is_octets(name: str) -> bool:
    return name == OCTET_STREAM or name.startswith(("image/", "audio/", "video/", "font/"))


_ENCODERS: tuple[tuple[Callable[[str], bool], Callable[[_BodyInput], EncodedBody]], ...] = (
    (lambda name: name in {"*/*", "application/*"}, _encode_any),
    (is_sequence, _encode_sequence),
    (can_be_json, _encode_json),
    (lambda name: name == "application/x-www-form-urlencoded", _encode_form),
    (is_multipart, _encode_multipart),
    (_is_octets, _encode_octets),
    (_is_xml, _encode_xml),
    (lambda name: name.startswith("text/"), _encode_text),
)
