"""A request body in its media type. No I/O: files stand in the arguments as data URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from restwright.calls.request.body_schema import Described
from restwright.calls.request.encode import Unwritable, json_text, primitive
from restwright.calls.request.files import OCTETS, file_of
from restwright.calls.request.media_ranges import essence, matches
from restwright.calls.request.multipart import multipart
from restwright.calls.request.urlencoded import urlencoded
from restwright.calls.request.xml_writer import xml_text
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import MediaType
from restwright.tools.text.media_types import body_schema, is_json, is_sequence

_HEADER = re.compile(r"[\x20-\x7e]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The bytes of a request body, and its `Content-Type`."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, slots=True)
class _Given:
    """What a writer is told."""

    media_type: MediaType
    value: Json
    described: Described


def written(media_type: MediaType, value: Json, *, document: JsonObject) -> Body:
    """
    Return a value as a body.

    Args:
        document: What the references of the media type's schema point into.

    Raises:
        Unwritable: The value has no form in the media type; says where.
        LookupError: Nothing is written in this media type.
    """
    return _written(_Given(media_type, value, Described(body_schema(media_type), document)))


def _written(given: _Given) -> Body:
    media_type = given.media_type
    for accepts, write in _WRITERS:
        if accepts(essence(media_type.name)):
            return write(given)
    if isinstance(given.value, str):
        return _octets(given)
    raise LookupError(media_type.name)


def chosen(
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
    others = [each for each in content if is_multipart(each.name)]
    alike = next((each for each in others if each.schema == described.schema), None)
    is_needed = alike is not None and _has_file(value, Described(described.schema, document))
    return alike if alike is not None and is_needed else described


def is_multipart(name: str) -> bool:
    """Whether a media type is one in parts."""
    return essence(name).startswith("multipart/")


def _has_file(value: Json, described: Described) -> bool:
    if isinstance(value, str):
        return value.startswith("data:") and described.is_file
    if is_array(value):
        return any(_has_file(each, described.items) for each in value)
    members = value.items() if is_object(value) else ()
    return any(_has_file(each, described.member(name)) for name, each in members)


def _json(given: _Given) -> Body:
    name = given.media_type.name
    exact = "*" not in name and _HEADER.fullmatch(name)
    media_type = name if exact else "application/json"
    return Body(content=json_text(given.value).encode(), media_type=media_type)


def _sequence(given: _Given) -> Body:
    """Each item of an array on a line of its own."""
    # RFC 7464: a record begins with a separator, so that a broken one can be skipped.
    first = "\x1e" if "json-seq" in essence(given.media_type.name) else ""
    items = given.value if is_array(given.value) else [given.value]
    lines = (f"{first}{json_text(each)}\n" for each in items)
    return Body(content="".join(lines).encode(), media_type=_named(given))


def _urlencoded(given: _Given) -> Body:
    text = urlencoded(given.media_type, given.value)
    return Body(content=text.encode(), media_type=_named(given))


def _multipart(given: _Given) -> Body:
    content, boundary = multipart(
        given.media_type, given.value, described=given.described, write=_nested
    )
    name = essence(given.media_type.name)
    name = "multipart/form-data" if "*" in name else name
    return Body(content=content, media_type=f"{name}; boundary={boundary}")


def _nested(media_type: MediaType, value: Json, described: Described) -> tuple[bytes, str]:
    body = _written(_Given(media_type, value, described))
    return body.content, body.media_type


def _xml(given: _Given) -> Body:
    if isinstance(given.value, str) and not given.described.keyword("xml"):
        return _text(given)  # XML that was written already
    text = xml_text(given.value, described=given.described)
    return Body(content=_bytes(text), media_type=_named(given))


def _text(given: _Given) -> Body:
    content = _bytes(primitive(given.value))
    name = _named(given) if "*" not in given.media_type.name else "text/plain"
    is_told = content.isascii() or "charset" in name.lower()
    return Body(content=content, media_type=name if is_told else f"{name}; charset=utf-8")


def _octets(given: _Given) -> Body:
    """The bytes of a data URL, or of the text."""
    if not isinstance(given.value, str):
        raise Unwritable("text or a data URL, which is what bytes are made of")
    found = file_of(given.value)
    name = _named(given) if _HEADER.fullmatch(given.media_type.name) else OCTETS
    if "*" in name:
        own = found.media_type if found else ""
        name = own if own and matches(own, name) else OCTETS
    return Body(content=found.content if found else _bytes(given.value), media_type=name)


def _open(given: _Given) -> Body:
    """Any media type: a file as it is, all else as JSON."""
    is_file = isinstance(given.value, str) and file_of(given.value) is not None
    return _octets(given) if is_file or given.described.is_file else _json(given)


def _named(given: _Given) -> str:
    if not _HEADER.fullmatch(given.media_type.name):
        raise Unwritable("a media type that can stand in a header, which the document does not say")
    return given.media_type.name


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable("Unicode text") from None


def _is_xml(name: str) -> bool:
    return name.endswith(("/xml", "+xml"))


def _is_octets(name: str) -> bool:
    return name == OCTETS or name.startswith(("image/", "audio/", "video/", "font/"))


_WRITERS: tuple[tuple[Callable[[str], bool], Callable[[_Given], Body]], ...] = (
    (lambda name: name in {"*/*", "application/*"}, _open),
    (is_sequence, _sequence),
    (is_json, _json),
    (lambda name: name == "application/x-www-form-urlencoded", _urlencoded),
    (is_multipart, _multipart),
    (_is_octets, _octets),
    (_is_xml, _xml),
    (lambda name: name.startswith("text/"), _text),
)
