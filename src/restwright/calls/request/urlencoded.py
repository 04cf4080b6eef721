"""
Bodies that are forms: `application/x-www-form-urlencoded`.

Source: OAS 3.2, "Encoding Object" and "Encoding the x-www-form-urlencoded Media Type".
"""

from __future__ import annotations

from collections.abc import Iterator

from restwright.calls.request.encode import (
    Unwritable,
    encode_content,
    encode_json,
    encode_primitive,
)
from restwright.calls.request.media_ranges import choose_content_type
from restwright.calls.request.parameter_styles import (
    Pair,
    percent_encode,
    serialize_query_parameter,
)
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Encoding, MediaType, Parameter

_DEFAULT_ENCODING = Encoding()


def encode_form(media_type: MediaType, value: Json) -> str:
    """
    Return a form as text; a space is `%20`.

    Raises:
        Unwritable: It is no object, or a property cannot be written.
    """
    return "&".join(f"{name}={text}" for name, text in encode_form_pairs(media_type, value))


def encode_form_pairs(media_type: MediaType, value: Json) -> Iterator[Pair]:
    """
    Yield the percent-encoded pairs of a form.

    Where nothing else is said, an array repeats the name and an object is JSON.
    """
    for name, each in form_properties(value).items():
        encoding = media_type.encoding.get(name, _DEFAULT_ENCODING)
        try:
            yield from _encode_pairs(name, each, encoding)
        except Unwritable as error:
            raise Unwritable(str(error), (name, *error.path)) from None


def _encode_pairs(name: str, value: Json, encoding: Encoding) -> Iterator[Pair]:
    if has_style(encoding):
        yield from serialize_query_parameter(parameter_from_encoding(name, encoding), value)
    elif encoding.content_type and not is_array(value):
        yield (
            percent_encode(name),
            percent_encode(
                encode_content(choose_content_type(value, encoding.content_type), value)
            ),
        )
    elif is_array(value):
        yield from (
            (percent_encode(name), percent_encode(_encode_value(item, encoding))) for item in value
        )
    else:
        yield (
            percent_encode(name),
            percent_encode("" if value is None else _encode_value(value, encoding)),
        )


def _encode_value(value: Json, encoding: Encoding) -> str:
    if encoding.content_type:
        return encode_content(choose_content_type(value, encoding.content_type), value)
    return encode_primitive(value) if isinstance(value, (str, int, float)) else encode_json(value)


def has_style(encoding: Encoding) -> bool:
    """Whether a property is written as a query parameter is."""
    return bool(encoding.style or encoding.explode is not None or encoding.allow_reserved)


def parameter_from_encoding(name: str, encoding: Encoding) -> Parameter:
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


def form_properties(value: Json) -> JsonObject:
    """
    Return what a form is made of.

    Raises:
        Unwritable: It is no object.
    """
    if not is_object(value):
        raise Unwritable("an object, which is what a form is made of")
    return value
