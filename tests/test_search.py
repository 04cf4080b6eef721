from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog import catalog
from restwright.tools.search import overlap, search
from restwright.tools.tool import Tool

PRODUCT = {"type": "object", "properties": {"name": {"type": "string"}, "stock": {}}}


def returning(schema: Any, **more: Any) -> dict[str, Any]:
    return {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}, **more}


TOOLS = catalog(
    load(
        document(
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
    )
).tools


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
    assert [score > 0 for score in overlap("cancel", TOOLS)] == [
        tool.operation_name == "cancelOrder" for tool in TOOLS
    ]
