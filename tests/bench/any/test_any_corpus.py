"""Worlds and tasks of the shared documents."""

from __future__ import annotations

import pytest

from restwright_bench.any.documents import document_files, open_documents
from restwright_bench.any.program import run_program
from restwright_bench.any.tasks.generate import KINDS, make_cases

pytestmark = pytest.mark.corpus

LEAST_DOCUMENTS, LEAST_RICH, RICH = 16, 14, 8


def test_documents_give_worlds_and_every_task_of_them_can_be_done():
    documents = list(open_documents(document_files(()), is_named=False))
    assert len(documents) >= LEAST_DOCUMENTS
    found = {document.name: list(make_cases(document, 0)) for document in documents}
    assert sum(len(cases) >= RICH for cases in found.values()) >= LEAST_RICH
    assert {case.kind for cases in found.values() for case in cases} == set(KINDS)
    for document in documents:
        for case in found[document.name]:
            assert run_program(case, document.world(0)).success, (document.name, case.kind)
