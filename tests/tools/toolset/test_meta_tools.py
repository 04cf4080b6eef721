"""`search_tools`, `show_tool` and `call_tool`: what they answer, also to a model that errs."""

from __future__ import annotations

import jsonschema_rs
import pytest

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.dialects import DIALECTS
from restwright.tools.toolset import ToolCall, ToolMatch, build_meta_tools, handle_meta_call


def shop() -> Catalog:
    size = {"name": "size", "in": "query", "schema": {"type": "string", "enum": ["s", "l"]}}
    paths: JsonObject = {
        "/hats": {
            "get": {"operationId": "list_hats", "summary": "List hats", "parameters": [size]},
            "post": {"operationId": "sell_hat"},
        }
    }
    return catalog(load(document(paths), alias="shop"))


def bits() -> Catalog:
    paths = {f"/b{n:02}": {"get": {"operationId": f"b{n:02}"}} for n in range(23)}
    return catalog(load(document(paths), alias="bits"))


def test_a_search_gives_names_with_one_line_and_arguments_and_why() -> None:
    line = {"name": "shop__list_hats", "does": "List hats", "optional": "size", "why": "hats"}
    assert handle_meta_call(shop(), "search_tools", {"query": "hats"}, search=hats) == {
        "tools": [line]
    }


def test_what_a_tool_needs_stands_apart_from_what_it_may_take() -> None:
    at = {"name": "hat_id", "in": "path", "required": True, "schema": {"type": "string"}}
    size = {"name": "size", "in": "query", "schema": {"type": "string"}}
    many: list[JsonObject] = [{**size, "name": f"a_long_name_{n}"} for n in range(40)]
    get: JsonObject = {"operationId": "get_hat", "parameters": [size, at, *many]}
    tools = catalog(load(document({"/hats/{hat_id}": {"get": get}}), alias="shop"))
    found = handle_meta_call(tools, "search_tools", {"query": "hat"})
    assert isinstance(found, dict)
    line = found["tools"][0]
    assert line["needs"] == "hat_id"
    assert line["optional"].startswith("size, a_long_name_0, a_long_name_1")
    assert len(line["optional"]) <= 120


def hats(query: str, whole: Catalog, k: int, **_: object) -> tuple[ToolMatch, ...]:
    del whole
    return (ToolMatch("shop__list_hats", query),)[:k]


def test_an_exact_name_is_found_whatever_the_search_says() -> None:
    found = handle_meta_call(shop(), "search_tools", {"query": "shop__sell_hat"}, search=hats)
    assert isinstance(found, dict)
    assert [each["name"] for each in found["tools"]] == ["shop__sell_hat", "shop__list_hats"]
    assert found["tools"][0]["does"] == "POST /hats"


def test_an_empty_query_lists_apis_and_their_tools_page_by_page() -> None:
    assert handle_meta_call(bits(), "search_tools", {}) == {
        "apis": [{"name": "bits", "title": "Test"}]
    }
    first = handle_meta_call(bits(), "search_tools", {"namespace": "bits"})
    last = handle_meta_call(bits(), "search_tools", {"namespace": "bits", "page": 3})
    assert isinstance(first, dict)
    assert isinstance(last, dict)
    assert (len(first["tools"]), first["next_page"]) == (10, 2)
    assert [each["name"] for each in last["tools"]] == ["bits__b20", "bits__b21", "bits__b22"]
    assert "next_page" not in last


def test_a_search_for_data_is_told_so_and_lists_what_there_is() -> None:
    found = handle_meta_call(bits(), "search_tools", {"query": "blue <hat>\nof Ana"})
    assert isinstance(found, dict)
    assert found["apis"] == [{"name": "bits", "title": "Test"}]
    assert found["note"].startswith("No tool does 'blue <hat> of Ana'. Say what a tool does")


