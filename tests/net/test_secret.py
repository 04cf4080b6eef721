"""A secret shows itself to nobody, in no form."""

from __future__ import annotations

import base64
import json
import pickle
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.net.messages import Request
from restwright.net.secret import Secret, mask_cookie, mask_secrets, mask_url

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
        quote(CANARY, safe="")
        .replace("%2F", "%2f")
        .replace("%3D", "%3d")
        .replace("%C3%BC", "%c3%bc")
        .replace("%2B", "%2b"),
        quote(CANARY, safe="!'()*~"),
        quote(quote(CANARY, safe=""), safe=""),
        quote(quote(CANARY, safe=""), safe="").replace("%252F", "%252f").lower(),
        "".join(f"%{octet:02x}" for octet in CANARY.encode()),
        "".join(f"%{octet:02X}" for octet in CANARY.encode()),
        CANARY.encode().hex(),
        CANARY.encode().hex().upper(),
        json.dumps(CANARY)[1:-1].replace("/", "\\/"),
        CANARY.replace("ü", "\\u00FC"),
        CANARY.replace("/", "\\/"),
        base64.b64encode(CANARY.encode()).decode(),
        base64.b64encode(CANARY.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(CANARY.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(CANARY.encode()).decode(),
    ],
)
def test_every_form_is_masked(form: str) -> None:
    assert mask_secrets(f"<{form}>", [SECRET]).startswith("<***")


def test_a_secret_is_masked_as_html_writes_it() -> None:
    secret = Secret("a<b>&\"c'd")
    for form in ("a&lt;b&gt;&amp;&quot;c&#x27;d", "a&lt;b&gt;&amp;\"c'd"):
        assert mask_secrets(form, [secret]) == "***"


@given(st.text(st.characters(codec="utf-8"), min_size=6, max_size=20), st.booleans())
def test_both_letter_cases_of_escapes_and_of_hexadecimal_are_masked(
    text: str, is_upper: bool
) -> None:
    octets = text.encode()
    for form in ("".join(f"%{each:02x}" for each in octets), octets.hex()):
        shown = mask_secrets(f"<{form.upper() if is_upper else form}>", [Secret(text)])
        assert shown == "<***>"


@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "alice"])
def test_a_password_is_masked_inside_basic_credentials(user: str) -> None:
    blob = base64.b64encode(f"{user}:{CANARY}".encode()).decode()
    shown = mask_secrets(f"Basic {blob}", [SECRET])
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
    assert "***" in mask_secrets(encoded, [Secret(text)])


def test_a_short_secret_is_masked_where_it_is_a_whole_value() -> None:
    short = Secret("k1")
    assert mask_url("http://h/k1?key=k1&a=k12", [short]) == "http://h/k1?key=***&a=k12"
    assert mask_cookie("a=k12; key=k1", [short]) == "a=k12; key=***"
    assert mask_secrets("k1 stays", [short]) == "k1 stays"


def test_the_repr_of_a_request_masks_its_url() -> None:
    request = Request(
        method="GET", url=f"http://h/?key={quote(CANARY, safe='')}", secrets=(SECRET,)
    )
    assert repr(request) == "Request(GET http://h/?key=***)"
