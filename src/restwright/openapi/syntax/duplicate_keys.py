"""A key that stands twice in an object: all but the last of its values are gone."""

from __future__ import annotations

from restwright.openapi.model import METHODS, Problem
from restwright.openapi.references import join_pointer


def duplicate_key_problem(tokens: tuple[str | int, ...], key: str, where: str = "") -> Problem:
    """
    Say that `key` stands twice; an error where an operation, which is a tool, is lost by it.

    Args:
        tokens: Lead to the object.
        where: What is added, as the line of the text.
    """
    what = f"the key {key!r} stands twice{where}"
    if _is_operation_key(tokens, key):
        return Problem(
            join_pointer(*tokens), what, "error", "the last one counts, the rest is lost"
        )
    return Problem(join_pointer(*tokens), what, action="the last one counts")


def _is_operation_key(tokens: tuple[str | int, ...], key: str) -> bool:
    if not tokens:
        return key == "paths"
    if tokens[0] != "paths" or key.startswith("x-"):
        return False
    below = tokens[2:]
    is_method = key.lower() in METHODS or key == "additionalOperations"
    return len(tokens) == 1 or (is_method if not below else below == ("additionalOperations",))
