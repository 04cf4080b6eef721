from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.human_part import merge_arguments
from restwright.errors import UnresolvedReference
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.human_inputs import ArgumentHalves, Separation, by_extension
from restwright.tools.options import ToolOptions
from restwright.tools.schema_part import show_schema_part
from restwright.tools.schemas.traverse import schema_references
from restwright.tools.tool import Layout, Tool

TEXT = {"type": "string"}
SECRET = {"type": "string", "description": "hush", "x-human": True}
BY_MARK = by_extension("x-human")


def catalog_of(
    operation: dict[str, Any], *, separation: Separation = BY_MARK, path: str = "/a", **more: Any
) -> Catalog:
    options = ToolOptions(separation=separation, **more.pop("options", {}))
    return catalog(load(document({path: {"post": operation}}, **more)), options=options)


def body_of(schema: Any, **more: Any) -> dict[str, Any]:
    return {
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}
        | more
    }


def tool_of(schema: Any, **more: Any) -> Tool:
    return catalog_of(body_of(schema), **more).tools[0]


def separated(schema: Any, **more: Any) -> ArgumentHalves:
    found = tool_of(schema, **more).separated
    assert found is not None
    return found


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {"type": "object", "properties": properties}
    return {**whole, **({"required": list(required)} if required else {}), **more}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return obj(properties, *required, additionalProperties=False)


def test_without_the_option_nothing_is_separated() -> None:
    api = load(document({"/a": {"post": body_of(obj({"key": SECRET}))}}))
    assert catalog(api).tools[0].separated is None


def test_a_model_that_fills_in_nothing_has_an_empty_object() -> None:
    found = separated(obj({"key": SECRET}, "key"))
    assert found.model.checks == found.model.shows == closed({})
    assert found.human is not None
    assert found.human.checks == closed({"key": SECRET}, "key")


def test_a_human_who_fills_in_nothing_has_none() -> None:
    tool = tool_of(obj({"name": TEXT}, "name"))
    assert tool.separated == ArgumentHalves(tool.separated.model, None)  # type: ignore[union-attr]
    assert tool.separated.model.checks == tool.checks  # type: ignore[union-attr]


def test_each_side_has_its_own_properties_and_required_names() -> None:
    found = separated(obj({"name": TEXT, "key": SECRET, "note": TEXT}, "name", "key"))
    assert found.model.checks == closed({"name": TEXT, "note": TEXT}, "name")
    assert found.human is not None
    assert found.human.checks == closed({"key": SECRET}, "key")


def test_a_tool_shows_the_part_of_the_model_and_checks_the_whole() -> None:
    tool = tool_of(obj({"name": TEXT, "key": SECRET}, "key"))
    assert tool.shows == closed({"name": TEXT})
    assert list(tool.properties) == ["name", "key"]
    assert [each.name for each in tool.inputs] == ["name", "key"]


def test_an_object_within_is_split_too() -> None:
    found = separated(
        obj({"account": obj({"user": TEXT, "key": SECRET}, "user", "key")}, "account")
    )
    assert found.model.shows == closed({"account": obj({"user": TEXT}, "user")}, "account")
    assert found.human is not None
    assert found.human.checks == closed({"account": closed({"key": SECRET}, "key")}, "account")


def test_the_name_of_what_is_the_humans_is_not_a_further_property_of_an_open_object() -> None:
    found = separated(obj({"account": obj({"user": TEXT, "key": SECRET})}))
    assert found.model.checks["properties"]["account"]["properties"] == {"user": TEXT, "key": False}
    assert check_value(found.model.checks, {"account": {"further": 1}}) == ()


def test_an_object_that_leaves_nothing_to_the_model_is_the_humans() -> None:
    account = obj({"user": SECRET, "key": SECRET})
    found = separated(obj({"account": account, "name": TEXT}))
    assert found.model.checks == closed({"name": TEXT})
    assert found.human is not None
    assert found.human.checks == closed({"account": account})


