"""
Our own manifest: an agent in one file, in YAML or JSON.

    title: Shop
    prompt: Answer in one sentence.
    apis:
      - shop.yaml
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from restwright.agents.steps import StopReason
from restwright.jsontypes import Json, JsonObject
from restwright.manifests.text.source_lines import SourceLines
from restwright.openapi.model import Problem

__all__ = [
    "Expectation",
    "ExpectedCall",
    "Handoff",
    "Manifest",
    "ManifestApi",
    "ManifestController",
    "ManifestServer",
    "PolicyRules",
    "SampleTest",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRules:
    """
    What may be called; see `calls.policy.Policy`.

    Args:
        default: Empty where nothing is said.
        tools: `{pattern of names: decision, or class}`.
    """

    default: str = ""
    tools: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestApi:
    """
    One API of a manifest.

    Args:
        document: A path that may be read, or a URL.
        alias: None for the namespace that its document gives.
        overlays: Paths or URLs.
        include: Patterns of operations; empty for all.
        propagate_trace: Whether it is told which trace of OpenTelemetry a request is a part of.
        auth: References to credentials by security scheme, under `""` the one for any.
        fixed: `{operation: {input: value}}`, under `""` those of every operation that has them.
        pick: `{operation: JMESPath}`.
    """

    document: str
    alias: str | None = None
    overlays: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    read_only: bool = False
    server: str | None = None
    server_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    propagate_trace: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    auth: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    policy: PolicyRules = field(default_factory=PolicyRules)
    fixed: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    pick: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestServer:
    """
    One server of MCP of a manifest.

    Args:
        command: Program and arguments; empty for one at a URL.
        environment: `{variable: text, or a reference to a secret}`.
        trust_hints: Whether its word that a tool only reads is believed.
        tools: Which of its tools are used, and how: what is said of those of an API.
    """

    name: str
    tools: ManifestApi
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    trust_hints: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """
    An agent that can be handed over to.

    Args:
        file: Its manifest.
        known: All manifests of the run, by their files: agents may hand over in a circle.
        told: When to hand over, in words of this manifest; empty for those of the other.
        context: JSON Schemas of what it is told, by name.
        is_tool: Whether the model is offered to hand over; else only an action does.
    """

    name: str
    file: Path
    known: Mapping[Path, Manifest | None] = field(repr=False, compare=False)
    told: str = ""
    context: JsonObject = field(default_factory=dict[str, Json])
    is_tool: bool = True

    @property
    def manifest(self) -> Manifest:
        """Of the agent."""
        found = self.known[self.file]
        assert found is not None  # noqa: S101  (all are read before one is used)
        return found

    @property
    def description(self) -> str:
        """What it is for, or when to hand over."""
        return self.told or self.manifest.description or self.manifest.title or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCall:
    """
    A call that a sample must lead to.

    Args:
        tool: Name or pattern, whole or of the operation alone.
        arguments: That it must have, among others.
        schema: That its arguments fit; None for any.
    """

    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    schema: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """
    What must come of a sample.

    Args:
        calls: In this order, others may stand between them.
        no_calls: Patterns of tools that must not be called.
        matches: A pattern that the answer must fit; empty for none.
    """

    calls: tuple[ExpectedCall, ...] = ()
    no_calls: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    matches: str = ""
    stopped: StopReason = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTest:
    """Something that one could ask, and what must come of it."""

    name: str
    text: str
    expected: Expectation = field(default_factory=Expectation)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestController:
    """
    An object of a Python file, such as `shop.py:Prices`.

    Args:
        module: The file.
        owner: The name of the object; of a class, one is made of it.
    """

    module: Path
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """
    An agent as its file describes it.

    Args:
        source: The path as it was given.
        folder: Where its relative paths begin.
        model: As `model_named()` takes it; None where the manifest names none.
        kind: Of the agent; None for the one that suits its model.
        timezone: Whose dates the agent speaks of; empty for that of this machine.
        locale: Where the user is, such as `de-CH`; empty for nothing.
        functions: As they are written; checked when they are used.
        module: The Python file of those without an action; None for none.
        controller: The object whose methods are functions too; None for none.
        notebook: Whether the model may run Python that it writes itself.
        offers_notebook: Whether it is offered functions for that.
        temperature: Of the model; None for its own.
        intro: Of which one is said when a chat begins.
        bot: Label of what it says.
        you: Label of what the user says.
        form: Template of what the user says; empty for none.
        result_form: Template of what code gives; empty for none.
        skips_result: Whether a turn ends with what functions gave.
        forced: The function that each turn begins with; empty for none.
        resource: The text for `{resource}`; None for none.
        words: What `{random}` is taken from.
        limits: As `agents.driving.budget.Limits` names them.
        roots: Other folders whose files it may name.
        problems: What was passed over, such as keys that nobody reads.
        marks: The lines of its file.
    """

    source: str
    folder: Path
    name: str
    title: str = ""
    description: str = ""
    prompt: str = ""
    model: str | None = None
    model_url: str | None = None
    kind: str | None = None
    timezone: str = ""
    locale: str = ""
    apis: tuple[ManifestApi, ...] = ()
    servers: tuple[ManifestServer, ...] = ()
    functions: tuple[JsonObject, ...] = ()
    actions: JsonObject = field(default_factory=dict[str, Json])
    module: Path | None = None
    controller: ManifestController | None = None
    notebook: bool = False
    offers_notebook: bool = True
    temperature: float | None = None
    intro: tuple[str, ...] = ()
    bot: str = ""
    you: str = ""
    form: str = ""
    result_form: str = ""
    skips_result: bool = False
    forced: str = ""
    resource: str | None = None
    words: tuple[str, ...] = ()
    agents: tuple[Handoff, ...] = ()
    policy: PolicyRules = field(default_factory=PolicyRules)
    samples: tuple[SampleTest, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    roots: tuple[Path, ...] = ()
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    marks: SourceLines = field(default_factory=SourceLines, repr=False, compare=False)
