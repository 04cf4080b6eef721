"""Tokens are asked for as the standards say, of whom the user named, and kept until they expire."""

from __future__ import annotations

import dataclasses
import os
import stat
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from tests.support.authorization_server import (
    CLIENT,
    SECRET,
    AuthorizationServer,
    authorization_server,
)
from tests.support.oauth import API, OIDC, Browser, Clock, client_of, scheme_of

from restwright.calls.auth.bearer import is_token_missing
from restwright.calls.auth.connection import Connection, authorize_request
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.driver import obtain_access_token
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.auth.oauth.token_cache import TokenCache, expiry_from_lifetime
from restwright.errors import MissingCredential, NoToken, RefusedRequest
from restwright.jsontypes import Json
from restwright.net.http.transport import Transport
from restwright.net.loopback_redirect import RedirectListener
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.secret import Secret
from restwright.net.storage import cache_folder
from restwright.openapi.api import load
from restwright.openapi.model import SecurityScheme
from restwright.testing import document, never
from restwright.tools.catalog.catalog import catalog


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with authorization_server() as running:
        yield running


@pytest.fixture
def send() -> Iterator[Transport]:
    with Transport() as transport:
        yield transport


def asked(
    client: OAuthClient, scheme: SecurityScheme, send: Transport, *scopes: str, named: Origin = API
) -> str:
    wanted = TokenRequest(client=client, scheme=scheme, scopes=scopes, api_origin=named)
    token = obtain_access_token(wanted, send)
    assert token is not None
    return token.reveal()


def test_client_credentials_give_a_token(server: AuthorizationServer, send: Transport) -> None:
    client = client_of(server, client_secret=Secret(SECRET), more={"audience": "shop"})
    assert asked(client, scheme_of(server), send, "read", "write") == "access-canary-1"
    assert server.forms == [
        {"grant_type": "client_credentials", "scope": "read write", "audience": "shop"}
    ]


def test_a_client_secret_may_go_into_the_body(server: AuthorizationServer, send: Transport) -> None:
    client = client_of(server, client_secret=Secret(SECRET), authentication="post")
    assert asked(client, scheme_of(server), send) == "access-canary-1"
    assert server.forms[0]["client_secret"] == SECRET


def test_a_wrong_client_secret_is_told_without_it(
    server: AuthorizationServer, send: Transport
) -> None:
    client = client_of(server, client_secret=Secret("wrong-canary"))
    with pytest.raises(NoToken) as caught:
        asked(client, scheme_of(server), send)
    assert caught.value == NoToken("login", "invalid_client", "")


@pytest.mark.parametrize("authentication", ["basic", "post"])
def test_what_a_server_repeats_shows_no_secret(
    server: AuthorizationServer, send: Transport, authentication: str
) -> None:
    server.refused["client_credentials"] = "invalid_scope"
    client = client_of(server, client_secret=Secret(SECRET), authentication=authentication)
    with pytest.raises(NoToken) as caught:
        asked(client, scheme_of(server), send)
    assert "canary" not in f"{caught.value} {caught.value!r}"
    assert "\n" not in str(caught.value)


def test_a_token_is_used_until_it_expires(server: AuthorizationServer, send: Transport) -> None:
    clock = Clock()
    client = client_of(server, client_secret=Secret(SECRET), tokens=TokenCache(now=clock))
    first = [asked(client, scheme_of(server), send) for _ in range(3)]
    clock.seconds += 3541
    assert first == ["access-canary-1"] * 3
    assert asked(client, scheme_of(server), send) == "access-canary-2"


@pytest.mark.parametrize(
    ("lifetime", "until"), [(3600, 3540.0), (100, 90.0), (0, 0.0), (None, 600.0)]
)
def test_a_token_counts_as_expired_a_little_early(lifetime: float | None, until: float) -> None:
    assert expiry_from_lifetime(lifetime, now=0.0) == until


def test_other_scopes_users_and_secrets_have_tokens_of_their_own(
    server: AuthorizationServer, send: Transport
) -> None:
    one = client_of(server, client_secret=Secret(SECRET))
    others = [one, dataclasses.replace(one, user="bob"), dataclasses.replace(one, scopes=("a",))]
    tokens = [asked(each, scheme_of(server), send) for each in others]
    assert len(set(tokens)) == 3
    assert asked(one, scheme_of(server), send, "read") == "access-canary-4"


