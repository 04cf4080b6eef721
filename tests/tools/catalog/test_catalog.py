from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from restwright.errors import NameCollision, UnknownTool
from restwright.openapi.api import load
from restwright.openapi.model import API, Problem
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog, filter_operations
from restwright.tools.naming.namespace import Namespace
from restwright.tools.options import ToolOptions

PETS: dict[str, Any] = {
    "/pets": {
        "get": {"operationId": "listPets", "summary": "List pets"},
        "post": {"operationId": "addPet"},
    },
    "/pets/{id}": {"get": {"operationId": "getPet"}},
}


def api(alias: str, paths: dict[str, Any] = PETS, **more: Any) -> API:
    return load(document(paths, **more), alias=alias)


def test_tools_are_ordered_by_name_over_all_apis() -> None:
    both = catalog(api("zoo"), api("Shop", {"/carts": {"get": {}}}))

    assert both.names == ("shop__carts", "zoo__addPet", "zoo__getPet", "zoo__listPets")
    assert tuple(tool.name for tool in both.tools) == both.names
    assert len(both) == 4


def test_a_tool_is_built_when_it_is_asked_for_and_once() -> None:
    zoo = catalog(api("zoo"))

    assert (zoo.names, zoo.built) == (("zoo__addPet", "zoo__getPet", "zoo__listPets"), {})
    assert zoo["zoo__getPet"] is zoo["zoo__getPet"]
    assert list(zoo.built) == ["zoo__getPet"]


def test_a_tool_carries_its_operation_its_schemas_and_its_source() -> None:
    tool = catalog(api("zoo"))["zoo__getPet"]

    assert (tool.namespace, tool.operation_name, tool.description, tool.source) == (
        "zoo",
        "getPet",
        "Get pets by id (GET /pets/{id})",
        "object",
    )
    assert (tool.required, tool.is_read, tool.servers[0].url) == (
        ("id",),
        True,
        "https://api.example.test",
    )


def test_an_unknown_tool_is_answered_with_near_names() -> None:
    with pytest.raises(UnknownTool) as caught:
        catalog(api("zoo"))["zoo__getPets"]
    assert caught.value.close == ("zoo__getPet", "zoo__listPets", "zoo__addPet")


@pytest.mark.parametrize("name", ["getPett", "zoo__getPett", "GETPET"])
def test_an_unknown_tool_names_each_tool_once_and_by_its_whole_name(name: str) -> None:
    with pytest.raises(KeyError) as caught:
        catalog(api("zoo"))[name]
    assert isinstance(caught.value, UnknownTool)
    assert caught.value.close[0] == "zoo__getPet"
    assert {*caught.value.close} <= {"zoo__getPet", "zoo__listPets", "zoo__addPet"}
    assert len({*caught.value.close}) == len(caught.value.close)


def test_a_bare_name_is_found_where_only_one_api_has_it() -> None:
    both = catalog(api("zoo"), api("shop", {"/pets": {"get": {"operationId": "getPet"}}}))

    assert both.find("getPet") is None
    assert both.find("listPets") is both["zoo__listPets"]
    assert both.find("shop__getPet") is both["shop__getPet"]
    assert both.find("zoo__nothing") is None


def test_two_apis_may_not_share_a_namespace() -> None:
    with pytest.raises(NameCollision) as caught:
        catalog(api("zoo"), api("zoo"))
    assert caught.value == NameCollision("zoo", ("object", "object"))


def test_the_index_counts_reads_and_writes() -> None:
    assert catalog(api("zoo")).index() == {
        "zoo": {
            "title": "Test",
            "description": "",
            "tools": 3,
            "reads": 2,
            "writes": 1,
            "reason": "the alias given by the user",
            "source": "object",
            "version": "1",
            "sha256": api("zoo").sha256,
            "collisions": 0,
        }
    }


def test_namespaces_say_why() -> None:
    reason = "the title 'Test', as api.example.test names nobody"

    assert catalog(load(document({}))).namespaces == {"test": Namespace("test", reason)}


def test_references_that_lead_nowhere_are_problems() -> None:
    broken = api("zoo", {}, components={"schemas": {"A": {"items": {"$ref": "#/nope"}}}})

    assert catalog(broken).problems == (
        Problem(
            "/components/schemas/A/items/$ref",
            "cannot resolve $ref '#/nope': there is no 'nope' on the way",
            "error",
            "any value is accepted there",
        ),
    )


def test_a_part_of_a_catalog_keeps_its_names() -> None:
    reads = filter_operations(catalog(api("zoo")), lambda operation: operation.method.is_read)

    assert reads.names == ("zoo__getPet", "zoo__listPets")
    assert reads.index()["zoo"]["writes"] == 0


def test_long_names_are_at_most_64_characters_as_a_whole() -> None:
    paths = {"/a": {"get": {"operationId": "x" * 70}}, "/b": {"get": {"operationId": "x" * 71}}}
    whole = catalog(api("a_rather_long_alias_", paths))

    assert {len(name) for name in whole.names} == {64}
    assert [whole[name].operation_name for name in whole.names] == [
        name.partition("__")[2] for name in whole.names
    ]


def test_names_are_as_short_as_is_asked_for() -> None:
    paths = {"/a": {"get": {"operationId": "x" * 70}}, "/b": {"get": {"operationId": "get"}}}
    found = catalog(api("a_rather_long_alias", paths), options=ToolOptions(name_length=45))

    assert [len(name) for name in found.names] == [24, 45]
    assert [each.name for each in found.tools] == list(found.names)


def test_the_map_of_names_goes_both_ways() -> None:
    both = catalog(api("zoo"), api("shop"))

    for name, entry in both.entries.items():
        assert both.name_of(entry.operation, namespace=entry.namespace) == name
    assert both.name_of(entry.operation, namespace="other") is None


def test_the_tools_of_an_api_stand_beside_each_other() -> None:
    several = catalog(api("a1"), api("a"), api("a_b"))

    assert list(dict.fromkeys(name.partition("__")[0] for name in several.names)) == [
        *("a", "a1", "a_b"),
    ]


def test_a_catalog_is_searched_by_words() -> None:
    zoo = catalog(api("zoo"))

    assert [each.name for each in zoo.search("add a pet", k=1)] == ["zoo__addPet"]


def test_a_catalog_is_a_mapping_of_names_to_tools() -> None:
    found = catalog(api("shop", {"/a": {"get": {"operationId": "a", "tags": ["x"]}}}))

    assert isinstance(found, Mapping)
    assert [*found] == ["shop__a"] == [*found.keys()]
    assert [*found.values()] == list(found.tools)
    assert dict(found.items()) == {"shop__a": found["shop__a"]}
    assert found.get("shop__b") is None


def test_a_tool_says_what_it_calls() -> None:
    paths = {"/a/{id}": {"patch": {"operationId": "a", "tags": ["x"], "deprecated": True}}}
    (tool,) = catalog(api("shop", paths)).tools

    assert (tool.method, tool.path, tool.tags, tool.deprecated) == (
        "PATCH",
        "/a/{id}",
        ("x",),
        True,
    )
