"""Files beside a question, as the command line names them."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

if TYPE_CHECKING:
    from restwright.agents.steps import Attachment

Files = Annotated[
    list[Path] | None,
    Option(
        "--file",
        metavar="FILE",
        help="An image or another file beside the question, for --agent calling; may be repeated."
        " Such a run is not kept.",
    ),
]


def read_files(paths: Sequence[Path]) -> tuple[Attachment, ...]:
    """
    Read the files beside a question.

    Raises:
        BadParameter: One cannot be read, or its name does not say of what type it is.
    """
    from restwright.agents.steps import Attachment

    return tuple(Attachment(_type_of(path), _read(path)) for path in paths)


def _type_of(path: Path) -> str:
    guessed, encoding = mimetypes.guess_type(path.name)
    if guessed is None or encoding is not None:
        what = f"--file {path}: its name does not say what it is"
        raise BadParameter(f"{what}; one of an image ends with .png")
    return guessed


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadParameter(f"--file {path}: {error.strerror}") from None
