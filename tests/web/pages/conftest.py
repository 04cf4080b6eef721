"""A shop, its page with chats, and a client of that."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.support.web import open_pages
from tests.support.web_chat import ChatPlace, open_chat

from restwright.demo.server import Shop, running


@pytest.fixture(scope="module")
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


@pytest.fixture
def place(shop: Shop, tmp_path: Path) -> Generator[ChatPlace]:
    with open_chat(shop, tmp_path) as opened:
        yield opened


@pytest.fixture
def client(place: ChatPlace) -> Generator[TestClient]:
    with open_pages(place.site) as opened:
        yield opened
