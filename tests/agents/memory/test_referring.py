"""What is a thing in a response, and what is only said of it."""

from __future__ import annotations

import time

import pytest

from restwright.agents.memory.memory import Finding, Memory
from restwright.agents.memory.referring import things_in
from restwright.agents.roles.answer import facts_so_far
from restwright.jsontypes import Json


@pytest.mark.parametrize("key", ["paid", "bid", "grid", "valid"])
def test_a_word_that_ends_as_an_id_does_is_none(key: str) -> None:
    assert things_in({key: 30, "state": "open"}, None) == []
    finding = Finding(asked="the bill", tool="bill", value={key: 30, "userId": 4})
    assert facts_so_far(Memory(findings=(finding,)), with_ids=False).endswith(f'{{"{key}":30}}')


@pytest.mark.parametrize("key", ["id", "uuid", "user_id", "userId", "userID", "ID"])
def test_what_is_called_an_id_is_one(key: str) -> None:
    value: Json = {key: 30, "state": "open"}
    assert things_in(value, None) == [value]


def test_the_things_of_many_names_are_found_in_one_reading() -> None:
    things: list[Json] = [{"id": number, "name": f"Book {number}"} for number in range(5_000)]
    names: list[Json] = [f"Book {number}" for number in range(5_000)]
    begun = time.process_time()
    assert things_in(names, {"books": things}) == things
    assert time.process_time() - begun < 20


def test_what_is_called_so_comes_before_what_only_says_so() -> None:
    films: list[Json] = [{"id": 1, "title": "South", "like": "North"}, {"id": 2, "title": "North"}]
    assert things_in("North", films) == films[1:]


def test_a_change_that_later_steps_speak_of_is_told_as_done() -> None:
    made: Json = {"id": 1, "name": "Summer"}
    finding = Finding(asked="make it", tool="make", value=made, is_write=True, is_on_the_way=True)
    assert facts_so_far(Memory(findings=(finding,))).startswith("- make it (done): ")
