"""
How each provider of models wants tools: a table of dialects, each a record of rules and a shape.

A schema of arguments is rewritten under the rules of a dialect, then put into its shape. What a
dialect cannot say moves into descriptions; what it cannot say at all is listed in the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from restwright.errors import UnknownDialect
from restwright.jsontypes import JsonObject
from restwright.tools.dialects.deferred_tools import (
    ToolDeferral,
    defer_for_anthropic,
    defer_for_openai,
)
from restwright.tools.dialects.inline_refs import DEPTHS, LEFT_OUT_MARK, inline_references
from restwright.tools.dialects.mcp_annotations import hints_from_method
from restwright.tools.dialects.rewriter import SchemaRewriter, SchemaRules
from restwright.tools.dialects.rules_llama import LLAMA_GRAMMAR
from restwright.tools.dialects.rules_near_full import ANTHROPIC, GEMINI_JSON_SCHEMA, OPENAI
from restwright.tools.dialects.rules_no_refs import GEMINI_PARAMETERS, OPENAPI_30
from restwright.tools.dialects.rules_strict import STRICT, list_exceeded_limits
from restwright.tools.schemas.description import shorten_text
from restwright.tools.text.json_bytes import to_json_bytes


@dataclass(slots=True, kw_only=True)
class DialectSchema:
    """
    A schema in the words of one dialect.

    Args:
        is_strict: Whether the provider can enforce it while the model writes.
        notes: What could not be said and where (`/properties/a: why`): why a tool is said loosely,
            and what was left out of an inlined schema.
    """

    schema: JsonObject
    is_strict: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolText:
    """One tool with its schema in the words of a dialect, before it takes a shape."""

    name: str
    description: str
    schema: DialectSchema
    method: str
    title: str = ""
    deprecated: bool = False


ToolShape = Callable[[ToolText], JsonObject]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """
    How one provider wants tools.

    Args:
        rules: What its schemas may say; None for all of JSON Schema.
        shape: What a whole tool looks like.
        inlines: Whether it knows no references.
        loose_rules: Rules for what `rules` cannot say; None where they can say everything.
        max_description: Characters of a tool's description.
        defer: How tools are said that the model searches for itself; None where it cannot.
    """

    name: str
    shape: ToolShape = field(repr=False)
    rules: SchemaRules | None = field(default=None, repr=False)
    inlines: bool = False
    loose_rules: SchemaRules | None = field(default=None, repr=False)
    max_description: int = 1024
    defer: ToolDeferral | None = field(default=None, repr=False)


def rewrite_schema(
    schema: JsonObject, dialect: Dialect, *, max_chars: int = 16_000
) -> DialectSchema:
    """
    A schema of arguments in the words of `dialect`.

    Args:
        schema: JSON Schema 2020-12 of an object with its `$defs`, as `Tool.shows`. Not changed.
        max_chars: Of the JSON of an inlined schema; deep parts are left out, and marked.

    Returns:
        A schema that accepts what `schema` accepts, and requires no more. Under a strict dialect
        optional properties are required and may be null instead; see `restored()`.
    """
    if dialect.rules is None:
        return DialectSchema(schema=schema)
    if dialect.inlines:
        return _inline_schema(schema, dialect.rules, max_chars)
    if dialect.loose_rules is None:
        return DialectSchema(schema=_new_rewriter(schema, dialect.rules).rewrite_root(schema))
    strict = _new_rewriter(schema, dialect.rules)
    said = strict.rewrite_root(schema)
    if not (reasons := strict.reasons or list_exceeded_limits(said)):
        return DialectSchema(schema=said, is_strict=True)
    loose = _new_rewriter(schema, dialect.loose_rules).rewrite_root(schema)
    return DialectSchema(schema=loose, notes=tuple(dict.fromkeys(reasons)))


def _new_rewriter(schema: JsonObject, rules: SchemaRules) -> SchemaRewriter:
    return SchemaRewriter(rules=rules, definitions=schema.get("$defs", {}))


def _inline_schema(schema: JsonObject, rules: SchemaRules, max_chars: int) -> DialectSchema:
    """The deepest inlining that fits; the shallowest where none does."""
    said: JsonObject = {}
    left_out: tuple[str, ...] = ()
    for depth in DEPTHS:
        is_last = depth is DEPTHS[-1]
        whole = inline_references(schema, depth, max_chars=2**62 if is_last else max_chars)
        if whole is None:
            continue
        left_out = whole.left_out
        said = SchemaRewriter(rules=rules, definitions={}).rewrite_root(whole.schema)
        if is_last or len(to_json_bytes(said)) <= max_chars:
            break
    return DialectSchema(
        schema=said, notes=tuple(f"{pointer}: {LEFT_OUT_MARK}" for pointer in left_out)
    )


def to_provider_tool(
    dialect: Dialect,
    *,
    name: str,
    description: str,
    schema: DialectSchema,
    method: str,
    title: str = "",
    deprecated: bool = False,
) -> JsonObject:
    """
    One tool in the shape that a provider takes.

    Args:
        schema: From `rewrite_schema()`, for the same dialect.
        method: The HTTP method, in any case; MCP's annotations come from it.
        title: For people; MCP alone has a place for it.
    """
    return dialect.shape(
        ToolText(
            name=name,
            description=shorten_text(description, dialect.max_description),
            schema=schema,
            method=method,
            title=title,
            deprecated=deprecated,
        )
    )


def dialect_named(name: str) -> Dialect:
    """
    The dialect of that name or alias.

    Raises:
        UnknownDialect: There is none; it names close ones.
    """
    found = DIALECTS.get(ALIASES.get(name, name))
    if found is None:
        raise UnknownDialect(name, [*DIALECTS, *ALIASES])
    return found


def _shape_plain(tool_text: ToolText) -> JsonObject:
    return {
        "name": tool_text.name,
        "description": tool_text.description,
        "parameters": tool_text.schema.schema,
    }


def _shape_openapi(tool_text: ToolText) -> JsonObject:
    return _shape_plain(tool_text) | ({"deprecated": True} if tool_text.deprecated else {})


def _shape_openai_chat(tool_text: ToolText) -> JsonObject:
    return {"type": "function", "function": _shape_plain(tool_text)}


def _shape_openai_strict_chat(tool_text: ToolText) -> JsonObject:
    return {
        "type": "function",
        "function": _shape_plain(tool_text) | {"strict": tool_text.schema.is_strict},
    }


def _shape_openai_responses(tool_text: ToolText) -> JsonObject:
    # The Responses API makes functions strict unless they say that they are not.
    return {"type": "function", **_shape_plain(tool_text), "strict": tool_text.schema.is_strict}


def _shape_anthropic(tool_text: ToolText) -> JsonObject:
    return {
        "name": tool_text.name,
        "description": tool_text.description,
        "input_schema": tool_text.schema.schema,
    }


def _shape_gemini(tool_text: ToolText) -> JsonObject:
    return {
        "name": tool_text.name,
        "description": tool_text.description,
        "parametersJsonSchema": tool_text.schema.schema,
    }


def _shape_gemini_openapi(tool_text: ToolText) -> JsonObject:
    # Without parameters the field is left unset: an object without properties is refused.
    tool = _shape_plain(tool_text)
    if not tool_text.schema.schema.get("properties"):
        del tool["parameters"]
    return tool


def _shape_mcp(tool_text: ToolText) -> JsonObject:
    return {
        "name": tool_text.name,
        **({"title": tool_text.title} if tool_text.title else {}),
        "description": tool_text.description,
        "inputSchema": tool_text.schema.schema,
        "annotations": hints_from_method(tool_text.method),
    }


_ALL_DIALECTS = (
    Dialect(name="json-schema", shape=_shape_plain),
    Dialect(name="openai", shape=_shape_openai_chat, rules=OPENAI),
    Dialect(
        name="openai-strict", shape=_shape_openai_strict_chat, rules=STRICT, loose_rules=OPENAI
    ),
    Dialect(
        name="openai-responses", shape=_shape_openai_responses, rules=OPENAI, defer=defer_for_openai
    ),
    Dialect(
        name="openai-responses-strict",
        shape=_shape_openai_responses,
        rules=STRICT,
        loose_rules=OPENAI,
        defer=defer_for_openai,
    ),
    Dialect(name="anthropic", shape=_shape_anthropic, rules=ANTHROPIC, defer=defer_for_anthropic),
    Dialect(name="gemini", shape=_shape_gemini, rules=GEMINI_JSON_SCHEMA),
    Dialect(
        name="gemini-openapi", shape=_shape_gemini_openapi, rules=GEMINI_PARAMETERS, inlines=True
    ),
    Dialect(name="mcp", shape=_shape_mcp),
    Dialect(name="openapi-3.0", shape=_shape_openapi, rules=OPENAPI_30, inlines=True),
    Dialect(name="llama-grammar", shape=_shape_openai_chat, rules=LLAMA_GRAMMAR),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType({item.name: item for item in _ALL_DIALECTS})
"""Every dialect by its name. `openai` is the form of Chat Completions, `openai-responses` the flat
one of the Responses API; `gemini` fills `parametersJsonSchema`, `gemini-openapi` `parameters`."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "azure": "openai",
        "bedrock": "anthropic",
        "chatgpt": "openai",
        "claude": "anthropic",
        "deepseek": "json-schema",
        "grok": "openai",
        "llama": "json-schema",
        "qwen": "openai",
        "vertex": "gemini",
    }
)
"""Familiar names: models that take JSON Schema as it is, and who speaks the form of another one.
`bedrock` is Claude there, in the form of Anthropic's own API."""
