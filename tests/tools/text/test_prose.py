from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.tools.text.prose import (
    first_sentence,
    shorten_text,
    strip_unprintable,
    to_plain_text,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "a\u200bb\u202ec\u2066d\U000e0041e\x1b[0mf\u00a0g": "abcde[0mf g",
        "smile\ufe0f \U0001f600 \U000e0101hidden": "smile \U0001f600 hidden",
        "\u3164\u115fa\u034fb": "ab",
        " one  two\t three ": "one two three",
        "one\r\ntwo\rthree\u2028four": "one\ntwo\nthree\nfour",
        "one \n \n\n\n  two": "one\n\ntwo",
        "caf\u00e9 \u2014 \u201cx\u201d": "caf\u00e9 \u2014 \u201cx\u201d",
        "": "",
    }.items(),
    ids=ascii,
)
def test_characters_that_show_nothing_are_left_out(text: str, expected: str) -> None:
    assert strip_unprintable(text) == expected


@given(st.text())
def test_a_printable_text_stays_as_it_is(text: str) -> None:
    once = strip_unprintable(text)

    assert strip_unprintable(once) == once
    assert not {unicodedata.category(each) for each in once.replace("\n", "")} & {"Cc", "Cf"}


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "<p>Returns a <a href='x'>pet</a>.</p>\n\n<p>Or none.</p>": "Returns a pet.\n\nOr none.",
        "one<br/>two<BR>three": "one\ntwo\nthree",
        "a List<Pet> where a < b and c > d": "a List<Pet> where a < b and c > d",
        "R&amp;D &lt;b&gt; &#8238;x": "R&D <b> x",
        "seen<!-- hidden -->, seen<!-- the rest": "seen, seen",
        "see [the docs](https://x.test/a?b=c#d) ![image](i.png)": "see the docs",
        "an [index] (of one)": "an [index] (of one)",
    }.items(),
)
def test_what_only_a_browser_needs_is_left_out(text: str, expected: str) -> None:
    assert to_plain_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "Lists pets. All of them.": "Lists pets.",
        "Lists pets": "Lists pets",
        "Lists pets, e.g. Dogs, i.e. All. Then more.": "Lists pets, e.g. Dogs, i.e. All.",
        "As of v1.2 there are pets. More.": "As of v1.2 there are pets.",
        "See https://x.test/a.b?c=d. More.": "See https://x.test/a.b?c=d.",
        "For the U.S. Only. More.": "For the U.S. Only.",
        "Dogs vs. Cats. More.": "Dogs vs. Cats.",
        "About etc. and so on. More.": "About etc. and so on.",
        "At most 10. At least 1.": "At most 10.",
        "Is it? Yes.": "Is it?",
        "It is **bold.** More.": "It is bold.",
        "(It is so.) More.": "(It is so.)",
        "\u83b7\u53d6\u3002\u66f4\u591a\u3002": "\u83b7\u53d6\u3002",
        "# Pets\n\nLists pets. More.": "Lists pets.",
        "## Pets": "Pets",
        "Pets\n====\nMore": "Pets",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nLists pets.": "Lists pets.",
        "> [!NOTE]\n> Lists pets. More.": "Lists pets.",
        "- one. two\n- three": "one. two",
        "Pets:\n1. Dogs\n2. Cats": "Pets:",
        "Lists\npets. More.": "Lists pets.",
        "<p>Lists <a href='x'>pets</a>.</p><p>More.</p>": "Lists pets.",
        "See [pets](https://x.test/). More.": "See pets.",
        "": "",
        "###": "",
        "a" * 400: "a" * 299 + "\u2026",
    }.items(),
)
def test_the_first_sentence(text: str, expected: str) -> None:
    assert first_sentence(text) == expected


@given(st.text(alphabet="a.e? \n#|<>p/[]()&;*-\u3002\u200b1"), st.integers(1, 60))
def test_a_first_sentence_is_one_short_line(text: str, max_chars: int) -> None:
    found = first_sentence(text, max_chars)

    assert len(found) <= max_chars
    assert "\n" not in found
    assert strip_unprintable(found) == found


def test_a_long_text_ends_with_a_sentence() -> None:
    text = "One sentence here. Another one there. And a third."

    assert shorten_text(text, 40) == "One sentence here. Another one there. \u2026"


def test_a_sentence_that_ends_at_the_limit_is_seen_whole() -> None:
    assert shorten_text("As of v1.2 there are pets. More.", 10) == "As of\u2026"


def test_a_long_sentence_ends_with_a_word() -> None:
    assert shorten_text("one two three four", 10) == "one two\u2026"


@given(st.text(), st.text(), st.integers(min_value=0, max_value=50))
def test_a_shortened_text_is_never_longer_and_is_its_beginning(
    text: str, more: str, max_chars: int
) -> None:
    found = shorten_text(text + more, max_chars)

    assert len(found) <= max_chars
    assert (text + more).startswith(found.removesuffix("\u2026").rstrip())
