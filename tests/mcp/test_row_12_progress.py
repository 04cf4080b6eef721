"""Row 12: clients are told how far a call is, and can end it, upstream too."""

from __future__ import annotations

import time

import anyio
from tests.support.mcp.serving import call, connected, serving_api, texts, until

from restwright.mcp.assembly import ServeOptions


def test_a_slow_call_tells_that_it_goes_on(api, tmp_path, era):
    api.slow_s = 3.5
    told = []

    async def progress(done, total, message):
        told.append((done, message))

    async def run():
        async with connected(serving_api(api, tmp_path), era) as client:
            return await client.call_tool("tricky__slow", {}, progress_callback=progress)

    assert not anyio.run(run).is_error
    assert [done for done, _ in told][:2] == [1, 2]
    assert told[0][1] == "GET /slow, 1 s"


def test_pages_are_told_one_by_one(api, tmp_path, era):
    told = []

    async def progress(done, total, message):
        told.append(message)

    options = ServeOptions(exposure="all", all_pages=True)

    async def run():
        async with connected(serving_api(api, tmp_path, options=options), era) as client:
            return await client.call_tool("tricky__listPages", {}, progress_callback=progress)

    result = anyio.run(run)
    assert told == ["page 1", "page 2", "page 3"]
    assert '{"id":31}' in texts(result)[0]
    assert texts(result)[1] == "Note: 3 pages, 6 items"


def test_cancelling_ends_the_request_upstream(api, tmp_path, era):
    async def run():
        async with connected(serving_api(api, tmp_path), era) as client:
            with anyio.move_on_after(0.5) as scope:
                await client.call_tool("tricky__slow", {})
            await until(lambda: api.gone)
            after = await client.call_tool("tricky__listNodes", {})
            return scope.cancelled_caught, after

    cancelled, after = anyio.run(run)
    assert cancelled
    assert not after.is_error


def test_each_call_has_a_deadline(api, tmp_path, era):
    options = ServeOptions(exposure="all", timeout_s=0.5)
    begun = time.monotonic()
    result = call(serving_api(api, tmp_path, options=options), era, "tricky__slow")
    assert result.is_error
    assert time.monotonic() - begun < 10


def test_two_hundred_calls_at_once_lose_none(api, tmp_path, era):
    api.slow_s = 0.3

    async def run():
        results = []

        async def one(client):
            results.append(await client.call_tool("tricky__slow", {}))

        async with (
            connected(serving_api(api, tmp_path), era) as client,
            anyio.create_task_group() as group,
        ):
            for _ in range(200):
                group.start_soon(one, client)
        return results

    results = anyio.run(run)
    assert [result.is_error for result in results] == [False] * 200
    assert api.count("GET") == 200
