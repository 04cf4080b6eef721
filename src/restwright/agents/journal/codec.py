"""
Steps and outcomes as JSON, and back: what a journal keeps of them.

A request is not kept, since it holds credentials; a response is, as the loop was given it, without
the headers that carry some.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, cast

from restwright.agents.steps import (
    ApprovalDecision,
    Approve,
    Call,
    Complete,
    Completion,
    Extract,
    ExtractionResult,
    NoAnswer,
    Outcome,
    Question,
    Say,
    Step,
    UserAnswer,
)
from restwright.calls.response.result import PageProgress, Result, value_from_response
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Response
from restwright.net.secret_names import is_secret_header
from restwright.tools.toolset.meta_tools import ToolCall

_COMPARED: Mapping[type, tuple[str, ...]] = {
    Complete: ("role",),
    Call: ("tool", "arguments"),
    Approve: ("tool", "arguments"),
    Question: ("text", "tool", "name"),
}


def json_from_step(step: Step) -> JsonObject:
    """Return a step as JSON; of a `Gather` only its kind, since its steps are kept one by one."""
    kind = type(step).__name__.lower()
    if isinstance(step, Complete | Call | Extract | Approve | Question | Say):
        return {"step": kind, **_json_from_value(step)}
    return {"step": kind, "steps": len(step.steps)}


def _json_from_value(value: Any) -> Any:
    """A copy, of dataclasses as objects; `dataclasses.asdict` takes six times as long."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {name: _json_from_value(part) for name, part in cast("JsonObject", value).items()}
    if isinstance(value, (list, tuple)):
        return [_json_from_value(part) for part in cast("list[Any]", value)]
    names = _field_names(cast("type[Any]", type(value)))
    if names is None:
        return deepcopy(value)
    return {name: _json_from_value(getattr(value, name)) for name in names}


@lru_cache(maxsize=64)
def _field_names(kind: type[Any]) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def is_same_step(step: Step, kept: JsonObject) -> bool:
    """
    Whether a loop that is run again does what it did before.

    What has an effect must be the same; the words of a prompt may have been put better since.
    """
    now = json.loads(json.dumps(json_from_step(step)))
    names = ("step", *_COMPARED.get(type(step), ()))
    return all(now.get(name) == kept.get(name) for name in names)


def json_from_outcome(outcome: Outcome) -> Json:
    """Return what came of a step as JSON; null where nothing did."""
    if isinstance(outcome, Result):
        return _json_from_result(outcome)
    if outcome is None or isinstance(outcome, tuple):
        return None
    return _json_from_value(outcome)


def outcome_from_json(step: Step, kept: Json) -> Outcome:
    """Read what `json_from_outcome()` made of the outcome of `step`."""
    reads = _READERS.get(type(step))
    return reads(kept) if reads else None


def _completion_from_json(kept: JsonObject) -> Completion:
    calls = tuple(ToolCall(call["tool"], call["arguments"]) for call in kept["calls"])
    words = {name: value for name, value in kept.items() if name != "calls"}
    return Completion(**words, calls=calls)


def _answer_from_json(kept: JsonObject) -> UserAnswer | NoAnswer:
    return NoAnswer(kept["why"]) if "why" in kept else UserAnswer(kept["value"])


def _json_from_result(result: Result) -> JsonObject:
    response = result.response
    kept: JsonObject = {
        "kind": result.kind,
        "text": result.text,
        "response": None if response is None else _json_from_response(response),
        "repairable_by": result.repairable_by,
        "retry_after_s": result.retry_after_s,
        "warnings": list(result.warnings),
        "is_repaired": bool(result.repairs),
        "pages": _json_from_value(result.pages) if result.pages else None,
        "effect": result.effect,
    }
    if result.is_foreign:
        kept["is_foreign"] = True
    # Mostly the value is what the body says.
    if response is None or value_from_response(response) != result.value:
        kept["value"] = result.value
    return kept


def _result_from_json(kept: JsonObject) -> Result:
    response = None if kept["response"] is None else _response_from_json(kept["response"])
    value: Json = kept.get("value")
    if "value" not in kept and response is not None:
        value = value_from_response(response)
    return Result(
        kind=kept["kind"],
        value=value,
        text=kept["text"],
        response=response,
        repairable_by=kept["repairable_by"],
        retry_after_s=kept["retry_after_s"],
        warnings=tuple(kept["warnings"]),
        repairs=("before",) if kept["is_repaired"] else (),
        pages=PageProgress(**kept["pages"]) if kept["pages"] else None,
        effect=kept.get("effect", "done" if kept["kind"] == "ok" else "unknown"),
        is_foreign=bool(kept.get("is_foreign")),
    )


def _json_from_response(response: Response) -> JsonObject:
    try:
        body = {"text": response.body.decode()}
    except UnicodeDecodeError:
        body = {"base64": b64encode(response.body).decode()}
    headers = [[name, text] for name, text in response.headers if not is_secret_header(name)]
    return {
        "status": response.status,
        "headers": headers,
        "body": body,
        "url": response.url,
        "elapsed_s": response.elapsed_s,
    }


def _response_from_json(kept: JsonObject) -> Response:
    body: JsonObject = kept["body"]
    return Response(
        status=kept["status"],
        headers=tuple((name, text) for name, text in kept["headers"]),
        body=body["text"].encode() if "text" in body else b64decode(body["base64"]),
        url=kept["url"],
        elapsed_s=kept["elapsed_s"],
    )


_READERS: Mapping[type, Callable[[Any], Outcome]] = {
    Complete: _completion_from_json,
    Call: _result_from_json,
    Extract: lambda kept: ExtractionResult(**kept),
    Approve: lambda kept: ApprovalDecision(**kept),
    Question: _answer_from_json,
}
