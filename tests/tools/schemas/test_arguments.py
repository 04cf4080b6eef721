from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from restwright.openapi.api import load
from restwright.openapi.upgrade import upgrade_schema
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.schemas.definitions import Definitions
from restwright.tools.schemas.traverse import schema_references
from restwright.tools.text.media_types import body_media_type
from restwright.tools.tool import Input

NAME = {"type": "string"}


def arguments(
    operation: dict[str, Any], *, path: str = "/a", **more: Any
) -> tuple[dict[str, Any], tuple[Input, ...]]:
    api = load(document({path: {"post": operation}}, **more))
    tool = catalog(api).tools[0]
    return tool.checks, tool.inputs


def of_body(schema: Any, *, required: bool = True, **more: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return arguments({"requestBody": {"required": required, "content": content}}, **more)[0]


def of_response(schema: Any, **more: Any) -> Any:
    content = {"application/json": {"schema": schema}}
    paths = {"/a": {"get": {"responses": {"200": {"content": content}}}}}
    api = load(document(paths, **more))
    return catalog(api).tools[0].output


def components(**schemas: Any) -> dict[str, Any]:
    return {"schemas": schemas}


def test_parameters_and_body_properties_stand_side_by_side() -> None:
    operation = {
        "parameters": [
            {"name": "X-Trace", "in": "header", "schema": NAME, "description": "Of the call."},
            {"name": "dry", "in": "query", "schema": {"type": "boolean"}, "deprecated": True},
            {"name": "id", "in": "path", "required": True, "schema": NAME},
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "properties": {"name": NAME, "age": {"type": "integer"}},
                        "required": ["name"],
                    }
                }
            },
        },
    }
    assert arguments(operation, path="/pets/{id}") == (
        {
            "type": "object",
            "properties": {
                "id": NAME,
                "dry": {"type": "boolean", "deprecated": True},
                "X_Trace": {"type": "string", "description": "Of the call."},
                "name": NAME,
                "age": {"type": "integer"},
            },
            "required": ["id", "name"],
            "additionalProperties": False,
        },
        (
            Input(name="id", location="path", target="id"),
            Input(name="dry", location="query", target="dry"),
            Input(name="X_Trace", location="header", target="X-Trace"),
            Input(name="name", location="body_property", target="name"),
            Input(name="age", location="body_property", target="age"),
        ),
    )


def test_the_same_name_in_several_places_is_reachable_everywhere() -> None:
    operation = {
        "parameters": [
            {"name": "id", "in": location, "required": True, "schema": NAME}
            for location in ("cookie", "header", "query", "path")
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"properties": {"id": NAME, "body_id": NAME}, "required": ["id"]}
                }
            },
        },
    }
    schema, inputs = arguments(operation, path="/pets/{id}")

    assert [(each.name, each.location, each.target) for each in inputs] == [
        ("id", "path", "id"),
        ("query_id", "query", "id"),
        ("header_id", "header", "id"),
        ("cookie_id", "cookie", "id"),
        ("body_id", "body_property", "id"),
        ("body_body_id", "body_property", "body_id"),
    ]
    assert schema["required"] == ["id", "query_id", "header_id", "cookie_id", "body_id"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": NAME},
        {"type": "object"},
        {"type": "object", "properties": {"a": NAME}, "additionalProperties": NAME},
        {"oneOf": [{"properties": {"a": NAME}}, {"properties": {"b": NAME}}]},
        {"type": "object", "properties": {"a": NAME}, "minProperties": 1},
        NAME,
        True,
    ],
    ids=str,
)
def test_a_body_that_is_no_plain_object_is_one_argument(schema: Any) -> None:
    assert of_body(schema) == {
        "type": "object",
        "properties": {"body": schema},
        "required": ["body"],
        "additionalProperties": False,
    }


def test_an_all_of_of_plain_objects_is_laid_out_flat() -> None:
    schema = {
        "allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["name"]}],
        "properties": {"age": {"type": "integer"}},
    }
    base = {"type": "object", "properties": {"id": NAME, "name": NAME}, "required": ["id"]}

    assert of_body(schema, components=components(Base=base)) == {
        "type": "object",
        "properties": {"id": NAME, "name": NAME, "age": {"type": "integer"}},
        "required": ["id", "name"],
        "additionalProperties": False,
    }


