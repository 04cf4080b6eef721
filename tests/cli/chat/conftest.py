"""Chats at real terminals, with models that say what stands in a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.manifests.desk import write_desk

if TYPE_CHECKING:
    from tests.support.cli.terminal import Terminal

PROGRAM = Path(__file__).parents[2] / "support" / "programs" / "scripted_chat.py"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Begin a chat at a terminal, with these replies of the model."""
    from tests.support.cli.terminal import PROMPT, Terminal

    begun: list[Terminal] = []

    def start(replies: object, *argv: str, greeting: str, **size: Any) -> Terminal:
        script = tmp_path / f"replies{len(begun)}.json"
        script.write_text(json.dumps(replies), "utf-8")
        begun.append(Terminal(sys.executable, str(PROGRAM), str(script), *argv, **size))
        begun[-1].sees(greeting)
        begun[-1].sees(PROMPT)
        return begun[-1]

    yield start
    for each in begun:
        each.close()


@pytest.fixture
def terminal(opened, things: str, server) -> Callable[..., Terminal]:
    """Begin a chat over an API."""
    api = ("-a", f"things={things}", "--server", server.url, "--agent", "calling")

    def start(*replies: tuple[str, object], argv: tuple[str, ...] = (), **size: Any) -> Terminal:
        return opened(replies, *api, *argv, greeting="Ctrl-D quits.", **size)

    return start


@pytest.fixture
def talk(opened, tmp_path: Path) -> Callable[..., Terminal]:
    """Begin a chat with an agent of a manifest that only speaks."""
    path = tmp_path / "clerk.yaml"
    path.write_text("title: Clerk\nprompt: Be brief.\n", "utf-8")

    def start(*answers: str, **size: Any) -> Terminal:
        replies = [*answers]
        return opened(replies, str(path), greeting="Ctrl-D quits.", **size)

    return start


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A manifest whose agent hands over to another one."""
    return write_desk(tmp_path)
