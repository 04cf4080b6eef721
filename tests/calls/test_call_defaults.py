"""A call that is given nothing but its tool: it reads, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import restwright as rw
from restwright.demo.server import Shop, running
from restwright.testing import never


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with running() as open_shop:
        yield open_shop


def test_a_read_needs_nothing_but_its_tool(shop: Shop) -> None:
    tools = rw.catalog(rw.load(f"{shop.url}/openapi.json"))
    result = rw.call(tools["shop__list_categories"], {})
    assert result.status == 200
    assert rw.prepare(tools["shop__list_categories"], {}).url == f"{shop.url}/categories"


def test_from_an_event_loop_too(shop: Shop) -> None:
    async def read() -> rw.Result:
        tools = rw.catalog(await rw.load_async(f"{shop.url}/openapi.json"))
        return await rw.call_async(tools["shop__list_categories"], {})

    assert anyio.run(read).status == 200


def test_a_write_that_nobody_is_asked_about_is_not_made(shop: Shop) -> None:
    tools = rw.catalog(rw.load(f"{shop.url}/openapi.json"))
    connection = rw.Connection(headers={"authorization": f"Bearer {shop.token}"})
    tool, arguments = tools["shop__update_customer"], {"name": "Mira"}
    result = rw.call(tool, arguments, connection=connection, send=never)
    assert (result.kind, result.text) == ("refused", "shop__update_customer was not allowed")


def test_a_document_is_loaded_beside_the_event_loop(tmp_path: Path) -> None:
    async def load() -> rw.API:
        return await rw.load_async(b'{"openapi": "3.1.0", "info": {}, "paths": {}}', alias="a")

    assert anyio.run(load).alias == "a"
    with pytest.raises(rw.RestwrightError, match="no such file"):
        anyio.run(rw.load_async, str(tmp_path / "none.yaml"))
