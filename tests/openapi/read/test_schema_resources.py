"""What `$id`, `$anchor`, `$dynamicAnchor` and `$self` name inside an OpenAPI document."""

from __future__ import annotations

import time
from typing import Any

import jsonschema_rs
import pytest

from restwright.errors import UnresolvedReference
from restwright.openapi.api import load
from restwright.openapi.read.schema_resources import (
    SchemaResources,
    find_dangling_references,
    resolve_uri,
)
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

TEXT = {"type": "string"}
COUNT = {"type": "integer"}
OUTSIDE = "it points outside the document, which is never fetched"


def document_of(schemas: dict[str, Any], body: Any = True, **more: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "array", "items": body}}}
    post = {"requestBody": {"required": True, "content": content}, "responses": {}}
    return document({"/a": {"post": post}}, components={"schemas": schemas}, **more)


def accepts(schemas: dict[str, Any], body: Any, value: Any, **more: Any) -> bool:
    """Whether the checks of a tool accept one element of its body."""
    tool = catalog(load(document_of(schemas, body, **more))).tools[0]
    return jsonschema_rs.is_valid(tool.checks, {"body": [value]})


def nowhere(schemas: dict[str, Any], body: Any = True, **more: Any) -> dict[str, str]:
    """`{reference: why}` of what the linter finds."""
    found = find_dangling_references(document_of(schemas, body, **more))
    return {error.ref: error.why for _, error in found}


@pytest.mark.parametrize(
    ("ref", "own"),
    [
        ("#Name", {"$anchor": "Name"}),
        ("#Name", {"$dynamicAnchor": "Name"}),
        ("https://s.example/name", {"$id": "https://s.example/name"}),
        ("https://s.example/name#", {"$id": "https://s.example/name"}),
        ("https://s.example/name#N", {"$id": "https://s.example/name", "$anchor": "N"}),
        ("https://s.example/name#/$defs/a~1b", {"$id": "https://s.example/name"}),
        ("urn:x:name", {"$id": "urn:x:name"}),
    ],
)
def test_a_schema_is_found_by_its_name(ref: str, own: dict[str, str]) -> None:
    schemas = {"Name": {**TEXT, **own, "$defs": {"a/b": TEXT}}}

    assert accepts(schemas, {"$ref": ref}, "x")
    assert not accepts(schemas, {"$ref": ref}, 1)
    assert nowhere(schemas, {"$ref": ref}) == {}


@pytest.mark.parametrize(
    "ref",
    [
        "#/components/schemas/Name",
        "https://api.example/v1/openapi#/components/schemas/Name",
        "openapi#/components/schemas/Name",
        "/v1/openapi#/components/schemas/Name",
        "name",
        "https://api.example/v1/name",
        "./name#N",
    ],
)
def test_the_document_has_a_name_too(ref: str) -> None:
    """OAS 3.2, "OpenAPI Object", `$self`: what relative references are resolved against."""
    schemas = {"Name": {"$id": "name", "$anchor": "N", **TEXT}}
    own = {"openapi": "3.2.0", "$self": "https://api.example/v1/openapi"}

    assert accepts(schemas, {"$ref": ref}, "x", **own)
    assert not accepts(schemas, {"$ref": ref}, 1, **own)
    assert nowhere(schemas, {"$ref": ref}, **own) == {}


def test_parameters_are_found_by_the_name_of_the_document() -> None:
    ref = "https://api.example/openapi#/components/parameters/P"
    api = load(
        document(
            {"/a": {"get": {"parameters": [{"$ref": ref}], "responses": {}}}},
            components={"parameters": {"P": {"name": "p", "in": "query", "schema": COUNT}}},
            **{"openapi": "3.2.0", "$self": "https://api.example/openapi"},
        )
    )
    assert catalog(api).tools[0].properties == {"p": COUNT}
    assert [each for each in api.problems if each.severity == "error"] == []


@pytest.mark.parametrize(
    ("ref", "why"),
    {
        "#Nobody": "no schema there has the anchor 'Nobody'",
        "https://s.example/other": OUTSIDE,
        "https://s.example/name#Nobody": "no schema there has the anchor 'Nobody'",
        "https://s.example/name#/$defs/b": "there is no '$defs' on the way",
        "other.yaml#/a": OUTSIDE,
    }.items(),
    ids=str,
)
def test_what_leads_nowhere_is_said(ref: str, why: str) -> None:
    schemas = {"Name": {"$id": "https://s.example/name", **TEXT}}

    assert nowhere(schemas, {"$ref": ref}) == {ref: why}
    assert accepts(schemas, {"$ref": ref}, 1)


