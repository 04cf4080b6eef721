"""`sessions export --arazzo`: a finished run as a workflow, which is replayed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import yaml
from tests.support.workflows import OPENAPI

from restwright.agents.agent import KINDS, Agent
from restwright.agents.steps import Call, Conclusion, Steps
from restwright.calls.response.result import Result
from restwright.testing import ScriptedModel

QUESTION = "Order 2 of the mug, please"


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    yield Call(tool="orders__findProducts", arguments={"name": "mug"})
    yield Call(tool="orders__getOrder", arguments={"order_id": 404})
    result = yield Call(
        tool="orders__addOrder",
        arguments={"product_id": 7, "quantity": 2, "note": "$5 off", "tags": ["quick"]},
    )
    assert isinstance(result, Result)
    yield Call(tool="orders__getOrder", arguments={"order_id": result.value["id"]})
    return Conclusion(text="It is ordered.")


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "orders.yaml"
    path.write_text(OPENAPI, encoding="utf-8")
    return path


@pytest.fixture
def session(restwright, documents: Path, shop, monkeypatch: pytest.MonkeyPatch) -> str:
    restwright.find_model(lambda *_: ScriptedModel(["done"]))
    monkeypatch.setattr("restwright.agents.agent.KINDS", {**KINDS, "react": loop})
    api = ("-a", f"orders={documents}", "--server", shop.url, "--yes")
    ended = restwright("ask", QUESTION, *api, "--agent", "react", "--json")
    assert ended.json["stopped"] == "answered", ended
    shop.requests.clear()
    return ended.json["session"]


def test_values_of_a_run_come_from_where_it_had_them(restwright, session, documents, tmp_path):
    ended = restwright("sessions", "export", session, "--arazzo", "-a", f"orders={documents}")
    [workflow] = yaml.safe_load(ended.out)["workflows"]
    find, order, look = workflow["steps"]
    assert find["parameters"] == [{"name": "name", "in": "query", "value": "$inputs.name"}]
    assert find["outputs"] == {"id": "$response.body#/0/id"}
    assert order["requestBody"]["payload"] == {
        "product_id": "$steps.findProducts.outputs.id",
        "quantity": "$inputs.quantity",
        "note": "$inputs.note",
        "tags": ["quick"],
    }
    assert order["successCriteria"] == [{"condition": "$statusCode == 201"}]
    assert look["parameters"][0]["value"] == "$steps.addOrder.outputs.id"
    assert workflow["inputs"]["properties"]["quantity"] == {"type": "integer", "examples": [2]}
    assert "1 of the run's calls failed and are left out" in ended.err


def test_the_workflow_replays_the_run(restwright, session, documents, tmp_path, shop):
    path = tmp_path / "run.arazzo.yaml"
    named = ("-a", f"orders={documents}", "-o", str(path))
    ended = restwright("sessions", "export", session, "--arazzo", *named)
    [line] = [line for line in ended.err.splitlines() if line.startswith("replay it: ")]
    _, command, *arguments = shlex.split(line.removeprefix("replay it: "))
    replayed = restwright(command, *arguments, "--server", shop.url, "--yes")
    assert replayed.json == {"response": {"id": 41, "status": "Open", "product_id": 7}}
    assert shop.requests == [
        ("GET", "/products?name=mug", None),
        ("POST", "/orders", {"product_id": 7, "quantity": 2, "note": "$5 off", "tags": ["quick"]}),
        ("GET", "/orders/41", None),
    ]


def test_a_replay_takes_what_is_found_then(restwright, session, documents, tmp_path, shop):
    path = tmp_path / "run.arazzo.yaml"
    named = ("-a", f"orders={documents}", "-o", str(path))
    restwright("sessions", "export", session, "--arazzo", *named)
    shop.replies["GET /products"] = [(200, [{"id": 9}])]
    inputs = json.dumps({"name": "cup", "quantity": 1, "note": "none"})
    where = ("--server", shop.url, "--yes")
    restwright("call", str(path), "order-2-of-the-mug-please", inputs, *where)
    assert shop.requests[1][2]["product_id"] == 9


def test_it_needs_the_documents_of_the_run(restwright, session, things):
    missing = restwright("sessions", "export", session, "--arazzo")
    assert missing.code == 2
    assert "-a DOC" in missing.err
    other = restwright("sessions", "export", session, "--arazzo", "-a", things)
    assert "it is of other documents" in other.err


def test_a_file_that_is_there_is_not_written_over(restwright, session, documents):
    named = ("-a", f"orders={documents}", "-o", str(documents))
    ended = restwright("sessions", "export", session, "--arazzo", *named)
    assert ended.code == 2
    assert documents.read_text(encoding="utf-8") == OPENAPI
