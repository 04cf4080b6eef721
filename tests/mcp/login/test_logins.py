"""Row 10: who has to log in does so on a page that their client opens; no model takes part."""

from __future__ import annotations

import json
import re
import urllib.request
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.test_security_http import ADDRESS, RESOURCE, bearer, issued, token
from tests.support.authorization_server import CLIENT, AuthorizationServer, authorization_server
from tests.support.mcp.over_http import over_http
from tests.support.mcp.serving import call, connected, serving, texts
from tests.support.oauth import Browser

from mcp import Client
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.mcp.assembly import ServeOptions
from restwright.mcp.login.landing import LoginRoute

CODE = re.compile(r"<b>([0-9A-Z]{8})</b>")


@dataclass
class Visitor:
    """
    A person with a client that opens pages, and a browser.

    Args:
        follows: Whether they open the page.
        types: What they type where they are asked for the code; None for what they read.
    """

    server: AuthorizationServer
    follows: bool = True
    types: str | None = None
    route: str = ""
    urls: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    read: str = ""

    async def __call__(self, _: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        if isinstance(params, types.ElicitRequestURLParams):
            self.urls.append(params.url)
            if not self.follows:
                return types.ElicitResult(action="decline")
            await anyio.to_thread.run_sync(self.visit, params.url)
            return types.ElicitResult(action="accept")
        self.forms.append(params.message)
        if "send" in params.requested_schema["properties"]:
            return types.ElicitResult(action="accept", content={"send": True})
        code = self.read if self.types is None else self.types
        return types.ElicitResult(action="accept", content={"code": code})

    def visit(self, url: str) -> None:
        target = self.server.visited(url)
        if self.route:
            target = target.replace("https://mcp.example", self.route)
        with urllib.request.urlopen(target, timeout=20) as page:  # noqa: S310 - our own
            found = CODE.search(page.read().decode())
        self.read = found[1] if found else ""


@pytest.fixture
def server():
    with authorization_server() as running:
        yield running


def serving_login(api, server, folder, **more):
    """The API, with one operation more that needs a login."""
    path = api.write(folder)
    document = json.loads(path.read_text())
    flow = {
        "authorizationUrl": f"{server.url}/authorize",
        "tokenUrl": f"{server.url}/token",
        "scopes": {},
    }
    schemes = document["components"]["securitySchemes"]
    schemes["login"] = {"type": "oauth2", "flows": {"authorizationCode": flow}}
    for part in ("/list", "/nodes/{id}"):
        for operation in document["paths"][part].values():
            operation["security"] = [{"login": []}]
    path.write_text(json.dumps(document))
    client = OAuthClient(
        client_id=CLIENT,
        token_url=f"{server.url}/token",
        authorization_url=f"{server.url}/authorize",
        tokens=TokenCache(is_persistent=False),
    )
    connection = Connection(server=api.url, auth={"login": client})
    options = ServeOptions(exposure="all")
    return serving(f"tricky={path}", connection=connection, options=options, **more)


def sent_tokens(api):
    return [request[2].get("Authorization") for request in api.seen]


def test_a_login_is_a_page_of_the_client_and_its_token_stays_here(api, server, tmp_path, era):
    served, person = serving_login(api, server, tmp_path), Visitor(server)

    async def run():
        async with connected(served, era, person) as client:
            return [await client.call_tool("tricky__listNodes", {}) for _ in range(2)]

    results = anyio.run(run)
    assert [json.loads(texts(result)[0]) for result in results] == [[{"id": 1}, {"id": 2}]] * 2
    assert sent_tokens(api) == ["Bearer access-canary-1"] * 2
    [url] = person.urls
    assert url.startswith(f"{server.url}/authorize?")
    assert "code_challenge_method=S256" in url
    told = "".join(result.model_dump_json() for result in results) + json.dumps(person.urls)
    assert "canary" not in told


def test_a_write_is_asked_about_once_though_a_login_comes_between(api, server, tmp_path, era):
    served, person = serving_login(api, server, tmp_path), Visitor(server)
    result = call(served, era, "tricky__deleteNode", {"id": "7"}, person)
    assert texts(result) == ["HTTP 204 No Content, without a body"]
    assert (len(person.urls), len(person.forms)) == (1, 1)
    assert api.count("DELETE") == 1


def test_who_does_not_log_in_sends_nothing(api, server, tmp_path, era):
    served = serving_login(api, server, tmp_path)
    result = call(served, era, "tricky__listNodes", {}, Visitor(server, follows=False))
    assert result.is_error
    assert "Not sent" in texts(result)[0]
    nobody = call(served, era, "tricky__listNodes")
    assert nobody.is_error
    assert api.seen == []
    assert server.grants() == []


def test_where_a_client_opens_no_page_who_sits_here_logs_in(api, server, tmp_path, era):
    browser = Browser(server)
    served = serving_login(api, server, tmp_path, make_login=lambda: browser)
    result = call(served, era, "tricky__listNodes")
    assert json.loads(texts(result)[0]) == [{"id": 1}, {"id": 2}]
    assert len(browser.visits) == 1


def over_route(api, server, folder, people, *, era="2026-07-28"):
    """Each of `people`, `{subject: visitor}`, calls once over HTTP; returns `{subject: result}`."""
    route = LoginRoute()
    served = serving_login(api, server, folder, make_landing=route.make_landing, policy=ALLOW)
    found = {}
    with over_http(served, issued(), ADDRESS, route) as running:

        async def ask(subject, person):
            person.route = f"http://127.0.0.1:{running.address.port}"
            async with (
                httpx2.AsyncClient(
                    trust_env=False, verify=False, headers=bearer(token(RESOURCE, subject))
                ) as http,
                Client(
                    streamable_http_client(f"{person.route}/mcp", http_client=http),
                    mode=era,
                    elicitation_callback=person,
                    read_timeout_seconds=60,
                ) as client,
            ):
                found[subject] = await client.call_tool("tricky__listNodes", {})

        for subject, person in people.items():
            anyio.run(ask, subject, person)
    return found


def test_two_users_never_share_a_token(api, server, tmp_path, era):
    people = {"ada": Visitor(server), "bob": Visitor(server)}
    found = over_route(api, server, tmp_path, people, era=era)
    assert [result.is_error for result in found.values()] == [False, False]
    assert sent_tokens(api) == ["Bearer access-canary-1", "Bearer access-canary-2"]
    for person in people.values():
        assert len(person.forms) == 1
        assert "redirect_uri=https%3A%2F%2Fmcp.example%2Flogin" in person.urls[0]


def test_09_a_login_is_finished_by_who_started_it_alone(api, server, tmp_path, era):
    # Somebody else was sent the link, and reads the code; who started it does not.
    mallory = Visitor(server, types="BBBBBBBB")
    found = over_route(api, server, tmp_path, {"mallory": mallory}, era=era)
    assert found["mallory"].is_error
    assert len(mallory.forms) == 3
    assert api.seen == []
    assert server.grants() == []


def test_09_the_address_of_a_login_holds_no_credential(api, server, tmp_path, era):
    person = Visitor(server)
    call(serving_login(api, server, tmp_path), era, "tricky__listNodes", {}, person)
    [url] = person.urls
    assert not re.search("canary|token=|secret|verifier", url)


def test_a_page_that_nobody_waits_for_says_so(api, server, tmp_path):
    route = LoginRoute()
    served = serving_login(api, server, tmp_path, make_landing=route.make_landing)
    with over_http(served, issued(), ADDRESS, route) as running:
        url = f"http://127.0.0.1:{running.address.port}/login"
        with httpx2.Client(trust_env=False, verify=False) as client:
            lost = client.get(f"{url}?state=x&code=<script>")
            foreign = client.get(url, headers={"origin": "http://evil.example"})
    assert (lost.status_code, foreign.status_code) == (404, 403)
    assert "<script>" not in lost.text
    assert lost.headers["content-security-policy"].startswith("default-src 'none'")
