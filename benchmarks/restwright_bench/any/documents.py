"""Which documents are measured, and how they are opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from restwright.errors import DocumentError
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog
from restwright_bench.any.tasks.generate import Document, is_never_read, open_document
from restwright_bench.errors import MissingData, UnusableChoice
from restwright_bench.results import DATA

SPECS = DATA.parent / "specs"
_SUFFIXES = (".json", ".yaml", ".yml")


def document_files(given: Sequence[Path]) -> tuple[Path, ...]:
    """
    The files that are named; those of the shared data where none is.

    Raises:
        UnusableChoice: A file that was named is not there.
        MissingData: There is no shared data.
    """
    for file in given:
        if not file.is_file():
            why = f"{file}: there is no such file; give paths of OpenAPI documents"
            raise UnusableChoice("DOC", why)
    if given:
        return tuple(given)
    if not SPECS.is_dir():
        raise MissingData(SPECS, "documents", "any DOC...")
    return tuple(sorted(each for each in SPECS.iterdir() if each.suffix in _SUFFIXES))


def open_documents(files: Sequence[Path], *, is_named: bool, least: int = 1) -> Iterator[Document]:
    """
    Open the documents that have resources.

    Args:
        least: As many resources a document has to have.
        is_named: Whether the user named them, so that one that cannot be opened is their mistake;
            else it is passed over, as an index beside documents is.

    Raises:
        UnusableChoice: A file that was named is no OpenAPI document.
    """
    for file in files:
        try:
            opened = catalog(load(str(file)))
        except DocumentError as error:
            if is_named:
                raise UnusableChoice("DOC", f"{file}: {error}") from error
            continue
        document = open_document(file.name, opened, is_never_read=is_never_read(file))
        if len(document.resources) >= least:
            yield document
