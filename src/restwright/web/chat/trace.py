"""The records of a run as a page shows them: a plan with its states, and one line a thing done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from restwright.agents.rest.provenance import is_in_text, normalize_text
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.web.chat.records import RunRecord

PlanState: TypeAlias = Literal["open", "going", "done", "left"]
Tone: TypeAlias = Literal["", "good", "warn", "bad", "info"]
_TITLE_CHARS = 240
_MAX_VALUES = 60
_SHORTEST = 3
"""Characters of a value of which a response may be said to be the origin."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A part of the plan, and whether it is done."""

    text: str
    state: PlanState


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLine:
    """
    Something that was done.

    Args:
        label: What sort of thing, in a word.
        title: What, in a line.
        tags: `(text, tone)`.
        parts: `(title, text)` of what is behind it; empty for nothing to unfold.
        cost: US dollars; None where it is not known, or costs nothing.
    """

    number: int
    kind: str
    label: str
    title: str
    tags: tuple[tuple[str, Tone], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    at_s: float = 0.0
    seconds: float | None = None
    tokens: tuple[int, int] | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What a run used until now."""

    lines: int = 0
    model_calls: int = 0
    http_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """A value of a request, and where it came from, in words."""

    name: str
    value: str
    origin: str
    is_known: bool


_LABELS = {
    "select": "Choice",
    "reply": "Model",
    "call": "Request",
    "response": "Response",
    "refusal": "Not sent",
    "feedback": "Correction",
    "code": "Parser",
    "result": "Found",
    "note": "Note",
    "approval": "Consent",
    "question": "Question",
    "decision": "You",
}


def read_plan(records: Sequence[RunRecord]) -> tuple[PlanLine, ...]:
    """
    Return the plan with the state of each step.

    A step has begun where something chosen, found or noted after it names it. Those before it are
    done. At the end of a run that has an answer all are; of another one the rest is left.
    """
    plans = [record for record in records if record.kind == "plan"]
    begun = -1
    for at, record in enumerate(plans):
        what = record.text.partition(". ")[2] or record.text
        if any(
            what in other.text
            for other in records
            if other.number > record.number and other.kind in {"select", "result", "note"}
        ):
            begun = at
    end = next((record for record in records if record.kind == "end"), None)
    is_answered = end is not None and end.text == "answered"
    return tuple(
        PlanLine(record.text, _plan_state(at, begun, end is not None, is_answered=is_answered))
        for at, record in enumerate(plans)
    )


def _plan_state(at: int, begun: int, has_ended: bool, *, is_answered: bool) -> PlanState:  # noqa: FBT001
    if is_answered or at < begun:
        return "done"
    if has_ended:
        return "left"
    return "going" if at == max(begun, 0) else "open"


def list_lines(records: Iterable[RunRecord]) -> tuple[TraceLine, ...]:
    """Return the lines of what was done, in order."""
    return tuple(_make_line(record) for record in records if record.kind in _LABELS)


def sum_up(records: Iterable[RunRecord]) -> Totals:
    """Return what was used until now."""
    lines = model_calls = http_calls = 0
    read = written = 0
    costs: list[float] = []
    seconds = 0.0
    for record in records:
        seconds = max(seconds, record.at_s)
        lines += record.kind in _LABELS
        http_calls += record.kind == "call"
        if record.kind == "reply":
            model_calls += 1
            read += record.data.get("input_tokens", 0)
            written += record.data.get("output_tokens", 0)
            if (cost := record.data.get("cost")) is not None:
                costs.append(cost)
    return Totals(
        lines=lines,
        model_calls=model_calls,
        http_calls=http_calls,
        input_tokens=read,
        output_tokens=written,
        seconds=seconds,
        cost=sum(costs) if costs else None,
    )


def _make_line(record: RunRecord) -> TraceLine:
    data = record.data
    tokens = (data["input_tokens"], data["output_tokens"]) if "input_tokens" in data else None
    return TraceLine(
        number=record.number,
        kind=record.kind,
        label=_LABELS[record.kind],
        title=_title(record),
        tags=tuple(_tags(record)),
        parts=tuple((name, text) for name, text in _parts(record) if text),
        at_s=record.at_s,
        seconds=data.get("seconds"),
        tokens=tokens,
        cost=data.get("cost") or None,
    )


def _title(record: RunRecord) -> str:
    data = record.data
    match record.kind:
        case "reply":
            text = str(data.get("role", ""))
        case "approval":
            text = f"asked before {data.get('tool', '')}"
        case "decision":
            text = f"{record.text}: {data['tool']}" if data.get("tool") else record.text
        case "code":
            text = record.text or f"gave {_dump(data.get('value'))}"
        case _:
            text = record.text
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARS else f"{line[:_TITLE_CHARS]}..."


def _tags(record: RunRecord) -> Iterable[tuple[str, Tone]]:
    data = record.data
    if isinstance(status := data.get("status"), int):
        yield str(status), "good" if status < 400 else "bad"
    elif record.kind == "response":
        yield str(data.get("outcome", "")), "bad"
    if repairs := data.get("repairs"):
        yield f"{len(repairs)} repaired", "warn"
    if record.kind == "approval" and data.get("is_destructive"):
        yield "destructive", "bad"
    if record.kind == "code" and record.text:
        yield "failed", "bad"
    if data.get("is_left_out"):
        yield "left out", "warn"


def _parts(record: RunRecord) -> Iterable[tuple[str, str]]:
    data = record.data
    yield from ((title, _lines(data[name])) for name, title in _PARTS if data.get(name))
    if record.kind in {"approval", "reply", "feedback", "refusal", "note"}:
        yield {"reply": "Reply"}.get(record.kind, "Text"), _pretty_text(record.text)
    if record.kind == "select":
        yield "Chosen", record.text
    if data.get("value") is not None:
        yield "Value", _lines(data["value"])


_PARTS = (
    ("prompt", "Asked"),
    ("calls", "Calls"),
    ("offered", "Chosen from"),
    ("why", "Why these"),
    ("code", "Code"),
    ("arguments", "Arguments"),
    ("repairs", "Repaired"),
    ("warnings", "Doubtful"),
    ("headers", "Headers"),
    ("body", "Body"),
)


def _lines(value: Json) -> str:
    """A value as it is read best: texts as they are, lists of texts one a line, else JSON."""
    if isinstance(value, str):
        return value
    if is_array(value) and all(isinstance(item, str) for item in value):
        return "\n".join(map(str, value))
    return json.dumps(value, indent=2, ensure_ascii=False)


def _pretty_text(text: str) -> str:
    """JSON that a model wrote in one line, over several lines."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def trace_origins(
    request: JsonObject,
    path: str,
    said: Sequence[str],
    records: Sequence[RunRecord],
    schema: JsonObject | None = None,
) -> tuple[ValueOrigin, ...]:
    """
    Say of each value of a request where it came from, as far as that can be told by comparing.

    A short text or a small number stands in many places, so that of those only what the user said
    and the defaults of the document count.

    Args:
        request: As `mask_request()` gives it.
        path: The path template of the operation.
        said: What the user said in the chat.
        records: Of the run, which has the responses.
        schema: Of the arguments, with the defaults.
    """
    spoken = normalize_text("\n".join(said))
    found = [
        (str(record.data.get("tool", "")), normalize_text(_lines(record.data["value"])))
        for record in reversed(records)
        if record.kind == "response" and record.data.get("value") is not None
    ]
    values = [*_values_of(request, path)][:_MAX_VALUES]
    defaults = _defaults_of(schema or {})
    return tuple(
        ValueOrigin(name, value if isinstance(value, str) else _dump(value), *origin)
        for name, value in values
        for origin in [_find_origin(value, spoken, found, defaults.get(name))]
    )


