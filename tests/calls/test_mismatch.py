"""What a mismatch says, and which ones are said."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import jsonschema_rs
import pytest
from hypothesis import given, settings
from tests.support.properties import examples
from tests.support.schemas import SCHEMAS, VALUES, bomb

from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.diagnose import MAX_VIOLATIONS
from restwright.calls.arguments.validator import validator_for
from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "x", "an integer"),
        ({"type": ["string", "null"]}, 3, "null or a string"),
        ({"type": "integer", "minimum": 1}, 0, "an integer >= 1"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "x", "an integer >= 1 <= 9"),
        ({"type": "number", "exclusiveMaximum": 2}, 2, "a number < 2"),
        ({"multipleOf": 5}, 3, "a multiple of 5"),
        ({"minLength": 2}, "", "at least 2 characters"),
        ({"maxItems": 1}, [1, 2], "at most 1 items"),
        ({"uniqueItems": True}, [1, 1], "items that are all different"),
        ({"pattern": "^a$"}, "b", "text that matches ^a$"),
        ({"format": "date"}, "b", "a date such as 2026-01-31"),
        ({"enum": ["a", 1, None]}, "b", 'one of "a", 1, null'),
        ({"const": {"a": 1}}, "b", '{"a":1}'),
        ({"not": {}}, "b", "a value that the schema does not exclude"),
        (False, "b", "no value here"),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"], "type": "object"}]},
            {"a": 1, "b": 2},
            "a value that fits exactly one of the alternatives",
        ),
    ],
)
def test_keyword_says_what_it_expects(schema: Json, value: Json, expected: str) -> None:
    [mismatch] = check_value(schema, value)
    assert mismatch.expected == expected


def closed(**properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def test_missing_property_is_named_by_its_own_pointer() -> None:
    schema = {
        "properties": {"pet": {"$ref": "#/$defs/Pet"}},
        "$defs": {
            "Pet": {"required": ["born/at"], "properties": {"born/at": {"$ref": "#/$defs/Day"}}},
            "Day": {"type": "string", "format": "date"},
        },
    }
    assert check_value(schema, {"pet": {}}) == (
        Mismatch("/pet/born~1at", "a date such as 2026-01-31 (required)", "nothing"),
    )


def test_unknown_property_is_answered_with_near_names() -> None:
    assert check_value(closed(price_max={}, limit={}), {"max_price": 5}) == (
        Mismatch("/max_price", "no property of this name", "5", "did you mean price_max?"),
    )


def test_unknown_property_without_near_names_is_answered_with_all_names() -> None:
    assert check_value(closed(a={}, b={}), {"query": "x"}) == (
        Mismatch("/query", "no property of this name", '"x"', "the names are a, b"),
    )


def test_long_list_of_values_is_bounded() -> None:
    [mismatch] = check_value({"enum": [f"value-{number}" for number in range(500)]}, "x")
    assert mismatch.expected.startswith('one of "value-0", "value-1"')
    assert mismatch.expected.endswith(" more")
    assert len(mismatch.expected) < 400


def test_got_is_cut_to_80_characters() -> None:
    [mismatch] = check_value({"type": "integer"}, "x" * 1000)
    assert mismatch.got == '"' + "x" * 76 + "..."


def test_every_mismatch_is_reported_outermost_first() -> None:
    schema = {
        "properties": {"a": {"properties": {"b": {"type": "integer"}}}, "c": {"type": "string"}},
        "required": ["d"],
    }
    pointers = [each.pointer for each in check_value(schema, {"a": {"b": "x"}, "c": 1})]
    assert sorted(pointers[:2]) == ["/c", "/d"]
    assert pointers[2:] == ["/a/b"]


def test_allowed_values_stand_for_the_type_too() -> None:
    schema = {"type": "string", "enum": ["a", "b"], "minLength": 1}
    assert check_value(schema, 3) == (Mismatch("", 'one of "a", "b"', "3"),)


def test_same_mismatch_of_two_schemas_is_said_once() -> None:
    part = {"properties": {"a": {"type": "integer"}}}
    assert check_value({"allOf": [part, part]}, {"a": "x"}) == (
        Mismatch("/a", "an integer", '"x"'),
    )


NULLABLE = {"anyOf": [{"type": "object", "required": ["id"]}, {"type": "null"}]}


def test_union_is_reported_by_its_best_branch() -> None:
    assert check_value({"properties": {"a": NULLABLE}}, {"a": {}}) == (
        Mismatch("/a/id", "a value (required)", "nothing"),
    )


def test_union_of_other_types_lists_its_types() -> None:
    assert check_value(NULLABLE, 3) == (Mismatch("", "an object or null", "3"),)


def kind(constant: str, **properties: Json) -> JsonObject:
    return {
        "properties": {"kind": {"const": constant}, **properties},
        "required": ["kind", *properties],
    }


PETS = {"oneOf": [kind("cat", lives={"type": "integer"}), kind("dog", tail={}, name={})]}


def test_union_is_reported_by_the_branch_whose_constant_fits() -> None:
    assert check_value(PETS, {"kind": "dog"}) == (
        Mismatch("/tail", "a value (required)", "nothing"),
        Mismatch("/name", "a value (required)", "nothing"),
    )


def test_union_with_an_unknown_constant_lists_the_constants() -> None:
    assert check_value(PETS, {"kind": "cow"}) == (
        Mismatch("/kind", 'one of "cat", "dog"', '"cow"'),
    )


def test_union_of_constants_lists_them() -> None:
    schema = {"oneOf": [{"const": "a"}, {"const": "b"}, {"enum": ["c", "d"]}]}
    assert check_value(schema, "x") == (Mismatch("", 'one of "a", "b", "c", "d"', '"x"'),)


def test_union_inside_a_union_is_followed() -> None:
    schema = {"anyOf": [{"anyOf": [{"required": ["a"], "type": "object"}]}, {"type": "null"}]}
    assert check_value(schema, {}) == (Mismatch("/a", "a value (required)", "nothing"),)


def without_overlaps(schema: Json) -> Json:
    """The schema that takes a value which several alternatives of a `oneOf` fit, as servers do."""
    if isinstance(schema, list):
        return [without_overlaps(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strictly = {"not", "if", "contains", "const", "enum"}
    kept = {
        key: schema[key] if key in strictly else without_overlaps(schema[key]) for key in schema
    }
    if "oneOf" in kept and not all(each in PRESENCE for each in kept["oneOf"]):
        kept["allOf"] = [*kept.get("allOf", ()), {"anyOf": kept.pop("oneOf")}]
    return kept


PRESENCE = [{"required": each} for each in ([], ["a"], ["b"], ["a", "b"], ["b", "a"])]


@settings(max_examples=examples(100))
@given(SCHEMAS, VALUES)
def test_value_has_mismatches_exactly_when_it_is_invalid(schema: Json, value: Json) -> None:
    whole = without_overlaps(schema)
    valid = jsonschema_rs.Draft202012Validator(whole, validate_formats=True).is_valid(value)
    assert (check_value(schema, value) == ()) == valid


@settings(max_examples=examples(200))
@given(SCHEMAS, VALUES)
def test_slow_check_says_what_the_fast_one_says(schema: Json, value: Json) -> None:
    found = validator_for(schema)
    strict = found.violation_finder().strict
    assert strict.fits(found.schema, value) == found.validator.is_valid(value)


OPEN = {"oneOf": [{"properties": {"a": {"type": "integer"}}, "type": "object"}, {"minimum": 3}]}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (OPEN, {"a": 1}, 2),
        ({"properties": {"x": OPEN}}, {"x": {"a": 1}}, {"x": 2}),
        ({"items": OPEN}, [{}] * 20, [{}, 2]),
        ({"oneOf": [OPEN, {"type": "object"}]}, {}, 2),
        ({"anyOf": [{"const": 5}, {"allOf": [OPEN]}]}, {"a": 1}, 2),
        ({"oneOf": [{"$ref": "#/$defs/A"}, True], "$defs": {"A": OPEN}, "minimum": 3}, {}, 2),
        ({"oneOf": [OPEN, True], "unevaluatedProperties": False}, {"a": 1}, {"b": 1}),
        ({"not": OPEN}, {"a": 1}, {"a": "x"}),
        ({"if": OPEN, "then": False}, {"a": 1}, {"a": "x"}),
        ({"contains": OPEN, "minContains": 0, "maxContains": 0}, [{"a": 1}], [{"a": "x"}]),
    ],
)
def test_a_value_that_fits_several_alternatives_fits(schema: Json, good: Json, bad: Json) -> None:
    assert check_value(schema, good) == ()
    assert check_value(schema, bad) != ()


def test_alternatives_that_exclude_each_other_still_do() -> None:
    either = {"oneOf": [{"required": ["mail"]}, {"required": ["phone"]}]}
    assert check_value(either, {"mail": "a"}) == ()
    assert [each.expected for each in check_value(either, {"mail": "a", "phone": "1"})] == [
        "a value that fits exactly one of the alternatives"
    ]


def test_union_of_unions_is_checked_in_bounded_time() -> None:
    schema = bomb(40, deeper=False)
    began = perf_counter()
    [mismatch] = check_value(schema, 5)
    assert perf_counter() - began < 1
    assert mismatch == Mismatch("", "a string", "5")
    assert check_value(schema, "") == ()


def test_unions_in_the_parts_of_a_value_are_checked_in_bounded_time() -> None:
    value: Json = 5
    for _ in range(40):
        value = {"a": value}
    began = perf_counter()
    [mismatch] = check_value(bomb(40, deeper=True), value)
    assert perf_counter() - began < 1
    assert (mismatch.pointer, mismatch.expected) == ("/a" * 40, "a string")


def test_schema_of_unions_that_contains_itself_is_checked_in_bounded_time() -> None:
    node = {"$ref": "#/$defs/N"}
    branches = [{"properties": {"a": node}, "maxProperties": most} for most in (1, 2, 3)]
    schema = {"$ref": "#/$defs/N", "$defs": {"N": {"anyOf": branches, "type": "object"}}}
    value: Json = 5
    for _ in range(60):
        value = {"a": value}
    began = perf_counter()
    assert [each.pointer for each in check_value(schema, value)] == ["/a" * 60]
    assert perf_counter() - began < 1


def test_ten_thousand_wrong_items_in_a_union_are_bounded() -> None:
    schema = {"items": {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]}}
    began = perf_counter()
    assert len(check_value(schema, [{"b": index} for index in range(10_000)])) == 200
    assert perf_counter() - began < 3


PET = {"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}
BY_NAME: JsonObject = {
    "anyOf": list(PET),
    "discriminator": {"propertyName": "kind", "mapping": {"feline": "#/$defs/Cat"}},
    "$defs": {
        "Cat": {"required": ["kind", "lives", "name", "owner"]},
        "Dog": {"required": ["kind", "tail"]},
    },
}


def test_discriminator_says_which_alternative_was_meant() -> None:
    pointers = [each.pointer for each in check_value(BY_NAME, {"kind": "feline"})]
    assert pointers == ["/lives", "/name", "/owner"]


@pytest.mark.parametrize(
    ("value", "mismatch"),
    [
        ({}, Mismatch("/kind", 'one of "feline", "Dog" (required)', "nothing")),
        ({"kind": "Cat"}, Mismatch("/kind", 'one of "feline", "Dog"', '"Cat"')),
        ({"kind": 3}, Mismatch("/kind", 'one of "feline", "Dog"', "3")),
    ],
)
def test_discriminator_that_names_nothing_is_itself_the_mismatch(
    value: Json, mismatch: Mismatch
) -> None:
    assert check_value(BY_NAME, value) == (mismatch,)


CATS: JsonObject = {
    "Cat": kind("cat", lives={"type": "integer", "maximum": 9}),
    "Dog": {"allOf": [{"$ref": "#/$defs/Kind"}]},
    "Kind": {"properties": {"kind": {"$ref": "#/$defs/Name"}}, "required": ["kind"]},
    "Name": {"enum": ["dog", "puppy"]},
}


@pytest.mark.parametrize("mapping", [{}, {"feline": "#/$defs/Cat"}], ids=["implicit", "mapped"])
def test_constants_of_an_alternative_go_over_what_a_discriminator_calls_it(
    mapping: JsonObject,
) -> None:
    """A model that followed the name would be told of the constant, and so on for ever."""
    schema: JsonObject = {
        "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
        "$defs": CATS,
    }
    assert [str(each) for each in check_value(schema, {"kind": "cat", "lives": 10})] == [
        "/lives: expected an integer <= 9, got 10"
    ]
    (wrong,) = check_value(schema, {"kind": "Cat", "lives": 9})
    assert str(wrong) == '/kind: expected one of "cat", "dog", "puppy", got "Cat"'


def test_fault_of_an_array_hides_none_of_its_items() -> None:
    schema = {"uniqueItems": True, "minItems": 4, "items": {"type": "integer"}}
    assert [each.pointer for each in check_value(schema, ["a", "a", 1])] == ["", "", "/0", "/1"]


def test_misspelt_value_is_answered_with_near_ones() -> None:
    [mismatch] = check_value({"enum": ["available", "sold"]}, "avaliable")
    assert mismatch.hint == "did you mean available?"


def test_unknown_property_of_parts_is_answered_with_the_names_of_all_parts() -> None:
    schema = {"allOf": [{"properties": {"limit": {}}}], "unevaluatedProperties": False}
    assert check_value(schema, {"limits": 5}) == (
        Mismatch("/limits", "no property of this name", "5", "did you mean limit?"),
    )


def test_enumeration_of_many_values_is_reported_fast() -> None:
    schema = {"enum": [f"value-{number}" for number in range(100_000)]}
    began = perf_counter()
    [mismatch] = check_value(schema, "x")
    assert perf_counter() - began < 2
    assert len(mismatch.expected) < 400


def test_a_wrong_item_among_many_is_found_without_explaining_all() -> None:
    item: JsonObject = {"properties": {"a": {"properties": {"b": {"type": "integer"}}}}}
    schema: JsonObject = {"items": {"$ref": "#/$defs/Item"}, "$defs": {"Item": item}}
    value: list[Json] = [{"a": {"b": index}} for index in range(2_000)]
    value[1_500] = {"a": {"b": "x"}}
    began = perf_counter()
    assert [each.pointer for each in check_value(schema, value)] == ["/1500/a/b"]
    assert perf_counter() - began < 0.1


def test_a_property_that_stands_one_level_too_high_is_told_where_it_belongs() -> None:
    """As a model does that leaves out `body`."""
    schema: JsonObject = {
        "properties": {"body": {"$ref": "#/$defs/Pet"}, "kinds": {"type": "string"}},
        "additionalProperties": False,
        "$defs": {"Pet": {"oneOf": [kind("cat", lives={}), kind("dog", tail={})]}},
    }
    hints = {each.pointer: each.hint for each in check_value(schema, {"kind": "cat", "x": 1})}
    assert hints == {"/kind": "it belongs into body", "/x": "the names are body, kinds"}


MANY: Json = {f"b{n}": 1 for n in range(3000)}
ROWS = json.loads((Path(__file__).parents[1] / "adversarial/checks.json").read_text())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_pattern_that_goes_back_too_often_is_a_mismatch(row: dict[str, Json]) -> None:
    found = check_value(row["schema"], row["value"])
    assert [(each.pointer, each.expected) for each in found] == [tuple(row["wanted"])]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"a": {}}, "additionalProperties": False}, MANY),
        ({"additionalProperties": {"type": "string"}}, MANY),
        ({"items": {"type": "string"}}, [1] * 3000),
        ({"required": [f"b{n}" for n in range(3000)]}, {}),
        ({"propertyNames": {"maxLength": 1}}, MANY),
    ],
)
def test_no_more_is_said_of_one_value_than_somebody_reads(schema: Json, value: Json) -> None:
    assert len(check_value(schema, value)) <= MAX_VIOLATIONS


def test_near_names_are_looked_for_in_the_first_faults_alone() -> None:
    schema: Json = {"properties": {"colour": {}}, "additionalProperties": False}
    found = check_value(schema, {f"colour{n}": 1 for n in range(50)})
    assert len(found) == 50
    assert sum("did you mean" in each.hint for each in found) == 10
