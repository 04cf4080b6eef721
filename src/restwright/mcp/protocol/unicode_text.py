"""
Text that every client can read.

JSON may escape halves of characters, which no encoding can write: one of them in a description
would cost a client the whole list.
"""

from __future__ import annotations

import json

from restwright.jsontypes import Json


def to_unicode_text(text: str) -> str:
    """The text with `?` in the place of halves of characters."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()


def to_unicode_json(value: Json) -> Json:
    """The same of every text in a value, names included."""
    text = json.dumps(value, ensure_ascii=False)
    clean = to_unicode_text(text)
    return value if clean == text else json.loads(clean)
