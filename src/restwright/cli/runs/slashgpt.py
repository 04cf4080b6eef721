"""`run` with a manifest of SlashGPT: one message to its agents, and what they say."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.inputs.approval import policy_of
from restwright.cli.render.output import Output, one_line
from restwright.jsontypes import is_object

if TYPE_CHECKING:
    from restwright.agents.steps import Answer
    from restwright.cli.inputs.options import ConnectionOptions
    from restwright.cli.runs.manifests import ManifestOptions
    from restwright.manifests.session.driver import SessionDriver
    from restwright.manifests.session.session import SessionReply
    from restwright.manifests.slashgpt.models import ModelAlias
    from restwright.manifests.slashgpt.session import ManifestCollection, SessionOptions


def slash_manifest(path: Path, out: Output) -> ManifestCollection | None:
    """
    The manifests of SlashGPT at `path`; None where it is one of ours.

    Raises:
        DocumentUnavailable, UnreadableDocument: It cannot be read.
    """
    from restwright.manifests.slashgpt.folders import INDEX_FILE, load_value_file
    from restwright.manifests.slashgpt.loader import is_slashgpt, load_manifest_collection

    is_file = not path.is_dir() and path.name != INDEX_FILE
    if is_file and not is_slashgpt(load_value_file(path)):
        return None
    loaded = load_manifest_collection(path)
    for note in loaded.notes:
        out.note(one_line(f"warning: {note}"))
    return loaded


def check_foreign(foreign: ManifestCollection | None, connection: ConnectionOptions) -> None:
    """
    See that nothing is said of APIs that SlashGPT's manifests have not.

    Raises:
        BadParameter: There is.
    """
    if foreign is not None and connection.is_given:
        raise BadParameter(
            "a manifest of SlashGPT names its servers and secrets itself; --allow-host HOST[:PORT]"
            " lets it ask one on this machine or in a private network"
        )


def wanted_of(loaded: ManifestCollection) -> ModelAlias | None:
    """The model that the manifest asks for; None for the user's."""
    manifest = loaded.manifests.get(loaded.default)
    return manifest.model if manifest is not None else None


@contextmanager
def session_options(
    loaded: ManifestCollection, options: ManifestOptions, out: Output
) -> Generator[SessionOptions]:
    """What the command line says of a session, with its model, what sends and what runs code."""
    from restwright.agents.agent import Limits
    from restwright.cli.inputs.model import model_for
    from restwright.manifests.slashgpt.session import SessionOptions

    wanted, model = wanted_of(loaded), options.model
    if wanted is not None:
        model = model.or_else(wanted.name, wanted.url)
    with (
        options.reach.access.code() as run,
        model_for(model, out) as asked,
        options.reach.transport.open_transport() as send,
    ):
        yield SessionOptions(
            model=asked,
            send=send,
            policy=policy_of(options.approval),
            limits=options.limits.over(Limits()),
            run=run,
            named=named_of(loaded, options, out),
        )


def named_of(loaded: ManifestCollection, options: ManifestOptions, out: Output) -> tuple[str, ...]:
    """The origins that manifests may ask on this machine, or in a private network."""
    from restwright.cli.runs.hosts import HostConsent, slashgpt_origins

    consent = HostConsent(allowed=options.reach.access.hosts, out=out)
    return consent.named_origins(slashgpt_origins(loaded), loaded.root.folder)


def ask_slash(loaded: ManifestCollection, question: str, options: SessionOptions) -> Answer:
    """Say `question` to the agent of the file, which may hand over to others of its set."""
    from restwright.manifests.session.driver import SessionDriver
    from restwright.manifests.slashgpt.session import open_session

    talk = open_session(loaded, options)
    reply = talk.ask(question)
    drive = talk.drive_turn
    assert isinstance(drive, SessionDriver)  # noqa: S101  (as session() makes it)
    return answer_of(reply, drive)


def answer_of(
    reply: SessionReply, drive: SessionDriver, begun: tuple[int, int, int] = (0, 0, 0)
) -> Answer:
    """
    What one message led to, as one answer.

    Args:
        begun: How many usages, steps and calls there were before it.
    """
    from restwright.agents.steps import Answer, CallRecord
    from restwright.manifests.own.asking import sum_usages

    usages, steps, sent = begun
    made = [call for spoken in reply.turns for call in spoken.turn.calls]
    functions = tuple(
        CallRecord(tool=tool_call.tool, method="", path="", arguments=given, status=None)
        for tool_call in made
        if is_object(given := tool_call.arguments or {})
    )
    return Answer(
        text=reply.text,
        stopped=reply.stopped,
        reason=reply.reason,
        steps=tuple(drive.trace[steps:]),
        calls=functions or tuple(drive.calls[sent:]),
        usage=sum_usages(drive.usage[usages:]),
    )
