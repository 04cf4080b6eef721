"""Both layouts of arguments, and the list of positional parameters."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.arguments.check import check
from restwright.calls.request.build import build_request
from restwright.net.messages import Request
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Input, Layout, PositionalParameter, Tool

TEXT = {"type": "string"}
COUNT = {"type": "integer"}
SERVER = "https://api.example.test"
LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def tool_of(
    operation: dict[str, Any], layout: Layout = "grouped", *, path: str = "/a/{id}"
) -> Tool:
    api = load(document({path: {"post": operation}}, components=COMPONENTS))
    return catalog(api, options=ToolOptions(layout=layout)).tools[0]


def parameter(name: str, location: str, **more: Any) -> dict[str, Any]:
    needed = {"required": True} if location == "path" else {}
    return {"name": name, "in": location, "schema": TEXT, **needed, **more}


def body_of(schema: Any, **more: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}, **more}


def sent(tool: Tool, arguments: dict[str, Any]) -> Request:
    assert check(tool, arguments) == ()
    return build_request(tool, arguments, server=SERVER)


COMPONENTS = {
    "schemas": {
        "Tree": {
            "type": "object",
            "properties": {"name": TEXT, "below": {"$ref": "#/components/schemas/Tree"}},
        },
        "Sort": {"enum": ["up", "down"]},
    }
}
WHOLE = {
    "parameters": [
        parameter("sid", "cookie"),
        parameter("X-Trace", "header"),
        parameter("sort", "query", schema={"$ref": "#/components/schemas/Sort"}),
        parameter("page[size]", "query", schema=COUNT, required=True),
        parameter("id", "path"),
    ],
    "requestBody": body_of({"$ref": "#/components/schemas/Tree"}, required=True),
    "responses": {"201": {"description": "Made."}},
}
TREE = {
    "type": "object",
    "properties": {"name": TEXT, "below": {"$ref": "#/$defs/Tree"}},
}


def test_arguments_are_grouped_by_location() -> None:
    tool = tool_of(WHOLE)

    def group(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"type": "object", "properties": properties, **more, "additionalProperties": False}

    query = {"sort": {"$ref": "#/$defs/Sort"}, "page_size": COUNT}
    assert tool.checks == group(
        {
            "id": TEXT,
            "query": group(query, required=["page_size"]),
            "header": group({"X_Trace": TEXT}),
            "cookie": group({"sid": TEXT}),
            "body": {"$ref": "#/$defs/Tree"},
        },
        required=["id", "query", "body"],
    ) | {"$defs": {"Sort": {"enum": ["up", "down"]}, "Tree": TREE}}
    assert list(tool.checks["properties"]) == ["id", "query", "header", "cookie", "body"]
    assert tool.shows == tool.checks


def test_the_inputs_say_where_each_argument_goes() -> None:
    assert set(tool_of(WHOLE).inputs) == {
        Input(name="id", location="path", target="id"),
        Input(name="sort", location="query", target="sort", group="query"),
        Input(name="page_size", location="query", target="page[size]", group="query"),
        Input(name="X_Trace", location="header", target="X-Trace", group="header"),
        Input(name="sid", location="cookie", target="sid", group="cookie"),
        Input(name="body", location="body", target=""),
    }


def test_grouped_arguments_are_sent_where_they_belong() -> None:
    arguments = {
        "id": "a/b",
        "query": {"sort": "up", "page_size": 5},
        "header": {"X_Trace": "t"},
        "cookie": {"sid": "s"},
        "body": {"name": "root", "below": {}},
    }

    request = sent(tool_of(WHOLE), arguments)

    assert request.url == f"{SERVER}/a/a%2Fb?sort=up&page%5Bsize%5D=5"
    assert {*request.headers} > {("X-Trace", "t"), ("Cookie", "sid=s")}
    assert request.body == b'{"name":"root","below":{}}'


def test_parameters_are_also_a_list() -> None:
    """Path parameters one by one, then one object each for what the rest of the request holds."""
    listed = tool_of(WHOLE, "flat").parameters_list

    assert [(each.name, each.required) for each in listed] == [
        ("id", True),
        ("query", True),
        ("header", False),
        ("cookie", False),
        ("body", True),
    ]
    assert listed[0] == PositionalParameter(name="id", schema=TEXT, required=True)
    assert listed[1].schema["$defs"] == {"Sort": {"enum": ["up", "down"]}}
    assert "$defs" not in listed[2].schema
    assert listed[4].schema == {"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE}}
    assert tool_of(WHOLE, "grouped").parameters_list == listed


@pytest.mark.parametrize("layout", ["flat", "grouped"])
def test_an_operation_without_arguments_takes_none(layout: Layout) -> None:
    tool = tool_of({"responses": {}}, layout, path="/a")

    assert tool.checks == {"type": "object", "properties": {}, "additionalProperties": False}
    assert tool.parameters_list == ()
    assert sent(tool, {}).body == b""


@pytest.mark.parametrize("layout", ["flat", "grouped"])
def test_a_void_response_has_no_output(layout: Layout) -> None:
    assert tool_of(WHOLE, layout).output is None


@pytest.mark.parametrize("name", ["query", "header", "cookie", "body"])
def test_a_path_parameter_of_the_name_of_a_group_gives_way(name: str) -> None:
    operation = {"parameters": [parameter(name, "path"), parameter("q", "query")]}
    tool = tool_of(operation, path=f"/a/{{{name}}}")

    assert list(tool.properties) == [f"path_{name}", "query"]
    request = sent(tool, {f"path_{name}": "x", "query": {"q": "y"}})
    assert request.url == f"{SERVER}/a/x?q=y"


def test_groups_of_their_own_need_no_other_names() -> None:
    operation = {
        "parameters": [parameter("id", each) for each in ("path", "query", "header", "cookie")],
        "requestBody": body_of({"type": "object", "properties": {"id": COUNT}}),
    }
    grouped, flat = tool_of(operation), tool_of(operation, "flat")

    assert {each.name for each in grouped.inputs} == {"id", "body"}
    assert list(flat.properties) == ["id", "query_id", "header_id", "cookie_id", "body_id"]
    arguments = {
        "id": "1",
        "query": {"id": "2"},
        "header": {"id": "3"},
        "cookie": {"id": "4"},
        "body": {"id": 5},
    }
    flat_arguments = {
        "id": "1",
        "query_id": "2",
        "header_id": "3",
        "cookie_id": "4",
        "body_id": 5,
    }
    assert sent(grouped, arguments) == sent(flat, flat_arguments)


@pytest.mark.parametrize(
    ("required", "schema", "is_needed"),
    [
        (True, {"type": "object", "properties": {"a": TEXT}}, True),
        (True, {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, True),
        (False, {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, False),
        (False, {"type": "array"}, False),
    ],
)
def test_a_body_is_needed_where_the_document_says_so(
    required: bool, schema: dict[str, Any], is_needed: bool
) -> None:
    tool = tool_of({"requestBody": body_of(schema, required=required)}, path="/a")

    assert ("body" in tool.required) is is_needed
    assert (check(tool, {}) == ()) is not is_needed


def test_an_optional_body_is_whole_or_not_there() -> None:
    schema = {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT, "c": TEXT},
        "required": ["a", "b"],
    }
    tool = tool_of({"requestBody": body_of(schema)}, "flat", path="/a")

    assert tool.required == ()
    assert sent(tool, {}).body == b""
    assert check(tool, {"c": "x"}) != ()
    assert check(tool, {"a": "x"}) != ()
    assert sent(tool, {"a": "x", "b": "y"}).body == b'{"a":"x","b":"y"}'


def test_a_group_is_required_where_something_in_it_is() -> None:
    operation = {"parameters": [parameter("q", "query", required=True), parameter("h", "header")]}
    tool = tool_of(operation, path="/a")

    assert tool.required == ("query",)
    assert [str(each.pointer) for each in check(tool, {"header": {}})] == ["/query"]
    assert [str(each.pointer) for each in check(tool, {"query": {}})] == ["/query/q"]


@pytest.mark.parametrize("name", ["page[size]", "$filter", "X-Header", "2nd", "größe", "a" * 80])
@pytest.mark.parametrize("layout", ["flat", "grouped"])
def test_a_name_that_providers_refuse_is_changed_and_mapped_back(name: str, layout: Layout) -> None:
    tool = tool_of({"parameters": [parameter(name, "query")]}, layout, path="/a")
    (only,) = tool.inputs

    assert LEGAL.fullmatch(only.name)
    assert only.target == name
    whole = {only.name: "x"} if layout == "flat" else {"query": {only.name: "x"}}
    assert urlsplit(sent(tool, whole).url).query.endswith("=x")


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("größe", None),
        ("page[größe]", None),
        ("имя", "The API calls it `имя`."),
        ("名前 id", "The API calls it `名前 id`."),
        ("✨", "The API calls it `✨`."),
        ("a\u202eж", "The API calls it `aж`."),
        ("a" * 80, None),
    ],
)
def test_a_name_without_a_form_in_ascii_is_told(name: str, description: str | None) -> None:
    tool = tool_of({"parameters": [parameter(name, "query")]}, "flat", path="/a")
    (schema,) = tool.shows["properties"].values()
    assert schema.get("description") == description

    described = parameter(name, "query", description="What.")
    (schema,) = tool_of({"parameters": [described]}, "flat", path="/a").shows["properties"].values()
    assert schema["description"] == "\n".join(filter(None, ["What.", description]))


@pytest.mark.parametrize(
    ("layout", "lines"),
    [
        ("flat", ["@param id Path.", "@param page_size Query.", "@param header_id Header."]),
        (
            "grouped",
            ["@param id Path.", "@param query.page_size Query.", "@param header.id Header."],
        ),
    ],
)
def test_a_full_description_names_the_inputs(layout: Layout, lines: list[str]) -> None:
    places = [("id", "path"), ("page[size]", "query"), ("id", "header")]
    parameters = [parameter(*each, description=f"{each[1].title()}.") for each in places]
    api = load(document({"/a/{id}": {"post": {"parameters": parameters}}}))
    options = ToolOptions(layout=layout, describe="full")

    assert catalog(api, options=options).tools[0].description.splitlines()[-3:] == lines


# --- any operation -------------------------------------------------------------------------------

NAMES = st.sampled_from(
    [
        *("id", "a", "b", "query", "body", "header", "path_id", "query_id", "body_id", "body_2"),
        *("page[size]", "page_size", "$filter", "filter", "X-A", "x_a", "2nd", "_2nd", "ß", "✨"),
        *("a" * 70, "a" * 71, "class", "$ref", "a.b", "a b"),
    ]
)
LOCATIONS = st.sampled_from(["path", "query", "header", "cookie"])
Place = tuple[str, str]


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A path and an operation with any parameters and any plain body."""
    places = draw(st.lists(st.tuples(NAMES, LOCATIONS), unique_by=folded, max_size=8))
    parameters = [
        parameter(name, location, required=location == "path" or draw(st.booleans()))
        for name, location in places
    ]
    operation: dict[str, Any] = {"parameters": parameters}
    if draw(st.booleans()):
        properties = draw(st.lists(NAMES, unique=True, min_size=1, max_size=5))
        schema: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(properties, TEXT)}
        if required := [each for each in properties if draw(st.booleans())]:
            schema["required"] = required
        operation["requestBody"] = body_of(schema, required=draw(st.booleans()))
    template = "".join(f"/{{{name}}}" for name, location in places if location == "path")
    return f"/a{template}", operation


