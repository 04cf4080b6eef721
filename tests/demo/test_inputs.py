"""What the shop reads from a request: a checked input or a refusal, never anything else."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.demo.document import Body, Operation, operations
from restwright.demo.inputs import read_body, read_query
from restwright.demo.refusal import Refusal

NAMED = {operation.operation_id: operation for operation in operations()}
PRODUCTS: Operation = NAMED["list_products"]
BODIES = tuple(operation.body for operation in operations() if operation.body)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def test_query_values_get_the_types_of_the_document() -> None:
    pairs = [("max_price", "9.50"), ("in_stock", "true"), ("page", "2"), ("search", "2")]
    assert read_query(pairs, PRODUCTS.query) == {
        "max_price": 9.5,
        "in_stock": True,
        "page": 2,
        "search": "2",
        "sort": "name_asc",
        "page_size": 20,
    }


@given(
    st.lists(
        st.tuples(st.sampled_from([*PRODUCTS.query, "x"]), st.text() | st.from_regex(r"-?\d+"))
    )
)
def test_any_query_is_read_or_refused(pairs: list[tuple[str, str]]) -> None:
    with suppress(Refusal):
        read_query(pairs, PRODUCTS.query)


@given(st.sampled_from(BODIES), st.data())
def test_any_body_is_read_or_refused(body: Body, draw: st.DataObject) -> None:
    names = st.sampled_from([*body.properties, "x"])
    value = draw.draw(JSON | st.dictionaries(names, JSON))
    with suppress(Refusal):
        read_body(json.dumps(value).encode(), body)


@given(st.binary())
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with suppress(Refusal):
        read_body(raw, BODIES[0])


@pytest.mark.parametrize("operation", operations(), ids=lambda each: each.operation_id)
def test_defaults_are_values_that_may_be_given(operation: Operation) -> None:
    defaults = read_query([], operation.query)
    assert (
        read_query([(name, str(value)) for name, value in defaults.items()], operation.query)
        == defaults
    )
