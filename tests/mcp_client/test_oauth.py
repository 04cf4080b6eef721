"""Logging in where a server wants it: by a browser, with PKCE, at who says that it is who it is."""

from __future__ import annotations

import pytest
from tests.support.mcp_client.login_server import TOKEN, BrowserLogin, login_server

import restwright as rw
from restwright.errors import NoToken, ServerUnavailable
from restwright.mcp_client.oauth import check_page
from restwright.mcp_client.settings import ServerLimits
from restwright.policy import ALLOW

LIMITS = ServerLimits(start_s=120.0)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("RESTWRIGHT_CACHE", "on")


def test_who_logs_in_once_is_known_the_next_time():
    with login_server() as server:
        login = BrowserLogin()
        for _ in range(2):
            with rw.mcp(server.url, name="notes", login=login, limits=LIMITS) as notes:
                tool = notes.catalog["notes__read_note"]
                assert rw.call(tool, {}, policy=ALLOW).value == "read"
        [page] = login.visited
        assert "code_challenge_method=S256" in page
        tokens = [given for path, given in server.asked if path == "/token"]
        assert [given["resource"] for given in tokens] == [server.url]
        assert "code_verifier" in tokens[0]


def test_nobody_who_logs_in_is_no_way_in():
    with login_server() as server:
        with pytest.raises(ServerUnavailable) as caught:
            rw.mcp(server.url, name="notes", limits=LIMITS)
        assert "/token" not in server.paths()
        assert TOKEN not in str(caught.value)


def test_a_code_of_somebody_else_is_not_redeemed():
    with login_server(issuer="https://evil.example") as server:
        with pytest.raises(ServerUnavailable):
            rw.mcp(server.url, name="notes", login=BrowserLogin(), limits=LIMITS)
        assert "/token" not in server.paths()


def test_who_does_not_check_challenges_is_not_logged_in_at():
    with login_server(methods=["plain"]) as server:
        login = BrowserLogin()
        with pytest.raises(ServerUnavailable, match="S256"):
            rw.mcp(server.url, name="notes", login=login, limits=LIMITS)
        assert login.visited == []


@pytest.mark.parametrize(
    "url",
    ["http://login.example/", "javascript:alert(1)", "file:///etc/passwd", "https://a\u202e.b"],
)
def test_a_browser_opens_pages_of_https_alone(url):
    with pytest.raises(NoToken):
        check_page(url)
