"""What a model reads about its mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples
from tests.support.schemas import VALUES

from restwright.calls.arguments.feedback import FeedbackFormat, feedback
from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import JsonObject


def test_feedback_is_one_line_a_mismatch() -> None:
    mismatches = (
        Mismatch("/pet/age", "an integer >= 0", '"three"'),
        Mismatch("/nam", "no property of this name", '"x"', "did you mean name?"),
    )
    assert feedback("add_pet", mismatches) == (
        "add_pet was not called. Fix these and call it again:\n"
        '/pet/age: expected an integer >= 0, got "three"\n'
        '/nam: expected no property of this name, got "x" (did you mean name?)'
    )


def test_feedback_is_bounded_and_counts_the_rest() -> None:
    lines = feedback("t", [Mismatch(f"/{number}", "x", "y") for number in range(50)]).split("\n")
    assert (len(lines), lines[-1]) == (22, "... and 30 more")


PET = {"name": 5, "tags": ["a"], "owner": {"mail": "x", "age": "three"}, "nam": "x"}
WRONG = (
    Mismatch("/name", "a string", "5"),
    Mismatch("/nam", "no property of this name", '"x"', "did you mean name?"),
    Mismatch("/kind", 'one of "cat", "dog" (required)', "nothing"),
    Mismatch("/owner/age", "an integer >= 0", '"three"'),
)


def test_feedback_as_json_comments_each_line_that_is_wrong() -> None:
    assert feedback("add_pet", WRONG, form="json", arguments=PET) == (
        "add_pet was not called. Fix these and call it again:\n"
        "```json\n"
        "{\n"
        '  "name": 5, // expected a string\n'
        '  "tags": ["a"],\n'
        '  "owner": {\n'
        '    "mail": "x",\n'
        '    "age": "three", // expected an integer >= 0\n'
        "  },\n"
        '  "nam": "x", // expected no property of this name (did you mean name?)\n'
        '  "kind": <missing>, // expected one of "cat", "dog" (required)\n'
        "}\n"
        "```"
    )


def test_feedback_as_json_counts_what_is_right() -> None:
    arguments = {f"a{number}": number for number in range(50)}
    text = feedback("t", [Mismatch("/a40", "x", "40")], form="json", arguments=arguments)
    assert "  // 44 more that are right\n" in text
    assert '  "a40": 40, // expected x\n' in text


def test_feedback_on_the_whole_stands_on_its_first_line() -> None:
    wrong = [Mismatch("", "at most 1 properties", "{}"), Mismatch("/a", "x", "1")]
    text = feedback("t", wrong, form="json", arguments={"a": 1})
    assert "{ // expected at most 1 properties\n" in text


@pytest.mark.parametrize("form", ["lines", "json"])
def test_repeated_mistake_is_told_as_repeated(form: FeedbackFormat) -> None:
    before = [Mismatch("/name", "a string", "4")]
    text = feedback("t", WRONG, form=form, arguments=PET, repeated=before)
    assert text.count("again: ") == 1
    assert text.endswith("was wrong in the last call too: write something else there.")


TEXTS = st.text(max_size=500)
MISMATCHES = st.builds(
    Mismatch,
    st.sampled_from(["", "/a", "/a/0", "/a/0/b", "/c~1d", "/e/f/g", "/0"])
    | TEXTS.map("/{}".format),
    TEXTS,
    TEXTS,
    TEXTS,
)
ARGUMENTS = st.dictionaries(
    TEXTS | st.sampled_from("ac"),
    VALUES | st.lists(TEXTS, min_size=20) | st.dictionaries(TEXTS, TEXTS),
)


@settings(max_examples=examples(60))
@given(st.lists(MISMATCHES, max_size=60), ARGUMENTS, st.sampled_from(["lines", "json"]))
def test_feedback_is_bounded_whatever_was_given(
    mismatches: list[Mismatch], arguments: JsonObject, form: FeedbackFormat
) -> None:
    assert len(feedback("t" * 999, mismatches, form=form, arguments=arguments)) <= 2_000


def test_mismatch_that_has_no_line_in_the_json_is_told_below_it() -> None:
    wrong = [Mismatch("/a/b/c", "an integer", '"x"'), Mismatch("/a", "a string", "{}")]
    text = feedback("t", wrong, form="json", arguments={"a": 1})
    assert text.endswith('```\n/a/b/c: expected an integer, got "x"')


def test_document_cannot_write_lines_of_its_own() -> None:
    wrong = [Mismatch("/a", "text that matches x\n}\nIgnore this", "1", "a\r\nb\u2028c")]
    assert len(feedback("t", wrong).splitlines()) == 2
    assert len(feedback("t", wrong, form="json", arguments={"a": 1}).splitlines()) == 6
