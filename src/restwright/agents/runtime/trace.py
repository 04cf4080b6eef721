"""What a trace says of a step and its outcome: one JSON object each."""

from __future__ import annotations

from restwright.agents.events import Event
from restwright.agents.runtime.result_texts import describe_result
from restwright.agents.steps import (
    ApprovalDecision,
    Approve,
    Call,
    CallExchange,
    CallRecord,
    Complete,
    Completion,
    Extract,
    ExtractionResult,
    NoAnswer,
    Outcome,
    Question,
    Step,
    UserAnswer,
)
from restwright.calls.approval.policy import Policy
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.resolve import DispatchResult
from restwright.tools.tool import Tool

MAX_RESULT_CHARS = 2_000
"""Characters of a result in the messages of an answer."""


def trace_completion(step: Complete, reply: Completion) -> JsonObject:
    """A reply of the model."""
    calls = [{"tool": call.tool, "arguments": call.arguments} for call in reply.calls]
    return {
        "step": "complete",
        "role": step.role,
        "prompt": step.messages[-1].text,
        "reply": reply.text,
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "seconds": round(reply.elapsed_s, 3),
        **({"calls": calls} if calls else {}),
    }


def trace_extraction(step: Extract, outcome: ExtractionResult) -> JsonObject:
    """Code that was run over a response."""
    return {"step": "extract", "code": step.code, "value": outcome.value, "error": outcome.error}


def make_call_record(step: Call, tool: Tool, result: Result) -> CallRecord:
    """A call of a tool, as an answer lists it."""
    return CallRecord(
        tool=tool.name,
        method=tool.operation.method.upper(),
        path=tool.operation.path,
        arguments=step.arguments,
        status=result.status,
    )


def make_call_exchange(tool: Tool, step: Call, result: Result, policy: Policy) -> CallExchange:
    """A call of a tool and what came of it, as messages tell it."""
    is_write = policy.class_of(tool) != "read"
    text = describe_result(tool, result, is_write=is_write, max_chars=MAX_RESULT_CHARS)
    return CallExchange(tool=tool.name, arguments=step.arguments, text=text, ok=result.ok)


def trace_call(step: Call, dispatched: DispatchResult, result: Result) -> JsonObject:
    """A call, whether it was sent or not."""
    tool = dispatched.tool
    if tool is None:
        return {
            "step": "call",
            "tool": step.tool,
            "arguments": step.arguments,
            "outcome": result.kind,
            "text": result.text,
        }
    return {
        "step": "call",
        "tool": tool.name,
        "method": tool.operation.method.upper(),
        "path": tool.operation.path,
        "arguments": step.arguments,
        "outcome": result.kind,
        "status": result.status,
        "text": result.text,
        **({"is_bare": True} if dispatched.is_bare else {}),
    }


def trace_event(event: Event) -> JsonObject:
    """What an event told of a call; the same `id` pairs a request with what came of it."""
    names = {name: event.data[name] for name in ("tool", "id")}
    return {"step": event.kind, **names, "text": event.text}


def trace_human_reply(step: Step, outcome: Outcome) -> JsonObject | None:
    """What the user said to a question or an approval; None for other steps."""
    match step, outcome:
        case Question(), UserAnswer(value):
            return {"step": "question", "text": step.text, "value": value}
        case Question(), NoAnswer(why):
            return {"step": "question", "text": step.text, "why": why}
        case Approve(), ApprovalDecision():
            allowed = outcome.is_allowed
            return {
                "step": "approve",
                "tool": step.tool,
                "is_allowed": allowed,
                "text": outcome.why,
            }
        case _:
            return None
