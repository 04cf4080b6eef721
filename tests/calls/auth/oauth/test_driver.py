"""Threads and event loops perform the same steps to a token, and no two users share one."""

from __future__ import annotations

import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import anyio
import pytest
from tests.support.authorization_server import (
    CLIENT,
    DEVICE_GRANT,
    SECRET,
    AuthorizationServer,
    authorization_server,
)
from tests.support.oauth import API, OIDC, Browser, Clock, client_of, scheme_of

from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.driver import obtain_access_token, obtain_access_token_async
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.errors import MissingCredential, NoToken
from restwright.jsontypes import Json
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.transport import Transport
from restwright.net.loopback_redirect import RedirectListener
from restwright.net.secret import Secret
from restwright.net.storage import cache_folder
from restwright.openapi.model import SecurityScheme

Ask = Callable[[OAuthClient, SecurityScheme], str]


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with authorization_server() as running:
        yield running


def ask_blocking(client: OAuthClient, scheme: SecurityScheme) -> str:
    with Transport() as send:
        token = obtain_access_token(
            TokenRequest(client=client, scheme=scheme, api_origin=API), send
        )
    assert token is not None
    return token.reveal()


def ask_in_a_loop(client: OAuthClient, scheme: SecurityScheme) -> str:
    async def main() -> str:
        async with AsyncTransport() as send:
            wanted = TokenRequest(client=client, scheme=scheme, api_origin=API)
            return (await obtain_access_token_async(wanted, send)).reveal()

    return anyio.run(main)


