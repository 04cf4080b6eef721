"""Each refusal of the guard as an attack, and what is let in."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from restwright.doors.browsers import MAX_BROWSERS, BrowserAccess
from restwright.doors.guard import Guard, list_loopback_hosts

PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"
KEY = "a-key-of-many-characters"


async def _answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{request.method} {len(await request.body())}")


def _client(
    browsers: BrowserAccess | None = None, *, keys: tuple[str, ...] = (), max_body_bytes: int = 100
) -> TestClient:
    app = Starlette(
        routes=[
            Route("/", _answer, methods=["GET", "POST", "DELETE"]),
            Route("/page", _answer, methods=["GET"]),
            Mount("/static", PlainTextResponse("body {}")),
        ]
    )
    guard = Guard(
        app=app,
        hosts=list_loopback_hosts(PORT),
        browsers=browsers,
        keys=keys,
        open_prefixes=("/static/",),
        max_body_bytes=max_body_bytes,
    )
    return TestClient(guard, base_url=OWN, follow_redirects=False)


def _browser() -> tuple[TestClient, BrowserAccess]:
    """A browser that came by the printed address."""
    access = BrowserAccess(cookie=f"restwright-{PORT}")
    client = _client(access)
    entered = client.get("/", params={"token": access.token})
    assert entered.status_code == 303
    return client, access


def test_a_printed_address_becomes_a_cookie_and_an_address_without_a_token() -> None:
    access = BrowserAccess(cookie="restwright-1")
    client = _client(access)
    answer = client.get("/page", params={"token": access.token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/page")
    cookie = answer.headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict"} <= set(cookie.split("; "))
    assert client.get("/page").text == "GET 0"


def test_an_address_that_was_stolen_after_its_use_is_worth_nothing() -> None:
    told: list[str] = []
    access = BrowserAccess(cookie="c", on_new_token=told.append)
    token = access.token
    assert _client(access).get("/", params={"token": token}).status_code == 303
    thief = _client(access)
    assert thief.get("/", params={"token": token}).status_code == 401
    assert thief.get("/").status_code == 401
    assert told == [access.token]
    assert told != [token]
    assert _client(access).get("/", params={"token": told[0]}).status_code == 303


def test_a_token_does_not_lead_to_another_host() -> None:
    access = BrowserAccess(cookie="c")
    answer = _client(access).get(f"{OWN}//evil.test/x", params={"token": access.token})
    assert answer.headers["location"] == "/evil.test/x"


@pytest.mark.parametrize("cookie", ["", "guessed", "\u00e9", "=;=", "c" * 10_000])
def test_a_guessed_cookie_lets_nobody_in(cookie: str) -> None:
    header = f"restwright-{PORT}={cookie}".encode()
    headers = [(b"cookie", header)]
    assert _client(BrowserAccess(cookie=f"restwright-{PORT}")).get(
        "/", headers=headers
    ).status_code == (401)


@pytest.mark.parametrize("other", ['a={"x":1}', "a", "a/b=1", 'a="', "a=\u00e9"])
def test_cookies_of_other_servers_on_this_machine_lock_nobody_out(other: str) -> None:
    """Cookies know no ports, so that those of other local servers come along."""
    client, access = _browser()
    own = f"{access.cookie}={client.cookies[access.cookie]}"
    client.cookies.clear()
    for cookies in (f"{other}; {own}", f"{own}; {other}"):
        headers = [(b"cookie", cookies.encode())]
        assert client.get("/", headers=headers).status_code == 200, cookies


@pytest.mark.parametrize(
    "host", ["evil.test", f"evil.test:{PORT}", "127.0.0.1", "127.0.0.1:80", "localhost.evil.test"]
)
def test_a_name_that_was_bound_to_this_machine_again_is_refused(host: str) -> None:
    """DNS rebinding: a page's own name leads here, and the browser sends that name as the host."""
    client, _ = _browser()
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 403
    assert "GET" not in answer.text


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_each_name_of_this_machine_is_let_in(name: str) -> None:
    client, _ = _browser()
    assert client.get("/", headers={"host": f"{name}:{PORT}"}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize(
    "origin",
    [None, "null", "https://evil.test", "http://127.0.0.1:9999", f"https://127.0.0.1:{PORT}"],
)
def test_a_page_of_another_origin_cannot_change_something(method: str, origin: str | None) -> None:
    client, _ = _browser()
    headers = {} if origin is None else {"origin": origin}
    assert client.request(method, "/", headers=headers).status_code == 403
    assert client.request(method, "/", headers={"origin": OWN}).status_code == 200


def test_a_page_of_another_origin_cannot_read_either() -> None:
    client, _ = _browser()
    assert client.get("/", headers={"origin": "https://evil.test"}).status_code == 403


def test_a_key_lets_programs_in_without_an_origin_but_no_page_of_another() -> None:
    client = _client(keys=(KEY,))
    bearer = {"authorization": f"Bearer {KEY}"}
    assert client.post("/", headers=bearer).status_code == 200
    assert client.post("/", headers={**bearer, "origin": "https://evil.test"}).status_code == 403


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", f"Basic {KEY}", f"Bearer {KEY}x", KEY])
def test_another_key_is_refused_and_the_answer_says_what_is_wanted(value: str) -> None:
    answer = _client(keys=(KEY, "")).get("/", headers={"authorization": value})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_server_without_keys_and_browsers_lets_nobody_in() -> None:
    assert _client().get("/", headers={"authorization": "Bearer "}).status_code == 401


def test_every_answer_keeps_scripts_frames_and_caches_of_others_out() -> None:
    client, access = _browser()
    for answer in (client.get("/"), client.get("/missing"), _client(access).get("/")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_a_stylesheet_is_read_without_a_secret_and_not_under_another_name() -> None:
    client = _client(BrowserAccess(cookie="c"))
    assert client.get("/static/x.css").status_code == 200
    assert client.get("/static/x.css", headers={"host": "evil.test"}).status_code == 403
    assert client.post("/static/x.css", headers={"origin": OWN}).status_code == 401


def test_a_body_that_is_too_large_is_refused_whether_or_not_it_says_so() -> None:
    client, _ = _browser()
    headers = {"origin": OWN}
    assert client.post("/", content=b"x" * 101, headers=headers).status_code == 413
    pieces = (b"x" * 60 for _ in range(3))
    assert client.post("/", content=pieces, headers=headers).status_code == 413
    assert client.post("/", content=b"x" * 100, headers=headers).text == "POST 100"


def test_the_oldest_browser_goes_first() -> None:
    first, access = _browser()
    for _ in range(MAX_BROWSERS):
        access.redeem(access.token)
    assert first.get("/").status_code == 401


def test_a_websocket_is_refused() -> None:
    from starlette.websockets import WebSocketDisconnect

    client, _ = _browser()
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass
