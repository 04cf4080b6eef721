"""Origins of URLs, and URLs that are never asked."""

from __future__ import annotations

import pytest

from restwright.errors import RefusedRequest
from restwright.net.policy.origins import Origin, parse_origin


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://h/a", Origin("http", "h", 80)),
        ("https://H.example:443", Origin("https", "h.example", 443)),
        ("HTTP://h:8080/?q#f", Origin("http", "h", 8080)),
        ("http://[::1]:81/", Origin("http", "::1", 81)),
        ("http://h:/", Origin("http", "h", 80)),
    ],
)
def test_origin_is_scheme_host_and_port(url: str, origin: Origin) -> None:
    assert parse_origin(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "ftp://h/",
        "file:///etc/passwd",
        "//h/",
        "/path",
        "",
        "http://",
        "http:///path",
        "http://user@h/",
        "http://user:pass@h/",
        "http://h:99999/",
        "http://h:x/",
        "http://h\\@evil/",
        "http://h /",
        "http://h/\r\nX: 1",
        "http://h/\x00",
        "http://é/",
        "http://h%2eevil/",
        "http://[::1/",
    ],
)
def test_url_that_parsers_read_differently_is_refused(url: str) -> None:
    with pytest.raises(RefusedRequest):
        parse_origin(url)


def test_refusal_shows_no_password_and_no_query() -> None:
    with pytest.raises(RefusedRequest) as refusal:
        parse_origin("http://me:hunter2@h/x?key=secret99")
    assert str(refusal.value) == (
        "not sent to http://***@h/x: the URL has a user name or password in it"
    )


def test_authority_leaves_out_the_default_port() -> None:
    authorities = [
        Origin("https", "h", 443).authority,
        Origin("http", "h", 443).authority,
        Origin("http", "::1", 80).authority,
    ]
    assert authorities == ["h", "h:443", "[::1]"]