def test_kept_tokens_are_readable_by_their_owner_alone(
    server: AuthorizationServer, send: Transport
) -> None:
    before = os.umask(0)
    try:
        asked(client_of(server, client_secret=Secret(SECRET)), scheme_of(server), send)
    finally:
        os.umask(before)
    folder = cache_folder() / "tokens"
    modes = {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}
    assert (modes, stat.S_IMODE(folder.stat().st_mode)) == ({0o600}, 0o700)
    assert not any(SECRET.encode() in each.read_bytes() for each in folder.iterdir())


def test_another_process_uses_the_kept_token(server: AuthorizationServer, send: Transport) -> None:
    def fresh() -> OAuthClient:
        return client_of(server, client_secret=Secret(SECRET), tokens=TokenCache())

    assert asked(fresh(), scheme_of(server), send) == asked(fresh(), scheme_of(server), send)
    assert server.issued == 1


def test_a_damaged_file_is_as_good_as_none(server: AuthorizationServer, send: Transport) -> None:
    asked(client_of(server, client_secret=Secret(SECRET)), scheme_of(server), send)
    for each in (cache_folder() / "tokens").iterdir():
        each.write_bytes(b'{"access": 1')
    client = client_of(server, client_secret=Secret(SECRET))
    assert asked(client, scheme_of(server), send) == "access-canary-2"


@pytest.mark.parametrize("is_kept", [True, False])
def test_threads_that_need_a_token_ask_for_one_together(
    server: AuthorizationServer, send: Transport, is_kept: bool
) -> None:
    client = client_of(
        server, client_secret=Secret(SECRET), tokens=TokenCache(is_persistent=is_kept)
    )
    found: list[str] = []

    def ask() -> None:
        found.append(asked(client, scheme_of(server), send))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == ["access-canary-1"] * 8
    assert server.issued == 1


def test_a_person_logs_in_with_a_browser(server: AuthorizationServer, send: Transport) -> None:
    browser = Browser(server)
    client = client_of(server, login=browser)
    assert asked(client, scheme_of(server, "authorizationCode"), send, "read") == "access-canary-1"
    url = browser.visits[0][0]
    assert url.startswith(f"{server.url}/authorize?tenant=7&response_type=code&")
    assert "scope=read" in url
    assert server.grants() == ["authorization_code"]


def test_a_wrong_verifier_gets_no_token(server: AuthorizationServer, send: Transport) -> None:
    browser = Browser(server)
    honest = browser.redirect

    def redirect(url: str) -> str:
        target = honest(url)
        server.codes["code-canary-0"]["code_challenge"] = "x" * 43
        return target

    browser.redirect = redirect
    with pytest.raises(NoToken, match="invalid_grant"):
        asked(client_of(server, login=browser), scheme_of(server, "authorizationCode"), send)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("code=c&state=forged", "invalid_state"),
        ("code=c", "invalid_state"),
        ("error=access_denied&state=forged", "invalid_state"),
        ("error=access_denied&error_description=no+thanks&state={state}", "access_denied"),
        ("state={state}", "invalid_response"),
        ("code=a&code=b&state={state}", "invalid_response"),
        ("code=a&state={state}&state=forged", "invalid_response"),
    ],
)
def test_a_redirect_that_is_no_answer_is_refused(
    server: AuthorizationServer, send: Transport, query: str, error: str
) -> None:
    browser = Browser(server)

    def redirect(url: str) -> str:
        target, _, own = server.visited(url).partition("?")
        return f"{target}?{query.format(state=own.partition('state=')[2])}"

    browser.redirect = redirect
    with pytest.raises(NoToken) as caught:
        asked(client_of(server, login=browser), scheme_of(server, "authorizationCode"), send)
    assert caught.value.error == error
    assert server.grants() == []


def test_a_redirect_of_another_issuer_is_refused(
    server: AuthorizationServer, send: Transport
) -> None:
    browser = Browser(server)
    browser.suffix = "&iss=https://evil.test"
    client = OAuthClient(client_id=CLIENT, issuer=server.url, login=browser)
    with pytest.raises(NoToken, match="invalid_issuer"):
        asked(client, OIDC, send)


