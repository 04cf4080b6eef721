"""What docs/functions.md shows is what is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "functions.md").read_text("utf-8")


def test_the_python_of_the_page_prints_what_stands_below_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "functions.md", "exec"), {"__name__": "page"})  # noqa: S102
    assert capsys.readouterr().out == printed
