"""From the DOC arguments of a command to a catalog, and from a NAME to its tool."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.tools.catalog import Catalog
    from restwright.tools.tool import Tool

# A URL or a path such as ./a=b.yaml has a character before the first `=` that no alias may have.
ALIASED = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=(.+)", re.DOTALL)


def split_alias(text: str) -> tuple[str | None, str]:
    """`alias=rest` in two; `(None, text)` where there is no alias."""
    found = ALIASED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


def catalog_of(documents: Sequence[str]) -> Catalog:
    """Open every document of the command line; `alias=` becomes its namespace."""
    from restwright.openapi.api import load
    from restwright.tools.catalog import catalog

    split = [split_alias(each) for each in documents]
    return catalog(*(load(source, alias=alias) for alias, source in split))


def reads_of(catalog: Catalog) -> Catalog:
    """The part of `catalog` that changes nothing."""
    from restwright.tools.catalog import only

    return only(catalog, lambda operation: operation.method.is_read)


def tool_named(catalog: Catalog, name: str) -> Tool:
    """
    The tool `name`, whole or by its operation alone.

    Raises:
        UnknownTool: There is none.
    """
    return catalog.find(name) or catalog[name]


def arguments_from(text: str, *, documents: Sequence[str] = ()) -> str:
    """
    The text of ARGS: itself, of `@file`, or of standard input for `-`.

    Raises:
        UnreadableArguments: The file cannot be read, or standard input is the document already.
    """
    import sys
    from pathlib import Path

    from restwright.errors import UnreadableArguments

    if text == "-":
        if any(split_alias(each)[1] == "-" for each in documents):
            raise UnreadableArguments("standard input is the document already")
        return sys.stdin.read()
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableArguments(f"cannot read {text[1:]}: {error}") from error
