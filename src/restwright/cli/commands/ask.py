"""`ask`: a question answered over one or more APIs."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from typing import Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.attachments import Files, read_files
from restwright.cli.inputs.options import (
    Classes,
    ConnectionOptions,
    Count,
    Described,
    TransportOptions,
)
from restwright.cli.inputs.run_options import (
    AgentOptions,
    ApprovalOptions,
    JournalOptions,
    LimitOptions,
    MomentOptions,
)
from restwright.cli.render.output import Output
from restwright.cli.runs.run import check_trace, find_shared_limits, finish, kept_in_journal
from restwright.cli.screen.screen import Screen
from restwright.workspace.connections import check_choices
from restwright.workspace.documents import load_catalog, question_from


def ask(
    *,
    apis: Annotated[
        list[str] | None,
        Option("-a", "--api", metavar="DOC", help="An API that may be used; may be repeated."),
    ] = None,
    question: Annotated[
        str | None,
        Argument(
            metavar="QUESTION",
            help="In any language; - reads it from standard input; none with --resume.",
        ),
    ] = None,
    file: Files = None,
    connection: ConnectionOptions,
    agent: AgentOptions,
    moment: MomentOptions,
    classes: Classes = None,
    approval: ApprovalOptions,
    journal: JournalOptions,
    count: Count = False,
    transport: TransportOptions,
    limits: LimitOptions,
    described: Described,
    out: Output,
) -> int:
    """Answer a question by calling APIs; a language model decides which and how."""
    apis = apis or []
    if not apis and not described.mcp:
        raise BadParameter("an API is needed: -a DOC; or a server: -m NAME=COMMAND")
    check_trace(journal.trace)
    resume = journal.kept.resume
    _check_question(question, resume)
    wanted = "" if question is None else question_from(question, documents=apis)
    if file and (resume is not None or journal.wait or journal.share_limits):
        why = "a run with --file is not kept: give no --resume, --wait or --share-limits"
        raise BadParameter(why)
    files = read_files(file or ())
    policy = policy_of(approval, classes)
    consent = Consent()
    listening = journal.listening(consent, approval.human)
    catalog = load_catalog(apis, described.catalog_settings(), out.warn)
    if approval.read_only:
        from restwright.agents.execution.catalog_parts import allowed

        catalog = allowed(catalog, policy)
    connections = connection.connect(catalog)
    check_choices(catalog, connections)
    from restwright.agents.agent import Agent, Limits
    from restwright.calls.auth.shared_tokens import share_tokens
    from restwright.cli.inputs.model import model_for
    from restwright.cli.render.usage import keep
    from restwright.tools.catalog.usage import UsageCounter

    counter = UsageCounter() if count else None
    with (
        model_for(agent.model, out) as asked,
        nullcontext() if files else kept_in_journal(journal.kept, out) as store,
        ExitStack() as ending,
    ):
        shared = find_shared_limits(store, out, is_wanted=journal.share_limits)
        send = ending.enter_context(transport.open_transport(shared))
        if shared is not None:
            connections = share_tokens(connections, shared.tokens)
        screen = Screen(out)
        answering = Agent(
            catalog,
            model=asked,
            connections=connections,
            send=send,
            policy=policy,
            kind=agent.agent_kind,
            limits=limits.over(Limits()),
            on_event=screen.show_event,
            on_words=screen.show_delta,
            counter=counter,
            **moment.settings(),
            **listening,
        )
        try:
            answer = answering.ask(wanted, files=files, journal=store, resume=resume)
        finally:
            screen.close()
            if counter is not None:
                keep(counter, out)
        way_out = consent.approval_hint(yes=approval.yes)
        return finish(answer, out, trace=journal.trace, values=screen.values, way_out=way_out)


def _check_question(question: str | None, resume: str | None) -> None:
    if question is None and resume is None:
        raise BadParameter("a QUESTION is needed, or --resume")
    if question is not None and resume is not None:
        raise BadParameter("--resume goes on with its own question; give none")
