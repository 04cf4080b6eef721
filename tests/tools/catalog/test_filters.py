"""Catalogs made of other catalogs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import restwright as rw
from restwright.errors import NameCollision, NoSuchPart, UnknownTool
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.catalog.filters import (
    add_tools,
    exclude_by_name,
    exclude_deprecated,
    filter_by_method,
    filter_by_name,
    filter_by_tag,
    filter_reads,
    hide_inputs,
    hide_tools,
    limit_tools,
    rename_tools,
)
from restwright.tools.dialects import dialect_named

PAGE = {"name": "page", "in": "query", "schema": {"type": "integer"}}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
PETS: dict[str, Any] = {
    "/pets": {
        "get": {"operationId": "list", "tags": ["Pets"], "parameters": [PAGE]},
        "post": {"operationId": "add", "tags": ["Pets", "admin"]},
    },
    "/old": {"get": {"operationId": "search", "deprecated": True}},
    "/pets/{id}": {"delete": {"operationId": "drop", "parameters": [ID]}},
}


def zoo() -> Catalog:
    return catalog(load(document(PETS), alias="zoo"))


def both() -> Catalog:
    shop = document({"/carts": {"get": {"operationId": "list"}, "put": {"operationId": "aaa"}}})
    return catalog(load(document(PETS), alias="zoo"), load(shop, alias="shop"))


def test_filters_keep_names_and_order() -> None:
    whole = zoo()
    assert whole.names == ("zoo__add", "zoo__drop", "zoo__list", "zoo__search")
    assert filter_by_name(whole, "zoo__l*", "add").names == ("zoo__add", "zoo__list")
    assert exclude_by_name(whole, "*a*").names == ("zoo__drop", "zoo__list")
    assert filter_by_tag(whole, "pets").names == ("zoo__add", "zoo__list")
    assert filter_by_method(whole, "post", "DELETE").names == ("zoo__add", "zoo__drop")
    assert filter_reads(whole).names == ("zoo__list", "zoo__search")
    assert exclude_deprecated(whole).names == ("zoo__add", "zoo__drop", "zoo__list")
    assert filter_reads(exclude_deprecated(filter_by_tag(whole, "Pets"))).names == ("zoo__list",)


def test_the_old_catalog_stays_as_it_is() -> None:
    whole = zoo()
    hide_tools(rename_tools(whole, {"list": "all"}), "zoo__all")
    assert whole.names == ("zoo__add", "zoo__drop", "zoo__list", "zoo__search")


def test_operations_are_hidden_by_name_and_an_unknown_name_is_refused() -> None:
    assert hide_tools(zoo(), "zoo__add", "drop").names == ("zoo__list", "zoo__search")
    with pytest.raises(UnknownTool):
        hide_tools(zoo(), "zoo__lst")
    with pytest.raises(UnknownTool) as caught:
        hide_tools(both(), "list")
    assert set(caught.value.close) == {"zoo__list", "shop__list"}


def test_an_optional_parameter_is_hidden_from_text_schema_and_checks() -> None:
    tool = hide_inputs(zoo(), "list", "page")["zoo__list"]
    assert (tool.shows["properties"], tool.checks["properties"], tool.inputs) == ({}, {}, ())
    assert "page" in zoo()["zoo__list"].shows["properties"]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("list", "pge", "'pge' is no parameter of zoo__list; did you mean page?"),
        ("drop", "id", "'id' is required by zoo__drop, so it cannot be hidden"),
    ],
)
def test_an_input_that_cannot_be_hidden_is_refused(name: str, given: str, said: str) -> None:
    with pytest.raises(NoSuchPart) as caught:
        hide_inputs(zoo(), name, given)
    assert str(caught.value) == said


def test_tools_are_renamed_by_a_mapping_or_a_function() -> None:
    assert rename_tools(zoo(), {"list": "pets", "zoo__add": "x"}).names == (
        "zoo__drop",
        "zoo__pets",
        "zoo__search",
        "zoo__x",
    )
    loud = rename_tools(zoo(), str.upper)
    assert loud.names == ("zoo__ADD", "zoo__DROP", "zoo__LIST", "zoo__SEARCH")
    assert (loud["zoo__ADD"].name, loud["zoo__ADD"].operation_name) == ("zoo__ADD", "ADD")


def test_names_may_be_swapped_and_tools_follow() -> None:
    whole = zoo()
    assert whole["zoo__list"].operation.path == "/pets"
    swapped = rename_tools(whole, {"list": "search", "search": "list"})
    assert swapped["zoo__list"].operation.path == "/old"
    assert whole["zoo__list"].operation.path == "/pets"


def test_two_tools_of_one_new_name_are_the_developers_mistake() -> None:
    with pytest.raises(NameCollision) as caught:
        rename_tools(zoo(), {"list": "add"})
    assert caught.value == NameCollision("zoo__add", ["POST /pets", "GET /pets"])
    with pytest.raises(ValueError, match="no legal tool name"):
        rename_tools(zoo(), {"list": "all pets"})


def test_a_limit_keeps_the_named_and_then_each_api_in_turn_and_says_what_is_left_out() -> None:
    less = limit_tools(both(), 3, first=["search"])
    assert less.names == ("shop__list", "zoo__list", "zoo__search")
    assert [str(each) for each in less.problems_by_namespace["zoo"]] == [
        "(whole document): a limit of 3 tools leaves out 2: zoo__add, zoo__drop (not offered)"
    ]
    assert less.problems_by_namespace["zoo"][0] in less.problems
    assert limit_tools(both(), 6).problems_by_namespace == both().problems_by_namespace


def test_ready_made_tools_stand_beside_those_of_documents() -> None:
    made = catalog(load(document({"/say": {"post": {"operationId": "say"}}}), alias="voice"))
    whole = add_tools(zoo(), *made.tools)

    assert whole.names[0] == "voice__say"
    assert whole["voice__say"] is made["voice__say"]
    assert whole.find("say") is made["voice__say"]
    assert (
        whole.render("voice__say", dialect_named("openai")).shape
        == made.render("voice__say", dialect_named("openai")).shape
    )
    assert rename_tools(whole, {"say": "speak"})["voice__speak"].operation.path == "/say"
    assert whole.index()["voice"]["tools"] == 1


def test_ready_made_tools_share_no_namespace_with_a_document_and_no_name() -> None:
    whole = zoo()
    with pytest.raises(NameCollision):
        add_tools(whole, whole["zoo__list"])
    made = catalog(load(document({"/say": {"post": {"operationId": "say"}}}), alias="voice"))
    with pytest.raises(NameCollision):
        add_tools(whole, *made.tools, *made.tools)


GLOBS = st.sampled_from(["*", "zoo__*", "shop__*", "list", "a*", "no*"])


@given(st.lists(GLOBS, max_size=3), st.lists(GLOBS, max_size=3))
def test_filters_may_be_put_together_in_any_order(some: list[str], other: list[str]) -> None:
    one = exclude_by_name(filter_by_name(both(), *some), *other)
    assert one.names == filter_by_name(exclude_by_name(both(), *other), *some).names
    assert list(one.names) == [each for each in both().names if each in one]


def test_functions_stay_functions_under_other_names():
    def one() -> int:
        return 1

    whole = rw.functions(one)
    named = rw.filters.rename_tools(whole, {"one": "first"})
    bare = rw.filters.drop_namespaces(named)
    assert ([*named], [*bare]) == (["functions__first"], ["first"])
    for tool in (named["functions__first"], bare["first"]):
        assert rw.call(tool, {}, policy=rw.policy.ALLOW).value == 1
    with pytest.raises(NameCollision, match="one"):
        rw.filters.drop_namespaces(rw.catalog(whole, rw.functions(one, namespace="more")))
