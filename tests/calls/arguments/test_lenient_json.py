"""JSON as models write it: what is read, what is told about it, and how long it may take."""

from __future__ import annotations

import json
from contextlib import suppress
from math import isnan
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.arguments.check import check_value, parse_arguments, parse_model_arguments
from restwright.calls.arguments.lenient_json import (
    MAX_CHARS,
    parse_lenient_object,
    parse_lenient_value,
)
from restwright.errors import UnreadableArguments
from restwright.jsontypes import Json

NAMES = st.text()
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(200))
@given(st.dictionaries(NAMES, VALUES, max_size=4), st.sampled_from([None, 2]))
def test_strict_json_is_read_without_any_leniency(value: Json, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    reading = parse_lenient_object(text)
    assert reading is not None
    assert (reading.value, reading.notes, reading.others) == (value, (), ())


WORDS = st.text("abz019 _-é😀\n", max_size=8)
PYTHON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(100))
@given(st.dictionaries(WORDS, PYTHON, max_size=3))
def test_literals_of_python_are_read(value: Json) -> None:
    assert parse_model_arguments(repr(value)).value == value


@settings(max_examples=examples(200))
@given(st.text("{}[]:,\"'`\\/*#ntf1 \nundefined"))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UnreadableArguments):
        assert isinstance(parse_model_arguments(text).value, dict)


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        ("{'a': 'it\\'s'}", {"a": "it's"}, "' quotes were read as double ones"),
        ("{a: 1}", {"a": 1}, "names were put in quotes"),
        ('{"a": 1,}', {"a": 1}, "commas too many were left out"),
        ('{"a": [1, 2,],}', {"a": [1, 2]}, "commas too many were left out"),
        ('{"a": 1 /* one */, // two\n "b": 2}', {"a": 1, "b": 2}, "comments were left out"),
        ('{"a": 1, # one\n "b": 2}', {"a": 1, "b": 2}, "comments were left out"),
        ('{"a": True, "b": [None]}', {"a": True, "b": [None]}, "True was read as a literal"),
        ('{"a": 1, "b": undefined}', {"a": 1}, "what is undefined was left out"),
        ('{"a": [1, {"b": "x', {"a": [1, {"b": "x"}]}, "the end was missing"),
        ('{"a": tru', {"a": True}, "the end was missing"),
        ('{"a": "x"\n "b": 2}', {"a": "x", "b": 2}, "missing commas were added"),
        ('{"status": sold}', {"status": "sold"}, "text was put in quotes"),
        ('```json\n{"a": 1}\n```', {"a": 1}, "a fence was taken off"),
        ('Sure: {"a": 1}', {"a": 1}, "the text around was left out"),
        ('{"a": 1} I hope that helps', {"a": 1}, "the text around was left out"),
        ('Fill {id} with {"id": 5}', {"id": 5}, "the text around was left out"),
        ('{"a": "he said "hi" twice"}', {"a": 'he said "hi" twice'}, "it was put right"),
    ],
)
def test_leniency_is_told(text: str, value: Json, note: str) -> None:
    reading = parse_model_arguments(text)
    assert reading.value == value
    assert note in reading.notes


@pytest.mark.parametrize("word", ["0x10", "12abc", "1_000", "007", "1.2.3", ".5"])
def test_word_that_is_no_number_stays_text(word: str) -> None:
    assert parse_model_arguments(f"{{a: {word}}}").value == {"a": word}


def test_nan_is_read_and_then_a_mismatch() -> None:
    value = parse_model_arguments('{"a": NaN, "b": True}').value
    assert isnan(value["a"])
    assert [each.expected for each in check_value(True, value)] == ["a finite number"]


def test_string_that_holds_the_object_is_read() -> None:
    assert parse_arguments('"{\\"a\\": 1}"') == {"a": 1}


def test_of_several_objects_the_first_is_used_and_the_others_are_told() -> None:
    reading = parse_model_arguments('{"a": 1}\n{"b": 2} {"a": 1}')
    assert (reading.value, reading.others) == ({"a": 1}, ({"b": 2},))


def test_empty_object_before_the_arguments_is_skipped() -> None:
    reading = parse_model_arguments('{}{"a": 1}')
    assert (reading.value, reading.others) == ({"a": 1}, ())


