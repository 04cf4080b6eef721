"""Documents as other programs want them: GPT Actions, Agent Skills, earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

LONG = "word " * 200
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Gulls", "version": "1", "description": "Birds and where they are. More."},
    "servers": [{"url": "https://gulls.example/v1"}, {"url": "https://other.example"}],
    "security": [{"key": []}],
    "paths": {
        "/gulls": {
            "get": {
                "operationId": "listGulls",
                "description": LONG,
                "parameters": [
                    {"name": "q", "in": "query", "description": LONG, "schema": {"type": "string"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {"200": {"description": "They."}},
            },
            "post": {
                "operationId": "addGull",
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Gull"}}
                    }
                },
                "responses": {"201": {"description": "It."}},
            },
        },
        "/gulls/{id}": {
            "delete": {
                "operationId": "removeGull",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {
                        "name": "If-Match",
                        "in": "header",
                        "required": True,
                        "schema": {"type": "string"},
                    },
                ],
                "responses": {"204": {"description": "Gone."}},
            }
        },
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "login": {"type": "http", "scheme": "digest"},
        },
        "schemas": {
            "Gull": {"type": "object", "properties": {"name": {"type": ["string", "null"]}}},
            "Unused": {"type": "string"},
        },
    },
}


@pytest.fixture
def gulls(tmp_path: Path) -> str:
    path = tmp_path / "gulls.json"
    path.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return str(path)


def test_actions_keep_the_limits_of_the_format_and_tell_what_they_leave_out(restwright, gulls):
    ended = restwright("convert", "gpt-actions", gulls)
    made = yaml.safe_load(ended.out)
    assert made["openapi"].startswith("3.1.")
    assert made["servers"] == [{"url": "https://gulls.example/v1"}]
    get, post = made["paths"]["/gulls"]["get"], made["paths"]["/gulls"]["post"]
    assert len(get["description"]) <= 300
    assert [each["name"] for each in get["parameters"]] == ["q"]
    assert len(get["parameters"][0]["description"]) <= 700
    assert (get["x-openai-isConsequential"], post["x-openai-isConsequential"]) == (False, True)
    assert "/gulls/{id}" not in made["paths"]
    assert [*made["components"]["schemas"]] == ["Gull"]
    assert [*made["components"]["securitySchemes"]] == ["key"]
    assert "description of GET /gulls is shortened to 300 characters" in ended.err
    assert "GET /gulls: the header X-Trace is left out" in ended.err
    assert "DELETE /gulls/{id} is left out: it needs the header If-Match" in ended.err


def test_actions_are_thirty_at_most(restwright, tmp_path):
    paths = {
        f"/p{number}": {"get": {"operationId": f"p{number}", "responses": {}}}
        for number in range(33)
    }
    path = tmp_path / "many.json"
    path.write_text(json.dumps({**DOCUMENT, "paths": paths}), encoding="utf-8")
    ended = restwright("convert", "gpt-actions", str(path), "--json")
    assert len(ended.json["document"]["paths"]) == 30
    assert "only 30 operations are taken; left out: GET /p30, GET /p31, GET /p32" in ended.err
    chosen = restwright("convert", "gpt-actions", str(path), "--only", "p3*", "--json")
    assert len(chosen.json["document"]["paths"]) == 4


def test_a_server_that_actions_do_not_reach_is_told(restwright, gulls):
    ended = restwright("convert", "gpt-actions", gulls, "--server", "http://127.0.0.1:8000")
    assert "actions only reach https at port 443" in ended.err


def test_a_document_of_actions_is_read_again(restwright, gulls, tmp_path):
    path = tmp_path / "actions.yaml"
    assert restwright("convert", "gpt-actions", gulls, "-o", str(path)).code == 0
    names = [tool["operation"] for tool in restwright("tools", str(path), "--json").json["tools"]]
    assert names == ["addGull", "listGulls"]
    assert restwright("convert", "gpt-actions", gulls, "-o", str(path)).code != 0


def test_a_skill_drives_the_commands(restwright, gulls, tmp_path):
    folder = tmp_path / "gulls-api"
    assert restwright("new", "--skill", gulls, "-o", str(folder)).code == 0
    head, _, body = (folder / "SKILL.md").read_text(encoding="utf-8")[4:].partition("---\n")
    said = yaml.safe_load(head)
    assert said["name"] == folder.name
    assert said["description"].startswith("Birds and where they are.")
    assert len(said["description"]) <= 1024
    for command in ("search", "show", "check", "call"):
        assert f"restwright {command} {gulls}" in body
    assert "- `removeGull` (destructive)" in body
    assert len(body.splitlines()) < 500


def test_the_folder_of_a_skill_has_its_name(restwright, gulls, tmp_path):
    ended = restwright("new", "--skill", gulls, "-o", str(tmp_path / "other"))
    assert ended.code == 2
    assert "gulls-api" in ended.err
    assert not (tmp_path / "other").exists()


def test_an_earlier_version_tells_what_it_cannot_say(restwright, tmp_path):
    document = {
        **DOCUMENT,
        "openapi": "3.2.0",
        "$self": "https://gulls.example/openapi",
        "webhooks": {"seen": {"post": {"responses": {}}}},
        "components": {
            "schemas": {
                "A": {"type": ["string", "null"], "const": "x", "examples": ["x"]},
                "B": {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]},
                "C": {"type": "number", "exclusiveMinimum": 3, "if": {"minimum": 9}},
                "D": {"type": "array", "prefixItems": [{"type": "string"}, True]},
                "E": {"$ref": "#/components/schemas/A", "description": "An A."},
                "F": {"type": ["string", "integer"]},
            }
        },
        "paths": {
            "/s": {
                "query": {"responses": {}},
                "get": {"responses": {"200": {"summary": "They.", "content": {
                    "application/jsonl": {"itemSchema": {"type": "string"}}
                }}}},
            }
        },
    }  # fmt: skip
    path = tmp_path / "new.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    ended = restwright("upgrade", str(path), "--to", "3.0")
    made = ended.json
    assert made["openapi"] == "3.0.4"
    assert made["components"]["schemas"] == {
        "A": {"type": "string", "enum": ["x"], "nullable": True, "example": "x"},
        "B": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/A"}]},
        "C": {"type": "number", "minimum": 3, "exclusiveMinimum": True},
        "D": {"type": "array", "items": {"anyOf": [{"type": "string"}, {}]}},
        "E": {"allOf": [{"$ref": "#/components/schemas/A"}], "description": "An A."},
        "F": {"allOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}]},
    }
    assert [*made["paths"]["/s"]] == ["get"]
    response = made["paths"]["/s"]["get"]["responses"]["200"]
    assert response["description"] == ""
    schema = response["content"]["application/jsonl"]["schema"]
    assert schema == {"type": "array", "items": {"type": "string"}}
    for what in ("/$self", "/webhooks", "/paths/~1s/query", "/components/schemas/C/if"):
        assert f"note: {what}: OpenAPI 3.0 has no" in ended.err, what


def test_3_1_keeps_schemas(restwright, gulls):
    made = restwright("upgrade", gulls, "--to", "3.1").json
    assert made["openapi"] == "3.1.1"
    assert made["components"]["schemas"] == DOCUMENT["components"]["schemas"]
