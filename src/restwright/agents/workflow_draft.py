"""
From the calls of a finished run to an Arazzo document, whose values come from where the run had
them from: a response before, or the question. What is neither is the model's own, and stays as it
was.

A value is taken to come from a response that has the very same one; a number only where the names
say so too, since small numbers are everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from restwright.agents.rest.provenance import is_in_text, normalize_text
from restwright.agents.steps import Call
from restwright.calls.approval.destination import add_idempotency_key
from restwright.calls.response.result import Result
from restwright.errors import UnusableSession
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Operation
from restwright.openapi.references import join_pointer
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.text.media_types import body_media_type
from restwright.tools.tool import Input, Tool

VERSION = "1.0.1"
"""Of what is written, which readers of 1.1 read too."""
_MIN_TEXT = 3
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_TYPES: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_BODY = frozenset({"body", "body_property"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowDraft:
    """
    A workflow as it is proposed.

    Args:
        document: Of Arazzo.
        inputs: Those of the run, by which it is replayed.
        notes: What somebody has to look at before it is used.
    """

    document: JsonObject
    workflow_id: str
    inputs: JsonObject
    notes: tuple[str, ...]


class _Found(NamedTuple):
    """A value of a response: which step gave it, where it stands there, and its name there."""

    step_id: str
    pointer: str
    name: str
    value: Json


def draft_workflow(
    session: str,
    question: str,
    calls: Sequence[tuple[Call, Result]],
    catalog: Catalog,
    *,
    urls: Mapping[str, str],
) -> WorkflowDraft:
    """
    Write the calls of a run that succeeded as a workflow.

    Args:
        calls: In their order.
        catalog: Made of the documents that the run had.
        urls: `{namespace: how the document names that API's}`.

    Raises:
        UnusableSession: Nothing was called that can be written, or with other documents.
    """
    kept = _kept_calls(session, calls, catalog)
    namespaces = [*dict.fromkeys(tool.namespace for tool, _, _ in kept)]
    drafting = _Drafting(
        said=normalize_text(question), catalog=catalog, is_one_source=len(namespaces) == 1
    )
    for tool, call, result in kept:
        drafting.add(tool, call.arguments, result)
    failed = sum(1 for _, result in calls if not result.ok)
    if failed:
        drafting.notes.append(f"{failed} of the run's calls failed and are left out")
    workflow_id = _to_name(question) or "run"
    return WorkflowDraft(
        document={
            "arazzo": VERSION,
            "info": {"title": question.strip()[:200] or workflow_id, "version": "1"},
            "sourceDescriptions": [
                {"name": name, "url": urls[name], "type": "openapi"} for name in namespaces
            ],
            "workflows": [drafting.workflow(workflow_id, question)],
        },
        workflow_id=workflow_id,
        inputs=drafting.values,
        notes=tuple(drafting.notes),
    )


def _kept_calls(
    session: str, calls: Sequence[tuple[Call, Result]], catalog: Catalog
) -> list[tuple[Tool, Call, Result]]:
    """The calls that succeeded; a read that was made twice, once."""
    kept: list[tuple[Tool, Call, Result]] = []
    for call, result in calls:
        if not result.ok:
            continue
        tool = catalog.dispatch(call.tool).tool
        if tool is None:
            why = f"it called {call.tool}, which these documents do not have"
            raise UnusableSession(session, why)
        if tool.handler is not None:
            why = f"it called {tool.name}, which is no operation of an OpenAPI document"
            raise UnusableSession(session, why)
        is_again = any(
            tool.is_read and other.tool == call.tool and other.arguments == call.arguments
            for _, other, _ in kept
        )
        if not is_again:
            kept.append((tool, call, result))
    if not kept:
        raise UnusableSession(session, "none of its calls succeeded, so there is no workflow in it")
    return kept


@dataclass(slots=True)
class _Drafting:
    """The workflow so far: its steps and inputs, and what responses have given."""

    said: str
    catalog: Catalog
    is_one_source: bool
    steps: list[JsonObject] = field(default_factory=list[JsonObject])
    found: list[_Found] = field(default_factory=list[_Found])
    schemas: JsonObject = field(default_factory=dict[str, Json])
    values: JsonObject = field(default_factory=dict[str, Json])
    notes: list[str] = field(default_factory=list[str])

    def add(self, tool: Tool, arguments: JsonObject, result: Result) -> None:
        """Write one call as a step, and keep what its response gives to later ones."""
        step_id = self._unique_id(tool.operation_name)
        step: JsonObject = {"stepId": step_id, **self._target(tool.operation, tool.namespace)}
        parameters, payload = self._split(tool, arguments)
        if parameters:
            step["parameters"] = parameters
        if payload is not None:
            media_type = body_media_type(tool.operation)
            step["requestBody"] = {
                **({"contentType": media_type.name} if media_type else {}),
                "payload": payload,
            }
        step["successCriteria"] = [{"condition": f"$statusCode == {result.status or 200}"}]
        self.steps.append(step)
        self.found.extend(
            _Found(step_id, pointer, name, value) for pointer, name, value in _leaves(result.value)
        )

    def workflow(self, workflow_id: str, question: str) -> JsonObject:
        """The Workflow Object: its outputs are the last response."""
        last = self.steps[-1]
        last.setdefault("outputs", {})["response"] = "$response.body"
        made: JsonObject = {"workflowId": workflow_id, "summary": question.strip()}
        if self.schemas:
            made["inputs"] = {
                "type": "object",
                "required": [*self.schemas],
                "properties": self.schemas,
            }
        result = f"$steps.{last['stepId']}.outputs.response"
        return {**made, "steps": self.steps, "outputs": {"response": result}}

    def _unique_id(self, name: str) -> str:
        wanted = _NOT_IN_NAMES.sub("_", name)
        taken = {step["stepId"] for step in self.steps}
        count, made = 1, wanted
        while made in taken:
            count += 1
            made = f"{wanted}_{count}"
        return made

    def _target(self, operation: Operation, namespace: str) -> JsonObject:
        api = self.catalog.apis[namespace]
        own = operation.operation_id
        is_unique = own and sum(1 for each in api.operations if each.operation_id == own) == 1
        if not is_unique:
            path = f"{{$sourceDescriptions.{namespace}.url}}#{operation.pointer}"
            return {"operationPath": path}
        return {
            "operationId": own if self.is_one_source else f"$sourceDescriptions.{namespace}.{own}"
        }

    def _split(self, tool: Tool, arguments: JsonObject) -> tuple[list[JsonObject], Json]:
        """The arguments of a call as Parameter Objects and a payload; None for no payload."""
        parameters: list[JsonObject] = []
        payload: Json = None
        members: JsonObject = {}
        keys = add_idempotency_key(tool, {})
        for tool_input in tool.inputs:
            held = arguments.get(tool_input.group, {}) if tool_input.group else arguments
            if not is_object(held) or tool_input.name not in held:
                continue
            # Each run has a key of its own.
            if tool_input.name in keys:
                continue
            value = self._trace(held[tool_input.name], tool_input.target, tool_input)
            if tool_input.location not in _BODY:
                where = {"name": tool_input.target, "in": tool_input.location}
                parameters.append({**where, "value": value})
            elif tool_input.location == "body":
                payload = value
            else:
                members[tool_input.target] = value
        return parameters, members or payload

    def _trace(self, value: Json, name: str, tool_input: Input) -> Json:
        """A value, with expressions in the place of what came from elsewhere."""
        if is_object(value):
            return {key: self._trace(member, key, tool_input) for key, member in value.items()}
        if is_array(value):
            return [self._trace(item, name, tool_input) for item in value]
        if value is None or isinstance(value, bool):
            return value
        named, source = self._find(value, name)
        if source is not None and (named or not is_in_text(value, self.said)):
            return self._refer(source)
        # What would be read as an expression can only be given as an input.
        is_expression = isinstance(value, str) and (value.startswith("$") or "{$" in value)
        if is_in_text(value, self.said) or is_expression:
            return self._ask(value, name)
        return value

    def _find(self, value: Json, name: str) -> tuple[bool, _Found | None]:
        """The last response that gave a value, and whether the names say so too."""
        same = [
            each for each in self.found if type(each.value) is type(value) and each.value == value
        ]
        named = [each for each in same if _is_same_name(name, each)]
        if named:
            return True, named[-1]
        is_telling = isinstance(value, str) and len(value) >= _MIN_TEXT
        return False, same[-1] if same and is_telling else None

    def _refer(self, source: _Found) -> str:
        """The expression of a value that a step gave, which becomes an output of that step."""
        step = next(each for each in self.steps if each["stepId"] == source.step_id)
        outputs: JsonObject = step.setdefault("outputs", {})
        asked = f"$response.body#{source.pointer}" if source.pointer else "$response.body"
        known = next((name for name, written in outputs.items() if written == asked), None)
        if known is None:
            known = _free_name(_NOT_IN_NAMES.sub("_", source.name) or "value", outputs)
            outputs[known] = asked
        return f"$steps.{source.step_id}.outputs.{known}"

    def _ask(self, value: Json, name: str) -> str:
        """The expression of an input that has this value."""
        wanted = _NOT_IN_NAMES.sub("_", name) or "value"
        known = next(
            (
                other
                for other, given in self.values.items()
                if given == value and other.rstrip("_0123456789") == wanted.rstrip("_0123456789")
            ),
            None,
        )
        if known is None:
            known = _free_name(wanted, self.values)
            self.values[known] = value
            self.schemas[known] = {"type": _TYPES[type(value)], "examples": [value]}
        return f"$inputs.{known}"


def _leaves(value: Json, *path: str | int) -> Iterator[tuple[str, str, Json]]:
    """Each value within a response that is no truth value: its pointer, its name and itself."""
    if is_object(value):
        for key, member in value.items():
            yield from _leaves(member, *path, key)
    elif is_array(value):
        for number, item in enumerate(value):
            yield from _leaves(item, *path, number)
    elif value is not None and not isinstance(value, bool):
        names = [key for key in path if isinstance(key, str)]
        yield join_pointer(*path), names[-1] if names else "", value


def _is_same_name(wanted: str, found: _Found) -> bool:
    """Whether names say the same: `id` of a response is what any `..._id` is."""
    one, other = _plain(wanted), _plain(found.name)
    return bool(other) and (one == other or (len(other) > 1 and one.endswith(other)))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _free_name(wanted: str, taken: Mapping[str, Json]) -> str:
    count, made = 1, wanted
    while made in taken:
        count += 1
        made = f"{wanted}_{count}"
    return made


def _to_name(question: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", question)
    return "-".join(word.lower() for word in words[:6])[:60].strip("-")
