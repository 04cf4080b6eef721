"""
What a GraphQL text does, and whether a server with a known schema would take it.

Source: GraphQL, "Executable Definitions" and "Comments".
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from restwright.jsontypes import Json, is_object

_DEFINITIONS = frozenset({"query", "mutation", "subscription", "fragment"})
# In this order: what stands in a text or a comment is neither a word nor a brace.
_TOKEN = re.compile(
    r'"""(?:\\"""|[^"]|"(?!""))*+(?:"""|(?P<whole>))|"(?:\\.|[^"\\\n])*+(?:"|(?P<line>))'
    r"|\#[^\n\r]*|[{}()]|[_A-Za-z]\w*|.",
    re.DOTALL,
)
_WORD_OR_BRACE = re.compile(r"[{}()]|[_A-Za-z]\w*")
_MAX_SAID = 5
_MAX_CHARS = 300


def add_query_keyword(text: str) -> str:
    """The text with its first keyword, which SlashGPT's agents are used to leave out."""
    first = next((word for word in _tokenize(text) if not word.startswith("#")), "")
    return text if first in _DEFINITIONS else f"query {text}"


def find_operation_types(text: str) -> frozenset[str]:
    """Which of `query`, `mutation` and `subscription` a text has; what is in doubt is in it."""
    depth = 0
    found: set[str] = set()
    for word in _tokenize(text):
        # A brace too many ends nothing: what comes after it is not hidden by it.
        depth = max(0, depth + (word in "{(") - (word in "})"))
        # A name of an operation counts too: rather one question too many.
        if depth == 0 and word in _DEFINITIONS:
            found.add(word)
    return frozenset(found - {"fragment"}) or frozenset({"query"})


def _tokenize(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match.lastgroup:
            # A text without an end hides nothing.
            yield from _WORD_OR_BRACE.findall(match[0])
        elif not match[0].isspace():
            yield match[0]


def find_graphql_faults(text: str, schema: str) -> tuple[str, ...]:
    """
    What is wrong with a text, in words; empty where nothing is found, or nobody can look.

    Args:
        schema: In the language of GraphQL, or the result of an introspection; empty for none.
    """
    try:
        from graphql import GraphQLError, parse, validate
    except ImportError:
        return ()
    try:
        document = parse(text, max_tokens=20_000)
        found = validate(_build_schema(schema), document) if schema else []
    except GraphQLError as error:
        found = [error]
    except (RecursionError, ValueError, TypeError):
        # The schema is not one that can be read; the server knows better.
        return ()
    return tuple(_format_error(error) for error in found[:_MAX_SAID])


def is_graphql_schema(text: str) -> bool:
    """Whether a text is a whole schema: the result of an introspection."""
    return "__schema" in text[:2_000] and _parse_introspection(text) is not None


@lru_cache(maxsize=8)
def _build_schema(text: str) -> Any:
    """
    Build the schema of a text.

    Raises:
        GraphQLError, TypeError, ValueError: It is none.
    """
    from graphql import build_client_schema, build_schema

    found = _parse_introspection(text)
    return build_schema(text) if found is None else build_client_schema(found)


def _parse_introspection(text: str) -> Any:
    """The value of an introspection; None where the text is none."""
    for read in (json.loads, ast.literal_eval):  # some are printed by Python
        try:
            value: Json = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if is_object(value):
            inside = value.get("data", value)
            return inside if is_object(inside) and "__schema" in inside else None
    return None


def _format_error(error: Any) -> str:
    places = ", ".join(
        f"line {location.line} column {location.column}" for location in error.locations or ()
    )
    message = " ".join(str(error.message).split())[:_MAX_CHARS]
    return f"{message} ({places})" if places else message
