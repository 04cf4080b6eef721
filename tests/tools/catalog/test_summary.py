"""The index of a catalog, and the record of what a run was given."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.catalog.summary import (
    ToolSelection,
    hash_catalog,
    selection_from_names,
    selection_from_offer,
    summarize_catalog,
)

PETS: dict[str, Any] = {
    "/pets": {"get": {"operationId": "list", "summary": "All."}, "post": {"summary": "Add."}},
    "/v2/pets": {"get": {"operationId": "list", "summary": "All."}},
}


def zoo(**more: Any) -> Catalog:
    return catalog(load(document(PETS, **more), alias="zoo"))


def test_the_index_has_the_shape_of_the_contract_and_is_json() -> None:
    whole = summarize_catalog(zoo())

    assert whole["namespaces"] == {
        "zoo": {
            "title": "Test",
            "description": "",
            "tools": 3,
            "reads": 2,
            "writes": 1,
            "reason": "the alias given by the user",
            "source": "object",
            "version": "1",
            "sha256": zoo().apis["zoo"].sha256,
            "collisions": 2,
        }
    }
    assert (whole["total"], whole["hash"]) == (3, hash_catalog(zoo()))
    assert json.loads(json.dumps(whole)) == whole
    assert zoo().index() == whole["namespaces"]


def test_what_a_model_reads_is_measured_when_asked_for() -> None:
    whole = zoo()
    assert "characters" not in whole.index()["zoo"]
    assert whole.built == {}

    entry = whole.index(measure=True)["zoo"]

    shown = ["zoo__list_get_pets", "zoo__list_get_v2_pets", "zoo__post_pets"]
    schema = '{"type":"object","properties":{},"additionalProperties":false}'
    expected = sum(map(len, shown)) + len("All.All.Add.") + 3 * len(schema)
    assert list(whole.names) == shown
    assert (entry.get("characters"), entry.get("tokens")) == (expected, expected // 4)
    assert entry.get("problems") == len(whole.problems)


def test_the_hash_says_which_documents_and_names() -> None:
    assert hash_catalog(zoo()) == hash_catalog(zoo())
    assert hash_catalog(zoo()) != hash_catalog(zoo(info={"title": "Test", "version": "2"}))


@dataclass(frozen=True)
class Offer:
    names: tuple[str, ...] = ("search_tools", "zoo__list", "zoo__add", "shop__pay")
    provider: str = "openai"
    total: int = 1223
    reason: str = "search first"
    hash: str = "abc"


def test_the_record_of_an_offer_says_how_many_tools_of_which_namespace() -> None:
    record = selection_from_offer(Offer(), agent="rest")

    assert record == ToolSelection(
        agent="rest",
        provider="openai",
        total=1223,
        index={"": 1, "shop": 1, "zoo": 2},
        sample=("search_tools", "zoo__list", "zoo__add", "shop__pay"),
        reason="search first",
        hash="abc",
    )
    assert str(record) == f"tools.selected {json.dumps(record.to_json())}"
    assert list(record.to_json()) == [
        *("event", "agent", "provider", "total", "index", "sample", "reason", "hash"),
    ]


def test_the_sample_has_ten_names_at_most() -> None:
    many = catalog(load(document({f"/{at}": {"get": {}} for at in range(20)}), alias="zoo"))

    record = selection_from_names(
        many, many.names[:15], agent="rest", provider="local", reason="found"
    )

    assert (len(record.sample), record.total, record.index) == (10, 20, {"zoo": 15})
    assert record.hash != hash_catalog(many)
