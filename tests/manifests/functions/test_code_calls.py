"""Code of SlashGPT manifests that the user has allowed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.support.manifests.fixtures import folder, resource
from tests.support.manifests.stub import calling, saying

from restwright.jsontypes import JsonObject
from restwright.manifests.code.runner import CodeRunner
from restwright.manifests.functions.code_calls import CodeCall
from restwright.manifests.slashgpt.session import SessionOptions, open_session
from restwright.testing import ScriptedModel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="code is refused on Windows")

DB = """
import os
def query(sql: str):
    return {"rows": len(sql)}, "It was counted."
def fails():
    raise ValueError("no such table")
def secret():
    return os.environ
"""
MANIFEST: JsonObject = {
    "title": "Database",
    "module": "./resources/module/db.py",
    "functions": [
        {"name": "query", "parameters": {"properties": {"sql": {"type": "string"}}}},
        {"name": "fails"},
    ],
}


def test_a_function_of_a_module_answers_and_its_failure_is_told(tmp_path: Path) -> None:
    place = folder(tmp_path, db=MANIFEST)
    resource(tmp_path, "module/db.py", DB)
    replies = [
        calling("query", {"sql": "select 1"}),
        calling("fails", {}),
        calling("secret", {}),
        saying("Eight."),
    ]
    with CodeRunner() as code:
        at = open_session(place, SessionOptions(model=ScriptedModel(replies), run=code))
        assert at.ask("x").text == "Eight."
    told, failed, undeclared = (each.text for each in at.history if each.speaker == "tool")
    assert '{"rows":8}\nIt was counted.' in told
    assert "no such table" in failed
    assert "There is no function 'secret'" in undeclared


def test_a_cell_without_code_says_so() -> None:
    with CodeRunner() as code:
        call = CodeCall(agent="a", kind="notebook", function="python", arguments={"code": " "})
        assert code(call).error == "python needs code"


def test_a_module_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "none.py")
    with CodeRunner() as code:
        call = CodeCall(agent="a", kind="module", function="f", arguments={}, path=path)
        assert "none.py" in code(call).error
