"""
Bodies that are forms: `application/x-www-form-urlencoded`.

Source: OAS 3.2, "Encoding Object" and "Encoding the x-www-form-urlencoded Media Type".
"""

from __future__ import annotations

from collections.abc import Iterator

from restwright.calls.request.encode import Unwritable, content_text, json_text, primitive
from restwright.calls.request.media_ranges import best_for
from restwright.calls.request.parameter_styles import Pair, encoded, query_pairs
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Encoding, MediaType, Parameter

_OPEN = Encoding()


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
    for name, each in properties_of(value).items():
        encoding = media_type.encoding.get(name, _OPEN)
        try:
            yield from _pairs(name, each, encoding)
        except Unwritable as error:
            raise Unwritable(str(error), (name, *error.path)) from None


def _pairs(name: str, value: Json, encoding: Encoding) -> Iterator[Pair]:
    if has_style(encoding):
        yield from query_pairs(parameter_of(name, encoding), value)
    elif encoding.content_type and not is_array(value):
        yield encoded(name), encoded(content_text(best_for(value, encoding.content_type), value))
    elif is_array(value):
        yield from ((encoded(name), encoded(_plain(each, encoding))) for each in value)
    else:
        yield encoded(name), encoded("" if value is None else _plain(value, encoding))


def _plain(value: Json, encoding: Encoding) -> str:
    if encoding.content_type:
        return content_text(best_for(value, encoding.content_type), value)
    return primitive(value) if isinstance(value, (str, int, float)) else json_text(value)


def has_style(encoding: Encoding) -> bool:
    """Whether a property is written as a query parameter is."""
    return bool(encoding.style or encoding.explode is not None or encoding.allow_reserved)


def parameter_of(name: str, encoding: Encoding) -> Parameter:
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


def properties_of(value: Json) -> JsonObject:
    """
    Return what a form is made of.

    Raises:
        Unwritable: It is no object.
    """
    if not is_object(value):
        raise Unwritable("an object, which is what a form is made of")
    return value
