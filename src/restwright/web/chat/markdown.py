"""
Words of a model as HTML: Markdown without raw HTML, links to http and https, images of the run.

What a model or an API wrote can neither run nor load anything: HTML in it is text, any other link
is text, and an image is one that an API gave to this very run, or a link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token

_LINE_END = re.compile("\r\n?")
_FIRST_HEADING = 3
"""Below the title of the page and that of the turn."""


def render_markdown(text: str, images: Mapping[str, str] | None = None) -> Markup:
    """
    Return the HTML of a text.

    Args:
        images: `{address in the text: address of the image here}`.
    """
    return Markup(_make_parser().render(text, {"images": images or {}}))  # noqa: S704 - see above


@dataclass(slots=True)
class GrowingMarkdown:
    """
    The HTML of a text that grows: of what is behind a finished block nothing is read again.

    A link that is defined further below stays text; who has the whole text renders it anew.
    """

    _text: str = ""
    _done: str = ""
    _level: int = _FIRST_HEADING - 1

    def render(self, text: str) -> Markup:
        """Return the HTML of a text, of which the one before was the beginning."""
        text = _LINE_END.sub("\n", text)
        if not text.startswith(self._text):
            self._text, self._done, self._level = "", "", _FIRST_HEADING - 1
        parser, rest = _make_parser(), text[len(self._text) :]
        environment: dict[str, Any] = {"images": {}, "level": self._level}
        tokens = parser.parse(rest, environment)
        starts = [place for place, token in enumerate(tokens) if token.level == 0 and token.map]
        # The last block may go on, so that it is read again with what comes.
        last = starts[-1] if starts else 0
        if last and (lines := tokens[last].map):
            self._done += parser.renderer.render(tokens[:last], parser.options, environment)
            self._text += "".join(f"{line}\n" for line in rest.split("\n")[: lines[0]])
            levels = [int(one.tag[1]) for one in tokens[:last] if one.type == "heading_open"]
            self._level = levels[-1] if levels else self._level
        going_on = parser.renderer.render(tokens[last:], parser.options, environment)
        return Markup(self._done + str(going_on))  # noqa: S704 - see above


@cache
def _make_parser() -> MarkdownIt:
    # Imported with the first answer, so that the first page need not wait for it.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = _is_web_address  # type: ignore[method-assign]
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    parser.core.ruler.push("headings", _level_headings)
    return parser


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in {"http", "https"} and bool(parts.netloc)


def _level_headings(state: Any) -> None:
    """Have headings go down by one level at most, so that a reader can find the way by them."""
    level = state.env.get("level", _FIRST_HEADING - 1)
    for token in state.tokens:
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + _FIRST_HEADING - 1, level + 1, 6)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def _render_link(
    self: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    token = tokens[index]
    token.attrSet("rel", "noopener noreferrer nofollow")
    token.attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, env)  # type: ignore[attr-defined]


def _render_image(
    self: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    token = tokens[index]
    url, words = str(token.attrGet("src") or ""), token.content
    here = env["images"].get(url)
    if here is not None:
        return str(Markup('<img src="{}" alt="{}" loading="lazy">').format(here, words))
    link = '<a href="{}" rel="noopener noreferrer nofollow" target="_blank">{}</a>'
    return str(Markup(link).format(url, words or url))  # noqa: S704 - a constant


def _render_code(
    self: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    shown = Markup('<pre class="code" tabindex="0"><code>{}</code></pre>\n')
    return str(shown.format(tokens[index].content))


def _open_table(
    self: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n'


def _close_table(
    self: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return "</table></div>\n"


_RULES: Mapping[str, Any] = {
    "link_open": _render_link,
    "image": _render_image,
    "fence": _render_code,
    "code_block": _render_code,
    "table_open": _open_table,
    "table_close": _close_table,
}
