"""From --examples to in-context examples: one file an API, in YAML or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.errors import DocumentError, UsageError
from restwright.workspace.documents import split_alias

if TYPE_CHECKING:
    from restwright.agents.roles.few_shot import Examples
    from restwright.jsontypes import Json, JsonObject
    from restwright.tools.catalog.catalog import Catalog

_OPTION = "--examples"
_MAX_BYTES = 200_000


def load_examples(given: Sequence[str] | None, catalog: Catalog) -> Examples:
    """
    Read the files of examples, and find out whether they are of the APIs of `catalog`.

    Raises:
        UsageError: One cannot be read, says nothing that can be used, or it is not clear which
            API it is of.
    """
    from restwright.agents.roles.few_shot import Examples

    content: dict[str, JsonObject] = {}
    for text in given or ():
        alias, path = split_alias(text)
        alias = alias or _only_alias(catalog, path)
        if alias in content:
            raise UsageError(f"{_OPTION} is given twice for {alias}")
        content[alias] = _read_examples_file(path)
    try:
        examples = Examples(content)
        examples.check(catalog)
    except ValueError as error:
        raise UsageError(f"{_OPTION}: {error}") from None
    return examples


def _only_alias(catalog: Catalog, path: str) -> str:
    if len(catalog.apis) > 1:
        aliases = ", ".join(catalog.apis)
        raise UsageError(f"{_OPTION} {path}: say of which API, as ALIAS={path} ({aliases})")
    return next(iter(catalog.apis))


def _read_examples_file(path: str) -> Json:
    from restwright.openapi.load.source import read_file
    from restwright.openapi.syntax.decode import parse_bytes

    try:
        content = read_file(Path(path), source=path)
        if len(content) > _MAX_BYTES:
            raise UsageError(f"{_OPTION} {path}: it is larger than {_MAX_BYTES:,} bytes")
        return parse_bytes(content, source=path).value
    except DocumentError as error:
        raise UsageError(f"{_OPTION}: {error.message}") from None
