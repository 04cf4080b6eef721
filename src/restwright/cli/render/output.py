"""Where a command writes: results on standard output, everything else on standard error."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from restwright.cli.surroundings import current_surroundings
from restwright.jsontypes import Json, is_array, is_object

# C0 and C1 controls but newline and tab, and marks that reorder text or are not seen at all: a
# document or a response must not be able to drive the terminal, nor to hide what is asked about.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)

# `done     1 HTTP call`: a word, and what belongs to it beneath one another.
_LABEL = 9
_LABELLED = re.compile(r"\w+ +(?<=^.{9})\S")

# What stands for bytes that are no text, in arguments as on standard input.
_NO_TEXT = re.compile("[\ud800-\udfff]")

# A password may hold any character, and the second slash may have been forgotten.
_ADDRESS = re.compile(r"(:/{1,2})([^\s'\"]*+)")


def printable(text: str) -> str:
    """`text` with control, direction and invisible characters written as escapes of JSON."""
    return CONTROLS.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    if match[0] < " ":
        return match[0].encode("unicode_escape").decode()
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def one_line(text: str) -> str:
    """`text` on one line, with nothing that a terminal would act on."""
    return printable(" ".join(text.split()))


def is_text(typed: str) -> bool:
    """Whether what was typed is UTF-8."""
    return _NO_TEXT.search(typed) is None


def counted(number: int, thing: str) -> str:
    """`1 tool`, `1,223 tools`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def without_passwords(text: str) -> str:
    """`text` with what stands before the host of a URL masked."""
    return _ADDRESS.sub(_without_password, text)


def _without_password(match: re.Match[str]) -> str:
    _, at, host = match[2].rpartition("@")
    return f"{match[1]}***@{host}" if at else match[0]


def to_json(value: Json) -> str:
    """Indented JSON; integers over 64 bits and lone surrogates included."""
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        import json

        return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def to_readable_json(value: Json, *, width: int = 96) -> str:
    """JSON for people: what fits a line of `width` columns stands on one."""
    return "\n".join(_lines(value, width))


def _lines(value: Json, room: int, *, used: int = 0) -> list[str]:
    """`used` columns of the first line are taken already."""
    import json

    flat = json.dumps(value, ensure_ascii=False)
    if used + len(flat) <= room:
        return [flat]
    if is_object(value):
        members = [_member(key, each, room - 2) for key, each in value.items()]
        return ["{", *_separated(members), "}"]
    if not is_array(value):
        return [flat]
    if any(is_object(item) or is_array(item) for item in value):
        return ["[", *_separated([_lines(item, room - 2) for item in value]), "]"]
    return ["[", *_filled([json.dumps(item, ensure_ascii=False) for item in value], room), "]"]


def _member(key: str, value: Json, room: int) -> list[str]:
    import json

    name = f"{json.dumps(key, ensure_ascii=False)}: "
    first, *rest = _lines(value, room, used=len(name))
    return [name + first, *rest]


def _separated(members: list[list[str]]) -> Iterator[str]:
    for index, lines in enumerate(members):
        comma = "," if index < len(members) - 1 else ""
        yield from (f"  {line}" for line in lines[:-1])
        yield f"  {lines[-1]}{comma}"


def _filled(scalars: list[str], room: int) -> Iterator[str]:
    """Values side by side, as many as fit a line."""
    line = " "
    for index, each in enumerate(scalars):
        piece = each + ("," if index < len(scalars) - 1 else "")
        if line != " " and len(line) + 1 + len(piece) > room:
            yield line
            line = " "
        line += f" {piece}"
    yield line


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """
    What the options common to all commands ask for.

    Args:
        json: One JSON document on standard output instead of text.
        quiet: Only results and errors.
        verbose: Say more on standard error.
    """

    json: bool = False
    quiet: bool = False
    verbose: bool = False

    def text(self, text: str) -> None:
        """Print a result for people."""
        print(printable(text))

    def warn(self, text: str) -> None:
        """Print a remark on standard error, on one line."""
        self.note(one_line(text))

    def value(self, value: Json) -> None:
        """Print a result as JSON."""
        print(printable(to_json(value)))

    def note(self, text: str) -> None:
        """Print a remark on standard error, unless that is not wanted."""
        if not self.quiet:
            print(_fitted(printable(text)), file=sys.stderr, flush=True)


def is_terminal() -> bool:
    """Whether a person can be asked."""
    return current_surroundings().is_terminal()


def _fitted(text: str) -> str:
    """A remark as wide as the terminal, broken between words; what follows a label stands below."""
    if not sys.stderr.isatty():
        return text
    import shutil
    import textwrap

    width = shutil.get_terminal_size().columns
    lines = (
        textwrap.wrap(
            line,
            width,
            subsequent_indent=" " * _LABEL if _LABELLED.match(line) else "",
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        if len(line) > width
        else [line]
        for line in text.split("\n")
    )
    return "\n".join(each for several in lines for each in several)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingOutput(Output):
    """Keeps remarks for later; where nobody reads them then it prints them."""

    texts: list[str] = field(default_factory=list[str])
    keeps: bool = True

    def note(self, text: str) -> None:
        """Keep a remark, or print it."""
        if self.keeps:
            self.texts.append(text)
        else:
            Output.note(self, text)


def counting(out: Output) -> CountingOutput:
    """An output that keeps remarks for the person at the terminal."""
    return CountingOutput(
        json=out.json,
        quiet=out.quiet,
        verbose=out.verbose,
        keeps=is_terminal() and not out.verbose,
    )


def confirmed(question: str) -> bool:
    """Ask on standard error; only `y` and `yes` are a yes, the end of the input is a no."""
    return line_for(f"{question} [y/N] ").lower() in {"y", "yes"}


def line_for(question: str) -> str:
    """
    Ask on standard error, and return the line that is typed then; empty at the end of the input.

    What was typed before the question was there is no answer to it: a `y` for a message must not
    approve a write that turns up meanwhile.
    """
    if sys.stdin.isatty():
        _forget_typed()
    print(printable(question), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def _forget_typed() -> None:
    try:
        import termios
    except ImportError:
        return  # Windows has none.
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
