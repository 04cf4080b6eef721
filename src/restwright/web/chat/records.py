"""What is kept of a run for its page: numbered records, made of its events and steps."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from restwright.agents.events import Event, EventKind, end_event
from restwright.agents.runtime.budget import Price, no_price
from restwright.agents.runtime.trace import trace_completion, trace_extraction
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Extract,
    ExtractionResult,
    Outcome,
    Step,
)
from restwright.calls.response.result import Result
from restwright.calls.truncate import shorten_json
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import Tool

RecordKind: TypeAlias = EventKind | Literal["reply", "code", "decision", "end"]
"""Those of events, and: a reply of the model, code that was run, what the user said, the end."""

MAX_TEXT_CHARS = 20_000
"""Of a text in a record; longer ones are cut, and say so."""
MAX_IMAGE_BYTES = 4 * 1024 * 1024
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Those that hold pixels alone; an SVG is a document, which may hold more."""

AddRecord: TypeAlias = Callable[[RecordKind, str, JsonObject], None]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """
    Something that happened in a run.

    Args:
        number: From 1 on, without gaps as long as the run goes on.
        text: For people.
        data: For programs, as of an `Event` of that kind.
        at_s: Seconds since the start of the run.
        size: Characters that it takes up, about.
    """

    number: int
    kind: RecordKind
    text: str
    data: JsonObject
    at_s: float
    size: int

    def to_json(self) -> JsonObject:
        """Return it as a JSON object."""
        return {
            "number": self.number,
            "kind": self.kind,
            "text": self.text,
            "data": self.data,
            "at_s": self.at_s,
        }


@dataclass(frozen=True, slots=True)
class RunImage:
    """An image that an API gave."""

    media_type: str
    data: bytes = field(repr=False)
    url: str = ""


@dataclass(slots=True)
class RecordMaker:
    """
    Makes records of what a run tells.

    Args:
        add: Keeps a record.
        add_image: Keeps an image, and returns its number.
        price: Of the model's replies.
    """

    add: AddRecord
    add_image: Callable[[RunImage], int | None]
    price: Price = no_price
    _outcomes: dict[str, deque[JsonObject]] = field(default_factory=dict[str, deque[JsonObject]])

    def record_event(self, event: Event) -> None:
        """Keep an event; what came of a call has its value."""
        data = event.data
        if event.kind in {"response", "refusal"} and (waiting := self._outcomes.get(data["tool"])):
            data = {**data, **waiting.popleft()}
        self._add(event.kind, event.text, data)

    def record_stored_step(self, step: Step, outcome: Outcome) -> None:
        """Keep a step that a journal has, and what came of it."""
        match step, outcome:
            case Complete(), Completion():
                self._record_entry(trace_completion(step, outcome), outcome)
            case Extract(), ExtractionResult():
                self._record_entry(trace_extraction(step, outcome), None)
            case Call(), Result():
                entry: JsonObject = {"tool": step.tool, "arguments": step.arguments}
                more = {"outcome": outcome.kind, "text": outcome.text}
                self._record_entry({"step": "call", **entry, **more}, outcome)
            case _:
                pass

    def record_stored_call(self, call: Call, tool: Tool, outcome: Outcome) -> None:
        """Keep a call of a tool that a journal has."""
        if isinstance(outcome, Result):
            operation = tool.operation
            method, url = operation.method.upper(), operation.path
            if outcome.was_attempted:
                names: JsonObject = {"tool": tool.name, "id": "", "method": method, "url": url}
                self._add("call", f"{method} {url}", {**names, "arguments": call.arguments})
            self._record_result(
                {"tool": tool.name, "method": method, "arguments": call.arguments}, outcome
            )
            self.record_event(end_event(outcome, tool=tool.name, id=""))

    async def record_step(self, entry: JsonObject, outcome: Outcome) -> None:
        """Keep what no event tells: replies of the model, code, and values of calls."""
        self._record_entry(entry, outcome)

    def _record_entry(self, entry: JsonObject, outcome: Outcome) -> None:
        match outcome:
            case Completion():
                self._record_reply(entry, outcome)
            case Result():
                self._record_result(entry, outcome)
            case _ if entry["step"] == "extract":
                data = {"code": entry["code"], "value": entry["value"]}
                self._add("code", entry["error"], data)
            case _:
                pass

    def _record_reply(self, entry: JsonObject, reply: Completion) -> None:
        names = ("role", "input_tokens", "output_tokens", "seconds", "prompt", "calls")
        data: JsonObject = {name: entry[name] for name in names if name in entry}
        self._add("reply", reply.text, {**data, "cost": self.price(reply)})

    def _record_result(self, entry: JsonObject, result: Result) -> None:
        data: JsonObject = {
            "arguments": entry["arguments"],
            "repairs": [str(repair) for repair in result.repairs],
            "warnings": list(result.warnings),
        }
        if result.value is not None:
            data["value"] = result.value
        if (number := self._keep_image(result)) is not None:
            data["image"] = number
        if "method" in entry:
            self._outcomes.setdefault(entry["tool"], deque()).append(data)
        else:
            # No tool has that name, so no event tells of it.
            more = {"tool": entry["tool"], "id": "", "outcome": entry["outcome"]}
            self._add("refusal", entry["text"], {**data, **more})

    def _add(self, kind: RecordKind, text: str, data: JsonObject) -> None:
        self.add(kind, cut_text(text), {name: _fit(value) for name, value in data.items()})

    def _keep_image(self, result: Result) -> int | None:
        value, response = result.value, result.response
        if response is None or not is_object(value) or value.get("media_type") not in IMAGE_TYPES:
            return None
        url = result.request.url if result.request is not None else ""
        return self.add_image(RunImage(str(value["media_type"]), response.body, url))


def cut_text(text: str) -> str:
    """A text, and how much of it was left out where it is too long."""
    left_out = len(text) - MAX_TEXT_CHARS
    if left_out <= 0:
        return text
    return f"{text[:MAX_TEXT_CHARS]}\n... ({left_out:,} more characters)"


def _fit(value: Json) -> Json:
    """A value that is not too large to be kept, with marks where something was left out."""
    if isinstance(value, str):
        return cut_text(value)
    if is_object(value) or is_array(value):
        return json.loads(shorten_json(value, MAX_TEXT_CHARS))
    return value
