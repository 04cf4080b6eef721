"""A server at a URL: both revisions, headers to its origin alone, addresses through the guard."""

from __future__ import annotations

import anyio
import httpx2
import pytest
from tests.support.mcp.over_http import over_http
from tests.support.mcp.serving import serving_api
from tests.support.mcp.tricky import upstream

import restwright as rw
from restwright.errors import ServerUnavailable
from restwright.mcp_client.http import GuardedTransport
from restwright.mcp_client.settings import ServerLimits
from restwright.net.policy.origins import parse_origin
from restwright.policy import ALLOW

LIMITS = ServerLimits(start_s=120.0)
CAPS = {"timeout_s": 30, "max_bytes": 1000}


def open_client(transport: GuardedTransport) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=transport, trust_env=False)


@pytest.mark.parametrize("era", ["legacy", "2026-07-28", "auto"])
def test_our_own_server_is_used(tmp_path, era):
    with (
        upstream() as api,
        over_http(serving_api(api, tmp_path, policy=ALLOW)) as running,
        rw.mcp(running.url, name="again", era=era, limits=LIMITS) as server,
    ):
        made = server.catalog
        assert len(made) > 5
        read = next(tool for tool in server.tools if tool.claims_read)
        assert rw.Policy().decision(made[made.names[0]]) == "ask"
        assert read.description


def test_headers_go_to_the_named_origin_alone(server_that_notes):
    named, other = server_that_notes(), server_that_notes()

    async def run() -> None:
        origin = parse_origin(named.url)
        headers = {"Authorization": "Bearer t0ps3cret"}
        async with open_client(GuardedTransport(origin, headers, **CAPS)) as client:
            assert (await client.get(named.url)).status_code == 200
            # It is this machine, which the user did not name for it.
            with pytest.raises(httpx2.ConnectError):
                await client.get(other.url)

    anyio.run(run)
    assert [dict(headers)["authorization"] for headers in named.seen] == ["Bearer t0ps3cret"]
    assert other.seen == []


def test_a_metadata_service_is_not_asked():
    async def run() -> None:
        origin = parse_origin("http://169.254.169.254/mcp")
        async with open_client(GuardedTransport(origin, {}, **CAPS)) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.get("http://169.254.169.254/mcp")

    anyio.run(run)


def test_a_response_has_a_cap(server_that_notes):
    running = server_that_notes(body=b"x" * 5_000)

    async def run() -> None:
        origin = parse_origin(running.url)
        async with open_client(GuardedTransport(origin, {}, **CAPS)) as client:
            with pytest.raises(httpx2.ReadError, match="over 1,000 bytes"):
                await client.get(running.url)

    anyio.run(run)


def test_nobody_there_is_said():
    with pytest.raises(ServerUnavailable):
        rw.mcp("http://127.0.0.1:9/mcp", name="none", limits=LIMITS)
