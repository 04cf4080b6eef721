"""
Images that the code of a manifest showed: in terminals that can, else as files.

Source: kitty, "Terminal graphics protocol"; iTerm2, "Inline Images Protocol".
"""

from __future__ import annotations

import os
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, one_line
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.storage import write_private_file

if TYPE_CHECKING:
    from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall, RunCode

_CHUNK = 4096
_ITERM = frozenset({"iTerm.app", "WezTerm"})
_KITTY = frozenset({"ghostty", "kitty"})


@dataclass(slots=True)
class ShowingCode:
    """Runs code, and keeps the images that it shows until they are taken."""

    run: RunCode
    images: list[JsonObject] = field(default_factory=list[JsonObject])

    def __call__(self, call: CodeCall) -> CodeAnswer:
        """Run it."""
        from restwright.net.callbacks import await_callback_result

        answer = await_callback_result(self.run(call), "run")
        self.images += [each for each in answer.data if _is_image(each)]
        return answer


def take_images(run: object) -> list[JsonObject]:
    """The images that were shown since the last time; none where no code is run."""
    if not isinstance(run, ShowingCode):
        return []
    images, run.images = run.images, []
    return images


def _is_image(value: Json) -> bool:
    return is_object(value) and {"name", "media_type", "content"} <= value.keys()


def print_images(
    images: Sequence[JsonObject], out: Output, environment: Mapping[str, str] = os.environ
) -> None:
    """Show images on standard output where that is a terminal that can, else say where they are."""
    if not images or out.json:
        return
    folder: Path | None = None
    for image in images:
        shown = _escapes(image, environment) if sys.stdout.isatty() else ""
        if shown:
            sys.stdout.write(f"{shown}\n")
            continue
        folder = folder or Path(tempfile.mkdtemp(prefix="restwright-images-"))
        path = folder / Path(str(image["name"])).name
        write_private_file(path, b64decode(image["content"]))
        out.note(one_line(f"{'image':<9}{path}"))


def _escapes(image: JsonObject, environment: Mapping[str, str]) -> str:
    """What has a terminal draw an image; empty for one that cannot."""
    program, content = environment.get("TERM_PROGRAM", ""), str(image["content"])
    kind = image["media_type"]
    if program in _ITERM and kind in {"image/png", "image/jpeg"}:
        return f"\x1b]1337;File=inline=1:{content}\x07"
    is_kitty = program in _KITTY or "KITTY_WINDOW_ID" in environment
    if is_kitty and kind == "image/png":
        return "".join(_kitty_chunks(content))
    return ""


def _kitty_chunks(content: str) -> Iterator[str]:
    for start in range(0, len(content), _CHUNK):
        more = int(start + _CHUNK < len(content))
        head = "a=T,f=100," if start == 0 else ""
        yield f"\x1b_G{head}m={more};{content[start : start + _CHUNK]}\x1b\\"
