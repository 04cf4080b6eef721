"""
What a manifest adds to the loop of an agent: its words in the prompts, arguments that no model
sees, and parts of responses in the place of the whole. The loop knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

import orjson

from restwright.agents.steps import (
    Approve,
    Approved,
    Call,
    Complete,
    Conclusion,
    Gather,
    Message,
    Outcome,
    Step,
    Steps,
)
from restwright.calls.response.projection import pick
from restwright.calls.response.result import Result
from restwright.errors import RestwrightError, UnusableExpression
from restwright.jsontypes import JsonObject
from restwright.manifests.session.session import Switch

# Who decides or puts something in words; the others take values out of responses.
_TOLD = frozenset({"planner", "caller", "reactor", "describer", "answer"})


Switching: TypeAlias = Callable[[JsonObject], Switch | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """
    What is added.

    Args:
        words: Stand behind what the agent is told of itself.
        fixed: `{tool: arguments}` that every call of it has.
        picks: `{tool: JMESPath}` of what is kept of its responses.
        switches: `{tool: what makes a switch of the arguments of its calls}`; text instead of one
            is what the model is told of a switch that cannot be.
    """

    words: str = ""
    fixed: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    picks: Mapping[str, str] = field(default_factory=dict[str, str])
    switches: Mapping[str, Switching] = field(default_factory=dict[str, "Switching"])


def dressed(steps: Steps[Conclusion], dress: Dress) -> Steps[Conclusion | Switch]:
    """The same steps with what is added; a switch where the agent has handed over."""
    outcome: Outcome = None
    thrown: BaseException | None = None
    while True:
        try:
            step = steps.throw(thrown) if thrown else steps.send(outcome)
        except StopIteration as end:
            return cast("Conclusion", end.value)
        outcome, thrown = None, None
        try:
            heard = yield _step(step, dress)
        except RestwrightError as error:
            thrown = error
            continue
        if isinstance(switch := _switch(step, heard, dress), Switch):
            steps.close()
            return switch
        outcome = _outcome(step, heard, dress)


def _step(step: Step, dress: Dress) -> Step:
    if isinstance(step, Complete):
        return _told(step, dress.words) if dress.words and step.role in _TOLD else step
    if isinstance(step, Call | Approve):
        given = dress.fixed.get(step.tool)
        return replace(step, arguments={**step.arguments, **given}) if given else step
    if isinstance(step, Gather):
        return Gather(tuple(_step(each, dress) for each in step.steps))
    return step


def _told(step: Complete, words: str) -> Complete:
    first, *others = step.messages
    if first.speaker == "system":
        own = Message("system", f"{first.text}\n\n{words}")
        return replace(step, messages=(own, *others))
    return replace(step, messages=(Message("system", words), *step.messages))


def _outcome(step: Step, outcome: Outcome, dress: Dress) -> Outcome:
    if isinstance(step, Gather) and isinstance(outcome, tuple):
        pairs = zip(step.steps, outcome, strict=True)
        return tuple(_outcome(inner, each, dress) for inner, each in pairs)
    if isinstance(step, Call) and isinstance(outcome, Result):
        if why := _switch(step, outcome, dress):
            return Result(kind="mismatch", text=str(why), repairable_by="model")
        return _picked(outcome, dress.picks.get(step.tool, ""))
    if isinstance(step, Approve) and isinstance(outcome, Approved):
        hidden = dress.fixed.get(step.tool, {})
        kept = {name: each for name, each in outcome.arguments.items() if name not in hidden}
        return replace(outcome, arguments=kept)
    return outcome


def _picked(result: Result, expression: str) -> Result:
    if not expression or not result.ok:
        return result
    try:
        value = pick(result.value, expression)
    except UnusableExpression as error:
        # What was not picked is not shown: that is what the expression is for.
        value, doubt = None, f"nothing could be picked: {error.message}"
        result = replace(result, warnings=(*result.warnings, doubt))
    response = result.response
    if response is not None:
        json = ("content-type", "application/json")
        kept = [each for each in response.headers if each[0].lower() != "content-type"]
        response = replace(response, headers=(*kept, json), body=orjson.dumps(value))
    return replace(result, value=value, response=response)


def _switch(step: Step, outcome: Outcome, dress: Dress) -> Switch | str:
    """Where a step has handed over; else what the model is told of it, empty for nothing."""
    if isinstance(step, Gather) and isinstance(outcome, tuple):
        pairs = zip(step.steps, outcome, strict=True)
        found = [_switch(inner, each, dress) for inner, each in pairs]
        return next((each for each in found if isinstance(each, Switch)), "")
    if not isinstance(step, Call) or step.tool not in dress.switches:
        return ""
    if not isinstance(outcome, Result) or not outcome.ok:
        return ""
    return dress.switches[step.tool](step.arguments)
