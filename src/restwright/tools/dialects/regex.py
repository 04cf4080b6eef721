"""Regular expressions in the smaller languages of those who read our schemas."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

_LOOKAROUND = re.compile(r"\(\?(?:[=!]|<[=!])")
_TOKEN = re.compile(
    r"""
    (?P<escape>\\.)
    | (?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])
    | (?P<count>\{\d+(?:,\d*)?\})
    | (?P<quantifier>[*+?])
    | (?P<group>\(\?:|\((?!\?)|\))
    | (?P<or>\|)
    | (?P<anchor>[\^$])
    | (?P<any>\.)
    | (?P<char>[^\\\[\](){}|*+?^$."])
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": r" \t\n\r\x0b\x0c"}
_CONTROL = {"t": r"\t", "n": r"\n", "r": r"\r"}
# Characters that stay escaped outside a class; others may be written bare.
_SPECIAL = frozenset("^$.[]()|{}*+?\\")
_IN_CLASS = re.compile(r"\\(.)|([^\\])", re.DOTALL)
_MAX_REPETITIONS = 2_000


@lru_cache(maxsize=4096)
def is_portable(pattern: str) -> bool:
    """Whether Python, and so the validators that providers run, can compile `pattern`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError):
            return False
    return True


def has_lookaround(pattern: str) -> bool:
    """Whether `pattern` looks ahead or behind."""
    return _LOOKAROUND.search(pattern) is not None


@lru_cache(maxsize=4096)
def to_grammar_pattern(pattern: str) -> str | None:
    r"""
    `pattern` as a grammar of llama.cpp can say it, or None.

    Returns:
        Anchored at both ends, without shorthands (`\d` is `[0-9]`) and unneeded escapes. None
        where it is not anchored, looks around, refers back, or has a negated class: that one
        would let a string's own closing quote through.

    Source: llama.cpp, grammars/README.md, "JSON Schemas -> GBNF" and "Character Ranges".
    """
    tokens = _tokenize_pattern(pattern)
    if tokens is None:
        return None
    branches = _split_branches(tokens)
    inner = [_strip_anchors(branch) for branch in branches]
    texts = [text for text in inner if text is not None]
    if len(texts) < len(inner):
        return None
    return f"^{texts[0]}$" if len(texts) == 1 else f"^({'|'.join(texts)})$"


def _tokenize_pattern(pattern: str) -> list[tuple[str, str]] | None:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        if match is None:
            return None
        found.append((match.lastgroup or "", match[0]))
        at = match.end()
    return found


def _split_branches(tokens: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The alternatives of the whole pattern."""
    branches: list[list[tuple[str, str]]] = [[]]
    depth = 0
    for kind, text in tokens:
        if kind == "group":
            depth += -1 if text == ")" else 1
        if kind == "or" and depth == 0:
            branches.append([])
        else:
            branches[-1].append((kind, text))
    return branches


def _strip_anchors(branch: list[tuple[str, str]]) -> str | None:
    """What stands between `^` and `$`; None where they are missing or it cannot be said."""
    anchors = [("anchor", "^"), ("anchor", "$")]
    if [*branch[:1], *branch[-1:]] != anchors or len(branch) < len(anchors):
        return None
    said = list(_translate_tokens(branch[1:-1]))
    return None if None in said else "".join(name for name in said if name is not None)


def _translate_tokens(tokens: list[tuple[str, str]]) -> Iterator[str | None]:
    before = ""
    for kind, text in tokens:
        # `+?` and `++` are other things in other languages.
        repeats = kind in {"quantifier", "count"}
        if repeats and before in {"", "quantifier", "count", "or", "open"}:
            yield None
        yield _translate_token(kind, text)
        before = "open" if kind == "group" and text != ")" else kind


def _translate_token(kind: str, text: str) -> str | None:
    if kind == "anchor":
        return None
    if kind == "group":
        return ")" if text == ")" else "("
    if kind == "count":
        return (
            text
            if all(int(match) <= _MAX_REPETITIONS for match in re.findall(r"\d+", text))
            else None
        )
    if kind == "class":
        return _translate_class(text[1:-1])
    return _translate_escape(text[1]) if kind == "escape" else text


def _translate_escape(char: str) -> str | None:
    if char in _CLASSES:
        return f"[{_CLASSES[char]}]"
    if char in _SPECIAL and char != "\\":
        return "\\" + char
    # A quote or a backslash is written with an escape in JSON, which a pattern does not know.
    return None if char.isalnum() or char in '"\\' else char


def _translate_class(content: str) -> str | None:
    """A character class without escapes; its hyphen at the end."""
    if content.startswith("^") or not content:
        return None
    texts, hyphen = list[str](), ""
    for escaped, plain in _IN_CLASS.findall(content):
        if escaped == "-":
            hyphen = "-"
        elif escaped:
            said = _CLASSES.get(escaped, _CONTROL.get(escaped))
            said = said or (None if escaped.isalnum() or escaped in '"\\[]^' else escaped)
            if said is None:
                return None
            texts.append(said)
        elif plain in '"[]':
            return None
        else:
            texts.append(plain)
    return f"[{''.join(texts)}{hyphen}]"
