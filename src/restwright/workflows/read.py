"""
From the content of an Arazzo document to workflows that can be run; others are problems.

A workflow that cannot be run as it is written costs that workflow, never the document.

Source: Arazzo 1.0.1 and 1.1.0, the parts that speak of HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast, get_args

from restwright.errors import NotOpenAPI
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.references import join_pointer
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool
from restwright.workflows.arguments import choose_variant, explain_parameter, split_payload
from restwright.workflows.criteria import Criterion, UnusableCondition, make_criterion
from restwright.workflows.expressions import (
    ABSENT,
    Expression,
    UnusableRuntimeExpression,
    find_expressions,
    is_selector,
    selector_type,
)
from restwright.workflows.inputs import read_inputs
from restwright.workflows.model import (
    Action,
    ActionType,
    ParameterLocation,
    Replacement,
    Step,
    StepParameter,
    Workflow,
    WorkflowDocument,
    WorkflowReference,
)

SUPPORTED = re.compile(r"1\.[01](\..*)?")
_SOURCE = re.compile(r"\$sourceDescriptions\.([A-Za-z0-9_\-]+)\.(.+)", re.DOTALL)
_PATH = re.compile(r"\{?\$sourceDescriptions\.([A-Za-z0-9_\-]+)(?:\.url)?\}?#(/.+)", re.DOTALL)
_LOCATIONS = frozenset(get_args(ParameterLocation))
_MESSAGING = frozenset({"channelPath", "action", "correlationId"})


class _Unusable(Exception):
    """What keeps a workflow from being run: where, and what."""

    def __init__(self, pointer: str, what: str) -> None:
        super().__init__(pointer, what)
        self.pointer, self.what = pointer, what


def check_version(content: JsonObject, source: str) -> None:
    """
    Refuse what is no Arazzo document of 1.0 or 1.1.

    Raises:
        NotOpenAPI: It says what was found.
    """
    version = str(content.get("arazzo", ""))
    if not SUPPORTED.fullmatch(version):
        found = f"`arazzo: {version[:40]}` is no version that can be read; 1.0 and 1.1 are"
        raise NotOpenAPI(source, found)
    if not is_array(content.get("workflows")) or not content["workflows"]:
        raise NotOpenAPI(source, "it is an Arazzo document without `workflows`")


def read_workflows(
    document: WorkflowDocument, content: JsonObject
) -> tuple[Mapping[str, Workflow], tuple[Problem, ...]]:
    """
    Read the workflows of a document whose sources are open.

    Returns:
        Those that can be run by their ids, and what is doubtful in all of them.
    """
    reader = _Reader(document, content)
    found = {workflow.workflow_id: workflow for workflow in reader.read_all()}
    kept = reader.drop_unreachable(found)
    return kept, tuple(reader.problems)


@dataclass(slots=True)
class _Reader:
    document: WorkflowDocument
    content: JsonObject
    problems: list[Problem] = field(default_factory=list[Problem])

    @property
    def _components(self) -> JsonObject:
        return _object(self.content.get("components"))

    def read_all(self) -> Iterator[Workflow]:
        seen: set[str] = set()
        for number, written in enumerate(self.content["workflows"]):
            pointer = join_pointer("workflows", number)
            try:
                workflow = self._workflow(_object(written), seen, pointer)
            except _Unusable as fault:
                self._report(fault)
                continue
            seen.add(workflow.workflow_id)
            yield workflow

    def drop_unreachable(self, workflows: dict[str, Workflow]) -> dict[str, Workflow]:
        """Leave out what calls a workflow that there is not, and what calls that."""
        while True:
            there = {*workflows}
            for name in there:
                for reference in references_of(workflows[name]):
                    if not self._is_there(reference, workflows):
                        asked = f"{reference.source}.".lstrip(".") + reference.workflow_id
                        what = f"workflow {name!r} needs {asked!r}, which cannot be run"
                        self._report(_Unusable("/workflows", what))
                        workflows.pop(name, None)
                        break
            if {*workflows} == there:
                return workflows

    def _is_there(self, reference: WorkflowReference, own: Mapping[str, Workflow]) -> bool:
        if not reference.source:
            return reference.workflow_id in own
        other = self.document.documents.get(reference.source)
        return other is not None and reference.workflow_id in other.workflows

    def _report(self, fault: _Unusable) -> None:
        what = fault.what
        self.problems.append(Problem(fault.pointer, what, "error", "the workflow is left out"))

    def _warn(self, pointer: str, what: str, action: str) -> None:
        problem = Problem(pointer, what, "warning", action)
        if problem not in self.problems:
            self.problems.append(problem)

    def _workflow(self, written: JsonObject, seen: set[str], pointer: str) -> Workflow:
        name = _text(written, "workflowId", pointer)
        if name in seen:
            raise _Unusable(pointer, f"workflowId {name!r} is there twice")
        steps = self._steps(written, pointer)
        outputs = self._outputs(written.get("outputs"), _below(pointer, "outputs"))
        depends_on = tuple(
            self._workflow_reference(one, _below(pointer, "dependsOn"))
            for one in _array(written.get("dependsOn"))
        )
        used = self._check_expressions(steps, outputs, pointer)
        return Workflow(
            workflow_id=name,
            summary=str(written.get("summary") or ""),
            description=str(written.get("description") or ""),
            inputs=self._inputs(written, used, pointer),
            depends_on=depends_on,
            steps=steps,
            outputs=outputs,
        )

    def _inputs(self, written: JsonObject, used: Sequence[str], pointer: str) -> JsonObject:
        components = _object(self._components.get("inputs"))
        declared = read_inputs(written.get("inputs"), components, ())["properties"]
        # What stands after a dot is a member of the input.
        missing = dict.fromkeys(
            name.partition(".")[0] for name in used if not _is_declared(name, declared)
        )
        for name in missing:
            what = f"steps use $inputs.{name}, which `inputs` does not declare"
            self._warn(_below(pointer, "inputs"), what, "an input of any type is added")
        return read_inputs(written.get("inputs"), components, missing)

    def _steps(self, written: JsonObject, pointer: str) -> tuple[Step, ...]:
        found: list[Step] = []
        for number, one in enumerate(_array(written.get("steps"))):
            place = _below(pointer, "steps", number)
            step = self._step(_object(one), written, place)
            if any(other.step_id == step.step_id for other in found):
                raise _Unusable(place, f"stepId {step.step_id!r} is there twice")
            found.append(step)
        if not found:
            raise _Unusable(pointer, "it has no steps")
        ids = {step.step_id for step in found}
        for step in found:
            for action in (*step.on_success, *step.on_failure):
                if action.step_id and action.step_id not in ids:
                    what = f"action {action.name!r} leads to {action.step_id!r}, which is no step"
                    raise _Unusable(pointer, what)
        return tuple(found)

    def _step(self, written: JsonObject, workflow: JsonObject, pointer: str) -> Step:
        step_id = _text(written, "stepId", pointer)
        if messaging := _MESSAGING & written.keys():
            what = f"step {step_id!r} has {min(messaging)!r}: messages are not sent, only HTTP"
            raise _Unusable(pointer, what)
        if "timeout" in written:
            what = f"`timeout` of step {step_id!r} is not kept"
            self._warn(pointer, what, "the wait of every request holds")
        targets = {"operationId", "operationPath", "workflowId"} & written.keys()
        if len(targets) != 1:
            raise _Unusable(pointer, f"step {step_id!r} needs one operation or workflow to call")
        parameters = self._parameters(
            _array(written.get("parameters")), _array(workflow.get("parameters")), pointer
        )
        body = _object(written.get("requestBody"))
        payload, replacements = self._payload(body, pointer)
        reference = tool = None
        if "workflowId" in written:
            reference = self._workflow_reference(written["workflowId"], pointer)
        else:
            tool = self._tool(written, pointer)
        if tool is not None:
            tool = choose_variant(tool, str(body.get("contentType") or ""))
            parameters = tuple(self._usable_parameters(tool, parameters, pointer))
        return Step(
            step_id=step_id,
            tool=tool,
            workflow=reference,
            parameters=parameters,
            payload=split_payload(payload, str(body.get("contentType") or "")),
            replacements=replacements,
            criteria=self._success_criteria(written, pointer),
            on_success=self._actions(written, workflow, "onSuccess", pointer),
            on_failure=self._actions(written, workflow, "onFailure", pointer),
            outputs=self._outputs(written.get("outputs"), _below(pointer, "outputs")),
        )

    def _usable_parameters(
        self, tool: Tool, parameters: Sequence[StepParameter], pointer: str
    ) -> Iterator[StepParameter]:
        for parameter in parameters:
            is_kept, doubt = explain_parameter(tool, parameter)
            # A write without what was to narrow it may change more than its author meant.
            if not is_kept and parameter.location != "header" and not tool.is_read:
                raise _Unusable(pointer, doubt)
            if doubt:
                self._warn(pointer, doubt, "it is given by its name" if is_kept else "left out")
            if is_kept:
                yield parameter

    def _tool(self, written: JsonObject, pointer: str) -> Tool:
        if "operationPath" in written:
            asked = str(written["operationPath"])
            found = _PATH.fullmatch(asked)
            if found is None:
                raise _Unusable(pointer, f"{asked!r} is no operationPath of a source")
            return self._operation(found[1], asked, lambda each: each.pointer == found[2], pointer)
        asked = str(written["operationId"])
        if found := _SOURCE.fullmatch(asked):
            name = found[2]
            return self._operation(found[1], name, lambda each: each.operation_id == name, pointer)
        owners = [
            source
            for source, catalog in self.document.catalogs.items()
            if _entry_names(catalog, lambda each: each.operation_id == asked)
        ]
        if len(owners) > 1:
            listed = " and ".join(f"$sourceDescriptions.{name}.{asked}" for name in owners)
            raise _Unusable(pointer, f"operationId {asked!r} may be {listed}")
        if not owners:
            raise _Unusable(pointer, f"no source has an operation {asked!r}")
        return self._operation(owners[0], asked, lambda each: each.operation_id == asked, pointer)

    def _operation(
        self, source: str, asked: str, is_meant: Callable[[Json], bool], pointer: str
    ) -> Tool:
        catalog = self.document.catalogs.get(source)
        if catalog is None:
            raise _Unusable(pointer, f"there is no source {source!r} that describes HTTP calls")
        names = _entry_names(catalog, is_meant)
        if not names:
            raise _Unusable(pointer, f"source {source!r} has no operation {asked!r}")
        return catalog[names[0]]

    def _workflow_reference(self, written: Json, pointer: str) -> WorkflowReference:
        if not isinstance(written, str):
            raise _Unusable(pointer, "a workflow is named by a text")
        if found := _SOURCE.fullmatch(written):
            return WorkflowReference(source=found[1], workflow_id=found[2])
        return WorkflowReference(workflow_id=written)

    def _parameters(
        self, own: Sequence[Json], inherited: Sequence[Json], pointer: str
    ) -> tuple[StepParameter, ...]:
        """Those of the workflow and of the step, whose own holds where both have one."""
        found: dict[tuple[str, str], StepParameter] = {}
        for written in (*inherited, *own):
            parameter = self._parameter(_object(written), pointer)
            found[parameter.name, parameter.location] = parameter
        return tuple(found.values())

    def _parameter(self, written: JsonObject, pointer: str) -> StepParameter:
        whole = self._reused(written, "parameters", pointer)
        location = str(whole.get("in") or "")
        if location not in _LOCATIONS:
            raise _Unusable(pointer, f"a parameter in {location!r} is none of HTTP")
        if "value" not in whole:
            raise _Unusable(pointer, f"parameter {whole.get('name')!r} has no value")
        self._check_selectors(whole["value"], pointer)
        return StepParameter(
            name=_text(whole, "name", pointer),
            location=cast("ParameterLocation", location),
            value=whole["value"],
        )

    def _reused(self, written: JsonObject, kind: str, pointer: str) -> JsonObject:
        """A Reusable Object with what it refers to, or the object itself."""
        reference = written.get("reference")
        if reference is None:
            return written
        prefix = f"$components.{kind}."
        name = reference.removeprefix(prefix) if isinstance(reference, str) else ""
        found = _object(self._components.get(kind)).get(name)
        if not name or not is_object(found):
            raise _Unusable(pointer, f"{str(reference)!r} leads nowhere")
        return {**found, "value": written["value"]} if "value" in written else found

    def _payload(self, body: JsonObject, pointer: str) -> tuple[Json, tuple[Replacement, ...]]:
        payload = body.get("payload", ABSENT)
        self._check_selectors(payload, pointer)
        replacements: list[Replacement] = []
        for written in map(_object, _array(body.get("replacements"))):
            target = _text(written, "target", pointer)
            kind = selector_type(written.get("targetSelectorType")) or (
                "jsonpath" if target.startswith("$") else "jsonpointer"
            )
            if kind not in {"jsonpath", "jsonpointer"} or (
                kind == "jsonpointer" and not target.startswith("/")
            ):
                raise _Unusable(pointer, f"a replacement at {target!r} ({kind}) is not made")
            if "value" not in written:
                raise _Unusable(pointer, f"the replacement at {target!r} has no value")
            self._check_selectors(written["value"], pointer)
            value = written["value"]
            replacements.append(
                Replacement(target=target, is_query=kind == "jsonpath", value=value)
            )
        return payload, tuple(replacements)

    def _criteria(self, written: Json, pointer: str) -> tuple[Criterion, ...]:
        return tuple(self._criterion(_object(one), pointer) for one in _array(written))

    def _success_criteria(self, written: JsonObject, pointer: str) -> tuple[Criterion, ...]:
        if written.get("successCriteria", [None]) == []:
            raise _Unusable(pointer, "`successCriteria` has no criterion")
        return self._criteria(written.get("successCriteria"), pointer)

    def _criterion(self, written: JsonObject, pointer: str) -> Criterion:
        context = written.get("context")
        kind = selector_type(written.get("type")) or "simple"
        condition = str(written.get("condition", ""))
        try:
            return make_criterion(condition, kind, context if isinstance(context, str) else None)
        except (UnusableCondition, UnusableRuntimeExpression) as fault:
            raise _Unusable(pointer, str(fault)) from None

    def _actions(
        self, step: JsonObject, workflow: JsonObject, key: str, pointer: str
    ) -> tuple[Action, ...]:
        kind = "successActions" if key == "onSuccess" else "failureActions"
        found: dict[str, Action] = {}
        for written in (*_array(step.get(key)), *_array(workflow.get(kind))):
            action = self._action(self._reused(_object(written), kind, pointer), key, pointer)
            found.setdefault(action.name, action)
        return tuple(found.values())

    def _action(self, written: JsonObject, key: str, pointer: str) -> Action:
        type_ = written.get("type")
        name = _text(written, "name", pointer)
        if type_ not in {"end", "goto"} and (type_ != "retry" or key == "onSuccess"):
            raise _Unusable(pointer, f"action {name!r} of {key} is of type {type_!r}")
        workflow_id, step_id = written.get("workflowId"), written.get("stepId")
        if type_ == "goto" and (workflow_id is None) == (step_id is None):
            raise _Unusable(pointer, f"action {name!r} needs one step or workflow to go to")
        after, limit = written.get("retryAfter", 0), written.get("retryLimit", 1)
        if not isinstance(after, int | float) or after < 0 or not isinstance(limit, int):
            raise _Unusable(pointer, f"action {name!r} has no number of seconds or tries")
        return Action(
            name=name,
            type=cast("ActionType", type_),
            step_id=str(step_id or ""),
            workflow=None
            if workflow_id is None
            else self._workflow_reference(workflow_id, pointer),
            parameters=self._parameters(_array(written.get("parameters")), (), pointer),
            criteria=self._criteria(written.get("criteria"), pointer),
            retry_after_s=float(after),
            retry_limit=max(0, limit),
        )

    def _outputs(self, written: Json, pointer: str) -> JsonObject:
        outputs: JsonObject = {}
        for name, value in _object(written).items():
            self._check_selectors(value, pointer)
            if why := _explain_output(value):
                where = f"{pointer}{join_pointer(name)}"
                self.problems.append(Problem(where, why, "error", "the output is left out"))
            else:
                outputs[name] = value
        return outputs

    def _check_selectors(self, value: Json, pointer: str) -> None:
        if is_selector(value):
            if selector_type(value["type"]) not in {"jsonpath", "jsonpointer"}:
                raise _Unusable(pointer, f"selectors of type {value['type']!r} are not evaluated")
        elif is_object(value) or is_array(value):
            for child in value.values() if is_object(value) else value:
                self._check_selectors(child, pointer)

    def _check_expressions(
        self, steps: Sequence[Step], outputs: JsonObject, pointer: str
    ) -> list[str]:
        """Refuse expressions that are none, tell of those that lead nowhere; the inputs used."""
        known = {step.step_id: step for step in steps}
        used: dict[str, None] = {}
        try:
            for expression in _all_expressions(steps, outputs):
                if expression.root == "inputs":
                    used[expression.name] = None
                elif expression.root == "steps":
                    self._check_step_output(expression, known, pointer)
        except UnusableRuntimeExpression as fault:
            raise _Unusable(pointer, str(fault)) from None
        return [*used]

    def _check_step_output(
        self, expression: Expression, known: Mapping[str, Step], pointer: str
    ) -> None:
        step = known.get(expression.owner)
        if step is None:
            what = f"{expression.text} is of a step that there is not"
        elif expression.name and not _is_declared(expression.name, step.outputs):
            what = f"{expression.text} is no output of that step"
        else:
            return
        self._warn(pointer, what, "it has no value")


def references_of(workflow: Workflow) -> Iterator[WorkflowReference]:
    """Every workflow that one may run."""
    yield from workflow.depends_on
    for step in workflow.steps:
        if step.workflow is not None:
            yield step.workflow
        for action in (*step.on_success, *step.on_failure):
            if action.workflow is not None:
                yield action.workflow


def _below(pointer: str, *tokens: str | int) -> str:
    """The pointer of what stands below `pointer`."""
    return f"{pointer}{join_pointer(*tokens)}"


def _all_expressions(steps: Sequence[Step], outputs: JsonObject) -> Iterator[Expression]:
    yield from find_expressions(outputs)
    for step in steps:
        yield from find_expressions(step.outputs)
        yield from find_expressions([parameter.value for parameter in step.parameters])
        yield from find_expressions(None if step.payload is ABSENT else step.payload)
        yield from find_expressions([replacement.value for replacement in step.replacements])
        for criterion in step.criteria:
            yield from criterion.expressions()
        for action in (*step.on_success, *step.on_failure):
            yield from find_expressions([parameter.value for parameter in action.parameters])
            for criterion in action.criteria:
                yield from criterion.expressions()


def _is_declared(name: str, declared: Mapping[str, Json]) -> bool:
    """Whether a name is there, or else the part before one of its dots."""
    while name not in declared:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return False
    return True


def _explain_output(value: Json) -> str:
    """What keeps an output from being evaluated; empty where nothing does."""
    if not isinstance(value, str) and not is_selector(value):
        return "it is neither an expression nor a selector"
    try:
        tuple(find_expressions(value))
    except UnusableRuntimeExpression as fault:
        return str(fault)
    return ""


def _entry_names(catalog: Catalog, is_meant: Callable[[Json], bool]) -> list[str]:
    return [name for name, entry in catalog.entries.items() if is_meant(entry.operation)]


def _object(value: Json) -> JsonObject:
    return value if is_object(value) else {}


def _array(value: Json) -> Sequence[Json]:
    return value if is_array(value) else ()


def _text(written: JsonObject, key: str, pointer: str) -> str:
    value = written.get(key)
    if not isinstance(value, str) or not value:
        raise _Unusable(pointer, f"`{key}` is missing")
    return value
