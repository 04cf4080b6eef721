from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import UnresolvedReference
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.options import ToolOptions
from restwright.tools.schemas.definitions import Definitions
from restwright.tools.schemas.elision import LEFT_OUT_MARK
from restwright.tools.schemas.traverse import schema_references
from restwright.tools.schemas.visible import VisibleSchemas
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.tool import Tool

NAME = {"type": "string"}
LONG = "What it is. " + "And a good deal more about it. " * 20


def tool_of(schema: Any, *, options: ToolOptions | None = None, **schemas: Any) -> Tool:
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    whole = document({"/a": {"post": {"requestBody": body}}}, components={"schemas": schemas})
    return catalog(load(whole), options=options or ToolOptions()).tools[0]


def chain(length: int, **more: Any) -> dict[str, Any]:
    """`A0` refers to `A1`, which refers to `A2`, and so on."""
    return {
        f"A{number}": {
            "type": "object",
            "properties": {
                "text": {**NAME, **more},
                "next": {"$ref": f"#/components/schemas/A{number + 1}"},
            },
        }
        for number in range(length)
    } | {f"A{length}": {"type": "object", "properties": {"end": NAME}}}


def size(tool: Tool) -> int:
    return len(tool.name) + len(tool.description) + len(to_json_bytes(tool.shows))


def test_what_fits_is_shown_whole() -> None:
    schema = {"properties": {"a": {**NAME, "title": "A", "description": LONG, "examples": ["x"]}}}
    tool = tool_of(schema)

    assert tool.shows["properties"]["a"] == {
        **schema["properties"]["a"],
        "description": LONG.strip(),
    }
    assert tool.left_out == ()


def test_all_of_is_merged_in_what_is_shown_and_kept_in_what_is_checked() -> None:
    inner = {"allOf": [{"properties": {"x": NAME}}, {"required": ["x"]}]}
    tool = tool_of({"properties": {"a": inner}})

    assert tool.shows["properties"]["a"] == {"properties": {"x": NAME}, "required": ["x"]}
    assert tool.checks["properties"]["a"] == inner


def test_a_discriminator_is_told_in_words() -> None:
    union = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"meow": "#/components/schemas/Cat"}},
    }
    tool = tool_of({"properties": {"pet": union}}, Cat={"type": "object"}, Dog={"type": "object"})

    assert tool.shows["properties"]["pet"]["description"] == "`kind` tells which: meow = Cat."
    assert tool.checks["properties"]["pet"]["discriminator"] == {
        "propertyName": "kind",
        "mapping": {"meow": "#/$defs/Cat"},
    }


@pytest.mark.parametrize("mapping", [{}, {"meow": "#/components/schemas/Cat"}])
def test_a_discriminator_tells_the_constants_of_its_alternatives(mapping: Any) -> None:
    union = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }
    cat = {"properties": {"kind": {"enum": ["cat", "kitty"]}}}
    dog = {"allOf": [{"type": "object"}, {"properties": {"kind": {"const": "dog"}}}]}
    tool = tool_of({"properties": {"pet": union}}, Cat=cat, Dog=dog)

    told = tool.shows["properties"]["pet"]["description"]
    assert told.startswith("`kind` tells which: cat = Cat, kitty = Cat")
    assert "meow" not in told
    assert ("dog = Dog" in told) == (not mapping)


def test_a_discriminator_that_decides_nothing_is_not_told() -> None:
    base = {"properties": {"kind": NAME}, "discriminator": {"propertyName": "kind"}}
    tool = tool_of({"properties": {"pet": base}})

    assert tool.shows["properties"]["pet"] == {"properties": {"kind": NAME}}


@pytest.mark.parametrize(
    ("less", "left_out"),
    [
        (0, ()),
        (1, ("examples",)),
        (100, ("examples", "titles")),
        (200, ("examples", "titles", "descriptions after their first sentence")),
    ],
)
def test_texts_go_in_a_fixed_order(less: int, left_out: tuple[str, ...]) -> None:
    texts = {"title": "Of the thing", "examples": ["a fine one"], "description": LONG}
    schema = {"properties": {name: {**NAME, **texts} for name in ("a", "b", "c")}}
    budget = size(tool_of(schema)) - less
    tool = tool_of(schema, options=ToolOptions(budget=budget))

    assert tool.left_out == left_out
    assert size(tool) <= budget


def test_deprecated_optional_properties_go_and_are_named() -> None:
    old = {**NAME, "deprecated": True}
    tool = tool_of(
        {"properties": {"old": old, "needed": old, "new": NAME}, "required": ["needed"]},
        options=ToolOptions(lean=True),
    )

    assert list(tool.shows["properties"]) == ["needed", "new"]
    assert tool.shows["description"] == f"{LEFT_OUT_MARK} old (deprecated)"
    assert list(tool.checks["properties"]) == ["old", "needed", "new"]


def test_deep_definitions_become_marked_stubs_that_name_their_properties() -> None:
    tool = tool_of(
        {"properties": {"first": {"$ref": "#/components/schemas/A0"}}},
        options=ToolOptions(budget=2000),
        **chain(30, enum=["a" * 20, "b" * 20]),
    )
    definitions = tool.shows["$defs"]
    stubs = [
        name for name, each in definitions.items() if LEFT_OUT_MARK in each.get("description", "")
    ]

    assert size(tool) <= 2000
    assert {
        ref for each in (tool.shows, *definitions.values()) for ref in schema_references(each)
    } == {f"#/$defs/{name}" for name in definitions}
    assert stubs == [f"A{len(definitions) - 1}"]
    assert definitions[stubs[0]]["description"] == f"{LEFT_OUT_MARK} properties: text, next"
    assert f"/$defs/{stubs[0]}" in tool.left_out
    assert tool.shows["description"] == f"Parts marked {LEFT_OUT_MARK} exist, and may be given."


