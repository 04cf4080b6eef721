"""
Whether a response holds what was taken out of it.

Code and the reader put values in other words, count and compute; only what is plainly made up is
told: code that does not look at the response, and texts of which nothing stands there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator

from restwright.agents.roles.answer import unsupported
from restwright.agents.roles.caller import UNSPACED
from restwright.jsontypes import Json, is_array, is_object

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SHORTEST, _ENDING = 4, 3
_YES_NO = frozenset({"yes", "no", "true", "false"})


def invented(code: str, value: Json, body: Json, task: str) -> str:
    """
    What tells that `code` made up the value that it gave for `body`; empty where nothing does.

    Args:
        task: Its words may stand in a value too: `whether it is open or closed`.
    """
    if value in (None, [], {}, ""):
        return ""
    program = _parsed(code)
    if program is not None and not _reads_data(program):
        return "it does not use data"
    said = f"{_text_of(body)} {task}".lower()
    written = set(_constants(program)) if program is not None else set[str]()
    for text in _texts_in(value):
        if text in written and not _has_some(text, said):
            return f"{text[:80]!r} is not in data"
    return ""


def is_held(text: str, body: Json) -> bool:
    """
    Whether a response holds a text that was read out of it: all its numbers, and its words.

    A reader adds some (`190 minutes`, of `length: 190`), but no more than it found.
    """
    whole = _text_of(body)
    if unsupported(text, whole):
        return False
    said, words = whole.lower(), _WORD.findall(text.lower())
    if text.strip().lower() in _YES_NO and re.search(r"\b(?:true|false)\b", said):
        return True
    telling = [each for each in words if len(each) >= _SHORTEST]
    numbers = len(_NUMBER.findall(text))
    told = telling or ([] if numbers else words)
    found = sum(_is_in(each, said) for each in told)
    return found + numbers >= len(told) - found and bool(found + numbers)


def _text_of(body: Json) -> str:
    """All that stands in a response, names of properties too."""
    return json.dumps(body, ensure_ascii=False)


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _reads_data(program: ast.Module) -> bool:
    """Whether code reads `data`, or what its `parse` calls it."""
    for each in program.body:
        if isinstance(each, ast.FunctionDef) and each.name == "parse":
            names = {"data", *(argument.arg for argument in each.args.args[:1])}
            return any(_reads(part, names) for part in each.body)
    return _reads(program, {"data"})


def _reads(part: ast.AST, names: Collection[str]) -> bool:
    read = (each for each in ast.walk(part) if isinstance(each, ast.Name))
    return any(each.id in names and isinstance(each.ctx, ast.Load) for each in read)


def _constants(program: ast.Module) -> Iterator[str]:
    """The texts that stand in code."""
    for each in ast.walk(program):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _texts_in(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if is_object(value) else value if is_array(value) else ():
        yield from _texts_in(each)


def _has_some(text: str, said: str) -> bool:
    """Whether a word or a number of a text is said; `yes` and `no` say what was compared."""
    parts = _WORD.findall(text.lower()) + _NUMBER.findall(text)
    return not parts or text.lower() in _YES_NO or any(_is_in(each, said) for each in parts)


def _is_in(word: str, said: str) -> bool:
    """Whether a word is said, with any ending; where words have no spaces, two of its letters."""
    if UNSPACED.search(word):
        return any(word[n : n + 2] in said for n in range(max(1, len(word) - 1)))
    if len(word) < _SHORTEST:
        return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said))
    return word[: max(_SHORTEST, len(word) - _ENDING)] in said
