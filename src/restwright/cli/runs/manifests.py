"""The agents of a manifest, as the command line says how they reach their APIs."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from restwright.cli.inputs.options import ConnectionOptions, TransportOptions
from restwright.cli.render.output import Output, one_line

if TYPE_CHECKING:
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.journal.store import Journal
    from restwright.agents.steps import Answer
    from restwright.agents.steps import Model as AnyModel
    from restwright.calls.auth.connection import Connection
    from restwright.manifests.functions.code_calls import RunCode
    from restwright.manifests.own.builder import AgentBlueprint
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.session.session import HandoffRequest
    from restwright.net.messages import Send


MAX_SWITCHES = 8

ManifestFile = Annotated[
    Path,
    Argument(
        metavar="MANIFEST",
        help="A manifest, in YAML or JSON; or a file, folder or set of SlashGPT's.",
        show_default=False,
    ),
]
ReadOnly = Annotated[bool, Option("--read-only", help="Use only tools that change nothing.")]
AllowFolder = Annotated[
    Path | None,
    Option("--allow-folder", metavar="DIR", help="Let the manifest name files in this folder too."),
]
AllowCode = Annotated[
    bool,
    Option("--allow-code", help="Run the Python of the manifest, in processes of their own."),
]
Notebooks = Annotated[
    Path | None,
    Option("--notebooks", metavar="DIR", help="Keep notebooks there, with --allow-code."),
]


@dataclass(frozen=True, kw_only=True)
class Reached(TransportOptions, ConnectionOptions):
    """Options of how the APIs of a manifest are reached, and its files read."""

    allow_folder: AllowFolder = None
    allow_code: AllowCode = False
    notebooks: Notebooks = None

    @property
    def is_given(self) -> bool:
        """Whether the command line says something in the place of the manifest."""
        return any((self.server, self.server_variable, self.auth, self.header))

    @contextmanager
    def code(self) -> Generator[RunCode | None]:
        """What runs the code of manifests; None where that is not allowed."""
        folder = self.notebooks
        if folder is not None and not (self.allow_code and folder.is_dir()):
            why = "is no folder" if self.allow_code else "needs --allow-code"
            raise BadParameter(f"--notebooks {folder} {why}")
        if not self.allow_code:
            yield None
            return
        from restwright.manifests.code.runner import CodeRunner

        with CodeRunner(folder=folder) as run:
            yield run


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits of a run, in the place of those of the manifest."""

    max_calls: Annotated[
        int | None, Option("--max-calls", min=1, metavar="N", help="Most HTTP calls.")
    ] = None
    max_model_calls: Annotated[
        int | None,
        Option("--max-model-calls", min=1, metavar="N", help="Most requests to the model."),
    ] = None
    max_tokens: Annotated[
        int | None,
        Option("--max-tokens", min=1, metavar="N", help="Most tokens, read and written."),
    ] = None
    max_seconds: Annotated[
        float | None,
        Option("--max-seconds", min=0.1, max=86400, metavar="SECONDS", help="Longest run."),
    ] = None
    max_steps: Annotated[
        int | None, Option("--max-steps", min=1, metavar="N", help="Most steps of the agent.")
    ] = None
    max_cost: Annotated[
        float | None,
        Option("--max-cost", min=0, metavar="DOLLARS", help="Most that the model may cost."),
    ] = None
    max_calls_per_api: Annotated[
        int | None,
        Option("--max-calls-per-api", min=1, metavar="N", help="Most HTTP calls to each API."),
    ] = None

    def over(self, limits: Limits) -> Limits:
        """`limits`, where nothing else is said here."""
        given = {
            name.removeprefix("max_"): value
            for name, value in vars(self).items()
            if value is not None
        }
        return replace(limits, **given)


def loaded_from(path: Path, reached: Reached, out: Output) -> Manifest:
    """
    Read a manifest, and say what of it is passed over.

    Raises:
        DocumentUnavailable, UnreadableDocument, UnusableManifest: It cannot be used.
    """
    from restwright.manifests.own.loader import load_manifest

    manifest = load_manifest(path, allow=reached.allow_folder)
    for problem in manifest.problems:
        out.note(one_line(f"{problem.severity}: {path}: {problem}"))
    return manifest


def model_of(
    manifest: Manifest, model: str | None, url: str | None
) -> tuple[str | None, str | None]:
    """The model that the command line names, else the one of the manifest."""
    return (model, url) if model is not None else (manifest.model, url or manifest.model_url)