def test_several_objects_are_no_arguments() -> None:
    with pytest.raises(UnreadableArguments) as caught:
        parse_arguments('{"a": 1} {"b": 2}')
    assert caught.value.why == "it holds 2 different objects"


def test_part_of_an_unclear_object_is_never_the_arguments() -> None:
    try:
        value = parse_model_arguments('{"a": "say "x", y" , "b": {"c": 1}}').value
    except UnreadableArguments:
        return
    assert value != {"c": 1}


def test_name_that_is_given_twice_in_lenient_text_is_not_guessed_by_us() -> None:
    with pytest.raises(ValueError, match="no value"):
        parse_lenient_value("{a: 1, a: 2}")


@pytest.mark.parametrize("text", ["[1, 2] and more", "[1, 2", "(1, 2)", "x", "{'a': 1", "3"])
def test_stringified_value_must_be_whole(text: str) -> None:
    with pytest.raises(ValueError, match=r"no (whole )?value|neither"):
        parse_lenient_value(text)


@pytest.mark.parametrize("text", ['{"a": [1]}}', '{"a": [1]', '{"a": {"b": [1]}', '[{"a": 1}'])
def test_brackets_at_the_end_of_a_stringified_value_are_counted_for_it(text: str) -> None:
    assert "[1]" in str(parse_lenient_value(text)) or parse_lenient_value(text) == [{"a": 1}]


def test_stringified_value_may_be_python() -> None:
    assert parse_lenient_value("[{'a': True}, None]") == [{"a": True}, None]


_N = MAX_CHARS - 20
HOSTILE = {
    "open braces": "{" * _N,
    "open brackets": '{"a":' + "[" * _N,
    "quotes": '{"a":' + '"' * _N,
    "nested objects": '{"a":' * (_N // 5),
    "words": "{" + "a " * (_N // 2),
    "commas": "{" + "," * _N,
    "single quotes": "{'" * (_N // 2),
    "backslashes": '{"a":"' + "\\" * _N,
    "no commas": '{"a":1' * (_N // 6),
    "comments": "{" + "/*" * (_N // 2),
    "stars": "{/*" + "*" * _N,
    "hashes": "{" + "#\n" * (_N // 2),
    "objects": "{'a':1}" * (_N // 7),
    "digits": "{a:" + "1" * _N,
    "spaces": "{a:" + " " * _N,
    "placeholders": "{a}" * (_N // 3),
    "short single quotes": "{'" * 700,
    "short quotes": '{"' * 700,
    "short strings": '{"a":"b' + ' "b' * 450,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_in_bounded_time(text: str) -> None:
    began = perf_counter()
    with suppress(UnreadableArguments):
        parse_model_arguments(text)
    assert perf_counter() - began < 20


def test_text_that_is_too_long_is_refused() -> None:
    assert parse_lenient_object("{" + " " * MAX_CHARS + "}") is None


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        (r'{"a": "C:\path", }', r"C:\path", "a backslash that escapes nothing was kept"),
        (r'{"a": "^\d{3}\.\w+$"}', r"^\d{3}\.\w+$", "a backslash that escapes nothing was kept"),
        (r'{"a": "\u12"}', r"\u12", "a backslash that escapes nothing was kept"),
        ('{"a": "x\ny\tz"}', "x\ny\tz", "line breaks and tabs in text were read as they are"),
        ('{"a": """x "y"\nz"""}', 'x "y"\nz', "three quotes were read as one"),
        ("{'a': '''it's'''}", "it's", "three quotes were read as one"),
        ('{"a": """x', "x", "the end was missing"),
        ("{\u201ca\u201d: \u201cx\u201d}", "x", "\u201c quotes were read as double ones"),
    ],
)
def test_text_that_json_would_write_otherwise_keeps_what_it_says(
    text: str, value: str, note: str
) -> None:
    found = parse_lenient_object(text)
    assert found is not None
    assert found.value == {"a": value}
    assert note in found.notes


def test_what_python_and_javascript_escape_is_no_backslash() -> None:
    found = parse_lenient_object(r"""{'a': 'it\'s \"x\" \/ \_ \\d \` \u0041\uD83D\uDE00'}""")
    assert found is not None
    assert found.value == {"a": 'it\'s "x" / _ \\d ` A\U0001f600'}
