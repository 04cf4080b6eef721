"""The overlay that is proposed for what the linter finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.api import load
from restwright.openapi.autofix import propose_overlay, to_json_path
from restwright.openapi.load.json_path import JSONPathQueries
from restwright.openapi.references import join_pointer
from restwright.openapi.syntax.yaml_reader import parse_yaml
from restwright.openapi.syntax.yaml_writer import to_yaml
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

ODD: dict[str, Any] = {
    "/it's/{id}": {
        "get": {"responses": {"200": {"description": "Fine."}}},
        "post": {"operationId": "same", "summary": "One."},
    },
    "/other": {
        "get": {"operationId": "same", "description": "Other."},
        "put": {"operationId": "fine", "summary": "Fine."},
    },
}


def names_of(content: dict[str, Any], *overlays: Any) -> dict[str, str]:
    tools = catalog(load(content, alias="odd", overlays=overlays))
    return {each.operation.pointer: each.operation_name for each in tools.entries.values()}


def proposed(content: dict[str, Any]) -> Any:
    return propose_overlay(load(content, alias="odd"), names_of(content))


@pytest.mark.parametrize("version", ["3.1.0", "2.0"])
def test_what_is_proposed_makes_the_problems_go_away(version: str) -> None:
    content = document(ODD)
    if version == "2.0":
        content = {"swagger": "2.0", "info": content["info"], "paths": ODD, "host": "a.test"}
        content["schemes"] = ["https"]
    before, overlay = load(content, alias="odd"), proposed(content)
    after = load(content, alias="odd", overlays=[overlay])
    said = {each.what for each in before.problems} - {each.what for each in after.problems}
    assert said >= {
        "has no `operationId`",
        "has no summary and no description",
        "no parameter describes {id} of the path",
    }
    assert not catalog(after).problems_by_namespace.get("odd")
    assert propose_overlay(after, names_of(content, overlay)) is None


def test_tools_keep_their_names() -> None:
    content = document(ODD)
    assert names_of(content, proposed(content)) == names_of(content)


def test_what_is_fine_is_left_alone() -> None:
    targets = [each["target"] for each in proposed(document(ODD))["actions"]]
    assert targets == [
        r"$.paths['/it\'s/{id}'].get",
        r"$.paths['/it\'s/{id}'].post",
        "$.paths['/other'].get",
    ]
    assert proposed(document({"/other": {"put": ODD["/other"]["put"]}})) is None


def test_what_stands_behind_a_reference_is_left_alone() -> None:
    content = document({"/a": {"$ref": "#/components/pathItems/A"}})
    content["components"] = {"pathItems": {"A": {"get": {}}}}
    assert proposed(content) is None


KEYS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


@given(KEYS, KEYS)
def test_the_query_of_any_place_finds_it(first: str, second: str) -> None:
    found = JSONPathQueries().find(to_json_path(join_pointer(first, second)), {first: {second: 1}})
    assert found == [(first, second)]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "1",
        "1e3",
        "0x1",
        "true",
        "null",
        "~",
        "",
        "<<",
        "-",
        "1.",
        ".inf",
        "yes",
        "2020-01-01",
        "a\nb",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | TEXTS | st.floats(-1e6, 1e6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(VALUES)
def test_yaml_that_is_written_is_read_as_the_same(value: Any) -> None:
    assert parse_yaml(to_yaml({"it": value}), source="it")[0] == {"it": value}
