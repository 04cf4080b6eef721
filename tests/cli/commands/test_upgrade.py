"""`upgrade`."""

from __future__ import annotations

import json

SWAGGER = """\
swagger: "2.0"
info: {title: Old things, version: "1"}
host: things.test
basePath: /v1
schemes: [https]
paths:
  /things:
    post:
      parameters:
        - {name: thing, in: body, required: true, schema: {$ref: "#/definitions/Thing"}}
      responses: {"200": {description: It., schema: {$ref: "#/definitions/Thing"}}}
definitions:
  Thing: {type: object, properties: {colour: {type: string, x-nullable: true}}}
"""
CONTENT = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
CANONICAL = {
    "openapi": "3.2.0",
    "info": {"title": "Old things", "version": "1"},
    "servers": [{"url": "https://things.test/v1"}],
    "paths": {
        "/things": {
            "post": {
                "requestBody": {"required": True, "content": CONTENT},
                "responses": {"200": {"description": "It.", "content": CONTENT}},
            }
        }
    },
    "components": {
        "schemas": {
            "Thing": {"type": "object", "properties": {"colour": {"type": ["string", "null"]}}}
        }
    },
}


def test_a_swagger_document_is_printed_as_openapi(restwright, tmp_path):
    path = tmp_path / "old.yaml"
    path.write_text(SWAGGER, encoding="utf-8")
    ended = restwright("upgrade", str(path))
    assert (ended.code, ended.json, ended.err) == (0, CANONICAL, "")


def test_what_is_printed_can_be_read_and_upgraded_again(restwright, things):
    once = restwright("upgrade", things, "--json")
    again = restwright("upgrade", "-", stdin=once.out)
    assert once.json["openapi"] == "3.2.0"
    assert (again.code, again.out) == (0, once.out)


def test_an_alias_is_passed_over(restwright, things):
    assert restwright("upgrade", f"mine={things}").out == restwright("upgrade", things).out


def test_what_is_no_document_is_refused_without_any_output(restwright, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"paths": {}}), encoding="utf-8")
    ended = restwright("upgrade", str(path))
    assert (ended.code, ended.out) == (1, "")
    error = restwright("upgrade", str(path), "--json").json["error"]
    assert error["code"] == "not_openapi"
    assert restwright("upgrade").code == 2


def test_swagger_comes_back_and_what_it_cannot_say_is_told(restwright, things, tmp_path):
    path = tmp_path / "old.yaml"
    path.write_text(SWAGGER, encoding="utf-8")
    ended = restwright("upgrade", str(path), "--to", "2.0")
    assert (ended.code, ended.json["host"], ended.json["basePath"]) == (0, "things.test", "/v1")
    assert ended.json["paths"]["/things"]["post"]["parameters"] == [
        {"name": "body", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Thing"}}
    ]
    again = restwright("upgrade", "-", "--to", "2.0", stdin=ended.out)
    assert again.out == ended.out
    note = "note: /components/schemas/Thing/properties/colour/nullable: Swagger 2.0 has no"
    assert ended.err.startswith(note)
