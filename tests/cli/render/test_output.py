"""JSON for people, and texts that must not say too much."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.cli.render.output import (
    counted,
    printable,
    to_json,
    to_readable_json,
    without_passwords,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=30,
)


@given(JSON, st.integers(min_value=1, max_value=60))
def test_readable_json_is_the_same_value(value, width):
    assert json.loads(to_readable_json(value, width=width)) == value


def test_what_fits_a_line_stands_on_one():
    value = {"type": ["string", "null"], "enum": ["north", "south", "east", "west"]}
    assert to_readable_json(value, width=46) == (
        '{\n  "type": ["string", "null"],\n  "enum": ["north", "south", "east", "west"]\n}'
    )
    assert to_readable_json(value, width=28).splitlines() == [
        "{",
        '  "type": ["string", "null"],',
        '  "enum": [',
        '    "north", "south",',
        '    "east", "west"',
        "  ]",
        "}",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://u:p@h/x", "http://***@h/x"),
        ("'HTTPS://u@h' and http://h/x", "'HTTPS://***@h' and http://h/x"),
        ("http:/u:p/q@h", "http:/***@h"),
        ("/paths/~1applications~1@me: is odd", "/paths/~1applications~1@me: is odd"),
    ],
)
def test_what_stands_before_the_host_of_a_url_is_masked(text, shown):
    assert without_passwords(text) == shown


def test_counted():
    assert [counted(0, "read"), counted(1, "read"), counted(1223, "read")] == [
        *("0 reads", "1 read", "1,223 reads"),
    ]


@given(
    st.text(st.sampled_from("a\u202e\u200b\x9b\x7f\U000e0041\U0001f600\u2028\ufeffé\n"), max_size=9)
)
def test_what_is_printed_of_json_is_the_same_json(text):
    shown = printable(to_json({"a": text}))
    assert json.loads(shown) == {"a": text}
    assert not set("\u202e\u200b\x9b\U000e0041\u2028\ufeff") & set(shown)


def test_control_characters_are_written_as_escapes():
    assert printable("a\x1b[2J\r\u202eb") == "a\\x1b[2J\\r\\u202eb"
