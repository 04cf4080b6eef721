"""From a manifest to an agent that is ready to be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import choice
from typing import Any

from restwright.agents.agent import Agent, find_loop, is_small
from restwright.agents.prompting.moment import clock_in
from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import Conclusion, Message, Model, Steps
from restwright.calls.approval.policy import Policy
from restwright.calls.auth.connection import Connection, resolve_credential
from restwright.calls.auth.credential_text import credential_from_text
from restwright.calls.auth.credentials import Auth
from restwright.errors import DocumentUnavailable, NameCollision, UnusableManifest
from restwright.jsontypes import JsonObject
from restwright.manifests.code.notebook_tools import NOTEBOOK_TOOLS
from restwright.manifests.functions.actions import ActionLocation, ManifestAction, parse_action
from restwright.manifests.functions.code_calls import OFF, RunCode
from restwright.manifests.functions.functions import (
    NOTEBOOK_NAMES,
    Abilities,
    Ability,
    ManifestCode,
    build_abilities,
)
from restwright.manifests.functions.handoff import handoff_from_action
from restwright.manifests.functions.openai_functions import parse_functions
from restwright.manifests.functions.requests import RequestSettings
from restwright.manifests.own.controller import load_controller
from restwright.manifests.own.conversation import (
    apply_form,
    converse,
    fill_live_values,
    format_known,
    is_conversation,
)
from restwright.manifests.own.manifest import Handoff, Manifest, ManifestApi, ManifestServer
from restwright.manifests.own.middleware import MakeHandoff, Middleware, apply_middleware
from restwright.manifests.own.tool_selection import (
    InapplicableSetting,
    apply_function_rules,
    collect_fixed_arguments,
    filter_api_tools,
    find_idle_api_patterns,
    find_idle_rule_patterns,
    find_operation_name,
    hide_fixed_arguments,
    make_manifest_policy,
)
from restwright.manifests.session.session import AgentTurn, HandoffRequest, Sample, TurnContext
from restwright.manifests.text.warnings import Note
from restwright.mcp_client.server import MCPServer, attach_servers
from restwright.mcp_client.settings import ServerProcess, ServerSettings, ServerURL
from restwright.net.documents import Retrieve
from restwright.net.messages import Send
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.secret import Secret
from restwright.net.secret_references import is_secret_reference, resolve_secret
from restwright.openapi.api import load
from restwright.openapi.load.source import read_file
from restwright.openapi.model import API, Problem
from restwright.openapi.references import join_pointer
from restwright.tools.catalog.catalog import Catalog, catalog, combine_catalogs
from restwright.tools.function_tools import (
    FunctionTool,
    build_function_catalog,
    tool_names_by_function,
)
from restwright.tools.tool import Handler, LocalResult

__all__ = ["AgentBlueprint", "ManifestAgent", "build_blueprint", "make_manifest_agent"]

AGENTS = "agents"
"""The namespace of the tools that hand over."""

_SECRET = re.compile(r"(.*[ =])?((?:env|file|keyring):\S*|cmd:.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBlueprint:
    """
    All of an agent but its model.

    Args:
        catalog: Its tools as they are called.
        offered: The same as its model sees them.
        connections: `{namespace: Connection}`.
        limits: Those of the manifest over ours.
        abilities: The functions of its file, as a conversation offers them.
        problems: What was passed over in the manifest and in its overlays.
    """

    manifest: Manifest
    catalog: Catalog
    offered: Catalog
    connections: Mapping[str, Connection] = field(repr=False)
    policy: Policy
    limits: Limits
    middleware: Middleware = field(repr=False)
    abilities: tuple[Ability, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    def agent(
        self,
        model: Model,
        *,
        on_switch: Callable[[HandoffRequest], None] | None = None,
        memory: JsonObject | None = None,
        **more: Any,
    ) -> Agent:
        """
        Return the agent.

        Args:
            on_switch: Told where it hands over; its answer is empty then.
            memory: What agents before it left.
            more: Of `Agent`, in the place of what the manifest says.
        """

        def loop(agent: Agent, question: str) -> Steps[Conclusion]:
            ended = yield from self.steps(agent, question, context=TurnContext(memory=memory))
            if isinstance(ended, HandoffRequest):
                if on_switch is not None:
                    on_switch(ended)
                return Conclusion(text="")
            return Conclusion(text=ended.text, stopped=ended.stopped, reason=ended.reason)

        # By this name traces and journals know what kind it is.
        manifest = self.manifest
        loop.__name__ = manifest.kind or ("rest" if is_small(model) else "calling")
        given: dict[str, Any] = {
            "connections": self.connections,
            "policy": self.policy,
            "limits": self.limits,
            "kind": loop,
            "name": manifest.title,
            "description": manifest.description,
            "now": clock_in(manifest.timezone) if manifest.timezone else None,
            "locale": manifest.locale,
        }
        return Agent(self.catalog, model=model, **(given | more))

    def steps(
        self, agent: Agent, question: str, *, context: TurnContext
    ) -> Steps[AgentTurn | HandoffRequest]:
        """The steps of one answer, with what the manifest adds to them."""
        manifest = self.manifest
        asked = apply_form(manifest.form, question)
        is_talk = is_conversation(manifest)
        known = format_known(manifest, context, has_history=is_talk)
        prompt = fill_live_values(manifest, agent, context)
        told = "\n\n".join(filter(None, (prompt, known)))
        if is_talk:
            abilities = self.abilities
            steps = converse(
                manifest, agent, asked, system=told, context=context, abilities=abilities
            )
            return apply_middleware(steps, replace(self.middleware, temperature=None))
        shown = replace(agent, catalog=self.offered, kind=manifest.kind)
        answer = _as_turn(find_loop(shown.chosen_kind)(shown, asked), asked, context)
        return apply_middleware(answer, replace(self.middleware, system_text=told))


def _as_turn(steps: Steps[Conclusion], asked: str, context: TurnContext) -> Steps[AgentTurn]:
    """The end of a loop as a turn, which goes on from what was said before."""
    ended = yield from steps
    said = (*context.history, Message("user", asked))
    history = (*said, Message("assistant", ended.text)) if ended.text else said
    return AgentTurn(text=ended.text, history=history, stopped=ended.stopped, reason=ended.reason)


def build_blueprint(
    manifest: Manifest,
    *,
    yes: bool = False,
    read_only: bool = False,
    connections: Mapping[str, Connection] | None = None,
    retrieve: Retrieve | None = None,
    allow_commands: bool = False,
    run: RunCode | None = None,
    named: Iterable[str] | None = None,
) -> AgentBlueprint:
    """
    Read the documents of a manifest, and make its tools.

    Args:
        yes: Whether writes may be sent without asking, where the manifest does not forbid it.
        read_only: Whether only operations that change nothing are kept.
        connections: By namespace, in the place of what the manifest says of an API.
        allow_commands: Whether a reference may be `cmd:COMMAND`.
        run: Runs the code of the manifest; None where that is off.
        named: Origins of its actions that may be this machine or in a private network; None where
            what carries the requests knows them alone.

    Raises:
        UnusableManifest: It names an operation, input or action that there is not.
        DocumentError: A document or an overlay cannot be used.
        MissingCredential: A header's reference leads nowhere.
    """
    origins = None if named is None else frozenset(map(parse_origin, named))
    return _BlueprintBuilder(manifest, retrieve, allow_commands, run, origins).build(
        yes=yes, read_only=read_only, connections=connections or {}
    )


@dataclass(slots=True)
class _BlueprintBuilder:
    """The state of one manifest on its way to an agent."""

    manifest: Manifest
    retrieve: Retrieve | None
    allow_commands: bool
    run: RunCode | None = None
    named: frozenset[Origin] | None = None
    problems: list[Problem] = field(default_factory=list[Problem])
    abilities: tuple[Ability, ...] = ()
    names: Sequence[str] = ()  # of all tools of the APIs, also of those that are not offered

    def make_error(self, pointer: str, why: str) -> UnusableManifest:
        line = self.manifest.marks.line(pointer)
        return UnusableManifest(self.manifest.source, line, pointer, why)

    def add_problem(self, pointer: str, what: str) -> None:
        line = self.manifest.marks.line(pointer)
        self.problems.append(Problem(pointer, f"line {line}: {what}" if line else what))

    def build(
        self, *, yes: bool, read_only: bool, connections: Mapping[str, Connection]
    ) -> AgentBlueprint:
        manifest = self.manifest
        self.problems.extend(manifest.problems)
        whole, by_namespace = self.load_apis(read_only=read_only)
        fixed, picks = self.collect_arguments_and_picks(whole, by_namespace)
        policy = make_manifest_policy(manifest, whole, by_namespace, yes=yes)
        own = {name: self.make_connection(each) for name, each in by_namespace.items()}
        offered = hide_fixed_arguments(whole, fixed, picks)
        switches: dict[str, MakeHandoff] = {}
        functions, handoffs = self.make_function_tools(switches), self.make_handoff_tools(switches)
        own_tools = [
            (functions, "functions of this file"),
            (self.make_controller_tools(), "functions of its module"),
            (handoffs, "agents"),
        ]
        for more, what in own_tools:
            if more is not None:
                self.check_namespaces(whole, more, what)
                whole = combine_catalogs([whole, more]) if whole.apis else more
                offered = combine_catalogs([offered, more]) if offered.apis else more
        if (manifest.apis or manifest.servers) and not whole.entries:
            why = "nothing is left of them to call; see `include`, `exclude` and what is read-only"
            raise self.make_error("/apis", why)
        self.check_rules(whole)
        return AgentBlueprint(
            manifest=manifest,
            catalog=whole,
            offered=offered,
            connections={**own, **connections},
            policy=apply_function_rules(
                policy,
                manifest,
                [name for more, _ in own_tools[:2] if more for name in more.entries],
            ),
            limits=Limits(**manifest.limits),  # type: ignore[arg-type]
            middleware=Middleware(
                temperature=manifest.temperature, fixed=fixed, picks=picks, handoffs=switches
            ),
            abilities=self.abilities,
            problems=tuple(self.problems),
        )

    def load_apis(self, *, read_only: bool) -> tuple[Catalog, dict[str, ManifestApi]]:
        used = [*self.manifest.apis, *(server.tools for server in self.manifest.servers)]
        given = [
            replace(manifest_api, read_only=True) if read_only else manifest_api
            for manifest_api in used
        ]
        read = [
            load(
                manifest_api.document,
                alias=manifest_api.alias,
                retrieve=self.retrieve,
                overlays=manifest_api.overlays,
                on_overlay=self.problems.append,
            )
            for manifest_api in given[: len(self.manifest.apis)]
        ]
        servers = self.open_servers()
        read += [server.api for server in servers]
        whole = attach_servers(self.combine_apis(read), servers)
        names = {id(api): name for name, api in whole.apis.items()}
        by_namespace: dict[str, ManifestApi] = {}
        for index, (api, each) in enumerate(zip(read, given, strict=True)):
            if id(api) not in names:
                raise self.make_error(
                    self.locate(index), "it is there already; give each an `alias`"
                )
            by_namespace[names[id(api)]] = each
        self.names = [*whole.entries]
        for index, (name, each) in enumerate(by_namespace.items()):
            own = [key for key in self.names if whole.entries[key].namespace == name]
            for pointer, pattern in find_idle_api_patterns(own, each):
                what = f"{pattern[:80]} is the name of no operation of {name}"
                self.add_problem(f"{self.locate(index)}{pointer}", what)
            whole = filter_api_tools(whole, name, each, self.manifest.policy)
        return whole, by_namespace

    def locate(self, index: int) -> str:
        """Where an API or a server stands; the servers come after the APIs."""
        more = index - len(self.manifest.apis)
        return f"/apis/{index}" if more < 0 else f"/mcp/{more}"

    def open_servers(self) -> tuple[MCPServer, ...]:
        return tuple(
            MCPServer(self.make_server_settings(server, f"/mcp/{index}"))
            for index, server in enumerate(self.manifest.servers)
        )

    def make_server_settings(self, server: ManifestServer, pointer: str) -> ServerSettings:
        if server.url:
            headers = {name: self.resolve_header(text) for name, text in server.headers.items()}
            place = ServerURL(url=server.url, headers=headers)
        else:
            place = ServerProcess(
                command=server.command,
                environment=server.environment,
                folder=self.manifest.folder,
            )
            if not self.allow_commands:
                # A file of somebody else is not to start programs here.
                why = f"it would run `{place}`, which only --allow-commands lets it"
                raise self.make_error(f"{pointer}/command", why)
        return ServerSettings(
            name=server.name,
            place=place,
            trust_hints=server.trust_hints,
            allow_commands=self.allow_commands,
        )

    def combine_apis(self, read: Sequence[API]) -> Catalog:
        try:
            return catalog(*read)
        except NameCollision as error:
            raise self.make_error(
                "/apis", f"{error.message}; give each an `alias` of its own"
            ) from None

    def check_namespaces(self, whole: Catalog, more: Catalog, what: str) -> None:
        """That no API has the namespace of what stands beside the APIs."""
        for name in whole.apis.keys() & more.apis.keys():
            why = f"the {what} are named {name} as well; give the API another `alias`"
            raise self.make_error("/apis", why)

    def check_rules(self, whole: Catalog) -> None:
        """Say which patterns of the policy are of no tool: what they forbid is not forbidden."""
        for pointer, pattern in find_idle_rule_patterns(
            {*self.names, *whole.entries}, self.manifest.policy
        ):
            self.add_problem(pointer, f"{pattern[:80]} is the name of no tool")

    def collect_arguments_and_picks(
        self, whole: Catalog, by_namespace: Mapping[str, ManifestApi]
    ) -> tuple[dict[str, JsonObject], dict[str, str]]:
        """Arguments that are fixed and expressions that pick, by tool."""
        fixed: dict[str, JsonObject] = {}
        picks: dict[str, str] = {}
        for index, (name, api) in enumerate(by_namespace.items()):
            try:
                fixed |= collect_fixed_arguments(whole, name, api)
                for operation, expression in api.pick.items():
                    picks[find_operation_name(whole, name, operation, "pick")] = expression
            except InapplicableSetting as error:
                key = str(error).partition(":")[0]  # `fixed` or `pick`
                raise self.make_error(f"{self.locate(index)}/{key}", str(error)) from None
        return fixed, picks

    def make_connection(self, api: ManifestApi) -> Connection:
        return Connection(
            server=api.server,
            headers={name: self.resolve_header(value) for name, value in api.headers.items()},
            auth=_read_auth(api.auth),
            allow_commands=self.allow_commands,
            server_variables=api.server_variables,
            propagates_trace=api.propagate_trace,
        )

    def resolve_header(self, value: str) -> str:
        found = _SECRET.fullmatch(value)
        if not found:
            return value
        return (found[1] or "") + resolve_credential(found[2], allow_commands=self.allow_commands)

    def make_function_tools(self, switches: dict[str, MakeHandoff]) -> Catalog | None:
        """The tools of the manifest's own functions; None where it has none."""
        manifest = self.manifest
        functions = [*manifest.functions, *_notebook_functions(manifest)]
        if not functions and not manifest.notebook:
            return None
        notes: list[Note] = []
        given = parse_functions({"functions": functions}, manifest.source, lambda path, where: None)
        notes.extend(given.notes)
        actions = self.parse_actions(notes)
        for note in notes:
            pointer = join_pointer(*note.where.split(".", 1))
            self.problems.append(Problem(pointer, note.what, action=note.action))
        made = build_abilities(
            manifest.name,
            given.functions,
            actions,
            settings=RequestSettings(secret=self.resolve_secret, named=self.named),
            code=ManifestCode(
                agent=manifest.name,
                run=self.run,
                module=str(manifest.module or ""),
                has_notebook=manifest.notebook,
                result_form=manifest.result_form,
            ),
            title=manifest.title,
        )
        self.abilities += made.offered
        agents = {agent.name: agent.description for agent in manifest.agents}
        for ability in made.offered:
            action = actions.get(ability.name)
            if action is not None and action.kind == "emit":
                switches[ability.tool.name] = partial(handoff_from_action, action, agents=agents)
        # What a conversation does unasked is a tool of it that nobody is offered.
        return made.catalog if is_conversation(manifest) else _visible_catalog(made)

    def make_controller_tools(self) -> Catalog | None:
        """The tools of an object of its Python file; None where it has none, or code is off."""
        controller = self.manifest.controller
        if controller is None:
            return None
        if self.run is None:
            self.add_problem("/functions", f"none of them is a tool: {OFF}")
            return None
        try:
            return load_controller(self.manifest.name, controller, self.run)
        except ValueError as error:
            raise self.make_error("/functions", str(error)) from None

    def parse_actions(self, notes: list[Note]) -> dict[str, ManifestAction]:
        place = ActionLocation(self.manifest.source, self.read_text)
        found: dict[str, ManifestAction] = {}
        for name, raw in self.manifest.actions.items():
            action = parse_action(name, raw, place, notes)
            if action is None:
                why = f"{notes[-1].what}; {notes[-1].action}" if notes else "it is no action"
                raise self.make_error(f"/actions/{name}", why.removesuffix("; it is left out"))
            found[name] = action
        return found

    def read_text(self, named: str, where: str) -> str | None:
        """The text of a file that an action names, in the folder of the manifest."""
        manifest, pointer = self.manifest, join_pointer(*where.split(".", 1))
        path = (manifest.folder / named).resolve()
        if not any(map(path.is_relative_to, (manifest.folder, *manifest.roots))):
            raise self.make_error(pointer, f"{named} is outside of the folder of the manifest")
        try:
            return read_file(path, source=named).decode("utf-8", "replace")
        except DocumentUnavailable as error:
            raise self.make_error(pointer, error.message) from None

    def resolve_secret(self, name: str) -> Secret:
        """The secret of an action: `appkey` is a reference in our manifests."""
        reference = name if is_secret_reference(name) else f"env:{name}"
        return resolve_secret(reference, allow_commands=self.allow_commands)

    def make_handoff_tools(self, switches: dict[str, MakeHandoff]) -> Catalog | None:
        """The tools that hand over; None where there is nobody."""
        offered = [agent for agent in self.manifest.agents if agent.is_tool]
        functions = [_handoff_function(agent) for agent in offered]
        if not functions:
            return None
        made = build_function_catalog(AGENTS, functions, title="Agents that can be handed over to")
        names = tool_names_by_function(made)
        for function, each in zip(functions, offered, strict=True):
            tool = made[names[function.name]]
            switches[tool.name] = partial(_make_handoff, each.name)
            self.abilities += (Ability(name=function.name, tool=tool, is_foreign=False),)
        return made


