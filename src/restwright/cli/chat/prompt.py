"""Where a person types: a line with history, completion and several lines where they are wanted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.defaults import create_output

from restwright.cli.chat.files import file_names
from restwright.cli.render.output import printable

if TYPE_CHECKING:
    from restwright.cli.chat.loop import Talker

PROMPT, CONTINUED = "> ", ". "
MAX_HISTORY_BYTES = 1_000_000
_SHORTEST_WORD = 2
_MOST_NAMES = 200


def line_reader(talker: Talker, history: Path) -> Callable[[str], str]:
    """
    What reads the next message of the person at the terminal; it begins with what is given.

    It raises `KeyboardInterrupt` at Ctrl-C and `EOFError` at Ctrl-D.

    Args:
        talker: Whose commands and tools are completed.
        history: Where earlier lines are kept, for this user alone.
    """
    session: PromptSession[str] = PromptSession(
        multiline=True,
        prompt_continuation=CONTINUED,
        history=_history(talker, history),
        completer=_Names(talker),
        complete_while_typing=Condition(lambda: _is_named(session)),
        # The arrow keys find what begins as the line does.
        enable_history_search=Condition(lambda: not _is_named(session)),
        key_bindings=_keys(),
        enable_open_in_editor=True,
        bottom_toolbar=lambda: printable(talker.status_line()),
        # Standard output is for answers alone, and may go to a file.
        output=create_output(stdout=sys.stderr),
    )

    def read(begun: str = "") -> str:
        text = session.prompt(printable(talker.user_label) + PROMPT, default=begun)
        if _is_taken_back(session.input):
            raise KeyboardInterrupt
        return text

    return read


def _is_taken_back(source: Input) -> bool:
    """Whether Ctrl-C was pressed right behind Enter, while it was a key still and no signal."""
    with source.raw_mode():
        keys = [*get_typeahead(source), *source.read_keys()]
    stops = [at for at, each in enumerate(keys) if each.key == Keys.ControlC]
    # What was typed behind it is for the next message.
    store_typeahead(source, keys[stops[-1] + 1 :] if stops else keys)
    return bool(stops)


def _is_named(session: PromptSession[str]) -> bool:
    """Whether a command or a file is typed, whose name is to be completed unasked."""
    word = session.default_buffer.document.get_word_before_cursor(WORD=True)
    return session.default_buffer.text.startswith("/") or word.startswith("@")


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=~is_searching)
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    # They are used by what is decorated; nothing else names them.
    del enter, new_line
    return keys


class _Names(Completer):
    """Completes commands, what stands behind them, and tools and files in a message."""

    def __init__(self, talker: Talker) -> None:
        self._talker = talker

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield what may stand where the cursor is."""
        del complete_event
        text = document.text_before_cursor
        name, space, rest = text[1:].partition(" ")
        if text.startswith("/") and not space:
            return _beginning(name, self._talker.commands())
        if text.startswith("/"):
            return _having(rest, self._talker.complete_argument(name.lower()))
        word = document.get_word_before_cursor(WORD=True)
        if word.startswith("@"):
            return _files(word[1:])
        return _having(word, self._talker.tool_names()) if len(word) >= _SHORTEST_WORD else ()


def _files(begun: str) -> Iterable[Completion]:
    for name in file_names(begun):
        shown = printable(name)
        written = f'"{shown}"' if " " in shown else shown
        yield Completion(written, start_position=-len(begun), display=shown)


def _beginning(word: str, commands: Mapping[str, str]) -> Iterable[Completion]:
    return (
        Completion(printable(name), start_position=-len(word), display_meta=printable(does))
        for name, does in commands.items()
        if name.startswith(word.lower())
    )


def _having(word: str, names: Iterable[str]) -> Iterable[Completion]:
    """Those that begin with a word, whole or behind their namespace; then those that have it."""
    lower = word.lower()
    known = [printable(str(name)) for name in dict.fromkeys(names)]
    first = [candidate for candidate in known if _begins(candidate.lower(), lower)]
    begun = set(first)
    more = [
        candidate for candidate in known if lower in candidate.lower() and candidate not in begun
    ]
    return (Completion(name, start_position=-len(word)) for name in [*first, *more][:_MOST_NAMES])


def _begins(name: str, word: str) -> bool:
    return name.startswith(word) or name.partition("__")[2].startswith(word)


def _history(talker: Talker, path: Path) -> History:
    """The lines of earlier chats; those of this one alone where none can be kept."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(path)
    except OSError as error:
        talker.out.note(f"the history is not kept: {error.strerror} ({path})")
        return InMemoryHistory()
    return _Kept(path)


class _Kept(FileHistory):
    """A history in a file, without the lines that begin with a space."""

    def append_string(self, string: str) -> None:
        """Keep a line."""
        if not string.startswith(" "):
            super().append_string(string)


def _make_private(path: Path) -> None:
    """Have the file there, for this user alone, and not without end."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "rb+") as file:
        if sys.platform != "win32" and os.fstat(handle).st_mode & 0o077:
            os.fchmod(handle, 0o600)
        size = os.fstat(handle).st_size
        if size > MAX_HISTORY_BYTES:
            # An entry begins with a line of its time, behind an empty one.
            file.seek(size - MAX_HISTORY_BYTES // 2)
            kept = file.read().partition(b"\n\n")[2]
            file.seek(0)
            file.truncate()
            file.write(b"\n" + kept)
