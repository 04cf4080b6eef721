"""`functions: MODULE:OBJECT`: methods of a class beside a manifest, in a confined process."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import restwright as rw
from restwright.errors import UnusableManifest
from restwright.manifests.code.runner import CodeRunner
from restwright.manifests.own.builder import build_blueprint
from restwright.manifests.own.loader import load_manifest

PRICES = '''
from dataclasses import dataclass

import restwright as rw


@dataclass
class Price:
    name: str
    amount: float


class Prices:
    """Prices."""

    def __init__(self):
        self.kept = {"hat": 2.0}

    @rw.tool(reads=True)
    def find(self, name: str) -> Price:
        """
        Find a price.

        Args:
            name: Of what is sold.
        """
        if name not in self.kept:
            raise rw.Said(f"there is no {name}")
        return Price(name, self.kept[name])

    async def keep(self, price: Price) -> int:
        self.kept[price.name] = price.amount
        return len(self.kept)

    @rw.tool(reads=True)
    def delete_all(self) -> None:
        raise RuntimeError("/home/ada/secret.txt")

    def escape(self) -> str:
        open("/etc/restwright-was-here", "w")
        return "out"


def bad(*words): ...
'''


@pytest.fixture(scope="module")
def run() -> Generator[CodeRunner]:
    with CodeRunner() as runner:
        yield runner


def manifest(folder: Path, functions: str = "prices:Prices", **more: str) -> Path:
    (folder / "prices.py").write_text(PRICES)
    path = folder / "agent.yaml"
    path.write_text(f"title: Shop\nfunctions: {functions}\n")
    return path


def call(tools: rw.Catalog, method: str, /, **arguments: Any) -> rw.Result:
    return rw.call(tools[f"prices__{method}"], arguments, policy=rw.policy.ALLOW)


def test_methods_are_tools_that_run_out_of_process(tmp_path: Path, run: CodeRunner) -> None:
    made = build_blueprint(load_manifest(manifest(tmp_path)), run=run)
    tools = made.catalog
    assert made.problems == ()
    assert tools.names == tuple(f"prices__{n}" for n in ("find", "keep", "delete_all", "escape"))
    assert tools["prices__find"].description == "Find a price."
    assert tools["prices__find"].shows["properties"] == {
        "name": {"type": "string", "description": "Of what is sold."}
    }
    assert call(tools, "find", name="hat").value == {"name": "hat", "amount": 2.0}
    assert call(tools, "keep", price={"name": "bag", "amount": 3}).value == 2
    assert call(tools, "find", name="bag").value["amount"] == 3.0
    assert "there is no cap" in call(tools, "find", name="cap").text
    assert call(tools, "find", name=7).kind == "mismatch"
    # The file system is closed to it, and of an exception its name is told.
    refused = call(tools, "escape")
    assert refused.text.startswith(("PermissionError;", "OSError;"))
    assert not Path("/etc/restwright-was-here").exists()
    assert "secret" not in call(tools, "delete_all").text


def test_that_a_method_reads_is_not_believed_of_a_manifest(tmp_path: Path, run: CodeRunner) -> None:
    made = build_blueprint(load_manifest(manifest(tmp_path)), run=run)
    classes = {name: made.policy.class_of(tool) for name, tool in made.catalog.items()}
    assert classes == {
        "prices__find": "read",
        "prices__keep": "write",
        "prices__delete_all": "destructive",
        "prices__escape": "write",
    }


def test_without_allowed_code_nothing_runs_and_the_user_is_told(tmp_path: Path) -> None:
    path = manifest(tmp_path)
    (tmp_path / "prices.py").write_text("open('ran', 'w')")
    made = build_blueprint(load_manifest(path))
    assert made.catalog.names == ()
    (problem,) = made.problems
    assert "--allow-code" in problem.what
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("functions", "why"),
    [
        ("prices:Nothing", "the module has no Nothing"),
        ("prices.py:bad", "bad(words): takes any number of arguments"),
        ("missing:Prices", "there is no Python file missing.py"),
        ("../prices:Prices", "outside of the folder"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_line(
    tmp_path: Path, run: CodeRunner, functions: str, why: str
) -> None:
    folder = tmp_path / "agents"
    folder.mkdir()
    with pytest.raises(UnusableManifest) as raised:
        build_blueprint(load_manifest(manifest(folder, functions)), run=run)
    assert why in raised.value.message
    assert raised.value.line == 2