def folded(place: Place) -> Place:
    return place[0].lower(), place[1]


def documented(operation: dict[str, Any]) -> set[Place]:
    """`(location, name)` of everything that an operation takes."""
    schema = body_schema(operation)
    inside = {("body_property", name) for name in schema.get("properties", {})}
    return {(each["in"], each["name"]) for each in operation["parameters"]} | inside


def body_schema(operation: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody")
    return body["content"]["application/json"]["schema"] if body else {}


def needed(operation: dict[str, Any]) -> set[Place]:
    """What of `documented()` must be given."""
    schema, body = body_schema(operation), operation.get("requestBody", {})
    inside = schema.get("required", ()) if body.get("required") else ()
    parameters = {
        (each["in"], each["name"]) for each in operation["parameters"] if each["required"]
    }
    return parameters | {("body_property", name) for name in inside}


@given(operations())
@settings(max_examples=examples(150))
def test_everything_is_reached_through_one_input_laid_out_flat(
    made: tuple[str, dict[str, Any]],
) -> None:
    path, operation = made
    tool = tool_of(operation, "flat", path=path)
    targets = [(each.location, each.target) for each in tool.inputs]

    assert sorted(targets) == sorted(documented(operation))
    assert [each.name for each in tool.inputs] == list(tool.properties)
    assert all(LEGAL.fullmatch(name) for name in tool.properties)
    by_name = {each.name: (each.location, each.target) for each in tool.inputs}
    assert {by_name[name] for name in tool.required} == needed(operation)


@given(operations())
@settings(max_examples=examples(150))
def test_everything_is_reached_through_one_input_grouped(made: tuple[str, dict[str, Any]]) -> None:
    path, operation = made
    tool = tool_of(operation, path=path)
    targets = [(each.location, each.target) for each in tool.inputs if each.location != "body"]
    places = [(each.group, each.name) for each in tool.inputs]

    assert sorted(targets) == sorted(
        each for each in documented(operation) if each[0] != "body_property"
    )
    assert ("body" in tool.properties) is ("requestBody" in operation)
    assert len(set(places)) == len(places)
    for group, name in places:
        assert LEGAL.fullmatch(name)
        assert name in (tool.properties[group]["properties"] if group else tool.properties)


@given(operations(), st.sampled_from(["flat", "grouped"]))
@settings(max_examples=examples(150))
def test_no_arguments_are_enough_where_nothing_is_required(
    made: tuple[str, dict[str, Any]], layout: Literal["flat", "grouped"]
) -> None:
    path, operation = made
    tool = tool_of(operation, layout, path=path)
    body_is_needed = bool(operation.get("requestBody", {}).get("required"))
    is_needed = bool(needed(operation)) or (layout == "grouped" and body_is_needed)

    assert (check(tool, {}) == ()) is not is_needed
    assert bool(tool.required) is is_needed


@given(operations(), st.data())
@settings(max_examples=examples(150))
def test_both_layouts_make_the_same_request(
    made: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    path, operation = made
    optional = sorted(documented(operation) - needed(operation))
    chosen = needed(operation) | {each for each in optional if data.draw(st.booleans())}
    values = {each: f"v{number}" for number, each in enumerate(sorted(chosen))}
    inside = {name: value for (kind, name), value in values.items() if kind == "body_property"}
    is_needed = bool(operation.get("requestBody", {}).get("required"))
    body = inside if inside or is_needed else None

    asked = [
        (tool, placed(tool, values, body))
        for tool in (tool_of(operation, "flat", path=path), tool_of(operation, path=path))
    ]

    wrong = [bool(check(*each)) for each in asked]
    assert wrong[0] is wrong[1]
    if not wrong[0]:
        flat, grouped = (build_request(*each, server=SERVER) for each in asked)
        assert flat == replace(grouped, body=in_order(flat, grouped))


def placed(tool: Tool, values: dict[Place, str], body: dict[str, str] | None) -> dict[str, Any]:
    """Arguments that say `values`, in the layout of a tool."""
    whole: dict[str, Any] = {}
    for each in tool.inputs:
        value = body if each.location == "body" else values.get((each.location, each.target))
        if value is not None:
            group = whole.setdefault(each.group, {}) if each.group else whole
            group[each.name] = value
    return whole


def in_order(flat: Request, grouped: Request) -> bytes:
    """The body of one, if the other says the same in another order."""
    is_same = not grouped.body or json.loads(flat.body) == json.loads(grouped.body)
    return flat.body if is_same else grouped.body
