"""The README runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import restwright
from restwright.demo.server import running
from restwright.testing import ScriptedModel, document

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    plan = {"language": "English", "steps": []}
    model = ScriptedModel([plan, {"answer": "I can search products."}])
    with running() as shop:
        code = code.replace("http://127.0.0.1:8000", shop.url).replace("********", shop.token)
        code = code.replace('rw.model_named("local")', "model")
        exec(compile(code, "README.md", "exec"), {"model": model})  # noqa: S102
    assert capsys.readouterr().out == "I can search products.\n"


def test_the_names_of_the_readme_are_public() -> None:
    named = set(re.findall(r"\brw\.(\w+)", README))
    assert named <= set(restwright.__all__)


def test_the_python_of_the_page_on_schemas_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "schemas.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "schemas.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == (
        "{'page_size': {'type': 'integer'}}\n{'type': 'integer'}\nzoo__listPets\n"
    )


def test_the_python_of_the_page_on_dialects_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "dialects.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    inputs = [
        {"name": "category", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "page", "in": "query", "schema": {"type": "integer"}},
    ]
    operation = {"operationId": "list_products", "parameters": inputs}
    shop = document({"/products": {"get": operation}}, info={"title": "Shop", "version": "1"})
    (tmp_path / "shop.yaml").write_text(json.dumps(shop), "utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "dialects.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == "['category', 'page'] True ()\n{'category': 'bags'}\n"
