"""
JSON text becomes plain values: what `json` would read, in less time and under limits.

`orjson` reads what it reads the same; the rest (integers of more than 64 bits, halves of surrogate
pairs, and everything that is wrong, since `json` says better where) is left to `json`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import NoReturn

from restwright.errors import UnreadableDocument
from restwright.openapi.limits import MAX_DEPTH, MAX_DIGITS, MAX_REPEATED, is_deeper
from restwright.typing import Json, JsonObject, is_array, is_object

_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_STRUCTURE = bytes(each for each in range(256) if each not in b'[]{}"')
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_QUOTED = re.compile(rb'"[^"]*"')
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
# Fewer digits than this always fit into 64 bits.
_LONG = b"0" * 19
_BEFORE_NUMBERS = (b"", *(bytes([each]) for each in b":[, \t\r\n"))
# From here on walking the value costs less than peeling the text.
_MANY_LEVELS = 64


def parse_json(content: bytes, *, source: str) -> Json:
    """
    Parse JSON text in UTF-8.

    Raises:
        json.JSONDecodeError: A syntax error.
        UnicodeDecodeError: It is not UTF-8.
        UnreadableDocument: A limit, or a number that is no JSON (NaN, Infinity, 1e400).
    """
    import orjson

    if not _may_hold_long_integer(content):
        try:
            value = orjson.loads(content)
        except orjson.JSONDecodeError:
            return _read_slowly(content, source)
        if is_deeper_text(content, _MANY_LEVELS) and is_deeper(value, MAX_DEPTH):
            raise _too_deep(source)
        return value
    return _read_slowly(content, source)


def is_deeper_text(content: bytes, levels: int) -> bool:
    """
    Whether JSON text nests deeper than `levels`. `content` must have been parsed.

    Only brackets outside of strings are left, then each pass takes away the innermost level.
    """
    plain = _ESCAPED.sub(b"", content) if b"\\" in content else content
    # Two quotes in a row change nothing about what stands inside of strings and what outside.
    left = plain.translate(_BRACKETS, _NO_STRUCTURE).replace(b'""', b"")
    left = _QUOTED.sub(b"", left)
    for _ in range(levels):
        if not left:
            return False
        left = left.replace(b"[]", b"")
    return bool(left)


def repeated_keys(content: bytes) -> list[tuple[tuple[str, ...], str]]:
    """
    The first hundred keys that stand twice in one object, as `(tokens of the object, key)`.

    It costs a second, slower parse. `content` must have been parsed. The last value counts, so
    objects that a later value replaced are not looked into; such a key is given under no tokens.
    """
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


def _objects(value: Json) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    waiting: list[tuple[tuple[str, ...], Json]] = [((), value)]
    while waiting:
        tokens, node = waiting.pop()
        if is_object(node):
            yield tokens, node
            waiting.extend(((*tokens, key), each) for key, each in node.items())
        elif is_array(node):
            waiting.extend(((*tokens, str(index)), each) for index, each in enumerate(node))


def _may_hold_long_integer(content: bytes) -> bool:
    """Whether an integer of 19 digits or more may stand in it, in a string or not."""
    digits = content.translate(_DIGITS)
    start = -1
    for _ in range(1_000):
        start = digits.find(_LONG, start + 1)
        if start < 0:
            return False
        if content[max(start - 2, 0) : start].rstrip(b"-")[-1:] in _BEFORE_NUMBERS:
            return True
        # The run goes on, and its other digits are no beginning of a number.
        start = min(start + len(_LONG), len(digits))
        start += len(digits[start : start + 100]) - len(digits[start : start + 100].lstrip(b"0"))
    return True


def _read_slowly(content: bytes, source: str) -> Json:
    try:
        value = json.loads(
            content.decode(), parse_float=_float, parse_int=_integer, parse_constant=_constant
        )
    except RecursionError:
        raise _too_deep(source) from None
    except _NoNumber as error:
        raise UnreadableDocument(source, f"it holds {error}") from None
    if is_deeper(value, MAX_DEPTH):
        raise _too_deep(source)
    return _without_half_pairs(value) if b"\\u" in content else value


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
    return UnreadableDocument(source, f"it nests deeper than the limit of {MAX_DEPTH} levels")
