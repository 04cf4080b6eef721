"""The agents of a server: one over all documents, and those of manifests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from restwright.agents.agent import Agent, Limits
from restwright.cli.inputs.model import model_for
from restwright.doors.agents import DocumentAgent, DoorAgent, ManifestAgent
from restwright.errors import UsageError
from restwright.mcp.sources.sources import SourceSettings, load_served
from restwright.workspace.settings import CatalogSettings

if TYPE_CHECKING:
    from restwright.agents.steps import Model
    from restwright.cli.inputs.run_options import AgentOptions, LimitOptions, MomentOptions
    from restwright.cli.render.output import Output
    from restwright.manifests.own.asking import AskedAgent
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.session.session import HandoffRequest
    from restwright.mcp.sources.served import ServedAgent, ServedTools
    from restwright.net.messages import Send

DOCUMENT_AGENT = "restwright"
"""The name of the agent over documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorAgentMaker:
    """
    Makes the agents of a server from what the user says.

    Args:
        ending: Closes the models at the end.
    """

    options: AgentOptions
    limits: LimitOptions
    moment: MomentOptions
    send: Send
    out: Output
    ending: ExitStack = field(repr=False)
    _models: dict[tuple[str | None, str | None], Model] = field(
        default_factory=dict[tuple[str | None, str | None], "Model"]
    )

    def make_agents(self, settings: SourceSettings) -> dict[str, DoorAgent]:
        """
        Read documents and manifests, and make an agent of all documents and one a manifest.

        Raises:
            UsageError: Two manifests have the same name, or one that is taken.
            RestwrightError: One of them cannot be used.
        """
        agents: list[DoorAgent] = []
        if settings.has_documents:
            served = load_served(replace(settings, manifests=()), self.out.warn)
            agents.append(self._make_document_agent(served, settings))
        alone = replace(settings, documents=(), catalog=CatalogSettings())
        for path in settings.manifests:
            served = load_served(replace(alone, manifests=[path]), self.out.warn)
            agents += [self._make_manifest_agent(agent) for agent in served.agents]
        by_name = {agent.name: agent for agent in agents}
        if len(by_name) < len(agents):
            why = "two agents have the same name"
            raise UsageError(why, next_move="give each manifest a file name of its own")
        return by_name

    def _make_document_agent(self, served: ServedTools, settings: SourceSettings) -> DocumentAgent:
        model = self._open_model()

        def make(user: str) -> Agent:
            connections = {
                name: served.connections.find(name, user) for name in served.connections.shared
            }
            return Agent(
                served.catalog,
                model=model,
                connections=connections,
                send=self.send,
                policy=settings.policy,
                kind=self.options.agent_kind,
                limits=self.limits.over(Limits()),
                **self.moment.settings(),
            )

        apis = served.catalog.apis
        title = ", ".join(api.title for api in apis.values())
        return DocumentAgent(name=DOCUMENT_AGENT, make=make, title=title)

    def _make_manifest_agent(self, agent: ServedAgent) -> ManifestAgent:
        model = self._open_model(agent.manifest)

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
                connections={name: connections.find(name, user) for name in blueprint.connections},
                limits=self.limits.over(blueprint.limits),
                **more,
            )

        return ManifestAgent(name=agent.manifest.name, manifest=agent.manifest, make=make)

    def _open_model(self, manifest: Manifest | None = None) -> Model:
        """The model that is named; one that several agents have is opened once."""
        options = self.options.model
        if manifest is not None:
            options = options.or_else(manifest.model, manifest.model_url)
        name = options.model, options.model_url
        if name not in self._models:
            self._models[name] = self.ending.enter_context(model_for(options, self.out))
        return self._models[name]
