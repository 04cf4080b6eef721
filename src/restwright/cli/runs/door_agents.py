"""The agents of a server: one over all documents, and those of manifests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from restwright.agents.agent import Agent, Limits
from restwright.calls.auth.shared_tokens import share_tokens
from restwright.cli.inputs.model import model_for
from restwright.doors.agents import DocumentAgent, DoorAgent, ManifestAgent
from restwright.errors import UsageError
from restwright.mcp.sources import SourceSettings, load_served
from restwright.workspace.settings import CatalogSettings

if TYPE_CHECKING:
    from restwright.agents.journal.store import SharedLimits
    from restwright.agents.steps import AnyModel, Model
    from restwright.calls.approval.policy import Policy
    from restwright.calls.auth.connection import Connection
    from restwright.cli.inputs.run_options import LimitOptions, ModelOptions, MomentOptions
    from restwright.cli.render.output import Output
    from restwright.manifests.own.asking import AskedAgent
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.session.session import HandoffRequest
    from restwright.mcp.served import ServedAgent, ServedTools, UserConnections
    from restwright.net.messages import Send
    from restwright.tools.catalog.catalog import Catalog

DOCUMENT_AGENT = "restwright"
"""The name of the agent over documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorModels:
    """
    The models that agents ask; one that several have is opened once.

    Args:
        ending: Closes them at the end.
    """

    options: ModelOptions
    out: Output
    ending: ExitStack = field(repr=False)
    _models: dict[tuple[str | None, str | None], Model] = field(
        default_factory=dict[tuple[str | None, str | None], "Model"]
    )

    def find(self, manifest: Manifest | None = None) -> Model:
        """The model that the command line names, or else that of a manifest."""
        options = self.options
        if manifest is not None:
            options = options.or_else(manifest.model, manifest.model_url)
        name = options.model, options.model_url
        if name not in self._models:
            self._models[name] = self.ending.enter_context(model_for(options, self.out))
        return self._models[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorAgentMaker:
    """
    Makes the agents of a server from what the user says.

    Args:
        kind: How agents over documents go about a question.
        find_model: The model of an agent; of the one over documents without a manifest.
        policy: What may be called of documents.
        shared: What is shared with other machines; None for nothing.
    """

    kind: str | None
    limits: LimitOptions
    moment: MomentOptions
    send: Send
    policy: Policy
    find_model: Callable[[Manifest | None], AnyModel]
    shared: SharedLimits | None = None

    def read_agents(
        self, settings: SourceSettings, warn: Callable[[str], None]
    ) -> dict[str, DoorAgent]:
        """
        Read documents and manifests, and make an agent of all documents and one a manifest.

        Raises:
            UsageError: Two manifests have the same name, or one that is taken.
            RestwrightError: One of them cannot be used.
        """
        agents: list[DoorAgent] = []
        if settings.has_documents:
            served = load_served(replace(settings, manifests=()), warn)
            agents.append(self._make_document_agent(served.catalog, served.connections))
        alone = replace(settings, documents=(), catalog=CatalogSettings())
        for path in settings.manifests:
            served = load_served(replace(alone, manifests=[path]), warn)
            agents += [self._make_manifest_agent(agent) for agent in served.agents]
        return _by_name(agents)

    def make_agents(self, served: ServedTools, documents: Catalog | None) -> dict[str, DoorAgent]:
        """
        Make the same of what was read.

        Args:
            documents: The tools of documents alone; None where there are none.

        Raises:
            UsageError: Two manifests have the same name, or one that is taken.
        """
        agents: list[DoorAgent] = [self._make_manifest_agent(agent) for agent in served.agents]
        if documents is not None and documents.entries:
            agents = [self._make_document_agent(documents, served.connections), *agents]
        return _by_name(agents)

    def _make_document_agent(self, catalog: Catalog, connections: UserConnections) -> DocumentAgent:
        model = self.find_model(None)

        def make(user: str) -> Agent:
            own = connections.of_user(user)
            return Agent(
                catalog,
                model=model,
                connections=self._share({name: own[name] for name in own if name in catalog.apis}),
                send=self.send,
                policy=self.policy,
                kind=self.kind,
                limits=self.limits.over(Limits()),
                **self.moment.settings(),
            )

        title = ", ".join(api.title for api in catalog.apis.values())
        return DocumentAgent(name=DOCUMENT_AGENT, make=make, title=title)

    def _make_manifest_agent(self, agent: ServedAgent) -> ManifestAgent:
        model = cast("Model", self.find_model(agent.manifest))

        def make(
            asked: AskedAgent, user: str, on_switch: Callable[[HandoffRequest], None]
        ) -> Agent:
            blueprint, connections = agent.build(asked.manifest)
            more: dict[str, Any] = self.moment.settings()
            return blueprint.agent(
                model,
                on_switch=on_switch,
                memory=asked.memory,
                send=self.send,
                connections=self._share(
                    {name: connections.find(name, user) for name in blueprint.connections}
                ),
                limits=self.limits.over(blueprint.limits),
                **more,
            )

        return ManifestAgent(name=agent.manifest.name, manifest=agent.manifest, make=make)

    def _share(self, connections: dict[str, Connection]) -> dict[str, Connection]:
        """Have tokens shared, where limits are."""
        return share_tokens(connections, self.shared.tokens) if self.shared else connections


def _by_name(agents: list[DoorAgent]) -> dict[str, DoorAgent]:
    named = {agent.name: agent for agent in agents}
    if len(named) < len(agents):
        why = "two agents have the same name"
        raise UsageError(why, next_move="give each manifest a file name of its own")
    return named
