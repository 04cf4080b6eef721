from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.model import Method, Operation
from restwright.tools.description import describe, printable, shortened


def described(summary: str, description: str) -> str:
    operation = Operation(
        method=Method.POST, path="/a", pointer="", summary=summary, description=description
    )
    return describe(operation)


@pytest.mark.parametrize(
    ("summary", "description", "expected"),
    [
        ("List pets", "All of them.", "List pets\n\nAll of them."),
        ("List pets", "List pets.\n\nAll of them.", "List pets.\n\nAll of them."),
        ("List pets.", "", "List pets."),
        ("", "All  of\n\n\n\nthem. ", "All of\n\nthem."),
        ("", "", "POST /a"),
    ],
)
def test_the_summary_stands_first_and_is_not_said_twice(
    summary: str, description: str, expected: str
) -> None:
    assert described(summary, description) == expected


def test_characters_that_show_nothing_are_left_out() -> None:
    hidden = "a\u200bb\u202ec\u2066d\U000e0041e\x1b[0mf\u00a0g"

    assert printable(hidden) == "abcde[0mf g"


def test_a_long_description_ends_with_a_sentence() -> None:
    text = "One sentence here. Another one there. And a third."

    assert shortened(text, 40) == "One sentence here. Another one there."


def test_a_long_sentence_ends_with_a_word() -> None:
    assert shortened("one two three four", 10) == "one two\u2026"


@given(st.text(), st.text(), st.integers(min_value=1, max_value=50))
def test_a_shortened_text_is_never_longer(text: str, more: str, max_chars: int) -> None:
    assert len(shortened(text + more, max_chars)) <= max_chars
