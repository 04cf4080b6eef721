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
