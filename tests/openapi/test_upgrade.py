from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.errors import UnreadableDocument
from restwright.openapi.load.loader import load_document
from restwright.openapi.references import find_unresolved_references
from restwright.openapi.upgrade import Specification, upgrade_document, upgrade_schema
from restwright.testing import never

NULL = {"type": "null"}
PET = "#/components/schemas/Pet"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": "True"}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": "false"}, {"type": "string"}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string"], "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "any", "nullable": True}, {"type": "any"}),
        ({"type": "null", "nullable": True}, {"type": "null"}),
        ({"nullable": True, "minLength": 1}, {"minLength": 1}),
        (
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"enum": [None, "a"], "nullable": True}, {"enum": [None, "a"]}),
        (
            {"$ref": PET, "nullable": True, "description": "Mine.", "x-a": 1},
            {"description": "Mine.", "x-a": 1, "anyOf": [{"$ref": PET}, NULL]},
        ),
        (
            {"allOf": [{}], "type": "object", "nullable": True, "readOnly": True},
            {"readOnly": True, "anyOf": [{"allOf": [{}], "type": "object"}, NULL]},
        ),
        (
            {"oneOf": [{}], "nullable": True, "discriminator": {"propertyName": "a"}},
            {"anyOf": [{"oneOf": [{}], "discriminator": {"propertyName": "a"}}, NULL]},
        ),
        ({"const": 1, "nullable": True}, {"anyOf": [{"const": 1}, NULL]}),
        ({"not": {}, "nullable": True}, {"anyOf": [{"not": {}}, NULL]}),
    ],
    ids=str,
)
def test_nullable_allows_null_and_changes_nothing_else(written: Any, expected: Any) -> None:
    assert upgrade_schema(written, "3.0") == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": 1, "exclusiveMinimum": "true"}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMinimum": True}, {}),
        ({"minimum": 1, "exclusiveMinimum": 2}, {"minimum": 1, "exclusiveMinimum": 2}),
        ({"example": 1}, {"examples": [1]}),
        ({"example": 1, "examples": [2]}, {"examples": [2, 1]}),
        ({"example": 1, "examples": [1]}, {"examples": [1]}),
        ({"examples": {"a": {"value": 1}, "b": 2}}, {"examples": [1, 2]}),
        ({"items": [{}, {}]}, {"prefixItems": [{}, {}]}),
        ({"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
        ({"items": [], "additionalItems": {}}, {"items": {}}),
        ({"minimum": True, "exclusiveMinimum": True}, {"minimum": True}),
        ({"discriminator": "kind"}, {"discriminator": {"propertyName": "kind"}}),
        ({"definitions": {"a": {}}}, {"$defs": {"a": {}}}),
        ({"definitions": {"a": {}}, "$defs": {"b": {}}}, {"$defs": {"a": {}, "b": {}}}),
        (
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
        ({"id": "#pet"}, {"$anchor": "pet"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("specification", ["3.0", "3.1"])
def test_what_earlier_drafts_said_is_said_anew(
    written: Any, expected: Any, specification: Specification
) -> None:
    assert upgrade_schema(written, specification) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 1},
        {"$ref": PET},
        {"type": ["string", "null"], "examples": [1], "exclusiveMinimum": 1},
        {"items": {}, "id": "https://a.test/pet", "additionalItems": {}},
        {"discriminator": {"propertyName": "a"}},
        {"examples": 7, "example": 8},
        {"definitions": 7, "dependencies": [], "$recursiveRef": "#", "$ref": "#/a"},
    ],
    ids=str,
)
def test_what_needs_no_change_is_the_same_object(schema: Any) -> None:
    assert upgrade_schema(schema, "3.1") is schema
    assert upgrade_schema(schema) is schema


def test_beside_a_reference_only_annotations_count_before_3_1() -> None:
    schema = {"$ref": PET, "type": "object", "description": "Mine.", "required": ["a"], "x-a": 1}
    old = {"$ref": PET, "description": "Mine.", "x-a": 1}
    assert upgrade_schema(schema, "2.0") == upgrade_schema(schema, "3.0") == old
    assert upgrade_schema(schema, "3.1") is schema


def test_a_file_is_a_string_before_3_1() -> None:
    assert upgrade_schema({"type": "file"}, "2.0") == {"type": "string", "format": "binary"}


def test_what_named_a_draft_or_a_base_before_3_1_does_so_no_more() -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "$id": "https://a.test/pet"}
    assert upgrade_schema(schema, "3.0") == {"x-id": "https://a.test/pet"}
    assert upgrade_schema(schema, "3.1") is schema


SCALARS = st.sampled_from([None, True, False, "true", "", "a", "#a", 0, 1, 1.5, "string", "file"])
LOOSE = st.recursive(
    SCALARS,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from("abc"), each),
)
KEYWORDS = (
    *("type", "nullable", "x-nullable", "minimum", "exclusiveMinimum", "exclusiveMaximum", "items"),
    *("additionalItems", "enum", "const", "example", "examples", "$ref", "allOf", "anyOf", "not"),
    *("discriminator", "definitions", "$defs", "dependencies", "dependentRequired", "id", "$id"),
    *("$anchor", "$recursiveRef", "description", "x-a", "format", "$schema"),
)
NODES = st.dictionaries(st.sampled_from(KEYWORDS), LOOSE, max_size=6)


