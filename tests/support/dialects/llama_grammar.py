r"""
Functions whose arguments llama.cpp writes under a grammar.

Source: llama.cpp, grammars/README.md, "JSON Schemas -> GBNF" (what is converted: types, `enum`,
`properties`, `required`, `additionalProperties`, `items`, `prefixItems`, counts, lengths, integer
bounds, anchored patterns, some formats, `$ref` within the schema; what is not: lengths beside a
pattern, what stands beside `anyOf` or `$ref`, the bounds of other numbers), and the converter's
errors: an unanchored pattern, an unsupported group, an unknown escape such as `\d`, an unresolved
reference, an unrecognised schema.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from tests.support.dialects.openai import of_texts, type_of
from tests.support.dialects.walking import (
    dangling,
    every,
    fields,
    is_json,
    json_schema_faults,
    kinds,
    root_of,
)

TEXTS = {
    "title", "description", "default", "examples", "example", "deprecated", "readOnly",
    "writeOnly", "nullable",
}  # fmt: skip
KEYWORDS = TEXTS | {
    "type", "enum", "const", "properties", "required", "additionalProperties", "items",
    "prefixItems", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "pattern", "format", "anyOf", "oneOf", "allOf",
    "$ref", "$defs",
}  # fmt: skip
DECIDING = {
    "type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf", "properties",
    "additionalProperties", "items", "prefixItems",
}  # fmt: skip
FORMATS = {"date", "time", "date-time", "uuid"}
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
COUNTS = ("minItems", "maxItems", "minLength", "maxLength")
MOST = 2_000
# In a character class a grammar knows the escapes of \t, \n, \r, \x and of its own brackets;
# outside of one, those of the signs that a regular expression gives a meaning.
PATTERN = re.compile(
    r"""\^(?:
        \[(?!\^)(?:[^\]\[\\"]|\\[tnr\[\]\\]|\\x[0-9a-f]{2})+\]
        | \\[\^$.\[\]()|{}*+?]
        | \((?!\?) | \) | \| | [*+?] | \{\d+(?:,\d*)?\} | \.
        | [^\\\[\](){}|*+?^$."]
    )*\$""",
    re.VERBOSE,
)


def violations(tool: dict[str, Any]) -> list[str]:
    """A function whose schema becomes a grammar whole, with nothing ignored."""
    found = fields(tool, {"type", "function"}, set())
    if found:
        return found
    function = tool["function"]
    found = fields(function, {"name", "description", "parameters"}, set())
    if found:
        return found
    schema = function["parameters"]
    found = of_texts(function) + type_of(tool) + root_of(schema, ("anyOf", "oneOf", "$ref"))
    for at, each in every(schema):
        if isinstance(each, dict):
            found += [f"{at}: {what}" for what in of_node(each)]
        elif not at.endswith("/additionalProperties"):
            found.append(f"{at}: a boolean schema")
    found += json_schema_faults(schema) + dangling(schema) + is_json(tool)
    return found


def unconverted(schema: dict[str, Any]) -> list[str]:
    """What llama.cpp itself says; a test that asks is skipped where it is not installed."""
    xllamacpp = pytest.importorskip("xllamacpp")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            grammar = xllamacpp.json_schema_to_grammar(schema)
        except (RuntimeError, ValueError, UserWarning) as error:
            return [f"not converted: {error}"]
    return [] if grammar.strip() else ["an empty grammar"]


def of_node(schema: dict[str, Any]) -> list[str]:
    """One schema, without those below it."""
    found = [f"unsupported {keyword}" for keyword in schema.keys() - KEYWORDS]
    if not schema.keys() & DECIDING:
        found.append("no type, and so an object")
    beside = schema.keys() - TEXTS - {"$defs"}
    alone = {"$ref", "anyOf", "oneOf"} & schema.keys()
    if alone and len(beside) > 1:
        found.append(f"{min(alone)} has siblings, which are ignored")
    if set(schema.get("required", ())) - set(schema.get("properties", ())):
        found.append("required without a schema")
    return found + of_text(schema) + of_numbers(schema)


def of_text(schema: dict[str, Any]) -> list[str]:
    """Patterns, formats and lengths."""
    found = []
    if "pattern" in schema:
        if not PATTERN.fullmatch(schema["pattern"]):
            found.append("a pattern that a grammar cannot say")
        if {"minLength", "maxLength", "format"} & schema.keys():
            found.append("lengths or a format beside a pattern")
    if schema.get("format", "date") not in FORMATS:
        found.append("format")
    return found


def of_numbers(schema: dict[str, Any]) -> list[str]:
    """Bounds and counts."""
    found = [f"{each} over {MOST}" for each in COUNTS if schema.get(each, 0) > MOST]
    for bound in BOUNDS:
        if bound in schema and set(kinds(schema)) - {"null"} != {"integer"}:
            found.append(f"{bound} of another type than integer")
        elif not isinstance(schema.get(bound, 0), int):
            found.append(f"{bound} is no integer")
    return found
