"""What counts as an answer where words alone do not tell: counts, choices, yes and no."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from restwright_bench.queries.checker import is_answered
from restwright_bench.queries.tmdb import oracles
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
from restwright_bench.tmdb.make import make
from restwright_bench.tmdb.tables import TmdbState

AVATARS = ("Avatar", "Avatar: The Way of Water")
DIRECTORS = ("Akira Kurosawa", "Steven Spielberg")

FILMS = counted(4, "movies", "films", after=("directed",))
OLDER = chosen(
    ("Ada Rivera", "Rivera"),
    ("Bo Lund", "Lund"),
    better=("is older", "was born first"),
    worse=("is younger",),
    than=("older than",),
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
        "Bo Lund, of 1970, is much older than Ada Rivera, of 1961-02-03.",
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


make_once = cache(make)
CHOICES = {each.index: each for each in oracles() if each.index in {78, 92, 97}}
# In some of these worlds the one is the right choice, in some the other.
SEEDS = range(5)


def said(index: int, state: TmdbState) -> Mapping[str, str]:
    """Names and values of a choice in one world: the winner, the other, and what tells."""
    if index == 78:
        pair = sorted(map(state.movie, AVATARS), key=lambda each: -each.vote_average)
        return {"w": pair[0].title, "l": pair[1].title, "x": str(pair[0].vote_average)}
    if index == 92:
        counts = {each: len(state.movies_directed_by(state.person(each))) for each in DIRECTORS}
        high, low = sorted(counts, key=lambda each: -counts[each])
        return {"w": high, "l": low, "x": str(counts[high])}
    pair = (state.director_of(state.movie("Barbie")), state.lead_of(state.series("Death Note")))
    old, young = sorted(pair, key=lambda each: each.birthday)
    years = int(young.birthday[:4]) - int(old.birthday[:4])
    return {"w": old.name, "l": young.name, "x": str(years)}


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (78, "{w}"),
        (78, "{w} has a higher rating than {l}."),
        (78, "{l} is at 1.234 and {w} at {x}."),
        (92, "{w}"),
        (92, "{w} directed more movies than {l}."),
        (92, "{l} directed fewer movies than {w}, who made {x}."),
        (97, "{w} is older than {l} by {x} years."),
        (97, "{w} is {x} years older."),
        (97, "{l} is younger; {w} is {x} years older."),
    ],
)
def test_a_choice_is_told_in_ordinary_words(index, text):
    for state in map(make_once, SEEDS):
        expected = CHOICES[index].expected(state)
        assert is_answered(expected, text.format(**said(index, state)))


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (78, "{l}"),
        (78, "{l} has a higher rating than {w}."),
        (92, "{l}"),
        (92, "{l} directed more movies than {w}."),
        (97, "{l} is older than {w} by {x} years."),
        (97, "{l} is {x} years older."),
        (97, "{w} is older by 90 years."),
        (97, "{w} is older."),
    ],
)
def test_the_other_choice_is_wrong(index, text):
    for state in map(make_once, SEEDS):
        expected = CHOICES[index].expected(state)
        assert not is_answered(expected, text.format(**said(index, state)))
