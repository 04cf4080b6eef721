"""The conformance suite of the OpenAPI Overlay Specification."""

from __future__ import annotations

from pathlib import Path

import pytest

from restwright.errors import DocumentError
from restwright.openapi.load.loader import open_document
from restwright.openapi.load.overlay import read_overlay

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SUITE = DATA / "conformance" / "overlay" / "tests"
NOT_READ = "version 1.2 is not published yet"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SUITE.is_dir(), reason=f"the shared data set {SUITE} is not there"),
]


def cases(folder: str) -> list[object]:
    found = sorted(SUITE.glob(f"v1.*/{folder}/*.yaml"))
    return [
        pytest.param(
            path,
            id=f"{path.parts[-3]}/{path.name}",
            marks=pytest.mark.skip(reason=NOT_READ) if "v1.2-dev" in path.parts else (),
        )
        for path in found
    ]


@pytest.mark.parametrize("path", cases("pass"))
def test_what_the_suite_accepts_is_read(path: Path) -> None:
    assert read_overlay(open_document(path, retrieve=lambda url: b"")).actions


@pytest.mark.parametrize("path", cases("fail"))
def test_what_the_suite_refuses_is_refused(path: Path) -> None:
    with pytest.raises(DocumentError):
        read_overlay(open_document(path, retrieve=lambda url: b""))
