"""What happens in a run as lines: one for each step, and all of it where that is wanted."""

from __future__ import annotations

from restwright.agents.events import Event
from restwright.cli.render.outline import outline, read_json
from restwright.cli.render.output import one_line, to_readable_json
from restwright.jsontypes import Json, is_array, is_object

SHOWN_ELSEWHERE = frozenset({"answer", "question", "approval", "words"})
"""Printed as what it is: the answer at the end, what the user is asked where it is asked."""
_FOLDED = 100
_INDENT = 9


def step_line(event: Event) -> str:
    """A step on one line; JSON is folded to its shape."""
    return f"{event.kind:<9}{folded(event.text, event.data.get('value'))}"


def folded(text: str, value: Json = None) -> str:
    """A text on one line; of JSON that is longer than a line its shape."""
    found = value if is_object(value) or is_array(value) else read_json(text)
    line = one_line(text)
    return one_line(outline(found)) if found is not None and len(line) > _FOLDED else line


def whole_step(event: Event, *, width: int = 96) -> list[str]:
    """A step with all that is known of it, on as many lines as that needs."""
    text = read_json(event.text)
    first = event.text if text is None else to_readable_json(text)
    data = {name: each for name, each in event.data.items() if each not in (None, "", [], {})}
    more = to_readable_json(data, width=width - _INDENT).split("\n") if data else []
    return [f"{event.kind:<9}{first}", *(f"{'':<{_INDENT}}{line}" for line in more)]
