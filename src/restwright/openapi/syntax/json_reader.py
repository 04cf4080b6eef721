"""
JSON text becomes plain values: what `json` would read, in less time and under limits.

`orjson` reads what it can; the rest (halves of surrogate pairs, and everything that is wrong, since
`json` says better where) is left to `json`. An integer of more than 64 bits is read as the nearest
number of double precision, as most of the tools do that write documents (RFC 8259, "Numbers").
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import NoReturn

from restwright.errors import UnreadableDocument
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.syntax.limits import MAX_DEPTH, MAX_DIGITS, MAX_REPEATED, is_deeper

# `orjson.loads` reads so many levels and refuses one more.
_ORJSON_DEPTH = 1024
_AROUND = _ORJSON_DEPTH - MAX_DEPTH
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(content: bytes, *, source: str) -> Json:
    """
    Parse JSON text in UTF-8.

    Raises:
        json.JSONDecodeError: A syntax error.
        UnicodeDecodeError: It is not UTF-8.
        UnreadableDocument: A limit, or a number that is no JSON (NaN, Infinity, 1e400).
    """
    import orjson

    try:
        value = orjson.loads(b"".join((b"[" * _AROUND, content, b"]" * _AROUND)))
    except orjson.JSONDecodeError:
        return _read_slowly(content, source)
    # Inside so many lists `orjson` itself refuses what is too deep, at no cost. Text that closes
    # some of them and opens others would leave one with two elements.
    for _ in range(_AROUND):
        if len(value) != 1:
            return _read_slowly(content, source)
        value = value[0]
    return value


def repeated_keys(content: bytes, value: Json) -> list[tuple[tuple[str, ...], str]]:
    """
    The first hundred keys that stand twice in one object, as `(tokens of the object, key)`.

    They cost a second, slower parse; where there are as many keys in the text as in its value, that
    is left out. The last value counts, so objects that a later value replaced are not looked into;
    such a key is given under no tokens.

    Args:
        content: The text, which must have been parsed.
        value: What came of it.
    """
    if not _are_fewer(content, value):
        return []
    repeated: list[tuple[JsonObject, str]] = []

    def made(pairs: list[tuple[str, Json]]) -> JsonObject:
        value = dict(pairs)
        if len(value) != len(pairs) and len(repeated) < MAX_REPEATED:
            repeated.extend(
                (value, key) for key, n in Counter(k for k, _ in pairs).items() if n > 1
            )
        return value

    whole = json.loads(content, object_pairs_hook=made)
    if not repeated:
        return []
    wanted = {id(value) for value, _ in repeated}
    places = {id(node): tokens for tokens, node in _objects(whole) if id(node) in wanted}
    return [(places.get(id(value), ()), key) for value, key in repeated[:MAX_REPEATED]]


def _are_fewer(content: bytes, value: Json) -> bool:
    """Whether `value` may have fewer keys than its text; told by counting the ends of keys."""
    import orjson

    try:
        written = orjson.dumps(value)
    except orjson.JSONEncodeError:
        return True
    return _ends_of_keys(written) != _ends_of_keys(content)


def _ends_of_keys(content: bytes) -> int:
    # Some writers put a space there. What looks like it within a string is in both texts.
    return content.count(b'":') + content.count(b'" :')


def _objects(value: Json) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    waiting: list[tuple[tuple[str, ...], Json]] = [((), value)]
    while waiting:
        tokens, node = waiting.pop()
        if is_object(node):
            yield tokens, node
            waiting.extend(((*tokens, key), each) for key, each in node.items())
        elif is_array(node):
            waiting.extend(((*tokens, str(index)), each) for index, each in enumerate(node))


def _read_slowly(content: bytes, source: str) -> Json:
    # A function of ours for each integer takes longer than all the rest.
    is_long = b"0" * (MAX_DIGITS + 1) in content.translate(_DIGITS)
    parse_int = _integer if is_long else None
    try:
        value = json.loads(
            content.decode(), parse_float=_float, parse_int=parse_int, parse_constant=_constant
        )
    except RecursionError:
        raise _too_deep(source) from None
    except _NoNumber as error:
        raise UnreadableDocument(source, f"it holds {error}") from None
    if is_deeper(value, MAX_DEPTH):
        raise _too_deep(source)
    return _without_half_pairs(value) if _HALF_PAIR.search(content) else value


class _NoNumber(Exception):
    """A number that JSON or we cannot say."""


def _float(text: str) -> float:
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise _NoNumber(f"the number {text[:40]}, which is too large")
    return value


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _NoNumber(f"an integer of {len(text):,} digits, over the limit of {MAX_DIGITS}")
    return int(text)


def _constant(name: str) -> NoReturn:
    raise _NoNumber(f"{name}, which is no JSON")


def _without_half_pairs(value: Json) -> Json:
    """Put U+FFFD for every half of a surrogate pair: no encoding can write those."""
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value if whole == text else json.loads(whole)


def _too_deep(source: str) -> UnreadableDocument:
    why = f"it nests deeper than the limit of {MAX_DEPTH} levels"
    return UnreadableDocument(source, why, is_over_limit=True)
