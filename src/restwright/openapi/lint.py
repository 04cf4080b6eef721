"""What a model or a provider would suffer from, though a document can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from restwright.openapi.model import API, Problem


def lint(api: API, found: Iterable[Problem]) -> Iterator[Problem]:
    """Yield what is doubtful beyond what `found` says already."""
    yield from ()