@dataclass(slots=True)
class Agents:
    """
    The agents of a manifest and of those that it hands over to, made when one is needed.

    Args:
        trusts: Whether what their APIs say is trusted, as with `--trust-apis`.
    """

    first: Manifest
    reached: Reached
    yes: bool
    read_only: bool
    out: Output
    run: RunCode | None = None
    trusts: bool = False
    _made: dict[str, AgentBlueprint] | None = None

    def built(self, manifest: Manifest | None = None) -> AgentBlueprint:
        """All of one agent but its model; what is doubtful is said once."""
        from restwright.manifests.own.builder import build_blueprint

        wanted = manifest or self.first
        known = self._made = self._made or {}
        if wanted.source not in known:
            made = build_blueprint(
                wanted,
                yes=self.yes,
                read_only=self.read_only,
                allow_commands=self.reached.allow_commands,
                run=self.run,
            )
            for problem in made.problems[len(wanted.problems) :]:
                self.out.note(one_line(f"{problem.severity}: {problem}"))
            policy = replace(made.policy, crossing="allow") if self.trusts else made.policy
            made = replace(made, connections=self._connections(made, wanted), policy=policy)
            _check_servers(made)
            known[wanted.source] = made
        return known[wanted.source]

    def _connections(self, made: AgentBlueprint, manifest: Manifest) -> Mapping[str, Connection]:
        """Those of the command line for the APIs of the manifest that was named."""
        if manifest is not self.first or not self.reached.is_given:
            return made.connections
        given = self.reached.connections([*made.connections])
        return {name: _joined(own, given[name]) for name, own in made.connections.items()}


def _check_servers(made: AgentBlueprint) -> None:
    """Find out before a run whether every API has the server that was chosen of it."""
    from restwright.calls.request.servers import check_server_choice

    for name, given in made.connections.items():
        check_server_choice(made.catalog.apis[name], given.server, given.server_variables)


def _joined(own: Connection, given: Connection) -> Connection:
    """What the command line says of an API in the place of what the manifest does."""
    if given.server is not None and given.server != own.server and given.auth is None:
        # A credential is for the server that it was named beside.
        return given
    return replace(
        own,
        server=given.server or own.server,
        auth=own.auth if given.auth is None else given.auth,
        headers={**own.headers, **given.headers},
        server_variables={**own.server_variables, **given.server_variables},
    )


@dataclass(slots=True)
class Asking:
    """Asks an agent, and those that it hands over to."""

    agents: Agents
    model: AnyModel
    send: Send
    bounds: Bounds
    more: dict[str, Any]

    def ask(self, question: str, journal: Journal | None, resume: str | None) -> Answer:
        """
        Ask the first agent, then those that it hands over to.

        Args:
            resume: Any session of a run. All agents of it are asked again, the first one first:
                what they did is taken from the journal.
        """
        from restwright.agents.runtime.telemetry import make_tracer

        first = self.agents.first
        if not first.agents:
            return self._asked(question, journal, resume)
        with make_tracer(self.model, name=first.title or first.kind).workflow():
            return self._asked(question, journal, resume)

    def _asked(self, question: str, journal: Journal | None, resume: str | None) -> Answer:
        from restwright.agents.journal.handoffs import first_session, load_handoffs, start_handoff

        manifest = self.agents.first
        said: list[Answer] = []
        if journal is not None and resume is not None:
            resume = first_session(load_handoffs(journal), resume)
        for _ in range(MAX_SWITCHES + 1):
            switches: list[HandoffRequest] = []
            agent = self._agent(manifest, switches)
            if journal is not None and said:
                resume = start_handoff(journal, said[-1].session, agent.opening(question))
            said.append(agent.ask(question, journal=journal, resume=resume))
            if not switches:
                return _together(said)
            others = {handoff.name: handoff.manifest for handoff in manifest.agents}
            manifest, question = others[switches[0].agent], _handed(switches[0])
        reason = f"the agents handed over {MAX_SWITCHES} times without an answer"
        return replace(_together(said), stopped="limit", reason=reason)

    def _agent(self, manifest: Manifest, switches: list[HandoffRequest]) -> Agent:
        made = self.agents.built(manifest)
        limits = self.bounds.over(made.limits)
        return made.agent(
            self.model, on_switch=switches.append, send=self.send, limits=limits, **self.more
        )


def _handed(switch: HandoffRequest) -> str:
    """What the next agent is asked, with what it is told beside."""
    from restwright.calls.truncate import compact_json

    told = f"\n\nWhat is known: {compact_json(switch.memory)}" if switch.memory else ""
    return f"{switch.message}{told}"


def _together(said: list[Answer]) -> Answer:
    """One answer of several agents: the words of the last, and all that was done."""
    last = said[-1]
    if len(said) == 1:
        return last
    from restwright.cli.runs.slashgpt import summed

    usage = summed([answer.usage for answer in said])
    return replace(
        last,
        steps=tuple(step for answer in said for step in answer.steps),
        calls=tuple(call for answer in said for call in answer.calls),
        usage=usage,
    )
