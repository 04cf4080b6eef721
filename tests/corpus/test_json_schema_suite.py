"""The required cases of the JSON Schema Test Suite, each schema as the schema of a parameter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

SHARED = Path(__file__).parents[2].parent / "shared"
TESTS = SHARED / "data/conformance/json-schema-test-suite/tests/draft2020-12"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not TESTS.is_dir(), reason=f"the shared data set {TESTS} is not there"),
]


def groups() -> Iterator[Any]:
    for path in sorted(TESTS.glob("*.json")) if TESTS.is_dir() else ():
        for group in json.loads(path.read_text()):
            yield pytest.param(group, id=f"{path.stem}: {group['description']}")


def why_not(schema: Any) -> str:
    """Why a schema cannot be that of a parameter; empty where it can."""
    text = json.dumps(schema)
    if "http://localhost:1234/" in text:
        return "it refers to another file, which is fetched from a server"
    if '"$ref": "https://json-schema.org/' in text:
        return "it refers to the meta-schema, which is fetched from a server"
    return ""


@pytest.mark.parametrize("group", list(groups()))
def test_checks_accepts_and_rejects_as_the_suite_says(group: dict[str, Any]) -> None:
    schema = group["schema"]
    if reason := why_not(schema):
        pytest.skip(reason)
    if isinstance(schema, dict):
        # A schema of its own, so that `#` means it and not the document.
        schema = {"$id": "urn:example:root", **schema}
    parameter = {
        "name": "value",
        "in": "query",
        "content": {"application/json": {"schema": schema}},
    }
    paths = {"/a": {"get": {"parameters": [parameter]}}}
    tool = catalog(load(document(paths))).tools[0]
    validator = jsonschema_rs.Draft202012Validator(tool.checks)
    verdicts = {
        each["description"]: validator.is_valid({"value": each["data"]}) for each in group["tests"]
    }

    assert verdicts == {each["description"]: each["valid"] for each in group["tests"]}
