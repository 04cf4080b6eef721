"""Every cell of the tables "Style Examples" of three versions, as a whole request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.recorder import tool_of

from restwright.calls.request.build import build_request
from restwright.errors import InvalidArguments
from restwright.jsontypes import Json
from restwright.tools.tool import Tool

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "conformance"
VECTORS = SHARED / "oas-style-tables" / "style_vectors.json"
FOUND: dict[str, Any] = json.loads(VECTORS.read_text()) if VECTORS.is_file() else {}
VALUES = ("undefined", "string", "array", "object")
COUNTS = {"3.0.4": 37, "3.1.2": 37, "3.2.0": 45}
PLACES = {
    "matrix": ("path",),
    "label": ("path",),
    "simple": ("path", "header"),
    "form": ("query", "cookie"),
    "spaceDelimited": ("query",),
    "pipeDelimited": ("query",),
    "deepObject": ("query",),
    "cookie": ("cookie",),
}
# What the specification leaves undefined: as the style `form` where that says as much, and an
# array under `deepObject` repeats the name.
OURS = {
    ("spaceDelimited", "array"): "color=blue&color=black&color=brown",
    ("pipeDelimited", "array"): "color=blue&color=black&color=brown",
    ("deepObject", "array"): "color=blue&color=black&color=brown",
    ("spaceDelimited", "object"): "R=100&G=200&B=150",
    ("pipeDelimited", "object"): "R=100&G=200&B=150",
    ("deepObject", "object"): "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FOUND, reason=f"the shared data set {VECTORS} is not there"),
]


def cells() -> list[Any]:
    found: list[Any] = []
    for version, table in FOUND.get("tables", {}).items():
        for row in table["rows"]:
            for kind in VALUES:
                name = f"{version}-{row['style']}-{row['explode']}-{kind}"
                found.append(pytest.param(version, row, kind, id=name))
    return found


def tool_for(version: str, row: dict[str, Any], place: str) -> Tool:
    """A tool with the parameter `color`; in a path it stands between two letters."""
    parameter: dict[str, Json] = {"name": "color", "in": place, "style": row["style"], "schema": {}}
    if row["explode"] is not None:
        parameter["explode"] = row["explode"] == "true"
    if place == "path":
        parameter["required"] = True
    path = "/x{color}y" if place == "path" else "/x"
    operation = {"parameters": [parameter], "responses": {"200": {"description": "ok"}}}
    return tool_of(
        {
            "openapi": version,
            "info": {"title": "t", "version": "1"},
            "servers": [{"url": "http://h"}],
            "paths": {path: {"get": operation}},
        }
    )


def written(tool: Tool, place: str, value: Json) -> str:
    request = build_request(tool, {"color": value}, server="http://h")
    if place == "path":
        return request.url.removeprefix("http://h/x").removesuffix("y")
    if place == "query":
        return request.url.partition("?")[2]
    return dict(request.headers)["Cookie" if place == "cookie" else "color"]


@pytest.mark.parametrize(("version", "row", "kind"), cells())
def test_a_cell_of_the_table_is_written_byte_for_byte(
    version: str, row: dict[str, Any], kind: str
) -> None:
    expected = row[kind]
    for place in PLACES[row["style"]]:
        text = written(tool_for(version, row, place), place, FOUND["values"][kind])
        if expected is None:
            ours = {"undefined": "color=", "string": "color=blue"}
            assert text == (ours.get(kind) or OURS[row["style"], kind])
        else:
            plain = expected.removeprefix("?").replace("_empty_", "")
            # In a cookie the pairs of the style `form` are cookies.
            assert text == (plain.replace("&", "; ") if place == "cookie" else plain)


def test_the_tables_are_whole() -> None:
    defined = {
        version: sum(row[kind] is not None for row in table["rows"] for kind in VALUES)
        for version, table in FOUND["tables"].items()
    }
    assert defined == COUNTS


@pytest.mark.parametrize("style", ["simple", "label"])
def test_an_undefined_value_is_refused_where_it_would_be_the_whole_segment(style: str) -> None:
    parameter = {"name": "color", "in": "path", "required": True, "style": style, "schema": {}}
    operation = {"parameters": [parameter], "responses": {"200": {"description": "ok"}}}
    tool = tool_of(
        {
            "openapi": "3.2.0",
            "info": {"title": "t", "version": "1"},
            "paths": {"/{color}": {"get": operation}},
        }
    )
    with pytest.raises(InvalidArguments):
        build_request(tool, {"color": None}, server="http://h")