def test_nobody_who_comes_back_is_told(server: AuthorizationServer, send: Transport) -> None:
    browser = Browser(server)
    browser.listener = RedirectListener(timeout_s=0.05)
    browser.visit = lambda url, *, code="": None
    with pytest.raises(NoToken, match="timeout"):
        asked(client_of(server, login=browser), scheme_of(server, "authorizationCode"), send)


def test_the_listener_answers_nothing_but_the_redirect() -> None:
    listener = RedirectListener(timeout_s=0.1)
    url = listener.listen()
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(url.replace("/callback", "/favicon.ico"), timeout=5)  # noqa: S310
    foreign = urllib.request.Request(url, headers={"Host": "evil.test"})  # noqa: S310
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(foreign, timeout=5)  # noqa: S310
    with pytest.raises(TimeoutError):
        listener.arrival()
    listener.close()


def test_without_a_person_nobody_logs_in(server: AuthorizationServer) -> None:
    with pytest.raises(MissingCredential, match="a person must log in"):
        asked(client_of(server), scheme_of(server, "authorizationCode"), never)


def test_a_device_waits_as_it_is_told(server: AuthorizationServer, send: Transport) -> None:
    server.pending = ["authorization_pending", "slow_down", "authorization_pending"]
    browser = Browser(server)
    client = client_of(server, login=browser, device_url=f"{server.url}/device")
    assert asked(client, scheme_of(server, "deviceAuthorization"), send) == "access-canary-1"
    assert browser.visits == [(f"{server.url}/activate", "WDJB-MJHT")]
    assert browser.waits == [1.0, 1.0, 6.0, 6.0]


@pytest.mark.parametrize("error", ["expired_token", "access_denied"])
def test_a_device_gives_up_when_it_is_told(
    server: AuthorizationServer, send: Transport, error: str
) -> None:
    server.pending = ["authorization_pending", error]
    client = client_of(server, login=Browser(server))
    with pytest.raises(NoToken) as caught:
        asked(client, scheme_of(server, "deviceAuthorization"), send)
    assert caught.value.error == error


def test_a_device_does_not_wait_for_ever(server: AuthorizationServer, send: Transport) -> None:
    server.pending = ["authorization_pending"] * 100
    client = client_of(server, login=Browser(server))
    with pytest.raises(NoToken, match="expired_token"):
        asked(client, scheme_of(server, "deviceAuthorization"), send)
    assert len(server.grants()) == 60


def test_an_expired_token_is_refreshed(server: AuthorizationServer, send: Transport) -> None:
    clock, browser = Clock(), Browser(server)
    client = client_of(server, login=browser, tokens=TokenCache(now=clock))
    scheme = scheme_of(server, "authorizationCode")
    asked(client, scheme, send)
    for _ in range(2):
        clock.seconds += 3600
        asked(client, scheme, send)
    assert server.grants() == ["authorization_code", "refresh_token", "refresh_token"]
    assert len(browser.visits) == 1


def test_a_refresh_token_that_is_good_no_more_is_followed_by_a_login(
    server: AuthorizationServer, send: Transport
) -> None:
    clock, browser = Clock(), Browser(server)
    client = client_of(server, login=browser, tokens=TokenCache(now=clock))
    scheme = scheme_of(server, "authorizationCode")
    asked(client, scheme, send)
    server.refresh_tokens.clear()
    clock.seconds += 3600
    assert asked(client, scheme, send) == "access-canary-2"
    assert len(browser.visits) == 2


