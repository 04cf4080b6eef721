"""The tutorial runs from its first line to its last, and prints what it says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from restwright.cli import main
from restwright.demo.server import Shop, running
from restwright.testing import ScriptedModel

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
WRITTEN = "http://127.0.0.1:8000"


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with running() as opened:
        monkeypatch.setenv("SHOP_TOKEN", opened.token)
        yield opened


def commands() -> list[tuple[str, list[str]]]:
    """Each command of ours that does not serve, and the lines that it prints among others."""
    found: list[tuple[str, list[str]]] = []
    for kind, text in BLOCKS:
        if kind == "console":
            first, *printed = text.rstrip().splitlines()
            found.append((first.removeprefix("$ "), printed))
    return [(line, printed) for line, printed in found if printed and line.startswith("restwright")]


@pytest.mark.parametrize(("line", "printed"), commands())
def test_a_command_prints_what_the_page_says(
    line: str, printed: list[str], shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    _, *arguments = shlex.split(line.replace(WRITTEN, shop.url))
    assert main(arguments) == (1 if arguments[0] == "check" else 0)
    shown = capsys.readouterr()
    said = (shown.out + shown.err).replace(shop.url, WRITTEN)
    assert [wanted for wanted in printed if wanted not in said] == []


def test_its_python_prints_what_the_page_says(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel([{"language": "English", "steps": []}, {"answer": "I can sell bags."}])
    names: dict[str, Any] = {"model": model}
    shown = iter([text for kind, text in BLOCKS if kind == "text"])
    for kind, text in BLOCKS:
        if kind == "python":
            code = text.replace(WRITTEN, shop.url).replace('rw.model_named("local")', "model")
            exec(compile(code, "tutorial.md", "exec"), names)  # noqa: S102
            assert capsys.readouterr().out == next(shown)
    assert next(shown, None) is None
