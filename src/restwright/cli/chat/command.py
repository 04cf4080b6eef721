"""A command of a chat, and how one is found by what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from typer import BadParameter

if TYPE_CHECKING:
    from restwright.cli.chat.base import BaseChat


def _nothing(chat: BaseChat) -> Iterable[str]:
    del chat
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """
    What a user can do besides asking.

    Args:
        argument: What stands behind its name, as it is shown; empty for nothing.
        help: In a few words.
        run: Called with what stands behind the name.
        complete: What can stand there.
    """

    argument: str = ""
    help: str
    run: Callable[[BaseChat, str], None]
    complete: Callable[[BaseChat], Iterable[str]] = _nothing


def run_command(chat: BaseChat, commands: Mapping[str, Command], name: str, rest: str) -> None:
    """
    Do what the command `name` of `commands` says.

    Raises:
        BadParameter: There is no such command, or it cannot be used so.
        EOFError: The user wants to leave.
    """
    command = commands.get(name.lower())
    if command is None:
        near = get_close_matches(name.lower(), commands, n=1, cutoff=0.5)
        begun = [text for text in commands if text.startswith(name.lower())]
        meant = next(iter([*begun, *near]), None)
        other = f"did you mean /{meant}?" if meant else "see /help"
        raise BadParameter(
            f"there is no command /{name}; {other} A message may begin with a space and a slash"
        )
    if rest and not command.argument:
        raise BadParameter(f"/{name} takes nothing behind it")
    command.run(chat, rest)
