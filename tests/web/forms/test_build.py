"""What a form shows of arguments, it gives back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.jsontypes import Json, JsonObject
from restwright.web.forms.build import MAX_FIELDS, FormBuilder, can_show
from restwright.web.forms.draft import ABSENT, settle_draft
from restwright.web.forms.fields import Field, list_controls
from restwright.web.forms.reading import FormAction, FormReader
from restwright.web.forms.start import make_start

CARD = {
    "title": "Card",
    "type": "object",
    "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
    "required": ["kind", "number"],
}
CASH = {
    "title": "Cash",
    "type": "object",
    "properties": {"kind": {"const": "cash"}},
    "required": ["kind"],
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": ["string", "null"], "examples": ["Ada"]},
        "age": {"type": "integer", "minimum": 0, "default": 7},
        "tags": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "pay": {"oneOf": [CARD, CASH]},
        "maybe": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "tree": {"$ref": "#/$defs/Tree"},
        "point": {
            "allOf": [
                {"type": "object", "properties": {"x": {"type": "number"}}},
                {"properties": {"y": {"type": "number"}}, "required": ["y"]},
            ]
        },
        "size": {"enum": ["s", "m", 3, None]},
        "free": {},
        "photo": {"type": "string", "format": "binary"},
    },
    "required": ["age"],
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
        }
    },
}


def _field(name: str, draft: Json = None) -> Field:
    found = FormBuilder(SCHEMA).build({} if draft is None else draft).find(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"name": None},
        {"name": ""},
        {"name": "two\nlines"},
        {"age": 3},
        {"age": "three"},
        {"tags": []},
        {"tags": ["a", ""]},
        {"tags": "no list"},
        {"counts": {"a": 1}},
        {"counts": {}},
        {"pay": {"kind": "card", "number": "42"}},
        {"pay": {"kind": "gold"}},
        {"maybe": None},
        {"maybe": False},
        {"tree": {"label": "1", "children": [{"label": "2"}]}},
        {"point": {"x": 1.5, "y": 2}},
        {"size": None},
        {"size": 3},
        {"size": "unknown"},
        {"free": {"any": ["thing"]}},
        {"photo": "data:text/plain;base64,YQ=="},
        {"other": 1},
    ],
    ids=str,
)
def test_a_form_gives_back_what_it_shows(value: JsonObject) -> None:
    assert can_show(SCHEMA, value)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.none() | st.text(max_size=5),
            "age": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
            "tags": st.lists(st.text(max_size=3), max_size=3),
            "counts": st.dictionaries(st.text(min_size=1, max_size=3), st.integers(), max_size=3),
            "pay": st.sampled_from([{"kind": "cash"}, {"kind": "card", "number": "1"}, {}]),
            "free": st.recursive(st.booleans() | st.integers(), st.lists),
        },
    )
)
def test_no_value_is_altered_by_a_form(value: JsonObject) -> None:
    controls = list_controls(FormBuilder(SCHEMA).build(value))
    back = settle_draft(FormReader(schema=SCHEMA, form=controls).read())
    # A browser ends lines in its own way, which is undone for texts.
    assert back == value or "\r\n" in str(value) or not can_show(SCHEMA, value)


def test_each_part_of_a_schema_has_the_control_that_it_needs() -> None:
    form = FormBuilder(SCHEMA).build({})
    assert {field.label: field.kind for field in form.fields} == {
        "age": "number",
        "name": "text",
        "tags": "array",
        "counts": "map",
        "pay": "branches",
        "maybe": "options",
        "tree": "object",
        "point": "object",
        "size": "options",
        "free": "any",
        "photo": "file",
    }
    assert form.fields[0].is_required  # what must be there stands first


def test_null_and_empty_are_told_from_what_is_left_out() -> None:
    assert _field("/name").has_states
    assert _field("/name", {"name": None}).state == "null"
    assert _field("/name", {"name": ""}).state == "empty"
    assert not _field("/age").has_states
    form = {"/name": "", "/name#as": "", "/tags#as": "empty"}
    assert settle_draft(FormReader(schema=SCHEMA, form=form).read()) == {"tags": []}


def test_recursion_ends_with_json() -> None:
    rows = _field("/tree/children", {"tree": {"children": [{"label": "x"}]}})
    assert [row.kind for row in rows.fields] == ["json"]


def test_rows_are_added_and_removed_and_the_others_stay() -> None:
    form = {"/tags#rows": "2", "/tags/0": "a", "/tags/1": "b", "/age": "1"}
    added = FormReader(schema=SCHEMA, form=form, action=FormAction(name="add", at="/tags")).read()
    assert added == {"age": 1, "tags": ["a", "b", ABSENT]}
    remove = FormAction(name="remove", at="/tags", row=0)
    assert FormReader(schema=SCHEMA, form=form, action=remove).read()["tags"] == ["b"]


def test_a_chosen_branch_stays_before_anything_is_written_in_it() -> None:
    draft = FormReader(schema=SCHEMA, form={"/pay#choice": "0"}).read()
    shown = FormBuilder(SCHEMA).build(draft).find("/pay")
    assert shown is not None
    assert (shown.text, [option.label for option in shown.options]) == ("0", ["Card", "Cash"])
    assert [field.label for field in shown.fields[0].fields] == ["kind", "number"]


def test_a_map_keeps_a_row_whose_key_is_still_empty() -> None:
    form = {"/counts#rows": "1", "/counts#key:0": "", "/counts#value:0": "4"}
    draft = FormReader(schema=SCHEMA, form=form).read()
    assert settle_draft(draft) == {}
    assert len(_rows(draft)) == 1


def _rows(draft: Json) -> tuple[Field, ...]:
    found = FormBuilder(SCHEMA).build(draft).find("/counts")
    return found.fields if found else ()


def test_a_text_that_is_no_number_is_left_to_the_check() -> None:
    assert FormReader(schema=SCHEMA, form={"/age": "x"}).read() == {"age": "x"}
    assert FormReader(schema=SCHEMA, form={"/free#json": "{"}).read() == {"free": "{"}
    assert FormReader(schema=SCHEMA, form={"#json": "{"}).read() == "{"


def test_a_form_begins_with_what_must_be_given_and_offers_all_examples() -> None:
    assert make_start(SCHEMA) == {"age": 7}
    assert make_start(SCHEMA, fill=True) == {"age": 7, "name": "Ada"}
    assert _field("/name").placeholder == "such as Ada"


def test_a_huge_schema_ends_with_json_fields() -> None:
    part: JsonObject = {"type": "string"}
    for _ in range(3):
        part = {"type": "object", "properties": {f"p{n}": part for n in range(12)}}
    form = FormBuilder({"type": "object", "properties": {"all": part}}).build({})
    assert sum(1 for _ in form.walk()) < MAX_FIELDS * 2
    assert any(field.kind == "json" for field in form.walk())
