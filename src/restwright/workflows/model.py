"""What an Arazzo document says, read: workflows, steps and actions, bound to tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from restwright.jsontypes import Json, JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool
from restwright.workflows.criteria import Criterion
from restwright.workflows.expressions import ABSENT

ParameterLocation = Literal["path", "query", "querystring", "header", "cookie", ""]
ActionType = Literal["end", "goto", "retry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowReference:
    """Which workflow is meant; `source` is empty for one of the same document."""

    workflow_id: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepParameter:
    """A Parameter Object; without location it is an input of a workflow."""

    name: str
    location: ParameterLocation
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """
    A Success or Failure Action Object.

    Args:
        retry_after_s: Seconds; where the server says how long to wait, that holds.
    """

    name: str
    type: ActionType
    step_id: str = ""
    workflow: WorkflowReference | None = None
    parameters: tuple[StepParameter, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    retry_after_s: float = 0.0
    retry_limit: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A Payload Replacement Object; `target` is a JSON Pointer, or a JSONPath query."""

    target: str
    is_query: bool
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    A Step Object: a call of `tool`, or of `workflow`.

    Args:
        tool: As its operation is called with the media type of the payload.
        payload: `ABSENT` where there is none.
        on_success: Its own actions and then those of the workflow, each name once.
    """

    step_id: str
    tool: Tool | None = None
    workflow: WorkflowReference | None = None
    parameters: tuple[StepParameter, ...] = ()
    payload: Json = ABSENT
    replacements: tuple[Replacement, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    on_success: tuple[Action, ...] = ()
    on_failure: tuple[Action, ...] = ()
    outputs: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """
    A Workflow Object.

    Args:
        inputs: JSON Schema, an object.
        depends_on: Those that are run before it, with its inputs of the same names.
    """

    workflow_id: str
    summary: str
    description: str
    inputs: JsonObject
    depends_on: tuple[WorkflowReference, ...]
    steps: tuple[Step, ...]
    outputs: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowDocument:
    """
    An Arazzo document, read.

    Args:
        catalogs: `{name of a source: the tools of its API}`.
        documents: `{name of a source: that other Arazzo document}`.
        sources: `{name of a source: its Source Description Object}`.
        workflows: Those that can be run.
    """

    source: str
    title: str
    version: str
    description: str
    self_uri: str
    catalogs: Mapping[str, Catalog]
    documents: Mapping[str, WorkflowDocument]
    sources: Mapping[str, JsonObject]
    workflows: Mapping[str, Workflow]

    def find(self, reference: WorkflowReference) -> tuple[WorkflowDocument, Workflow] | None:
        """The workflow that is meant, with the document that it stands in."""
        owner = self.documents.get(reference.source) if reference.source else self
        workflow = owner.workflows.get(reference.workflow_id) if owner else None
        return (owner, workflow) if owner and workflow else None
