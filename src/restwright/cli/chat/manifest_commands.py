"""The commands of a chat with agents of manifests, beside those of SlashGPT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from restwright.cli.chat.command import Command
from restwright.cli.chat.shared_commands import SHARED, help_lines

if TYPE_CHECKING:
    from restwright.cli.chat.base import BaseChat
    from restwright.cli.chat.manifest_talk import ManifestChat


def _help(chat: BaseChat, rest: str) -> None:
    """Show what can be typed, the manifest of an agent, or a line about a command."""
    from restwright.manifests.slashgpt.commands import SLASHGPT_COMMANDS, run_slashgpt_command

    stage = cast("ManifestChat", chat).stage
    name = rest.removeprefix("/")
    if name in stage.session.speakers:
        done = run_slashgpt_command(stage, f"/help {name}")
        chat.out.text(done.text if done else "")
    elif name in SLASHGPT_COMMANDS and name not in COMMANDS:
        chat.out.text(f"/{name}: {SLASHGPT_COMMANDS[name].help}")
    elif name:
        SHARED["help"].run(chat, name)
    else:
        theirs = [
            f"  /{key}: {each.help}"
            for key, each in SLASHGPT_COMMANDS.items()
            if key not in COMMANDS
        ]
        agents = [f"  /{key}: {each.title}" for key, each in stage.session.speakers.items()]
        lines = [*help_lines(COMMANDS), "Of SlashGPT:", *theirs, "Agents:", *agents]
        chat.out.text("\n".join(lines))


COMMANDS: Mapping[str, Command] = {
    **SHARED,
    "help": Command(
        argument="[COMMAND]", help="What can be typed; with an agent its manifest.", run=_help
    ),
    "v": Command(help="The same as /verbose.", run=SHARED["verbose"].run),
}
