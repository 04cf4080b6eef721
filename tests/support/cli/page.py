"""The page about the commands, of which the second part is their help."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"

COMMANDS = (
    "tools",
    "show",
    "index",
    "search",
    "upgrade",
    "check",
    "call",
    "ask",
    "chat",
    "web",
    "run",
    "test",
    "new",
    "serve",
    "worker",
    "queue add",
    "queue list",
    "queue retry",
    "convert slashgpt",
    "demo",
    "doctor",
    "model pull",
    "model list",
    "model path",
    "model serve",
    "mcp serve",
    "mcp config",
    "mcp bundle",
    "mcp inspect",
    "cache path",
    "cache clear",
    "sessions list",
    "sessions show",
    "sessions export",
    "sessions delete",
    "sessions prune",
    "sessions questions",
    "sessions answer",
)

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

# What stands above it is written by hand.
MARK = "<!-- From here on `python -m tests.support.cli.regen` writes this page. -->\n"


def page(text: str, help_of: Callable[[str], str]) -> str:
    """`text` with the help of each command behind its mark."""
    own, mark, _ = text.partition(MARK)
    helps = [(name, help_of(name).rstrip()) for name in COMMANDS]
    sections = [f"\n## restwright {name}\n\n```text\n{said}\n```\n" for name, said in helps]
    return "".join([own, mark, *sections])
