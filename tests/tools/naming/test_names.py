from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.model import Method, Operation, Problem
from restwright.tools.naming.accessor import name_by_accessor
from restwright.tools.naming.names import (
    OperationNames,
    ToolName,
    name_from_path,
    name_operations,
    room_for_name,
    shorten_name,
    tool_name,
)

LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def operation(
    method: str = "get", path: str = "/", operation_id: str | None = None, pointer: str = ""
) -> Operation:
    return Operation(
        method=Method(method),
        path=path,
        operation_id=operation_id,
        pointer=pointer or f"/paths/{path.replace('/', '~1')}/{method}",
    )


def names(*operations: Operation) -> list[str]:
    return list(name_operations(operations).names.values())


@pytest.mark.parametrize(
    ("operation_id", "name"),
    {
        "listPets": "listPets",
        "repos/list-for-org": "repos_list-for-org",
        "Pet.get(by id)": "Pet_get_by_id",
        "__a___b__": "a_b",
        "2fa": "_2fa",
        "caf\u00e9": "cafe",
        "\u83b7\u53d6": "pets_by_id",
        "": "pets_by_id",
        None: "pets_by_id",
    }.items(),
    ids=str,
)
def test_an_operation_id_is_used_where_it_can_be(operation_id: str | None, name: str) -> None:
    assert names(operation("get", "/pets/{id}", operation_id)) == [name]


@pytest.mark.parametrize(
    ("route", "name"),
    {
        "get /pets": "pets",
        "post /pets": "post_pets",
        "get /": "root",
        "delete /": "delete_root",
        "get /repos/{owner}/{repo}/issues": "repos_by_owner_and_repo_issues",
        "get /files/{name}.{ext}": "files_by_name_and_ext",
        "put /v1/order-items/{itemId}": "put_v1_order-items_by_itemId",
        "get /2fa": "2fa",
        "get /{id}": "by_id",
        "get /{\u83b7}": "by",
    }.items(),
)
def test_a_path_says_its_words_and_other_methods_lead(route: str, name: str) -> None:
    method, path = route.split(" ")

    assert name_from_path(Method(method), path) == name


def test_all_members_of_a_collision_are_qualified() -> None:
    assert names(
        operation("get", "/a", "list"),
        operation("get", "/b", "list"),
        operation("delete", "/b", "list"),
        operation("get", "/c", "other"),
    ) == ["list_get_a", "list_get_b", "list_delete_b", "other"]


def test_an_operation_without_an_id_is_qualified_by_its_method() -> None:
    found = name_operations([operation("get", "/pets"), operation("get", "/dogs", "pets")])

    assert list(found.names.values()) == ["get_pets", "pets_get_dogs"]
    assert found.problems == (
        Problem(
            "/paths/~1pets/get",
            "its name 'pets' is also that of GET /dogs",
            action="named 'get_pets'",
        ),
        Problem(
            "/paths/~1dogs/get",
            "its name 'pets' is also that of GET /pets",
            action="named 'pets_get_dogs'",
        ),
    )


def test_an_identifier_that_says_nothing_is_a_problem() -> None:
    found = name_operations([operation("get", "/pets", "\u83b7\u53d6")])

    assert found.problems == (
        Problem(
            "/paths/~1pets/get/operationId",
            "says too little in ASCII letters",
            severity="information",
            action="named 'pets' after its path",
        ),
    )


def test_names_that_only_differ_in_what_is_not_legal_get_a_hash() -> None:
    found = names(operation("get", "/a.b"), operation("get", "/a b"))

    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"get_a_b_[0-9a-f]{8}", name) for name in found)


@pytest.mark.parametrize(
    ("method", "name"),
    {"query": "query_a", "COPY": "copy_a", "M-SEARCH": "m-search_a", "\u83b7": "call_a"}.items(),
)
def test_any_method_leads(method: str, name: str) -> None:
    assert names(operation(method, "/a")) == [name]


def test_a_path_of_nothing_in_ascii_gets_a_hash() -> None:
    found = names(operation("get", "/\u83b7"), operation("get", "/\u53d6"))

    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"get_[0-9a-f]{8}", name) for name in found)


def test_a_chain_of_collisions_ends() -> None:
    """Each operation has the name that the one before it gets for its collision."""
    chain = [operation("get", "/0", "a"), operation("get", "/other", "a")]
    for index in range(1, 500):
        twin = operation("get", "/twin", chain[0].operation_id)
        chain.insert(0, operation("get", f"/{index}", names(chain[0], twin)[0]))
    found = names(*chain)

    assert len(set(found)) == len(chain)


def test_a_long_name_keeps_its_beginning_and_gets_a_hash() -> None:
    long = "list_" + "x" * 80

    assert names(operation("get", "/a", long)) == [
        "list_" + "x" * 50 + "_" + shorten_name(long, 64)[-8:]
    ]
    assert len(tool_name("a_namespace_of_some20", shorten_name(long, 41))) <= 64


@pytest.mark.parametrize(
    ("operation_id", "name"),
    {
        "shop_list": "list",
        "shop-list": "list",
        "shopListOrders": "listOrders",
        "ShopList": "List",
        "SHOP_List": "List",
        "shop.list": "list",
        "shop": "shop",
        "shopping_list": "shopping_list",
        "shop_2": "shop_2",
        "shop_by_id": "shop_by_id",
        "list_shop": "list_shop",
    }.items(),
)
def test_a_leading_copy_of_the_namespace_goes(operation_id: str, name: str) -> None:
    found = name_operations([operation("get", "/a", operation_id)], namespace="shop")

    assert list(found.names.values()) == [name]


