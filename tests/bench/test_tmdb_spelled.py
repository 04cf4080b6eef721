"""What counts as an answer where words alone do not tell: counts, choices, yes and no."""

from __future__ import annotations

import pytest

from restwright_bench.queries.checker import is_answered
from restwright_bench.queries.tmdb.reach import others
from restwright_bench.queries.tmdb.spelled import (
    agreed,
    chosen,
    counted,
    linked,
    numbered,
    placed,
    retold,
)

FILMS = counted(4, "movies", "films", after=("directed",))
OLDER = chosen(
    ("Ada Rivera", "Rivera"),
    ("Bo Lund", "Lund"),
    better=("is older", "was born first"),
    worse=("is younger",),
    evidence=("1961-02-03",),
    beside=("Lund",),
)
YES = agreed(is_so=True, said=("is in",), denied=("not in", "is not"))
NO = agreed(is_so=False, said=("is in",), denied=("not in", "is not"))


@pytest.mark.parametrize(
    "text",
    [
        "4",
        "Four.",
        "She directed 4 movies.",
        "There are four films by her: 1. One, 2. Two, 3. Three, 4. Four",
    ],
)
def test_a_count_is_told_in_digits_or_words(text):
    assert is_answered(FILMS, text)


@pytest.mark.parametrize(
    "text", ["", "7", "She directed 7 movies, 4 of them long ago.", "Seven films, 4 in colour."]
)
def test_another_count_of_the_same_is_wrong(text):
    assert not is_answered(FILMS, text)


def test_a_count_is_not_taken_for_a_part_of_itself():
    assert is_answered(counted(24, "episodes"), "It has twenty-four episodes.")
    assert not is_answered(counted(4, "episodes"), "It has 24 episodes.")


@pytest.mark.parametrize(
    ("number", "word"), [(0, "zero"), (19, "nineteen"), (20, "twenty"), (47, "forty seven")]
)
def test_a_number_is_spelled_out(number, word):
    assert numbered(number) == (str(number), word)


@pytest.mark.parametrize(
    "text",
    [
        "Ada Rivera",
        "Rivera.",
        "Ada Rivera is older than Bo Lund.",
        "Bo Lund was born in 1970, and Ada Rivera on February 3, 1961.",
    ],
)
def test_a_choice_is_named_alone_or_with_what_tells(text):
    assert is_answered(OLDER, text)


@pytest.mark.parametrize(
    "text",
    [
        "Bo Lund",
        "Bo Lund is older than Ada Rivera.",
        "Ada Rivera is younger (1961-02-03).",
        "I cannot say who it is, Ada Rivera or Bo Lund.",
    ],
)
def test_naming_both_is_no_choice(text):
    assert not is_answered(OLDER, text)


@pytest.mark.parametrize("text", ["Yes.", "Yes, it is.", "It is in the list, at place 3."])
def test_yes_is_said(text):
    assert is_answered(YES, text)
    assert not is_answered(NO, text)


@pytest.mark.parametrize("text", ["No.", "No, it's absent.", "It is not in the list."])
def test_no_is_said(text):
    assert is_answered(NO, text)
    assert not is_answered(YES, text)


@pytest.mark.parametrize("text", ["", "I do not know.", "No information.", "I was unable to tell."])
def test_not_knowing_is_neither_yes_nor_no(text):
    assert not is_answered(YES, text)
    assert not is_answered(NO, text)


def test_a_place_is_told_by_its_town_alone():
    assert placed("Tartu, Estonia") == ("Tartu, Estonia", "Tartu")


def test_an_address_is_told_without_what_browsers_leave_out():
    assert linked("https://www.kite.example/1")[-1] == "kite.example/1"


def test_of_a_story_there_remains_who_and_from_where():
    assert retold("A beekeeper from Tartu runs for mayor as the harbour burns.") == [
        ("beekeeper",),
        ("Tartu",),
    ]


def test_what_is_part_of_a_right_name_is_not_wrong():
    assert others(["Glass Ferry", "Iron Ferry"], ["The Glass Ferry"]) == ("Iron Ferry",)
