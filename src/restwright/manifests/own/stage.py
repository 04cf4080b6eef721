"""A chat with agents of manifests of our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from restwright.agents.steps import Model
from restwright.jsontypes import JsonObject
from restwright.manifests.own.builder import ManifestAgent
from restwright.manifests.own.manifest import Manifest
from restwright.manifests.session.driver import SessionDriver
from restwright.manifests.session.session import ManifestSession
from restwright.manifests.session.stage import FunctionView
from restwright.net.messages import Send
from restwright.openapi.load.source import read_file

AgentFactory = Callable[[Model], Mapping[str, ManifestAgent]]
"""Reads the manifests and makes their agents, who listens first as the first of them."""


@dataclass(slots=True, kw_only=True)
class OwnStage:
    """
    A session of our agents; see `stages.Stage`.

    Args:
        model_in_use: The model.
        make_agents: Called again where the manifests are to be read again.
        find_model: Finds a model by its name; None where none can be chosen.
    """

    session: ManifestSession
    model_in_use: Model
    make_agents: AgentFactory
    send: Send
    find_model: Callable[[str], Model] | None = None
    is_verbose: bool = False
    saved: list[JsonObject] = field(default_factory=list[JsonObject])

    @property
    def speaker(self) -> ManifestAgent:
        """Who listens."""
        found = self.session.speaker
        assert isinstance(found, ManifestAgent)  # noqa: S101  (all of them are, here)
        return found

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self.model_in_use.name

    @property
    def manifest_sets(self) -> Mapping[str, str]:
        """None: there is one folder only."""
        return {}

    def prompt(self) -> str | None:
        """What who listens is told."""
        return self.speaker.blueprint.manifest.prompt or None

    def functions(self) -> tuple[FunctionView, ...]:
        """What who listens can call."""
        offered = self.speaker.blueprint.offered
        tools = (offered[name] for name in offered.names)
        return tuple(FunctionView(tool.name, tool.description, tool.shows) for tool in tools)

    def manifest(self, agent: str) -> str | None:
        """The text of an agent's manifest, and what was passed over in it."""
        found = self.session.speakers.get(agent)
        if not isinstance(found, ManifestAgent):
            return None
        manifest = found.blueprint.manifest
        text = read_file(Path(manifest.source), source=manifest.source).decode("utf-8", "replace")
        notes = (f"note: {problem}" for problem in found.blueprint.problems)
        return "\n".join([text.rstrip("\n"), *notes])

    def reload(self, *, set_name: str = "", agent: str = "") -> None:
        """Read the manifests again."""
        del set_name
        self._begin(agent)

    def choose_model(self, name: str) -> bool:
        """Ask another model from now on."""
        if self.find_model is None:
            return False
        self.model_in_use = self.find_model(name)
        was = self.session
        self._begin(was.current)
        self.session.histories, self.session.memory = was.histories, was.memory
        return True

    def run_test(self, name: str) -> JsonObject | None:
        """None: `restwright test` runs the samples of our manifests."""
        del name
        return None

    def _begin(self, agent: str) -> None:
        made = open_own_stage(self.make_agents, self.model_in_use, self.send).session
        if agent in made.speakers:
            made.current = agent
        self.session = made


def open_own_stage(
    cast: AgentFactory, model: Model, send: Send, *, find: Callable[[str], Model] | None = None
) -> OwnStage:
    """
    Begin a chat.

    Raises:
        DocumentError, UnusableManifest: As of `manifest.load()` and `building.built()`.
    """
    speakers = cast(model)
    driving = SessionDriver(model=model, send=send)
    begun = ManifestSession(
        speakers=speakers, current=next(iter(speakers)), drive_turn=driving, restarts=False
    )
    return OwnStage(session=begun, model_in_use=model, make_agents=cast, send=send, find_model=find)


def reachable_manifests(first: Manifest) -> dict[str, Manifest]:
    """
    A manifest and all that can be handed over to, by the names that they are known by.

    Where one name means several, it is that of the one that is named nearest to the first.
    """
    found = {first.name: first}
    waiting = [first]
    while waiting:
        for agent in waiting.pop(0).agents:
            if agent.name not in found:
                found[agent.name] = agent.manifest
                waiting.append(agent.manifest)
    return found
