"""What a task asks for out of a response: by code, or by the fields of one thing."""

from __future__ import annotations

import time

import pytest
from tests.support.parsing import code, parsed

from restwright.jsontypes import Json

CAST = [{"name": f"Actor {n}", "job": "Actor"} for n in range(9)]
FILM: Json = {"id": 88, "title": "North Star", "cast": CAST}


@pytest.mark.parametrize("odd", [2**70, "half \ud800 of a pair"])
def test_code_runs_over_what_few_can_write(odd: Json) -> None:
    value, _ = parsed("how many", [{"it": odd}], code("len(data)"))
    assert value == 1


def test_a_field_whose_name_is_a_text_is_not_shown() -> None:
    body = {"k" * 200_000: 1, "pages": 2}
    value, asked = parsed("the pages", body, '{"fields": ["pages"]}')
    assert value == {"pages": 2}
    assert len(asked[0]) < 1_000


def test_many_texts_are_put_back_into_their_own_letters_at_once() -> None:
    items: Json = [{"name": f"Film {n}", "kind": "Short"} for n in range(4_000)]
    started = time.perf_counter()
    value, _ = parsed(
        "the names", items, code("[each['name'] for each in data if each['kind'] == 'short']")
    )
    assert value == [each["name"] for each in items]
    assert time.perf_counter() - started < 10


def test_fields_of_one_thing_are_named() -> None:
    value, asked = parsed("its title", FILM | {"cast": []}, '{"fields": ["title"]}')
    assert value == {"title": "North Star"}
    assert "- title: North Star" in asked[0] or '- title: "North Star"' in asked[0]


def test_a_long_field_is_worked_on_by_code() -> None:
    replies = ['{"fields": ["cast"]}', code("data['cast'][2]['name']")]
    body = FILM | {"year": 2010, "country": {"name": "Peru"}}
    value, _ = parsed("the third of the cast", body, *replies)
    assert value in ("Actor 2", {"cast": CAST})


def test_the_parts_of_one_thing_are_named_where_code_finds_nothing() -> None:
    replies = [*[code("[]")] * 3, '{"fields": ["cast.name"]}']
    value, _ = parsed("its prizes", {"id": 88, "cast": CAST}, *replies)
    assert value == {"cast.name": [each["name"] for each in CAST]}


def test_code_that_compares_with_what_the_call_was_made_for_is_told_so() -> None:
    again = code("[each for each in data if 'north star' in each['job'].lower()]")
    value, asked = parsed(
        "the actors", CAST, again, code("data"), made="get_cast(film_id='88a' (North Star))"
    )
    assert value == CAST
    assert "all of data belongs to North Star already" in asked[1]


def test_what_orjson_does_not_write_is_read_all_the_same() -> None:
    body: Json = [{"film": {"id": 2**70, "title": "North"}}]
    assert parsed("the title", body, "def parse(data):\n    return data[0]['title']")[0] == "North"


def test_a_response_of_lists_in_lists_is_parsed_far_down_in_a_program() -> None:
    body: Json = "leaf"
    for _ in range(198):
        body = [body]
    broken = [code("data.leaf")] * 3
    assert frames_down(300, body, *broken, '{"found": true, "value": "leaf"}') == "leaf"
    assert frames_down(300, body, code("data")) == body


def frames_down(frames: int, body: Json, *replies: str) -> Json:
    return frames_down(frames - 1, body, *replies) if frames else parsed("it", body, *replies)[0]
