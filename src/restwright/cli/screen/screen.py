"""
One run on a terminal while it goes on: its steps line by line, the answer as it is written, and
beneath them what goes on and for how long.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, one_line, printable
from restwright.cli.screen.region import Region
from restwright.cli.screen.step_lines import SHOWN_ELSEWHERE, step_line, whole_step
from restwright.cli.screen.typed_ahead import TypedAhead
from restwright.jsontypes import Json

if TYPE_CHECKING:
    from rich.console import Console

    from restwright.agents.events import Event
    from restwright.agents.runtime.streaming import TextDelta

LONGEST = 600
STYLES = {
    "plan": "bold",
    "select": "cyan",
    "call": "magenta",
    "response": "green",
    "refusal": "red",
    "feedback": "red",
    "note": "dim",
}
_TICK_S = 0.1
_FRAMES, _PLAIN_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
_PLANNED = re.compile(r"\d+\. ")
_LEFT_FREE = 2


class Screen:
    """
    Shows one run on standard error while it goes on. To be closed when it has ended.

    `values` are what the run found, and `events` all that happened, as its events tell it.

    Args:
        model: Who is asked, as it is named while nothing came of it.
        keeps_words: Whether parts of the answer that have ended are printed on standard output at
            once, so that `finish` prints the rest alone.
        ahead: Reads what is typed meanwhile.
    """

    def __init__(
        self,
        out: Output,
        *,
        model: str = "",
        keeps_words: bool = False,
        ahead: TypedAhead | None = None,
    ) -> None:
        self.values: list[Json] = []
        self.events: list[Event] = []
        self._out, self._model, self._ahead = out, model, ahead
        is_shown = not (out.quiet or out.json)
        self._console = _console() if sys.stderr.isatty() and not out.quiet else None
        is_live = self._console is not None and is_shown and not self._console.is_dumb_terminal
        self._region = Region(sys.stderr) if is_live else None
        self._keeps_words = keeps_words and is_live and sys.stdout.isatty()
        self._words = _Words()
        self._parts: list[str] = []
        self._activity = _Activity(model)
        self._lock = threading.RLock()
        self._ticker: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        """Show from now on that something goes on."""
        if self._region is None or self._ticker is not None:
            return
        if self._ahead is not None:
            self._ahead.start()
        self._stopping.clear()
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        self._ticker.start()
        self.redraw()

    def close(self) -> None:
        """Take away what is shown beneath the rest; the answer is printed by `finish`."""
        if self._ticker is not None:
            self._stopping.set()
            self._ticker.join()
            self._ticker = None
        if self._region is not None:
            with self._lock:
                self._region.erase()
        if self._ahead is not None:
            self._ahead.stop()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the terminal to somebody else, who asks a question there."""
        was_on = self._ticker is not None
        self.close()
        try:
            yield
        finally:
            self._activity.go_on()
            if was_on:
                self.start()

    def show_event(self, event: Event) -> None:
        """Show what happened."""
        self.events.append(event)
        if event.kind == "result" and "value" in event.data:
            self.values.append(event.data["value"])
        self._activity.follow(event)
        if event.kind not in SHOWN_ELSEWHERE:
            self._print_step(event)

    def show_delta(self, piece: TextDelta) -> None:
        """Show a piece of the answer, beneath all that happened before."""
        if self._region is None:
            return
        with self._lock:
            if piece.reply != self._words.reply:
                self._end_words()
            self._words.add(piece)
            if self._keeps_words and "\n" in piece.text:
                self._print_settled()
        if time.monotonic() - self._words.shown_at >= _TICK_S / 2:
            self._words.shown_at = time.monotonic()
            self.redraw()

    def finish(self, text: str) -> str:
        """What of an answer is still to be printed; nothing of it goes on afterwards."""
        before = "\n".join([*self._parts, ""]) if self._parts else ""
        text = text.removeprefix(before)
        words = self._words
        is_begun = bool(words.printed) and text.startswith(words.text[: words.printed])
        rest = text[words.printed :] if is_begun else text
        if words.printed and rest.strip():
            # A blank line between two parts; also where it was worded anew.
            print(flush=True)
        self._words = _Words()
        return rest if rest.strip() else ""

    def leave_words(self) -> None:
        """Let the words so far stand, of an answer that is stopped."""
        with self._lock:
            words = self._words
            rest = words.text[words.printed :].strip()
            if self._keeps_words and rest:
                self._above(lambda: _print_part(rest, is_first=not words.printed))
            self._words = _Words()

    def say(self, line: str) -> None:
        """Print a line of our own above what goes on."""
        with self._lock:
            self._end_words()
            self._above(lambda: self._out.note(line))

    def print_part(self, text: str) -> None:
        """Print the words of one of several who answer, which are not printed again by `finish`."""
        if not self._keeps_words:
            return
        with self._lock:
            rest = self.finish(text)
            self._parts.append(text)
            if rest:
                self._above(lambda: _print_part(rest, is_first=True))

    def _end_words(self) -> None:
        """The words so far are not gone on with; those of which a part is printed are whole."""
        words = self._words
        if words.printed and (rest := words.text[words.printed :].strip()):
            self._above(lambda: _print_part(rest, is_first=False))
        self._words = _Words()

    def _print_settled(self) -> None:
        from restwright.cli.render.markdown import settled_length

        words = self._words
        count = settled_length(words.text[words.printed :])
        if count:
            part = words.text[words.printed : words.printed + count]
            is_first = not words.printed
            words.printed += count
            self._above(lambda: _print_part(part, is_first=is_first))

    def _print_step(self, event: Event) -> None:
        with self._lock:
            self._end_words()
            if self._console is None:
                if not self._out.quiet:
                    self._out.note(_plain_line(event))
                return
            self._above(lambda: self._print_styled(event))

    def _print_styled(self, event: Event) -> None:
        from rich.text import Text

        assert self._console is not None  # noqa: S101  (as the caller has seen)
        number = sum(each.kind not in SHOWN_ELSEWHERE for each in self.events)
        style = STYLES.get(event.kind, "")
        mark = (f"{number:>2} ", "dim")
        if self._out.verbose:
            width = self._console.width - len(mark[0])
            text = printable("\n   ".join(whole_step(event, width=width)))
            self._console.print(Text.assemble(mark, (text, style)))
            return
        line = Text.assemble(mark, (step_line(event), style))
        line.truncate(self._console.width, overflow="ellipsis")
        self._console.print(line, soft_wrap=True)

    def _above(self, do: Callable[[], None]) -> None:
        if self._region is not None:
            self._region.erase()
        do()
        sys.stdout.flush()

    def _tick(self) -> None:
        while not self._stopping.wait(_TICK_S):
            self.redraw()

    def redraw(self) -> None:
        """Draw what goes on as it is now."""
        if self._region is None or self._console is None:
            return
        with self._lock:
            self._region.draw(self._lines(self._console))

    def _lines(self, console: Console) -> list[str]:
        below = self._activity.lines(has_words=bool(self._words.text))
        typed = self._ahead.lines if self._ahead is not None else ()
        shown = [_dimmed(line, console) for line in (*below, *typed)]
        room = max(console.height - len(shown) - _LEFT_FREE, 1)
        return [*self._words.lines(console)[-room:], *shown]


