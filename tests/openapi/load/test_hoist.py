"""`upgrade_document()` of documents that are spread over files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from restwright.openapi.load.hoist import FILES_KEY
from restwright.openapi.load.loader import load_document
from restwright.openapi.references import find_unresolved_references
from restwright.openapi.upgrade import upgrade_document
from restwright.testing import document, never

NULLABLE = {"type": "string", "nullable": True}
UPGRADED = {"type": ["string", "null"]}


def upgraded(folder: Path, files: dict[str, Any]) -> dict[str, Any]:
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    whole = load_document(folder / "openapi.json", retrieve=never, allow_refs=folder)
    found = upgrade_document(whole.content)
    assert FILES_KEY not in found
    assert upgrade_document(found) == found
    return found


def of_3_0(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**document(paths, **more), "openapi": "3.0.3"}


def test_parts_of_other_files_become_components_of_the_kind_that_is_wanted(tmp_path: Path) -> None:
    operation = {
        "parameters": [{"$ref": "parts.json#/q"}],
        "responses": {"200": {"$ref": "parts.json#/ok"}},
    }
    parts = {
        "q": {"name": "q", "in": "query", "schema": NULLABLE},
        "ok": {"description": "", "content": {"a/b": {"schema": {"$ref": "pet.json"}}}},
        "item": {"get": operation, "post": {"requestBody": {"$ref": "#/body"}}},
        "body": {"content": {"a/b": {"schema": {"$ref": "pet.json#/properties/tag"}}}},
        "unused": NULLABLE,
    }
    pet = {"properties": {"tag": NULLABLE, "kin": {"$ref": "#"}}}
    whole = of_3_0({"/a": {"$ref": "parts.json#/item"}})
    found = upgraded(tmp_path, {"openapi.json": whole, "parts.json": parts, "pet.json": pet})

    components = found["components"]
    assert list(find_unresolved_references(found)) == []
    assert found["paths"] == {"/a": {"$ref": "#/components/pathItems/item"}}
    assert {kind: list(several) for kind, several in components.items()} == {
        "pathItems": ["item"],
        "parameters": ["q"],
        "responses": ["ok"],
        "requestBodies": ["body"],
        "schemas": ["pet", "tag"],
    }
    assert components["schemas"] == {
        "pet": {"properties": {"tag": UPGRADED, "kin": {"$ref": "#/components/schemas/pet"}}},
        "tag": UPGRADED,
    }
    assert components["parameters"]["q"]["schema"] == UPGRADED


def test_names_that_are_taken_stay_with_who_has_them(tmp_path: Path) -> None:
    both = {"oneOf": [{"$ref": "a.json#/x/Pet"}, {"$ref": "a.json#/y/pet"}]}
    schemas = {"Pet": {"type": "object"}, "Both": both}
    files = {"openapi.json": of_3_0({}, components={"schemas": schemas})}
    found = upgraded(tmp_path, {**files, "a.json": {"x": {"Pet": NULLABLE}, "y": {"pet": {}}}})

    refs = [{"$ref": "#/components/schemas/Pet_2"}, {"$ref": "#/components/schemas/pet_3"}]
    assert found["components"]["schemas"] == {
        "Pet": {"type": "object"},
        "Both": {"oneOf": refs},
        "Pet_2": UPGRADED,
        "pet_3": {},
    }


def test_a_mapping_leads_to_the_component_too(tmp_path: Path) -> None:
    schema = {"discriminator": {"propertyName": "a", "mapping": {"b": "b.json"}}}
    files = {"openapi.json": of_3_0({}, components={"schemas": {"A": schema}}), "b.json": NULLABLE}
    schemas = upgraded(tmp_path, files)["components"]["schemas"]

    assert schemas["A"]["discriminator"]["mapping"] == {"b": "#/components/schemas/b"}
    assert schemas["b"] == UPGRADED


def test_schemas_of_swagger_in_other_files_are_upgraded(tmp_path: Path) -> None:
    response = {"description": "ok", "schema": {"$ref": "a.json#/definitions/A"}}
    whole = {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "produces": ["a/b"],
        "paths": {"/a": {"get": {"responses": {"200": response}}}, "/b": {"$ref": "a.json#/b"}},
    }
    parameter = {"name": "q", "in": "query", "type": "string"}
    item = {"get": {"parameters": [{"$ref": "#/p"}], "responses": {"200": {"$ref": "#/r"}}}}
    files = {"definitions": {"A": {"type": "string", "x-nullable": True}}, "b": item}
    files |= {"p": parameter, "r": {"description": "r", "schema": {"$ref": "#/definitions/A"}}}
    found = upgraded(tmp_path, {"openapi.json": whole, "a.json": files})

    assert found["components"]["schemas"] == {"A": UPGRADED}
    assert FILES_KEY not in json.dumps(found)
    content = {"a/b": {"schema": {"$ref": "#/components/schemas/A"}}}
    assert found["paths"]["/b"]["get"]["responses"]["200"]["content"] == content
