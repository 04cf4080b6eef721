"""
Markdown on a terminal, in its own colours: none of them is lost on a light or on a dark one.

Nothing that is written disappears: HTML, addresses of links and line breaks stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token as Node
from pygments.token import Comment, Keyword, Name, Number, Operator, String
from pygments.token import Token as Lexeme
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.segment import Segment
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from restwright.cli.render.output import printable

_GAP = 2
# Chinese and Japanese may be broken anywhere.
_UNBROKEN = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uf900-\uffef]+"
)
# Magenta, green and cyan can be read on black and on white alike; blue and yellow cannot.
_THEME = Theme(
    {
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold italic",
        "markdown.h4": "italic",
        "markdown.h5": "italic",
        "markdown.h6": "italic",
        "markdown.code": "cyan",
        "markdown.code_block": "none",
        "markdown.block_quote": "italic",
        "markdown.item.bullet": "bold",
        "markdown.item.number": "bold",
        "markdown.hr": "dim",
    }
)
_CODE = ANSISyntaxTheme(
    {
        Comment: Style(dim=True),
        Keyword: Style(color="magenta"),
        Lexeme.Literal: Style(color="cyan"),
        Number: Style(color="cyan"),
        String: Style(color="green"),
        Name.Tag: Style(color="magenta"),
        Name.Function: Style(bold=True),
        Name.Class: Style(bold=True),
        Operator.Word: Style(color="magenta"),
        Lexeme.Generic.Deleted: Style(color="red"),
        Lexeme.Generic.Inserted: Style(color="green"),
        Lexeme.Generic.Heading: Style(bold=True),
    }
)
_PARSER = (
    MarkdownIt("commonmark", {"html": False})
    .enable("strikethrough")
    .enable("table")
    # What is defined somewhere else would not be seen.
    .disable("reference")
)


def make_console(*, is_error: bool = False) -> Console:
    """A terminal that Markdown is printed on; `NO_COLOR` is heeded."""
    return Console(stderr=is_error, highlight=False, theme=_THEME)


def print_markdown(text: str) -> None:
    """Print Markdown on standard output."""
    print("\n".join(markdown_lines(text, make_console())))


def markdown_lines(text: str, console: Console) -> list[str]:
    """The lines of Markdown as that terminal shows them, with its escapes, and no spaces behind."""
    lines = styled_lines(_Document(printable(text)), console)
    # Some parts begin or end with an empty line.
    shown = [place for place, line in enumerate(lines) if line]
    return lines[shown[0] : shown[-1] + 1] if shown else []


def styled_lines(shown: Markdown | Text, console: Console) -> list[str]:
    """The lines of what is shown, with the escapes of that terminal, and no spaces behind them."""
    lines = [_joined(line) for line in console.render_lines(shown, console.options, pad=False)]
    with console.capture() as captured:
        console.print(Text("\n").join(lines), soft_wrap=True, end="")
    return captured.get().split("\n")


def _joined(line: Sequence[Segment]) -> Text:
    text = Text.assemble(*((segment.text, segment.style or "") for segment in line))
    text.rstrip()
    return text


def settled_length(text: str) -> int:
    """How much of a text that goes on is of parts that have ended, in characters."""
    begun = [node.map[0] for node in _PARSER.parse(text) if node.level == 0 and node.map]
    if len(set(begun)) < 2:
        return 0
    return sum(len(line) for line in text.splitlines(keepends=True)[: max(begun)])


class _Heading(Heading):
    """A heading, where a reader begins to read."""

    LEVEL_ALIGN: ClassVar = {}


class _Code(CodeBlock):
    """Code as it would be copied: without a frame."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=_CODE, word_wrap=True, background_color="default")


class _Table(TableElement):
    """A table; where its words would be broken, one row beneath the other."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        row = self.header.row if self.header else None
        titles = [cell.content for cell in row.cells] if row else []
        rows = [[cell.content for cell in row.cells] for row in self.body.rows] if self.body else []
        needed = [max(map(_longest_word, column)) for column in zip(titles, *rows, strict=True)]
        if sum(needed) + _GAP * (len(needed) - 1) <= options.max_width:
            yield _grid(titles, rows, needed)
        else:
            yield from _records(titles, rows)


def _longest_word(text: Text) -> int:
    return max((cell_len(word) for word in _UNBROKEN.findall(text.plain)), default=1)


def _grid(titles: list[Text], rows: list[list[Text]], needed: list[int]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for title, width in zip(titles, needed, strict=True):
        table.add_column(title, overflow="fold", min_width=width, justify=title.justify or "left")
    for row in rows:
        table.add_row(*row)
    return table


def _records(titles: list[Text], rows: list[list[Text]]) -> Iterator[Text]:
    for number, row in enumerate(rows):
        if number:
            yield Text()
        for title, cell in zip(titles, row, strict=True):
            if cell.plain:
                yield Text.assemble((f"{title.plain}: ", "bold"), cell)


class _Document(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "table_open": _Table,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = [_plain(node) for node in _PARSER.parse(text)]


def _plain(node: Node) -> Node:
    if node.children:
        node.children = [*_plain_children(node.children)]
    return node


def _plain_children(nodes: Sequence[Node]) -> Iterator[Node]:
    """The words of a paragraph: with its line breaks, and with addresses behind their words."""
    links: list[tuple[str, list[str]]] = []
    for node in nodes:
        for _, words in links:
            words.append(node.content)
        match node.type:
            case "softbreak":
                yield Node("hardbreak", "br", 0)
            case "link_open":
                links.append((str(node.attrs.get("href", "")), []))
            case "link_close":
                url, words = links.pop()
                if "".join(words) != url:
                    yield _text(f" ({url})")
            case "image":
                yield _text(f"{node.content} ({node.attrs.get('src', '')})".strip())
            case _:
                yield node


def _text(content: str) -> Node:
    return Node("text", "", 0, content=content)
