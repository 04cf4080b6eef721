"""What a model writes becomes HTML that can neither run nor load anything."""

from __future__ import annotations

import pytest

from restwright.web.chat.markdown import GrowingMarkdown, render_markdown

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[here](javascript:alert(1))",
    "[here](JaVaScRiPt:alert(1))",
    "[here](data:text/html,<script>alert(1)</script>)",
    "[here](vbscript:x)",
    "[here](&#106;avascript:alert(1))",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,AAAA)",
    '[a](https://x.test/"onmouseover="alert(1))',
    "```\n</code></pre><script>alert(1)</script>\n```",
    "| <b onclick=alert(1)>a</b> |\n|---|\n| <script>b</script> |",
    '![" onload="alert(1)](https://x.test/a.png)',
    "[a](/tools/remove)",
    "[a](//evil.test/a)",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_in_words_can_run_or_load_anything(text: str) -> None:
    html = render_markdown(text).lower()
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'href="data' not in html
    assert 'href="/' not in html
    for tag in html.split("<")[1:]:
        inside = tag.split(">")[0]
        assert " onclick=" not in inside.replace('"', " ").split("href=")[0]
        assert not inside.startswith("b ")


def test_links_open_elsewhere_and_tell_nothing_of_here() -> None:
    html = render_markdown("[shop](https://shop.test/a?b=1&c=2)")
    assert 'href="https://shop.test/a?b=1&amp;c=2"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_an_image_is_one_of_the_run_or_a_link() -> None:
    text = "![cat](https://api.test/cat.png)"
    assert '<a href="https://api.test/cat.png"' in render_markdown(text)
    shown = render_markdown(text, {"https://api.test/cat.png": "/chat/runs/a/images/1"})
    assert '<img src="/chat/runs/a/images/1" alt="cat" loading="lazy">' in shown


def test_a_table_scrolls_alone_and_has_a_name() -> None:
    html = render_markdown("| a | b |\n|---|---|\n| 1 | 2 |")
    assert '<div class="table" tabindex="0" role="region" aria-label="Table"><table>' in html
    assert "<td>2</td>" in html


def test_headings_go_on_below_those_of_the_page_without_a_gap() -> None:
    html = render_markdown("# One\n\n#### Two\n\n# Three")
    assert [part[:2] for part in html.split("<")[1:] if part[0] == "h"] == ["h3", "h4", "h3"]


LONG = """# A title

A list:

- one
- two

  of more lines

1. *one*\r
2. `two`

### Below

| a | b |
|---|---|
| 1 | 2 |

```python
# no title

print("a")
```

    code

> quoted
and more

#### Below that
***
The end\u2028of <b>it</b>"""


@pytest.mark.parametrize("length", [1, 6, 40])
def test_a_text_that_grows_is_at_each_moment_what_the_whole_would_be(length: int) -> None:
    growing = GrowingMarkdown()
    for end in range(0, len(LONG) + length, length):
        assert growing.render(LONG[:end]) == render_markdown(LONG[:end])


def test_a_text_that_begins_anew_is_read_anew() -> None:
    growing = GrowingMarkdown()
    growing.render(LONG)
    assert growing.render("# Other\n\nwords") == render_markdown("# Other\n\nwords")
