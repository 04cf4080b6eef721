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
_WRAPPER_DEPTH = _ORJSON_DEPTH - MAX_DEPTH
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


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
        value = orjson.loads(b"".join((b"[" * _WRAPPER_DEPTH, content, b"]" * _WRAPPER_DEPTH)))
    except orjson.JSONDecodeError:
        return _parse_with_stdlib(content, source)
    # Inside so many lists `orjson` itself refuses what is too deep, at no cost. Text that closes
    # some of them and opens others would leave one with two elements.
    for _ in range(_WRAPPER_DEPTH):
        if len(value) != 1:
            return _parse_with_stdlib(content, source)
        value = value[0]
    return value


def find_duplicate_keys(content: bytes, value: Json) -> list[tuple[tuple[str, ...], str]]:
    """
    The first hundred keys that stand twice in one object, as `(tokens of the object, key)`.

    They cost a second, slower parse; where there are as many keys in the text as in its value, that
    is left out. The last value counts, so objects that a later value replaced are not looked into;
    such a key is given under no tokens.

    Args:
        content: The text, which must have been parsed.
        value: What came of it.
    """
    if not _has_fewer_keys(content, value):
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
    places = {id(node): tokens for tokens, node in _walk_objects(whole) if id(node) in wanted}
    return [(places.get(id(value), ()), key) for value, key in repeated[:MAX_REPEATED]]


def _has_fewer_keys(content: bytes, value: Json) -> bool:
    """Whether `value` may have fewer keys than its text; told by counting the ends of keys."""
    import orjson

    try:
        written = orjson.dumps(value)
    except orjson.JSONEncodeError:
        return True
    return _count_key_ends(written) != _count_key_ends(content)


def _count_key_ends(content: bytes) -> int:
    # Some writers put a space there. What looks like it within a string is in both texts.
    return content.count(b'":') + content.count(b'" :')


def _walk_objects(value: Json) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    waiting: list[tuple[tuple[str, ...], Json]] = [((), value)]
    while waiting:
        tokens, node = waiting.pop()
        if is_object(node):
            yield tokens, node
            waiting.extend(((*tokens, key), each) for key, each in node.items())
        elif is_array(node):
            waiting.extend(((*tokens, str(index)), each) for index, each in enumerate(node))


def _parse_with_stdlib(content: bytes, source: str) -> Json:
    # A function of ours for each integer takes longer than all the rest.
    is_long = b"0" * (MAX_DIGITS + 1) in content.translate(_DIGITS)
    parse_int = _parse_integer if is_long else None
    try:
        value = json.loads(
            content.decode(),
            parse_float=_parse_float,
            parse_int=parse_int,
            parse_constant=_reject_constant,
        )
    except RecursionError:
        raise _depth_error(source) from None
    except _InvalidNumber as error:
        raise UnreadableDocument(source, f"it holds {error}") from None
    if is_deeper(value, MAX_DEPTH):
        raise _depth_error(source)
    return _replace_lone_surrogates(value) if _LONE_SURROGATE.search(content) else value


class _InvalidNumber(Exception):
    """A number that JSON or we cannot say."""


def _parse_float(text: str) -> float:
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise _InvalidNumber(f"the number {text[:40]}, which is too large")
    return value


def _parse_integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _InvalidNumber(f"an integer of {len(text):,} digits, over the limit of {MAX_DIGITS}")
    return int(text)


def _reject_constant(name: str) -> NoReturn:
    raise _InvalidNumber(f"{name}, which is no JSON")


def _replace_lone_surrogates(value: Json) -> Json:
    """Put U+FFFD for every half of a surrogate pair: no encoding can write those."""
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value if whole == text else json.loads(whole)


def _depth_error(source: str) -> UnreadableDocument:
    why = f"it nests deeper than the limit of {MAX_DEPTH} levels"
    return UnreadableDocument(source, why, is_over_limit=True)
