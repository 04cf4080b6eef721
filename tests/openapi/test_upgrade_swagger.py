"""Generated Swagger 2.0 documents, valid ones, and what holds for all of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.openapi.load.loader import load_document
from restwright.openapi.references import find_unresolved_references
from restwright.openapi.upgrade import upgrade_document
from restwright.testing import never

VALIDATION = (
    Path(__file__)
    .parents[2]
    .parent.joinpath(
        *("shared", "data", "conformance", "oai-spec-v3.2-dev", "src", "schemas", "validation")
    )
)

NAMES = ("a", "b c", "d~e/f", "Page«a»", "ω")
MEDIA_TYPES = ("application/json", "text/csv", "multipart/form-data")
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
DEFINITIONS = ("#/definitions/a", "#/definitions/b%20c", "#/definitions/d~0e~1f/properties/a")
SCHEMA_PLACES = (*DEFINITIONS, "#/parameters/body/schema", "#/responses/a/schema")

leaves = st.sampled_from(
    [
        {"type": "string", "x-nullable": True, "enum": ["a"]},
        {"type": "integer", "minimum": 1, "exclusiveMinimum": True, "example": 2},
        {"type": "array", "items": {"type": "number"}, "collectionFormat": "csv"},
        *({"$ref": ref, "description": "A reference."} for ref in SCHEMA_PLACES),
    ]
)
schemas = st.recursive(
    leaves,
    lambda each: (
        st.builds(
            lambda properties, more: {"type": "object", "properties": properties, **more},
            st.dictionaries(st.sampled_from(NAMES), each, max_size=3),
            st.sampled_from(
                [{}, {"discriminator": "a"}, {"required": ["a"]}, {"x-nullable": True}]
            ),
        )
        | st.builds(lambda one, other: {"allOf": [one, other]}, each, each)
    ),
    max_leaves=5,
)
values = st.sampled_from(
    [
        {"type": "string", "pattern": "^a", "default": "a"},
        {"type": "integer", "maximum": 1, "exclusiveMaximum": False},
        *(
            {"type": "array", "items": {"type": "string"}, "collectionFormat": each}
            for each in ("csv", "ssv", "tsv", "pipes")
        ),
    ]
)
several = {"type": "array", "items": {"type": "integer"}, "collectionFormat": "multi"}
file = {"type": "file", "description": "A file."}


def parameter(location: str, kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    required = [{"required": True}] if location == "path" else [{"required": True}, {}]
    return st.builds(
        lambda name, value, more: {"name": name, "in": location, **value, **more},
        st.sampled_from("abc"),
        kinds,
        st.sampled_from(required),
    )


plain = st.one_of(
    *(parameter(location, values) for location in ("path", "header", "query")),
    parameter("query", st.just(several)),
    st.just({"$ref": "#/parameters/a"}),
)
body = st.builds(lambda schema: {"name": "it", "in": "body", "schema": schema}, schemas)
fields = parameter("formData", values | st.sampled_from([several, file]))
inputs = st.one_of(
    st.lists(body | st.just({"$ref": "#/parameters/body"}), max_size=1),
    st.lists(fields, min_size=1, max_size=3, unique_by=lambda each: each["name"]),
)
responses = st.builds(
    lambda schema, more: {"description": "It.", **({"schema": schema} if schema else {}), **more},
    st.none() | schemas | st.just(file),
    st.sampled_from(
        [
            {},
            {"headers": {"X-A": {"type": "array", "items": {"type": "integer"}}}},
            {"examples": {"application/json": 1, "text/csv": "a"}},
        ]
    ),
)


def unique(parameters: list[Any]) -> list[Any]:
    return list({(each.get("name"), each.get("in")): each for each in parameters}.values())


operations = st.builds(
    lambda given, sent, consumes, produces, response: {
        "parameters": unique([*given, *sent]),
        "consumes": consumes,
        "responses": {"200": response, "default": {"$ref": "#/responses/a"}},
        **produces,
    },
    st.lists(plain, max_size=3),
    inputs,
    st.lists(st.sampled_from((*MEDIA_TYPES, *FORMS)), unique=True, max_size=3),
    st.sampled_from([{}, {"produces": []}, {"produces": ["text/csv"]}]),
    responses,
)
items = st.builds(
    lambda given, several: {"parameters": unique(given), **several},
    st.lists(plain, max_size=2),
    st.dictionaries(st.sampled_from(["get", "put", "post", "patch"]), operations, max_size=2),
)
documents = st.builds(
    lambda root, definitions, response, body, paths: {
        "swagger": "2.0",
        "info": {"title": "Test", "version": "1"},
        "paths": {f"/{name}": item for name, item in paths.items()},
        "definitions": {
            **{name: {"type": "string"} for name in ("a", "b c")},
            **definitions,
            "d~e/f": {"properties": {"a": {}}},
        },
        "parameters": {"a": {"name": "z", "in": "query", "type": "string"}, "body": body},
        "responses": {"a": {"schema": {"type": "string"}, **response}},
        **root,
    },
    st.sampled_from([{}, {"host": "a.test", "basePath": "/a", "schemes": ["http", "https"]}]),
    st.dictionaries(st.sampled_from(NAMES), schemas, max_size=3),
    responses,
    body,
    st.dictionaries(st.sampled_from(NAMES), items, max_size=3),
)


@given(documents)
@settings(max_examples=examples(150))
def test_no_operation_and_no_reference_is_lost(document: Any) -> None:
    whole = upgrade_document(document)
    assert upgrade_document(whole) == whole
    assert {error.why for _, error in find_unresolved_references(whole)} <= {
        "the references form a circle"
    }
    assert {(path, method) for path, item in whole["paths"].items() for method in item} == {
        (path, method)
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    }


@cache
def validator() -> Any:
    schemas = [
        load_document(path, retrieve=never).content for path in sorted(VALIDATION.glob("*.yaml"))
    ]
    registry = jsonschema_rs.Registry([(each["$id"], each) for each in schemas])
    base = next(each for each in schemas if "/schema-base/" in each["$id"])
    return jsonschema_rs.validator_for(base, registry=registry)


@pytest.mark.corpus
@pytest.mark.skipif(
    not VALIDATION.is_dir(), reason=f"the shared data set {VALIDATION} is not there"
)
@given(documents)
@settings(max_examples=examples(300))
def test_the_result_is_valid(document: Any) -> None:
    assert [str(each) for each in validator().iter_errors(upgrade_document(document))] == []
