"""What the inputs of an operation take, by their schemas alone."""

from __future__ import annotations

import pytest

from restwright.agents.executor.taking import takes_amount
from restwright.jsontypes import Json
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog


@pytest.mark.parametrize(
    ("kind", "is_amount"),
    [("integer", True), (["number", "null"], True), ("string", False), (["string", "null"], False)],
)
def test_an_amount_is_a_number_alone_or_among_other_types(kind: Json, is_amount: bool) -> None:
    schema = {"type": "object", "properties": {"count": {"type": kind}}}
    operation = {
        "operationId": "order",
        "parameters": [
            {"name": "item_id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {},
    }
    tools = catalog(load(document({"/items/{item_id}": {"post": operation}}), alias="shop"))
    assert takes_amount(tools["shop__order"], "item_id") is is_amount
