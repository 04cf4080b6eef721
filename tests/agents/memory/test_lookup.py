"""What a task says of the things whose ids it needs."""

from __future__ import annotations

import pytest

from restwright.agents.memory.lookup import is_plainly, is_related, unsaid


@pytest.mark.parametrize(
    ("wanted", "name", "is_so"),
    [
        ("the film North Star", "North Star", True),
        ("north star", "North Star", True),
        ("my playlist Evening", "Evening", True),
        ("the latest film of North Star", "North Star", False),
        ("the film North Star from 2010", "North Star", False),
        ("the film North Star by Ana", "North Star", False),
        ("the Northern film", "North", False),
        ("the film", "", False),
        ("a (very) odd name", "odd name", True),
    ],
)
def test_a_name_is_plainly_meant_where_nothing_else_is_said(
    wanted: str, name: str, is_so: bool
) -> None:
    assert is_plainly(wanted, name) is is_so


@pytest.mark.parametrize(
    ("wanted", "is_so"),
    [
        ("the director of North Star", True),
        ("Ana Ruiz's latest film", True),
        ("the actor who played in North Star", True),
        ("Game of Thrones", False),
        ("the film North Star", False),
        ("the most popular film", False),
    ],
)
def test_a_thing_may_be_described_by_the_name_of_another_one(wanted: str, is_so: bool) -> None:
    assert is_related(wanted) is is_so


def test_a_name_that_a_response_does_not_have_is_unsaid() -> None:
    assert unsaid("the phone of Ana Ruiz", '{"name": "Tom Reed"}') == "Ana Ruiz"
    assert unsaid("the phone of Ana Ruiz", '{"name": "RUIZ, A."}') == ""
    assert unsaid("the French films", "{'language': 'fr'}") == ""


def test_where_all_nouns_have_a_capital_letter_it_makes_no_name() -> None:
    assert unsaid("die Anzahl Filme", "[{'title': 'North'}]") == "Anzahl Filme"
    assert unsaid("die Anzahl Filme", "[{'title': 'North'}]", language="German") == ""
