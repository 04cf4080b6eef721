"""The commands put together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated

import typer

from restwright.cli.commands import (
    ask,
    cache,
    call,
    chat,
    convert,
    demo,
    doctor,
    index,
    model,
    new,
    search,
    sessions,
    show,
    upgrade,
)
from restwright.cli.commands import run as running
from restwright.cli.commands import test as samples
from restwright.cli.commands import tools as documents
from restwright.cli.inputs.options import command
from restwright.cli.render.errors import guarded

SETTINGS = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="restwright",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
)
models = typer.Typer(rich_markup_mode=None, help="The models that run on this machine.")
caches = typer.Typer(rich_markup_mode=None, help="What is kept of documents between two runs.")

runs = typer.Typer(rich_markup_mode=None, help="The runs of `ask`, `run` and `chat` that are kept.")

for function in (
    documents.tools,
    show.show,
    index.index,
    search.search,
    upgrade.upgrade,
    documents.check,
    call.call,
    ask.ask,
    chat.chat,
    running.run,
):
    app.command()(command(function))
app.command("test")(command(samples.run_samples))
app.command()(command(new.new))
for function in (model.pull, model.list_models, model.path):
    models.command(function.__name__.removesuffix("_models"))(command(function))
app.add_typer(models, name="model")
for function in (cache.path, cache.clear):
    caches.command()(command(function))
app.add_typer(caches, name="cache")
for function in (sessions.list_sessions, sessions.show, sessions.export, sessions.delete):
    runs.command(function.__name__.removesuffix("_sessions"))(command(function))
app.add_typer(runs, name="sessions")
converts = typer.Typer(rich_markup_mode=None, help="Manifests of other programs in our own form.")
converts.command()(command(convert.slashgpt))
app.add_typer(converts, name="convert")
for function in (demo.demo, doctor.doctor):
    app.command()(command(function))


def _print_version(wanted: bool) -> None:
    if wanted:
        from restwright import __version__

        print(f"restwright {__version__}")
        raise typer.Exit


@app.callback()
def restwright(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    """Call any REST API that has an OpenAPI document, by hand or by a language model."""


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Text of a document may hold what the terminal's encoding cannot express.
            stream.reconfigure(errors="backslashreplace")
    return guarded(
        lambda: int(app(arguments, prog_name="restwright", standalone_mode=False) or 0), arguments
    )
