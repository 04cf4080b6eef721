"""Parts of a tool that were left out can be asked for."""

from __future__ import annotations

import pytest

from restwright.errors import UnresolvedReference
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.options import ToolOptions
from restwright.tools.schema_part import show_schema_part, suggest_pointers
from restwright.tools.schemas.visible import SchemaView
from restwright.tools.tool import Tool

LONG = "It is long. " * 30
FILTER = {
    "type": "object",
    "description": "What it has to be like.",
    "properties": {
        "side": {"enum": ["north", "south"]},
        "not": {"$ref": "#/components/schemas/Filter"},
        "deep": {"type": "object", "properties": {"er": {"type": "string", "description": LONG}}},
        **{f"p{index}": {"type": "string", "description": LONG} for index in range(9)},
    },
}


def tools_of(**options: object) -> Catalog:
    query = [{"name": "filter", "in": "query", "schema": {"$ref": "#/components/schemas/Filter"}}]
    whole = document(
        paths={"/a": {"get": {"operationId": "list", "parameters": query, "responses": {}}}},
        components={"schemas": {"Filter": FILTER}},
    )
    return catalog(load(whole), options=ToolOptions(**options))  # type: ignore[arg-type]


def asked(tools: Catalog, pointer: str) -> SchemaView:
    (tool,) = tools.tools
    return show_schema_part(
        tool, pointer, schemas=tools.schemas[tool.namespace], options=tools.options
    )


def only_tool(tools: Catalog) -> Tool:
    return tools.tools[0]


def test_a_part_is_a_schema_of_its_own_with_its_definitions():
    side = asked(tools_of(), "/$defs/Filter/properties/side")
    assert side.schema == {"enum": ["north", "south"]}
    inner = asked(tools_of(), "/properties/filter/properties/not").schema
    assert inner["description"] == "What it has to be like."
    assert inner["properties"]["not"] == {"$ref": "#/$defs/Filter"}
    assert set(inner["$defs"]) == {"Filter"}


@pytest.mark.parametrize("budget", [550, 600, 650])
@pytest.mark.parametrize("layout", ["flat", "grouped"])
def test_every_place_that_says_that_something_is_left_out_can_be_asked_for(budget, layout):
    tools = tools_of(budget=budget, layout=layout)
    places = [each for each in only_tool(tools).left_out if each.startswith("/")]
    assert places
    for each in places:
        assert asked(tools, each).schema


def test_a_part_of_a_lean_tool_is_not_lean():
    part = asked(tools_of(lean=True), "/$defs/Filter/properties/deep/properties/er")
    assert part.schema["description"] == LONG.strip()


def test_the_empty_pointer_is_the_whole():
    assert set(asked(tools_of(), "").schema["properties"]) == {"filter"}


@pytest.mark.parametrize(
    "pointer",
    [
        "properties",
        "/properties/none",
        "/$defs/None",
        "/$defs",
        "/$defs/Filter/properties/side/enum/0",
    ],
)
def test_a_pointer_to_no_schema_is_refused(pointer):
    with pytest.raises(UnresolvedReference):
        asked(tools_of(), pointer)


def test_near_pointers_are_those_that_are_spelt_alike_else_the_first():
    tool = only_tool(tools_of())
    assert suggest_pointers(tool, "/properties/filtre")[0] == "/properties/filter"
    assert suggest_pointers(tool, "#?", count=1) == ("/properties/filter",)
