"""
An answer for people: its words while the model writes them, then whole, with tables as tables.

Without a terminal it is the bare text. Nothing in it can drive the terminal.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from restwright.cli.render.output import Output, one_line, printable
from restwright.jsontypes import Json, is_array, is_object

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from restwright.agents.events import Event
    from restwright.agents.runtime.streaming import TextDelta


from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.agents.steps import Event

Cells: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""The titles of a table, and its rows."""

MOST_ROWS, MOST_COLUMNS = 50, 6
_REFRESH_S = 0.05
_RULE = re.compile(r"\s*\|?(\s*:?-{1,}:?\s*\|)*\s*:?-{1,}:?\s*\|?\s*")
_BORDER = re.compile(r"(?<!\\)\|")
_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*[^\s*])?)\*\*")
_IDENTITY = re.compile(r"(?i)^(id|uuid)$|_ids?$|(?-i:[a-z]Ids?$)")
_ITEM = re.compile(r"\s*([-*+•]|\d{1,3}[.)])\s")


class Screen:
    """
    Shows one run on standard error while it goes on. To be closed when it has ended.

    `values` are what the run found, as its events tell it.
    """

    def __init__(self, out: Output) -> None:
        self.values: list[Json] = []
        self._progress = progress(out)
        self._is_live = sys.stderr.isatty() and not (out.quiet or out.json)
        self._live: Live | None = None
        self._text, self._reply, self._shown_at = "", 0, 0.0

    def show_event(self, event: Event) -> None:
        """Show what happened."""
        self.close()
        if event.kind == "result" and "value" in event.data:
            self.values.append(event.data["value"])
        self._progress(event)

    def show_delta(self, piece: TextDelta) -> None:
        """Show a piece of the answer, beneath all that happened before."""
        if not self._is_live:
            return
        self._text = piece.text if piece.reply != self._reply else self._text + piece.text
        self._reply = piece.reply
        if self._live is None:
            self._live = _live()
        if time.monotonic() - self._shown_at >= _REFRESH_S:
            self._shown_at = time.monotonic()
            self._live.update(_tail(self._text, self._live.console), refresh=True)

    def close(self) -> None:
        """Take away the words that were shown so far: the whole answer is printed at the end."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def _live() -> Live:
    from rich.console import Console
    from rich.live import Live

    live = Live(
        console=Console(stderr=True, highlight=False),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    live.start()
    return live


def _tail(text: str, console: Console) -> Text:
    """The last lines of a text, as many as fit the screen."""
    from rich.text import Text

    lines = Text(printable(text)).wrap(console, console.width)
    return Text("\n").join(lines[-max(console.height - 2, 1) :])


def print_answer(text: str, out: Output, *, values: Sequence[Json] = ()) -> None:
    """
    Print an answer on standard output.

    Args:
        values: What the run found. A list of objects is shown as a table beneath words that are
            no list themselves.
    """
    if not sys.stdout.isatty():
        out.text(text)
        return
    parts = list(parts_of(text))
    for part in parts:
        if isinstance(part, str):
            _print_text(part)
        else:
            _print_table(part)
    is_list = any(not isinstance(item, str) for item in parts) or _has_items(text)
    if len(values) == 1 and not is_list and (cells := cells_of(values[0])):
        _print_table(cells)


def _print_text(text: str) -> None:
    """Print text, with what stands between two pairs of asterisks in bold."""
    from rich.console import Console
    from rich.text import Text

    shown = Text()
    for number, part in enumerate(_BOLD.split(printable(text))):
        shown.append(part, style="bold" if number % 2 else "")
    Console(highlight=False, soft_wrap=True).print(shown)


def _print_table(cells: Cells) -> None:
    from restwright.cli.render.tables import print_table

    print_table(*cells)


def parts_of(text: str) -> Iterator[str | Cells]:
    """Yield the parts of a text in order: Markdown tables as cells, all between them as it is."""
    plain: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end = _end_of_table(lines, at)
        if end == at:
            plain.append(lines[at])
            at += 1
            continue
        if "".join(plain).strip():
            yield "\n".join(plain).strip("\n")
        plain = []
        yield _cells(lines[at:end])
        at = end
    if "".join(plain).strip():
        yield "\n".join(plain).strip("\n")


def _end_of_table(lines: Sequence[str], at: int) -> int:
    """The line after a table that begins at line `at`; `at` where none does."""
    if at + 1 >= len(lines) or "|" not in lines[at]:
        return at
    if "|" not in lines[at + 1] or not _RULE.fullmatch(lines[at + 1]):
        return at
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end


def _cells(lines: Sequence[str]) -> Cells:
    titles, _, *rows = map(_row, lines)
    width = len(titles)
    return titles, tuple((*row, *[""] * width)[:width] for row in rows)


def _row(line: str) -> tuple[str, ...]:
    inside = line.strip().removeprefix("|")
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    return tuple(one_line(part.replace("\\|", "|")) for part in _BORDER.split(inside))


def _has_items(text: str) -> bool:
    return sum(bool(_ITEM.match(line)) for line in text.splitlines()) > 1


def cells_of(value: Json) -> Cells | None:
    """A list of several objects as a table; None where it is none, or too large for one."""
    if not is_array(value) or not 1 < len(value) <= MOST_ROWS:
        return None
    objects = [item for item in value if is_object(item)]
    if len(objects) != len(value):
        return None
    names = dict.fromkeys(name for object_ in objects for name in object_)
    titles = tuple(
        name for name in names if all(_is_short(object_.get(name)) for object_ in objects)
    )
    # Ids are for calls, not for people, where there is anything else to show.
    titles = tuple(title for title in titles if not _IDENTITY.search(title)) or titles
    titles = titles[:MOST_COLUMNS]
    if not titles:
        return None
    rows = tuple(tuple(_shown(object_.get(name)) for name in titles) for object_ in objects)
    return tuple(map(one_line, titles)), rows


def _is_short(value: Json) -> bool:
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= 80)


def _shown(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else one_line(str(value))


LONGEST = 600
SHOWN_ELSEWHERE = frozenset({"answer", "question", "approval"})
"""Printed as what it is: the answer at the end, what the user is asked where it is asked."""
STYLES: Mapping[str, str] = {
    "plan": "bold",
    "select": "cyan",
    "call": "magenta",
    "response": "green",
    "refusal": "yellow",
    "result": "default",
    "feedback": "yellow",
    "note": "dim",
}


def progress(out: Output) -> Callable[[Event], None]:
    """What to call with each event: prints to standard error, with colours on a terminal."""
    if out.quiet:
        return lambda event: None
    if sys.stderr.isatty():
        return _styled()
    return lambda event: None if event.kind in SHOWN_ELSEWHERE else out.note(_line(event))


def _line(event: Event) -> str:
    text = event.text if len(event.text) <= LONGEST else f"{event.text[:LONGEST]}..."
    return f"{event.kind:<9}{text}"


def _styled() -> Callable[[Event], None]:
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False)

    def show(event: Event) -> None:
        if event.kind not in SHOWN_ELSEWHERE:
            console.print(Text(printable(_line(event)), style=STYLES.get(event.kind, "")))

    return show
