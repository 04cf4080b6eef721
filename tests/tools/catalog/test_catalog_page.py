"""The page about catalogs runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from restwright.testing import document

PAGE = (Path(__file__).parents[3] / "docs" / "catalog.md").read_text("utf-8")


def test_the_python_of_the_page_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paths = {
        f"/{name}": {"get": {"operationId": name, "deprecated": name == "old"}}
        for name in ("list_products", "old", "admin_users", "pay", "ship")
    }
    (tmp_path / "shop.yaml").write_text(json.dumps(document(paths)), "utf-8")
    monkeypatch.chdir(tmp_path)

    exec(compile("".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), "page", "exec"), {})  # noqa: S102

    assert capsys.readouterr().out.splitlines() == [
        "('shop__pay', 'shop__products')",
        "a limit of 2 tools leaves out 1: shop__ship",
        "True ()",
    ]


def test_every_option_of_the_page_is_one_of_the_commands() -> None:
    commands = (Path(__file__).parents[3] / "src" / "restwright" / "cli").rglob("*.py")
    known = "".join(each.read_text("utf-8") for each in commands)
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)):
        assert f'"{option}"' in known, option
