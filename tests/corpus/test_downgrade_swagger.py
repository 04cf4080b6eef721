"""Real documents in Swagger 2.0 have the same operations and inputs, but for what is told."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import restwright as rw
from restwright.errors import UnresolvedReference
from restwright.jsontypes import is_array, is_object
from restwright.openapi.api import load
from restwright.openapi.downgrade_swagger import downgrade_to_swagger
from restwright.openapi.model import API, Operation
from restwright.openapi.references import resolve_reference_token, split_pointer, walk_references
from restwright.openapi.upgrade import upgrade_document
from restwright.testing import never
from restwright.tools.tool import Tool

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SPECS = DATA / "specs"
SCHEMA = DATA / "conformance/oai-spec-archive/_archive_/schemas/v2.0/schema.json"

# With what a document gets wrong in every version, as the schema of 2.0 sees it.
FILES = {
    "box__2024.json": set[str](),
    "linkexample__3.0.yaml": set[str](),
    "notion__1.0.json": set[str](),
    "paramstyles__3.1.json": set[str](),
    "petstore__3.0.yaml": set[str](),
    "pokeapi__v2.yaml": set[str](),
    "qdrant__master.json": set[str](),
    "readme-circular__3.0.json": set[str](),
    "readme-discriminators__3.0.json": set[str](),
    "readme-file-uploads__3.0.json": set[str](),
    "readme-security__3.1.json": set[str](),
    "slack__v2.json": set[str](),
    "spotify__2025.yaml": {"paths//playlists/{playlist_id}/images/put/parameters/1"},
    "traintravel__3.1.json": set[str](),
    "trello__1.0.json": set[str](),
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SPECS.is_dir(), reason=f"the shared data set {DATA} is not there"),
]


@cache
def validator() -> Any:
    return jsonschema_rs.validator_for(json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize("file", FILES)
def test_a_real_document_keeps_its_operations_and_inputs(file: str) -> None:
    before = load(SPECS / file, retrieve=never)
    whole = upgrade_document(before.document)
    made, notes = downgrade_to_swagger(whole)
    after = load(made, retrieve=never)

    faults = {"/".join(map(str, error.instance_path)) for error in validator().iter_errors(made)}
    assert faults == FILES[file]
    assert len(after.problems) <= len(before.problems)
    assert [key(one) for one in after.operations] == [key(one) for one in before.operations]

    pointers = [problem.pointer for problem in notes]
    same, others = tools(before), tools(after)
    unlike = {name for name in same if inputs(same[name]) != inputs(others[name])}
    canonical = load(whole, retrieve=never)
    for operation in canonical.operations:
        name = (operation.method.upper(), operation.path)
        if name in unlike:
            assert is_told(operation, canonical, pointers), name
    assert not unlike or notes


def key(operation: Operation) -> tuple[str, str, str | None]:
    return operation.method, operation.path, operation.operation_id


def tools(api: API) -> dict[tuple[str, str], Tool]:
    return {(tool.method.upper(), tool.path): tool for tool in rw.catalog(api).values()}


def inputs(tool: Tool) -> Any:
    """Where each input goes and what it must be; names and descriptions apart."""
    places = [(one.name, one.location, one.target, one.group) for one in tool.inputs]
    whole: dict[str, Any] = strip_words(tool.checks)
    definitions = whole.pop("$defs", {})
    # What a parameter refers to stands in the parameter.
    whole["properties"] = {
        name: definitions.get(schema["$ref"].removeprefix("#/$defs/"), schema)
        if is_object(schema) and [*schema] == ["$ref"]
        else schema
        for name, schema in whole["properties"].items()
    }
    text = json.dumps([whole, definitions])
    used = {name: one for name, one in definitions.items() if f'"#/$defs/{name}"' in text}
    return places, whole, used


def strip_words(schema: Any) -> Any:
    if is_array(schema):
        return [strip_words(item) for item in schema]
    if not is_object(schema):
        return schema
    words = {"title", "description"}
    return {
        name: strip_words(value)
        for name, value in schema.items()
        if name not in words or not isinstance(value, str)
    }


def is_told(operation: Operation, api: API, pointers: list[str]) -> bool:
    """Whether there is a note at an input of an operation or at what one refers to."""
    item, own = operation.pointer.rpartition("/")[0], operation.pointer
    waiting, seen = [f"{own}/parameters", f"{own}/requestBody", f"{item}/parameters"], set[str]()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        if any(pointer == place or pointer.startswith(f"{place}/") for pointer in pointers):
            return True
        if (node := find(api.document, place)) is not None:
            waiting.extend(ref.removeprefix("#") for _, ref in walk_references({"it": node}))
    return False


def find(node: Any, pointer: str) -> Any:
    for token in split_pointer(pointer):
        try:
            node = resolve_reference_token(node, token, pointer)
        except UnresolvedReference:
            return None
    return node
