"""A secret shows itself to nobody, in no form."""

from __future__ import annotations

import base64
import json
import pickle
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.net.message import Request
from restwright.net.secret import Secret, cookie_without, url_without, without

CANARY = "canary/4f2a+9c71=ü"
SECRET = Secret(CANARY)


def test_a_secret_shows_three_stars() -> None:
    assert f"{SECRET} {SECRET!r} {[SECRET]} {SECRET:>5}".count("***") == 4
    assert SECRET.reveal() == CANARY


def test_a_secret_is_equal_to_the_same_secret_alone() -> None:
    assert Secret(CANARY) == SECRET
    assert SECRET != CANARY
    assert Secret("other") != SECRET
    assert not Secret("")


def test_a_secret_cannot_be_pickled() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(SECRET)


@pytest.mark.parametrize(
    "form",
    [
        CANARY,
        quote(CANARY, safe=""),
        quote(CANARY),
        quote_plus(CANARY),
        quote(CANARY, safe="").lower(),
        json.dumps(CANARY)[1:-1],
        base64.b64encode(CANARY.encode()).decode(),
        base64.urlsafe_b64encode(CANARY.encode()).decode(),
    ],
)
def test_every_form_is_masked(form: str) -> None:
    assert without(f"<{form}>", [SECRET]).startswith("<***")


@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "alice"])
def test_a_password_is_masked_inside_basic_credentials(user: str) -> None:
    blob = base64.b64encode(f"{user}:{CANARY}".encode()).decode()
    shown = without(f"Basic {blob}", [SECRET])
    assert "***" in shown
    assert len(shown) < len(blob) - len(CANARY) + 10


@given(st.text(min_size=6, max_size=40), st.binary(max_size=9), st.binary(max_size=9))
def test_base64_of_any_text_around_a_secret_is_masked(
    text: str, before: bytes, after: bytes
) -> None:
    try:
        octets = text.encode()
    except UnicodeEncodeError:
        return
    encoded = base64.b64encode(before + octets + after).decode()
    assert "***" in without(encoded, [Secret(text)])


def test_a_short_secret_is_masked_where_it_is_a_whole_value() -> None:
    short = Secret("k1")
    assert url_without("http://h/k1?key=k1&a=k12", [short]) == "http://h/k1?key=***&a=k12"
    assert cookie_without("a=k12; key=k1", [short]) == "a=k12; key=***"
    assert without("k1 stays", [short]) == "k1 stays"


def test_the_repr_of_a_request_masks_its_url() -> None:
    request = Request(
        method="GET", url=f"http://h/?key={quote(CANARY, safe='')}", secrets=(SECRET,)
    )
    assert repr(request) == "Request(GET http://h/?key=***)"
