"""
One run of a workflow, as a generator of calls: it does no I/O, and whoever drives it sends them.

A step that was refused, or whose arguments do not fit, ends the run whatever its actions say. So
does a write of which nobody knows whether it took effect: no action repeats it.

Source: Arazzo 1.1.0, "Workflow Object", "Step Object", "Success Action Object" and "Failure Action
Object".
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import LocalResult, StepOutcome, Tool, ToolStep
from restwright.workflows.arguments import build_arguments, replace_parts
from restwright.workflows.criteria import Criterion
from restwright.workflows.expressions import (
    ABSENT,
    Exchange,
    NoValue,
    Scope,
    evaluate_output,
    evaluate_value,
)
from restwright.workflows.model import (
    Action,
    Step,
    StepParameter,
    Workflow,
    WorkflowDocument,
    WorkflowReference,
)

MAX_CALLS = 200
"""Calls of one run, those of workflows that it runs included."""
MAX_DEPTH = 20
"""Workflows inside of each other."""
_ANSWERED = frozenset({"ok", "http_error"})

Steps = Generator[ToolStep, StepOutcome, "_Ended"]


class _Ended(NamedTuple):
    """How a workflow ended: with its outputs, and why it failed; empty where it did not."""

    outputs: JsonObject
    failure: str
    exchange: Exchange


class _Stopped(Exception):
    """What ends the whole run at once; the text says why."""


@dataclass(slots=True)
class _Tally:
    """What all workflows of one run have in common."""

    calls: int = 0
    depth: int = 0
    is_write_unknown: bool = False


def run_workflow(
    document: WorkflowDocument, workflow: Workflow, inputs: JsonObject
) -> Generator[ToolStep, StepOutcome, LocalResult]:
    """
    Yield the calls of a workflow, and return its outputs, or why it failed.

    Args:
        inputs: They have passed the check against `workflow.inputs`.
    """
    try:
        ended = yield from _Run(document, workflow, inputs, _Tally()).run()
    except _Stopped as stop:
        return LocalResult(error=str(stop))
    return LocalResult(value=ended.outputs, error=ended.failure)


@dataclass(slots=True)
class _Run:
    document: WorkflowDocument
    workflow: Workflow
    inputs: JsonObject
    tally: _Tally
    steps: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    workflows: dict[str, Mapping[str, JsonObject]] = field(
        default_factory=dict[str, Mapping[str, JsonObject]]
    )
    tries: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    exchange: Exchange = field(default_factory=Exchange)

    def run(self) -> Steps:
        """Take the steps of the workflow, and say how it ended."""
        self.tally.depth += 1
        if self.tally.depth > MAX_DEPTH:
            raise _Stopped(f"workflows call each other more than {MAX_DEPTH} deep")
        ended = yield from self._take_steps()
        self.tally.depth -= 1
        return ended

    def _take_steps(self) -> Steps:
        for reference in self.workflow.depends_on:
            ended = yield from self._run_other(reference, self.inputs)
            if ended.failure:
                return self._end(ended.failure)
        place = 0
        while place < len(self.workflow.steps):
            step = self.workflow.steps[place]
            failure = yield from self._step(step, 0.0)
            following = yield from self._follow(step, failure)
            if following is None:
                place += 1
            elif isinstance(following, _Ended):
                return following
            else:
                place = self._place_of(following)
        return self._end("")

    def _place_of(self, step_id: str) -> int:
        ids = [step.step_id for step in self.workflow.steps]
        return ids.index(step_id)

    def _end(self, failure: str) -> _Ended:
        scope = self._scope()
        found = {
            name: evaluate_output(value, scope) for name, value in self.workflow.outputs.items()
        }
        outputs = {name: value for name, value in found.items() if value is not ABSENT}
        if not self.workflow.outputs and self.steps:
            # Documents that leave them out count on those of the last step.
            outputs = next(reversed(self.steps.values()))
        self.workflows[self.workflow.workflow_id] = {"inputs": self.inputs, "outputs": outputs}
        return _Ended(outputs, failure, self.exchange)

    def _scope(self, outputs: JsonObject | None = None) -> Scope:
        return Scope(
            inputs=self.inputs,
            steps=self.steps,
            workflows=self.workflows,
            outputs=outputs or {},
            exchange=self.exchange,
            sources=self.document.sources,
            self_uri=self.document.self_uri,
        )

    def _step(self, step: Step, wait_s: float) -> Generator[ToolStep, StepOutcome, str]:
        """Take one step and keep its outputs; why it failed, empty where it did not."""
        try:
            scope = self._scope()
            parameters = [(one, evaluate_value(one.value, scope)) for one in step.parameters]
            payload = self._payload(step)
        except NoValue as fault:
            raise _Stopped(f"step {step.step_id} was not taken: {fault}") from None
        if step.workflow is not None:
            given = {one.name: value for one, value in parameters if value is not ABSENT}
            ended = yield from self._run_other(step.workflow, given)
            self.exchange = ended.exchange
            failure, scope = ended.failure, self._scope(ended.outputs)
        elif step.tool is not None:
            failure = yield from self._call(step, step.tool, parameters, payload, wait_s)
            scope = self._scope()
        else:
            raise AssertionError(step)
        self.steps.pop(step.step_id, None)  # so that the last one stands last
        self.steps[step.step_id] = {
            name: found
            for name, value in step.outputs.items()
            if (found := evaluate_output(value, scope)) is not ABSENT
        }
        if step.criteria:
            unmet = _first_unmet(step.criteria, scope)
            what = f"step {step.step_id}: {unmet.condition} does not hold" if unmet else ""
            # Criteria may want a response that is no success, such as 404.
            return f"{what} ({failure})" if what and failure else what
        return failure

    def _payload(self, step: Step) -> Json:
        payload = step.payload
        if payload is not ABSENT:
            scope = self._scope()
            payload = evaluate_value(payload, scope)
            if isinstance(payload, str) and isinstance(step.payload, str) and "{$" in step.payload:
                payload = _parse_text(payload)
        values = [(one, evaluate_value(one.value, self._scope())) for one in step.replacements]
        return replace_parts(payload, values) if values else payload

    def _call(
        self,
        step: Step,
        tool: Tool,
        parameters: Sequence[tuple[StepParameter, Json]],
        payload: Json,
        wait_s: float,
    ) -> Generator[ToolStep, StepOutcome, str]:
        self.tally.calls += 1
        if self.tally.calls > MAX_CALLS:
            raise _Stopped(f"step {step.step_id} was not taken: {MAX_CALLS} calls were made")
        arguments = build_arguments(tool, parameters, payload)
        outcome = yield ToolStep(tool=tool, arguments=arguments, wait_s=wait_s)
        if outcome.kind not in _ANSWERED and (
            outcome.kind != "no_response" or outcome.effect == "unknown"
        ):
            raise _Stopped(f"step {step.step_id}: {outcome.text}")
        self.tally.is_write_unknown = outcome.effect == "unknown"
        self.exchange = _exchange_of(tool, parameters, payload, outcome)
        return "" if outcome.ok else f"step {step.step_id}: {outcome.text}"

    def _run_other(self, reference: WorkflowReference, given: JsonObject) -> Steps:
        found = self.document.find(reference)
        if found is None:
            raise _Stopped(f"there is no workflow {reference.workflow_id}")
        document, workflow = found
        declared = workflow.inputs["properties"]
        inputs = {name: value for name, value in given.items() if name in declared}
        missing = [name for name in workflow.inputs.get("required", ()) if name not in inputs]
        if missing:
            raise _Stopped(f"workflow {workflow.workflow_id} was not run: it needs {missing[0]!r}")
        ended = yield from _Run(document, workflow, inputs, self.tally).run()
        self.workflows[reference.workflow_id] = {"inputs": inputs, "outputs": ended.outputs}
        return ended

    def _follow(
        self, step: Step, failure: str
    ) -> Generator[ToolStep, StepOutcome, str | _Ended | None]:
        """What comes after a step: the id of another one, the end, or None for the next one."""
        while True:
            actions = step.on_failure if failure else step.on_success
            action = self._choose(step, actions)
            if action is None:
                return self._end(failure) if failure else None
            if action.type != "end" and failure and self.tally.is_write_unknown:
                return self._end(failure)
            if action.type != "retry":
                return (yield from self._go(action, failure))
            self.tries[step.step_id, action.name] = self._tries_of(step, action) + 1
            wait_s = self._wait_s(action)
            if action.step_id:
                between = self.workflow.steps[self._place_of(action.step_id)]
                yield from self._step(between, 0.0)
            elif action.workflow is not None:
                yield from self._run_other(action.workflow, self._given(action))
            failure = yield from self._step(step, wait_s)

    def _choose(self, step: Step, actions: Sequence[Action]) -> Action | None:
        for action in actions:
            is_used_up = (
                action.type == "retry" and self._tries_of(step, action) >= action.retry_limit
            )
            if not is_used_up and _first_unmet(action.criteria, self._scope()) is None:
                return action
        return None

    def _tries_of(self, step: Step, action: Action) -> int:
        return self.tries.get((step.step_id, action.name), 0)

    def _go(self, action: Action, failure: str) -> Generator[ToolStep, StepOutcome, str | _Ended]:
        if action.type == "end":
            return self._end(failure)
        if action.workflow is None:
            return action.step_id
        other = yield from self._run_other(action.workflow, self._given(action))
        self.exchange = other.exchange
        own = self._end(other.failure)
        return replace_outputs(own, other.outputs)

    def _given(self, action: Action) -> JsonObject:
        """What an action gives to a workflow; all inputs of this one where it names none."""
        try:
            scope = self._scope()
            given = {one.name: evaluate_value(one.value, scope) for one in action.parameters}
        except NoValue as fault:
            raise _Stopped(f"action {action.name} was not taken: {fault}") from None
        known = {name: value for name, value in given.items() if value is not ABSENT}
        return known if action.parameters else self.inputs

    def _wait_s(self, action: Action) -> float:
        asked = self.exchange.headers.get("retry-after", "")
        return float(asked) if asked.isdecimal() else action.retry_after_s


def replace_outputs(own: _Ended, others: JsonObject) -> _Ended:
    """What a workflow gives that went over to another one: its own outputs, or else those."""
    return own if own.outputs else own._replace(outputs=others)


def _first_unmet(criteria: Sequence[Criterion], scope: Scope) -> Criterion | None:
    return next((one for one in criteria if not one.is_met(scope)), None)


def _parse_text(text: str) -> Json:
    """The value of a payload that was the text of JSON once its expressions were filled in."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _exchange_of(
    tool: Tool,
    parameters: Sequence[tuple[StepParameter, Json]],
    payload: Json,
    outcome: StepOutcome,
) -> Exchange:
    places: dict[str, JsonObject] = {}
    for parameter, value in parameters:
        if value is not ABSENT:
            is_header = parameter.location == "header"
            name = parameter.name.lower() if is_header else parameter.name
            places.setdefault(parameter.location, {})[name] = value
    made = Exchange(method=tool.method, parameters=places, request_body=payload)
    response = outcome.response
    if response is None:
        return made
    return replace(
        made,
        url=response.url,
        status=response.status,
        headers=dict(response.headers),
        body=outcome.value if response.body else ABSENT,
    )
