"""Row 9: lists are the same each time, come in pages, and say how long they are good."""

from __future__ import annotations

import anyio
import pytest
from tests.mcp.test_row_08_exposure import large
from tests.support.mcp.serving import connected, serving, serving_api, talk

from mcp import MCPError
from restwright.mcp.assembly import ServeOptions


async def read_pages(client):
    pages, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        pages.append([tool.name for tool in page.tools])
        cursor = page.next_cursor
        if cursor is None:
            return pages


def test_pages_hold_every_tool_once(tmp_path, era):
    served = serving(large(tmp_path, 250), options=ServeOptions(exposure="all"))
    pages = talk(served, era, read_pages)
    assert [len(page) for page in pages] == [100, 100, 50]
    assert len({name for page in pages for name in page}) == 250


def test_two_lists_are_equal_bytes(api, tmp_path, era):
    def dump(served):
        return talk(served, era, lambda client: client.list_tools()).model_dump_json()

    served = serving_api(api, tmp_path)
    assert dump(served) == dump(served) == dump(serving_api(api, tmp_path))


def test_lists_say_how_long_they_are_good(api, tmp_path):
    served = serving_api(api, tmp_path)

    async def say(client):
        return [
            await client.list_tools(),
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.list_prompts(),
            await client.read_resource("restwright://apis/tricky"),
        ]

    for result in talk(served, "2026-07-28", say):
        assert (result.ttl_ms, result.cache_scope) == (60_000, "private")


def test_an_unknown_cursor_is_an_error(api, tmp_path, era):
    async def run():
        async with connected(serving_api(api, tmp_path), era) as client:
            with pytest.raises(MCPError) as caught:
                await client.list_tools(cursor="zzz")
            return caught.value.error.code

    assert anyio.run(run) == -32602
