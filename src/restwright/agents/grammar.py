"""Loosens a JSON Schema to what the grammar of llama.cpp can express."""

from __future__ import annotations

from restwright.typing import JsonObject


def loosen(schema: JsonObject) -> JsonObject:
    """First cut: as it is."""
    return schema