def test_parts_of_an_all_of_that_speak_of_one_property_are_put_together() -> None:
    parts = [{"properties": {"a": NAME}}, {"properties": {"a": {"minLength": 1}}}]

    assert of_body({"allOf": parts})["properties"] == {"a": {"type": "string", "minLength": 1}}


def test_parts_of_an_all_of_that_have_no_common_form_stay_one_argument() -> None:
    parts = [{"properties": {"a": NAME}}, {"anyOf": [NAME]}, {"anyOf": [{"type": "integer"}]}]

    assert of_body({"allOf": parts})["properties"] == {"body": {"allOf": parts}}


def test_a_body_that_may_be_left_out_needs_its_properties_only_when_it_is_there() -> None:
    schema = of_body(
        {"type": "object", "properties": {"a": NAME, "b": NAME}, "required": ["a"]}, required=False
    )
    valid = jsonschema_rs.validator_for(schema).is_valid

    assert "required" not in schema
    assert [valid(each) for each in ({}, {"a": "x"}, {"b": "x"}, {"a": "x", "b": "x"})] == [
        True,
        True,
        False,
        True,
    ]


def test_a_required_name_without_a_schema_is_an_argument_too() -> None:
    schema = of_body({"properties": {"a": NAME}, "required": ["a", "b"]})

    assert (schema["properties"], schema["required"]) == ({"a": NAME, "b": True}, ["a", "b"])


def test_read_only_properties_are_no_arguments_and_write_only_ones_no_output() -> None:
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "secret": {"type": "string", "writeOnly": "true"},
            "name": NAME,
        },
        "required": ["id", "secret", "name"],
    }

    assert list(of_body(schema)["properties"]) == ["secret", "name"]
    assert of_body(schema)["required"] == ["secret", "name"]
    assert list(of_response(schema)["properties"]) == ["id", "name"]
    assert of_response(schema)["required"] == ["id", "name"]


def test_definitions_hold_what_is_reachable_and_nothing_else() -> None:
    schema = of_body(
        {"type": "object", "properties": {"pet": {"$ref": "#/components/schemas/Pet"}}},
        components=components(
            Pet={
                "properties": {
                    "owner": {"$ref": "#/components/schemas/Owner"},
                    "parent": {"$ref": "#/components/schemas/Pet"},
                }
            },
            Owner=NAME,
            Other=NAME,
        ),
    )
    assert schema["$defs"] == {
        "Owner": NAME,
        "Pet": {
            "properties": {
                "owner": {"$ref": "#/$defs/Owner"},
                "parent": {"$ref": "#/$defs/Pet"},
            }
        },
    }


def test_references_into_the_middle_of_a_document_are_definitions_too() -> None:
    schema = of_body(
        {"properties": {"a": {"$ref": "#/components/schemas/Pet/properties/the%20name"}}},
        components=components(Pet={"properties": {"the name": NAME}}),
    )
    (name,) = schema["$defs"]

    assert name.startswith("the_name_")
    assert (schema["$defs"][name], schema["properties"]["a"]) == (
        NAME,
        {"$ref": f"#/$defs/{name}"},
    )


def test_a_reference_that_leads_nowhere_accepts_anything() -> None:
    schema = of_body({"properties": {"a": {"$ref": "#/nope"}, "b": {"$ref": "x.json"}}})

    assert schema["properties"] == {"a": {}, "b": {}}


@pytest.mark.parametrize(
    ("beside", "shown"),
    [
        ({"example": "x"}, ["x"]),
        ({"examples": {"one": {"value": "x"}, "two": {"value": "y"}}}, ["x"]),
        ({"example": "x", "examples": {"one": {"value": "y"}}}, ["x"]),
        ({}, None),
    ],
)
def test_an_example_beside_a_schema_is_shown(beside: dict[str, Any], shown: Any) -> None:
    content = {"application/json": {"schema": {"type": "array"}, **beside}}
    parameter = {"name": "q", "in": "query", "schema": NAME, **beside}
    paths = {"/a": {"post": {"parameters": [parameter], "requestBody": {"content": content}}}}
    tool = catalog(load(document(paths))).tools[0]

    for name in ("q", "body"):
        assert tool.shows["properties"][name].get("examples") == shown
        assert "examples" not in tool.properties[name]


def test_what_stands_beside_a_reference_is_one_body_with_it() -> None:
    base = {"type": "object", "properties": {"name": NAME}}
    body = {"$ref": "#/components/schemas/Base", "properties": {"age": NAME}, "required": ["name"]}
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}}
    }
    tool = catalog(
        load(document({"/a": {"post": operation}}, components=components(Base=base)))
    ).tools[0]

    assert tool.properties == {"name": NAME, "age": NAME}
    assert tool.required == ("name",)
    assert tool.shows == tool.checks


