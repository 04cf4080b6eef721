"""What comes back of a call of a module and of a cell of a notebook."""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from restwright.jsontypes import Json
from restwright.manifests.code.limits import Network, ProcessStopReason

MAX_ERROR_CHARS = 500

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """
    What a function of a module gave.

    Args:
        value: What it returned, as JSON; a tuple is a list.
        is_tuple: Whether it was a tuple: SlashGPT's modules return `(result, message)`.
        error: Why there is no value, for the model: one line, empty where there is one.
        printed: What was printed meanwhile, cut at a limit.
        stopped: What ended the process.
        is_fresh: Whether a new process was started for this call although there was one before:
            what the module kept in memory is gone.
    """

    value: Json = None
    is_tuple: bool = False
    error: str = ""
    printed: str = ""
    stopped: ProcessStopReason = ""
    is_fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """
    An image that a cell showed.

    Args:
        name: What `CellResult.text` calls it; a file name.
        media_type: `image/png`, `image/jpeg` or `image/svg+xml`.
        content: Its bytes. An SVG is untrusted text that may hold scripts: not to be shown as is
            in a page.
    """

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """
    What a cell gave.

    Args:
        text: What it printed and its value, for the model, cut at a limit; images by name.
        images: What it showed.
        error: Why it did not come to its end, for the model; empty where it did.
        stopped: What ended the process.
        is_fresh: Whether a new process was started for this cell although there was one before:
            the variables of earlier cells are gone.
    """

    text: str = ""
    images: tuple[Image, ...] = ()
    error: str = ""
    stopped: ProcessStopReason = ""
    is_fresh: bool = False


_NETWORK = re.compile(
    r"unreachable|name resolution|urlopen error|ConnectionError|gaierror|Address family not supp"
)
_ADVICE = {
    "ModuleNotFoundError": "it is not installed; do without it",
    "PermissionError": "only the files that were allowed can be read, only the working folder "
    "written; --allow-file PATH[:rw] allows more",
    "MemoryError": "use less memory",
    "StdinNotImplementedError": "nobody can be asked; write the value into the code",
    "EOFError": "nobody can be asked",
    "BlockingIOError: [Errno 11]": "it started more processes than it may",
    "OSError: [Errno 12]": "it started more processes, or took more memory, than it may",
    "RuntimeError: can't start new thread": "it started more threads than it may",
}

FRESH = "(a new process was started: variables of earlier runs are gone)"


def format_for_model(result: CellResult | CallResult) -> str:
    """All of a cell's result in one text, or all but the value of a call's."""
    text = result.text if isinstance(result, CellResult) else result.printed
    parts = (FRESH if result.is_fresh else "", text, result.error)
    return "\n".join(part for part in parts if part)


def strip_controls(text: str) -> str:
    """`text` without colours, other control characters, and what no encoding has."""
    whole = text if text.isascii() else text.encode("utf-8", "replace").decode()
    return _CONTROLS.sub("", _ESCAPES.sub("", whole))


def sanitize_line(text: str, *, limit: int = MAX_ERROR_CHARS) -> str:
    """`text` plain, without folders of this machine, in one line that is cut."""
    line = " ".join(strip_folders(strip_controls(text[: 20 * limit])).split())
    return line if len(line) <= limit else line[: limit - 1] + "\u2026"


def strip_folders(text: str) -> str:
    """`text` with only the names of files whose folders would tell of this machine."""
    return _folder_pattern().sub("", text)


@cache
def _folder_pattern() -> re.Pattern[str]:
    told = [tempfile.gettempdir(), Path.home(), sys.prefix, sys.base_prefix, Path.cwd()]
    real = {str(form) for path in told for form in (path, Path(path).resolve())}
    names = "|".join(re.escape(name) for name in sorted(real - {"/"}, key=len, reverse=True))
    part = r"[^\s/'\"<>:,;()\[\]]+"
    return re.compile(rf"(?<![\w.~-])(?:{names})(?:/{part})*/(?={part})")


def add_advice(error: str, *, network: Network) -> str:
    """The text of an error with what can be done about it here."""
    if network == "none" and _NETWORK.search(error):
        return f"{error} (there is no network; --allow-net HOST allows a host)"
    advice = next((_ADVICE[start] for start in _ADVICE if error.startswith(start)), "")
    return f"{error} ({advice})" if advice else error


def cut_middle(text: str, *, limit: int) -> str:
    """`text`, or its beginning and its end with what is missing said between them."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit - limit * 3 // 4
    return f"{text[:head]}\n\u2026 {len(text) - limit:,} characters left out \u2026\n{text[-tail:]}"
