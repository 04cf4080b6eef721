"""`run`: the agent of a manifest is asked."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any

from typer import Argument, BadParameter

from restwright.cli.inputs.approval import Consent
from restwright.cli.inputs.run_options import (
    ApprovalOptions,
    JournalOptions,
    LimitOptions,
    ModelOptions,
    MomentOptions,
)
from restwright.cli.render.images import take_images
from restwright.cli.render.output import Output
from restwright.cli.runs.manifests import (
    Agents,
    Asking,
    ManifestFile,
    ManifestOptions,
    ReachOptions,
    loaded_from,
)
from restwright.cli.runs.run import check_trace, find_shared_limits, finish, kept_in_journal
from restwright.cli.screen.screen import progress
from restwright.workspace.documents import question_from


def run(
    *,
    manifest: ManifestFile,
    text: Annotated[
        str | None,
        Argument(metavar="TEXT", help="What is asked; - reads it from standard input."),
    ] = None,
    model: ModelOptions,
    approval: ApprovalOptions,
    journal: JournalOptions,
    reach: ReachOptions,
    limits: LimitOptions,
    moment: MomentOptions,
    out: Output,
) -> int:
    """Ask the agent of a manifest; of SlashGPT's too."""
    check_trace(journal.trace)
    resume = journal.kept.resume
    _check_text(text, resume)
    question = "" if text is None else question_from(text, name="TEXT")
    options = ManifestOptions(
        model=model, approval=approval, reach=reach, limits=limits, moment=moment
    )
    consent = Consent()
    more: dict[str, Any] = {
        **journal.listening(consent, approval.human),
        "on_event": progress(out),
    }
    from restwright.cli.runs.slashgpt import (
        ask_slash,
        check_foreign,
        session_options,
        slash_manifest,
    )

    if (foreign := slash_manifest(manifest, out)) is not None:
        check_foreign(foreign, reach.connection)
        if resume is not None or journal.wait or journal.share_limits:
            why = "a run of a manifest of SlashGPT cannot wait, be resumed, nor share limits"
            raise BadParameter(why)
        with session_options(foreign, options, out) as terms:
            answer = ask_slash(foreign, question, replace(terms, **more))
            images = take_images(terms.run)
        return finish(
            answer,
            out,
            trace=journal.trace,
            way_out=consent.approval_hint(yes=approval.yes),
            fails_on_calls=True,
            images=images,
        )
    loaded = loaded_from(manifest, reach.access, out)
    from restwright.cli.inputs.model import model_for

    with reach.access.code() as code:
        # What is wrong with the manifest is said before a model is fetched.
        agents = Agents(loaded, options, out, code)
        first = agents.build().manifest
        with (
            model_for(model.or_else(first.model, first.model_url), out) as asked,
            kept_in_journal(journal.kept, out) as store,
            ExitStack() as ending,
        ):
            shared = find_shared_limits(store, out, is_wanted=journal.share_limits)
            send = ending.enter_context(reach.transport.open_transport(shared))
            asking = Asking(agents, asked, send, more, shared)
            answer = asking.ask(question, store, resume)
            way_out = consent.approval_hint(yes=approval.yes)
            return finish(
                answer,
                out,
                trace=journal.trace,
                way_out=way_out,
                fails_on_calls=True,
                images=take_images(code),
            )


def _check_text(text: str | None, resume: str | None) -> None:
    if (text is None) == (resume is None):
        needed = "a TEXT is needed, or --resume"
        raise BadParameter(needed if text is None else "--resume goes on with its own question")
