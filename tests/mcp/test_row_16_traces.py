"""Row 16: each call is written down, and is a part of the client's trace."""

from __future__ import annotations

import json
import stat

from tests.support.mcp.serving import Person, serving_api, talk

from restwright.calls.auth.connection import Connection
from restwright.mcp.assembly import ServeOptions

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def calling(name, arguments, trace):
    async def say(client):
        return await client.call_tool(name, arguments, meta={"traceparent": trace})

    return say


def test_the_trace_of_the_client_goes_upstream(api, tmp_path, era):
    served = serving_api(api, tmp_path)
    talk(served, era, calling("tricky__listNodes", {}, TRACE))
    assert api.seen[0][2]["traceparent"] == TRACE


def test_what_is_no_trace_goes_nowhere(api, tmp_path, era):
    served = serving_api(api, tmp_path)
    talk(served, era, calling("tricky__listNodes", {}, "x\r\nCookie: a"))
    assert "traceparent" not in api.seen[0][2]


def test_each_call_is_written_down_without_secrets(api, tmp_path, era, monkeypatch):
    monkeypatch.setenv("TRICKY_KEY", "c4nary-0f-the-server")
    path = tmp_path / "calls.jsonl"
    served = serving_api(
        api,
        tmp_path,
        options=ServeOptions(exposure="all", call_log=path),
        connection=Connection(server=api.url, auth="env:TRICKY_KEY"),
    )

    async def say(client):
        await client.call_tool("tricky__secret", {})
        await client.call_tool("tricky__getNode", {})
        await client.call_tool("tricky__deleteNode", {"id": "7"})

    talk(served, era, say, Person())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["tool"], line["outcome"], line["effect"]) for line in lines] == [
        ("tricky__secret", "ok", "none"),
        ("tricky__getNode", "mismatch", "none"),
        ("tricky__deleteNode", "ok", "done"),
    ]
    assert lines[2]["url"] == f"{api.url}/nodes/7"
    assert "c4nary" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