def test_a_search_for_data_in_an_api_lists_its_tools_page_by_page() -> None:
    names: list[str] = []
    for page in (1, 2, 3):
        asked: JsonObject = {"query": "Ana", "namespace": "bits", "page": page}
        found = handle_meta_call(bits(), "search_tools", asked)
        assert isinstance(found, dict)
        assert found["note"]
        names += [each["name"] for each in found["tools"]]
    assert names == [*bits().entries]


def test_after_the_last_page_of_what_was_found_there_is_nothing() -> None:
    asked: JsonObject = {"query": "hats", "page": 2}
    assert handle_meta_call(shop(), "search_tools", asked, search=hats) == {"tools": []}


def test_an_unknown_api_is_answered_by_near_ones() -> None:
    assert handle_meta_call(shop(), "search_tools", {"query": "x", "namespace": "shops"}) == {
        "error": "no API is named 'shops'",
        "close": ["shop"],
    }


def test_a_search_may_be_held_to_one_api() -> None:
    zoo = load(document({"/hats": {"get": {"operationId": "zoo_hats"}}}), alias="zoo")
    both = catalog(*shop().apis.values(), zoo)
    found = handle_meta_call(both, "search_tools", {"query": "hats", "namespace": "zoo"})
    assert isinstance(found, dict)
    assert [each["name"].partition("__")[0] for each in found["tools"]] == ["zoo"]


def test_a_tool_is_shown_whole_or_in_part() -> None:
    shown = handle_meta_call(shop(), "show_tool", {"name": "shop__list_hats"})
    assert isinstance(shown, dict)
    assert shown["description"] == "List hats"
    assert "size" in shown["parameters"]["properties"]
    pointer = "/properties/size"
    part = handle_meta_call(shop(), "show_tool", {"name": "list_hats", "pointer": pointer})
    assert part == {
        "name": "shop__list_hats",
        "pointer": pointer,
        "schema": {"type": "string", "enum": ["s", "l"]},
    }
    wrong = handle_meta_call(
        shop(), "show_tool", {"name": "list_hats", "pointer": "/properties/sise"}
    )
    assert isinstance(wrong, dict)
    assert wrong["close"][0] == pointer


def test_a_call_comes_back_as_the_call_of_the_tool() -> None:
    given = {"name": "shop__list_hats", "arguments": {"size": "s"}}
    assert handle_meta_call(shop(), "call_tool", given) == ToolCall(
        "shop__list_hats", {"size": "s"}
    )


@pytest.mark.parametrize("meta", ["show_tool", "call_tool"])
def test_an_unknown_tool_is_answered_by_the_nearest_names(meta: str) -> None:
    answer = handle_meta_call(shop(), meta, {"name": "shop__list_hat"})
    assert isinstance(answer, dict)
    assert answer["error"].startswith("There is no tool 'shop__list_hat'. Nothing was called.")
    assert answer["close"][0] == "shop__list_hats"


@pytest.mark.parametrize("wrong", [None, [], "x", {"query": 3, "page": -1}, {"name": []}])
@pytest.mark.parametrize("meta", ["search_tools", "show_tool", "call_tool", "other"])
def test_wrong_arguments_are_answered(meta: str, wrong: Json) -> None:
    assert isinstance(handle_meta_call(shop(), meta, wrong), dict)


def test_the_description_names_the_apis_or_their_number_but_never_a_part_of_them() -> None:
    assert "APIs: shop: Test." in build_meta_tools(shop())[0].description
    many = catalog(
        *(load(document({}), alias=f"api_number_{n}") for n in range(60)),
    )
    text = build_meta_tools(many)[0].description
    assert "There are 60 APIs" in text
    assert "api_number_1" not in text


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda each: each.name)
def test_every_dialect_can_say_the_meta_tools(dialect: object) -> None:
    for each in build_meta_tools(shop()):
        jsonschema_rs.meta.validate(each.schema)
        assert each.name in str(each.shape(dialect))  # type: ignore[arg-type]
