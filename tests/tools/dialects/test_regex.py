"""Patterns in the words of a grammar."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.tools.dialects.regex import is_portable, to_grammar_pattern


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"^\d+$", "^[0-9]+$"),
        (r"^[\w-]{1,8}$", "^[A-Za-z0-9_-]{1,8}$"),
        (r"^a\.b\/c\-d$", r"^a\.b/c-d$"),
        (r"^(?:a|b)*$", "^(a|b)*$"),
        (r"^ab$|^cd$", "^(ab|cd)$"),
        (r"^[\d.\-x]$", "^[0-9.x-]$"),
        (r"^\s$", r"^[ \t\n\r\x0b\x0c]$"),
        ("^$", "^$"),
        ("^.*$", "^.*$"),
        ("^a{2,}$", "^a{2,}$"),
        (r"\d+", None),
        ("^a", None),
        ("^a|b$", None),
        ("^(?=a)b$", None),
        (r"^\S+$", None),
        ("^[^a]$", None),
        (r"^\bx$", None),
        (r"^(a)\1$", None),
        ("^a+?$", None),
        ("^a{9999}$", None),
        (r"^\p{L}$", None),
        ('^"$', None),
        (r"^\\$", None),
        ("^(a$)$", None),
        ("^*$", None),
        ("", None),
    ],
    ids=str,
)
def test_a_pattern_is_said_or_left_out(pattern: str, said: str | None) -> None:
    assert to_grammar_pattern(pattern) == said


PARTS = st.sampled_from(
    [r"\d", r"\w", "a", "b-", r"\.", "[a-c]", r"[\d-]", "(a|b)", "(?:ab)", "x{1,2}", "c*", "."]
)


@given(parts=st.lists(PARTS, max_size=4), text=st.text("ab0.-_cx", max_size=6))
def test_it_accepts_the_same_texts(parts: list[str], text: str) -> None:
    pattern = f"^{''.join(parts)}$"
    said = to_grammar_pattern(pattern)
    assert said is not None, json.dumps(pattern)
    assert bool(re.search(pattern, text)) == bool(re.search(said, text))


def test_a_pattern_of_another_language_is_not_portable() -> None:
    assert is_portable("^a+$")
    assert not is_portable(r"^\p{L}$")
    assert not is_portable("(")
