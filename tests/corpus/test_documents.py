"""Every document of the shared data is read whole, or is refused for a reason known by name."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from restwright.errors import DocumentError
from restwright.openapi.api import load
from restwright.openapi.index import find_indexed_api, index_api
from restwright.openapi.load.loader import open_document
from restwright.openapi.model import API
from restwright.openapi.read.reader import read_api
from restwright.testing import never

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SPECS, CONFORMANCE = DATA / "specs", DATA / "conformance"
INDEX = json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []
VERSION_KEY = re.compile(
    r"""^\s{0,4}\{?\s*["']?(openapi|swagger|swaggerVersion)["']?\s*:""", re.MULTILINE
)

# Documents that are refused though they say a version, by suite, each with the reason.
REFUSED: dict[str, dict[str, str]] = {
    "oai-spec-v3.1-dev": {"schema.yaml": "a JSON Schema"},
    "oai-spec-v3.2-dev": {"schema.yaml": "a JSON Schema"},
    "readme-oas-examples": {},
    "schemathesis-corpus-3.1": {},
    "apidevtools-swagger-parser": {
        "old-version.yaml": "a Swagger 1.x document",
        "callbacks-promises-error.yaml": "`swagger: ERROR` is no version",
    },
    "swagger-api-parser": {
        "issue799.json": "a Swagger 1.x document",
        "dereferenced.json": "a list stands at the top",
        "issue-1119.yaml": "it is not text",
    },
    "kin-openapi": {},
    "gnostic": {
        "openapi-2.0.json": "a JSON Schema",
        "openapi-3.0.json": "a JSON Schema",
        "openapi-3.1.json": "a JSON Schema",
    },
}
# Errors of documents that the specification's own tests accept: what points outside is not fetched.
EXPECTED_ERRORS = {"/components/securitySchemes/external/$ref"}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {DATA} is not there"),
]


def read_everything(api: API) -> None:
    """Ask for every part of every operation, and for all problems."""
    for operation in (*api.operations, *api.webhooks):
        asdict(operation)
    assert api.problems is not None
    assert api.security_schemes is not None


@pytest.mark.parametrize("expected", [pytest.param(each, id=each["file"]) for each in INDEX])
def test_a_real_document_is_read_whole(expected: dict[str, Any]) -> None:
    api = load(SPECS / expected["file"], retrieve=never)
    read_everything(api)
    errors = {each.pointer for each in api.problems if each.severity == "error"}
    lost = expected["operations"] - len(api.operations)

    assert api.title == expected["title"]
    assert expected["spec_version"].startswith(api.specification)
    assert len(api.webhooks) == expected["webhook_operations"]
    assert 0 <= lost <= len(errors)
    assert lost <= expected["operations"] / 1000
    assert len({each.pointer for each in api.operations}) == len(api.operations)


@pytest.mark.parametrize("expected", [pytest.param(each, id=each["file"]) for each in INDEX])
def test_a_real_document_is_read_from_its_index_as_from_itself(expected: dict[str, Any]) -> None:
    path = SPECS / expected["file"]
    first = read_api(open_document(path, retrieve=never))
    index_api(first)
    second = find_indexed_api(open_document(path, retrieve=never), alias=None)

    assert second == first
    assert [each.headline for each in second.operations] == [
        each.headline for each in first.operations
    ]


def documents(suite: str) -> list[Path]:
    files = (CONFORMANCE / suite).rglob("*")
    return sorted(each for each in files if each.suffix in {".json", ".yaml", ".yml"})


def claims_to_be_openapi(path: Path) -> bool:
    """Whether it has the key of a version; the others are fragments, schemas and test data."""
    return bool(VERSION_KEY.search(path.read_text("utf-8", errors="replace")))


@pytest.mark.parametrize("suite", REFUSED)
def test_a_suite_is_read_without_a_crash(suite: str) -> None:
    refused: dict[str, str] = {}
    for path in documents(suite):
        try:
            read_everything(load(path, retrieve=never))
        except DocumentError as error:
            if claims_to_be_openapi(path):
                refused[path.name] = error.message.replace(str(path), "")

    assert set(refused) == set(REFUSED[suite])
    for name, why in REFUSED[suite].items():
        assert why in refused[name]


@pytest.mark.parametrize("suite", ["oai-spec-v3.1-dev", "oai-spec-v3.2-dev"])
def test_documents_that_pass_the_specifications_own_tests_are_read(suite: str) -> None:
    passing = [each for each in documents(suite) if "pass" in each.parts]
    assert len(passing) >= 35
    for path in passing:
        api = load(path, retrieve=never)
        errors = [each for each in api.problems if each.severity == "error"]
        assert [each for each in errors if each.pointer not in EXPECTED_ERRORS] == [], path.name