def test_an_array_is_split_by_its_items() -> None:
    cards = {"type": "array", "minItems": 1, "uniqueItems": True}
    found = separated(obj({"cards": {**cards, "items": obj({"name": TEXT, "pin": SECRET})}}))
    split = {"type": "array", "minItems": 1}
    assert found.model.shows == closed({"cards": {**split, "items": obj({"name": TEXT})}})
    assert found.human is not None
    assert found.human.checks == closed({"cards": {**split, "items": closed({"pin": SECRET})}})


@pytest.mark.parametrize(
    "whole",
    [
        {"oneOf": [SECRET, {"type": "integer"}]},
        {"anyOf": [obj({"name": TEXT, "key": SECRET}), {"type": "integer"}]},
        {"type": "object", "additionalProperties": SECRET},
        obj({"name": TEXT}, additionalProperties=obj({"key": SECRET, "name": TEXT})),
        {"type": "object", "patternProperties": {"^x": SECRET}},
        {"type": "array", "prefixItems": [TEXT, SECRET]},
        {"type": "array", "items": SECRET},
        {"type": ["object", "string"], "properties": {"key": SECRET, "name": TEXT}},
        obj({"name": TEXT, "key": SECRET}, **{"if": {"required": ["key"]}, "then": False}),
        obj({"name": TEXT, "key": SECRET}, enum=[{"name": "a", "key": "hush"}]),
        {"not": obj({"name": TEXT, "key": SECRET})},
    ],
)
def test_what_cannot_be_split_goes_to_the_human_as_a_whole(whole: dict[str, Any]) -> None:
    found = separated(obj({"part": whole, "name": TEXT}, "part"))
    assert found.model.shows == closed({"name": TEXT})
    assert found.human is not None
    assert found.human.checks == closed({"part": whole}, "part")


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_null_beside_an_object_is_no_other_alternative(keyword: str) -> None:
    null = {"type": "null"}
    account = {keyword: [obj({"user": TEXT, "key": SECRET}), null]}
    found = separated(obj({"account": account}))
    assert found.model.shows == closed({"account": {keyword: [obj({"user": TEXT}), null]}})
    assert found.human is not None
    assert found.human.shows == closed({"account": {keyword: [closed({"key": SECRET}), null]}})


def test_a_mark_behind_a_reference_counts() -> None:
    body = obj({"key": {"$ref": "#/components/schemas/Key"}, "name": TEXT})
    found = separated(body, components={"schemas": {"Key": SECRET}})
    assert found.model.checks == closed({"name": TEXT})
    assert found.human is not None
    assert found.human.checks["$defs"] == {"Key": SECRET}


def test_a_mark_beside_a_reference_counts() -> None:
    marked = {"$ref": "#/components/schemas/Name", "x-human": True}
    body = obj({"key": marked, "name": {"$ref": "#/components/schemas/Name"}})
    found = separated(body, components={"schemas": {"Name": TEXT}})
    assert list(found.model.checks["properties"]) == ["name"]
    assert found.human is not None
    assert list(found.human.checks["properties"]) == ["key"]


def test_references_lead_to_the_half_of_each_side() -> None:
    account = {"$ref": "#/components/schemas/Account"}
    schemas = {
        "Account": obj({"user": {"$ref": "#/components/schemas/User"}, "key": SECRET}),
        "User": TEXT,
    }
    found = separated(obj({"first": account, "second": account}), components={"schemas": schemas})
    assert found.model.shows["$defs"] == {
        "Account.model": obj({"user": {"$ref": "#/$defs/User"}}),
        "User": TEXT,
    }
    assert found.human is not None
    assert found.human.checks["$defs"] == {"Account.human": closed({"key": SECRET})}


def test_a_component_that_is_called_like_a_half_keeps_its_name() -> None:
    schemas = {"A": obj({"name": TEXT, "key": SECRET}), "A.model": obj({"other": TEXT})}
    refs = {name: {"$ref": f"#/components/schemas/{name}"} for name in schemas}
    found = separated(obj({"a": refs["A"], "b": refs["A.model"]}), components={"schemas": schemas})
    assert found.model.shows["$defs"] == {
        "A.model": obj({"other": TEXT}),
        "A.model_2": obj({"name": TEXT}),
    }


