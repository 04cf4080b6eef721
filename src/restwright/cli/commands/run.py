"""`run`: the agent of a manifest is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter

from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.inputs.options import (
    HumanFile,
    Model,
    ModelURL,
    NoJournal,
    Resume,
    Trace,
    TrustAPIs,
    Yes,
    YesDownload,
)
from restwright.cli.render.answer import progress
from restwright.cli.render.output import Output
from restwright.cli.runs.manifests import (
    Agents,
    Asking,
    Bounds,
    ManifestFile,
    Reached,
    ReadOnly,
    loaded_from,
    model_of,
)
from restwright.cli.runs.run import check_trace, finish, kept_in_journal
from restwright.workspace.documents import question_from

if TYPE_CHECKING:
    from restwright.agents.runtime.human_input import Human
    from restwright.agents.steps import Answer
    from restwright.calls.approval.policy import Policy
    from restwright.manifests.slashgpt.session import ManifestCollection


def run(
    manifest: ManifestFile,
    text: Annotated[
        str | None,
        Argument(metavar="TEXT", help="What is asked; - reads it from standard input."),
    ] = None,
    model: Model = None,
    model_url: ModelURL = None,
    yes: Yes = False,
    trust_apis: TrustAPIs = False,
    read_only: ReadOnly = False,
    human: HumanFile = None,
    trace: Trace = None,
    resume: Resume = None,
    no_journal: NoJournal = False,
    yes_download: YesDownload = False,
    *,
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> int:
    """Ask the agent of a manifest; of SlashGPT's too."""
    check_trace(trace)
    _check_wishes(text, resume, no_journal=no_journal)
    policy = policy_of(yes=yes, read_only=read_only, trust_apis=trust_apis)
    question = "" if text is None else question_from(text, name="TEXT")
    answers, consent = human_of(human), Consent()
    from restwright.cli.runs.slashgpt import check_foreign, slash_manifest

    if (foreign := slash_manifest(manifest, out)) is not None:
        check_foreign(foreign, reached)
        if resume is not None:
            raise BadParameter("a run of a manifest of SlashGPT cannot be resumed")
        chosen = (model, model_url, yes_download)
        terms = policy, consent, answers
        answer = _asked_slash(foreign, question, chosen, terms, reached, bounds, out)
        return finish(answer, out, trace=trace, way_out=consent.way_out(yes=yes))
    loaded = loaded_from(manifest, reached, out)
    from restwright.cli.inputs.model import model_for

    with reached.code() as code:
        # What is wrong with the manifest is said before a model is fetched.
        agents = Agents(loaded, reached, yes, read_only, out, code, trust_apis)
        chosen = model_of(agents.built().manifest, model, model_url)
        with (
            model_for(*chosen, out, yes_download=yes_download) as asked,
            reached.open_transport() as send,
            kept_in_journal(out, resume=resume, off=no_journal) as journal,
        ):
            more: dict[str, Any] = {
                "approve": consent,
                "human": answers,
                "on_event": progress(out),
            }
            asking = Asking(agents, asked, send, bounds, more)
            answer = asking.ask(question, journal, resume)
            return finish(answer, out, trace=trace, way_out=consent.way_out(yes=yes))


def _asked_slash(
    loaded: ManifestCollection,
    question: str,
    chosen: tuple[str | None, str | None, bool],
    terms: tuple[Policy, Consent, Human],
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> Answer:
    from restwright.agents.agent import Limits
    from restwright.cli.inputs.model import model_for
    from restwright.cli.runs.slashgpt import ask_slash, wanted_of
    from restwright.manifests.slashgpt.session import SessionOptions

    name, url, yes_download = chosen
    wanted = wanted_of(loaded)
    if name is None and wanted is not None:
        name, url = wanted.name, url or wanted.url
    policy, consent, answers = terms
    with (
        model_for(name, url, out, yes_download=yes_download) as asked,
        reached.open_transport() as send,
        reached.code() as code,
    ):
        said = SessionOptions(
            model=asked,
            send=send,
            approve=consent,
            policy=policy,
            human=answers,
            limits=bounds.over(Limits()),
            on_event=progress(out),
            run=code,
        )
        return ask_slash(loaded, question, said)


def _check_wishes(text: str | None, resume: str | None, *, no_journal: bool) -> None:
    if (text is None) == (resume is None):
        needed = "a TEXT is needed, or --resume"
        raise BadParameter(needed if text is None else "--resume goes on with its own question")
    if no_journal and resume is not None:
        raise BadParameter("--resume and --no-journal exclude each other")
