"""A small API of orders on the loopback interface, and workflows over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.workflows import BUY, HEAD, OPENAPI, Shop, run_shop


@pytest.fixture
def shop() -> Iterator[Shop]:
    with run_shop() as running:
        yield running


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write `workflows` (YAML below that key) beside their API, and return the path."""

    def written(workflows: str = BUY, head: str = HEAD) -> str:
        (tmp_path / "orders.yaml").write_text(OPENAPI, encoding="utf-8")
        path = tmp_path / "buy.arazzo.yaml"
        path.write_text(head + workflows, encoding="utf-8")
        return str(path)

    return written
