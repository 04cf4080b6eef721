from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.jsontypes import Json
from restwright.openapi.model import Method, Operation, Problem
from restwright.tools.naming.accessor import accessor_from_path, name_by_accessor

LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def operation(route: str, override: Json = None) -> Operation:
    method, path = route.split(" ", 1)
    return Operation(
        method=Method(method.lower() if method in {"GET", "POST", "DELETE"} else method),
        path=path,
        pointer=f"/paths/{path.replace('/', '~1')}/{method}",
        extensions={} if override is None else {"x-samchon-accessor": override},
    )


def names(*operations: str | Operation) -> list[str]:
    several = [operation(each) if isinstance(each, str) else each for each in operations]
    return list(name_by_accessor(several).names.values())


@pytest.mark.parametrize(
    ("route", "expected"),
    {
        "POST /shopping/sellers/sales": "shopping.sellers.sales.post",
        "GET /shoppings/sellers/sales/:saleId/reviews/:reviewId/comments/:id": (
            "shoppings.sellers.sales.reviews.comments.getBySaleIdAndReviewIdAndId"
        ),
        "GET /sales/{saleId}/reviews/{reviewId}/{id}": (
            "sales.reviews.getBySaleIdAndReviewIdAndId"
        ),
        "DELETE /sales/{id}": "sales.eraseById",
        "GET /": "get",
        "GET /{id}": "getById",
        "GET /a//b/": "a.b.get",
        "GET /a.b-c": "a_b_c.get",
        "GET /v1.0": "v1_0.get",
        "GET /2fa": "_2fa.get",
        "GET /class": "_class.get",
        "GET /$metadata": "_metadata.get",
        "GET /-": "_.get",
        "GET /users/{user_id}/{x-y}": "users.getByUserIdAndXY",
        "GET /users/@me": "users.me.get",
        "POST /jobs/{name}:cancel": "jobs.cancel.postByName",
        "GET /files/{name}.{ext}": "files.getByNameAndExt",
        "GET /Users({id})/name": "Users.name.getById",
        "GET /map;v=1": "map_v_1.get",
        "GET /caf\u00e9": "cafe.get",
        "GET /\u83b7": "_960f0f8c.get",
        "query /a": "a.query",
        "COPY /a": "a.copy",
        "M-SEARCH /a": "a.mSearch",
    }.items(),
)
def test_an_accessor_is_made_of_path_words_method_and_parameters(route: str, expected: str) -> None:
    each = operation(route)

    assert ".".join(accessor_from_path(each.method, each.path)) == expected


def test_a_name_is_the_accessor_joined_by_underscores() -> None:
    assert names("POST /shopping/sellers/sales") == ["shopping_sellers_sales_post"]


def test_an_accessor_that_another_begins_with_gets_an_underscore() -> None:
    found = name_by_accessor([operation("GET /users"), operation("GET /users/get")])

    assert list(found.names.values()) == ["users__get", "users_get_get"]
    assert found.problems == (
        Problem(
            "/paths/~1users/GET",
            "its name 'users_get' is also that of another operation or namespace",
            severity="information",
            action="named 'users__get'",
        ),
    )


def test_the_first_pointer_keeps_a_name_that_several_have() -> None:
    assert names("GET /{id}/a", "GET /a/{id}", "GET /a/x_y", "GET /a/x/y", "GET /a/x-y") == [
        "a__getById",
        "a_getById",
        "a_x_y__get",
        "a_x_y___get",
        "a_x_y_get",
    ]


def test_many_equal_accessors_get_digits_instead_of_more_underscores() -> None:
    found = names(*(f"GET {'/' * count}a" for count in range(1, 8)))

    assert found[:4] == ["a_get", "a__get", "a___get", "a____get"]
    assert all(re.fullmatch(r"a_get_[0-9a-f]{8}", name) for name in found[4:])


def test_a_long_name_keeps_its_last_parts_and_gets_a_hash() -> None:
    (name,) = names(f"GET /{'abcdefghij/' * 8}end/{{saleId}}")

    assert re.fullmatch(r"(abcdefghij_){3}end_getBySaleId_[0-9a-f]{8}", name)
    assert len(name) <= 64


def test_a_long_last_part_keeps_its_beginning() -> None:
    (name,) = names(f"GET /a/{{{'x' * 80}}}")

    assert re.fullmatch(r"getByXx{49}_[0-9a-f]{8}", name)


def test_the_document_may_give_accessors() -> None:
    assert names(operation("GET /a", ["shop", "list"]), "GET /shop/x") == [
        "shop_list",
        "shop_x_get",
    ]


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (["a", "b"], ["a", "b"], "is also that of another operation"),
        ("a.b", 3, "is no list of words"),
        ([], ["a", 1], "is no list of words"),
    ],
)
def test_an_accessor_that_cannot_be_used_is_a_problem(first: Json, second: Json, what: str) -> None:
    found = name_by_accessor([operation("GET /x", first), operation("GET /y", second)])

    assert list(found.names.values()) == ["x_get", "y_get"]
    assert found.problems == tuple(
        Problem(f"/paths/~1{path}/GET/x-samchon-accessor", what, action="named after its path")
        for path in "xy"
    )


segments = st.sampled_from(
    ["a", "b", "get", "a_b", "a-b", "{id}", "{Id}", ":id", "@me", "\u83b7", "{a}.{b}", "class"]
) | st.text(max_size=12)
operations = st.lists(
    st.builds(
        lambda method, path, override: operation(f"{method} {path}", override),
        method=st.sampled_from(["GET", "POST", "DELETE", "query", "COPY", "-", "\u83b7"]),
        path=st.lists(segments, max_size=4).map(lambda each: "/" + "/".join(each)),
        override=st.none() | st.lists(st.sampled_from(["a", "get", "\u83b7"]), max_size=3),
    ),
    max_size=12,
    unique_by=lambda each: each.pointer,
)


@given(operations, st.integers(min_value=30, max_value=64))
def test_names_are_legal_and_unique(several: list[Operation], max_length: int) -> None:
    found = name_by_accessor(several, max_length=max_length).names

    assert list(found) == [each.pointer for each in several]
    assert all(LEGAL.fullmatch(name) and len(name) <= max_length for name in found.values())
    assert len(set(found.values())) == len(several)


@given(operations)
def test_the_order_of_operations_does_not_matter(several: list[Operation]) -> None:
    assert name_by_accessor(several[::-1]).names == name_by_accessor(several).names


@given(operations, operations)
def test_added_operations_change_no_name_but_those_that_problems_name(
    several: list[Operation], more: list[Operation]
) -> None:
    before = name_by_accessor(several)
    whole = name_by_accessor({each.pointer: each for each in (*more, *several)}.values())
    named = {
        each.pointer.removesuffix("/x-samchon-accessor")
        for each in (*before.problems, *whole.problems)
    }

    assert {key: name for key, name in before.names.items() if key not in named} == {
        key: whole.names[key] for key in before.names if key not in named
    }
