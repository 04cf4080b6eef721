"""Every operation of the shared documents becomes a tool: whole, legal, and small."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from restwright.openapi.api import load
from restwright.testing import never
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.options import ToolOptions
from restwright.tools.schemas.elision import LEFT_OUT_MARK
from restwright.tools.schemas.traverse import schema_references, subschemas
from restwright.tools.security import credential_parameters
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.text.media_types import body_media_type
from restwright.tools.text.type_summary import summarize_type
from restwright.tools.tool import Tool

SPECS = Path(__file__).parents[2].parent / "shared" / "data" / "specs"
INDEX = json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []
LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
LEGAL_INPUT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
CONSTRAINTS = (
    *("enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern"),
    *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "multipleOf", "format"),
)
BUDGET = 16_000

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {SPECS} is not there"),
]
documents = pytest.mark.parametrize("expected", [pytest.param(e, id=e["file"]) for e in INDEX])


@lru_cache(maxsize=2)
def tools_of(file: str, *, lean: bool = False) -> Catalog:
    return catalog(load(SPECS / file, retrieve=never), options=ToolOptions(lean=lean))


def size(tool: Tool) -> int:
    return len(tool.name) + len(tool.description) + len(to_json_bytes(tool.shows).decode())


@documents
def test_every_operation_becomes_a_tool(expected: dict[str, Any]) -> None:
    whole = tools_of(expected["file"])
    errors = [each for each in whole.problems if each.severity == "error"]
    left_out = expected["operations"] - len(whole)

    assert left_out <= min(len(errors), expected["operations"] // 1000)
    assert all(LEGAL.fullmatch(name) for name in whole.names)
    assert [tool.name for tool in whole.tools] == sorted(set(whole.names))


@documents
def test_schemas_are_valid_and_whole(expected: dict[str, Any]) -> None:
    for tool in tools_of(expected["file"]).tools:
        for schema in (tool.checks, tool.shows, tool.output):
            assert_whole(tool.name, schema)
        jsonschema_rs.validator_for(tool.checks)
        assert 0 < len(summarize_type(tool.output)) <= 1500
        assert 0 < len(tool.description) <= 1024


def assert_whole(name: str, schema: Any) -> None:
    definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    assert {ref for each in (schema, *definitions.values()) for ref in schema_references(each)} == {
        f"#/$defs/{name}" for name in definitions
    }, name
    assert schema is None or jsonschema_rs.meta.is_valid(schema), name


@documents
def test_no_required_input_is_lost(expected: dict[str, Any]) -> None:
    whole = tools_of(expected["file"])
    [api] = whole.apis.values()
    for tool in whole.tools:
        operation = tool.operation
        given = {(each.location, each.target) for each in tool.inputs if each.name in tool.required}
        needed = {(each.location, each.name) for each in operation.parameters if each.required}
        # What carries a credential is the connection's to fill in.
        needed -= credential_parameters(operation, api.security_schemes)
        assert needed <= given, tool.name
        assert body_media_type(operation) is None or any(
            each.location.startswith("body") for each in tool.inputs
        ), tool.name
        assert [each.name for each in tool.inputs] == list(tool.properties)
        assert all(LEGAL_INPUT.fullmatch(each.name) for each in tool.inputs), tool.name
        assert tuple(tool.shows.get("required", ())) == tool.required
        assert set(tool.required) <= set(tool.shows["properties"]) <= set(tool.properties)


@documents
def test_what_is_shown_keeps_to_the_budget_and_marks_what_goes(expected: dict[str, Any]) -> None:
    for lean in (False, True):
        for tool in tools_of(expected["file"], lean=lean).tools:
            assert size(tool) <= BUDGET, tool.name
            is_cut = any(each.startswith("/") for each in tool.left_out)
            assert is_cut <= (LEFT_OUT_MARK in json.dumps(tool.shows)), tool.name
            if not is_cut:
                assert_nothing_else_went(tool, lean=lean)


def assert_nothing_else_went(tool: Tool, *, lean: bool) -> None:
    """Where no part is left out, every property and every constraint is there."""
    shown, checked = Counter(facts(tool.shows)), Counter(facts(tool.checks, lean=lean))
    if any(each.allow_empty_value for each in tool.operation.parameters):
        # That a parameter may be empty is checked but not shown.
        checked.pop(("const", '""'), None)
    # Merging two parts may say a thing once that both of them said.
    assert checked.keys() - shown.keys() == set(), tool.name


def facts(schema: Any, *, lean: bool = False) -> Iterator[tuple[str, str]]:
    """`(keyword, value)` of every property name and constraint of a schema and its `$defs`."""
    waiting = [schema]
    if isinstance(schema, dict):
        waiting += schema.get("$defs", {}).values()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        required = node.get("required", ())
        gone = {
            name
            for name, each in node.get("properties", {}).items()
            if lean and name not in required and isinstance(each, dict) and each.get("deprecated")
        }
        yield from (("properties", name) for name in node.get("properties", {}) if name not in gone)
        # An empty enumeration, which providers refuse, is checked but not shown.
        yield from ((key, json.dumps(node[key])) for key in CONSTRAINTS if node.get(key, []) != [])
        kept = {key: each for key, each in node.items() if key != "properties"}
        waiting += [each for name, each in node.get("properties", {}).items() if name not in gone]
        waiting += subschemas(kept)


def test_a_large_document_is_small_for_a_model() -> None:
    whole = tools_of("github__v3.json")
    lean = tools_of("github__v3.json", lean=True)

    assert sum(map(size, whole.tools)) < 1_700_000
    assert sum(map(size, lean.tools)) < 850_000