def test_a_namespace_of_several_words_goes_however_it_is_written() -> None:
    several = [operation("get", f"/{each}", each) for each in ("PetStoreFind", "pet_store_add")]

    assert list(name_operations(several, namespace="pet_store").names.values()) == ["Find", "add"]


def test_a_copy_of_the_namespace_stays_where_the_rest_is_another_operation() -> None:
    several = [
        operation("get", f"/{each}", each) for each in ("shop_list", "list", "shop_shop_list")
    ]
    found = name_operations(several, namespace="shop")

    assert list(found.names.values()) == ["shop_list", "list", "shop_shop_list"]
    assert found.problems[0] == Problem(
        several[0].pointer,
        "its name 'shop_list' repeats the namespace, and 'list' is also that of another operation",
        severity="information",
        action="named 'shop_list'",
    )
    assert len(found.problems) == 2


def test_a_name_that_does_not_fit_beside_its_namespace_is_refused_rather_than_cut_again() -> None:
    assert room_for_name("shop") == 58
    assert room_for_name("shop", name_length=45) == 39
    with pytest.raises(ValueError, match="no legal tool name"):
        tool_name("shop", "x" * 59)


@pytest.mark.parametrize("name", ["", "1a", "a b", "a" * 65, "a.b", "\u00e9", "-a", "a\n"])
def test_an_illegal_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no legal tool name"):
        ToolName(name)


paths = st.lists(
    st.sampled_from(["pets", "{id}", "a-b", "a_b", "a.b", "\u00e9", "{a}.{b}", "x" * 40, ""]),
    max_size=5,
).map(lambda segments: "/" + "/".join(segments))
operations = st.lists(
    st.builds(
        operation,
        method=st.sampled_from(["get", "post", "query", "COPY", "copy", "Get", "\u83b7", "-"]),
        path=paths,
        operation_id=st.none()
        | st.text(max_size=90)
        | st.sampled_from(["list", "list_", "list.get", "a_list", "aList", "a_a_list"]),
    ),
    max_size=12,
    unique_by=lambda each: each.pointer,
)


@given(operations, st.integers(min_value=30, max_value=64), st.sampled_from(["", "a"]))
def test_names_are_legal_and_unique(
    several: list[Operation], max_length: int, namespace: str
) -> None:
    found = name_operations(several, max_length=max_length, namespace=namespace).names

    assert list(found) == [each.pointer for each in several]
    assert all(LEGAL.fullmatch(name) and len(name) <= max_length for name in found.values())
    assert len(set(found.values())) == len(several)


@given(operations)
def test_the_order_of_operations_does_not_matter(several: list[Operation]) -> None:
    forth = name_operations(several, namespace="a")

    assert name_operations(several[::-1], namespace="a").names == forth.names


@given(operations, operations, st.sampled_from(["", "a"]))
def test_added_operations_change_no_name_but_those_that_problems_name(
    several: list[Operation], more: list[Operation], namespace: str
) -> None:
    before = name_operations(several, namespace=namespace)
    both = {each.pointer: each for each in (*more, *several)}.values()
    whole = name_operations(both, namespace=namespace)
    named = {each.pointer for each in (*before.problems, *whole.problems)}

    assert {key: name for key, name in before.names.items() if key not in named} == {
        key: whole.names[key] for key in before.names if key not in named
    }


@given(st.text(max_size=70))
def test_a_name_is_accepted_exactly_where_it_matches_the_pattern(name: str) -> None:
    if LEGAL.fullmatch(name):
        assert ToolName(name) == name
    else:
        with pytest.raises(ValueError, match="no legal tool name"):
            ToolName(name)


PAGE = (Path(__file__).parents[3] / "docs" / "naming.md").read_text("utf-8")


def tables(head: str) -> list[list[list[str]]]:
    """The cells of the tables whose first column is called `head`."""
    found = re.findall(r"^\| ([^|]+?) \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [
        [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows.splitlines()]
        for first, rows in found
        if first == head
    ]


def of_route(route: str, operation_id: str = "") -> Operation:
    method, path = route.split(" ", 1)
    return operation(method.lower() if method in FIXED else method, path, operation_id or None)


FIXED = {"GET", "POST", "DELETE"}
ALONE = [row for head in ("Operation", "Accessor of") for table in tables(head) for row in table]


@pytest.mark.parametrize("row", ALONE, ids=lambda row: row[-1])
def test_the_page_names_operations_as_they_are_named(row: list[str]) -> None:
    *said, name = row
    named = name_by_accessor if len(said) == 1 else name_operations

    assert list(named([of_route(*said)]).names.values()) == [name]


@pytest.mark.parametrize(
    ("head", "named"),
    [("Operations together", name_operations), ("Accessors together", name_by_accessor)],
)
def test_the_page_tells_what_happens_to_collisions(
    head: str, named: Callable[[list[Operation]], OperationNames]
) -> None:
    (rows,) = tables(head)

    assert list(named([of_route(*row[:-1]) for row in rows]).names.values()) == [
        row[-1] for row in rows
    ]


def test_the_page_has_examples_and_is_short() -> None:
    assert len(ALONE) == 18
    assert len(PAGE.splitlines()) <= 180
