"""Schemas of every draft mean in canonical form what the JSON Schema Test Suite says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from restwright.openapi.upgrade import upgrade_document

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SUITE = DATA / "conformance" / "json-schema-test-suite" / "tests"
POINTER = "#/components/schemas/Tested"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SUITE.is_dir(), reason=f"the shared data set {SUITE} is not there"),
]


def groups(draft: str) -> Iterator[dict[str, Any]]:
    for path in sorted((SUITE / draft).glob("*.json")):
        yield from json.loads(path.read_text())


def openapi(version: str, schema: Any) -> dict[str, Any]:
    return {"openapi": version, "components": {"schemas": {"Tested": schema}}}


def moved(node: Any) -> Any:
    """`node` with its references leading into a component, as they do in a document."""
    if isinstance(node, list):
        return [moved(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: value if key in {"enum", "const"} else reference(key, value) or moved(value)
        for key, value in node.items()
    }


def reference(key: str, value: Any) -> str | None:
    is_inside = isinstance(value, str) and (value == "#" or value.startswith("#/"))
    return POINTER + value[1:] if key == "$ref" and is_inside else None


def leaves_the_schema(schema: Any) -> bool:
    """Whether it has a base of its own, or a reference to another document."""
    text = json.dumps(schema)
    return '"$ref"' in text and any(each in text for each in ('id":', '": "http', '"urn:'))


@pytest.mark.parametrize(("draft", "at_least"), [("draft4", 550), ("draft6", 750), ("draft7", 830)])
def test_a_schema_of_an_earlier_draft_accepts_what_it_did(draft: str, at_least: int) -> None:
    tested = 0
    for group in groups(draft):
        if leaves_the_schema(group["schema"]):
            continue
        whole = upgrade_document(openapi("3.0.3", moved(group["schema"])))
        schema = {"$ref": POINTER, "components": whole["components"]}
        for test in group["tests"]:
            tested += 1
            accepted = jsonschema_rs.is_valid(schema, test["data"])
            assert accepted is test["valid"], (group["description"], test["description"])
    assert tested > at_least


def test_a_schema_of_2020_12_stays_as_it_is() -> None:
    for group in groups("draft2020-12"):
        info = {"title": "Test", "version": "1"}
        document = {"info": info, **openapi("3.1.0", group["schema"])}
        assert upgrade_document(document) == {**document, "openapi": "3.2.0"}, group["description"]
