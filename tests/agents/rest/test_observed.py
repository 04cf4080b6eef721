"""The shape of a response as it is, with what its document says of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from restwright.agents.rest.observed import observed
from restwright.jsontypes import Json
from restwright.tools.text.type_summary import summarize_type

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
DATE = {"type": "string", "format": "date-time"}
FILM = {"type": "object", "properties": {"at": DATE, "gone": {"type": "string"}}}


def told(schema: Json, body: Json) -> str:
    return summarize_type(observed(schema, body))


def test_only_what_a_response_has_is_told_with_the_documented_type() -> None:
    assert told(FILM, {"at": "2026-01-01T00:00:00Z", "more": 1}) == "{at: datetime, more: int}"


def test_references_and_parts_are_followed() -> None:
    schema = {"$ref": "#/$defs/it", "$defs": {"it": {"allOf": [{"type": "object"}, FILM]}}}
    assert told(schema, {"at": "x"}) == "{at: datetime}"


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"$ref": "#/$defs/it", "$defs": {"it": {"$ref": "#/$defs/it"}}}
    assert told(schema, {"a": [1]}) == "{a: [int]}"


def test_texts_that_a_list_repeats_are_told_as_they_stand() -> None:
    crew = [{"job": "Director"}, {"job": "Writer"}, {"job": "Writer"}]
    assert told({}, crew) == "[{job: 'Director'|'Writer'}]"


def test_many_texts_and_names_are_not_told() -> None:
    assert told({}, [{"job": f"j{n}"} for n in range(9)]) == "[{job: str}]"
    assert told({}, [{"name": "Ana"}] * 4) == "[{name: str}]"
    assert told({}, [{"job": "long " * 9}] * 4) == "[{job: str}]"


def test_what_is_null_in_some_items_says_so() -> None:
    assert told({}, [{"score": 4.5}, {"score": None}]) == "[{score: number?}]"


@given(JSON, JSON)
def test_every_response_has_a_shape(schema: Json, body: Json) -> None:
    assert told(schema, body)


def test_a_response_of_lists_in_lists_needs_no_deep_stack() -> None:
    body: Json = "leaf"
    for _ in range(198):
        body = [body]
    assert frames_down(300, body).startswith("[[[[")


def frames_down(frames: int, body: Json) -> str:
    return frames_down(frames - 1, body) if frames else told({}, body)
