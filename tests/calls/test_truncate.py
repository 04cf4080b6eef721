"""JSON in few characters."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.json_lists import value_at_pointer
from restwright.calls.truncate import compact_json, excerpt_json, shorten_json, shorten_line
from restwright.jsontypes import Json, is_array, is_object

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@settings(max_examples=examples(80))
@given(JSON, st.integers(64, 400))
def test_shortened_value_is_json_within_its_bound(value: object, room: int) -> None:
    text = shorten_json(value, room)
    assert len(text) <= room
    json.loads(text)


def assert_kept(short: Json, whole: Json) -> None:
    """Everything in `short` is in `whole`, but for the marks of what was left out."""
    if isinstance(short, str) and short != whole:
        text = whole if isinstance(whole, str) else compact_json(whole)
        assert short == "..." or text.startswith(short.rpartition("... (")[0])
    elif is_array(short):
        marked = len(short) < len(whole) or short != whole
        for one, other in zip(short[:-1] if marked else short, whole, strict=False):
            assert_kept(one, other)
    elif is_object(short):
        own = [name for name in short if name in whole]
        assert len(own) == len(short) == len(whole) or len(own) == len(short) - 1 < len(whole)
        for name in own:
            assert_kept(short[name], whole[name])
    else:
        assert compact_json(short) == compact_json(whole)


@settings(max_examples=examples(200))
@given(JSON, st.integers(64, 400), st.sampled_from([shorten_json, excerpt_json]))
def test_every_value_that_is_kept_is_the_original(value, room, function) -> None:
    text = function(value, room)
    assert len(text) <= room
    short = json.loads(text)
    if short != value:
        assert_kept(short, value)


@settings(max_examples=examples(60))
@given(st.lists(st.integers() | st.text(max_size=30), max_size=60), st.integers(300, 500))
def test_paging_on_gives_every_item_once(items: list[Json], room: int) -> None:
    value, found, start = {"a/b": items, "n": 1}, [], 0
    while True:
        page = json.loads(excerpt_json(value, room, pointer="/a~1b", start=start))
        if not (page and is_object(page[-1])):
            break
        more = page.pop()["more"]
        assert (more["pointer"], more["from"], more["of"]) == (
            "/a~1b",
            start + len(page),
            len(items),
        )
        found += page
        start = more["from"]
    assert found + page == items


def test_a_handle_names_the_list_that_was_cut() -> None:
    value = {"shop": {"items": [{"id": number} for number in range(512)]}, "total": 512}
    text = excerpt_json(value, 120)
    assert json.loads(text) == {
        "shop": {
            "items": [
                *({"id": number} for number in range(3)),
                {"more": {"pointer": "/shop/items", "from": 3, "of": 512}},
            ]
        },
        "total": 512,
    }
    assert excerpt_json(value, 64, pointer="/shop/items", start=511) == '[{"id":511}]'


@pytest.mark.parametrize("pointer", ["a", "/b", "/a/1", "/a/x", "/a/0/1", "/a/-1", "/a/9" * 9])
def test_a_pointer_that_leads_nowhere_is_an_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        value_at_pointer({"a": [7]}, pointer)


def test_ids_and_names_are_kept_before_other_properties() -> None:
    value = {**{f"field_{n}": "x" * 30 for n in range(20)}, "id": 7, "name": "Teal teapot"}
    short = json.loads(shorten_json(value, 150))
    assert (short["id"], short["name"]) == (7, "Teal teapot")


def test_what_the_schema_requires_is_kept_before_the_rest() -> None:
    value = {**{f"field_{n}": "x" * 30 for n in range(20)}, "price": 12.5}
    schema = {
        "type": "array",
        "items": {"$ref": "#/$defs/Item"},
        "$defs": {"Item": {"allOf": [{"required": ["price"]}]}},
    }
    assert "price" not in json.loads(shorten_json([value], 150))[0]
    assert json.loads(shorten_json([value], 150, schema=schema))[0]["price"] == 12.5


def test_a_date_is_whole_or_left_out() -> None:
    value = {"at": "2026-11-21T08:00:00.000000+00:00", "text": "word " * 400}
    for room in range(64, 130):
        assert json.loads(shorten_json(value, room)).get("at", "...") in (value["at"], "...")


def test_a_long_text_is_cut_between_words_and_never_in_a_mask() -> None:
    text = "sent 2026-11-21T08:00:00Z with Bearer *** to the shop, " * 20
    for room in range(64, 400):
        kept = json.loads(shorten_json(text, room)).rpartition("... (")[0]
        assert kept == "" or text[len(kept)].isspace() or kept[-1].isspace()


def test_an_object_with_a_property_named_as_the_mark_keeps_it() -> None:
    value = {"...": 1, **{f"key{number}": number for number in range(100)}}
    short = json.loads(shorten_json(value, 80))
    assert (short["..."], "...." in short) == (1, True)


@settings(max_examples=examples(50))
@given(JSON)
def test_value_that_fits_is_whole(value: object) -> None:
    assert json.loads(shorten_json(value, 100_000)) == value


def test_array_keeps_its_first_items_whole_and_counts_the_rest() -> None:
    items = [{"id": number, "name": f"item {number}"} for number in range(60)]
    assert shorten_json(items, 80) == (
        '[{"id":0,"name":"item 0"},{"id":1,"name":"item 1"},"... 58 more items"]'
    )


def test_object_keeps_small_properties_and_cuts_the_large_one() -> None:
    value = {"items": [{"id": number} for number in range(1000)], "total": 1000, "next": None}
    assert shorten_json(value, 90) == (
        '{"items":[{"id":0},{"id":1},{"id":2},"... 997 more items"],"total":1000,"next":null}'
    )


def test_object_with_too_many_properties_counts_what_it_leaves_out() -> None:
    value = {f"key{number}": number for number in range(100)}
    assert shorten_json(value, 64) == (
        '{"key0":0,"key1":1,"key2":2,"...":"... 97 more properties"}'
    )


def test_long_text_is_cut_with_a_count() -> None:
    assert shorten_json("x" * 1000, 64) == f'"{"x" * 24}... (976 more characters)"'


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x"])
def test_value_that_json_has_no_form_for_is_text(value: object) -> None:
    assert isinstance(json.loads(compact_json(value)), str)


def test_one_line_collapses_white_space() -> None:
    assert shorten_line(" a\n\n b\t" + "c" * 20, 12) == "a b ccccc..."