def _find_origin(
    value: Json, spoken: str, found: Sequence[tuple[str, str]], default: str | None
) -> tuple[str, bool]:
    if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
        if is_in_text(value, spoken):
            return "you said it", True
        if _dump(value) == default:
            return "the document's default", True
        for tool, text in found if len(str(value)) >= _SHORTEST else ():
            if is_in_text(value, text):
                return f"from the response of {tool}", True
    if _dump(value) == default:
        return "the document's default", True
    return "chosen by the agent", False


def _defaults_of(schema: JsonObject) -> dict[str, str]:
    """`{name: default as JSON}` of the arguments, and of those that stand in a body."""
    properties = schema.get("properties", {})
    found: dict[str, str] = {}
    for name, own in properties.items():
        if is_object(own):
            found |= _defaults_of(own) if "properties" in own else {}
            found |= {name: _dump(own["default"])} if "default" in own else {}
    return found


def _values_of(request: JsonObject, path: str) -> Iterable[tuple[str, Json]]:
    url = urlsplit(str(request["url"]))
    names = path.strip("/").split("/")
    given = url.path.strip("/").split("/")[-len(names) :]
    for name, value in zip(names, given, strict=False):
        if name.startswith("{"):
            yield name.strip("{}"), unquote(value)
    yield from parse_qsl(url.query, keep_blank_values=True)
    body = request.get("body")
    if is_object(body) or is_array(body):
        yield from _leaves(body, "")


def _leaves(value: Json, at: str) -> Iterable[tuple[str, Json]]:
    if is_object(value) and value:
        for name, own in value.items():
            yield from _leaves(own, f"{at}.{name}" if at else name)
    elif is_array(value) and value:
        for number, own in enumerate(value):
            yield from _leaves(own, f"{at}[{number}]")
    elif isinstance(value, str | int | float) or value is None:
        yield at or "body", value
