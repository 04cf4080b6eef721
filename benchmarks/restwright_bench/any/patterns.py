"""A text that a regular expression of a schema matches."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random

from restwright.jsontypes import Json

# The tree of an expression; the standard library has it under no public name.
_parse: Callable[[str], Json] = import_module("re._parser").parse
_PLAIN = string.ascii_lowercase + string.digits
_MOST_REPEATS, _MOST_DRAWS = 6, 20


def text_matching(pattern: str, rng: Random, *, shortest: int = 0) -> str | None:
    """Draw a text that `pattern` finds; None where it cannot be made."""
    try:
        tree = _parse(pattern)
        compiled = re.compile(pattern)
        return _first_fitting(compiled, tree, rng, shortest)
    except (re.error, KeyError, IndexError, ValueError, TypeError, OverflowError):
        return None  # An expression of another dialect, or one that goes beyond what is drawn here.


def _first_fitting(compiled: re.Pattern[str], tree: Json, rng: Random, shortest: int) -> str | None:
    """The first draw that fits; the empty text only where there is no other."""
    found: str | None = None
    for _ in range(_MOST_DRAWS):
        text = _sequence(tree, rng)
        if compiled.search(text) and len(text) >= shortest:
            found = text
        if found:
            return found
    return found


def _drawn(token: tuple[Json, Json], rng: Random) -> str:
    kind, value = str(token[0]), token[1]
    return _MAKERS[kind](value, rng)


def _sequence(tree: Json, rng: Random) -> str:
    return "".join(_drawn(token, rng) for token in tree)


def _repeat(value: Json, rng: Random) -> str:
    least, most, tree = value
    count = rng.randint(least, max(least, min(int(most), least + _MOST_REPEATS)))
    return "".join(_sequence(tree, rng) for _ in range(count))


def _in_set(value: Json, rng: Random) -> str:
    tokens = list(value)
    members: list[str] = []
    for kind, one in tokens:
        name = str(kind)
        if name == "NEGATE":
            continue
        if name == "LITERAL":
            members.append(chr(one))
        elif name == "RANGE":
            members += [chr(code) for code in range(one[0], min(one[1], one[0] + 200) + 1)]
        elif name == "CATEGORY":
            members += _CATEGORIES[str(one)]
    if str(tokens[0][0]) == "NEGATE":
        members = [each for each in _PLAIN if each not in members]
    plain = [each for each in members if each in string.ascii_letters + string.digits]
    return rng.choice(plain or members)


_CATEGORIES = {
    "CATEGORY_DIGIT": string.digits,
    "CATEGORY_WORD": _PLAIN,
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": _PLAIN,
    "CATEGORY_NOT_DIGIT": string.ascii_lowercase,
    "CATEGORY_NOT_WORD": "-",
}
_MAKERS: Mapping[str, Callable[[Json, Random], str]] = {
    "LITERAL": lambda value, _: chr(value),
    "NOT_LITERAL": lambda value, _: "a" if chr(value) != "a" else "b",
    "ANY": lambda _, rng: rng.choice(_PLAIN),
    "IN": _in_set,
    "MAX_REPEAT": _repeat,
    "MIN_REPEAT": _repeat,
    "POSSESSIVE_REPEAT": _repeat,
    "SUBPATTERN": lambda value, rng: _sequence(value[-1], rng),
    "BRANCH": lambda value, rng: _sequence(rng.choice(value[1]), rng),
    "AT": lambda _, __: "",
    "ASSERT": lambda _, __: "",
    "ASSERT_NOT": lambda _, __: "",
}
