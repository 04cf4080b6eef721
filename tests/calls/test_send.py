"""A token that an API refuses is replaced once; what may not happen twice is not sent twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import anyio
import pytest
from tests.support.authorization_server import (
    CLIENT,
    SECRET,
    AuthorizationServer,
    authorization_server,
)

from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.calls.call import call, call_async
from restwright.calls.response.result import Result
from restwright.errors import NoResponse
from restwright.jsontypes import Json
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

API = "https://api.test"
KEY: Json = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with authorization_server() as running:
        yield running


@dataclass(slots=True)
class Api:
    """Refuses the tokens that it is told; everything else is asked of the authorization server."""

    refused: set[str] = field(default_factory=set[str])
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def answer(self, request: Request) -> Response | None:
        if not request.url.startswith(API):
            return None
        token = request.header("authorization").removeprefix("Bearer ")
        self.seen.append((request.method, token))
        return reply(401 if token in self.refused else 200, {"said": token})

    def run(self, name: str, tools: Catalog, connection: Connection) -> Result:
        with Transport() as transport:
            return call(
                tools[name],
                {},
                connection=connection,
                send=lambda request: self.answer(request) or transport(request),
                approve=approve_all,
            )

    def run_async(self, name: str, tools: Catalog, connection: Connection) -> Result:
        async def main() -> Result:
            async with AsyncTransport() as transport:

                async def send(request: Request) -> Response:
                    return self.answer(request) or await transport(request)

                return await call_async(
                    tools[name], {}, connection=connection, send=send, approve=approve_all
                )

        return anyio.run(main)


RUNS = pytest.mark.parametrize("run", [Api.run, Api.run_async], ids=["sync", "async"])


def tools_for(server: AuthorizationServer) -> Catalog:
    flows = {"clientCredentials": {"tokenUrl": f"{server.url}/token", "scopes": {}}}
    common: Json = {"responses": {}, "security": [{"login": []}]}
    paths: Json = {
        "/thing": {
            "get": {"operationId": "read", **common},
            "post": {"operationId": "add", **common},
        },
        "/order": {"post": {"operationId": "order", "parameters": [KEY], **common}},
    }
    schemes = {"login": {"type": "oauth2", "flows": flows}}
    return catalog(load(document(paths, components={"securitySchemes": schemes}), alias="shop"))


def connection_to(server: AuthorizationServer, **more: Json) -> Connection:
    client = OAuthClient(
        client_id=CLIENT, client_secret=Secret(SECRET), token_url=f"{server.url}/token", **more
    )
    return Connection(server=API, auth=client)


@RUNS
def test_a_read_is_repeated_once_with_a_new_token(run, server: AuthorizationServer) -> None:
    api, tools, connection = Api(), tools_for(server), connection_to(server)
    run(api, "shop__read", tools, connection)
    api.refused = {"access-canary-1"}
    result = run(api, "shop__read", tools, connection)
    assert (result.status, result.warnings) == (200, ())
    assert [token for _, token in api.seen] == [f"access-canary-{n}" for n in (1, 1, 2)]
    assert server.issued == 2


@RUNS
def test_a_read_that_is_refused_again_is_not_repeated_again(
    run, server: AuthorizationServer
) -> None:
    api, tools, connection = Api(), tools_for(server), connection_to(server)
    run(api, "shop__read", tools, connection)
    api.refused = {f"access-canary-{n}" for n in range(9)}
    assert run(api, "shop__read", tools, connection).status == 401
    assert len(api.seen) == 3
    assert server.issued == 2


@RUNS
def test_a_token_that_was_issued_for_this_call_is_not_replaced(
    run, server: AuthorizationServer
) -> None:
    api = Api(refused={"access-canary-1"})
    result = run(api, "shop__read", tools_for(server), connection_to(server))
    assert (result.status, result.warnings, server.issued) == (401, (), 1)


@RUNS
def test_a_write_is_not_repeated_but_its_token_is_forgotten(
    run, server: AuthorizationServer
) -> None:
    api, tools, connection = Api(), tools_for(server), connection_to(server)
    run(api, "shop__read", tools, connection)
    api.refused = {"access-canary-1"}
    result = run(api, "shop__add", tools, connection)
    assert result.status == 401
    assert "forgotten; the next call asks for another" in result.warnings[-1]
    assert run(api, "shop__add", tools, connection).status == 200
    assert api.seen[1:] == [("POST", "access-canary-1"), ("POST", "access-canary-2")]


@RUNS
def test_a_write_with_an_idempotency_key_is_repeated(run, server: AuthorizationServer) -> None:
    api, tools, connection = Api(), tools_for(server), connection_to(server)
    run(api, "shop__read", tools, connection)
    api.refused = {"access-canary-1"}
    assert run(api, "shop__order", tools, connection).status == 200
    assert api.seen[1:] == [("POST", "access-canary-1"), ("POST", "access-canary-2")]


@RUNS
def test_another_process_does_not_use_a_refused_token(run, server: AuthorizationServer) -> None:
    api, tools = Api(), tools_for(server)
    run(api, "shop__read", tools, connection_to(server, tokens=TokenCache()))
    api.refused = {"access-canary-1"}
    run(api, "shop__add", tools, connection_to(server, tokens=TokenCache()))
    assert run(api, "shop__add", tools, connection_to(server, tokens=TokenCache())).status == 200


@RUNS
def test_a_token_that_another_call_replaced_meanwhile_is_kept(
    run, server: AuthorizationServer
) -> None:
    tools, connection = tools_for(server), connection_to(server)

    class Overtaken(Api):
        def answer(self, request: Request) -> Response | None:
            if request.url.startswith(API) and not self.refused:
                # While this call is under way, another one is refused and gets a new token.
                self.refused = {"access-canary-1"}
                Api(refused=self.refused).run("shop__read", tools, connection)
            return Api.answer(self, request)

    run(Api(), "shop__read", tools, connection)
    result = run(Overtaken(), "shop__read", tools, connection)
    assert (result.status, server.issued) == (200, 2)


@RUNS
def test_a_read_whose_token_cannot_be_renewed_says_why(run, server: AuthorizationServer) -> None:
    api, tools, connection = Api(), tools_for(server), connection_to(server)
    run(api, "shop__read", tools, connection)
    api.refused = {"access-canary-1"}
    server.refused["client_credentials"] = "unauthorized_client"
    result = run(api, "shop__read", tools, connection)
    assert (result.status, result.effect) == (401, "none")
    assert "another token was not used" in result.text
    assert "unauthorized_client" in result.text


@RUNS
def test_a_token_server_that_does_not_answer_is_no_write_of_unknown_outcome(
    run, server: AuthorizationServer
) -> None:
    class Silent(Api):
        def answer(self, request: Request) -> Response | None:
            if request.url.startswith(server.url):
                raise NoResponse(request.url, "the connection was lost", sent=True)
            return Api.answer(self, request)

    api = Silent()
    result = run(api, "shop__add", tools_for(server), connection_to(server))
    assert (result.kind, result.repairable_by, result.effect) == ("refused", "user", "none")
    assert "the connection was lost" in result.text
    assert "took effect" not in result.text
    assert api.seen == []


@RUNS
def test_a_401_to_another_credential_is_not_repeated(
    run, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "own")
    api = Api(refused={"own"})
    result = run(api, "shop__read", tools_for(server), Connection(server=API, auth="env:TOKEN"))
    assert (result.status, len(api.seen)) == (401, 1)
