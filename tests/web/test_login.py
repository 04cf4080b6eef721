"""Users log in by their browsers: each step of the flow as an attack, and what is let in."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.testclient import TestClient
from tests.support.authorization_server import (
    CLIENT,
    AuthorizationServer,
    authorization_server,
)
from tests.support.web import PORT, load_shop, make_site

from restwright.doors.browsers import BrowserAccess, name_cookie
from restwright.mcp.login.access import IssuedTokens
from restwright.net.http.async_transport import AsyncTransport
from restwright.web.app import create_app, guard_app
from restwright.web.login import LoginClient, PageLogin
from restwright.web.site import Site
from restwright.web.user_sites import UserSites

URL = f"http://127.0.0.1:{PORT}"
PAGE = {"accept": "text/html"}
SHOP = load_shop()


@dataclass
class Clock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Place:
    """A server whose users log in at `issuer`."""

    app: Any
    issuer: AuthorizationServer
    login: PageLogin
    clock: Clock
    client: TestClient

    def browser(self) -> TestClient:
        """Another browser, in which nobody is logged in."""
        client = TestClient(self.app, base_url=URL, follow_redirects=False)
        client.headers["origin"] = URL
        return client

    def log_in(self, user: str, browser: TestClient | None = None) -> TestClient:
        """A browser in which a user is logged in."""
        client = browser or self.browser()
        self.issuer.user = user
        came = client.get(self.way_back(client))
        assert came.status_code == 303, came.text
        return client

    def way_back(self, client: TestClient, to: str = "/") -> str:
        """What a browser that begins a login comes back with."""
        begun = client.get("/login", params={"to": to})
        assert begun.status_code == 303
        target, _ = self.issuer.authorize(begun.headers["location"])
        return target.removeprefix(URL)


def open_site(user: str, ending: ExitStack) -> Site:
    del ending
    assert user
    return make_site(SHOP, is_shared=True)


@pytest.fixture
def place() -> Generator[Place]:
    with authorization_server() as issuer:
        issuer.user = "ada"
        clock = Clock()
        browsers = BrowserAccess(cookie="restwright-test", is_by_login=True, now=clock)
        send = AsyncTransport()
        tokens = IssuedTokens(issuer=issuer.url, resource=URL, send=send, report_error=pytest.fail)
        client = LoginClient(issuer=issuer.url, url=URL, client_id=CLIENT, scopes=("ask",))
        login = PageLogin(
            client=client, browsers=browsers, send=send, read_claims=tokens.read_claims
        )
        app = create_app(UserSites(open_site=open_site), more=login.routes(), running=lambda: send)
        guarded = guard_app(app, PORT, browsers, login=login)
        # One loop for all browsers, in which the connections to the issuer are.
        with TestClient(guarded, base_url=URL) as client:
            yield Place(guarded, issuer, login, clock, client)


def test_a_page_leads_to_the_login_and_back_to_where_one_was(place: Place) -> None:
    client = place.browser()
    sent = client.get("/usage", headers=PAGE)
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?to=/usage")
    begun = client.get(sent.headers["location"])
    asked = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
    assert asked["code_challenge_method"] == "S256"
    assert asked["scope"] == "openid ask"
    assert asked["redirect_uri"] == f"{URL}/login/callback"
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    target, _ = place.issuer.authorize(begun.headers["location"])
    came = client.get(target)
    assert (came.status_code, came.headers["location"]) == (303, "/usage")
    cookie = next(
        one.lower() for one in came.headers.get_list("set-cookie") if "restwright-test=" in one
    )
    assert {"httponly", "samesite=lax"} <= set(cookie.split("; "))
    page = client.get("/usage", headers=PAGE).text
    assert ">ada</span>" in page
    assert "Log out" in page


def test_a_bookmark_with_arguments_is_whole_after_the_login(place: Place) -> None:
    client = place.browser()
    path = "/tools/shop__get_product?arguments=%7B%22product_id%22%3A%22a%26b%22%7D&dialect=openai"
    sent = client.get(path, headers=PAGE)
    begun = client.get(sent.headers["location"])
    target, _ = place.issuer.authorize(begun.headers["location"])
    assert client.get(target).headers["location"] == path


def test_the_address_of_the_server_may_be_written_in_capitals(place: Place) -> None:
    client = place.browser()
    client.base_url = f"http://localhost:{PORT}"
    client.headers["origin"] = f"http://localhost:{PORT}"
    assert client.get("/login").status_code == 403
    place.login.client = replace(place.login.client, url=f"http://LocalHost:{PORT}")
    assert client.get("/login").status_code == 303


def test_over_tls_no_other_host_of_the_domain_can_plant_a_cookie(place: Place) -> None:
    """With a planted cookie of the attacker's, the victim would work in the attacker's account."""
    assert name_cookie("http://127.0.0.1:8123", 8123) == "restwright-8123"
    url = "https://ask.example.test"
    browsers = BrowserAccess(cookie=name_cookie(url, 1), is_by_login=True)
    assert browsers.cookie == "__Host-restwright-1"
    login = replace(
        place.login, client=replace(place.login.client, url=url), browsers=browsers, _begun={}
    )
    app = create_app(UserSites(open_site=open_site), more=login.routes())
    guarded = guard_app(app, PORT, browsers, url=url, login=login)
    client = TestClient(guarded, base_url=url, follow_redirects=False)
    client.portal = place.client.portal
    begun = client.get("/login")
    target, _ = place.issuer.authorize(begun.headers["location"])
    came = client.get(target.removeprefix(url))
    assert came.status_code == 303, came.text
    left = client.post("/logout", headers={"origin": url})
    assert left.status_code == 200
    for answer in (begun, came, left):
        for cookie in answer.headers.get_list("set-cookie"):
            parts = {part.lower() for part in cookie.split("; ")}
            assert cookie.startswith("__Host-")
            assert {"secure", "httponly", "path=/"} <= parts
            assert not any(part.startswith("domain=") for part in parts)


def test_programs_and_parts_of_a_page_are_refused_instead(place: Place) -> None:
    client = place.browser()
    assert client.get("/index.json").status_code == 401
    assert client.get("/", headers=PAGE | {"hx-request": "true"}).status_code == 401
    assert client.post("/chat", headers=PAGE, data={"text": "?"}).status_code == 401


def test_no_printed_address_lets_anybody_in(place: Place) -> None:
    for token in ("", "x", place.login.browsers.token):
        assert place.browser().get("/", params={"token": token}).status_code == 401


def test_who_comes_back_in_another_browser_is_not_let_in(place: Place) -> None:
    """A link of an attacker: the victim would work in the attacker's account (login CSRF)."""
    target = place.way_back(place.browser())
    victim = place.browser()
    assert victim.get(target).status_code == 403
    assert victim.get("/", headers=PAGE).status_code == 303
    place.way_back(victim)
    assert victim.get(target).status_code == 403


