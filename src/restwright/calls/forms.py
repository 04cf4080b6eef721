"""
Bodies that are forms: `application/x-www-form-urlencoded` and `multipart/*`.

Source: OAS 3.2, "Encoding Object", "Encoding the x-www-form-urlencoded Media Type" and "Encoding
multipart Media Types"; RFC 7578.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from restwright.calls.content import content_text, json_text, primitive
from restwright.calls.described import Described
from restwright.calls.files import OCTETS, file_of
from restwright.calls.styles import Pair, encoded, query_pairs
from restwright.calls.unwritable import Unwritable
from restwright.openapi.model import Encoding, MediaType, Parameter
from restwright.typing import Json, JsonObject, is_array, is_object

_OPEN = Encoding()
_MEDIA_TYPE = re.compile(r"[\x20-\x7e]{1,200}")
_ESCAPED = {"\r": "%0D", "\n": "%0A", '"': "%22"}


def urlencoded(media_type: MediaType, value: Json) -> str:
    """
    Return a form as text; a space is `%20`.

    Raises:
        Unwritable: It is no object, or a property cannot be written.
    """
    return "&".join(f"{name}={text}" for name, text in form_pairs(media_type, value))


def form_pairs(media_type: MediaType, value: Json) -> Iterator[Pair]:
    """
    Yield the percent-encoded pairs of a form.

    Where nothing else is said, an array repeats the name and an object is JSON.
    """
    for name, each in _properties(value).items():
        encoding = media_type.encoding.get(name, _OPEN)
        try:
            yield from _pairs(name, each, encoding)
        except Unwritable as error:
            raise Unwritable(str(error), (name, *error.path)) from None


def _pairs(name: str, value: Json, encoding: Encoding) -> Iterator[Pair]:
    if _has_style(encoding):
        yield from query_pairs(_parameter(name, encoding), value)
    elif encoding.content_type and not is_array(value):
        yield encoded(name), encoded(content_text(_first(encoding.content_type), value))
    elif is_array(value):
        yield from ((encoded(name), encoded(_plain(each, encoding))) for each in value)
    else:
        yield encoded(name), encoded("" if value is None else _plain(value, encoding))


def _plain(value: Json, encoding: Encoding) -> str:
    if encoding.content_type:
        return content_text(_first(encoding.content_type), value)
    return primitive(value) if isinstance(value, (str, int, float)) else json_text(value)


def _has_style(encoding: Encoding) -> bool:
    return bool(encoding.style or encoding.explode is not None or encoding.allow_reserved)


def _parameter(name: str, encoding: Encoding) -> Parameter:
    """The query parameter that is written alike."""
    style = encoding.style or "form"
    return Parameter(
        name=name,
        location="query",
        style=style,
        explode=style in {"form", "deepObject"} if encoding.explode is None else encoding.explode,
        allow_reserved=encoding.allow_reserved,
        extensions=encoding.extensions,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One part of a multipart body; empty texts for what is not said."""

    name: str
    content: bytes = field(repr=False)
    filename: str = ""
    media_type: str = ""


def multipart(media_type: MediaType, value: Json, *, described: Described) -> tuple[bytes, str]:
    """
    Return a form in parts, and its boundary; the same for the same value, so that what was
    approved by its hash is what is sent.

    Raises:
        Unwritable: It is no object, or a property cannot be written.
    """
    parts = list(_parts(media_type, value, described))
    digest = hashlib.sha256()
    for part in parts:
        head = _head(part)
        digest.update(b"%d %d " % (len(head), len(part.content)) + head)
        digest.update(part.content)
    boundary = f"restwright-{digest.hexdigest()[:32]}"
    between = f"--{boundary}\r\n".encode()
    body = b"".join(between + _head(part) + part.content + b"\r\n" for part in parts)
    return body + f"--{boundary}--\r\n".encode(), boundary


