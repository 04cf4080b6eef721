"""Whether a text has a value, and how numbers are spelled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from restwright.agents.rest.provenance import (
    find_derived,
    find_named,
    find_numbers,
    find_source,
    is_in_text,
    normalize_text,
)

NUMBERS = st.integers(0, 2**53) | st.floats(0, 1e9, allow_nan=False).map(lambda one: round(one, 3))


def test_what_is_quoted_is_told_from_apostrophes() -> None:
    assert find_named("the crew of 'Blue Tern' and of “O'Brien's”") == ["O'Brien's", "Blue Tern"]
    assert find_named("the ships' names and the captain's dogs' names aren't known") == []


def test_every_digit_of_a_number_counts() -> None:
    said = normalize_text("delete the order 10012344")
    assert is_in_text(10012344, said)
    assert not is_in_text(10012341, said)
    assert find_numbers(said) == [10012344]


def test_what_is_said_to_be_true_may_be_something_else() -> None:
    said = normalize_text("set paid to true")
    assert find_source({"admin": True}, {}, said=said, found=frozenset()) == "derived"
    assert find_derived({"paid": True}, said=said, found=frozenset()) is None
    assert find_derived({"paid": False}, said=said, found=frozenset()) == {"paid": False}


@given(number=NUMBERS, other=NUMBERS)
def test_a_number_stands_in_a_text_that_says_it_and_no_other(number: float, other: float) -> None:
    said = normalize_text(f"it is {number} m")
    if "e" not in str(number):
        assert is_in_text(number, said)
    if number != other:
        assert not is_in_text(other, normalize_text(f"it is {number:.0f} m")) or other == round(
            number
        )


def test_a_number_may_follow_a_word_that_no_space_ends() -> None:
    said = normalize_text("長さが452.38より大きく、幅は40以下")
    assert find_numbers(said) == [40, 452.38]
    assert is_in_text(452.38, said)
    assert not is_in_text(38, said)
    assert find_numbers("A4 s-1 länge7") == []


def test_a_time_of_a_request_has_the_numbers_of_one_that_is_said() -> None:
    said = find_numbers("from 2035-05-01 08:30 UTC")
    assert said == find_numbers("2035-05-01T08:30Z") == [1, 5, 8, 30, 2035]


def test_a_number_beyond_all_bounds_is_none() -> None:
    assert find_numbers("9" * 400) == []


@given(st.text("0123456789 .,+-/'", max_size=30))
def test_the_numbers_of_a_text_stand_in_it(text: str) -> None:
    said = normalize_text(text)
    assert all(is_in_text(number, said) for number in find_numbers(said))


def test_a_telephone_number_is_what_it_says() -> None:
    said = normalize_text("my number is +1 555 0199")
    assert is_in_text("+1 555 0199", said)
    assert all(is_in_text(number, said) for number in find_numbers(said))
