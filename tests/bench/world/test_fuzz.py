"""Requests made by schemathesis from the documents never make a world fail."""

from __future__ import annotations

import importlib.util

import pytest
from tests.support.bench.shelf import let_in, shelf

from restwright_bench.world.app import World
from restwright_bench.world.fuzz import fuzzed
from restwright_bench.world.serving import serving

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("schemathesis") is None, reason="schemathesis is not installed"
    ),
    # Of libraries that schemathesis uses.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def test_fuzzed_requests_are_answered_or_refused():
    with serving(World([shelf()])) as url:
        found = fuzzed(f"{url}/shelf/openapi.json", let_in, examples=5)
    assert found.failed == []
    assert {200, 201, 400, 404} <= set(found.statuses)
