from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog, filter_operations
from restwright.tools.search import score_overlap, search
from restwright.tools.search.catalog_index import open_catalog_index
from restwright.tools.search.weights import FIELD_WEIGHTS
from restwright.tools.tool import Tool

PRODUCT = {"type": "object", "properties": {"name": {"type": "string"}, "stock": {}}}


def returning(schema: Any, **more: Any) -> dict[str, Any]:
    return {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}, **more}


SHOP = document(
    {
        "/products": {
            "get": returning(
                {"type": "array", "items": PRODUCT},
                operationId="listProducts",
                summary="Search and filter products",
                parameters=[{"name": "max_price", "in": "query"}],
            )
        },
        "/orders/{id}": {
            "get": returning({}, operationId="getOrder"),
            "delete": {"operationId": "cancelOrder", "summary": "Cancel an order"},
        },
        "/reviews": {"get": {"description": "What customers think about a product."}},
    }
)
TOOLS = catalog(load(SHOP)).tools


def found(query: str, k: int = 3) -> list[str]:
    return [each.tool.operation_name for each in search(query, TOOLS, k=k)]


def test_words_of_names_paths_and_texts_count() -> None:
    assert found("cancel my order") == ["cancelOrder", "getOrder"]
    assert found("which product is the cheapest?") == ["listProducts", "reviews"]


def test_identifiers_are_split_and_plurals_do_not_matter() -> None:
    assert found("maximum prices") == ["listProducts"]


def test_properties_of_the_response_count() -> None:
    assert found("how many are in stock") == ["listProducts"]


def test_nothing_in_common_finds_nothing() -> None:
    assert found("weather in Paris") == []


def test_k_limits_what_is_found() -> None:
    assert found("order", k=1) == ["cancelOrder"]


def test_why_names_the_words_that_matched_and_where() -> None:
    (first, *_) = search("cancel the order", TOOLS, k=1)

    assert first.why == "matches order (name, path, summary), cancel (name, summary)"


def test_another_scorer_may_rank() -> None:
    def by_length(_: str, tools: Sequence[Tool]) -> list[float]:
        return [float(len(tool.operation.path)) for tool in tools]

    assert [each.tool.operation.path for each in search("", TOOLS, k=2, scorer=by_length)] == [
        "/orders/{id}",
        "/orders/{id}",
    ]


def test_overlap_gives_a_score_for_every_tool() -> None:
    assert [score > 0 for score in score_overlap("cancel", TOOLS)] == [
        tool.operation_name == "cancelOrder" for tool in TOOLS
    ]


def test_a_scorer_may_be_fused_with_the_words() -> None:
    def by_length(_: str, tools: Sequence[Tool]) -> list[float]:
        return [float(len(tool.operation.path)) for tool in tools]

    ranked = search("order", TOOLS, k=4, scorer=by_length, fuse=True)

    assert {each.tool.operation_name for each in ranked[:2]} == {"cancelOrder", "getOrder"}
    assert ranked[0].why.startswith("matches order")


def test_phrases_of_an_expansion_count_less_than_the_query() -> None:
    ranked = search("cancel", TOOLS, k=4, expand=lambda _: ("reviews of customers",))

    assert [each.tool.operation_name for each in ranked[:2]] == ["cancelOrder", "reviews"]


def test_words_that_are_spelt_nearly_so_are_found() -> None:
    assert found("cancle the oder")[0] == "cancelOrder"
    assert found("prodct")[0] == "listProducts"


def test_what_means_the_same_is_found_after_what_was_asked_for() -> None:
    paths = {
        "/users/{id}": {"get": {"operationId": "getUser"}},
        "/accounts/{id}": {"get": {"operationId": "getAccount"}},
        "/stock": {"get": {"operationId": "getStock"}},
    }
    whole = catalog(load(document(paths)))
    names = [hit.tool.operation_name for hit in search("account", whole, k=3)]
    assert names == ["getAccount", "getUser"]


def test_a_catalog_is_searched_without_building_its_tools() -> None:
    whole = catalog(load(SHOP))
    (first,) = open_catalog_index(whole).search("cancel an order", 1)
    assert first.name == "test__cancelOrder"
    assert whole.built == {}


def test_a_search_may_be_limited_to_namespaces() -> None:
    both = catalog(load(SHOP, alias="one"), load(SHOP | {"x-copy": 2}, alias="two"))
    hits = open_catalog_index(both).search("cancel an order", 9, namespaces=["two"])
    assert [each.name for each in hits] == ["two__cancelOrder", "two__getOrder"]


def test_only_what_a_catalog_holds_is_found() -> None:
    whole = catalog(load(SHOP))
    reads = filter_operations(whole, lambda operation: operation.method.is_read)
    assert [each.name for each in search("cancel an order", reads, k=9)] == ["test__getOrder"]


def test_a_part_of_the_tools_is_searched_in_the_index_of_all() -> None:
    part = tuple(tool for tool in TOOLS if tool.operation_name != "cancelOrder")
    assert [each.name for each in search("cancel the order", part, k=5)] == ["test__getOrder"]