def test_an_anchor_belongs_to_its_resource() -> None:
    inner = {"$id": "https://s.example/inner", "$defs": {"A": {"$anchor": "a", **TEXT}}}
    schemas = {"Inner": inner, "Outer": {"$defs": {"A": {"$anchor": "a", **COUNT}}}}

    assert accepts(schemas, {"$ref": "#a"}, 1)
    assert accepts(schemas, {"$ref": "https://s.example/inner#a"}, "x")
    assert not accepts(schemas, {"$ref": "https://s.example/inner#a"}, 1)


def test_a_pointer_in_a_resource_begins_at_the_resource() -> None:
    """JSON Schema 2020-12, "Base URI, Anchors, and Dereferencing"."""
    schemas = {
        "Inner": {
            "$id": "https://s.example/inner",
            "properties": {"here": {"$ref": "#/$defs/A"}, "there": {"$ref": "#/components"}},
            "$defs": {"A": TEXT},
        }
    }
    whole = {"$ref": "#/components/schemas/Inner"}

    assert accepts(schemas, whole, {"here": "x", "there": 1})
    assert not accepts(schemas, whole, {"here": 1})
    assert nowhere(schemas, whole) == {"#/components": "there is no 'components' on the way"}


def test_a_pointer_goes_through_a_resource() -> None:
    """The base changes on the way, and with it what is found there."""
    schemas = {
        "Outer": {
            "$id": "https://s.example/a/outer",
            "$defs": {
                "Inner": {"$id": "b/inner", "properties": {"x": {"$ref": "leaf"}}},
                "Leaf": {"$id": "https://s.example/a/b/leaf", **TEXT},
            },
        }
    }
    ref = {"$ref": "#/components/schemas/Outer/$defs/Inner/properties/x"}

    assert accepts(schemas, ref, "x")
    assert not accepts(schemas, ref, 1)
    assert nowhere(schemas, ref) == {}


def test_a_component_is_called_by_its_name_however_it_is_referred_to() -> None:
    schemas = {"Name": {"$id": "https://s.example/name", "$anchor": "n", **TEXT}}
    refs = ["#/components/schemas/Name", "https://s.example/name", "https://s.example/name#n"]
    body = {"anyOf": [{"$ref": each} for each in refs]}
    tool = catalog(load(document_of(schemas, body))).tools[0]

    assert tool.checks["$defs"] == {"Name": TEXT}


