"""Server-sent events: a stream that was read to its end, as a list of events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from restwright.jsontypes import JsonObject

MAX_EVENTS = 10_000
"""That are kept of one response."""
MAX_LINES = 200_000
"""That are read of one response."""

# An empty line follows the last one, whether that has an end or not.
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_FIELD_NAMES = frozenset({"event", "data", "id", "retry"})


def parse_events(text: str, *, max_events: int = MAX_EVENTS) -> tuple[list[JsonObject], bool]:
    """
    Read the events of a stream.

    Returns:
        The events, each with what it has of `event`, `id`, `retry` (milliseconds) and `data` (text,
        lines joined); and whether there may be more: `max_events` and 200,000 lines are read. A
        last event that no empty line ends is kept where the stream was read whole.

    Source: WHATWG HTML, "Interpreting an event stream".
    """
    lines = (found[1] for found in _LINE.finditer(text.removeprefix("\ufeff")))
    events = _split_events(islice(lines, MAX_LINES))
    kept = list(islice(events, max_events))
    has_more = next(events, None) is not None
    return kept, has_more or next(lines, None) is not None


def _split_events(lines: Iterable[str]) -> Iterator[JsonObject]:
    event: JsonObject = {}
    data: list[str] = []
    for line in lines:
        if line:
            _read_field(line, event, data)
            continue
        if data:
            yield {**event, "data": "\n".join(data)}
        # An event without data is not dispatched.
        event, data = {}, []


def _read_field(line: str, event: JsonObject, data: list[str]) -> None:
    """Take one line into `event`; comments and unknown names are not fields."""
    name, _, value = line.partition(":")
    value = value.removeprefix(" ")
    if name == "data":
        data.append(value)
    elif name == "retry":
        if value.isascii() and value.isdigit() and len(value) < 10:
            event["retry"] = int(value)
    elif name in _FIELD_NAMES and not (name == "id" and "\0" in value):
        event[name] = value
