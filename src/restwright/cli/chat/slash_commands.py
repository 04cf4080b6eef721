"""The commands of a chat over APIs, in one table: what begins with a slash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast, get_args

from typer import BadParameter

from restwright.cli.chat.command import Command
from restwright.cli.chat.shared_commands import SHARED
from restwright.cli.inputs.run_options import AgentKind

if TYPE_CHECKING:
    from restwright.cli.chat.base import BaseChat
    from restwright.cli.chat.chat import Chat

KINDS: tuple[str, ...] = get_args(AgentKind)


def _agent(chat: BaseChat, kind: str) -> None:
    own = cast("Chat", chat)
    if kind and kind not in KINDS:
        raise BadParameter(f"there is no kind {kind}; there are {', '.join(KINDS)}")
    if kind:
        own.conversation.agent = replace(own.agent, kind=kind)
    own.out.text(f"The agent is {own.kind}.")


COMMANDS: Mapping[str, Command] = {
    **{name: each for name, each in SHARED.items() if name != "quit"},
    "agent": Command(
        argument="[KIND]",
        help=f"How it goes about a message: {', '.join(KINDS)}.",
        run=_agent,
        complete=lambda _: KINDS,
    ),
    "quit": SHARED["quit"],
}
