"""The checkers of the dialects find what they are for, in tools written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.dialects import CHECKERS

from restwright.jsontypes import JsonObject

TEXT: JsonObject = {"type": "string"}


def shaped(dialect: str, schema: Any, **more: Any) -> JsonObject:
    """A tool in the shape of a dialect, however bad its schema is."""
    said = {"name": "t", "description": "d"}
    if dialect == "anthropic":
        return {**said, "input_schema": schema, **more}
    if dialect == "gemini":
        return {**said, "parametersJsonSchema": schema, **more}
    if dialect == "mcp":
        return {**said, "inputSchema": schema, **more}
    if dialect in {"openai", "llama-grammar"}:
        return {"type": "function", "function": {**said, "parameters": schema, **more}}
    if dialect == "openai-strict":
        return {
            "type": "function",
            "function": {**said, "parameters": schema, "strict": True, **more},
        }
    if dialect == "openai-responses":
        return {"type": "function", **said, "parameters": schema, "strict": False, **more}
    if dialect == "openai-responses-strict":
        return {"type": "function", **said, "parameters": schema, "strict": True, **more}
    return {**said, "parameters": schema, **more}


def root(schema: Any) -> JsonObject:
    return {
        "type": "object",
        "properties": {"a": schema},
        "required": ["a"],
        "additionalProperties": False,
    }


def plain(schema: Any) -> JsonObject:
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.parametrize("name", CHECKERS)
def test_a_plain_tool_has_no_violations(name: str) -> None:
    schema = plain(TEXT) if name == "gemini-openapi" else root(TEXT)
    assert CHECKERS[name](shaped(name, schema)) == []


@pytest.mark.parametrize("name", CHECKERS)
def test_another_shape_is_a_violation(name: str) -> None:
    assert CHECKERS[name]({"name": "t"})
    assert CHECKERS[name](shaped(name, plain(TEXT)) | {"surplus": 1})


@pytest.mark.parametrize("name", sorted(CHECKERS.keys() - {"openapi-3.0"}))
def test_a_bad_name_is_a_violation(name: str) -> None:
    tool = shaped(name, root(TEXT))
    target = tool.get("function", tool)
    target["name"] = "no name!" + "x" * 200
    assert CHECKERS[name](tool)


BAD: list[tuple[str, JsonObject, str]] = [
    ("json-schema", plain({"type": "text"}), "not JSON Schema"),
    ("json-schema", plain({"$ref": "#/$defs/X"}), ""),
    ("json-schema", {"anyOf": [TEXT]}, "the root is not an object"),
    ("openai", {**plain(TEXT), "anyOf": [plain(TEXT)]}, "anyOf at the root"),
    ("openai", plain({"type": "array"}), "array without items"),
    ("openai", plain({"pattern": r"\p{L}"}), "pattern is no regex"),
    ("openai", {"type": "object"}, "no properties"),
    ("openai-responses", {**plain(TEXT), "not": {}}, "not at the root"),
    ("openai-strict", plain(TEXT), "additionalProperties is not false"),
    ("openai-strict", {**root(TEXT), "required": []}, "not all properties are required"),
    ("openai-strict", root({"oneOf": [TEXT]}), "unsupported oneOf"),
    ("openai-strict", root({"type": "string", "minLength": 1}), "unsupported minLength"),
    ("openai-strict", root({"type": "string", "format": "uri"}), "unsupported format"),
    ("openai-strict", root({"type": "string", "pattern": "(?=a)"}), "look-around"),
    ("openai-strict", root({"description": "d"}), "no type"),
    ("openai-strict", root({"type": "array"}), "array without typed items"),
    (
        "openai-strict",
        {**root({"$ref": "#/$defs/X", "description": "d"}), "$defs": {"X": TEXT}},
        "$ref has siblings",
    ),
    (
        "openai-strict",
        root(root(root(root(root(root(root(root(root(root(root(TEXT))))))))))),
        "levels",
    ),
    (
        "openai-strict",
        root({"type": "string", "enum": [str(each) for each in range(1_001)]}),
        "over 1,000 enum values",
    ),
    ("openai-responses-strict", plain(TEXT), "additionalProperties is not false"),
    ("anthropic", {**plain(TEXT), "oneOf": [plain(TEXT)]}, "oneOf at the root"),
    ("anthropic", {"type": "object", "properties": {"a[]": TEXT}}, "illegal name"),
    ("anthropic", plain({"minLength": -1}), "not JSON Schema"),
    ("gemini", {"type": "object", "properties": {"a-b": TEXT}}, "illegal name"),
    ("gemini", plain({"type": "string", "pattern": "a"}), "unsupported pattern"),
    ("gemini", plain({"type": "boolean", "enum": [True]}), "enum of other values"),
    (
        "gemini",
        {
            **plain({"$ref": "#/$defs/X"}),
            "$defs": {
                "X": {
                    "type": "object",
                    "properties": {"x": {"$ref": "#/$defs/X"}},
                    "required": ["x"],
                }
            },
        },
        "requires itself",
    ),
    ("gemini-openapi", root(TEXT), "unsupported additionalProperties"),
    ("gemini-openapi", plain({"type": "integer", "enum": [1]}), "enum of other values"),
    ("gemini-openapi", plain({"type": "string", "enum": [""]}), "enum of other values"),
    ("gemini-openapi", plain({"type": ["string", "null"]}), "type ['string', 'null']"),
    ("gemini-openapi", plain({"anyOf": [TEXT], "description": "d"}), "other fields beside anyOf"),
    ("gemini-openapi", plain({"type": "string", "format": "date"}), "format"),
    ("gemini-openapi", plain({"type": "array"}), "array without items"),
    ("gemini-openapi", plain({"$ref": "#/x"}), "unsupported $ref"),
    ("gemini-openapi", {"type": "object", "properties": {}}, "no object with properties"),
    ("mcp", {"type": "array"}, "inputSchema is not an object"),
    ("openapi-3.0", plain({"$ref": "#/x"}), "unsupported $ref"),
    ("openapi-3.0", plain({"type": ["string", "null"]}), "type ['string', 'null']"),
    ("openapi-3.0", plain({"const": 1}), "unsupported const"),
    ("openapi-3.0", plain({"type": "integer", "exclusiveMinimum": 1}), "is no boolean"),
    ("openapi-3.0", plain({"nullable": True}), "nullable without type"),
    ("openapi-3.0", plain({"type": "array"}), "array without items"),
    ("openapi-3.0", plain({"anyOf": [True]}), "a boolean schema"),
    ("llama-grammar", plain({"type": "string", "pattern": r"^\d$"}), "cannot say"),
    ("llama-grammar", plain({"type": "string", "pattern": "a"}), "cannot say"),
    ("llama-grammar", plain({"type": "string", "pattern": "^(?=a)$"}), "cannot say"),
    ("llama-grammar", plain({"type": "string", "pattern": '^[^"]$'}), "cannot say"),
    ("llama-grammar", plain({"type": "string", "format": "email"}), "format"),
    ("llama-grammar", plain({"type": "number", "minimum": 1}), "of another type than integer"),
    ("llama-grammar", plain({"type": "string", "maxLength": 5_000}), "maxLength over"),
    ("llama-grammar", plain({"description": "any"}), "no type"),
    ("llama-grammar", plain({"type": "string", "not": {}}), "unsupported not"),
    ("llama-grammar", plain({"type": "object", "anyOf": [TEXT]}), "anyOf has siblings"),
    ("llama-grammar", plain({"type": "object", "required": ["x"]}), "required without a schema"),
]


@pytest.mark.parametrize(
    ("name", "schema", "found"), BAD, ids=[f"{each[0]}: {each[2]}" for each in BAD]
)
def test_a_bad_schema_is_found(name: str, schema: JsonObject, found: str) -> None:
    assert any(found in each for each in CHECKERS[name](shaped(name, schema)))


def test_hints_that_contradict_each_other_are_found() -> None:
    hints = {"readOnlyHint": True, "destructiveHint": True, "other": True}
    found = CHECKERS["mcp"](shaped("mcp", plain(TEXT), annotations=hints))
    assert found == ["unknown hint other", "read-only and destructive"]


def test_a_function_of_responses_says_whether_it_is_strict() -> None:
    tool = shaped("openai-responses", plain(TEXT))
    assert CHECKERS["openai-responses"]({**tool, "strict": True}) == ["strict is not false"]
    assert CHECKERS["openai-responses-strict"]({**tool, "strict": None}) == ["strict is not said"]