TREE = {
    "$id": "https://s.example/tree",
    "$dynamicAnchor": "node",
    "type": "object",
    "properties": {"data": True, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
}
STRICT = {
    "$id": "https://s.example/strict",
    "$dynamicAnchor": "node",
    "$ref": "tree",
    "properties": {"data": TEXT},
    "unevaluatedProperties": False,
}
VALUES = [
    {},
    {"data": 1},
    {"data": "x"},
    {"other": 1},
    {"children": [{"data": 1}]},
    {"children": [{"data": "x", "children": [{}]}]},
    {"children": [{"daat": "x"}]},
    {"children": [{"children": [{"data": 1}]}]},
    {"children": 3},
]


@pytest.mark.parametrize("value", VALUES, ids=str)
@pytest.mark.parametrize("name", ["tree", "strict"])
def test_a_dynamic_reference_leads_to_the_outermost_resource(name: str, value: Any) -> None:
    """JSON Schema 2020-12, "Dynamic References with $dynamicRef"; another validator knows."""
    ref = {"$ref": f"https://s.example/{name}"}
    expected = jsonschema_rs.is_valid({**ref, "$defs": {"a": TREE, "b": STRICT}}, value)

    assert accepts({"Tree": TREE, "Strict": STRICT}, ref, value) is expected
    assert nowhere({"Tree": TREE, "Strict": STRICT}, ref) == {}


LIST = {
    "$id": "https://s.example/list",
    "type": "array",
    "items": {"$dynamicRef": "#item"},
    "$defs": {"any": {"$dynamicAnchor": "item"}},
}


def list_of(name: str, schema: Any) -> dict[str, Any]:
    filled = {"$dynamicAnchor": "item", **schema}
    return {"$id": f"https://s.example/{name}", "$ref": "list", "$defs": {"item": filled}}


@pytest.mark.parametrize("value", [[], ["x"], [1], ["x", 1], [[]], 1], ids=str)
@pytest.mark.parametrize("name", ["list", "texts", "counts"])
def test_a_generic_list_is_filled_in_where_it_is_used(name: str, value: Any) -> None:
    resources = {"List": LIST, "Texts": list_of("texts", TEXT), "Counts": list_of("counts", COUNT)}
    ref = {"$ref": f"https://s.example/{name}"}
    expected = jsonschema_rs.is_valid({**ref, "$defs": resources}, value)

    assert accepts(resources, ref, value) is expected


@pytest.mark.parametrize("anchor", [{"$anchor": "a"}, {}])
def test_without_a_dynamic_anchor_it_is_a_plain_reference(anchor: dict[str, str]) -> None:
    ref = "#a" if anchor else "#/components/schemas/A"

    assert not accepts({"A": {**TEXT, **anchor}}, {"$dynamicRef": ref}, 1)


def test_what_is_data_names_nothing() -> None:
    data = {"$id": "https://s.example/data", "$anchor": "a"}
    schemas = {
        "A": {"const": data, "enum": [data], "examples": [data]},
        "B": {"properties": {"$id": TEXT, "$anchor": TEXT, "default": {"$anchor": "real", **TEXT}}},
    }
    unknown = nowhere(schemas, {"anyOf": [{"$ref": "#a"}, {"$ref": "https://s.example/data"}]})

    assert unknown == {
        "#a": "no schema there has the anchor 'a'",
        "https://s.example/data": OUTSIDE,
    }
    assert not accepts(schemas, {"$ref": "#real"}, 1)


@pytest.mark.parametrize("name", [1, None, [], {}, True])
def test_a_name_that_is_no_text_is_none(name: Any) -> None:
    schemas = {"A": {"$id": name, "$anchor": name, "$dynamicAnchor": name, **TEXT}}

    assert not accepts(schemas, {"$ref": "#/components/schemas/A"}, 1)
    assert nowhere(schemas, {"$ref": "#/components/schemas/A"}) == {}


@pytest.mark.parametrize(
    ("base", "ref", "expected"),
    [
        ("", "#/a", ("", "/a")),
        ("https://a.example/b/c", "#x", ("https://a.example/b/c", "x")),
        ("https://a.example/b/c", "d#x", ("https://a.example/b/d", "x")),
        ("https://a.example/b/c", "/d", ("https://a.example/d", "")),
        ("", "d", ("d", "")),
        ("urn:a:b", "#x", ("urn:a:b", "x")),
    ],
)
def test_references_are_relative_to_a_base(base: str, ref: str, expected: tuple[str, str]) -> None:
    assert resolve_uri(base, ref) == expected


def test_a_scope_is_entered_once() -> None:
    schemas = {"Tree": TREE, "Strict": STRICT}
    resources = SchemaResources(document_of(schemas))
    _, first = resources.resolve_ref("https://s.example/tree", resources.root)
    _, again = resources.resolve_ref("#/components/schemas/Tree/properties", resources.root)

    assert first == again != resources.root
    with pytest.raises(UnresolvedReference):
        resources.resolve_ref("#/components", first)


COUNT_OF_RESOURCES = 400
MAX_SECONDS = 10


def resource(number: int, links: list[int]) -> dict[str, Any]:
    return {
        "$id": f"https://s.example/{number}",
        "$dynamicAnchor": f"a{number % 20}",
        "type": "object",
        "properties": {
            **{f"p{each}": {"$ref": str(each)} for each in links},
            "dynamic": {"$dynamicRef": f"#a{number % 20}"},
        },
    }


@pytest.mark.parametrize(
    "links",
    [
        pytest.param(lambda number: [number + 1], id="chain"),
        pytest.param(lambda number: [0, number + 1], id="back to the first"),
        pytest.param(lambda number: [number + 1, number + 2, number + 7], id="many ways"),
        pytest.param(lambda number: [number * 7, number * 11 + 3], id="everywhere"),
    ],
)
def test_hundreds_of_resources_take_bounded_time(links: Any) -> None:
    """Each way there may make another scope, of which there would be more than atoms."""
    count = COUNT_OF_RESOURCES
    schemas = {
        f"S{number}": resource(number, [each % count for each in links(number)])
        for number in range(count)
    }
    started = time.perf_counter()
    tool = catalog(load(document_of(schemas, {"$ref": "https://s.example/0"}))).tools[0]
    shown, checks = tool.shows, tool.checks

    assert nowhere(schemas) == {}
    assert time.perf_counter() - started < MAX_SECONDS
    assert len(str(shown)) < 20_000
    assert jsonschema_rs.is_valid(checks, {"body": [{"p1": {}}]})
    assert len(checks["$defs"]) < 10_000
