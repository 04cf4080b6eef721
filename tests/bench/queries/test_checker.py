"""What counts as saying something."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from restwright_bench.queries.checker import is_answered, is_changed, normalised
from restwright_bench.queries.query import Answered, Changed

DATES = (
    *("2026-01-15", "15 January 2026", "January 15, 2026", "January 15th, 2026", "Jan. 15, 2026"),
    *("the 15th of January, 2026", "15 Jan 2026", "2026/01/15", "15.01.2026", "01/15/2026"),
    *("15/01/2026", "2026-01-15T20:30:00Z", "**January 15, 2026**", "January the 15th of 2026"),
)


def says(text: str, *facts: str) -> bool:
    return is_answered(Answered(all_of=tuple((each,) for each in facts)), text)


@pytest.mark.parametrize("written", DATES)
def test_a_date_may_be_written_in_many_ways(written):
    assert says(f"It came out on {written}.", "2026-01-15")


@pytest.mark.parametrize("written", ["2026-01-16", "January 2026", "15 Jan 2025", "12026-01-15"])
def test_another_date_is_another(written):
    assert not says(f"It came out on {written}.", "2026-01-15")


def test_a_date_that_may_be_two_is_left_as_it_is():
    assert normalised("03/04/2026") == "03/04/2026"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("She was born in Malmö.", "Malmo"),
        ("Amélie Poulain", "AMELIE POULAIN"),
        ("It earned $2,923,706,026.", "2923706026"),
        ("rated 7.50 of 10", "7.5"),
        ("rated 8.0", "8"),
        ("There are three seasons.", "3"),
        ("3 seasons", "three"),
        ("\u201cSchindler\u2019s List\u201d it is", "Schindler's List"),
        ("Spider-Man and others", "Spider Man"),
        ("Rock & Roll", "rock and roll"),
        ("The director (Greta Gerwig) said so", "Greta Gerwig"),
        ("It is `Dune: Part Two`!", "Dune: Part Two"),
        ("It is _Dune_.", "Dune"),
        ("See /aB_c9.jpg.", "/aB_c9.jpg"),
        ("See https://image.example/t/p/w500/aB_c9.jpg", "/aB_c9.jpg"),
        ("see /x.jpg of the_film", "the film"),
        ("spotify:track:4uLU6hMCjMI75M1A2tKUQC", "spotify:track:4uLU6hMCjMI75M1A2tKUQC"),
    ],
)
def test_the_same_thing_is_recognised_in_another_spelling(text, fact):
    assert says(text, fact)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("It has 123 pages", "12"),
        ("It has 12.5 points", "12"),
        ("rated 7.5", "7.55"),
        ("The Matrixes", "The Matrix"),
        ("See /abc.jpg/more", "/abc.jpg"),
        ("one of them", "1"),
        ("", "x"),
        ("anything", ""),
    ],
)
def test_something_that_only_looks_like_it_is_not(text, fact):
    assert not says(text, fact)


def test_each_of_all_and_one_of_any_is_needed_and_none_of_the_others():
    expected = Answered(all_of=(("a1", "b1"), ("c1",)), any_of=(("x1",), ("y1",)), none_of=("z1",))
    assert is_answered(expected, "b1 c1 y1")
    assert not is_answered(expected, "b1 y1")
    assert not is_answered(expected, "a1 c1")
    assert not is_answered(expected, "a1 c1 x1 z1")


def test_one_of_several_ways_must_hold_whole():
    ways = (Answered(all_of=(("a1",), ("b1",))), Answered(all_of=(("c1",),)))
    expected = Answered(all_of=(("x1",),), one_of=ways)
    assert is_answered(expected, "x1 c1")
    assert not is_answered(expected, "x1 a1")
    assert not is_answered(expected, "c1")


def test_a_state_that_did_not_change_meets_nothing():
    expected = Changed(is_met=lambda _before, _after: True, what="anything")
    assert not is_changed(expected, {"a": 1}, {"a": 1})
    assert is_changed(expected, {"a": 1}, {"a": 2})


WORDS = st.text(st.characters(categories=["L", "N", "P", "Z", "S"]), max_size=40)


@given(WORDS)
@example("/;_")
def test_what_is_normalised_stays_so(text):
    assert normalised(normalised(text)) == normalised(text)


@given(st.lists(st.text("abcdefghijkl", min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_fact_is_found_in_any_sentence_around_it(words):
    fact = " ".join(words)
    assert says(f'I found it: "{fact.title()}", as asked.', fact)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_number_is_found_only_in_itself(number, other):
    assert says(f"It is {number:,}.", str(number))
    assert says(f"It is {other}.", str(number)) == (number == other)


@given(st.dates())
def test_a_date_in_words_is_the_date(date):
    if date.year >= 1000:
        assert says(f"On {date:%B} {date.day}, {date.year} it was", date.isoformat())
        assert says(f"On {date.day} {date:%b} {date.year} it was", date.isoformat())
