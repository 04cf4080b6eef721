"""The inputs that say how much of a list is given."""

from __future__ import annotations

import pytest

from restwright.calls.response.page_inputs import find_page_size
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

INTEGER: JsonObject = {"type": "integer"}


@pytest.mark.parametrize(
    ("name", "schema", "size"),
    [
        ("max", INTEGER, 100),
        ("page_size", INTEGER, 100),
        ("limit", {**INTEGER, "maximum": 30}, 30),
        ("limit", {**INTEGER, "maximum": 900}, 100),
        ("limit", {"type": "string"}, None),
        ("max_price", INTEGER, None),
        ("page", INTEGER, None),
    ],
)
def test_how_many_items_are_asked_for_where_a_number_is_needed(
    name: str, schema: JsonObject, size: int | None
) -> None:
    given = {"name": name, "in": "query", "required": True, "schema": schema}
    found: JsonObject = {"parameters": [given], "responses": {"200": {"description": ""}}}
    (tool,) = catalog(load(document(paths={"/search": {"get": found}}))).tools
    assert find_page_size(tool, name) == size
    assert find_page_size(tool, "other") is None
