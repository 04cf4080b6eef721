"""Server-sent events: a stream that was read to its end, as a list of events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from restwright.typing import JsonObject

MAX_EVENTS = 10_000
"""That are kept of one response."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_FIELDS = frozenset({"event", "data", "id", "retry"})


def parse_events(text: str, *, max_events: int = MAX_EVENTS) -> tuple[list[JsonObject], bool]:
    """
    Read the events of a stream.

    Returns:
        The events, each with what it has of `event`, `id`, `retry` (milliseconds) and `data` (text,
        lines joined); and whether there were more than `max_events`. A last event that no empty
        line ends is kept: the stream was read whole.

    Source: WHATWG HTML, "Interpreting an event stream".
    """
    events = _events(text.removeprefix("\ufeff"))
    kept = list(islice(events, max_events))
    return kept, next(events, None) is not None


def _events(text: str) -> Iterator[JsonObject]:
    event: JsonObject = {}
    data: list[str] = []
    for line in (*_LINE_END.split(text), ""):
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
    elif name in _FIELDS and not (name == "id" and "\0" in value):
        event[name] = value
