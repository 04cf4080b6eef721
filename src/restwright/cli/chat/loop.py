"""Messages one after another, from a person at a terminal or from a program, until they end."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from typer import BadParameter

from restwright.cli.render.errors import DONE, FAILED, STOPPED, report, unexpected
from restwright.cli.render.output import Output, is_text
from restwright.cli.render.remedies import remedy
from restwright.cli.screen.typed_ahead import TypedAhead
from restwright.errors import RestwrightError

HISTORY = "chat_history"

# One word: `/orders/7 fails, why?` is a message.
_COMMAND = re.compile(r"/([A-Za-z][\w-]*|\?)(?:[ \t]+(.*))?", re.DOTALL)


class Talker(Protocol):
    """A chat of any kind."""

    @property
    def out(self) -> Output:
        """Where it prints."""
        ...

    @property
    def is_person(self) -> bool:
        """Whether a person types at a terminal; else lines come from a file or a program."""
        ...

    @property
    def codes(self) -> set[int]:
        """How the turns and commands ended so far."""
        ...

    def greeting(self) -> str:
        """What a person is told at the beginning."""
        ...

    def handle_line(self, text: str) -> None:
        """
        Take a message, or carry a command out.

        Raises:
            EOFError: The user wants to leave.
        """
        ...

    def end(self) -> None:
        """Print what stands at the end."""
        ...

    @property
    def user_label(self) -> str:
        """What stands before the line that is typed; empty for nothing."""
        ...

    def status_line(self) -> str:
        """What a person sees beneath the line that is typed."""
        ...

    def commands(self) -> Mapping[str, str]:
        """What may stand behind a slash, `{name: what it does}`."""
        ...

    def complete_argument(self, command: str) -> Iterable[str]:
        """What may stand behind a command."""
        ...

    def tool_names(self) -> Sequence[str]:
        """Names of tools, which a message may have."""
        ...

    @property
    def ahead(self) -> TypedAhead:
        """What was typed while an answer came."""
        ...


def command_in(text: str) -> tuple[str, str] | None:
    """`(name, what stands behind it)` of a line that is a command; None for a message."""
    found = None if "\n" in text else _COMMAND.fullmatch(text.rstrip())
    return (found[1], (found[2] or "").strip()) if found else None


def talk(talker: Talker, *, first: Callable[[], None] | None = None) -> int:
    """
    Take turns until nothing is left to read.

    Args:
        first: Is done before that.

    Returns:
        The exit code: of a chat of a person always that it is done.
    """
    if talker.is_person:
        talker.out.note(talker.greeting())
    if first is not None:
        _guarded(talker, first)
    for text in _messages(talker):
        if not text.strip():
            continue
        try:
            _guarded(talker, lambda said=text: talker.handle_line(_readable(said)))
        except EOFError:
            break
    talker.end()
    if talker.is_person or not talker.codes - {DONE}:
        return DONE
    return FAILED if talker.codes - {DONE, STOPPED} else STOPPED


def _guarded(talker: Talker, do: Callable[[], None]) -> None:
    """Do one thing; what goes wrong with it is said, and does not end the chat."""
    try:
        do()
    except (EOFError, BrokenPipeError):
        raise
    except KeyboardInterrupt:
        # Between two steps of a command, such as a download.
        if not talker.is_person:
            raise
        talker.out.note("stopped")
    except Exception as error:  # noqa: BLE001 - what fails does not take the chat with it
        talker.codes.add(FAILED)
        _tell(error, talker.out)


def _tell(error: Exception, out: Output) -> None:
    """Say what went wrong."""
    match error:
        case RestwrightError():
            report(error.code, error.message, remedy(error), as_json=False)
        case BadParameter():
            report("usage", error.message, as_json=False)
        case OSError() if error.filename is not None:
            report("file", f"cannot use {error.filename}: {error.strerror}", as_json=False)
        case _:
            unexpected(error, as_json=False, verbose=out.verbose)


def _readable(text: str) -> str:
    """
    Return a message as it is.

    Raises:
        BadParameter: It has bytes that are no text; what they stand for is not guessed.
    """
    if not is_text(text):
        raise BadParameter("a message that is not UTF-8 was left out; send it as UTF-8")
    return text


def _messages(talker: Talker) -> Iterator[str]:
    """Yield what is said, one message after another."""
    if not talker.is_person:
        yield from _lines()
        return
    from restwright.cli.chat.prompt import line_reader
    from restwright.net.counters import user_state_folder

    read = line_reader(talker, user_state_folder() / HISTORY)
    while True:
        if (waiting := talker.ahead.take()) is not None:
            talker.out.note(f"> {waiting}")
            yield waiting
            continue
        try:
            yield read(talker.ahead.take_begun())
        except KeyboardInterrupt:
            # What was typed is thrown away; nothing else was going on.
            continue
        except EOFError:
            return


def _lines() -> Iterator[str]:
    """The lines of standard input; a backslash at the end joins the next one."""
    kept: list[str] = []
    # A line that cannot be read must not take those behind it along.
    if (reconfigure := getattr(sys.stdin, "reconfigure", None)) is not None:
        reconfigure(errors="surrogateescape")
    for line in sys.stdin:
        text = line.rstrip("\r\n")
        if text.endswith("\\"):
            kept.append(text[:-1])
            continue
        yield "\n".join([*kept, text])
        kept = []
    if kept:
        yield "\n".join(kept)
