"""Values that hold whole documents are one short line in a console."""

from __future__ import annotations

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import ToolOptions

PIN = {"name": "pin", "in": "query", "schema": {"type": "string", "x-human": True}}
COUNT = {"name": "count", "in": "query", "schema": {"type": "integer"}}
PATHS = {"/a": {"get": {"parameters": [PIN, COUNT], "description": "long " * 500}}}
SHOP = load(document(paths=PATHS, info={"title": "Shop", "version": "1"}))


def test_an_api_and_a_catalog_do_not_print_their_operations() -> None:
    assert repr(SHOP) == (
        "API(title='Shop', version='1', specification='3.1', source='object', alias=None)"
    )
    assert repr(catalog(SHOP)) == "Catalog(shop: 1)"


def test_the_halves_of_a_tool_name_their_properties() -> None:
    [tool] = catalog(SHOP, options=ToolOptions(separation=by_extension("x-human"))).tools
    assert repr(tool.separated) == "ArgumentHalves(model=Half('count'), human=Half('pin'))"
