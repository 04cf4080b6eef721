"""
Other runners of Arazzo take what we take and what we write, and come to the same.

`make test-arazzo` installs them below `.adapters/`; where one is not there, its tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.support.workflows import BUY, HEAD, OPENAPI, Shop

import restwright as rw
from restwright.agents.steps import Call
from restwright.agents.workflow_draft import draft_workflow
from restwright.openapi.syntax.yaml_writer import to_yaml
from restwright.workflows import load_workflows

HOME = Path(__file__).parents[2] / ".adapters"
PYTHON = HOME / "arazzo" / "bin" / "python"
REDOCLY = HOME / "redocly" / "node_modules" / ".bin" / "redocly"
INPUTS = {"name": "mug", "quantity": 2}
SENT = [
    ("GET", "/products?name=mug", None),
    ("POST", "/orders", {"product_id": 7, "quantity": 2, "note": "for mug"}),
]
# Of 1.0 and its grammar alone, which all of them run.
PLAIN = (
    (HEAD + BUY)
    .replace("arazzo: 1.1.0", "arazzo: 1.0.1")
    .replace("$response.body.status", "$response.body#/status")
    .replace("$sourceDescriptions.orders.addOrder", "addOrder")
    .replace(
        '          - {context: $response.body, condition: "$[?@.stock > 0]", type: jsonpath}\n', ""
    )
)
RUN = """
import json, sys
from arazzo_runner import ArazzoRunner
runner = ArazzoRunner.from_arazzo_path(sys.argv[1])
result = runner.execute_workflow("buy", json.loads(sys.argv[2]))
print(json.dumps(result.outputs))
"""


@pytest.fixture
def document(tmp_path: Path, shop: Shop) -> str:
    described = yaml.safe_load(OPENAPI)
    described["servers"] = [{"url": shop.url}]
    (tmp_path / "orders.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    path = tmp_path / "buy.arazzo.yaml"
    path.write_text(PLAIN, encoding="utf-8")
    return str(path)


def run(*command: str, cwd: Path) -> str:
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    environment = {**os.environ, **quiet}
    ended = subprocess.run(  # noqa: S603 - the runners named above
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=180, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_ours(document: str, shop: Shop) -> None:
    tool = load_workflows(document).find("buy")
    assert tool is not None
    to = rw.Connection(shop.url)
    result = rw.call(tool, INPUTS, connection=to, policy=rw.Policy(default="allow"))
    assert result.value == {"order_id": 41, "status": "Open"}
    assert shop.requests == SENT


@pytest.mark.skipif(not PYTHON.exists(), reason="arazzo-runner is not installed")
def test_arazzo_runner(document: str, shop: Shop, tmp_path: Path) -> None:
    out = run(str(PYTHON), "-c", RUN, document, json.dumps(INPUTS), cwd=tmp_path)
    assert json.loads(out.splitlines()[-1]) == {"order_id": 41, "status": "Open"}
    assert shop.requests == SENT


@pytest.mark.skipif(not REDOCLY.exists(), reason="@redocly/cli is not installed")
def test_respect(document: str, shop: Shop, tmp_path: Path) -> None:
    given = json.dumps(INPUTS)
    run(str(REDOCLY), "respect", document, "--workflow", "buy", "--input", given, cwd=tmp_path)
    assert shop.requests == SENT


@pytest.fixture
def written(tmp_path: Path, document: str, shop: Shop) -> tuple[str, str]:
    """A run that was made, as a workflow: its path, and the inputs of the run."""
    del document
    api = rw.load(tmp_path / "orders.yaml", alias="orders")
    tools = rw.catalog(api)
    calls = [
        Call(tool="orders__findProducts", arguments={"name": "mug"}),
        Call(tool="orders__addOrder", arguments={"product_id": 7, "quantity": 2}),
        Call(tool="orders__getOrder", arguments={"order_id": 41}),
    ]
    allowed = rw.Policy(default="allow")
    to = rw.Connection(shop.url)
    made = [
        (each, rw.call(tools[each.tool], each.arguments, connection=to, policy=allowed))
        for each in calls
    ]
    urls = {"orders": "./orders.yaml"}
    draft = draft_workflow("1", "buy 2 of the mug", made, tools, urls=urls)
    path = tmp_path / "run.arazzo.yaml"
    path.write_text(to_yaml(draft.document), encoding="utf-8")
    shop.requests.clear()
    return str(path), json.dumps(draft.inputs)


REPLAYED = [
    ("GET", "/products?name=mug", None),
    ("POST", "/orders", {"product_id": 7, "quantity": 2}),
    ("GET", "/orders/41", None),
]


@pytest.mark.skipif(not PYTHON.exists(), reason="arazzo-runner is not installed")
def test_arazzo_runner_replays_a_run(written: tuple[str, str], shop: Shop, tmp_path: Path) -> None:
    code = RUN.replace('"buy"', '"buy-2-of-the-mug"')
    out = run(str(PYTHON), "-c", code, *written, cwd=tmp_path)
    assert json.loads(out.splitlines()[-1])["response"]["id"] == 41
    assert shop.requests == REPLAYED


@pytest.mark.skipif(not REDOCLY.exists(), reason="@redocly/cli is not installed")
def test_respect_replays_a_run(written: tuple[str, str], shop: Shop, tmp_path: Path) -> None:
    path, given = written
    named = ("--workflow", "buy-2-of-the-mug", "--input", given)
    run(str(REDOCLY), "respect", path, *named, cwd=tmp_path)
    assert shop.requests == REPLAYED
