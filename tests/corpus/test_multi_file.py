"""The documents of three parsers' tests, with the files beside them: read, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from restwright.errors import DocumentError
from restwright.openapi.document import Document
from restwright.openapi.load.hoist import FILES_KEY
from restwright.openapi.load.loader import load_document
from restwright.testing import never

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "conformance"
# Parser: documents, and how many of them have references to files of the corpus.
CORPORA = {
    "apidevtools-swagger-parser": (66, 7),
    "kin-openapi": (157, 53),
    "swagger-api-parser": (807, 280),
}
RESOURCES = "modules/swagger-parser-v3/src/test/resources/"
PATH_ITEMS = f"{RESOURCES}3.1.0/dereference/pathItem/"
LIST, EMPTY = "a list stands at the top", "it is empty"
REFUSED = {
    f"{PATH_ITEMS}additional-fields/dereferenced.json": LIST,
    f"{PATH_ITEMS}basic/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}callback-object/dereferenced.json": LIST,
    f"{PATH_ITEMS}components-path-items/dereferenced.json": LIST,
    f"{PATH_ITEMS}direct-external-circular/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}direct-internal-circular/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}external-indirections/dereferenced.json": LIST,
    f"{PATH_ITEMS}external-indirections/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}external-internal-nested/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}external-only/dereferenced.json": LIST,
    f"{PATH_ITEMS}external-only/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}ignore-external/dereferenced.json": LIST,
    f"{PATH_ITEMS}internal-external/dereferenced.json": LIST,
    f"{PATH_ITEMS}internal-external/dereferenced.yaml": EMPTY,
    f"{PATH_ITEMS}internal-indirections/dereferenced.json": LIST,
    f"{PATH_ITEMS}internal-only/dereferenced.json": LIST,
    f"{PATH_ITEMS}webhooks/dereferenced.json": LIST,
    f"{RESOURCES}3.1.0/dereference/schema/$anchor-internal-simple/dereferenced.json": LIST,
    f"{RESOURCES}issue-1119.yaml": "it is not text (byte 0xe1 at offset 359)",  # Latin-1
    f"{RESOURCES}issue_998.yaml": "the alias *id001 names nothing that is complete, line 2",
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not (DATA / "kin-openapi").is_dir(), reason=f"the shared data set {DATA} is not there"
    ),
]


def documents(corpus: str) -> list[Path]:
    kinds = {".json", ".yaml", ".yml"}
    return sorted(path for path in (DATA / corpus).rglob("*") if path.suffix in kinds)


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_document_is_read_or_refused_by_name(corpus: str) -> None:
    refused: dict[str, str] = {}
    read: list[Document] = []
    for path in documents(corpus):
        try:
            read.append(load_document(path, retrieve=never, allow_refs=DATA / corpus))
        except DocumentError as error:
            refused[path.relative_to(DATA / corpus).as_posix()] = error.message

    expected = REFUSED if corpus == "swagger-api-parser" else {}
    assert refused.keys() == expected.keys()
    assert [name for name, why in expected.items() if why not in refused[name]] == []
    spread = [document for document in read if FILES_KEY in document.content]
    assert (len(read) + len(refused), len(spread)) == CORPORA[corpus]


@pytest.mark.parametrize("corpus", CORPORA)
def test_no_file_of_the_corpus_is_left_out(corpus: str) -> None:
    """What is left as it is leads to no file that there is."""
    left = {
        (path, problem.what)
        for path in documents(corpus)
        if path.relative_to(DATA / corpus).as_posix() not in REFUSED
        for problem in load_document(path, retrieve=never, allow_refs=DATA / corpus).problems
        if "is not followed" in problem.what
    }
    reasons = (
        "No such file",
        "only relative paths",
        "out of the folder",
        "anchors",
        "it is no file",
    )

    assert [each for each in left if not any(reason in each[1] for reason in reasons)] == []
