from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.tools.search.query import has_proper_name, parse_query
from restwright.tools.search.weights import DEFAULT_WEIGHTS

NAME, NUMBER = DEFAULT_WEIGHTS.name, DEFAULT_WEIGHTS.number


def weights(query: str) -> dict[str, float]:
    return dict(parse_query(query))


def test_names_within_a_sentence_count_less_than_what_is_asked() -> None:
    assert weights("Who painted the ceiling for Pope Julius?") == {
        "Who": 1.0,
        "painted": 1.0,
        "the": 1.0,
        "ceiling": 1.0,
        "for": 1.0,
        "Pope": NAME,
        "Julius": NAME,
    }


@pytest.mark.parametrize("marks", ['""', "''", "\u201c\u201d", "\u00ab\u00bb"])
def test_what_is_quoted_is_a_name(marks: str) -> None:
    found = weights(f"delete the board {marks[0]}my old things{marks[1]}")

    assert found["my old things"] == NAME
    assert found["board"] == 1.0


def test_small_words_within_a_name_belong_to_it() -> None:
    found = weights("find the Bridge of the Sighs")

    assert (found["Bridge"], found["of"], found["Sighs"]) == (NAME, NAME, NAME)


def test_a_name_that_begins_the_query_is_one_when_it_comes_again() -> None:
    assert weights("Acme or Acme Labs: which one is cheaper")["Acme"] == NAME


def test_numbers_and_ordinals_count_less() -> None:
    assert weights("show the second page of 30 rows")["second"] == NUMBER
    assert weights("show the second page of 30 rows")["30"] == NUMBER


def test_acronyms_are_words() -> None:
    assert weights("list every VM and its IP")["VM"] == 1.0


@pytest.mark.parametrize("query", ["SHOUTED WORDS EVERYWHERE HERE", "Zeige Alle Neuen Rechnungen"])
def test_where_all_are_capitals_they_tell_nothing(query: str) -> None:
    assert set(weights(query).values()) == {1.0}


def test_a_query_of_a_name_alone_is_searched_as_it_is() -> None:
    assert parse_query('"Twilight"') == [('"Twilight"', 1.0)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [("who sang Yesterday", True), ('open "notes"', True), ("pause the player", False)],
)
def test_whether_something_is_named_is_told(query: str, expected: bool) -> None:
    assert has_proper_name(query) is expected


@given(st.text(max_size=80))
def test_any_text_can_be_asked(query: str) -> None:
    assert all(weight > 0 for _, weight in parse_query(query))