def test_a_schema_that_contains_itself_is_split_once() -> None:
    node = {"$ref": "#/components/schemas/Node"}
    schemas = {"Node": obj({"name": TEXT, "key": SECRET, "next": node})}
    found = separated(obj({"node": node}), components={"schemas": schemas})
    half = {"$ref": "#/$defs/Node.model"}
    assert found.model.shows["$defs"] == {"Node.model": obj({"name": TEXT, "next": half})}
    assert found.human is not None
    half = {"$ref": "#/$defs/Node.human"}
    assert found.human.checks["$defs"] == {"Node.human": closed({"key": SECRET, "next": half})}


def test_what_contains_only_the_humans_is_the_humans_through_references() -> None:
    schemas = {
        "Outer": obj({"inner": {"$ref": "#/components/schemas/Inner"}}),
        "Inner": obj({"key": SECRET, "outer": {"$ref": "#/components/schemas/Union"}}),
        "Union": {"oneOf": [{"$ref": "#/components/schemas/Outer"}, {"type": "integer"}]},
    }
    outer = {"$ref": "#/components/schemas/Outer"}
    found = separated(obj({"a": outer, "name": TEXT}), components={"schemas": schemas})
    assert found.model.checks == closed({"name": TEXT})
    assert found.human is not None
    assert sorted(found.human.checks["$defs"]) == ["Inner", "Outer", "Union"]


def test_all_of_is_split_as_what_it_comes_down_to() -> None:
    schemas = {
        "Base": obj({"name": TEXT, "key": SECRET}, "key"),
        "Whole": {"allOf": [{"$ref": "#/components/schemas/Base"}, obj({"more": TEXT}, "more")]},
    }
    whole = {"$ref": "#/components/schemas/Whole"}
    found = separated(obj({"it": whole}), components={"schemas": schemas})
    assert check_value(found.model.checks, {"it": {"name": "a", "more": "b"}}) == ()
    assert check_value(found.model.checks, {"it": {"name": "a"}}) != ()
    assert check_value(found.model.checks, {"it": {"more": "a", "key": "b"}}) != ()
    assert found.human is not None
    assert check_value(found.human.checks, {"it": {"key": "a"}}) == ()
    assert check_value(found.human.checks, {"it": {}}) != ()
    assert found.model.shows["$defs"] == {
        "Whole.model": obj({"name": TEXT, "more": TEXT}, "more"),
    }


def test_required_names_beside_a_reference_are_shared_out() -> None:
    narrowed = {"$ref": "#/components/schemas/Base", "required": ["name", "key"]}
    schemas = {"Base": obj({"name": TEXT, "key": SECRET, "again": narrowed})}
    found = separated(obj({"it": narrowed}), components={"schemas": schemas})
    assert check_value(found.model.checks, {"it": {"name": "a", "again": {"name": "b"}}}) == ()
    assert check_value(found.model.checks, {"it": {"name": "a", "again": {}}}) != ()
    assert found.human is not None
    assert check_value(found.human.checks, {"it": {"key": "a", "again": {"key": "b"}}}) == ()
    assert check_value(found.human.checks, {"it": {"again": {}}}) != ()


def test_a_default_that_tells_a_secret_is_not_shown() -> None:
    account = obj({"user": TEXT, "key": SECRET}, default={"user": "ann", "key": "hush"})
    assert "hush" not in json.dumps(separated(obj({"account": account})).model.shows)


def test_names_that_depend_on_others_do_so_within_each_half() -> None:
    whole = obj(
        {"name": TEXT, "note": TEXT, "key": SECRET, "pin": SECRET},
        dependentRequired={"name": ["note", "key"], "key": ["pin", "name"]},
        minProperties=3,
    )
    found = separated(obj({"it": whole}))
    assert found.model.checks["properties"]["it"]["dependentRequired"] == {"name": ["note"]}
    assert found.human is not None
    assert found.human.checks["properties"]["it"]["dependentRequired"] == {"key": ["pin"]}


def test_an_optional_body_needs_its_parts_only_once_it_is_there() -> None:
    operation = body_of(obj({"name": TEXT, "key": SECRET, "pin": SECRET}, "name", "key", "pin"))
    operation["requestBody"]["required"] = False
    found = catalog_of(operation).tools[0].separated
    assert found is not None
    assert found.model.checks == closed({"name": TEXT})
    assert found.human is not None
    assert check_value(found.human.checks, {}) == ()
    assert check_value(found.human.checks, {"key": "a"}) != ()