def test_a_refresh_token_of_the_user_is_enough(
    server: AuthorizationServer, send: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFRESH", "refresh-canary-own")
    server.refresh_tokens, server.rotates = {"refresh-canary-own"}, False
    clock = Clock()
    client = client_of(server, refresh_token="env:REFRESH", tokens=TokenCache(now=clock))
    scheme = scheme_of(server, "authorizationCode")
    asked(client, scheme, send)
    clock.seconds += 3600
    assert asked(client, scheme, send) == "access-canary-2"


def test_an_issuer_publishes_where_to_ask(server: AuthorizationServer, send: Transport) -> None:
    client = OAuthClient(
        client_id=CLIENT,
        client_secret=Secret(SECRET),
        issuer=server.url,
        flow="client_credentials",
    )
    assert asked(client, OIDC, send) == "access-canary-1"
    assert server.paths == ["/.well-known/openid-configuration", "/token"]
    assert server.forms[0]["client_secret"] == SECRET


def test_metadata_of_another_issuer_are_not_believed(
    server: AuthorizationServer, send: Transport
) -> None:
    server.issuer = "https://evil.test"
    client = OAuthClient(client_id=CLIENT, client_secret=Secret(SECRET), issuer=server.url)
    with pytest.raises(NoToken):
        asked(client, OIDC, send)
    assert server.forms == []


@pytest.mark.parametrize("flow", ["clientCredentials", "authorizationCode", "deviceAuthorization"])
def test_a_secret_never_goes_where_only_the_document_says(
    server: AuthorizationServer, flow: str
) -> None:
    client = OAuthClient(client_id=CLIENT, client_secret=Secret(SECRET), login=Browser(server))
    with pytest.raises(RefusedRequest, match="only the document"):
        asked(client, scheme_of(server, flow), never)


def test_a_documents_discovery_is_asked_only_where_the_user_named_it(
    server: AuthorizationServer, send: Transport
) -> None:
    url = f"{server.url}/.well-known/openid-configuration"
    scheme = dataclasses.replace(OIDC, open_id_connect_url=url)
    client = OAuthClient(client_id=CLIENT, client_secret=Secret(SECRET), flow="client_credentials")
    with pytest.raises(RefusedRequest, match="only the document"):
        asked(client, scheme, never)
    assert asked(client, scheme, send, named=parse_origin(server.url)) == "access-canary-1"


def answering(status: int, body: bytes, kind: str = "application/json") -> Json:
    def send(request: Request) -> Response:
        return Response(status=status, headers=(("content-type", kind),), body=body)

    return send


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{}", b"not json", b"[" * 100_000, b'{"access_token": ""}',
        b'{"access_token": 7}', b'{"access_token": "a b"}', b'{"access_token": "a\\r\\nX: 1"}',
        b'{"access_token": "abc", "token_type": "mac"}', b'{"error": "x", "access_token": "abc"}',
    ],
)  # fmt: skip
def test_an_answer_that_is_no_token_is_refused(server: AuthorizationServer, body: bytes) -> None:
    client = client_of(server, client_secret=Secret(SECRET))
    with pytest.raises(NoToken):
        asked(client, scheme_of(server), answering(200, body))


@pytest.mark.parametrize("lifetime", [b"9" * 400, b"1e999", b'"' + b"9" * 400 + b'"', b"NaN"])
def test_a_lifetime_that_no_clock_has_is_no_lifetime(
    server: AuthorizationServer, lifetime: bytes
) -> None:
    client = client_of(server, client_secret=Secret(SECRET))
    send = answering(200, b'{"access_token": "abc", "expires_in": ' + lifetime + b"}")
    assert asked(client, scheme_of(server), send) == "abc"


def test_an_answer_may_be_a_form(server: AuthorizationServer) -> None:
    client = client_of(server, client_secret=Secret(SECRET))
    send = answering(200, b"access_token=abc&expires_in=60", "application/x-www-form-urlencoded")
    assert asked(client, scheme_of(server), send) == "abc"


def test_a_call_gets_its_token_when_it_is_sent_and_not_before(
    server: AuthorizationServer, send: Transport
) -> None:
    flows = {"clientCredentials": {"tokenUrl": f"{server.url}/token", "scopes": {}}}
    written = document(
        {"/x": {"get": {"operationId": "x", "responses": {}, "security": [{"login": ["read"]}]}}},
        components={"securitySchemes": {"login": {"type": "oauth2", "flows": flows}}},
    )
    tool = catalog(load(written, alias="shop"))["shop__x"]
    connection = Connection(auth=client_of(server, client_secret=Secret(SECRET)))
    request = Request(method="GET", url="https://api.test/x")
    waiting = authorize_request(request, connection, named=API, tool=tool)
    assert is_token_missing(waiting)
    assert server.paths == []
    ready = authorize_request(waiting, connection, named=API, tool=tool, send=send)
    assert ready.headers == (("Authorization", "Bearer access-canary-1"),)
    assert server.forms[0]["scope"] == "read"