def test_nothing_is_found_among_no_tools() -> None:
    assert search("order", (), k=3) == ()
    assert search("order", catalog(), k=3) == ()
    assert search("order", TOOLS, k=0) == ()


def test_references_and_examples_of_responses_count() -> None:
    schema = {"$ref": "#/components/schemas/Node"}
    node = {"properties": {"altitude": {}, "next": {"$ref": "#/components/schemas/Node"}}}
    content = {"application/json": {"example": {"items": [{"humidity": 3}]}}}
    paths = {
        "/a": {"get": returning(schema)},
        "/b": {"get": {"responses": {"200": {"content": content}}}},
    }
    whole = catalog(load(document(paths, components={"schemas": {"Node": node}})))
    assert [each.name for each in search("altitude", whole, k=2)] == ["test__a"]
    assert [each.name for each in search("humidity", whole, k=2)] == ["test__b"]


def test_the_first_sentence_of_what_a_tag_is_about_counts() -> None:
    paths = {
        "/a": {"get": {"operationId": "a", "tags": ["depot"]}},
        "/b": {"get": {"operationId": "b", "tags": ["other"]}},
    }
    tags: list[Any] = [
        {"name": "depot", "description": "Where parcels wait. Not for letters."},
        {"name": "other"},
        "odd",
        {"name": 1, "description": "parcels"},
    ]
    whole = catalog(load(document(paths, tags=tags)))
    (hit,) = search("parcel", whole, k=3)
    assert (hit.name, hit.why) == ("test__a", "matches parcel (tags)")
    assert search("letters", whole, k=3) == ()


def test_an_api_that_is_about_the_words_comes_first() -> None:
    films = {
        f"/films/{n}": {"get": {"operationId": f"film{n}", "summary": "A film"}} for n in range(5)
    }
    tools = {
        f"/tools/{n}": {"get": {"operationId": f"tool{n}", "summary": "A tool"}} for n in range(5)
    }
    tools["/lens"] = {"get": {"operationId": "lens", "summary": "The film on a lens of this tool"}}
    both = catalog(load(document(films), alias="cinema"), load(document(tools), alias="shop"))
    names = [each.name for each in search("which film", both, k=6)]
    assert [name.partition("__")[0] for name in names] == ["cinema"] * 5 + ["shop"]


@given(st.text(max_size=60))
def test_no_text_breaks_a_search_and_its_order_is_always_the_same(text: str) -> None:
    once = [(each.name, each.score, each.why) for each in search(text, TOOLS, k=5)]
    again = [(each.name, each.score, each.why) for each in search(text, TOOLS, k=5)]
    assert once == again
    assert [score for _, score, _ in once] == sorted((s for _, s, _ in once), reverse=True)


@pytest.mark.parametrize(
    "text",
    ["a:b^2 OR (*", '"', "name:*", "[a TO z]", "\x00", "\ud800", "+-!~ AND NOT", "a" * 10**5],
)
def test_what_is_asked_is_no_query_language(text: str) -> None:
    search(text, TOOLS, k=3)


@given(st.lists(st.sampled_from(["zebra", "weather", "invoice", "ship", "chess"]), unique=True))
def test_another_api_does_not_hide_an_operation_of_that_very_name(others: list[str]) -> None:
    more = [
        load(document({f"/{each}": {"get": {"operationId": f"list_{each}"}}}), alias=each)
        for each in others
    ]
    (first, *_) = search("cancelOrder", catalog(load(SHOP, alias="orders"), *more), k=3)
    assert first.name == "orders__cancelOrder"


def test_the_page_about_search_has_the_weights_in_use() -> None:
    page = (Path(__file__).parents[3] / "docs" / "search.md").read_text(encoding="utf-8")
    written = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page, re.MULTILINE))
    assert {name: float(weight) for name, weight in written.items()} == FIELD_WEIGHTS


def test_text_that_is_no_unicode_is_searched_as_far_as_it_goes() -> None:
    path = {
        "get": {"operationId": "odd\ud800", "summary": "Weigh \udfff the cargo", "tags": ["\ud800"]}
    }
    (hit,) = search("cargo \ud800", catalog(load(document({"/c\ud800": path}))), k=1)
    assert hit.why == "matches cargo (summary)"


def test_names_of_unknown_namespaces_find_nothing() -> None:
    assert open_catalog_index(catalog(load(SHOP))).search("order", 3, namespaces=["other"]) == ()


def test_a_word_that_nearly_all_operations_have_still_counts() -> None:
    paths: dict[str, Any] = {
        f"/repos/{n}": {"get": {"operationId": f"get_{n}", "summary": f"Get a repository {n}"}}
        for n in range(30)
    }
    paths["/repos"] = {"delete": {"operationId": "drop", "summary": "Delete a repository for good"}}
    paths["/stars"] = {"delete": {"operationId": "unstar", "summary": "Delete it"}}
    (first, *_) = search("delete a repository", catalog(load(document(paths))), k=3)
    assert first.tool.operation_name == "drop"