@pytest.fixture(params=[ask_blocking, ask_in_a_loop], ids=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    return request.param


def test_client_credentials(server: AuthorizationServer, ask: Ask) -> None:
    client = client_of(server, client_secret=Secret(SECRET))
    assert [ask(client, scheme_of(server)) for _ in range(2)] == ["access-canary-1"] * 2
    assert server.grants() == ["client_credentials"]


def test_authorization_code_with_pkce_and_refresh(server: AuthorizationServer, ask: Ask) -> None:
    browser, clock = Browser(server), Clock()
    client = client_of(server, login=browser, tokens=TokenCache(now=clock))
    scheme = scheme_of(server, "authorizationCode")
    assert ask(client, scheme) == "access-canary-1"
    clock.seconds += 3600
    assert ask(client, scheme) == "access-canary-2"
    assert server.grants() == ["authorization_code", "refresh_token"]
    assert "code_verifier" in server.forms[0]
    assert len(browser.visits) == 1


def test_device(server: AuthorizationServer, ask: Ask) -> None:
    server.pending, browser = ["authorization_pending", "slow_down"], Browser(server)
    client = client_of(server, login=browser, device_url=f"{server.url}/device")
    assert ask(client, scheme_of(server, "deviceAuthorization")) == "access-canary-1"
    assert browser.waits == [1.0, 1.0, 6.0]
    assert server.grants() == [DEVICE_GRANT] * 3


def test_a_refresh_token_of_the_user(server: AuthorizationServer, ask: Ask) -> None:
    server.refresh_tokens = {"own"}
    client = client_of(server, refresh_token=Secret("own"))
    assert ask(client, scheme_of(server, "authorizationCode")) == "access-canary-1"


def test_discovery(server: AuthorizationServer, ask: Ask) -> None:
    client = OAuthClient(client_id=CLIENT, client_secret=Secret(SECRET), issuer=server.url)
    assert ask(client, OIDC) == "access-canary-1"
    assert server.paths == ["/.well-known/openid-configuration", "/token"]


def test_an_issuer_that_does_not_answer_is_asked_once(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        issuer = f"http://127.0.0.1:{closed.getsockname()[1]}"
    client = OAuthClient(client_id=CLIENT, client_secret=Secret(SECRET), issuer=issuer)
    with pytest.raises(NoToken, match="openid-configuration") as raised:
        ask(client, OIDC)
    assert raised.value.error == "no_response"


def test_an_error_of_the_server(server: AuthorizationServer, ask: Ask) -> None:
    with pytest.raises(NoToken, match="invalid_client"):
        ask(client_of(server, client_secret=Secret("wrong")), scheme_of(server))


def test_nobody_is_there_to_log_in(server: AuthorizationServer, ask: Ask) -> None:
    with pytest.raises(MissingCredential, match="a person must log in"):
        ask(client_of(server), scheme_of(server, "authorizationCode"))


def test_nobody_comes_back(server: AuthorizationServer, ask: Ask) -> None:
    browser = Browser(server)
    browser.listener = RedirectListener(timeout_s=0.05)
    browser.redirect = lambda _: f"{server.url}/.well-known/openid-configuration"
    client = client_of(server, login=browser)
    with pytest.raises(NoToken, match="nobody came back"):
        ask(client, scheme_of(server, "authorizationCode"))


def test_tasks_that_need_a_token_ask_for_one_together(server: AuthorizationServer) -> None:
    client = client_of(server, client_secret=Secret(SECRET))
    wanted = TokenRequest(client=client, scheme=scheme_of(server), api_origin=API)
    found: list[str] = []

    async def main() -> None:
        async with AsyncTransport() as send, anyio.create_task_group() as tasks:

            async def one() -> None:
                found.append((await obtain_access_token_async(wanted, send)).reveal())

            for _ in range(8):
                tasks.start_soon(one)

    anyio.run(main)
    assert (found, server.issued) == (["access-canary-1"] * 8, 1)


def test_a_login_that_is_cancelled_stops_listening(server: AuthorizationServer) -> None:
    urls: list[str] = []

    class Idle(Browser):
        def listen(self) -> str:
            urls.append(super().listen())
            return urls[-1]

        def visit(self, url: str, *, code: str = "") -> None:
            """Never come back."""

    browser = Idle(server)
    browser.listener = RedirectListener(timeout_s=0.5)
    client = client_of(server, login=browser)
    wanted = TokenRequest(
        client=client, scheme=scheme_of(server, "authorizationCode"), api_origin=API
    )

    async def main() -> None:
        async with AsyncTransport() as send:
            with anyio.move_on_after(0.2) as scope:
                await obtain_access_token_async(wanted, send)
            assert scope.cancelled_caught

    anyio.run(main)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", urlsplit(urls[0]).port or 0)) != 0


@pytest.mark.parametrize("waiting", ["redirect", "code"])
def test_a_login_that_is_closed_lets_go_of_the_thread_that_waits(waiting: str) -> None:
    """Else the process could not end for minutes."""
    listener = RedirectListener(timeout_s=60)
    listener.listen()
    entered, told = threading.Event(), list[str]()

    def wait() -> None:
        entered.set()
        if waiting == "code":
            listener.wait(60)
            return
        try:
            listener.arrival()
        except TimeoutError as error:
            told.append(str(error))

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    assert entered.wait(5)
    while waiting == "code" and thread.is_alive():
        listener.close()
        thread.join(0.05)
    listener.close()
    thread.join(5)
    assert not thread.is_alive()
    assert told == (["no redirect came"] if waiting == "redirect" else [])


def test_a_listener_that_was_closed_can_wait_again() -> None:
    listener = RedirectListener(timeout_s=0.05)
    listener.listen()
    listener.close()
    began = time.monotonic()
    listener.wait(0.1)
    assert time.monotonic() - began >= 0.09
    urllib.request.urlopen(f"{listener.listen()}?code=a", timeout=5).close()  # noqa: S310
    assert listener.arrival().endswith("?code=a")
    listener.close()


def test_one_who_logs_in_keeps_no_other_user_waiting(server: AuthorizationServer) -> None:
    shared, entered, leave = TokenCache(), threading.Event(), threading.Event()

    class Slow(Browser):
        def visit(self, url: str, *, code: str = "") -> None:
            entered.set()
            assert leave.wait(5)
            super().visit(url, code=code)

    slow = client_of(server, login=Slow(server), user="ada", tokens=shared)
    quick = client_of(server, login=Browser(server), user="bob", tokens=shared)
    scheme = scheme_of(server, "authorizationCode")
    thread = threading.Thread(target=ask_blocking, args=(slow, scheme))
    thread.start()
    assert entered.wait(5)
    assert ask_blocking(quick, scheme) == "access-canary-1"
    leave.set()
    thread.join()
    assert server.issued == 2


def personal(server: AuthorizationServer, **more: Json) -> OAuthClient:
    return client_of(server, login=Browser(server), **more)


def test_two_who_log_in_share_no_token_though_nothing_else_tells_them_apart(
    server: AuthorizationServer, ask: Ask
) -> None:
    scheme, shared = scheme_of(server, "authorizationCode"), TokenCache()
    ada, bob = personal(server, tokens=shared), personal(server, tokens=shared)
    assert [ask(each, scheme) for each in (ada, bob, ada, bob)] == [
        f"access-canary-{n}" for n in (1, 2, 1, 2)
    ]
    assert not (cache_folder() / "tokens").exists()
    assert ask(personal(server), scheme) == "access-canary-3"


def test_a_user_with_a_name_finds_the_own_token_on_disk_and_no_other(
    server: AuthorizationServer, ask: Ask
) -> None:
    scheme = scheme_of(server, "authorizationCode")
    found = [ask(personal(server, user=user), scheme) for user in ("ada", "bob", "ada", "bob")]
    assert found == [f"access-canary-{n}" for n in (1, 2, 1, 2)]


@pytest.mark.parametrize("kind", ["env", "file"])
def test_another_secret_behind_the_same_reference_has_a_token_of_its_own(
    server: AuthorizationServer, ask: Ask, kind: str, monkeypatch, tmp_path
) -> None:
    server.rotates, server.refresh_tokens = False, {"of-ada", "of-bob"}
    scheme = scheme_of(server, "authorizationCode")
    path = tmp_path / "refresh.txt"
    found: list[str] = []
    for token in ("of-ada", "of-bob", "of-ada"):
        monkeypatch.setenv("REFRESH", token)
        path.write_text(token)
        reference = "env:REFRESH" if kind == "env" else f"file:{path}"
        found.append(ask(client_of(server, refresh_token=reference), scheme))
    assert found == ["access-canary-1", "access-canary-2", "access-canary-1"]
