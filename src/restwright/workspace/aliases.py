"""`ALIAS=` before what is meant for one document or server, and `Name: value`."""

from __future__ import annotations

import re

from restwright.errors import UsageError

# A URL or a path such as ./a=b.yaml has a character before the first `=` that no alias may have.
ALIASED = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=(.+)", re.DOTALL)


def split_alias(text: str) -> tuple[str | None, str]:
    """`alias=rest` in two; `(None, text)` where there is no alias."""
    found = ALIASED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


def split_header(text: str, *, option: str) -> tuple[str, str]:
    """
    `Name: value` in two.

    Raises:
        UsageError: There is no name or no colon.
    """
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        # The text is not repeated: it may be a secret.
        raise UsageError(f"{option} is written as 'Name: value'")
    return name.strip(), value.strip()