class _Words:
    """The words of the answer so far, of one wording."""

    def __init__(self) -> None:
        self.text, self.reply, self.printed, self.shown_at = "", 0, 0, 0.0

    def add(self, piece: TextDelta) -> None:
        self.reply = piece.reply
        self.text = (
            (self.text + piece.text).lstrip() if not self.printed else self.text + piece.text
        )

    def lines(self, console: Console) -> list[str]:
        rest = self.text[self.printed :]
        if not rest.strip():
            return []
        from restwright.cli.render.markdown import markdown_lines

        return [*([""] if self.printed else []), *markdown_lines(rest, console)]


class _Activity:
    """What goes on, for how long, and how far the plan is."""

    def __init__(self, model: str) -> None:
        self._asking = f"asking {one_line(model)}" if model else "working"
        self._since = time.monotonic()
        self._calls: dict[str, str] = {}
        self._plan: list[tuple[str, str]] = []
        self._done = 0

    def go_on(self) -> None:
        self._since = time.monotonic()

    def follow(self, event: Event) -> None:
        """Take notice of what happened."""
        id_ = str(event.data.get("id", ""))
        if event.kind == "call":
            self._calls[id_] = str(event.data.get("tool", ""))
        elif event.kind in {"response", "refusal"}:
            self._calls.pop(id_, None)
        elif event.kind == "plan" and _PLANNED.match(event.text):
            if event.text.startswith("1. "):
                self._plan, self._done = [], 0
            self._plan.append((event.text, str(event.data.get("type", ""))))
        self._done += self._ends_part(event)
        self._since = time.monotonic()

    def _ends_part(self, event: Event) -> bool:
        if self._done >= len(self._plan):
            return False
        is_change = self._plan[self._done][1] == "change"
        wrote = is_change and event.kind == "response" and event.data.get("outcome") == "ok"
        return wrote or (not is_change and event.kind == "result")

    def lines(self, *, has_words: bool) -> list[str]:
        """One about the plan, where there is one, and one about what goes on."""
        lines: list[str] = []
        if self._done < len(self._plan):
            now = one_line(self._plan[self._done][0].partition(". ")[2])
            lines.append(f"plan     {self._done + 1} of {len(self._plan)}: {now}")
        if not has_words:
            seconds = time.monotonic() - self._since
            lines.append(f"{_frame()} {self._what}, {seconds:.0f} s")
        return lines

    @property
    def _what(self) -> str:
        if not self._calls:
            return self._asking
        names = [*dict.fromkeys(self._calls.values())]
        return f"waiting for {one_line(', '.join(names))}"


def _frame() -> str:
    is_unicode = (getattr(sys.stderr, "encoding", "") or "").lower().startswith("utf")
    frames = _FRAMES if is_unicode else _PLAIN_FRAMES
    return frames[int(time.monotonic() / _TICK_S) % len(frames)]


def _console() -> Console:
    from restwright.cli.render.markdown import make_console

    return make_console(is_error=True)


def _dimmed(line: str, console: Console) -> str:
    from rich.text import Text

    from restwright.cli.render.markdown import styled_lines

    text = Text(line, style="dim")
    text.truncate(console.width - 1, overflow="ellipsis")
    return styled_lines(text, console)[0]


def _print_part(text: str, *, is_first: bool) -> None:
    from restwright.cli.render.markdown import print_markdown

    if not is_first:
        print()
    print_markdown(text)


def progress(out: Output) -> Callable[[Event], None]:
    """What to call with each event: prints to standard error, with colours on a terminal."""
    return Screen(out).show_event


def _plain_line(event: Event) -> str:
    text = event.text if len(event.text) <= LONGEST else f"{event.text[:LONGEST]}..."
    return f"{event.kind:<9}{text}"
