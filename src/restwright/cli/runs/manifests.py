"""The agents of a manifest, as the command line says how they reach their APIs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from restwright.cli.inputs.options import AllowFolder, ConnectionOptions, TransportOptions
from restwright.cli.inputs.run_options import (
    ApprovalOptions,
    LimitOptions,
    ModelOptions,
    MomentOptions,
)
from restwright.cli.render.output import Output, one_line
from restwright.cli.runs.hosts import HostConsent, own_origins

if TYPE_CHECKING:
    from restwright.agents.agent import Agent
    from restwright.agents.journal.store import Journal, SharedLimits
    from restwright.agents.steps import Answer
    from restwright.agents.steps import Model as AnyModel
    from restwright.calls.auth.connection import Connection
    from restwright.manifests.code.runner import CodeRunner
    from restwright.manifests.functions.code_calls import RunCode
    from restwright.manifests.own.asking import AskedAgent
    from restwright.manifests.own.builder import AgentBlueprint
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.session.session import HandoffRequest
    from restwright.net.messages import Send
    from restwright.net.policy.hosts import AllowedHost


ManifestFile = Annotated[
    Path,
    Argument(
        metavar="MANIFEST",
        help="A manifest, in YAML or JSON; or a file, folder or set of SlashGPT's.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class AccessOptions:
    """Options of what a manifest may use of this machine."""

    allow_folder: AllowFolder = None
    allow_host: Annotated[
        list[str] | None,
        Option(
            "--allow-host",
            metavar="HOST[:PORT]",
            help="Let actions of the manifest ask this host though it is this machine or in a"
            " private network. May be repeated.",
        ),
    ] = None
    env_file: Annotated[
        Path | None,
        Option(
            "--env-file",
            metavar="FILE",
            help="Read variables from this file, such as .env beside the manifest; those that are"
            " set already win.",
        ),
    ] = None
    allow_code: Annotated[
        bool,
        Option("--allow-code", help="Run the Python of the manifest, in processes of their own."),
    ] = False
    notebooks: Annotated[
        Path | None,
        Option("--notebooks", metavar="DIR", help="Keep notebooks there, with --allow-code."),
    ] = None
    allow_file: Annotated[
        list[str] | None,
        Option(
            "--allow-file",
            metavar="PATH[:rw]",
            help="Let the code read this file or folder, under the same path; with :rw change it"
            " too. May be repeated.",
        ),
    ] = None
    allow_net: Annotated[
        list[str] | None,
        Option(
            "--allow-net",
            metavar="HOST[:PORT]",
            help="Let the code ask this host over HTTP and HTTPS. May be repeated.",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse what is no host, and what is for code that is off."""
        _parse_hosts("--allow-host", self.allow_host)
        _parse_hosts("--allow-net", self.allow_net)
        _split_files(self.allow_file or ())
        for name, given in (("--allow-file", self.allow_file), ("--allow-net", self.allow_net)):
            if given and not self.allow_code:
                raise BadParameter(f"{name} needs --allow-code")

    @property
    def hosts(self) -> tuple[AllowedHost, ...]:
        """Those that actions may ask wherever they are."""
        return _parse_hosts("--allow-host", self.allow_host)

    @property
    def is_given(self) -> bool:
        """Whether any of them is."""
        return self != AccessOptions()

    @contextmanager
    def code(self) -> Generator[RunCode | None]:
        """
        What runs the code of manifests; None where that is not allowed.

        Meanwhile there are the variables of --env-file.
        """
        folder = self.notebooks
        if folder is not None and not (self.allow_code and folder.is_dir()):
            why = "is no folder" if self.allow_code else "needs --allow-code"
            raise BadParameter(f"--notebooks {folder} {why}")
        from restwright.workspace.environment import environment_from

        with environment_from(self.env_file):
            if self.allow_code:
                from restwright.cli.render.images import ShowingCode

                with self._open_runner() as run:
                    yield ShowingCode(run)
            else:
                yield None

    def _open_runner(self) -> CodeRunner:
        from restwright.manifests.code.limits import ModuleSettings, NotebookSettings
        from restwright.manifests.code.runner import CodeRunner

        reads, writes = _split_files(self.allow_file or ())
        hosts = _parse_hosts("--allow-net", self.allow_net)
        return CodeRunner(
            modules=ModuleSettings(reads=reads, writes=writes, hosts=hosts),
            notebooks=NotebookSettings(reads=reads, writes=writes, hosts=hosts),
            folder=self.notebooks,
        )


def _parse_hosts(option: str, texts: Sequence[str] | None) -> tuple[AllowedHost, ...]:
    if not texts:
        return ()
    from restwright.net.policy.hosts import AllowedHost

    try:
        return tuple(map(AllowedHost.parse, texts))
    except ValueError as error:
        raise BadParameter(f"{option}: {error}") from None


