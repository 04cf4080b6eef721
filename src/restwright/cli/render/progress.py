"""Shows what an agent does while it does it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, printable

if TYPE_CHECKING:
    from restwright.agents.steps import Event

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