def _head(part: _Part) -> bytes:
    filename = f'; filename="{_quoted(part.filename)}"' if part.filename else ""
    lines = [f'Content-Disposition: form-data; name="{_quoted(part.name)}"{filename}']
    if part.media_type:
        lines.append(f"Content-Type: {part.media_type}")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def _quoted(text: str) -> str:
    """
    A name in quotes; what would end it is percent-encoded, as browsers do.

    Source: HTML, "Multipart form data".
    """
    _text_bytes(text)
    return "".join(_ESCAPED.get(each, each) for each in text)


def _parts(media_type: MediaType, value: Json, described: Described) -> Iterator[_Part]:
    for name, each in _properties(value).items():
        encoding = media_type.encoding.get(name, _OPEN)
        try:
            yield from _parts_of(name, each, encoding, described.member(name))
        except Unwritable as error:
            raise Unwritable(str(error), (name, *error.path)) from None


def _parts_of(name: str, value: Json, encoding: Encoding, described: Described) -> Iterator[_Part]:
    if _has_style(encoding) and not encoding.content_type:
        # Written as in a query, but in parts and without percent-encoding.
        for pair, text in _unencoded(_parameter(name, encoding), value):
            yield _Part(name=pair, content=_text_bytes(text))
    elif is_array(value) and not described.is_file:
        # An array is one part for each item, a nested one JSON.
        for each in value:
            yield _part(name, each, encoding, described.items)
    else:
        yield _part(name, value, encoding, described)


def _unencoded(parameter: Parameter, value: Json) -> Iterator[Pair]:
    for name, text in query_pairs(parameter, value):
        yield unquote(name), unquote(text)


def _part(name: str, value: Json, encoding: Encoding, described: Described) -> _Part:
    named = _first(encoding.content_type) if encoding.content_type else ""
    if isinstance(value, str) and _takes_file(described, named):
        return _file_part(name, value, encoding.content_type or _media_type_in(described))
    if isinstance(value, (str, int, float)):
        written = content_text(named, value) if named else primitive(value)
        return _Part(name=name, content=_text_bytes(written), media_type=named)
    if value is None and not named:
        return _Part(name=name, content=b"")
    written = content_text(named or "application/json", value)
    return _Part(name=name, content=_text_bytes(written), media_type=named or "application/json")


def _takes_file(described: Described, named: str) -> bool:
    """Whether a text is a file: the schema says so, or it says nothing and its media type does."""
    if described.is_file:
        return True
    is_text = not named or named.startswith("text/") or "json" in named or "xml" in named
    return not is_text and not described.is_base64


def _file_part(name: str, text: str, allowed: str) -> _Part:
    """A part with a file name, without which many servers read a field that is no file."""
    found = file_of(text)
    own = found.media_type if found else ""
    return _Part(
        name=name,
        content=found.content if found else _text_bytes(text),
        filename=(found.name if found else "") or name,
        media_type=_agreed(own, allowed) if found else _agreed("text/plain", allowed),
    )


def _agreed(own: str, allowed: str) -> str:
    """The file's own media type where the document allows it, else the document's."""
    names = [each.strip() for each in allowed.split(",") if each.strip()]
    if own and (not names or any(matches(own, each) for each in names)):
        return own
    exact = [each for each in names if "*" not in each and _MEDIA_TYPE.fullmatch(each)]
    return exact[0] if exact else OCTETS if names else own or OCTETS


def matches(name: str, media_range: str) -> bool:
    """Whether a media type is one of a range such as `image/*` (RFC 9110, "Accept")."""
    wanted = media_range.partition(";")[0].strip().lower()
    if wanted.endswith("/*"):
        return wanted == "*/*" or name.lower().startswith(wanted[:-1])
    return name.lower() == wanted


def _media_type_in(described: Described) -> str:
    named = described.keyword("contentMediaType")
    return named if isinstance(named, str) else ""


def _first(content_type: str) -> str:
    first = content_type.partition(",")[0].strip()
    if not _MEDIA_TYPE.fullmatch(first):
        raise Unwritable("a media type that can stand in a header, which the document does not say")
    return first


def _properties(value: Json) -> JsonObject:
    if not is_object(value):
        raise Unwritable("an object, which is what a form is made of")
    return value


def _text_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unwritable("Unicode text") from None
