from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import UnresolvedReference
from restwright.openapi.references import (
    find_unresolved_references,
    join_pointer,
    lookup_reference,
    resolve_reference,
    split_pointer,
)

DOCUMENT = {
    "paths": {"/pets/{id}": {"get": {"parameters": [{"name": "id"}]}}},
    "components": {
        "schemas": {
            "Pet": {"type": "object"},
            "Alias": {"$ref": "#/components/schemas/Pet"},
            "A": {"$ref": "#/components/schemas/B"},
            "B": {"$ref": "#/components/schemas/A"},
            "a/b~c d%": {"type": "string"},
        }
    },
}


@pytest.mark.parametrize(
    ("ref", "expected"),
    {
        "#/components/schemas/Pet": {"type": "object"},
        "#/components/schemas/Alias": {"type": "object"},
        "#/components/schemas/a~1b~0c%20d%25": {"type": "string"},
        "#/paths/~1pets~1%7Bid%7D/get/parameters/0/name": "id",
        "#": DOCUMENT,
    }.items(),
    ids=str,
)
def test_local_references_are_resolved(ref: str, expected: object) -> None:
    assert resolve_reference(DOCUMENT, ref) == expected


@pytest.mark.parametrize(
    ("ref", "why"),
    {
        "#/components/schemas/Nope": "there is no 'Nope' on the way",
        "#/paths/~1pets~1{id}/get/parameters/7": "there is no '7' on the way",
        "#/paths/~1pets~1{id}/get/parameters/-1": "there is no '-1' on the way",
        "#/components/schemas/A": "the references form a circle",
        "#anchor": "nothing has the anchor 'anchor'",
        "pet.yaml": "it points outside the document, which is never fetched",
        "file:///etc/passwd": "it points outside the document, which is never fetched",
        "https://x.example/a.json#/Pet": "it points outside the document, which is never fetched",
    }.items(),
    ids=str,
)
def test_others_say_why_not(ref: str, why: str) -> None:
    with pytest.raises(UnresolvedReference) as caught:
        resolve_reference(DOCUMENT, ref)
    assert caught.value.why == why


def test_a_long_chain_has_an_end() -> None:
    schemas = {f"S{n}": {"$ref": f"#/s/S{n + 1}"} for n in range(5000)} | {
        "S5000": {"type": "null"}
    }

    assert resolve_reference({"s": schemas}, "#/s/S0") == {"type": "null"}


def test_every_reference_that_leads_nowhere_is_found() -> None:
    document = {
        "paths": {"/a": {"get": {"schema": {"items": [{"$ref": "#/nope"}]}}}},
        "examples": {"one": {"value": {"$ref": "#/data"}}},
        "components": {"schemas": {"T": {"properties": {"$ref": {"type": "string"}}}}},
        "x-more": {"$ref": "#/extension"},
    }

    assert [(pointer, error.ref) for pointer, error in find_unresolved_references(document)] == [
        ("/paths/~1a/get/schema/items/0/$ref", "#/nope")
    ]


def test_circles_and_chains_to_nowhere_are_found_at_every_link() -> None:
    document = {
        "s": {
            "A": {"$ref": "#/s/B"},
            "B": {"$ref": "#/s/A"},
            "C": {"$ref": "#/s/D"},
            "D": {"$ref": "#/nope"},
            "E": {"$ref": "#/s/F"},
            "F": {"type": "null"},
        }
    }

    assert [pointer for pointer, _ in find_unresolved_references(document)] == [
        "/s/A/$ref",
        "/s/B/$ref",
        "/s/C/$ref",
        "/s/D/$ref",
    ]


@given(st.lists(st.text()))
def test_a_pointer_names_its_tokens(tokens: list[str]) -> None:
    assert list(split_pointer(join_pointer(*tokens))) == tokens


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_a_pointer_finds_what_it_was_made_for(tokens: list[str]) -> None:
    document: object = "found"
    for token in reversed(tokens):
        document = {token: document}
    ref = "#" + join_pointer(*tokens).replace("%", "%25")
    assert isinstance(document, dict)

    assert lookup_reference(document, ref) == "found"
