"""
What a manifest adds to the loop of an agent: its words in the prompts, arguments that no model
sees, and parts of responses in the place of the whole. The loop knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

import orjson

from restwright.agents.steps import (
    ApprovalDecision,
    Approve,
    Call,
    Complete,
    Gather,
    Message,
    Outcome,
    Step,
    Steps,
)
from restwright.calls.response.projection import pick_value
from restwright.calls.response.result import Result
from restwright.errors import UnusableExpression
from restwright.jsontypes import JsonObject
from restwright.manifests.session.session import HandoffRequest
from restwright.stepping import map_steps

# Who decides or puts something in words; the others take values out of responses.
_INSTRUCTED_ROLES = frozenset({"planner", "caller", "reactor", "describer", "answer"})


Ended = TypeVar("Ended")
MakeHandoff: TypeAlias = Callable[[JsonObject], HandoffRequest | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Middleware:
    """
    What is added.

    Args:
        system_text: Stand behind what the agent is told of itself.
        temperature: Of the requests that are told it; None for their own.
        fixed: `{tool: arguments}` that every call of it has.
        picks: `{tool: JMESPath}` of what is kept of its responses.
        handoffs: `{tool: what makes a switch of the arguments of its calls}`; text instead of one
            is what the model is told of a switch that cannot be.
    """

    system_text: str = ""
    temperature: float | None = None
    fixed: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    picks: Mapping[str, str] = field(default_factory=dict[str, str])
    handoffs: Mapping[str, MakeHandoff] = field(default_factory=dict[str, "MakeHandoff"])


def apply_middleware(steps: Steps[Ended], dress: Middleware) -> Steps[Ended | HandoffRequest]:
    """The same steps with what is added; a switch where the agent has handed over."""
    handoff: HandoffRequest | None = None

    def perform(step: Step) -> Steps[Outcome]:
        nonlocal handoff
        outcome = yield _transform_step(step, dress)
        if isinstance(found := _find_handoff(step, outcome, dress), HandoffRequest):
            handoff = found
            # Steps that are closed end before the next one, without a conclusion.
            steps.close()
            return None
        return _transform_outcome(step, outcome, dress)

    conclusion = yield from map_steps(steps, perform)
    return handoff or conclusion


def _transform_step(step: Step, dress: Middleware) -> Step:
    if isinstance(step, Complete):
        if step.role not in _INSTRUCTED_ROLES:
            return step
        if dress.temperature is not None:
            step = replace(step, temperature=dress.temperature)
        return _add_instructions(step, dress.system_text) if dress.system_text else step
    if isinstance(step, Call | Approve):
        given = dress.fixed.get(step.tool)
        return replace(step, arguments={**step.arguments, **given}) if given else step
    if isinstance(step, Gather):
        return Gather(tuple(_transform_step(item, dress) for item in step.steps))
    return step


def _add_instructions(step: Complete, words: str) -> Complete:
    first, *others = step.messages
    if first.speaker == "system":
        own = Message("system", f"{first.text}\n\n{words}")
        return replace(step, messages=(own, *others))
    return replace(step, messages=(Message("system", words), *step.messages))


def _transform_outcome(step: Step, outcome: Outcome, dress: Middleware) -> Outcome:
    if isinstance(step, Gather) and isinstance(outcome, tuple):
        pairs = zip(step.steps, outcome, strict=True)
        return tuple(_transform_outcome(inner, each, dress) for inner, each in pairs)
    if isinstance(step, Call) and isinstance(outcome, Result):
        if why := _find_handoff(step, outcome, dress):
            return Result(kind="mismatch", text=str(why), repairable_by="model")
        return _pick_from_result(outcome, dress.picks.get(step.tool, ""))
    if isinstance(step, Approve) and isinstance(outcome, ApprovalDecision):
        hidden = dress.fixed.get(step.tool, {})
        kept = {name: each for name, each in outcome.arguments.items() if name not in hidden}
        return replace(outcome, arguments=kept)
    return outcome


def _pick_from_result(result: Result, expression: str) -> Result:
    if not expression or not result.ok:
        return result
    try:
        value = pick_value(result.value, expression)
    except UnusableExpression as error:
        # What was not picked is not shown: that is what the expression is for.
        value, doubt = None, f"nothing could be picked: {error.message}"
        result = replace(result, warnings=(*result.warnings, doubt))
    response = result.response
    if response is not None:
        json = ("content-type", "application/json")
        kept = [header for header in response.headers if header[0].lower() != "content-type"]
        response = replace(response, headers=(*kept, json), body=orjson.dumps(value))
    return replace(result, value=value, response=response)


def _find_handoff(step: Step, outcome: Outcome, dress: Middleware) -> HandoffRequest | str:
    """Where a step has handed over; else what the model is told of it, empty for nothing."""
    if isinstance(step, Gather) and isinstance(outcome, tuple):
        pairs = zip(step.steps, outcome, strict=True)
        found = [_find_handoff(inner, each, dress) for inner, each in pairs]
        return next((request for request in found if isinstance(request, HandoffRequest)), "")
    if not isinstance(step, Call) or step.tool not in dress.handoffs:
        return ""
    if not isinstance(outcome, Result) or not outcome.ok:
        return ""
    return dress.handoffs[step.tool](step.arguments)
