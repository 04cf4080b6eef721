"""What is printed for people and for scripts, whole. `make regen` writes it anew."""

from __future__ import annotations

import re

import pytest
from tests.support.cli.page import COMMANDS, MARK, OPTION, PAGE, page
from tests.support.cli.regen import FOLDER, GOLDEN, help_of, printed


@pytest.mark.parametrize("name", GOLDEN)
def test_a_command_prints_its_golden_file(name: str):
    assert printed(name) == (FOLDER / name).read_text(encoding="utf-8")


def test_every_golden_file_is_printed_by_a_command():
    assert {each.name for each in FOLDER.glob("*.txt")} == {*GOLDEN}


def test_the_page_about_the_commands_ends_with_their_help():
    text = PAGE.read_text(encoding="utf-8")
    assert MARK in text
    assert page(text, help_of) == text


def test_every_option_that_the_page_explains_is_one():
    explained, _, helps = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert {*OPTION.findall(explained)} <= {*OPTION.findall(helps)}


def test_the_page_has_every_command():
    groups = {"model", "mcp", "cache", "sessions"}
    assert listed(help_of("")) == {name.split()[0] for name in COMMANDS}
    below = {f"{group} {name}" for group in groups for name in listed(help_of(group))}
    assert below == {name for name in COMMANDS if name.split()[0] in groups}


def listed(said: str) -> set[str]:
    """The commands that a help lists."""
    return {*re.findall(r"^  (\S+)", said.partition("Commands:\n")[2], re.MULTILINE)}
