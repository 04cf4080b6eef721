"""
How a value is written in a path, a query, a header or a cookie.

Source: OAS 3.1, "Style Values"; RFC 6570, "Expansion".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from restwright.calls.shorten import compact
from restwright.openapi.model import Parameter
from restwright.typing import Json, is_array, is_object

Pair = tuple[str, str]
_DEFAULT_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
# RFC 6265, "Syntax": cookie-octet.
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Unwritable(ValueError):
    """A value that its style or HTTP cannot carry; the text says what is expected instead."""


def encoded(text: str) -> str:
    """
    Percent-encode everything but the unreserved characters of RFC 3986.

    Raises:
        Unwritable: It has half of a surrogate pair, which UTF-8 cannot write.
    """
    if _SURROGATE.search(text):
        raise Unwritable("Unicode text")
    return quote(text, safe="")


def primitive(value: Json) -> str:
    """
    Return the text of a string, number or boolean.

    Raises:
        Unwritable: It is null, an array or an object, which have no text of their own.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # JSON Schema counts 3.0 as an integer; servers do not
    if isinstance(value, (int, float)):
        return compact(value)
    raise Unwritable("a string, number or boolean, which is what this style can write")


def path_text(parameter: Parameter, value: Json) -> str:
    """
    Return what takes the place of `{name}` in a path template.

    Raises:
        Unwritable: It would be empty, `.` or `..`, or its style cannot write it.
    """
    if parameter.media_type:
        return encoded(compact(value))
    style = parameter.style or _DEFAULT_STYLES["path"]
    if style not in _PATH_STYLES:
        raise Unwritable(f"a value of a style that can be written in a path, not {style}")
    first, separator, named = _PATH_STYLES[style]
    separator = separator if parameter.explode else ","
    texts = list(_members(parameter, value, encode=encoded, named=named))
    if not parameter.explode and named:
        texts = [f"{encoded(parameter.name)}={','.join(texts)}"]
    text = first + separator.join(texts)
    if text in {"", ".", ".."}:
        # Such a segment changes which resource is meant (RFC 3986, "Remove Dot Segments").
        raise Unwritable("a value other than an empty one, `.` and `..`")
    if "%00" in text:  # servers written in C read a path up to here only
        raise Unwritable("text without null characters")
    return text


def query_pairs(parameter: Parameter, value: Json) -> Iterator[Pair]:
    """
    Yield the percent-encoded `(name, value)` pairs of a query parameter.

    Null and empty arrays and objects write nothing: RFC 6570 calls them undefined.
    """
    style = parameter.style or _DEFAULT_STYLES["query"]
    if parameter.media_type:
        yield encoded(parameter.name), encoded(compact(value))
    elif style == "deepObject":
        yield from _deep(encoded(parameter.name), value)
    elif style in _QUERY_SEPARATORS and not parameter.explode:
        texts = list(_members(parameter, value, encode=encoded, named=False))
        if texts:
            yield encoded(parameter.name), _separator(parameter, style).join(texts)
    elif style in _QUERY_SEPARATORS:
        yield from _exploded(parameter, value)
    else:
        raise Unwritable(f"a value of a style that can be written in a query, not {style}")


def _separator(parameter: Parameter, style: str) -> str:
    # Swagger 2.0 has one format more, for which OpenAPI has no style.
    is_tabbed = parameter.extensions.get("x-collectionFormat") == "tsv"
    return "%09" if is_tabbed else _QUERY_SEPARATORS[style]


def header_text(parameter: Parameter, value: Json) -> str:
    """
    Return the value of a header. It is not percent-encoded; what is not ASCII is sent as UTF-8.

    Raises:
        Unwritable: It holds control characters, or white space at an end, which HTTP strips; or an
            item holds the comma that separates items.
    """
    if parameter.media_type:
        return compact(value)
    text = ",".join(_members(parameter, value, encode=_without_comma(value), named=False))
    return header_value(text)


def header_value(text: str) -> str:
    """Return `text` if it can be the value of a header (RFC 9110, "Field Values")."""
    if _CONTROL.search(text) or _SURROGATE.search(text):
        raise Unwritable("text without line breaks and control characters")
    if text != text.strip(" "):
        raise Unwritable("text without spaces at its ends")
    return text


def cookie_pairs(parameter: Parameter, value: Json) -> Iterator[Pair]:
    """
    Yield the `(name, value)` pairs of a cookie parameter; only the style `form` encodes them.

    Source: OAS 3.2, "Style Values", `cookie`; RFC 6265, "Syntax".
    """
    if parameter.style != "cookie" or parameter.media_type:
        yield from query_pairs(parameter, value)
    elif parameter.explode:
        yield from _exploded(parameter, value, encode=cookie_text)
    elif texts := list(_members(parameter, value, encode=cookie_text, named=False)):
        yield cookie_text(parameter.name), ",".join(texts)


def cookie_text(text: str) -> str:
    """Return `text` if it can stand in a cookie as it is."""
    if not _COOKIE.fullmatch(text):
        raise Unwritable("ASCII text without spaces, commas, semicolons, quotes and backslashes")
    return text


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
}


def _members(
    parameter: Parameter, value: Json, *, encode: Callable[[str], str], named: bool
) -> Iterator[str]:
    """Yield the texts that a separator joins: one for a primitive, one an item or property."""
    name = f"{encode(parameter.name)}=" if named and parameter.explode else ""
    if is_object(value):
        for key, each in value.items():
            text = encode(primitive(each))
            if parameter.explode:
                yield f"{encode(key)}={text}"
            else:
                yield from (encode(key), text)
    elif is_array(value):
        yield from (name + encode(primitive(each)) for each in value)
    elif value is not None:
        yield name + encode(primitive(value))


def _exploded(
    parameter: Parameter, value: Json, *, encode: Callable[[str], str] = encoded
) -> Iterator[Pair]:
    name = encode(parameter.name)
    if is_object(value):
        yield from ((encode(key), encode(primitive(each))) for key, each in value.items())
    elif is_array(value):
        yield from ((name, encode(primitive(each))) for each in value)
    elif value is not None:
        yield name, encode(primitive(value))


def _deep(name: str, value: Json) -> Iterator[Pair]:
    """Yield `name[key]=value`, deeper with more brackets; the items of an array repeat the name."""
    if is_object(value):
        for key, each in value.items():
            yield from _deep(f"{name}%5B{encoded(key)}%5D", each)
    elif is_array(value):
        yield from ((name, encoded(primitive(each))) for each in value)
    elif value is not None:
        yield name, encoded(primitive(value))


def _without_comma(value: Json) -> Callable[[str], str]:
    """Refuse commas in members: a header has no way to tell them from its separators."""
    if not (is_object(value) or is_array(value)):
        return lambda text: text

    def refuse(text: str) -> str:
        if "," in text:
            raise Unwritable("items without commas, which separate the items of a header")
        return text

    return refuse
