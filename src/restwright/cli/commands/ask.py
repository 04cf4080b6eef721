"""`ask`: a question answered over one or more APIs."""

from __future__ import annotations

from typing import Annotated

from typer import BadParameter, Option

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
    ConnectionOptions,
    Count,
    Described,
    ExamplesFile,
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
    Question,
    Resume,
    Trace,
    TransportOptions,
    TrustAPIs,
    Yes,
    YesDownload,
)
from restwright.cli.render.answer import Screen
from restwright.cli.render.output import Output
from restwright.cli.runs.run import check_trace, finish, kept_in_journal
from restwright.workspace.connections import check_choices
from restwright.workspace.documents import load_catalog, question_from
from restwright.workspace.examples import load_examples


def ask(
    apis: Annotated[
        list[str],
        Option("-a", "--api", metavar="DOC", help="An API that may be used; may be repeated."),
    ],
    question: Question = None,
    agent_kind: AgentKind = "rest",
    model: Model = None,
    model_url: ModelURL = None,
    expand: Expand = False,
    examples: ExamplesFile = None,
    classes: Classes = None,
    yes: Yes = False,
    trust_apis: TrustAPIs = False,
    read_only: Annotated[
        bool, Option("--read-only", help="Use only tools that change nothing.")
    ] = False,
    human: HumanFile = None,
    trace: Trace = None,
    resume: Resume = None,
    no_journal: NoJournal = False,
    count: Count = False,
    max_calls: MaxCalls = MAX_CALLS,
    max_model_calls: MaxModelCalls = MAX_MODEL_CALLS,
    max_tokens: MaxTokens = MAX_TOKENS,
    max_seconds: MaxSeconds = MAX_SECONDS,
    max_steps: MaxSteps = MAX_STEPS,
    max_cost: MaxCost = None,
    max_calls_per_api: MaxCallsPerAPI = None,
    yes_download: YesDownload = False,
    *,
    connection_options: ConnectionOptions,
    transport: TransportOptions,
    described: Described,
    out: Output,
) -> int:
    """Answer a question by calling APIs; a language model decides which and how."""
    check_trace(trace)
    _check_question(question, resume, no_journal=no_journal)
    wanted = "" if question is None else question_from(question, documents=apis)
    answers = human_of(human)
    policy = policy_of(yes=yes, read_only=read_only, trust_apis=trust_apis, classes=classes)
    catalog = load_catalog(apis, described.catalog_settings(), out.warn)
    shown = load_examples(examples, catalog)
    if read_only:
        from restwright.agents.executor.running import allowed

        catalog = allowed(catalog, policy)
    connections = connection_options.connections([*catalog.apis])
    check_choices(catalog, connections)
    from restwright.agents.agent import Agent, Limits
    from restwright.cli.inputs.model import model_for
    from restwright.cli.render.usage import keep
    from restwright.tools.catalog.usage import UsageCounter

    limits = Limits(
        calls=max_calls,
        model_calls=max_model_calls,
        tokens=max_tokens,
        seconds=max_seconds,
        steps=max_steps,
        cost=max_cost,
        calls_per_api=max_calls_per_api,
    )
    counter = UsageCounter() if count else None
    with (
        model_for(model, model_url, out, yes_download=yes_download) as asked,
        transport.open_transport() as send,
        kept_in_journal(out, resume=resume, off=no_journal) as journal,
    ):
        screen, consent = Screen(out), Consent()
        agent = Agent(
            catalog,
            model=asked,
            connections=connections,
            send=send,
            approve=consent,
            policy=policy,
            human=answers,
            kind=agent_kind,
            limits=limits,
            expands=expand,
            examples=shown.within(catalog),
            on_event=screen.event,
            on_words=screen.words,
            counter=counter,
        )
        try:
            answer = agent.ask(wanted, journal=journal, resume=resume)
        finally:
            screen.close()
            if counter is not None:
                keep(counter, out)
        way_out = consent.way_out(yes=yes)
        return finish(answer, out, trace=trace, values=screen.values, way_out=way_out)


def _check_question(question: str | None, resume: str | None, *, no_journal: bool) -> None:
    if question is None and resume is None:
        raise BadParameter("a QUESTION is needed, or --resume")
    if question is not None and resume is not None:
        raise BadParameter("--resume goes on with its own question; give none")
    if no_journal and resume is not None:
        raise BadParameter("--resume and --no-journal exclude each other")