def test_a_code_counts_once_and_a_guessed_state_never(place: Place) -> None:
    client = place.browser()
    target = place.way_back(client)
    assert client.get("/login/callback?code=code-canary-0&state=guessed").status_code == 403
    assert client.get("/login/callback").status_code == 403
    assert client.get(target).status_code == 303
    assert client.get(target).status_code == 403


def test_a_login_that_took_too_long_is_none(place: Place) -> None:
    client = place.browser()
    target = place.way_back(client)
    place.login.now = lambda: time.time() + 601
    assert client.get(target).status_code == 403


def test_a_code_of_another_issuer_is_not_redeemed(place: Place) -> None:
    client = place.browser()
    target = place.way_back(client)
    before = len(place.issuer.forms)
    assert client.get(f"{target}&iss=https://other.example").status_code == 403
    assert len(place.issuer.forms) == before


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another login"},
        {"nonce": None},
        {"aud": "another client"},
        {"aud": [CLIENT, "another client"], "azp": "another client"},
        {"iss": "https://other.example"},
        {"exp": int(time.time()) - 10},
        {"exp": None},
        {"sub": None},
    ],
)
def test_an_id_token_that_says_something_else_lets_nobody_in(
    place: Place, claims: dict[str, Any]
) -> None:
    place.issuer.claims = claims
    client = place.browser()
    answer = client.get(place.way_back(client))
    assert answer.status_code == 403
    assert client.get("/", headers=PAGE).status_code == 303
    assert "canary" not in answer.text