def _notebook_functions(manifest: Manifest) -> list[JsonObject]:
    """The functions of a notebook, unless the manifest describes them itself."""
    own = {function["name"] for function in manifest.functions}
    if not manifest.notebook or not manifest.offers_notebook or own & {*NOTEBOOK_NAMES}:
        return []
    return [*NOTEBOOK_TOOLS]


def _visible_catalog(made: Abilities) -> Catalog | None:
    """The tools of a manifest without those that nobody is to be offered."""
    hidden = {ability.tool.name for ability in made.offered if ability.is_hidden}
    if made.catalog is None or not hidden:
        return made.catalog
    entries = {name: each for name, each in made.catalog.entries.items() if name not in hidden}
    return replace(made.catalog, entries=entries)


def _make_handoff(agent: str, arguments: JsonObject) -> HandoffRequest:
    context = {name: each for name, each in arguments.items() if name != "message"}
    message = str(arguments.get("message", ""))
    return HandoffRequest(agent=agent, message=message, memory=context, merge=True, initiate=True)


def _handoff_function(handoff: Handoff) -> FunctionTool:
    message = {
        "type": "string",
        "description": "What the user wants of it, whole and in the user's language.",
    }
    context = handoff.context
    return FunctionTool(
        name=f"hand_over_to_{handoff.name}",
        description=f"Hand the conversation over to another agent: {handoff.description}",
        parameters={
            "type": "object",
            "properties": {"message": message, **context},
            "required": ["message", *context],
        },
        handler=Handler(
            run_locally=lambda given: LocalResult(value="handed over"), is_read_only=True
        ),
    )