def test_a_discriminator_decides_where_several_alternatives_fit() -> None:
    """Described by the letter, what has only what all of them have could never be sent."""
    kind = {"type": "object", "properties": {"kind": NAME}, "required": ["kind"]}
    body = {
        "oneOf": [{**kind, "title": "Cat"}, {**kind, "title": "Dog"}],
        "discriminator": {"propertyName": "kind"},
    }
    checks = of_body(body)

    assert jsonschema_rs.is_valid(checks, {"body": {"kind": "Cat"}})
    assert not jsonschema_rs.is_valid(checks, {"body": {"sort": "Cat"}})
    assert "oneOf" in of_body({"oneOf": body["oneOf"]})["properties"]["body"]


def test_references_in_a_circle_are_opened() -> None:
    loop = {"$ref": "#/components/schemas/Back"}
    back = {"$ref": "#/components/schemas/Loop", "description": "Round and round."}
    body = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Loop"}}}

    checks = of_body(body, components=components(Loop=loop, Back=back))

    assert checks["$defs"] == {"Loop": {}}
    assert jsonschema_rs.is_valid(checks, {"a": 1})


def test_a_chain_of_references_may_be_long() -> None:
    chain = {f"S{n}": {"$ref": f"#/components/schemas/S{n + 1}"} for n in range(5000)}
    body = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/S0"}}}

    checks = of_body(body, components=components(**chain, S5000={"type": "null"}))

    assert checks["$defs"]["S0"] == {"$ref": "#/$defs/S1"}
    assert len(checks["$defs"]) == 5001


def test_a_body_of_references_in_a_circle_accepts_anything() -> None:
    schemas = components(A={"$ref": "#/components/schemas/B"}, B={"$ref": "#/components/schemas/A"})
    schema = of_body({"$ref": "#/components/schemas/A"}, components=schemas)

    assert schema["properties"] == {"body": {"$ref": "#/$defs/A"}}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": "string", "nullable": "true"}, {"type": ["string", "null"]}),
        ({"enum": ["a"], "nullable": True}, {"enum": ["a", None]}),
        (
            {"allOf": [{}], "nullable": True},
            {"anyOf": [{"allOf": [{}]}, {"type": "null"}]},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"items": [{}, {}], "additionalItems": False}, {"prefixItems": [{}, {}], "items": False}),
        ({"exclusiveMinimum": 1}, {"exclusiveMinimum": 1}),
    ],
)
def test_schemas_of_3_0_are_said_in_2020_12(written: dict[str, Any], meant: dict[str, Any]) -> None:
    assert upgrade_schema(written) == meant
    assert upgrade_schema(meant) == meant


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ({"type": "file"}, {}),
        ({"type": ["string", "any"]}, {"type": ["string"]}),
        ({"maxLength": "20"}, {"maxLength": 20}),
        ({"minLength": -1}, {}),
        ({"minimum": "a lot"}, {}),
        ({"multipleOf": 0}, {}),
        ({"enum": "a"}, {}),
        ({"required": True}, {}),
        ({"required": ["a", 1, "a"]}, {"required": ["a"]}),
        ({"pattern": "["}, {}),
        ({"pattern": "^\\p{L}+$"}, {"pattern": "^\\p{L}+$"}),
        ({"uniqueItems": "true"}, {"uniqueItems": True}),
        ({"items": "string"}, {}),
        ({"properties": {"a": "string"}}, {"properties": {"a": True}}),
        ({"example": 1, "xml": {}, "x-a": 1, "discriminator": {}, "externalDocs": {}}, {}),
        ({"default": None, "const": 0}, {"default": None, "const": 0}),
        ({"const": None}, {"const": None}),
        ("string", True),
    ],
    ids=str,
)
def test_what_a_validator_could_not_read_is_repaired_or_left_out(written: Any, kept: Any) -> None:
    assert Definitions(dict).clean(written) == kept


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["text/plain", "multipart/form-data", "application/json"], "application/json"),
        (["application/xml", "application/vnd.api+json"], "application/vnd.api+json"),
        (["application/octet-stream", "multipart/form-data"], "multipart/form-data"),
        (["application/xml", "*/*"], "*/*"),
        ([], None),
    ],
)
def test_json_is_preferred_then_forms(names: list[str], chosen: str | None) -> None:
    paths = {"/a": {"post": {"requestBody": {"content": {name: {} for name in names}}}}}
    media_type = body_media_type(load(document(paths)).operations[0])

    assert (media_type.name if media_type else None) == chosen


