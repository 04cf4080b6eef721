"""What a schema asks for, in a few words that a model can act on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, is_object

MAX_VALUE_CHARS = 80
MAX_LIST_CHARS = 300
_ARTICLES = {"integer": "an integer", "object": "an object", "array": "an array", "null": "null"}
_Details = Mapping[str, Any]


def preview_json(value: Json) -> str:
    """Return `value` as JSON, cut to 80 characters."""
    text = compact_json(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 3]}..."


def summarize_schema(schema: Json, root: Json) -> str:
    """
    Say in a few words what values `schema` accepts, such as `an integer >= 0`.

    Args:
        root: Holds the `$defs` that references lead to.
    """
    node = _follow_reference(schema, root)
    for keyword in ("enum", "const", "type"):
        if keyword in node:
            details = {"options": node.get("enum"), "expected_value": node.get("const")}
            return KEYWORD_PHRASES[keyword]({**details, "types": _type_names(node)}, node)
    return "a value"


def _follow_reference(schema: Json, root: Json) -> Mapping[str, Json]:
    for _ in range(10):
        ref = schema.get("$ref", "") if is_object(schema) else ""
        name = ref.removeprefix("#/$defs/") if isinstance(ref, str) else ""
        if not name or name == ref or not is_object(root):
            break
        schema = root.get("$defs", {}).get(name.replace("~1", "/").replace("~0", "~"), {})
    return schema if is_object(schema) else {}


def _type_names(node: Mapping[str, Json]) -> list[str]:
    found = node.get("type", [])
    return [found] if isinstance(found, str) else list(found)


def _describe_type(details: _Details, node: Mapping[str, Json]) -> str:
    named = [_ARTICLES.get(type_, f"a {type_}") for type_ in details["types"]]
    limits = [f"{sign} {node[key]}" for key, sign in _LIMIT_SIGNS.items() if key in node]
    if details["types"] == ["string"] and "format" in node:
        return _describe_format(node["format"])
    return " ".join([" or ".join(named), *limits[:2]])


def _describe_format(name: str) -> str:
    return _FORMATS.get(name, f"a string ({name})"[:MAX_VALUE_CHARS])


def list_values(options: Iterable[Json]) -> str:
    """List values as JSON, cut to about 300 characters with a count of the others."""
    return list_names(options, preview_json)


def list_names(names: Iterable[Json], form: Callable[[Json], str] = str) -> str:
    """List names, cut to about 300 characters with a count of the others."""
    kept: list[str] = []
    left = 0
    for name in names:
        text = "" if left else form(name)
        if left or sum(map(len, kept)) + len(text) > MAX_LIST_CHARS:
            left += 1
        else:
            kept.append(text)
    return ", ".join(kept) + (f" and {left} more" if left else "")


def _describe_count(unit: str, sign: str) -> Callable[[_Details, Mapping[str, Json]], str]:
    return lambda details, _: f"{sign} {details['limit']} {unit}"


def _describe_limit(sign: str) -> Callable[[_Details, Mapping[str, Json]], str]:
    return lambda details, node: f"{_describe_number(node)} {sign} {details['limit']}"


def _describe_number(node: Mapping[str, Json]) -> str:
    return "an integer" if node.get("type") == "integer" else "a number"


def _describe_pattern(details: _Details, node: Mapping[str, Json]) -> str:
    """What does not match; a pattern that goes back too often is told only by its schema."""
    return details.get("pattern") or node.get("pattern") or "its pattern"


_LIMIT_SIGNS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
# JSON Schema 2020-12, "A Vocabulary for Structural Validation": keyword -> what it asks for.
KEYWORD_PHRASES: Mapping[str, Callable[[_Details, Mapping[str, Json]], str]] = {
    "type": _describe_type,
    "enum": lambda details, _: f"one of {list_values(details['options'])}",
    "const": lambda details, _: preview_json(details["expected_value"]),
    "minimum": _describe_limit(">="),
    "maximum": _describe_limit("<="),
    "exclusiveMinimum": _describe_limit(">"),
    "exclusiveMaximum": _describe_limit("<"),
    "multipleOf": lambda details, _: f"a multiple of {details['multiple_of']}",
    "minLength": _describe_count("characters", "at least"),
    "maxLength": _describe_count("characters", "at most"),
    "minItems": _describe_count("items", "at least"),
    "maxItems": _describe_count("items", "at most"),
    "minProperties": _describe_count("properties", "at least"),
    "maxProperties": _describe_count("properties", "at most"),
    "pattern": lambda details, node: f"text that matches {_describe_pattern(details, node)[:100]}",
    "format": lambda details, _: _describe_format(details["format"]),
    "uniqueItems": lambda details, _: "items that are all different",
}
_FORMATS = {
    "date": "a date such as 2026-01-31",
    "date-time": "a date-time such as 2026-01-31T08:00:00Z",
    "email": "an email address",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "time": "a time such as 08:00:00Z",
    "uri": "a URI",
    "uuid": "a UUID",
}
FIXED_PHRASES = {
    "oneOf": "a value that fits exactly one of the alternatives",
    "anyOf": "a value that fits one of the alternatives",
    "not": "a value that the schema does not exclude",
    "contains": "an item of the kind that must be among them",
    "propertyNames": "property names that the schema allows",
    "falseSchema": "no value here",
    "unevaluatedItems": "no further items",
    "additionalItems": "no further items",
}
