"""JSON values as bytes."""

from __future__ import annotations

import json

import orjson

from restwright.jsontypes import Json


def to_json_bytes(value: Json) -> bytes:
    """
    `value` as compact JSON.

    Raises:
        ValueError: It is no JSON value: NaN, infinity or something else than JSON knows.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        # Integers over 64 bits and lone surrogates are JSON, but not orjson's.
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
        return text.encode()