def _read_auth(given: Mapping[str, str]) -> Auth | Mapping[str, Auth] | None:
    found = {scheme: credential_from_text(text) for scheme, text in given.items()}
    return found[""] if [*found] == [""] else found or None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestAgent:
    """The agent of a manifest in a conversation; see `session.Speaker`."""

    blueprint: AgentBlueprint
    agent: Agent = field(repr=False)

    @property
    def name(self) -> str:
        """Its key."""
        return self.blueprint.manifest.name

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.blueprint.manifest.title or self.name

    @property
    def description(self) -> str:
        """What it is for, told to other agents."""
        return self.blueprint.manifest.description

    @property
    def greeting(self) -> str:
        """What it says when a chat begins; empty for nothing."""
        intro = self.blueprint.manifest.intro
        return choice(intro) if intro else ""  # noqa: S311 - no secret

    @property
    def labels(self) -> tuple[str, str]:
        """How a chat labels what it says and what the user says; empty for nothing."""
        return self.blueprint.manifest.bot, self.blueprint.manifest.you

    @property
    def catalog(self) -> Catalog:
        """Its tools, as they are called."""
        return self.blueprint.catalog

    def performer(self, send: Send) -> Performer:
        """What performs the steps of a turn: with its own connections, policy and limits."""
        return self.agent.performer(send)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What its manifest proposes to say to it."""
        return tuple(
            Sample(
                name=sample.name,
                text=sample.text,
                expects=tuple(
                    {"tool": call.tool, "arguments": call.arguments}
                    for call in sample.expected.calls
                ),
            )
            for sample in self.blueprint.manifest.samples
        )

    def turn(self, text: str, context: TurnContext) -> Steps[AgentTurn]:
        """Answer `text`, as `Speaker.turn()` says."""
        ended = yield from self.blueprint.steps(self.agent, text, context=context)
        if isinstance(ended, HandoffRequest):
            said = (*context.history, Message("user", text))
            return AgentTurn(text="", history=said, switch=ended)
        return ended


def make_manifest_agent(blueprint: AgentBlueprint, model: Model, **more: Any) -> ManifestAgent:
    """Make the agent of a manifest one that takes turns; `more` is as for `Built.agent()`."""
    return ManifestAgent(blueprint=blueprint, agent=blueprint.agent(model, **more))
