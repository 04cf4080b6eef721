"""JSON values as Python sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeGuard

Json: TypeAlias = Any
"""Any JSON value as `json.loads` returns it."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""


def is_object(value: Json) -> TypeGuard[JsonObject]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Json) -> TypeGuard[Sequence[Json]]:
    """Whether `value` is a JSON array; a tuple counts as one."""
    return isinstance(value, (list, tuple))
