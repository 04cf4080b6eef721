"""Values put into the texts of manifests."""

from __future__ import annotations

from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.manifests.text.placeholders import (
    encode_url_text,
    encode_url_value,
    fill_prompt,
    fill_template,
    find_field_accesses,
    find_prompt_field_accesses,
    placeholder_names,
    sole_placeholder,
)

ATTACK = "Hello {user.__class__.__init__.__globals__[os].environ} {0.__class__} {user!r:>{w}} %(x)s"


def test_a_list_shows_as_python_writes_it() -> None:
    message = "Success. The invitation was sent to {recipients}"
    told = fill_template(message, {"recipients": ["tim@apple.com"]})
    assert told == "Success. The invitation was sent to ['tim@apple.com']"


def test_double_braces_are_braces() -> None:
    assert fill_template("{{ 'link': '{url}' }}", {"url": "u"}) == "{ 'link': 'u' }"


def test_what_is_put_in_is_not_looked_at_again() -> None:
    assert fill_template("{a} {b}", {"a": "{b}{{", "b": "x"}) == "{b}{{ x"
    assert fill_prompt("{memory} {now}", {"memory": "{now}", "now": "N"}) == "{now} N"


def test_what_is_missing_is_empty_and_other_braces_stay() -> None:
    assert fill_template("[{a}] {} {a b} {0}", {}) == "[] {} {a b} {0}"


def test_a_template_never_reaches_into_a_value() -> None:
    filled = fill_template(ATTACK, {"user": "u", "os": "o", "w": 9})
    assert "environ" in filled
    assert "posix" not in filled
    assert filled.startswith("Hello {user.__class__.__init__.__globals__[os].environ}")
    assert find_field_accesses(ATTACK)[:2] == (
        "{user.__class__.__init__.__globals__[os].environ}",
        "{0.__class__}",
    )
    assert find_prompt_field_accesses('{"a": 1} {user.name}') == ("{user.name}",)


def test_a_prompt_replaces_a_name_where_it_stands_first() -> None:
    assert fill_prompt("{now} {now} {x}", {"now": r"\1\d"}) == r"\1\d {now} {x}"


def test_words_are_put_in_one_after_another() -> None:
    words = islice(cycle(("a", "b")), 3)
    assert fill_prompt("{random} {random} {random}", {"random": words}) == "a b a"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a b/c?d&e=f#g", "a%20b%2Fc%3Fd%26e%3Df%23g"),
        (True, "true"),
        (2.5, "2.5"),
        (["a", 1], "%5B%22a%22%2C1%5D"),
        ("東京", "%E6%9D%B1%E4%BA%AC"),
        ("\r\nX: y", "%0D%0AX%3A%20y"),
    ],
)
def test_a_value_in_a_url_is_percent_encoded(value: object, written: str) -> None:
    assert encode_url_value(value) == written


def test_what_a_manifest_writes_of_a_url_keeps_its_escapes() -> None:
    assert encode_url_text("https://a.test/é x?q=%20") == "https://a.test/%C3%A9%20x?q=%20"


def test_names_are_read_once_each() -> None:
    assert placeholder_names("{a}{{b}}{c}{a}") == ("a", "c")
    assert sole_placeholder("{a}") == "a"
    assert sole_placeholder("{a} ") is None


@given(st.text(), st.text())
def test_any_value_comes_out_as_it_went_in(before: str, value: str) -> None:
    plain = before.replace("{", "").replace("}", "")
    assert fill_template(f"{plain}{{x}}", {"x": value}) == f"{plain}{value}"
    assert fill_prompt(f"{plain}{{now}}", {"now": value}) == f"{plain}{value}"
