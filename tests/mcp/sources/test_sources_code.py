"""The Python of a manifest runs where the user allows it, one call after another."""

from __future__ import annotations

import json

import anyio
from tests.support.mcp.serving import Person, connected, serving, texts

from restwright.manifests.code.runner import CodeRunner

MANIFEST = """\
title: Prices
code: {module: prices.py}
functions:
  - name: get_price
    description: The price of a thing.
    parameters:
      type: object
      properties: {thing: {type: string}}
      required: [thing]
"""
MODULE = """\
calls = 0


def get_price(thing):
    global calls
    calls += 1
    return f"{thing} costs {calls}"
"""


def write(folder):
    (folder / "prices.py").write_text(MODULE)
    path = folder / "prices.yaml"
    path.write_text(MANIFEST)
    return path


def test_functions_of_a_manifest_are_called_one_after_another(tmp_path):
    found: list[str] = []

    async def ask(client, name):
        result = await client.call_tool(name, {"thing": "tea"})
        found.extend(texts(result)[:1])

    async def run(served):
        async with connected(served, "2026-07-28", Person()) as client:
            [tool] = (await client.list_tools()).tools
            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(ask, client, tool.name)

    with CodeRunner() as code:
        anyio.run(run, serving(write(tmp_path), run=code))
    said = sorted(json.loads(text)["text"] for text in found)
    assert said == [f"tea costs {number}" for number in range(1, 5)]


def test_without_leave_nothing_of_it_runs(tmp_path):
    async def run(served):
        async with connected(served, "2026-07-28", Person()) as client:
            [tool] = (await client.list_tools()).tools
            return await client.call_tool(tool.name, {"thing": "tea"})

    served = serving(write(tmp_path))
    result = anyio.run(run, served)
    assert "code is off; --allow-code turns it on" in " ".join(texts(result))
