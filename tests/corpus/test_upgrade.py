"""Every document of the shared data is upgraded whole, once and for all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from restwright.errors import DocumentError
from restwright.openapi.api import load
from restwright.openapi.load.loader import load_document
from restwright.openapi.model import API, MediaType, Operation
from restwright.openapi.references import find_unresolved_references, lookup_reference
from restwright.openapi.upgrade import upgrade_document, upgrade_schema
from restwright.openapi.versions.object_map import Slot, find_slot, slot_members
from restwright.testing import never

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SPECS, CONFORMANCE = DATA / "specs", DATA / "conformance"
INDEX = json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {DATA} is not there"),
]

# What the documents get wrong in every version: nothing that an upgrade may decide about.
FAULTS = {
    "notion__1.0.json": {"paths//v1/pages/{id}/get/parameters/1/name"},
    "openai__2026.yaml": {"components/schemas/ContainerResource/required"},
    "spotify__2025.yaml": {
        "paths//playlists/{playlist_id}/images/put/requestBody/content/image/jpeg/schema/required"
    },
}

# Valid before and not after, each for its reason.
EXCEPTIONS = {
    # A response code of 888, which the schema of 2.0 passes.
    "invalid-response-code.yaml",
    # A reference to a response where a path item belongs, which the schema of 2.0 passes.
    "ref-to-invalid-path.yaml",
    # `$schema` names the dialect of 3.1; the schema of 3.2 wants its own there.
    "json_schema_dialect.yaml",
}
FOLDERS = (
    *("apidevtools-swagger-parser", "gnostic", "kin-openapi", "oai-spec-archive"),
    *("oai-spec-v3.1-dev", "oai-spec-v3.2-dev", "readme-oas-examples", "swagger-api-parser"),
    "schemathesis-corpus-3.1",
)


def content(path: Path) -> dict[str, Any]:
    return load_document(path, retrieve=never).content


@cache
def validator(folder: str) -> Any:
    """The published schema of a version, with its dialect."""
    schemas = [content(path) for path in sorted((CONFORMANCE / folder).glob("*.yaml"))]
    registry = jsonschema_rs.Registry([(each["$id"], each) for each in schemas])
    base = next(each for each in schemas if "/schema-base/" in each["$id"])
    return jsonschema_rs.validator_for(base, registry=registry)


@cache
def old_validator(path: str) -> Any:
    return jsonschema_rs.validator_for(content(CONFORMANCE / path))


def is_valid_as_written(document: dict[str, Any]) -> bool:
    archive = "oai-spec-archive/_archive_/schemas"
    if "swagger" in document:
        return old_validator(f"{archive}/v2.0/schema.json").is_valid(document)
    if str(document["openapi"]).startswith("3.0"):
        return old_validator(f"{archive}/v3.0/schema.yaml").is_valid(document)
    minor = str(document["openapi"])[:3]
    return validator(f"oai-spec-v{minor}-dev/src/schemas/validation").is_valid(document)


def faults(document: dict[str, Any]) -> set[str]:
    errors = validator("oai-spec-v3.2-dev/src/schemas/validation").iter_errors(document)
    return {"/".join(map(str, each.instance_path)) for each in errors}


@pytest.mark.parametrize("file", [each["file"] for each in INDEX])
def test_a_real_document_is_upgraded(file: str) -> None:
    written = content(SPECS / file)
    whole = upgrade_document(written)

    assert upgrade_document(whole) == whole
    assert (
        list(find_unresolved_references(written)) == list(find_unresolved_references(whole)) == []
    )
    assert faults(whole) == FAULTS.get(file, set())
    assert [list(item) for item in whole.get("paths", {}).values()] == [
        [key for key in item if key != "parameters" or "openapi" in written]
        for item in written.get("paths", {}).values()
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_was_valid_is_valid_after_the_upgrade(folder: str) -> None:
    found = 0
    for path in sorted((CONFORMANCE / folder).rglob("*")):
        document = readable(path)
        if document is None:
            continue
        found += 1
        whole = upgrade_document(document)
        assert json.dumps(upgrade_document(whole)) == json.dumps(whole), path
        if path.name not in EXCEPTIONS and is_valid_as_written(document):
            assert faults(whole) == set(), path
    assert found > 5


def readable(path: Path) -> dict[str, Any] | None:
    """The document in `path` where it is one of a version that can be read."""
    if path.suffix not in {".json", ".yaml", ".yml"}:
        return None
    try:
        document = content(path)
    except DocumentError:
        return None
    version = str(document.get("openapi", document.get("swagger")))
    return document if version[:3] in {"2.0", "3.0", "3.1", "3.2"} else None


@pytest.mark.parametrize("path", sorted(CONFORMANCE.glob("oai-spec-v3.2-dev/tests/schema/pass/*")))
def test_a_document_of_3_2_stays_as_it_is(path: Path) -> None:
    document = content(path)
    if path.stem == "schema-object-deprecated-example-keyword":
        # The one thing that 3.2 has two ways for.
        assert document != upgrade_document(document)
    else:
        assert upgrade_document(document) == document


@pytest.mark.parametrize("file", [each["file"] for each in INDEX])
def test_a_document_reads_the_same_before_and_after(file: str) -> None:
    before = load(SPECS / file, retrieve=never)
    after = load(upgrade_document(before.document), retrieve=never)
    pairs: list[tuple[Any, Any]] = []
    for one, other in zip(before.operations, after.operations, strict=True):
        assert facts(one) == facts(other), one.pointer
        pairs.extend(zip(schemas(one), schemas(other), strict=True))
    assert_same_schemas(before, after.document, pairs)


def facts(operation: Operation) -> Any:
    """What an operation says, its schemas left out."""
    body = operation.request_body
    return (
        *(operation.method, operation.path, operation.operation_id, operation.tags),
        *(operation.summary, operation.description, operation.deprecated, operation.servers),
        *(operation.security, operation.extensions),
        [replace(each, schema=True) for each in operation.parameters],
        (body.required, body.description, media_types(body.content)) if body else None,
        [
            (each.status, each.description, media_types(each.content))
            for each in operation.responses
        ],
    )


def media_types(content: tuple[MediaType, ...]) -> list[Any]:
    return [(each.name, each.example, each.examples, sorted(each.encoding)) for each in content]


def schemas(operation: Operation) -> Iterator[Any]:
    yield from (each.schema for each in operation.parameters)
    body = operation.request_body
    for content in (body.content if body else (), *(each.content for each in operation.responses)):
        yield from (each.schema for each in content)
    for response in operation.responses:
        yield from (each.schema for each in response.headers)


def assert_same_schemas(before: API, after: dict[str, Any], pairs: list[tuple[Any, Any]]) -> None:
    """Walk both graphs together: the same keywords, and references to the same."""
    met: dict[tuple[int, int], tuple[Any, Any]] = {}
    while pairs:
        old, new = pair = pairs.pop()
        if not isinstance(old, dict) or (id(old), id(new)) in met:
            assert isinstance(old, dict) or old == new
            continue
        met[id(old), id(new)] = pair
        node = upgrade_schema(old, before.specification)
        if "$recursiveRef" in node or "$recursiveAnchor" in node:
            continue
        assert node.keys() == new.keys()
        for key, value in node.items():
            if key == "$ref":
                pairs.append(
                    (lookup_reference(before.document, value), lookup_reference(after, new[key]))
                )
            elif (place := find_slot("schema", node, key)) is not None:
                pairs.extend(below(place, value, new[key]))
            else:
                assert key == "discriminator" or value == new[key]


def below(place: Slot, old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    if place.shape == "one":
        yield old, new
    both = zip(slot_members(place, old), slot_members(place, new), strict=True)
    yield from ((one, other) for (_, one), (_, other) in both)
