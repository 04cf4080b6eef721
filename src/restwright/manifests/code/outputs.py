"""What a cell shows: for the model, as images, and for the notebook's file."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.code.limits import NotebookSettings
from restwright.manifests.code.module import FLOOD
from restwright.manifests.code.results import (
    Image,
    add_advice,
    cut_middle,
    sanitize_line,
    strip_controls,
    strip_folders,
)

IMAGE_TYPES: Mapping[str, str] = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg"}
TEXT_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex")
SHOWN_TYPES = ("text/plain", "text/markdown", "text/latex")
MAX_OUTPUTS = 200

_CELL_LINE = re.compile(r"Cell In\s?\[\d+\], line (\d+)")


@dataclass(slots=True, kw_only=True)
class CellOutputs:
    """
    Gathers the outputs of one cell as they come.

    Args:
        number: Of the cell, from 1.
        source: The cell.

    Attributes:
        notebook_outputs: As the notebook's file has them.
    """

    number: int
    source: str
    settings: NotebookSettings
    images: list[Image] = field(default_factory=list[Image])
    notebook_outputs: list[JsonObject] = field(default_factory=list[JsonObject])
    error: str = ""
    _texts: list[str] = field(default_factory=list[str])
    _size: int = 0
    _unread: int = 0

    @property
    def is_over_limit(self) -> bool:
        """Whether there was so much that the cell has to be stopped."""
        return self._size > FLOOD * self.settings.limits.output_chars

    def text(self) -> str:
        """All of it for the model."""
        kept = cut_middle(
            "".join(self._texts).strip("\n").rstrip(), limit=self.settings.limits.output_chars
        )
        return f"{kept}\n\u2026 and {self._unread:,} more characters" if self._unread else kept

    def add_message(self, kind: str, content: JsonObject) -> None:
        """Take in a message of the kernel; one that is no output is passed over."""
        if kind == "stream":
            self._stream(content)
        elif kind in ("execute_result", "display_data", "update_display_data"):
            self._display(content.get("data"), kind)
        elif kind == "error":
            self._error(content)

    def _stream(self, content: JsonObject) -> None:
        limit = self.settings.limits.output_chars
        printed = str(content.get("text", ""))
        text = strip_controls(printed[: FLOOD * limit])
        self._unread += len(printed) - len(printed[: FLOOD * limit])
        room = 2 * limit - self._size
        self._append_text(text)
        self._size += len(printed)
        name = "stderr" if content.get("name") == "stderr" else "stdout"
        last = self.notebook_outputs[-1] if self.notebook_outputs else {}
        if room <= 0:
            return
        text = cut_middle(text, limit=room)
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self._append_output({"output_type": "stream", "name": name, "text": text})

    def _display(self, found: Json, kind: str) -> None:
        if not is_object(found):
            return
        images = {name: found[name] for name in IMAGE_TYPES if isinstance(found.get(name), str)}
        kept: JsonObject = {}
        for name, value in images.items():
            if self._image(name, value):
                kept[name] = value
        most = self.settings.limits.output_chars
        for name in TEXT_TYPES:
            if isinstance(found.get(name), str):
                self._size += len(found[name])
                kept[name] = cut_middle(strip_controls(found[name]), limit=most)
        # Beside an image, its text is only the name of its class.
        shown = next((kept[name] for name in SHOWN_TYPES if name in kept), "") if not images else ""
        self._append_text(f"\n{shown}\n" if shown else "")
        if kept:
            output: JsonObject = {"output_type": "display_data", "data": kept, "metadata": {}}
            if kind == "execute_result":
                output |= {"output_type": kind, "execution_count": self.number}
            self._append_output(output)

    def _image(self, media_type: str, value: str) -> bool:
        content = _decode_image(media_type, value)
        limits = self.settings.limits
        if content is None or len(self.images) >= self.settings.max_images:
            self._append_text("\n[an image that is not kept]\n")
            return False
        if len(content) > limits.result_bytes:
            self._append_text(f"\n[an image of over {limits.result_bytes:,} bytes, not kept]\n")
            return False
        name = f"cell-{self.number}-{len(self.images) + 1}.{IMAGE_TYPES[media_type]}"
        self.images.append(Image(name=name, media_type=media_type, content=content))
        self._append_text(f"\n[image {name}, {len(content):,} bytes]\n")
        return True

    def _error(self, content: JsonObject) -> None:
        lines: Json = content.get("traceback")
        trace = list(map(_clean_trace, lines[:50])) if is_array(lines) else []
        name, message = str(content.get("ename", "")), str(content.get("evalue", ""))
        said = sanitize_line(f"{name}: {message}")
        found = _CELL_LINE.findall("\n".join(trace))
        self.error = _quote_line(found, self.source) + add_advice(
            said, network=self.settings.network
        )
        short = {
            "ename": strip_controls(name)[:200],
            "evalue": _clean_trace(message),
            "traceback": trace,
        }
        self._append_output({"output_type": "error", **short})

    def _append_text(self, text: str) -> None:
        if self.is_over_limit:
            self._unread += len(text)
        else:
            self._texts.append(text)

    def _append_output(self, output: JsonObject) -> None:
        if len(self.notebook_outputs) < MAX_OUTPUTS:
            self.notebook_outputs.append(output)


def _decode_image(media_type: str, value: str) -> bytes | None:
    if media_type == "image/svg+xml":
        return value.encode(errors="replace")
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _clean_trace(part: Json) -> str:
    return strip_folders(strip_controls(str(part)[:8000]))


def _quote_line(found: list[str], source: str) -> str:
    lines = source.split("\n")
    line = int(found[-1][:9]) if found else 0
    if not 0 < line <= len(lines):
        return ""
    return f"line {line}, `{lines[line - 1].strip()[:80]}`: "
