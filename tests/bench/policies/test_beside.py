"""Further APIs beside the one that a query is about: offered, and never reached."""

from __future__ import annotations

import json

import pytest
from tests.support.bench.pages import said
from tests.support.bench.questions import QUESTIONS
from tests.support.bench.shelf import let_in, shelf
from tests.support.planned import FittingModel

from restwright.agents.agent import Agent
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document
from restwright_bench.agent_runs import agent_lines
from restwright_bench.errors import UnusableChoice
from restwright_bench.policies.beside import further_apis, without_own
from restwright_bench.policies.tools import tools_of
from restwright_bench.suites import Suite


def written(name: str) -> str:
    operation = {"operationId": f"list_{name}", "responses": {"200": {"description": ""}}}
    return json.dumps(document({f"/{name}": {"get": operation}}))


@pytest.fixture
def folder(tmp_path):
    for name in ("boats__1.0.json", "casks__2.json", "shelf__3.json"):
        (tmp_path / name).write_text(written(name.partition("__")[0]))
    (tmp_path / "index.json").write_text('{"documents": []}')
    return tmp_path


def test_the_first_documents_are_taken_or_all(folder):
    assert list(further_apis("0", folder=folder)) == []
    assert list(further_apis("2", folder=folder)) == ["boats", "casks"]
    assert list(further_apis("all", folder=folder)) == ["boats", "casks", "shelf"]
    for wrong, why in (("x", "a number or all"), ("4", "there are 3 documents, not 4")):
        with pytest.raises(UnusableChoice, match=why):
            further_apis(wrong, folder=folder)


def test_another_version_of_the_api_itself_is_left_out(folder):
    left = without_own(further_apis("all", folder=folder), "shelf")
    assert [api.alias for api in left] == ["boats", "casks"]


def test_no_call_of_a_further_api_leaves_this_machine():
    beside = (load(json.loads(written("boats")), alias="boats"),)
    tools = tools_of(shelf(), let_in, origin="http://127.0.0.1:9", beside=beside)
    assert "boats__list_boats" in tools.catalog.names
    assert {*tools.connections} == {*tools.catalog.apis}
    assert tools.connections["boats"].server == "http://127.0.0.1:9/beside/boats"
    assert not tools.connections["boats"].headers
    assert Agent(tools.catalog, model=ScriptedModel([]), connections=tools.connections)


def test_runs_beside_other_numbers_of_apis_are_runs_of_their_own(folder, tmp_path):
    suite = Suite(name="shelf", api=shelf(), let_in=let_in, queries=QUESTIONS[:1])
    files, beside = {"rest": tmp_path / "a.jsonl"}, further_apis("2", folder=folder)
    (alone,) = agent_lines([suite], [0], FittingModel(said(0), is_small=False), files)
    (more,) = agent_lines([suite], [0], FittingModel(said(0), is_small=False), files, beside=beside)
    assert list(agent_lines([suite], [0], ScriptedModel([]), files, beside=beside)) == []
    assert (alone["beside"], more["beside"]) == (0, 2)
    assert more["operations"] == alone["operations"] + 2
    assert (more["set"], more["score"]["success"]) == ("read", True)
