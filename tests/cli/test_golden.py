"""What is printed for people and for scripts, whole. `python -m tests.cli.regen` writes it anew."""

from __future__ import annotations

import pytest
from tests.cli.regen import FOLDER, GOLDEN, printed


@pytest.mark.parametrize("name", GOLDEN)
def test_a_command_prints_its_golden_file(name: str):
    assert printed(name) == (FOLDER / name).read_text(encoding="utf-8")


def test_every_golden_file_is_printed_by_a_command():
    assert {each.name for each in FOLDER.glob("*.txt")} == {*GOLDEN}
