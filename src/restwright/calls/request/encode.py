"""Values as text: primitives, and values of a media type in a place that takes text."""

from __future__ import annotations

import json

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, is_array, is_object
from restwright.tools.text.media_types import can_be_json


def encode_primitive(value: Json) -> str:
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
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return compact_json(value)
    raise Unwritable("a string, number or boolean, which is what this style can write")


def encode_json(value: Json, *, is_ascii: bool = False) -> str:
    """
    Return `value` as JSON in one line.

    Raises:
        Unwritable: JSON cannot write it: NaN, half of a surrogate pair.
    """
    try:
        text = json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":"), allow_nan=False)
        text.encode()
    except (ValueError, TypeError, RecursionError):
        raise Unwritable("values that JSON can write") from None
    return text


def encode_content(media_type: str, value: Json, *, is_ascii: bool = False) -> str:
    """
    Return a value as the text of a media type, for a place that takes no bytes.

    Raises:
        Unwritable: It is an array or object, and the media type is not JSON.
    """
    if can_be_json(media_type):
        return encode_json(value, is_ascii=is_ascii)
    if is_object(value) or is_array(value) or value is None:
        raise Unwritable(f"text, which is what {media_type[:60]} can write")
    return encode_primitive(value)


class Unwritable(ValueError):
    """
    A value that its place in a request cannot carry; the text says what is expected instead.

    Args:
        path: Where in the value; `()` for all of it.
    """

    def __init__(self, expected: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(expected)
        self.path = path