@given(NODES, st.sampled_from(["2.0", "3.0", "3.1", "3.2"]))
@settings(max_examples=examples(500))
def test_upgrading_a_node_again_changes_nothing(schema: Any, specification: Any) -> None:
    before = deepcopy(schema)
    node = upgrade_schema(schema, specification)
    assert upgrade_schema(node, "3.2") is node
    assert schema == before


@st.composite
def old_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Nodes that mean something in OpenAPI 3.0, without subschemas."""
    numbers = st.integers(-3, 3)
    optional: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object"]),
        "nullable": st.sampled_from([True, False, "true"]),
        "minimum": numbers,
        "maximum": numbers,
        "exclusiveMinimum": st.booleans(),
        "exclusiveMaximum": st.booleans(),
        "enum": st.lists(st.sampled_from(["a", 1, 2.5, True]), min_size=1, max_size=3),
        "minLength": st.integers(0, 2),
        "required": st.lists(st.just("a"), max_size=1),
        "not": st.sampled_from([{"type": "string"}, {"type": "null"}, {"enum": [1]}]),
        "anyOf": st.just([{"type": "string"}, {"type": "integer"}]),
        "oneOf": st.just([{"type": "number"}, {"type": "integer"}]),
        "allOf": st.just([{"type": "string"}, {"minLength": 1}]),
        "example": st.just(1),
        "description": st.just("a"),
    }
    return draw(st.fixed_dictionaries({}, optional=optional))


def accepts(schema: dict[str, Any], value: Any) -> bool:
    """What OpenAPI 3.0 says, in words of our own."""
    if value is None and schema.get("nullable") in {True, "true"}:
        return True
    plain = {
        key: each
        for key, each in schema.items()
        if key not in {"nullable", "exclusiveMinimum", "exclusiveMaximum", "example"}
    }
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and schema.get("exclusiveMinimum") and value == schema.get("minimum"):
        return False
    if is_number and schema.get("exclusiveMaximum") and value == schema.get("maximum"):
        return False
    return jsonschema_rs.is_valid(plain, value)


VALUES = st.sampled_from([None, "", "a", "abc", *range(-4, 5), 2.5, -3.0, True, [], {}, {"a": 1}])


@given(old_schemas(), VALUES)
@settings(max_examples=examples(500))
def test_an_upgraded_node_accepts_what_the_old_one_did(schema: dict[str, Any], value: Any) -> None:
    assert jsonschema_rs.is_valid(upgrade_schema(schema, "3.0"), value) is accepts(schema, value)


GOLDEN = Path(__file__).parents[1] / "golden" / "upgrade"


@pytest.mark.parametrize("name", ["library", "darkroom"])
def test_a_swagger_document_is_the_golden_one(name: str) -> None:
    """Made by `restwright upgrade NAME.swagger.yaml > NAME.openapi.json`; read what changes."""
    written = load_document(GOLDEN / f"{name}.swagger.yaml", retrieve=never).content
    expected = json.loads((GOLDEN / f"{name}.openapi.json").read_text())

    assert upgrade_document(written) == expected
    assert list(find_unresolved_references(expected)) == []


def openapi(version: str = "3.0.3", **more: Any) -> dict[str, Any]:
    return {"openapi": version, "info": {"title": "Test", "version": "1"}, "paths": {}, **more}


def test_schemas_are_upgraded_wherever_they_stand() -> None:
    old, new = {"type": "string", "nullable": True}, {"type": ["string", "null"]}

    def everywhere(schema: Any) -> dict[str, Any]:
        content = {"a/b": {"schema": schema, "encoding": {"a": {"headers": {"A": header(schema)}}}}}
        stream = {"a/b": {"itemSchema": schema, "itemEncoding": {"headers": {"A": header(schema)}}}}
        operation = {
            "parameters": [{"name": "a", "in": "query", "schema": schema}, {"content": content}],
            "requestBody": {"content": content},
            "responses": {"200": {"headers": {"A": header(schema)}, "content": stream}},
        }
        item = {"parameters": [{"schema": schema}], "get": operation, "query": operation}
        return {
            "paths": {"/a": {**item, "additionalOperations": {"COPY": operation}}},
            "webhooks": {"a": {"post": {**operation, "callbacks": {"a": {"{$url}": item}}}}},
            "components": {
                "schemas": {
                    "A": {"properties": {"nullable": schema, "example": schema}, "not": schema},
                    "B": {"allOf": [{"items": schema}], "patternProperties": {"^x-": schema}},
                    "C": {"$defs": {"a": schema}, "additionalProperties": schema},
                },
                "parameters": {"A": {"schema": schema}},
                "requestBodies": {"A": {"content": content}},
                "responses": {"A": {"content": content}},
                "headers": {"x-a": header(schema)},
                "callbacks": {"A": {"{$url}": item}},
                "pathItems": {"A": item},
                "mediaTypes": {"A": content["a/b"]},
            },
        }

    def header(schema: Any) -> dict[str, Any]:
        return {"schema": schema}

    upgraded_document = upgrade_document(openapi(**everywhere(old)))
    assert upgraded_document == openapi("3.2.0", **everywhere(new))


def test_data_is_no_schema() -> None:
    data = {"schema": {"nullable": True}, "$ref": "#/definitions/a", "items": [1]}
    content = {"a/b": {"example": data, "examples": {"a": {"value": data}}, "x-a": data}}
    schema = {"default": data, "enum": [data], "const": data, "examples": [data], "x-a": data}
    paths = {"/a": {"get": {"responses": {"200": {"content": content}, "x-a": data}}}, "x-a": data}
    whole = openapi(paths=paths, components={"schemas": {"A": schema}, "x-a": data})

    assert upgrade_document(whole) == {**whole, "openapi": "3.2.0"}


@pytest.mark.parametrize("version", ["3.2.0", "3.2.1"])
def test_a_document_of_3_2_stays_as_it_is(version: str) -> None:
    whole = openapi(
        version,
        **{"$self": "https://a.test/openapi.json"},
        tags=[{"name": "a", "summary": "A", "parent": "b", "kind": "nav"}],
        components={
            "schemas": {"A": {"$ref": "#/components/schemas/A", "minLength": 1, "$anchor": "a"}},
            "parameters": {"A": {"name": "a", "in": "querystring", "content": {"a/b": {}}}},
            "securitySchemes": {"a": {"type": "oauth2", "flows": {"deviceAuthorization": {}}}},
        },
    )
    assert upgrade_document(whole) == whole


def test_openapi_under_the_key_of_swagger_is_openapi() -> None:
    assert list(upgrade_document({"swagger": "3.0.0", "info": {}, "paths": {}})) == [
        *("openapi", "info", "paths"),
    ]


def test_the_dialect_of_3_1_is_the_default_of_3_2() -> None:
    dialect = "https://spec.openapis.org/oas/3.1/dialect/base"
    assert "jsonSchemaDialect" not in upgrade_document(openapi("3.1.0", jsonSchemaDialect=dialect))
    other = openapi("3.1.0", jsonSchemaDialect="https://a.test/dialect")
    assert upgrade_document(other)["jsonSchemaDialect"] == "https://a.test/dialect"


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("#/components/schemas/A%20b", "#/components/schemas/A_b"),
        ("#/components/schemas/A b/properties/c", "#/components/schemas/A_b/properties/c"),
        ("#/components/schemas/T/items/0", "#/components/schemas/T/prefixItems/0"),
        ("#/components/schemas/T/additionalItems", "#/components/schemas/T/items"),
        ("#/components/schemas/N/properties/a", "#/components/schemas/N/anyOf/0/properties/a"),
        ("#/components/schemas/N/definitions/a", "#/components/schemas/N/$defs/a"),
        ("#/components/schemas/N", "#/components/schemas/N"),
        ("#/paths/~1a%7D/get", "#/paths/~1a%7D/get"),
        ("#/nowhere/0/at/all", "#/nowhere/0/at/all"),
        ("#anchor", "#anchor"),
        ("#", "#"),
        ("other.json#/definitions/a", "other.json#/definitions/a"),
    ],
)
def test_references_lead_to_where_their_targets_are(ref: str, expected: str) -> None:
    schemas = {
        "A b": {"properties": {"c": {}}},
        "T": {"items": [{}], "additionalItems": {}},
        "N": {"properties": {"a": {}}, "allOf": [{}], "nullable": True, "definitions": {"a": {}}},
        "R": {"$ref": ref},
        "M": {"discriminator": {"propertyName": "a", "mapping": {"a": ref, "b": "A b", "c": "c"}}},
    }
    upgraded_schemas = upgrade_document(openapi(components={"schemas": schemas}))["components"][
        "schemas"
    ]
    assert upgraded_schemas["R"] == {"$ref": expected}
    mapping = upgraded_schemas["M"]["discriminator"]["mapping"]
    assert mapping == {"a": expected, "b": "A_b", "c": "c"}


def test_names_are_legal_readable_and_unique() -> None:
    schemas = {"A_b": {}, "A b": {}, "A«b»": {}, "ω": {}, "a.b-c": {}, "": {}}
    names = list(
        upgrade_document(openapi(components={"schemas": schemas}))["components"]["schemas"]
    )
    assert names == ["A_b", "A_b_a760b0e1", "A_b_782c9477", "faed5da5", "a.b-c", "e3b0c442"]


def test_security_schemes_keep_their_requirements() -> None:
    whole = upgrade_document(
        openapi(
            security=[{"my key": []}],
            paths={"/a": {"get": {"security": [{"my key": [], "other": []}, 7]}}},
            components={"securitySchemes": {"my key": {"type": "mutualTLS"}}},
        )
    )
    assert list(whole["components"]["securitySchemes"]) == ["my_key"]
    assert whole["security"] == [{"my_key": []}]
    assert whole["paths"]["/a"]["get"]["security"] == [{"my_key": [], "other": []}, 7]


def test_a_recursion_of_2019_leads_to_the_schema_that_asks_for_it() -> None:
    tree = {"$recursiveAnchor": True, "properties": {"next": {"$recursiveRef": "#"}}}
    schemas = upgrade_document(
        openapi("3.1.0", components={"schemas": {"T": tree, "U": {"not": tree}}})
    )
    assert schemas["components"]["schemas"] == {
        "T": {"properties": {"next": {"$ref": "#/components/schemas/T"}}},
        "U": {"not": {"properties": {"next": {"$ref": "#/components/schemas/U/not"}}}},
    }


def test_a_parameter_that_describes_its_value_itself_gets_a_schema() -> None:
    paths = {"/a": {"get": {"parameters": [{"name": "a", "in": "query", "type": "integer"}]}}}
    (parameter,) = upgrade_document(openapi(paths=paths))["paths"]["/a"]["get"]["parameters"]
    assert parameter == {"name": "a", "in": "query", "schema": {"type": "integer"}}


def test_references_inside_a_swagger_document_are_shared_whatever_their_encoding() -> None:
    parameters = {"A b": {"name": "a", "in": "query", "type": "string"}}
    item = {"get": {"parameters": [{"$ref": "#/parameters/A%20b"}]}}
    whole = upgrade_document({"swagger": "2.0", "paths": {"/a": item}, "parameters": parameters})
    assert whole["paths"]["/a"]["get"] == {
        "parameters": [{"$ref": "#/components/parameters/A_b"}],
    }


def test_a_path_item_of_swagger_that_is_elsewhere_is_read_there() -> None:
    one = {"post": {"parameters": [{"name": "a", "in": "body", "schema": {}}]}}
    whole = {"swagger": "2.0", "paths": {"/a": {"$ref": "#/x-items/a"}}, "x-items": {"a": one}}
    operation = upgrade_document(whole)["paths"]["/a"]["post"]
    assert operation == {"requestBody": {"content": {"application/json": {"schema": {}}}}}


def test_what_is_shared_too_often_is_not_written_out() -> None:
    schema = {"properties": {str(number): {} for number in range(100)}}
    item = {"get": {"parameters": [{"name": "a", "in": "body", "schema": schema}]}}
    paths = {f"/{number}": {"$ref": "#/x-item"} for number in range(10)}
    with pytest.raises(UnreadableDocument, match="more than 1,000 objects"):
        upgrade_document({"swagger": "2.0", "paths": paths, "x-item": item}, max_objects=1000)


def test_a_deep_document_is_upgraded() -> None:
    schema: dict[str, Any] = {"nullable": True, "allOf": []}
    for _ in range(195):
        schema = {"not": schema}
    assert upgrade_document(openapi(components={"schemas": {"A": schema}}))["openapi"] == "3.2.0"


TOP = (
    *("openapi", "swagger", "paths", "components", "definitions", "parameters", "responses"),
    *("securityDefinitions", "security", "webhooks", "host", "schemes", "jsonSchemaDialect"),
)
KEYS = (
    *TOP,
    *("/a", "get", "post", "schemas", "schema", "content", "a/b", "headers", "200", "in", "name"),
    *("type", "items", "properties", "allOf", "$ref", "nullable", "discriminator", "mapping"),
    *("requestBody", "requestBodies", "callbacks", "links", "operationRef", "encoding", "x-a"),
    *("$recursiveRef", "$recursiveAnchor", "examples", "definitions", "dependencies", "a b", ""),
    *("pathItems", "additionalOperations", "collectionFormat", "consumes", "produces"),
)
REFS = (
    *("#/definitions/a", "#/parameters/a b", "#/responses/200", "#/components/schemas/type"),
    *("#/paths/~1a/get/responses/200/schema", "#", "#/", "#a", "other#/a", "#/components"),
    *("#/paths/~1a/post/parameters/0/schema", "body", "formData", "query", "array", "#/%zz"),
)
TREES = st.recursive(
    SCALARS | st.sampled_from(REFS),
    lambda each: (
        st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(KEYS), each, max_size=5)
    ),
    max_leaves=25,
)
DOCUMENTS = st.builds(
    lambda version, rest: {**rest, **version},
    st.sampled_from(
        [{"swagger": "2.0"}, {"openapi": "3.0.0"}, {"openapi": 3.1}, {"openapi": "3.2.0"}, {}]
    ),
    st.dictionaries(st.sampled_from(TOP), TREES, max_size=6),
)


@given(DOCUMENTS)
@settings(max_examples=examples(500))
def test_any_document_is_upgraded_once_and_for_all(document: Any) -> None:
    before = deepcopy(document)
    whole = upgrade_document(document)
    assert document == before
    assert json.dumps(upgrade_document(whole)) == json.dumps(whole)


@pytest.mark.parametrize("version", [{"openapi": "3.0.3"}, {"swagger": "2.0"}])
@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"title": "T", "version": 1}, {"title": "T", "version": "1"}),
        ({"title": 7, "version": 1.5}, {"title": "7", "version": "1.5"}),
        ({"title": None, "x-a": 1, "contact": {}}, {"title": "", "version": ""}),
        (None, {"title": "", "version": ""}),
        ("Shop", {"title": "", "version": ""}),
    ],
    ids=str,
)
def test_the_info_of_an_upgraded_document_has_a_title_and_a_version(
    version: dict[str, Any], info: Any, expected: dict[str, Any]
) -> None:
    more = {"x-a": 1, "contact": {}} if info and "x-a" in info else {}
    once = upgrade_document({**version, "info": info, "paths": {}})

    assert list(once)[:2] == ["openapi", "info"]
    assert once["info"] == {**expected, **more}
    assert upgrade_document(once) == once
