"""Markdown as people see it: as wide as the terminal, in its colours, and with nothing left out."""

from __future__ import annotations

from contextlib import redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cli.regen import STYLE, Terminal

from restwright.cli.render.markdown import print_markdown, settled_length

ALL = """\
# Films
Some **bold**, `code` and [a page](https://example.com/x), <https://e.org>.
Second line, <b>html</b>, 2 ** 3.

## More
- one
- two, which is long enough to need a second line of its own
  - nested

1. first
2. second

> quoted

```python
def total(items):  # all
    return 1
```

![seal](https://e.org/seal.png)
"""


def printed(text: str) -> str:
    out = Terminal()
    with redirect_stdout(out):
        print_markdown(text)
    return out.getvalue()


def lines(text: str) -> list[str]:
    return STYLE.sub("", printed(text)).rstrip("\n").split("\n")


@pytest.fixture(autouse=True)
def size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")


def test_everything_is_shown_as_what_it_is_in_40_columns() -> None:
    assert lines(ALL) == [
        "Films",
        "",
        "Some bold, code and a page",
        "(https://example.com/x), https://e.org.",
        "Second line, <b>html</b>, 2 ** 3.",
        "",
        "More",
        "",
        " • one",
        " • two, which is long enough to need a",
        "   second line of its own",
        "    • nested",
        "",
        " 1 first",
        " 2 second",
        "",
        "▌ quoted",
        "",
        "def total(items):  # all",
        "    return 1",
        "",
        "seal (https://e.org/seal.png)",
    ]


def test_no_line_is_wider_than_the_terminal_and_no_word_is_broken() -> None:
    words = "Incomprehensibly long sentences are wrapped between their words, always. " * 3
    shown = lines(words)
    assert max(map(len, shown)) <= 40
    assert " ".join(shown).split() == words.split()


def test_japanese_is_broken_where_the_line_ends() -> None:
    shown = lines("これは長い日本語の文章です。" * 3)
    assert "".join(shown) == "これは長い日本語の文章です。" * 3
    assert max(map(len, shown)) <= 20


TABLE = "| film | studio | year |\n|:--|:--|--:|\n| {0} | Oakwood | 1954 |\n| Rain | Elm | 7 |"


def test_a_table_is_one() -> None:
    assert lines(TABLE.format("The Gate")) == [
        "film      studio   year",
        "The Gate  Oakwood  1954",
        "Rain      Elm         7",
    ]


def test_a_table_that_would_have_broken_words_is_a_list_of_rows() -> None:
    assert lines(TABLE.format("Hypersensitivenesses_of_gates")) == [
        "film: Hypersensitivenesses_of_gates",
        "studio: Oakwood",
        "year: 1954",
        "",
        "film: Rain",
        "studio: Elm",
        "year: 7",
    ]


def test_code_has_colours_that_no_terminal_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    colours = set(
        "".join(STYLE.findall(printed(ALL))).replace("\x1b[", " ").replace("m", " ").split()
    )
    used = {code for each in colours for code in each.split(";")}
    # No blue, yellow, white or black, and no background but that of the terminal.
    assert used & {"35", "36"}
    assert not used & {"30", "33", "34", "37", "40", "90", "93", "94", "97"}
    monkeypatch.setenv("NO_COLOR", "1")
    plain = "".join(STYLE.findall(printed(ALL)))
    assert "35" not in plain
    assert "36" not in plain


def test_nothing_drives_the_terminal() -> None:
    text = "\x1b]0;title\x07 [a](https://e.org/\x1b[2J) `\x9b31m` \u202eabc"
    shown = printed(text)
    assert STYLE.sub("", shown).isprintable() or "\x1b" not in STYLE.sub("", shown)
    assert not set(STYLE.sub("", shown)) & {"\x07", "\x9b", "\u202e", "\x1b"}


@given(st.text(st.sampled_from("ab|-:*_`#>[]()!<&\n "), max_size=80))
def test_no_word_is_left_out_of_any_text(text: str) -> None:
    shown = "".join(lines(text))
    for letter in "ab":
        assert shown.count(letter) >= text.count(letter) - text.count("`")


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("One", ""),
        ("One\n\n", ""),
        ("One\n\nTwo", "One\n\n"),
        ("One\n\n- a\n- b\n", "One\n\n"),
        ("- a\n\n- b\n\nEnd", "- a\n\n- b\n\n"),
        ("```\na\n\nb", ""),
        ("```\na\n```\nEnd", "```\na\n```\n"),
    ],
)
def test_what_has_ended_is_known_while_the_rest_is_written(text: str, settled: str) -> None:
    assert text[: settled_length(text)] == settled