@pytest.mark.parametrize(
    ("responses", "output"),
    [
        ({"204": {"description": "gone"}}, None),
        ({"200": {"content": {"text/csv": {}}}}, {"type": "string"}),
        ({"200": {"content": {"image/png": {}}}}, None),
        ({"default": {"content": {"application/json": {"schema": NAME}}}}, NAME),
        ({"404": {"content": {"application/json": {"schema": NAME}}}}, None),
    ],
    ids=str,
)
def test_the_output_is_the_schema_of_the_success_response(
    responses: dict[str, Any], output: Any
) -> None:
    api = load(document({"/a": {"get": {"responses": responses}}}))

    assert catalog(api).tools[0].output == output


KEYWORDS = (
    *("type", "properties", "items", "allOf", "oneOf", "enum", "required", "pattern", "minimum"),
    *("maxLength", "nullable", "not", "$ref", "format", "const", "default", "title", "if", "a"),
    *("patternProperties", "additionalProperties", "dependentRequired", "exclusiveMinimum"),
    *("uniqueItems", "multipleOf", "prefixItems", "$id", "$schema", "$anchor", "$defs"),
)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["a", "[", "1"]),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.sampled_from(KEYWORDS), children, max_size=4)
    ),
    max_leaves=15,
)


@given(anything)
def test_a_cleaned_schema_is_always_one_that_a_validator_reads(written: Any) -> None:
    definitions = Definitions(lambda: {"components": {"schemas": {}}})
    schema = definitions.clean(written)

    assert list(schema_references(schema)) == []
    jsonschema_rs.validator_for(schema)


@given(anything)
def test_any_document_gives_a_schema_that_a_validator_reads(written: Any) -> None:
    schema = of_body({"$ref": "#/components/schemas/A"}, components=components(A=written))

    jsonschema_rs.validator_for(schema)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
leaves = st.fixed_dictionaries(
    {},
    optional={
        "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
        "minimum": st.integers(-3, 3),
        "maxLength": st.integers(0, 2),
        "enum": st.lists(values, min_size=1, max_size=3),
        "const": values,
        "required": st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True),
        "uniqueItems": st.booleans(),
        "minProperties": st.integers(0, 2),
        "pattern": st.sampled_from(["a", "b"]),
        "default": values,
        "x-more": values,
        "$ref": st.sampled_from(["#/components/schemas/A", "#/components/schemas/B"]),
    },
)
schemas = st.recursive(
    leaves | st.booleans(),
    lambda inner: st.builds(
        lambda one, more: {**one, **more},
        leaves,
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
                "additionalProperties": inner,
                "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
                "items": inner,
                "prefixItems": st.lists(inner, min_size=1, max_size=2),
                "anyOf": st.lists(inner, min_size=1, max_size=2),
                "oneOf": st.lists(inner, min_size=1, max_size=2),
                "not": inner,
                "if": inner,
                "then": inner,
                "dependentSchemas": st.dictionaries(st.sampled_from("abc"), inner, max_size=1),
                "unevaluatedProperties": inner,
                "allOf": st.lists(inner, min_size=1, max_size=2),
            },
        ),
    ),
    max_leaves=8,
)


@given(schemas, schemas, schemas, st.lists(values, min_size=1, max_size=8))
def test_what_the_schema_of_a_document_accepts_is_accepted_and_nothing_else(
    written: Any, a: Any, b: Any, instances: list[Any]
) -> None:
    parts = {"components": {"schemas": {"A": a, "B": b}}}
    content = {"application/json": {"schema": written}}
    parameter = {"name": "value", "in": "query", "content": content}
    api = load(document({"/a": {"get": {"parameters": [parameter]}}}, **parts))
    checks = catalog(api).tools[0].checks
    # A validator would never come to the end of a circle of references.
    assume("circle" not in str(api.problems))
    original = jsonschema_rs.Draft202012Validator({"properties": {"value": written}, **parts})
    checked = jsonschema_rs.Draft202012Validator(checks)

    for each in instances:
        assert original.is_valid({"value": each}) == checked.is_valid({"value": each}), each
