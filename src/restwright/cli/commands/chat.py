"""`chat`: many messages over one or more APIs; each may speak of what was said before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, BadParameter, Option

from restwright.cli.chat.chat import Approval, Chat, Models
from restwright.cli.chat.loop import talk
from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.inputs.options import (
    MAX_CALLS,
    MAX_MODEL_CALLS,
    MAX_SECONDS,
    MAX_STEPS,
    MAX_TOKENS,
    AgentKind,
    Classes,
    Described,
    Expand,
    HumanFile,
    MaxCalls,
    MaxCallsPerAPI,
    MaxCost,
    MaxModelCalls,
    MaxSeconds,
    MaxSteps,
    MaxTokens,
    Model,
    ModelURL,
    NoJournal,
    TrustAPIs,
    Yes,
    YesDownload,
)
from restwright.cli.render.output import Output, is_terminal
from restwright.cli.runs.manifests import Bounds, Reached
from restwright.cli.runs.run import kept_in_journal
from restwright.workspace.connections import check_choices
from restwright.workspace.documents import load_catalog

_USUAL: Mapping[str, float] = {
    "max_calls": MAX_CALLS,
    "max_model_calls": MAX_MODEL_CALLS,
    "max_tokens": MAX_TOKENS,
    "max_seconds": MAX_SECONDS,
    "max_steps": MAX_STEPS,
}


def chat(
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
    agent_kind: AgentKind = "rest",
    model: Model = None,
    model_url: ModelURL = None,
    expand: Expand = False,
    classes: Classes = None,
    yes: Yes = False,
    trust_apis: TrustAPIs = False,
    read_only: Annotated[
        bool, Option("--read-only", help="Use only tools that change nothing.")
    ] = False,
    human: HumanFile = None,
    resume: Annotated[
        str | None, Option("--resume", metavar="ID", help="Go on with an earlier chat.")
    ] = None,
    no_journal: NoJournal = False,
    max_calls: MaxCalls = MAX_CALLS,
    max_model_calls: MaxModelCalls = MAX_MODEL_CALLS,
    max_tokens: MaxTokens = MAX_TOKENS,
    max_seconds: MaxSeconds = MAX_SECONDS,
    max_steps: MaxSteps = MAX_STEPS,
    max_cost: MaxCost = None,
    max_calls_per_api: MaxCallsPerAPI = None,
    yes_download: YesDownload = False,
    *,
    reached: Reached,
    described: Described,
    out: Output,
) -> int:
    """
    Talk with a language model that calls APIs, or with the agents of a manifest.

    Without a terminal each line is a message.
    """
    if manifest is not None:
        others = (apis, classes, agent_kind != "rest", expand, resume, described != Described())
        if any(others):
            what = "-a, --agent, --class, --expand, --resume and options of documents"
            raise BadParameter(f"{what} are for a chat without a manifest")
        limits = (max_calls, max_model_calls, max_tokens, max_seconds, max_steps)
        bounds = Bounds(
            **_unless_usual(limits), max_cost=max_cost, max_calls_per_api=max_calls_per_api
        )
        from restwright.cli.chat.manifest_chat import Wishes, chat_with

        wishes = Wishes(
            model=model,
            model_url=model_url,
            yes=yes,
            trust_apis=trust_apis,
            read_only=read_only,
            human=human,
            yes_download=yes_download,
        )
        return chat_with(manifest, wishes, reached, bounds, out)
    if not apis:
        raise BadParameter("an API is needed: -a DOC; or a manifest")
    if reached.allow_code or reached.notebooks or reached.allow_folder:
        raise BadParameter("--allow-code, --notebooks and --allow-folder are for manifests")
    if no_journal and resume is not None:
        raise BadParameter("--resume and --no-journal exclude each other")
    policy = policy_of(yes=yes, read_only=read_only, trust_apis=trust_apis, classes=classes)
    approval: Approval = "reads" if read_only else "all" if yes else "ask"
    answers = human_of(human)
    catalog = load_catalog(apis, described.catalog_settings(), out.warn)
    if read_only:
        from restwright.agents.executor.running import allowed

        catalog = allowed(catalog, policy)
    connections = reached.connections([*catalog.apis])
    check_choices(catalog, connections)
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.conversation import Conversation
    from restwright.cli.chat.slash_commands import COMMANDS, resumed

    limits = Limits(
        calls=max_calls,
        model_calls=max_model_calls,
        tokens=max_tokens,
        seconds=max_seconds,
        steps=max_steps,
        cost=max_cost,
        calls_per_api=max_calls_per_api,
    )
    with (
        Models(model_url, out, yes_download=yes_download) as models,
        reached.open_transport() as send,
        kept_in_journal(out, resume=resume, off=no_journal) as journal,
    ):
        consent = Consent()
        agent = Agent(
            catalog,
            model=models.choose(model),
            connections=connections,
            send=send,
            approve=consent,
            policy=policy,
            human=answers,
            kind=agent_kind,
            limits=limits,
            expands=expand,
        )
        conversation = Conversation(agent, journal)
        if resume is not None and journal is not None:
            conversation = Conversation.resume(agent, journal, resume)
        going = Chat(
            conversation=conversation,
            slash_commands=COMMANDS,
            models=models,
            out=out,
            approval=approval,
            is_person=is_terminal(),
            is_read_only=read_only,
            is_free=yes,
            trusts=trust_apis,
            classes=policy.tools,
            consent=consent,
        )
        return talk(going, first=(lambda: resumed(going, resume)) if resume is not None else None)


def _unless_usual(limits: tuple[float, ...]) -> dict[str, Any]:
    """Limits that were named: those of a manifest hold unless others are."""
    return {
        name: value
        for (name, usual), value in zip(_USUAL.items(), limits, strict=True)
        if value != usual
    }