def test_what_is_required_is_shown_before_what_is_nearer() -> None:
    big = {"type": "object", "properties": {f"p{number}": NAME for number in range(30)}}
    tool = tool_of(
        {
            "properties": {
                "wish": {"$ref": "#/components/schemas/Wish"},
                "must": {"$ref": "#/components/schemas/Must"},
            },
            "required": ["must"],
        },
        options=ToolOptions(budget=1600),
        Wish=big,
        Must={
            "type": "object",
            "properties": {"in": {"$ref": "#/components/schemas/Deep"}},
            "required": ["in"],
        },
        Deep=big,
    )

    assert "properties" in tool.shows["$defs"]["Deep"]
    assert LEFT_OUT_MARK in tool.shows["$defs"]["Wish"]["description"]


def test_what_a_body_that_may_be_left_out_needs_is_told_once() -> None:
    names = [f"input_{number}" for number in range(120)]
    schema = {"type": "object", "properties": dict.fromkeys(names, NAME), "required": names[:3]}
    body = {"content": {"application/json": {"schema": schema}}, "description": "The thing."}
    tool = catalog(load(document({"/a": {"post": {"requestBody": body}}}))).tools[0]

    assert list(tool.shows["properties"]) == names
    assert "dependentRequired" not in tool.shows
    assert tool.shows["description"] == (
        "The thing.\nOnce any input of the body is given, these are required: "
        "`input_0`, `input_1`, `input_2`."
    )
    assert tool.checks["dependentRequired"]["input_7"] == names[:3]


def test_a_text_that_is_cut_says_so() -> None:
    texts = {"a": LONG, "b": "One sentence.", "c": "**Bold** and short."}
    schema = {"properties": {name: {**NAME, "description": text} for name, text in texts.items()}}
    properties = tool_of(schema, options=ToolOptions(lean=True)).shows["properties"]

    assert [properties[name]["description"] for name in texts] == [
        "What it is.\u2026",
        "One sentence.",
        "Bold and short.",
    ]


def test_a_description_that_repeats_the_name_goes_first() -> None:
    schema = {"properties": {"user_name": {**NAME, "description": "The name of the user."}}}

    assert tool_of(schema, options=ToolOptions(lean=True)).shows["properties"]["user_name"] == NAME
    assert "description" in tool_of(schema).shows["properties"]["user_name"]


def test_values_of_a_huge_enumeration_are_left_out_but_not_forgotten() -> None:
    tool = tool_of({"properties": {"q": {"enum": [f"value-{n}" for n in range(100_000)]}}})
    shown = tool.shows["properties"]["q"]

    assert "enum" not in shown
    assert shown["description"].startswith(
        f'{LEFT_OUT_MARK} 99980 of the values "value-0", "value-1"'
    )
    assert len(tool.checks["properties"]["q"]["enum"]) == 100_000
    assert size(tool) <= 16_000


def test_an_operation_of_thousands_of_inputs_keeps_the_required_ones() -> None:
    names = [f"input_number_{number}" for number in range(3000)]
    tool = tool_of({"properties": dict.fromkeys(names, NAME), "required": names[-3:]})

    assert size(tool) <= 16_000
    assert tool.shows["required"] == names[-3:]
    assert set(names[-3:]) < set(tool.shows["properties"])
    assert "more inputs, from" in tool.shows["description"]


def test_a_part_that_was_left_out_can_be_asked_for() -> None:
    shows = VisibleSchemas(Definitions(lambda: {"components": {"schemas": chain(3)}}, form="shows"))
    root = shows.definitions.clean({"properties": {"a": {"$ref": "#/components/schemas/A0"}}})

    assert shows.part_at(root, "/properties/a/properties/text") == NAME
    assert shows.part_at(root, "/$defs/A1/properties/next") == {"$ref": "#/$defs/A2"}
    with pytest.raises(UnresolvedReference):
        shows.part_at(root, "/properties/b")
    with pytest.raises(UnresolvedReference):
        shows.part_at(root, "/$defs/Nobody")


names = st.sampled_from(["a", "b", "c", "d"])
references = st.sampled_from([{"$ref": f"#/components/schemas/{name}"} for name in "ABC"])
leaves = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "object"])},
    optional={
        "description": st.sampled_from(["Short.", LONG]),
        "title": st.just("A title"),
        "deprecated": st.booleans(),
        "example": st.just("x"),
        "enum": st.lists(st.text(max_size=30), min_size=1, max_size=60, unique=True),
    },
)
schemas = st.recursive(
    leaves | references,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(names, inner, max_size=3),
            "required": st.lists(names, max_size=2, unique=True),
            "items": inner,
            "oneOf": st.lists(inner, min_size=1, max_size=3),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "additionalProperties": inner,
        },
    ),
    max_leaves=12,
)


@given(schemas, st.fixed_dictionaries(dict.fromkeys("ABC", schemas)), st.integers(600, 4000))
def test_what_is_shown_fits_and_never_asks_for_more_than_is_checked(
    schema: Any, components: dict[str, Any], budget: int
) -> None:
    tool = tool_of(schema, options=ToolOptions(budget=budget), **components)
    definitions = tool.shows.get("$defs", {})

    assert size(tool) <= max(budget, 700)
    assert {
        ref for each in (tool.shows, *definitions.values()) for ref in schema_references(each)
    } == {f"#/$defs/{name}" for name in definitions}
    assert set(tool.shows.get("required", ())) == set(tool.checks.get("required", ()))
    assert set(tool.shows["properties"]) <= set(tool.checks["properties"])
    assert set(tool.shows.get("required", ())) <= set(tool.shows["properties"])
