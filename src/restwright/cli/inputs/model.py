"""The model that a command asks, and the download of the local one when the user wants it."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, confirmed, is_terminal
from restwright.cli.surroundings import current_surroundings
from restwright.errors import LimitReached, MissingExtra, ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from restwright.agents.steps import Model
    from restwright.cli.inputs.run_options import ModelOptions

LOCAL = "local"
PREPARE_S = 600.0
PREPARED = "rest_"
"""With this begin the names of the prompts that the local model is asked with most."""


@contextmanager
def model_for(options: ModelOptions, out: Output) -> Generator[Model]:
    """
    The model that is named, closed at the end. The local one is downloaded first if it is missing
    and the user says yes.

    Raises:
        ModelUnavailable: It cannot be had; the hint says what to do.
        MissingExtra: Its packages are not installed.
    """
    find = current_surroundings().find_model
    model = find(options.model, options.model_url) if find else _own_model(options, out)
    try:
        yield model
    finally:
        close = getattr(model, "close", None)
        if close is not None:
            close()


def _own_model(options: ModelOptions, out: Output) -> Model:
    from restwright.agents.models.registry import defer_model

    local = _local_name(options.model, options.model_url)
    if local is not None:
        _ensure(local, out, yes=options.yes_download)
    return defer_model(options.model, url=options.model_url)


def _local_name(name: str | None, url: str | None) -> str | None:
    if url is not None or (name or LOCAL).partition(":")[0] != LOCAL:
        return None
    return (name or LOCAL).partition(":")[2] or LOCAL


def _ensure(name: str, out: Output, *, yes: bool) -> None:
    """Have the file of a local model before the run begins."""
    from importlib.util import find_spec

    from restwright.agents.models.model_files import find_model_file

    if find_spec("xllamacpp") is None:
        raise MissingExtra("local", "the local model")
    if find_model_file(name) is not None:
        return
    if not yes and not (is_terminal() and confirmed(f"{described(name)} Download it now?")):
        next_move = "run `restwright model pull`, or name another model with --model"
        raise ModelUnavailable(name, "its file is missing", next_move)
    pull_with_progress(name, out)


def described(name: str) -> str:
    """One sentence about the file behind `name`: its size and licence."""
    from restwright.agents.models.model_files import model_entry

    file = model_entry(name)
    return (
        f"The local model {file.name} ({file.size_bytes / 1e6:,.0f} MB, {file.licence}) is missing."
    )


def pull_with_progress(name: str, out: Output) -> Path:
    """Download and verify the model `name`; a progress bar where standard error is a terminal."""
    from restwright.agents.models.model_files import download_model_file, model_path

    model_path(name)  # an unknown name is an error before anything is said
    if out.quiet or not sys.stderr.isatty():
        out.note(f"downloading the local model {name}")
        return download_model_file(name, progress=lambda done, total, what: None)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    columns = ("{task.description}", BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None)
        return download_model_file(
            name,
            progress=lambda done, total, what: bar.update(
                task, completed=done, total=total, description=what
            ),
        )


def keep_prefixes(name: str, path: Path, out: Output) -> None:
    """
    Have on disk what the model makes of the beginnings of its prompts; only what is missing is
    made. That it cannot be done is no error: it is done when they are first asked.
    """
    from importlib.util import find_spec

    from restwright.agents.models.local import LocalModel
    from restwright.agents.models.model_files import model_entry
    from restwright.agents.prompting.templates import names, static_messages
    from restwright.net.storage import is_cache_on

    if find_spec("xllamacpp") is None or not is_cache_on():
        return
    model = LocalModel(path, name=name, sha256=model_entry(name).sha256)
    prompts = [prompt for prompt in names() if prompt.startswith(PREPARED)]
    out.note(f"processing the beginnings of {len(prompts)} prompts")
    try:
        for prompt in prompts:
            model.keep_prefix(static_messages(prompt), deadline_s=PREPARE_S)
    except (LimitReached, ModelUnavailable) as error:
        out.note(f"not kept: {error}")
    finally:
        model.close()


class Models:
    """
    The model in use, one at a time. To be closed, or used in a `with` block.

    Args:
        options: What the command line says; its server is for models named `openai:NAME`.
    """

    def __init__(self, options: ModelOptions, out: Output) -> None:
        self._options, self._out = options, out
        self._open = ExitStack()

    def __enter__(self) -> Models:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def choose(self, name: str | None, *, url: str | None = None) -> Model:
        """
        Have another model; the one before is closed when that is there.

        Args:
            url: Of its server, where the command line names none.

        Raises:
            ModelUnavailable: There is none; the one before stays.
            MissingExtra: Its packages are not installed.
        """
        from restwright.cli.inputs.model import model_for

        options = self._options
        if options.model_url is not None or url is None:
            url = options.model_url if _is_of_server(name) else None
        with ExitStack() as opening:
            chosen = replace(options, model=name, model_url=url)
            model = opening.enter_context(model_for(chosen, self._out))
            self._open.close()
            self._open = opening.pop_all()
        return model


def _is_of_server(name: str | None) -> bool:
    return name is None or name.partition(":")[0] in {"openai", "openai-chat"}