def test_a_token_that_somebody_else_signed_lets_nobody_in(place: Place) -> None:
    own = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    said = {"iss": place.issuer.url, "aud": CLIENT, "sub": "x", "exp": int(time.time()) + 60}
    for token in (
        jwt.encode(said, own, algorithm="RS256", headers={"kid": "one"}),
        jwt.encode(said, None, algorithm="none", headers={"kid": "one"}),
        jwt.encode(said, "x" * 64, algorithm="HS256", headers={"kid": "one"}),
        "no token",
    ):
        place.issuer.token_in_place = token
        client = place.browser()
        assert client.get(place.way_back(client)).status_code == 403


@pytest.mark.parametrize(
    "to",
    ["//evil.test", "https://evil.test", "/\\evil.test", "\\\\evil.test", "/a\nb", "/login", "x"],
)
def test_a_login_leads_to_no_other_place(place: Place, to: str) -> None:
    client = place.browser()
    assert client.get(place.way_back(client, to)).headers["location"] == "/"


def test_a_login_ends_with_its_token(place: Place) -> None:
    client = place.log_in("ada")
    assert client.get("/", headers=PAGE).status_code == 200
    place.clock.seconds = 601
    assert client.get("/", headers=PAGE).status_code == 303
    assert client.post("/chat", data={"text": "?"}).status_code == 401


def test_who_logs_out_is_let_in_no_more_and_nobody_else_can_do_that(place: Place) -> None:
    ada, bob = place.log_in("ada"), place.log_in("bob")
    cookie = ada.cookies["restwright-test"]
    assert ada.post("/logout", headers={"origin": "https://evil.test"}).status_code == 403
    assert ada.get("/logout").status_code == 405
    assert "logged out" in ada.post("/logout").text
    ada.cookies.set("restwright-test", cookie)
    assert ada.get("/", headers=PAGE).status_code == 303
    assert bob.get("/", headers=PAGE).status_code == 200


def test_a_new_login_is_a_new_cookie_and_ends_the_one_before(place: Place) -> None:
    """A cookie that somebody put into the browser is not the one that is let in."""
    client = place.browser()
    client.cookies.set("restwright-test", "planted", domain="127.0.0.1", path="/")
    place.log_in("ada", client)
    first = client.cookies["restwright-test"]
    assert first != "planted"
    place.log_in("bob", client)
    thief = place.browser()
    thief.cookies.set("restwright-test", first)
    assert thief.get("/", headers=PAGE).status_code == 303


def test_a_user_without_a_scope_is_not_let_in(place: Place) -> None:
    place.issuer.granted = "openid"
    client = place.browser()
    answer = client.get(place.way_back(client))
    assert answer.status_code == 403
    assert "lacks a scope: ask" in answer.text


def test_pages_of_a_server_of_several_users_do_not_say_that_all_stays_on_this_machine(
    place: Place,
) -> None:
    ada = place.log_in("ada")
    failed = ada.get("/login/callback?code=x&state=y").text
    # Who was logged in before is so still.
    assert "This login let nobody in" in failed
    assert ">ada</span>" in failed
    pages = [failed, ada.post("/logout").text, place.browser().post("/chat").text]
    assert "You are logged out" in pages[1]
    assert "Not let in" in pages[2]
    # That would lead back here.
    assert "Go to the catalog" not in pages[2]
    for page in pages:
        assert "Other users of this server see nothing of yours" in page
        assert "stays on this machine" not in page


def test_an_issuer_that_says_it_is_another_one_is_not_asked(place: Place) -> None:
    place.issuer.issuer = "https://other.example"
    answer = place.browser().get("/login")
    assert answer.status_code == 403
    assert "This login let nobody in" in answer.text
