"""An API that trips bridges, and clients of both kinds of revisions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.mcp.serving import ERAS
from tests.support.mcp.tricky import Upstream, upstream


@pytest.fixture
def api() -> Iterator[Upstream]:
    with upstream() as running:
        yield running


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return request.param
