"""Of no real document can anything be changed under the policy `read-only`."""

from __future__ import annotations

from pathlib import Path

import pytest

from restwright.calls.approval.policy import READ_ONLY
from restwright.openapi.api import load
from restwright.testing import never
from restwright.tools.catalog.catalog import catalog
from restwright.tools.safety import classify_operation

SPECS = Path(__file__).parents[2].parent / "shared" / "data" / "specs"
FILES = sorted(path.name for path in SPECS.iterdir() if "__" in path.name) if SPECS.is_dir() else []

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason=f"the shared data set {SPECS} is not there"),
]


@pytest.mark.parametrize("file", FILES)
def test_no_write_is_reachable_under_read_only(file: str) -> None:
    api = load(SPECS / file, retrieve=never)
    writes = [each for each in api.operations if not each.method.is_read]
    tools = catalog(api).tools
    reachable = [tool.name for tool in tools if READ_ONLY.decision(tool) != "refuse"]
    assert not [tool.name for tool in tools if not tool.is_read and tool.name in set(reachable)]
    assert len(reachable) <= len(api.operations) - len(writes)
    assert all(classify_operation(each) != "read" for each in writes)
