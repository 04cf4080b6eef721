"""What a task says of some items of a response, told by code."""

from __future__ import annotations

import pytest

from restwright.agents.roles.observed import items_with, said_values
from restwright.typing import Json

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
    ],
)
def test_a_task_speaks_of_values_that_some_items_have(
    task: str, said: list[tuple[str, str]]
) -> None:
    assert sorted(said_values(CREW, task)) == said


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