PARAMETERS = [
    {"name": "id", "in": "path", "required": True, "schema": TEXT, "description": "Of the order."},
    {
        "name": "key",
        "in": "header",
        "required": True,
        "schema": TEXT,
        "description": "Of the shop.",
        "x-human": True,
    },
]


def test_a_marked_parameter_is_the_humans_in_both_layouts() -> None:
    for layout, name in (("flat", "key"), ("grouped", "header")):
        options = {"layout": layout}
        tool = catalog_of({"parameters": PARAMETERS}, path="/{id}", options=options).tools[0]
        assert list(tool.shows["properties"]) == ["id"]
        assert tool.separated is not None
        assert tool.separated.human is not None
        assert tool.separated.human.checks["required"] == [name]


def test_a_group_of_which_the_model_needs_nothing_is_not_required_of_it() -> None:
    more = {"name": "dry", "in": "header", "schema": {"type": "boolean"}}
    operation = {"parameters": [*PARAMETERS, more]}
    tool = catalog_of(operation, path="/{id}", options={"layout": "grouped"}).tools[0]
    assert tool.checks["required"] == ["id", "header"]
    assert tool.shows["required"] == ["id"]
    assert list(tool.shows["properties"]["header"]["properties"]) == ["dry"]


def test_a_full_description_lists_no_inputs_of_the_human() -> None:
    operation = {
        "description": "Pay.",
        "parameters": PARAMETERS,
        **body_of(TEXT, description="The card.", **{"x-human": True}),
    }
    tool = catalog_of(operation, path="/{id}", options={"describe": "full"}).tools[0]
    assert tool.description == "Pay.\n\n@param id Of the order."


@pytest.mark.parametrize("swagger", [False, True])
def test_a_marked_body_is_the_humans_as_a_whole(swagger: bool) -> None:
    schema = obj({"name": TEXT})
    if swagger:
        body = {"in": "body", "name": "it", "schema": schema, "x-human": True}
        form = {"in": "formData", "name": "file", "type": "file", "x-human": True}
        paths = {"/a": {"post": {"parameters": [body]}}, "/b": {"post": {"parameters": [form]}}}
        source = {"swagger": "2.0", "info": {"title": "Test", "version": "1"}, "paths": paths}
    else:
        content = {"application/json": {"schema": schema, "x-human": True}}
        posts = (body_of(schema, **{"x-human": True}), {"requestBody": {"content": content}})
        source = document({f"/{at}": {"post": each} for at, each in enumerate(posts)})
    for tool in catalog(load(source), options=ToolOptions(separation=BY_MARK)).tools:
        assert tool.shows == closed({})
        assert tool.separated is not None
        assert tool.separated.human is not None


def test_a_predicate_is_told_the_schema_as_it_is_written() -> None:
    is_password = Separation(is_human=lambda schema: schema.get("format") == "password")
    operation = {
        "parameters": [
            {"name": "pin", "in": "query", "schema": {"type": "string", "format": "password"}},
            {"name": "page", "in": "query", "schema": TEXT},
        ]
    }
    assert catalog_of(operation, separation=is_password).tools[0].shows == closed({"page": TEXT})


@pytest.mark.parametrize(
    ("value", "is_marked"),
    [(True, True), ("true", True), ("why", True), (1, True), ({"by": "host"}, True)]
    + [(each, False) for each in (False, "False", " no ", "", "0", 0, None, {})],
)
def test_a_mark_counts_unless_its_value_says_no(value: Any, is_marked: bool) -> None:
    found = separated(obj({"key": {**TEXT, "x-human": value}}))
    assert (found.human is not None) is is_marked


def test_an_operation_for_humans_gets_no_tool_and_is_listed() -> None:
    by = by_extension("x-human", "x-samchon-human")
    whole = catalog_of({"operationId": "pay", "x-samchon-human": True}, separation=by)
    assert whole.names == ()
    assert [each.severity for each in whole.problems if "only a human may" in each.what] == [
        "information"
    ]


