"""What a task says of some items of a response, told by code."""

from __future__ import annotations

import pytest

from restwright.agents.roles.said import (
    denies,
    is_denied,
    items_with,
    keys_for,
    only_with,
    said_values,
    without,
)
from restwright.jsontypes import Json

CREW: Json = {
    "id": 7,
    "cast": [{"name": "Ana", "part": "a director"}],
    "crew": [
        {"name": "Ben", "job": "Director", "genre": "drama"},
        {"name": "Cleo", "job": "Writer", "genre": "drama"},
    ],
}


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("the director of this film", [("job", "Director")]),
        ("who directed this film", [("job", "Director")]),
        ("the writers and the director", [("job", "Director"), ("job", "Writer")]),
        # All items have it, so it tells none of them apart.
        ("the drama", []),
        # A name says which thing it is, not of which kind.
        ("the film of Cleo", []),
        ("the cast of this film", []),
        ("who writes this film", [("job", "Writer")]),
        # Words that only begin alike, and names.
        ("the direction of this film", []),
        ("the director's letters, written at last", [("job", "Director"), ("job", "Writer")]),
        ("the cast of The Red Director", []),
        ("the cast of 'Director'", []),
    ],
)
def test_a_task_speaks_of_values_that_some_items_have(
    task: str, said: list[tuple[str, str]]
) -> None:
    assert sorted(said_values(CREW, task)) == said


@pytest.mark.parametrize(
    ("value", "task"),
    [
        ("Short", "the shortest film"),
        ("short", "films shorter than an hour"),
        ("shipped", "the order with the highest shipping cost"),
        ("open", "the opening hours"),
        ("public", "the books published last year"),
        ("Producer", "the production companies"),
        ("closed", "close all my lists"),
        ("open", "open all my lists"),
        ("Producer", "the executive producer"),
    ],
)
def test_a_word_that_only_begins_alike_is_another_one(value: str, task: str) -> None:
    items: Json = [{"kind": value}, {"kind": "other"}, {"kind": "Executive Producer"}]
    assert list(said_values(items, task)) == []


@pytest.mark.parametrize(
    ("task", "denied", "at_end"),
    [
        ("my lists that are not shared", True, True),
        ("the lists that aren't shared yet?", True, True),
        ("the non-shared lists", True, False),
        ("all lists except the shared", True, True),
        ("the lists that are not shared with Ana", True, False),
        ("the shared lists that are not mine", False, False),
        ("the shared lists", False, False),
    ],
)
def test_a_task_leaves_out_what_has_a_value(task: str, denied: bool, at_end: bool) -> None:
    assert (is_denied(task, "shared"), is_denied(task, "shared", at_end=True)) == (denied, at_end)


def test_a_name_leaves_nothing_out() -> None:
    assert not denies("the director of the film No Country for Old Men")
    assert not denies("the director of 'not yet'")
    assert denies("which users aren't admins")


def test_a_key_is_no_other_form_of_a_word() -> None:
    films: Json = [{"uri": "film:7", "sku": "film-a"}, {"uri": "film:8", "sku": "film-b"}]
    assert list(said_values(films, "the films")) == []
    assert list(said_values(films, "which has film:7")) == []


def test_items_are_found_by_a_value_wherever_they_stand() -> None:
    assert items_with(CREW, "job", "Director") == [
        {"name": "Ben", "job": "Director", "genre": "drama"}
    ]
    assert items_with(CREW, "job", "Producer") == []
    assert items_with("text", "job", "Director") == []


def test_items_with_a_value_and_without_it_are_told_apart() -> None:
    lists: Json = {"lists": [{"kind": "a"}, {"kind": "b"}, {"kind": None}, {"id": 1}, "text"]}
    assert only_with(lists, "kind", "a") == {"lists": [{"kind": "a"}, {"id": 1}, "text"]}
    assert without(lists, "kind", "a") == {
        "lists": [{"kind": "b"}, {"kind": None}, {"id": 1}, "text"]
    }


def test_properties_beside_a_value_may_be_meant_by_the_same_word() -> None:
    orders: Json = [{"status": "paid", "paid_at": "x", "price": 1, "name": "Paid"}]
    assert keys_for(orders, "status", "paid") == ("paid_at",)