def _split_files(texts: Sequence[str]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What of `PATH[:rw]` is only read, and what may be changed too."""
    given = {Path(text.removesuffix(":rw")): text.endswith(":rw") for text in texts}
    for path in given:
        if not path.exists():
            raise BadParameter(f"--allow-file {path}: there is no such file or folder")
        if ".." in path.parts:
            raise BadParameter(f"--allow-file {path}: name it by its whole path, or from above it")
    reads = tuple(path for path, is_changed in given.items() if not is_changed)
    return reads, tuple(path for path, is_changed in given.items() if is_changed)


@dataclass(frozen=True, kw_only=True)
class ReachOptions:
    """Options of how the APIs of a manifest are reached, and its files read."""

    connection: ConnectionOptions = field(default_factory=ConnectionOptions)
    access: AccessOptions = field(default_factory=AccessOptions)
    transport: TransportOptions = field(default_factory=TransportOptions)


@dataclass(frozen=True, kw_only=True)
class ManifestOptions:
    """Options of how the agents of a manifest are run."""

    model: ModelOptions = field(default_factory=ModelOptions)
    approval: ApprovalOptions = field(default_factory=ApprovalOptions)
    reach: ReachOptions = field(default_factory=ReachOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
    moment: MomentOptions = field(default_factory=MomentOptions)


def loaded_from(path: Path, access: AccessOptions, out: Output) -> Manifest:
    """
    Read a manifest, and say what of it is passed over.

    Raises:
        DocumentUnavailable, UnreadableDocument, UnusableManifest: It cannot be used.
    """
    from restwright.manifests.own.loader import load_manifest

    manifest = load_manifest(path, allow=access.allow_folder)
    for problem in manifest.problems:
        out.note(one_line(f"{problem.severity}: {path}: {problem}"))
    return manifest


@dataclass(slots=True)
class Agents:
    """The agents of a manifest and of those that it hands over to, made when one is needed."""

    first: Manifest
    options: ManifestOptions
    out: Output
    run: RunCode | None = None
    _blueprints: dict[str, AgentBlueprint] | None = None
    _consent: HostConsent | None = None

    def build(self, manifest: Manifest | None = None) -> AgentBlueprint:
        """All of one agent but its model; what is doubtful is said once."""
        from restwright.manifests.own.builder import build_blueprint

        wanted, approval = manifest or self.first, self.options.approval
        known = self._blueprints = self._blueprints or {}
        if wanted.source not in known:
            made = build_blueprint(
                wanted,
                yes=approval.yes,
                read_only=approval.read_only,
                allow_commands=self.options.reach.connection.allow_commands,
                run=self.run,
                named=self._named_origins(wanted),
            )
            for problem in made.problems[len(wanted.problems) :]:
                self.out.note(one_line(f"{problem.severity}: {problem}"))
            policy = made.policy
            if approval.trust_apis:
                policy = replace(policy, after_foreign_read="allow")
            made = replace(made, connections=self._connections(made, wanted), policy=policy)
            _check_servers(made)
            known[wanted.source] = made
        return known[wanted.source]

    def _named_origins(self, manifest: Manifest) -> tuple[str, ...]:
        """Those of its actions that may be on this machine, or in a private network."""
        hosts = self.options.reach.access.hosts
        consent = self._consent = self._consent or HostConsent(allowed=hosts, out=self.out)
        return consent.named_origins(own_origins(manifest), manifest.folder)

    def _connections(
        self, blueprint: AgentBlueprint, manifest: Manifest
    ) -> Mapping[str, Connection]:
        """Those of the command line for the APIs of the manifest that was named."""
        connection = self.options.reach.connection
        if manifest is not self.first or not connection.is_given:
            return blueprint.connections
        if not blueprint.connections:
            raise BadParameter(
                "--server, --server-variable, --auth and --header are for `apis`, which the"
                " manifest has none of; its actions name their servers and secrets themselves"
            )
        given = connection.connections([*blueprint.connections])
        return {name: _joined(own, given[name]) for name, own in blueprint.connections.items()}


def _check_servers(blueprint: AgentBlueprint) -> None:
    """Find out before a run whether every API has the server that was chosen of it."""
    from restwright.calls.request.servers import check_server_choice

    for name, given in blueprint.connections.items():
        check_server_choice(blueprint.catalog.apis[name], given.server, given.server_variables)


def _joined(overrides: Connection, connection: Connection) -> Connection:
    """What the command line says of an API in the place of what the manifest does."""
    if (
        connection.server is not None
        and connection.server != overrides.server
        and connection.auth is None
    ):
        # A credential is for the server that it was named beside.
        return connection
    return replace(
        overrides,
        server=connection.server or overrides.server,
        auth=overrides.auth if connection.auth is None else connection.auth,
        headers={**overrides.headers, **connection.headers},
        server_variables={**overrides.server_variables, **connection.server_variables},
    )


@dataclass(slots=True)
class Asking:
    """Asks an agent, and those that it hands over to."""

    agents: Agents
    model: AnyModel
    send: Send
    agent_options: dict[str, Any]
    shared: SharedLimits | None = None

    def ask(self, question: str, journal: Journal | None, resume: str | None) -> Answer:
        """
        Ask the first agent, then those that it hands over to.

        Args:
            resume: Any session of a run. All agents of it are asked again, the first one first:
                what they did is taken from the journal.
        """
        from restwright.agents.runtime.telemetry import make_tracer
        from restwright.manifests.own.asking import ask_manifest

        first = self.agents.first
        if not first.agents:
            return ask_manifest(first, question, self._make_agent, journal=journal, resume=resume)
        tracer = make_tracer(self.model, name=first.title or first.kind or "")
        header = None if journal is None or resume is None else journal.find(resume).header
        with tracer.workflow(header.traceparent if header else ""):
            return ask_manifest(first, question, self._make_agent, journal=journal, resume=resume)

    def _make_agent(self, asked: AskedAgent, on_switch: Callable[[HandoffRequest], None]) -> Agent:
        made = self.agents.build(asked.manifest)
        limits = self.agents.options.limits.over(made.limits)
        connections = made.connections
        if self.shared is not None:
            from restwright.calls.auth.shared_tokens import share_tokens

            connections = share_tokens(connections, self.shared.tokens)
        return made.agent(
            self.model,
            connections=connections,
            on_switch=on_switch,
            memory=asked.memory,
            send=self.send,
            limits=limits,
            **self.agents.options.moment.settings(),
            **self.agent_options,
        )
