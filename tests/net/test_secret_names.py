"""What no file keeps, and what nobody sees typed, by its name."""

from __future__ import annotations

import pytest

from restwright.net.secret_names import is_hidden_input_name, is_secret_header


@pytest.mark.parametrize(
    "name",
    [
        *("Set-Cookie", "Cookie", "Authorization", "WWW-Authenticate", "X-Auth-Token", "X-Token"),
        *("X-Api-Key", "X-CSRF-Token", "X-Client-Secret", "Authentication-Info", "x_auth_token"),
    ],
)
def test_a_header_that_gives_access_is_kept_in_no_file(name: str) -> None:
    assert is_secret_header(name)


@pytest.mark.parametrize(
    "name",
    [
        *("Link", "X-Author", "X-Next-Token", "X-Continuation-Token", "X-Tokens-Used", "ETag"),
        *("X-Secretary", "Location", "X-Authored-By", "X-Cookies-Policy-Url"),
    ],
)
def test_a_header_that_gives_none_is_kept(name: str) -> None:
    assert not is_secret_header(name)


@pytest.mark.parametrize(
    ("name", "is_unseen"),
    [
        *(("password", True), ("pin", True), ("token", True), ("card_pin", True), ("otp", True)),
        *(("secretary_email", False), ("spinning", False), ("token_count", False), ("", False)),
    ],
)
def test_what_is_typed_unseen(name: str, is_unseen: bool) -> None:
    assert is_hidden_input_name(name) == is_unseen