@pytest.mark.parametrize("pointer", ["/properties/key", "/$defs/Account", "/$defs/Key"])
def test_a_part_that_is_the_humans_cannot_be_asked_for(pointer: str) -> None:
    schemas = {"Account": obj({"user": TEXT, "key": {"$ref": "#/components/schemas/Key"}})}
    refs = {"account": {"$ref": "#/components/schemas/Account"}, "key": SECRET}
    tools = catalog_of(body_of(obj(refs)), components={"schemas": {**schemas, "Key": SECRET}})
    tool = tools.tools[0]
    assert tool.separated is not None
    here, options = tools.schemas[tool.namespace], tools.options
    shown = show_schema_part(tool, "/$defs/Account.model", schemas=here, options=options)
    assert shown.schema == obj({"user": TEXT})
    with pytest.raises(UnresolvedReference):
        show_schema_part(tool, pointer, schemas=here, options=options)


# Schemas with marks at random. Every marked one says "hush".

NAMES = ("a", "b", "c", "d")
COMPONENTS = ("One", "Two", "Three")
REFS = st.sampled_from([{"$ref": f"#/components/schemas/{name}"} for name in COMPONENTS])
SCALARS = st.sampled_from([TEXT, {"type": "integer"}, {"type": ["boolean", "null"]}])


def marked(schema: dict[str, Any], is_marked: bool) -> dict[str, Any]:
    return {**schema, "x-human": True, "description": "hush"} if is_marked else schema


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    schema = obj({name: draw(inner) for name in names})
    # What is referred to stays optional, so that values have an end.
    plain = [each for each in names if "ref" not in json.dumps(schema["properties"][each])]
    if required := draw(st.lists(st.sampled_from(plain), unique=True)) if plain else []:
        schema["required"] = required
        if draw(st.booleans()):
            schema["dependentRequired"] = {names[0]: required}
    schema |= draw(
        st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": TEXT}])
    )
    return schema | draw(st.sampled_from([{}, {}, {"minProperties": 1}, {"maxProperties": 3}]))


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = st.lists(inner, min_size=2, max_size=2)
    return st.one_of(
        objects(inner),
        objects(inner),
        inner.map(lambda each: {"type": "array", "items": each, "maxItems": 3}),
        inner.map(lambda each: {"type": "array", "items": each, "uniqueItems": True}),
        inner.map(lambda each: {"type": "object", "additionalProperties": each}),
        inner.map(lambda each: {"anyOf": [each, {"type": "null"}]}),
        pairs.map(lambda both: {"oneOf": both}),
        st.lists(REFS, min_size=1, max_size=2).map(lambda refs: {"allOf": refs}),
        st.tuples(REFS, objects(inner)).map(lambda both: {"allOf": list(both)}),
    ).flatmap(lambda each: st.integers(0, 19).map(lambda roll: marked(each, roll == 7)))


LEAVES = SCALARS | st.builds(marked, SCALARS, st.booleans()) | REFS
SCHEMAS = st.recursive(LEAVES, containers, max_leaves=8)


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    schemas = {
        name: marked(draw(objects(SCHEMAS)), draw(st.integers(0, 9)) == 7) for name in COMPONENTS
    }
    query = {"name": "q", "in": "query", "schema": draw(SCHEMAS)}
    operation = {"parameters": [query], **body_of(draw(objects(SCHEMAS)))}
    layout: Layout = draw(st.sampled_from(["flat", "grouped"]))
    options = {"layout": layout}
    return catalog_of(operation, components={"schemas": schemas}, options=options).tools[0]


SAMPLES = {"string": ["s", "t"], "integer": [1, 2]}


def value_of(draw: st.DrawFn, schema: Any, definitions: Any, depth: int = 0) -> Any:
    """A value that a schema may accept; what several parts say together is left to luck."""

    def inner(each: Any) -> Any:
        return value_of(draw, each, definitions, depth + 1)

    if "$ref" in schema:
        return inner(definitions[schema["$ref"].rpartition("/")[2]])
    if branches := schema.get("anyOf", schema.get("oneOf")):
        return inner(draw(st.sampled_from(branches[-1:] if depth > 5 else branches)))
    if "allOf" in schema:
        parts = [inner(each) for each in schema["allOf"]]
        return {key: each for part in parts for key, each in part.items()}
    if "properties" in schema or "additionalProperties" in schema:
        return object_of(draw, schema, inner, full=depth < 5)
    if "items" in schema:
        return [inner(schema["items"]) for _ in range(draw(st.integers(0, 2)) if depth < 5 else 0)]
    return draw(st.sampled_from(SAMPLES.get(str(schema["type"]), [True, None])))


