"""The list of `--help` and the commands that it names."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from restwright.cli.app import COMMANDS, GROUPS, load_command


def commands_imported_by(*arguments: str) -> set[str]:
    """The modules of commands that a fresh interpreter imports for one command line."""
    code = (
        "import sys; from restwright.cli.app import run; run(sys.argv[1:]);"
        "print('modules:', *(name for name in sys.modules if '.cli.commands.' in name))"
    )
    ran = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return {name.rpartition(".")[2] for name in ran.stdout.rpartition("modules:")[2].split()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_listed_line_is_what_the_command_says_of_itself(name) -> None:
    home, summary = COMMANDS[name]
    module, _, function = home.partition(".")
    loaded = getattr(import_module(f"restwright.cli.commands.{module}"), function)
    assert loaded.__doc__.strip().split("\n\n")[0].split() == summary.split()


@pytest.mark.parametrize("name", GROUPS)
def test_a_listed_group_has_its_commands(name) -> None:
    homes, _ = GROUPS[name]
    assert list(load_command(name).commands) == list(homes)


@pytest.mark.process
def test_the_list_of_commands_imports_none_of_them() -> None:
    assert commands_imported_by("--help") == set()


@pytest.mark.process
def test_a_command_imports_no_other() -> None:
    assert commands_imported_by("cache", "path") == {"cache"}
