"""One catalog serves many users and many APIs, and each call has the credentials of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import anyio
import pytest
from tests.support.authorization_server import AuthorizationServer, authorization_server
from tests.support.oauth import Browser, Clock

from restwright.agents.runtime.driver import Performer
from restwright.agents.steps import Call
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.calls.call import call, call_async
from restwright.jsontypes import Json
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.workspace.connections import build_connections

USERS = ("ada", "bob", "eve")
API = "https://api.test"


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with authorization_server() as running:
        yield running


def shop(server: AuthorizationServer) -> Catalog:
    flows = {
        "authorizationCode": {
            "authorizationUrl": f"{server.url}/authorize",
            "tokenUrl": f"{server.url}/token",
            "scopes": {},
        }
    }
    written = document(
        {"/me": {"get": {"operationId": "me", "responses": {}, "security": [{"login": []}]}}},
        components={"securitySchemes": {"login": {"type": "oauth2", "flows": flows}}},
    )
    return catalog(load(written, alias="shop"))


def connection_of(user: str, server: AuthorizationServer, tokens: TokenCache) -> Connection:
    client = OAuthClient(
        client_id="shop client",
        user=user,
        token_url=f"{server.url}/token",
        authorization_url=f"{server.url}/authorize",
        login=Browser(server),
        tokens=tokens,
    )
    return Connection(server=API, auth=client, headers={"X-User": user})


def told(request: Request) -> Response:
    return reply(200, [request.header("x-user"), request.header("authorization")])


def owners(seen: list[Json]) -> dict[str, set[str]]:
    """`{user: the tokens that were sent for that user}`."""
    return {user: {token for name, token in seen if name == user} for user in USERS}


def assert_apart(seen: list[Json], calls: int) -> None:
    assert len(seen) == calls
    tokens = owners(seen)
    assert [len(each) for each in tokens.values()] == [1] * len(USERS)
    assert len(set.union(*tokens.values())) == len(USERS)


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("is_shared", [True, False])
def test_threads_of_several_users_never_mix_their_tokens(
    server: AuthorizationServer, is_kept: bool, is_shared: bool
) -> None:
    tools, clock = shop(server), Clock()
    tokens = TokenCache(now=clock, is_persistent=is_kept)
    connections = {
        user: connection_of(user, server, tokens if is_shared else TokenCache(clock, is_kept))
        for user in USERS
    }
    seen: list[Json] = []
    with Transport() as transport:

        def send(request: Request) -> Response:
            return told(request) if request.url.startswith(API) else transport(request)

        def work(user: str) -> None:
            for _ in range(4):
                result = call(
                    tools["shop__me"], {}, connection=connections[user], send=send, approve=never
                )
                seen.append((result.request and result.request.header("x-user"), _token(result)))

        threads = [threading.Thread(target=work, args=(user,)) for user in USERS * 2]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert_apart(seen, 24)
    assert server.issued == 3


def _token(result: Json) -> str:
    return result.request.header("authorization")


def test_tasks_of_several_users_never_mix_their_tokens(server: AuthorizationServer) -> None:
    tools, tokens, seen = shop(server), TokenCache(), []
    connections = {user: connection_of(user, server, tokens) for user in USERS}

    async def main() -> None:
        async with AsyncTransport() as transport, anyio.create_task_group() as tasks:

            async def send(request: Request) -> Response:
                return told(request) if request.url.startswith(API) else await transport(request)

            async def work(user: str) -> None:
                result = await call_async(
                    tools["shop__me"], {}, connection=connections[user], send=send, approve=never
                )
                seen.append((user, _token(result)))

            for user in USERS * 4:
                tasks.start_soon(work, user)

    anyio.run(main)
    assert_apart(seen, 12)
    assert server.issued == 3


def test_another_process_finds_the_tokens_of_its_own_user(server: AuthorizationServer) -> None:
    tools, seen = shop(server), []
    with Transport() as transport:

        def send(request: Request) -> Response:
            return told(request) if request.url.startswith(API) else transport(request)

        for user in USERS * 2:
            fresh = connection_of(user, server, TokenCache())
            result = call(tools["shop__me"], {}, connection=fresh, send=send, approve=never)
            seen.append((user, _token(result)))
    assert_apart(seen, 6)
    assert server.issued == 3


def two_apis() -> Catalog:
    key = {"type": "apiKey", "in": "header", "name": "X-Key"}
    servers = [{"url": "https://{region}.test", "variables": {"region": {"default": "eu"}}}]
    operation = {"operationId": "x", "responses": {}, "security": [{"key": []}]}
    written = document(
        {"/x": {"get": operation}}, servers=servers, components={"securitySchemes": {"key": key}}
    )
    return catalog(load(written, alias="a"), load(written, alias="b"))


def test_each_api_of_an_agent_has_a_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_A", "key-of-a")
    monkeypatch.setenv("KEY_B", "key-of-b")
    connections = build_connections(
        ["a", "b"],
        server=["a=https://a-{region}.test", "b=https://b.test"],
        server_variable=["a=region=us"],
        auth=["a=env:KEY_A", "b=key=env:KEY_B"],
        header=["b=X-Tenant: t"],
    )
    send = RecordingTransport(lambda _: reply(200, {}))
    performer = Performer(
        catalog=two_apis(),
        model=ScriptedModel([]),
        send=send,
        approve=refuse_all,
        connections=connections,
    )
    for name in ("a__x", "b__x"):
        assert performer(Call(tool=name, arguments={})).kind == "ok"
    assert [each.url for each in send.sent] == ["https://a-us.test/x", "https://b.test/x"]
    assert [each.header("x-key") for each in send.sent] == ["key-of-a", "key-of-b"]
    assert [each.header("x-tenant") for each in send.sent] == ["", "t"]


def test_a_connection_is_given_a_call_and_nothing_of_it_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tools, send = two_apis(), RecordingTransport(lambda _: reply(200, {}))
    for user in USERS:
        connection = Connection("https://api.test", {"X-User": user}, Secret(f"key-of-{user}"))
        assert call(tools["a__x"], {}, connection=connection, send=send, approve=approve_all).ok
    assert [each.header("x-key") for each in send.sent] == [f"key-of-{user}" for user in USERS]
    assert call(
        tools["a__x"], {}, connection=Connection(auth="none"), send=send, approve=approve_all
    ).ok
    assert not send.sent[-1].header("x-user") + send.sent[-1].header("x-key")
