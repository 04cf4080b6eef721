"""The table of dialects: names, shapes, and where the meaning of each keyword goes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.dialects import CHECKERS
from tests.support.dialects.llama_grammar import unconverted

from restwright.errors import UnknownDialect
from restwright.jsontypes import JsonObject
from restwright.tools.dialects import DIALECTS, dialect_named, rewrite_schema, to_provider_tool

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "sort": {"$ref": "#/$defs/Sort", "description": "Which first."},
        "since": {"type": ["string", "null"], "format": "date"},
    },
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {"Sort": {"type": "string", "enum": ["asc", "desc"]}},
}


def tool(name: str, schema: JsonObject = SCHEMA, **more: Any) -> JsonObject:
    dialect = dialect_named(name)
    said: JsonObject = {"method": "GET", "description": "Find a pet.", **more}
    return to_provider_tool(
        dialect, name="pets__find", schema=rewrite_schema(schema, dialect), **said
    )


def said_at_a(name: str, schema: JsonObject) -> JsonObject:
    """The words of a dialect for one property."""
    root = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return rewrite_schema(root, DIALECTS[name]).schema["properties"]["a"]


def faults(name: str, schema: JsonObject) -> list[str]:
    """What a provider refuses, and llama.cpp itself where its checker finds nothing."""
    said = tool(name, schema)
    found = CHECKERS[name](said)
    if found or name != "llama-grammar":
        return found
    return unconverted(said["function"]["parameters"])


def test_json_schema_stays_as_it_is() -> None:
    assert tool("json-schema")["parameters"] is SCHEMA
    assert tool("mcp")["inputSchema"] is SCHEMA


@pytest.mark.parametrize("alias", ["llama", "deepseek"])
def test_some_models_take_json_schema(alias: str) -> None:
    assert dialect_named(alias) is DIALECTS["json-schema"]


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("chatgpt", "openai"),
        ("azure", "openai"),
        ("grok", "openai"),
        ("qwen", "openai"),
        ("claude", "anthropic"),
        ("bedrock", "anthropic"),
        ("vertex", "gemini"),
    ],
)
def test_familiar_names_are_aliases(alias: str, name: str) -> None:
    assert dialect_named(alias) is DIALECTS[name]


def test_an_unknown_dialect_is_a_mistake_that_names_close_ones() -> None:
    with pytest.raises(UnknownDialect) as raised:
        dialect_named("open-ai-strict")
    assert "openai-strict" in raised.value.hint


def test_the_shape_of_chat_completions() -> None:
    assert tool("openai") == {
        "type": "function",
        "function": {"name": "pets__find", "description": "Find a pet.", "parameters": SCHEMA},
    }


def test_the_shape_of_responses_is_flat_and_says_that_it_is_not_strict() -> None:
    assert tool("openai-responses") == {
        "type": "function",
        "name": "pets__find",
        "description": "Find a pet.",
        "parameters": SCHEMA,
        "strict": False,
    }


def test_the_shape_of_a_strict_function() -> None:
    assert tool("openai-strict")["function"] == {
        "name": "pets__find",
        "description": "Find a pet.",
        "parameters": {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1},
                "sort": {
                    "description": "Which first.",
                    "anyOf": [{"$ref": "#/$defs/Sort"}, {"type": "null"}],
                },
                "since": {"type": ["string", "null"], "format": "date"},
            },
            "required": ["id", "sort", "since"],
            "additionalProperties": False,
            "$defs": {"Sort": {"type": "string", "enum": ["asc", "desc"]}},
        },
        "strict": True,
    }
    assert tool("openai-responses-strict")["strict"] is True


def test_the_shape_of_anthropic() -> None:
    assert tool("anthropic") == {
        "name": "pets__find",
        "description": "Find a pet.",
        "input_schema": SCHEMA,
    }


def test_the_shape_of_gemini() -> None:
    said = tool("gemini")
    assert said.keys() == {"name", "description", "parametersJsonSchema"}
    assert said["parametersJsonSchema"]["properties"]["sort"] == {
        "description": "Which first.",
        "anyOf": [{"$ref": "#/$defs/Sort"}],
    }


def test_the_openapi_form_of_gemini() -> None:
    assert tool("gemini-openapi")["parameters"] == {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "sort": {"type": "string", "enum": ["asc", "desc"], "description": "Which first."},
            "since": {"type": "string", "nullable": True, "description": "@format date"},
        },
        "required": ["id"],
        "description": "@additionalProperties false",
    }


def test_gemini_has_no_parameters_where_there_are_none() -> None:
    assert "parameters" not in tool("gemini-openapi", {"type": "object", "properties": {}})


def test_openapi_30_has_no_references() -> None:
    said = tool("openapi-3.0", deprecated=True)
    assert said["deprecated"] is True
    assert said["parameters"] == {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "sort": {"type": "string", "enum": ["asc", "desc"], "description": "Which first."},
            "since": {"type": "string", "nullable": True, "format": "date"},
        },
        "required": ["id"],
        "additionalProperties": False,
    }


def test_mcp_has_a_title_and_hints() -> None:
    said = tool("mcp", title="Find")
    assert list(said) == ["name", "title", "description", "inputSchema", "annotations"]
    assert "title" not in tool("mcp")


@pytest.mark.parametrize(
    ("method", "reads", "destroys", "repeats"),
    [
        *((each, True, False, True) for each in ("GET", "head", "OPTIONS", "trace", "query")),
        ("PUT", False, True, True),
        ("delete", False, True, True),
        ("POST", False, True, False),
        ("PATCH", False, True, False),
        ("COPY", False, True, False),
    ],
)
def test_hints_come_from_the_method(
    method: str, *, reads: bool, destroys: bool, repeats: bool
) -> None:
    assert tool("mcp", method=method)["annotations"] == {
        "readOnlyHint": reads,
        "destructiveHint": destroys,
        "idempotentHint": repeats,
        "openWorldHint": True,
    }


def test_a_long_description_is_cut_at_a_sentence() -> None:
    said = tool("openai", description="A sentence. " * 200)["function"]["description"]
    assert 900 < len(said) <= 1024
    assert said.rstrip(" …").endswith("A sentence.")


# One use of each keyword, and what else may stand for it.
KEYWORDS: dict[str, tuple[JsonObject, tuple[str, ...]]] = {
    "minimum": ({"type": "number", "minimum": 0}, ()),
    "maximum": ({"type": "integer", "maximum": 9}, ()),
    "exclusiveMinimum": ({"type": "number", "exclusiveMinimum": 0}, ()),
    "exclusiveMaximum": ({"type": "number", "exclusiveMaximum": 0}, ()),
    "multipleOf": ({"type": "integer", "multipleOf": 3}, ()),
    "minLength": ({"type": "string", "minLength": 1}, ()),
    "maxLength": ({"type": "string", "maxLength": 9_999}, ()),
    "pattern": ({"type": "string", "pattern": "(?<!a)b"}, ()),
    "format": ({"type": "string", "format": "password"}, ()),
    "contentEncoding": ({"type": "string", "contentEncoding": "base64"}, ()),
    "contentMediaType": ({"type": "string", "contentMediaType": "image/png"}, ()),
    "default": ({"type": "string", "default": "x"}, ()),
    "examples": ({"type": "string", "examples": ["x", "y"]}, ()),
    "title": ({"type": "string", "title": "T"}, ()),
    "deprecated": ({"type": "string", "deprecated": True}, ()),
    "enum": ({"type": "integer", "enum": [1, 2]}, ()),
    "const": ({"const": True}, ("enum",)),
    "minItems": ({"type": "array", "items": {"type": "string"}, "minItems": 1}, ()),
    "maxItems": ({"type": "array", "items": {"type": "string"}, "maxItems": 9}, ()),
    "uniqueItems": ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ()),
    "contains": ({"type": "array", "items": {"type": "string"}, "contains": {"const": "a"}}, ()),
    "prefixItems": ({"type": "array", "prefixItems": [{"type": "string"}]}, ()),
    "minProperties": ({"type": "object", "minProperties": 1}, ()),
    "maxProperties": ({"type": "object", "maxProperties": 9}, ()),
    "propertyNames": ({"type": "object", "propertyNames": {"pattern": "^a"}}, ()),
    "patternProperties": ({"type": "object", "patternProperties": {"^a": {"type": "string"}}}, ()),
    "additionalProperties": ({"type": "object", "additionalProperties": {"type": "string"}}, ()),
    "dependentRequired": ({"type": "object", "dependentRequired": {"a": ["b"]}}, ()),
    "required": ({"type": "object", "required": ["x"]}, ()),
    "not": ({"type": "string", "not": {"enum": ["a"]}}, ()),
    "if": ({"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}, ()),
    "oneOf": ({"oneOf": [{"type": "string"}, {"type": "boolean"}]}, ("anyOf",)),
    "discriminator": ({"type": "object", "discriminator": {"propertyName": "kind"}}, ()),
    "unevaluatedProperties": ({"type": "object", "unevaluatedProperties": False}, ()),
}


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_no_keyword_goes_without_a_trace_at_its_place(keyword: str, name: str) -> None:
    schema, others = KEYWORDS[keyword]
    said = said_at_a(name, schema)
    # Where nothing but `anyOf` may stand, words go into an alternative.
    places = [said, *said.get("anyOf", ())]
    assert any(
        each in place or f"@{each}" in place.get("description", "")
        for place in places
        for each in (keyword, *others)
    ), json.dumps(said)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "format": "email"}, "@format email"),
        ({"type": "string", "default": "x"}, '@default "x"'),
        ({"type": "string", "description": "Said.", "default": 'é"'}, 'Said.\n@default "é\\""'),
        ({"type": "boolean", "deprecated": True}, "@deprecated"),
        ({"type": "integer", "enum": [1, 2]}, "@enum [1, 2]"),
        ({"type": "string", "not": {"enum": ["a"]}}, '@not {"enum": ["a"]}'),
    ],
)
def test_words_are_one_a_line_at_the_end(schema: JsonObject, words: str) -> None:
    assert said_at_a("gemini-openapi", schema)["description"] == words


def test_words_are_bounded_but_for_enumerations() -> None:
    long = said_at_a("gemini-openapi", {"type": "string", "default": "x" * 1_000})
    assert len(long["description"]) < 320
    many = said_at_a("gemini-openapi", {"type": "integer", "enum": list(range(500))})
    assert ", 499]" in many["description"]


@pytest.mark.parametrize("name", ["openai", "anthropic", "openai-strict", "llama-grammar"])
def test_alternatives_of_the_root_move_into_words(name: str) -> None:
    root = {**SCHEMA, "anyOf": [{"required": ["sort"]}, {"required": ["since"]}]}
    said = rewrite_schema(root, DIALECTS[name]).schema
    assert "anyOf" not in said
    assert '@anyOf [{"required": ["sort"]}, {"required": ["since"]}]' in said["description"]


@pytest.mark.parametrize("name", ["openai-strict", "llama-grammar", "gemini-openapi"])
def test_what_stands_beside_alternatives_goes_into_each(name: str) -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "required": ["kind"],
        "additionalProperties": True,
        "anyOf": [
            {"properties": {"x": {"type": "string"}}, "required": ["x"]},
            {"properties": {"y": {"type": "string"}}, "required": ["y"]},
        ],
    }
    del schema["additionalProperties"]
    said = said_at_a(name, schema)
    assert "properties" not in said
    assert [set(each["properties"]) for each in said["anyOf"]] == [{"kind", "x"}, {"kind", "y"}]


@pytest.mark.parametrize("name", ["openai-strict", "gemini", "gemini-openapi", "llama-grammar"])
def test_all_of_is_merged(name: str) -> None:
    root: JsonObject = {
        "type": "object",
        "properties": {
            "pet": {
                "allOf": [
                    {"$ref": "#/$defs/Animal"},
                    {"type": "object", "properties": {"bark": {"type": "string"}}},
                ]
            }
        },
        "required": ["pet"],
        "$defs": {"Animal": {"type": "object", "properties": {"name": {"type": "string"}}}},
    }
    said = rewrite_schema(root, DIALECTS[name]).schema
    assert list(said["properties"]["pet"]["properties"]) == ["name", "bark"]
    assert "$defs" not in said


def test_gemini_opens_what_requires_itself() -> None:
    node: JsonObject = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/N"}, "value": {"type": "string"}},
        "required": ["value", "next"],
    }
    root = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}}
    said = rewrite_schema(root, DIALECTS["gemini"]).schema["$defs"]["N"]
    assert said["required"] == ["value"]
    assert said["description"] == '@required ["next"]'


def test_gemini_opens_what_requires_itself_in_one_alternative() -> None:
    sums = {"type": "object", "properties": {"sum": {"$ref": "#/$defs/E"}}, "required": ["sum"]}
    choice = {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/S"}]}
    properties = {"e": {"$ref": "#/$defs/E"}}
    root = {"type": "object", "properties": properties, "$defs": {"E": choice, "S": sums}}
    said = rewrite_schema(root, DIALECTS["gemini"]).schema["$defs"]
    assert said["E"] == choice
    assert said["S"] == {
        "type": "object",
        "properties": {"sum": {"$ref": "#/$defs/E"}},
        "description": '@required ["sum"]',
    }


def test_gemini_ends_a_list_of_itself() -> None:
    tree: JsonObject = {"type": "array", "items": {"$ref": "#/$defs/T"}}
    root = {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "$defs": {"T": tree}}
    said = rewrite_schema(root, DIALECTS["gemini"]).schema["$defs"]["T"]
    assert said == {
        "type": "array",
        "items": {},
        "description": '@items {"$ref": "#/$defs/T"}',
    }


@pytest.mark.parametrize("name", DIALECTS)
def test_definitions_that_are_nothing_but_each_other_end(name: str) -> None:
    definitions = {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}
    properties = {"a": {"$ref": "#/$defs/A"}}
    root = {"type": "object", "properties": properties, "$defs": definitions}
    assert faults(name, root) == []


@pytest.mark.parametrize("name", DIALECTS)
def test_a_long_chain_of_all_of_ends(name: str) -> None:
    definitions: JsonObject = {
        f"D{each}": {
            "allOf": [{"$ref": f"#/$defs/D{each + 1}"}],
            "properties": {f"p{each}": {"type": "string"}},
        }
        for each in range(1_000)
    }
    definitions["D1000"] = {"type": "object"}
    properties = {"a": {"$ref": "#/$defs/D0"}}
    root = {"type": "object", "properties": properties, "$defs": definitions}
    assert faults(name, root) == []


@pytest.mark.parametrize("name", DIALECTS)
def test_deep_schemas_end(name: str) -> None:
    schema: JsonObject = {"type": "string"}
    for _ in range(150):
        schema = {"type": "array", "items": schema}
    definitions = {"A": schema, "B": {"type": "array", "items": {"$ref": "#/$defs/A"}}}
    properties = {"a": schema, "b": {"$ref": "#/$defs/B"}}
    root = {"type": "object", "properties": properties, "$defs": definitions}
    assert faults(name, root) == []


def test_a_pattern_is_said_in_the_words_of_a_grammar() -> None:
    said = said_at_a("llama-grammar", {"type": "string", "pattern": r"^\d{3}$"})
    assert said == {"type": "string", "pattern": "^[0-9]{3}$"}


def test_a_value_of_any_kind_is_no_object_in_a_grammar() -> None:
    assert said_at_a("llama-grammar", {"description": "Any."}) == {
        "type": ["object", "array", "string", "number", "boolean", "null"],
        "description": "Any.",
    }


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"const": "x"}, {"type": "string", "enum": ["x"]}),
        ({"type": "null"}, {"type": "string", "nullable": True, "enum": [None]}),
        (
            {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "description": "D."},
            {"type": "string", "maxLength": 3, "nullable": True, "description": "D."},
        ),
        (
            {"type": ["string", "integer", "null"], "maxLength": 3, "minimum": 1},
            {
                "anyOf": [
                    {"type": "string", "maxLength": 3, "nullable": True},
                    {"type": "integer", "minimum": 1},
                ]
            },
        ),
        (
            {"type": "integer", "exclusiveMinimum": 3},
            {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
        ),
        ({"type": "string", "examples": ["a"]}, {"type": "string", "example": "a"}),
        (True, {}),
        ({"type": "array"}, {"type": "array", "items": {}}),
    ],
    ids=json.dumps,
)
def test_the_words_of_openapi_30(schema: Any, said: JsonObject) -> None:
    assert said_at_a("openapi-3.0", schema) == said
