"""Every tool of every real document, in every framework: made, and called as `rw.call` calls."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from tests.support.adapters.made import MAKERS
from tests.support.toolboxes.sample import is_same

import restwright as rw
from restwright.agents.runtime.write_guard import is_collection_write
from restwright.net.messages import Request
from restwright.testing import RecordingTransport, never, reply

ROOT = Path(__file__).parents[2]
SPECS = ROOT.parent / "shared" / "data" / "specs"
INDEX: list[dict[str, Any]] = (
    json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []
)
FILES = [entry["file"] for entry in INDEX]
CALLS = 12
# Names that frameworks have for something of their own.
TAKEN = frozenset(
    ("args", "callbacks", "config", "context", "ctx", "func", "input", "kwargs", "name", "runtime")
)

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {SPECS} is not there"),
    pytest.mark.filterwarnings("ignore"),
]


def _arguments_of() -> Any:
    spec = spec_from_file_location("examples", ROOT / "benchmarks" / "examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.arguments_of


arguments_of = _arguments_of()


def connection() -> rw.Connection:
    return rw.Connection(server="https://api.test", auth=rw.auth.NO_CREDENTIAL)


@pytest.fixture(scope="module", params=FILES)
def whole(request: pytest.FixtureRequest) -> tuple[rw.Catalog, dict[str, tuple[Any, Request]]]:
    """A document's tools, and a sample of calls: arguments, and what `rw.call` sends for them."""
    catalog = rw.catalog(rw.load(SPECS / request.param, retrieve=never))
    tools = [*catalog.tools]
    odd = [tool for tool in tools if TAKEN & {given.name for given in tool.inputs}]
    chosen = [*odd[:: len(odd) // CALLS + 1], *tools[:: len(tools) // CALLS + 1]]
    calls: dict[str, tuple[Any, Request]] = {}
    for tool in chosen:
        given = arguments_of(tool)
        if given is None or is_collection_write(catalog, rw.policy.ALLOW, tool.name, given):
            continue
        sent = RecordingTransport(lambda _: reply(200, {}))
        rw.call(tool, given, connection=connection(), send=sent, approve=rw.policy.approve_all)
        calls[tool.name] = (given, sent.sent[0])
    return catalog, calls


def test_a_sample_of_calls_is_made(whole: Any) -> None:
    catalog, calls = whole
    assert len(calls) >= min(CALLS, len(catalog)) // 2


@pytest.mark.parametrize("name", MAKERS)
def test_every_tool_is_made_and_calls_arrive_as_those_of_the_library(name: str, whole: Any) -> None:
    package, make = MAKERS[name]
    pytest.importorskip(package)
    catalog, calls = whole
    sent = RecordingTransport(lambda _: reply(200, {}))
    toolbox = rw.toolbox(
        catalog,
        connections={namespace: connection() for namespace in catalog.apis},
        send=sent,
        policy=rw.policy.ALLOW,
        limits=rw.dialects.OfferLimits(above="all", budget=10**9),
    )
    names, call = make(toolbox)
    assert sorted(names) == sorted(catalog)
    different = []
    for tool, (given, request) in calls.items():
        call(tool, given)
        if len(sent.sent) != 1 or not is_same(sent.sent[0], request):
            different.append(tool)
        sent.sent.clear()
    assert different == []
