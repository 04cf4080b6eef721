"""What carries a credential is the connection's to fill in, not the model's."""

from __future__ import annotations

import pytest

from restwright.jsontypes import Json
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Tool

PARAMETERS = [
    {"name": "X-API-Key", "in": "header", "required": True, "schema": {"type": "string"}},
    {"name": "key", "in": "query", "schema": {"type": "string"}},
    {"name": "sid", "in": "cookie", "schema": {"type": "string"}},
    {"name": "page", "in": "query", "schema": {"type": "integer"}},
]
SCHEMES = {
    "head": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def tool_of(options: ToolOptions | None = None, **more: Json) -> Tool:
    written = document({}, components={"securitySchemes": SCHEMES})
    operation = {"operationId": "x", "parameters": PARAMETERS, "responses": {}}
    root = {"security": more.pop("root")} if "root" in more else {}
    paths = {"/x": {"get": {**operation, **more}}}
    api = load({**written, **root, "paths": paths}, alias="test")
    return catalog(api, options=options or ToolOptions())["test__x"]


@pytest.mark.parametrize(
    ("security", "names"),
    [
        ([{"head": []}], ["key", "page", "sid"]),
        ([{"query": []}, {"cookie": []}], ["page", "X_API_Key"]),
        ([{"head": [], "query": [], "cookie": []}], ["page"]),
        ([{}, {"query": []}], ["page", "X_API_Key", "sid"]),
        ([{"bearer": []}], ["key", "page", "X_API_Key", "sid"]),
        ([{"unknown": []}], ["key", "page", "X_API_Key", "sid"]),
        ([], ["key", "page", "X_API_Key", "sid"]),
    ],
)
def test_a_parameter_of_a_required_key_is_hidden(security: Json, names: list[str]) -> None:
    tool = tool_of(security=security)
    assert sorted(tool.properties) == sorted(names)
    assert sorted(tool.shows["properties"]) == sorted(names)
    assert set(tool.required) <= set(names)


def test_a_parameter_of_a_required_key_is_hidden_in_groups_too() -> None:
    tool = tool_of(ToolOptions(layout="grouped"), security=[{"head": [], "cookie": []}])
    assert set(tool.properties) == {"query"}


def test_the_documents_requirement_hides_where_the_operation_has_none() -> None:
    assert "key" not in tool_of(root=[{"query": []}]).properties
    assert "key" in tool_of(root=[{"query": []}], security=[]).properties


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, None),
        ({"security": []}, ()),
        ({"root": []}, ()),
        ({"root": [{"bearer": []}], "security": []}, ()),
        ({"root": [{"bearer": []}]}, ({"bearer": ()},)),
    ],
)
def test_no_requirement_is_told_from_nothing_said(more: dict[str, Json], said: Json) -> None:
    assert tool_of(**more).security == said