def object_of(draw: st.DrawFn, schema: Any, inner: Any, *, full: bool) -> Any:
    required = schema.get("required", ())
    names = {*required, *(draw(st.sets(st.sampled_from(NAMES))) if full else ())}
    properties = schema.get("properties", {})
    found = {name: inner(each) for name, each in properties.items() if name in names}
    further = schema.get("additionalProperties", True)
    if further is not False and full and draw(st.booleans()):
        found["z"] = "more" if further is True else inner(further)
    return found


def entered(schema: Any, definitions: Any) -> Any:
    while isinstance(schema, dict):
        others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        elif len(others) == 1:
            schema = others[0]
        else:
            break
    return schema if isinstance(schema, dict) else {}


NONE = object()


def split(value: Any, model: Any, human: Any, definitions: tuple[Any, Any]) -> tuple[Any, Any]:
    """The two parts of a value, by what each half has a schema for."""
    if human is NONE:
        return value, NONE
    if model is NONE or model is False:
        return NONE, value
    ours, theirs = entered(model, definitions[0]), entered(human, definitions[1])
    if isinstance(value, dict):
        halves = {
            name: split(
                each,
                ours["properties"].get(name, NONE if name in theirs["properties"] else True),
                theirs["properties"].get(name, NONE),
                definitions,
            )
            for name, each in value.items()
        }
        return tuple(  # type: ignore[return-value]
            {name: each[side] for name, each in halves.items() if each[side] is not NONE}
            for side in (0, 1)
        )
    if isinstance(value, list):
        pairs = [split(each, ours["items"], theirs["items"], definitions) for each in value]
        return [one for one, _ in pairs], [other for _, other in pairs]
    return value, value


@settings(max_examples=examples(150))
@given(tools(), st.data())
def test_an_accepted_value_splits_into_accepted_halves_and_is_their_merger(
    tool: Tool, data: st.DataObject
) -> None:
    value = value_of(data.draw, tool.checks, tool.checks.get("$defs", {}))
    assume(check_value(tool.checks, value) == ())
    found = tool.separated
    assert found is not None
    human = found.human.checks if found.human else closed({})
    definitions = found.model.checks.get("$defs", {}), human.get("$defs", {})
    one, other = split(value, found.model.checks, human, definitions)
    told = json.dumps([tool.checks, found.model.checks, human, value, one, other])
    assert check_value(found.model.checks, one) == (), told
    assert check_value(human, other) == (), told
    assert merge_arguments(one, other) == value, told


def halves(found: ArgumentHalves) -> list[Any]:
    both = [found.model, *([found.human] if found.human else [])]
    return [schema for half in both for schema in (half.shows, half.checks)]


@settings(max_examples=examples(150))
@given(tools())
def test_both_halves_are_whole_schemas_and_no_mark_is_in_the_models(tool: Tool) -> None:
    found = tool.separated
    assert found is not None
    for schema in halves(found):
        jsonschema_rs.Draft202012Validator(schema)
        definitions = schema.get("$defs", {})
        refs = {ref for each in (schema, *definitions.values()) for ref in schema_references(each)}
        assert {ref.removeprefix("#/$defs/") for ref in refs} == set(definitions)
    for schema in (found.model.shows, found.model.checks, tool.shows):
        assert "hush" not in json.dumps(schema)
        assert "x-human" not in json.dumps(schema)


def own_names(schema: Any) -> set[str]:
    return {name for name, each in schema["properties"].items() if each is not False}


@settings(max_examples=examples(100))
@given(tools())
def test_what_is_shown_and_what_is_checked_are_split_alike(tool: Tool) -> None:
    found = tool.separated
    assert found is not None
    for half in filter(None, (found.model, found.human)):
        assert own_names(half.shows) == own_names(half.checks)
        assert half.shows.get("required", []) == half.checks.get("required", [])
