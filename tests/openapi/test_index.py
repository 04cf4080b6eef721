from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.net.storage import read_state, write_state
from restwright.openapi import api as api_module
from restwright.openapi.api import load
from restwright.openapi.document import Document
from restwright.openapi.index import find_indexed_api, index_api
from restwright.openapi.load.loader import open_document
from restwright.openapi.model import API, Operation
from restwright.openapi.read.reader import read_api
from restwright.openapi.syntax.decode import LazyValue, ParsedFile
from restwright.testing import document, never

PATHS = {
    "/a": {
        "get": {"operationId": "a", "tags": ["x"], "description": "One. Two."},
        "additionalOperations": {"COPY": {"deprecated": True}},
    },
    "/b/{id}": {"post": {"summary": "B", "parameters": [{"name": "q", "in": "query"}]}},
    "/c": {"get": 7},
}
SERVERS = [{"url": "https://{x}.test", "variables": {"x": {"default": "a", "enum": ["a", "b"]}}}]


def opened(content: Any) -> Document:
    return open_document(json.dumps(content).encode(), retrieve=never)


def unparsed(document: Document) -> Document:
    def refuse() -> ParsedFile:
        raise AssertionError("the document must not be parsed")

    return Document(source=document.source, digest=document.digest, parsed=LazyValue(refuse))


def whole(api: API) -> tuple[Any, ...]:
    """Everything that can be asked of an API."""
    names = [each.name for each in fields(API)]
    return (
        [getattr(api, name) for name in names],
        [asdict(each) for each in (*api.operations, *api.webhooks)],
    )


def assert_kept_as_it_was(content: Any) -> None:
    first = read_api(opened(content), alias="a")
    index_api(first)
    second = find_indexed_api(opened(content), alias="a")
    assert second is not None
    assert second == first
    assert whole(second) == whole(read_api(opened(content), alias="a"))


def test_what_was_kept_is_what_was_read() -> None:
    assert_kept_as_it_was(
        document(PATHS, servers=SERVERS, webhooks={"w": {"post": {}}}, **{"x-namespace": "n"})
    )
    assert_kept_as_it_was({"swagger": "2.0", "host": "a.test", "paths": PATHS})
    assert_kept_as_it_was({"openapi": 3.1, "paths": None})


texts = st.text(max_size=8)
odd = st.none() | st.booleans() | st.integers(-9, 9) | texts | st.lists(texts, max_size=2)
operations = st.fixed_dictionaries(
    {},
    optional={
        "operationId": odd,
        "summary": odd,
        "description": odd,
        "tags": odd,
        "deprecated": odd,
        "parameters": odd,
    },
)
items = st.dictionaries(st.sampled_from(["get", "POST", "query", "x-a"]), operations | odd) | odd


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(texts, items, max_size=4), odd)
def test_whatever_a_document_says_is_kept_as_it_was_read(paths: Any, info: Any) -> None:
    assert_kept_as_it_was({"openapi": "3.2.0", "info": {"title": info}, "paths": paths})


def test_listing_from_the_index_does_not_parse() -> None:
    index_api(read_api(opened(document(PATHS))))
    found = find_indexed_api(unparsed(opened(document(PATHS))), alias=None)
    assert found is not None

    assert [(each.operation_id, each.headline) for each in found.operations] == [
        ("a", "One."),
        (None, ""),
        (None, "B"),
    ]
    with pytest.raises(AssertionError, match="must not be parsed"):
        _ = found.operations[0].parameters


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:100],
        lambda data: b"[]",
        lambda data: b"null",
        lambda data: b"\xff",
        lambda data: data.replace(b"restwright 0", b"restwright 9"),
        lambda data: data.replace(b'"operations":[[', b'"operations":[[7],['),
        lambda data: data.replace(b'"sha256":"', b'"sha256":"0'),
    ],
)
def test_what_is_damaged_or_of_another_version_is_ignored(damage: Any) -> None:
    api = read_api(opened(document(PATHS)))
    index_api(api)
    name = f"{api.sha256}.json"
    data = read_state("index", name)
    assert data is not None
    write_state("index", name, damage(data))

    assert find_indexed_api(opened(document(PATHS)), alias=None) is None


def test_a_large_document_is_kept_and_a_small_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document(PATHS)))
    api = load(path)
    assert read_state("index", f"{api.sha256}.json") is None

    path.write_text(json.dumps(document(PATHS)) + " " * api_module.MIN_BYTES)
    api = load(path)
    assert read_state("index", f"{api.sha256}.json") is not None
    assert load(path, alias="b") == replace(api, alias="b")


def test_nothing_is_kept_where_caches_are_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document(PATHS)) + " " * api_module.MIN_BYTES)
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    sha256 = load(path).sha256
    monkeypatch.delenv("RESTWRIGHT_CACHE")

    assert read_state("index", f"{sha256}.json") is None


def test_objects_and_bytes_are_not_kept() -> None:
    content = document(PATHS, **{"x-long": " " * api_module.MIN_BYTES})
    for source in (content, json.dumps(content).encode()):
        assert read_state("index", f"{load(source).sha256}.json") is None


def test_a_part_is_read_once() -> None:
    (operation, *_) = read_api(opened(document(PATHS))).operations

    assert operation.parameters is operation.parameters
    assert operation.responses is operation.responses


def test_a_changed_operation_keeps_its_parts() -> None:
    operation: Operation = read_api(opened(document(PATHS))).operations[2]
    changed = replace(operation, path="/other")

    assert (changed.path, changed.parameters) == ("/other", operation.parameters)
