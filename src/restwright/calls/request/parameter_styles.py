"""
How a value is written in a path, a query, a header or a cookie.

What the specification leaves open is written so that nothing is lost, or refused: null is a name
without a value; an empty array or object is not sent, and not accepted in a path; an array or
object in another one is JSON in a query; a member that holds the character between members is
refused where encoding it would not tell the two apart.

Source: OAS 3.2, "Style Values" and "Appendix C"; RFC 6570, "Expansion".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from restwright.calls.request.encode import (
    Unwritable,
    encode_content,
    encode_json,
    encode_primitive,
)
from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.model import Parameter

__all__ = [
    "Pair",
    "Unwritable",
    "encode_primitive",
    "percent_encode",
    "serialize_cookie_parameter",
    "serialize_header_parameter",
    "serialize_path_parameter",
    "serialize_query_parameter",
]

Pair = tuple[str, str]
_Encoder = Callable[[str], str]
_DEFAULT_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
# RFC 6265, "Syntax": cookie-octet, and the name of a cookie.
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")
_COOKIE_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TRIPLE = re.compile("(%[0-9A-Fa-f]{2})")
# RFC 3986, "Query", without what separates pairs and what forms read as a space.
_RESERVED_IN_QUERY = "/?:@!$'()*,;="
_RESERVED_IN_PATH = ":@!$&'()*+"
_RESERVED_IN_COOKIE = "/?:@!$'()*="


def percent_encode(text: str, *, safe: str = "") -> str:
    """
    Percent-encode everything but the unreserved characters of RFC 3986.

    Args:
        safe: Reserved characters to leave as they are.

    Raises:
        Unwritable: It has half of a surrogate pair, which UTF-8 cannot write.
    """
    if _SURROGATE.search(text):
        raise Unwritable("Unicode text")
    return quote(text, safe=safe)


def serialize_path_parameter(parameter: Parameter, value: Json) -> str:
    """
    Return what takes the place of `{name}` in a path template; it may be empty.

    Raises:
        Unwritable: Its style cannot write it.
    """
    # Even where reserved characters are allowed, those that end a segment are not, and `%` is not
    # taken for an encoding: `%2e%2e` must not become `..`.
    safe = _RESERVED_IN_PATH if parameter.allow_reserved else ""
    text = _serialize_path(parameter, value, lambda text: percent_encode(text, safe=safe))
    if "%00" in text:  # servers written in C read a path up to here only
        raise Unwritable("text without null characters")
    return text


def _serialize_path(parameter: Parameter, value: Json, encode: _Encoder) -> str:
    if parameter.media_type:
        return encode(encode_content(parameter.media_type, value))
    style = parameter.style or _DEFAULT_STYLES["path"]
    if style not in _PATH_STYLES:
        raise Unwritable(f"a value of a style that can be written in a path, not {style}")
    if style == "simple" and isinstance(value, (str, int, float)):
        return encode(encode_primitive(value))
    if _is_empty(value):
        raise Unwritable("at least one item, which is what a path can have a place for")
    first, separator, is_named = _PATH_STYLES[style]
    if not parameter.explode or not is_named:
        joiner, refused = (separator, "." * (style == "label")) if parameter.explode else (",", "")
        if style == "simple":
            joiner, refused = _choose_joiner(parameter, joiner, is_encoded=True)
        text = joiner.join(
            _member_texts(parameter, value, encode=_refuse_separator(encode, value, refused))
        )
        if not text and value is not None and not isinstance(value, str):
            raise Unwritable("an item that is not empty")
        return first + (_format_matrix_pair(encode(parameter.name), text) if is_named else text)
    return "".join(
        f";{_format_matrix_pair(*pair)}"
        for pair in _explode_pairs(encode(parameter.name), value, encode, of_name=encode)
    )


def _format_matrix_pair(name: str, text: str) -> str:
    """One parameter of the style `matrix`; an empty value has no sign (RFC 6570, 3.2.7)."""
    return f"{name}={text}" if text else name


def serialize_query_parameter(parameter: Parameter, value: Json) -> Iterator[Pair]:
    """
    Yield the percent-encoded `(name, value)` pairs of a query parameter.

    Null is an empty value. An empty array or object writes nothing, as in RFC 6570, unless the
    parameter allows an empty value.
    """
    yield from _serialize_query(parameter, value, _keep_reserved(_RESERVED_IN_QUERY))


def _serialize_query(parameter: Parameter, value: Json, reserved: _Encoder) -> Iterator[Pair]:
    style = parameter.style or _DEFAULT_STYLES[parameter.location]
    encode = reserved if parameter.allow_reserved else percent_encode
    name = percent_encode(parameter.name)
    if parameter.media_type:
        yield name, encode(encode_content(parameter.media_type, value))
    elif style not in _QUERY_SEPARATORS:
        raise Unwritable(f"a value of a style that can be written in a {parameter.location}")
    elif value is None or (_is_empty(value) and parameter.allow_empty_value):
        yield name, ""
    elif _is_empty(value):
        return
    elif style == "deepObject":
        yield from _deep_object_pairs(name, value, encode)
    elif parameter.explode or not (is_object(value) or is_array(value)):
        yield from _explode_pairs(name, _flatten_value(value), encode, of_name=percent_encode)
    else:
        joiner, refused = _choose_joiner(parameter, _QUERY_SEPARATORS[style], is_encoded=True)
        encode = _encode_commas(encode) if joiner == "," else encode
        texts = _member_texts(
            parameter, _flatten_value(value), encode=_refuse_separator(encode, value, refused)
        )
        yield name, joiner.join(texts)


def serialize_header_parameter(parameter: Parameter, value: Json) -> str:
    """
    Return the value of a header. It is not percent-encoded; what is not ASCII is sent as UTF-8.

    Raises:
        Unwritable: It holds control characters, or white space at an end, which HTTP strips; or an
            item holds the comma that separates items.
    """
    if parameter.media_type:
        return check_header_value(encode_content(parameter.media_type, value, is_ascii=True))
    joiner, refused = _choose_joiner(parameter, ",", is_encoded=False)
    encode = _refuse_separator(check_header_value, value, refused)
    if is_object(value) and parameter.explode and any("=" in key for key in value):
        raise Unwritable("names without equals signs, which end the names in a header")
    return joiner.join(_member_texts(parameter, value, encode=encode))


def check_header_value(text: str) -> str:
    """Return `text` if it can be the value of a header (RFC 9110, "Field Values")."""
    if _CONTROL.search(text) or _SURROGATE.search(text):
        raise Unwritable("text without line breaks and control characters")
    if text != text.strip(" "):
        raise Unwritable("text without spaces at its ends")
    return text


def serialize_cookie_parameter(parameter: Parameter, value: Json) -> Iterator[Pair]:
    """
    Yield the `(name, value)` pairs of a cookie parameter; only the style `form` encodes them.

    Source: OAS 3.2, "Style Values", `cookie`; RFC 6265, "Syntax".
    """
    if parameter.style != "cookie" or parameter.media_type:
        yield from _serialize_query(parameter, value, _keep_reserved(_RESERVED_IN_COOKIE))
    elif value is None:
        yield _check_cookie_name(parameter.name), ""
    elif parameter.explode:
        for name, text in _explode_pairs(parameter.name, value, str, of_name=str):
            yield _check_cookie_name(name), check_cookie_text(text)
    elif texts := list(_member_texts(parameter, value, encode=check_cookie_text)):
        yield _check_cookie_name(parameter.name), ",".join(texts)


def check_cookie_text(text: str) -> str:
    """Return `text` if it can stand in a cookie as it is."""
    if not _COOKIE.fullmatch(text):
        raise Unwritable("ASCII text without spaces, commas, semicolons, quotes and backslashes")
    return text


def _check_cookie_name(name: str) -> str:
    if not _COOKIE_NAME.fullmatch(name):
        raise Unwritable("names of letters, digits and a few signs, which is what cookies have")
    return name


# style -> first character, separator when exploded, whether members carry the name
_PATH_STYLES: Mapping[str, tuple[str, str, bool]] = {
    "simple": ("", ",", False),
    "label": (".", ".", False),
    "matrix": (";", ";", True),
}
_QUERY_SEPARATORS: Mapping[str, str] = {
    "form": ",",
    "spaceDelimited": "%20",
    "pipeDelimited": "%7C",
    "deepObject": "",
}
# Swagger 2.0, `collectionFormat`, where OpenAPI has no style for it.
_COLLECTIONS = {"ssv": " ", "tsv": "\t", "pipes": "|"}


def _choose_joiner(parameter: Parameter, joiner: str, *, is_encoded: bool) -> tuple[str, str]:
    """`(what joins members, what no member may hold)`; a comma is told apart by its encoding."""
    own = _COLLECTIONS.get(str(parameter.extensions.get("x-collectionFormat", "")))
    if own is not None:
        return (quote(own) if is_encoded else own), own
    if joiner.startswith("%"):
        return joiner, {"%20": " ", "%7C": "|"}[joiner]
    return joiner, "" if is_encoded else joiner


_SEPARATORS = {",": "commas", " ": "spaces", "\t": "tabs", "|": "pipes", ".": "dots"}


def _refuse_separator(encode: _Encoder, value: Json, refused: str) -> _Encoder:
    """`encode`, but for members that hold the character that separates them."""
    if not refused or not (is_object(value) or is_array(value)):
        return encode

    def checked(text: str) -> str:
        if refused in text:
            raise Unwritable(f"items without {_SEPARATORS[refused]}, which separate the items here")
        return encode(text)

    return checked


def _encode_commas(encode: _Encoder) -> _Encoder:
    """`encode`, with commas encoded also where reserved characters are allowed."""
    return lambda text: encode(text).replace(",", "%2C")


def _keep_reserved(safe: str) -> _Encoder:
    """
    Encode all but `safe` and what is percent-encoded already.

    Source: RFC 6570, "Reserved Expansion"; OAS 3.2, "Parameter Object", `allowReserved`.
    """

    def encode(text: str) -> str:
        pieces = _TRIPLE.split(text)
        return "".join(
            each if index % 2 else percent_encode(each, safe=safe)
            for index, each in enumerate(pieces)
        )

    return encode


def _is_empty(value: Json) -> bool:
    return (is_object(value) or is_array(value)) and not value


def _member_texts(parameter: Parameter, value: Json, *, encode: _Encoder) -> Iterator[str]:
    """Yield the texts that a separator joins: one for a primitive, one an item or property."""
    if is_object(value):
        for key, each in value.items():
            text = encode(encode_primitive(each))
            if parameter.explode:
                yield f"{encode(key)}={text}"
            else:
                yield from (encode(key), text)
    elif is_array(value):
        yield from (encode(encode_primitive(item)) for item in value)
    elif value is not None:
        yield encode(encode_primitive(value))


def _explode_pairs(
    name: str, value: Json, encode: _Encoder, *, of_name: _Encoder
) -> Iterator[Pair]:
    if is_object(value):
        yield from ((of_name(key), encode(encode_primitive(each))) for key, each in value.items())
    elif is_array(value):
        yield from ((name, encode(encode_primitive(item))) for item in value)
    else:
        yield name, "" if value is None else encode(encode_primitive(value))


def _flatten_value(value: Json) -> Json:
    """A value without arrays and objects in it: those stand as JSON texts, as many expect."""
    if is_object(value):
        return {key: _flatten_member(each) for key, each in value.items()}
    return [_flatten_member(item) for item in value] if is_array(value) else value


def _flatten_member(value: Json) -> Json:
    return encode_json(value) if is_object(value) or is_array(value) else value


def _deep_object_pairs(name: str, value: Json, encode: _Encoder) -> Iterator[Pair]:
    """
    Yield `name[key]=value`.

    Deeper objects have more brackets. The items of an array repeat the name; where any of them is
    an array or object itself, they are numbered from 0.
    """
    if is_object(value):
        for key, each in value.items():
            if "[" in key or "]" in key:
                raise Unwritable("names without brackets, which this style puts around names")
            yield from _deep_object_pairs(
                f"{name}%5B{percent_encode(key)}%5D", _check_deep_member(each), encode
            )
    elif is_array(value) and any(is_object(item) or is_array(item) for item in value):
        for index, each in enumerate(value):
            yield from _deep_object_pairs(f"{name}%5B{index}%5D", _check_deep_member(each), encode)
    elif is_array(value):
        yield from ((name, encode(encode_primitive(item))) for item in value)
    else:
        yield name, encode(encode_primitive(value))


def _check_deep_member(value: Json) -> Json:
    if value is None or _is_empty(value):
        raise Unwritable("no null and no empty array or object within it (leave it out)")
    return value
