"""Every tool of every real document, in every dialect: nothing that a provider would refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.dialects import CHECKERS
from tests.support.dialects.llama_grammar import unconverted
from tests.support.dialects.walking import every

from restwright.openapi.api import load
from restwright.testing import never
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.dialects import DIALECTS, rewrite_schema, to_provider_tool
from restwright.tools.tool import Tool

SPECS = Path(__file__).parents[2].parent / "shared" / "data" / "specs"
INDEX: list[dict[str, Any]] = (
    json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []
)
MAX_CHARS = 16_000
# What words may add to a root that is nearly as long without any definition.
WORDS = 1.25

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {SPECS} is not there"),
]


@pytest.fixture(scope="module", params=[each["file"] for each in INDEX])
def tools(request: pytest.FixtureRequest) -> Catalog:
    return catalog(load(SPECS / request.param, retrieve=never))


@pytest.mark.parametrize("name", DIALECTS)
def test_a_provider_refuses_no_tool(name: str, tools: Catalog) -> None:
    found = {tool.name: faults for tool in tools.tools if (faults := violations(tool, name))}
    assert found == {}


def test_llama_cpp_makes_a_grammar_of_every_tool(tools: Catalog) -> None:
    found = {}
    for tool in tools.tools:
        parameters = said_in(tool, "llama-grammar")["function"]["parameters"]
        if faults := unconverted(parameters):
            found[tool.name] = faults
    assert found == {}


def violations(tool: Tool, name: str) -> list[str]:
    return CHECKERS[name](said_in(tool, name))


def said_in(tool: Tool, name: str) -> dict[str, Any]:
    dialect = DIALECTS[name]
    return to_provider_tool(
        dialect,
        name=tool.name,
        description=tool.description,
        schema=rewrite_schema(tool.shows, dialect),
        method=tool.operation.method,
        title=tool.operation.summary,
        deprecated=tool.operation.deprecated,
    )


@pytest.mark.parametrize("name", ["gemini-openapi", "openapi-3.0"])
def test_an_inlined_schema_is_bounded(name: str, tools: Catalog) -> None:
    for tool in tools.tools:
        said = rewrite_schema(tool.shows, DIALECTS[name], max_chars=MAX_CHARS)
        text = json.dumps(said.schema, ensure_ascii=False, separators=(",", ":"))
        assert len(text) <= max(MAX_CHARS, WORDS * len(json.dumps(tool.shows)))


def test_what_is_required_stays_required_or_is_said(tools: Catalog) -> None:
    for tool in tools.tools:
        for dialect in DIALECTS.values():
            said = rewrite_schema(tool.shows, dialect).schema
            assert list(said["properties"]) == list(tool.shows["properties"])
            assert set(tool.shows.get("required", ())) <= set(said.get("required", ()))


def test_no_value_of_an_enumeration_is_lost(tools: Catalog) -> None:
    for tool in tools.tools:
        wanted = values_of(tool.shows)
        # The others put what stands beside alternatives into each of them, and some of its values
        # are impossible there; or leave out deep parts.
        for name in ("openai", "anthropic", "gemini"):
            said = rewrite_schema(tool.shows, DIALECTS[name]).schema
            words = json.dumps(said, ensure_ascii=False)
            words += words.replace('\\"', '"')  # as they stand in a description
            texts = [json.dumps(each, ensure_ascii=False) for each in wanted]
            assert [text for text in texts if text not in words] == []


def values_of(schema: Any) -> list[Any]:
    return [
        value
        for _, each in every(schema)
        if isinstance(each, dict)
        for value in each.get("enum", ())
    ]
