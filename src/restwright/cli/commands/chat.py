"""`chat`: many messages over one or more APIs; each may speak of what was said before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.chat.base import Watch
from restwright.cli.chat.chat import Chat
from restwright.cli.chat.loop import talk
from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.inputs.model import Models
from restwright.cli.inputs.options import (
    Classes,
    ConnectionOptions,
    Described,
    TransportOptions,
)
from restwright.cli.inputs.run_options import (
    AgentOptions,
    ApprovalOptions,
    LimitOptions,
    MomentOptions,
    ResumeOptions,
)
from restwright.cli.render.output import Output, counting, is_terminal
from restwright.cli.runs.manifests import AccessOptions, ManifestOptions, ReachOptions
from restwright.cli.runs.run import kept_in_journal
from restwright.workspace.connections import check_choices
from restwright.workspace.documents import load_catalog


@dataclass(frozen=True, kw_only=True)
class ChatResumeOptions(ResumeOptions):
    """As of a run; what is gone on with is a whole chat."""

    resume: Annotated[
        str | None, Option("--resume", metavar="ID", help="Go on with an earlier chat.")
    ] = None


def chat(
    *,
    manifest: Annotated[
        Path | None,
        Argument(
            metavar="FILE|FOLDER",
            help="A manifest, or a file, folder or set of SlashGPT's: its agents are talked with.",
            show_default=False,
        ),
    ] = None,
    apis: Annotated[
        list[str] | None,
        Option("-a", "--api", metavar="DOC", help="An API that may be used; may be repeated."),
    ] = None,
    connection: ConnectionOptions,
    agent: AgentOptions,
    moment: MomentOptions,
    classes: Classes = None,
    approval: ApprovalOptions,
    kept: ChatResumeOptions,
    transport: TransportOptions,
    limits: LimitOptions,
    access: AccessOptions,
    described: Described,
    out: Output,
) -> int:
    """
    Talk with a language model that calls APIs, or with the agents of a manifest.

    Without a terminal each line is a message.
    """
    if manifest is not None:
        is_other = agent.agent_kind is not None or described != Described()
        if apis or classes or is_other:
            what = "-a, --agent, --class and options of documents"
            raise BadParameter(f"{what} are for a chat without a manifest")
        from restwright.cli.chat.manifest_chat import chat_with

        reach = ReachOptions(connection=connection, access=access, transport=transport)
        options = ManifestOptions(
            model=agent.model, approval=approval, reach=reach, limits=limits, moment=moment
        )
        return chat_with(manifest, options, kept, out)
    if not apis and not described.mcp:
        raise BadParameter("an API is needed: -a DOC; a server: -m NAME=COMMAND; or a manifest")
    if access.is_given:
        raise BadParameter("--allow-code, --notebooks and --allow-folder are for manifests")
    policy = policy_of(approval, classes)
    answers = human_of(approval.human)
    noting = counting(out)
    catalog = load_catalog(apis or (), described.catalog_settings(), noting.warn)
    if approval.read_only:
        from restwright.agents.execution.catalog_parts import allowed

        catalog = allowed(catalog, policy)
    connections = connection.connect(catalog)
    check_choices(catalog, connections)
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.conversation import Conversation
    from restwright.cli.chat.shared_commands import resumed
    from restwright.cli.chat.slash_commands import COMMANDS

    resume = kept.resume
    with (
        Models(agent.model, out) as models,
        transport.open_transport() as send,
        kept_in_journal(kept, out) as journal,
    ):
        consent, watch = Consent(), Watch()
        answering = Agent(
            catalog,
            model=models.choose(agent.model.model),
            connections=connections,
            send=send,
            approve=watch.asking(consent),
            policy=policy,
            human=watch.answering(answers),
            on_event=watch.event,
            on_words=watch.words,
            kind=agent.agent_kind,
            limits=limits.over(Limits()),
            **moment.settings(),
        )
        conversation = Conversation(answering, journal)
        if resume is not None and journal is not None:
            conversation = Conversation.resume(answering, journal, resume)
        going = Chat(
            conversation=conversation,
            slash_commands=COMMANDS,
            models=models,
            out=out,
            given=approval,
            is_person=is_terminal(),
            classes=policy.tools,
            consent=consent,
            watch=watch,
            problems=noting.texts,
        )
        return talk(going, first=(lambda: resumed(going, resume)) if resume is not None else None)
