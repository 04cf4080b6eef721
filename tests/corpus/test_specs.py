"""Every document of the shared data becomes tools, whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from restwright.openapi.api import load
from restwright.openapi.references import pointer_of
from restwright.testing import never
from restwright.tools.catalog import catalog
from restwright.tools.definitions import references_in
from restwright.tools.producers import producers
from restwright.tools.media import body_media_type
from restwright.tools.shape import shape
from restwright.tools.tool import Tool

SPECS = Path(__file__).parents[2].parent / "shared" / "data" / "specs"
LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
INDEX = json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {SPECS} is not there"),
]


def documents(first: str) -> list[Any]:
    chosen = [each for each in INDEX if each["spec_version"].startswith(first)]
    return [pytest.param(each, id=each["file"]) for each in chosen]


@pytest.mark.parametrize("expected", documents(""))
def test_a_document_becomes_tools(expected: dict[str, Any]) -> None:
    api = load(SPECS / expected["file"], retrieve=never)
    whole = catalog(api)
    left_out = [each for each in api.problems if "no Operation Object" in each.what]

    assert len(api.operations) + len(left_out) == expected["operations"]
    assert len(whole) == len(whole.tools) == len(api.operations)
    assert all(LEGAL.fullmatch(name) for name in whole.names)
    assert [tool.name for tool in whole.tools] == sorted(set(whole.names))
    for tool in whole.tools:
        assert_schemas_are_whole(tool)
        assert_no_required_input_is_lost(tool)
        assert 0 < len(shape(tool.output)) <= 1500
        assert 0 < len(tool.description) <= 1024


def assert_schemas_are_whole(tool: Tool) -> None:
    for schema in (tool.checks, tool.output):
        definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
        assert {ref for each in (schema, *definitions.values()) for ref in references_in(each)} == {
            f"#/$defs/{name}" for name in definitions
        }, tool.name
    jsonschema_rs.validator_for(tool.checks)
    assert [each.name for each in tool.inputs] == list(tool.properties)


def assert_no_required_input_is_lost(tool: Tool) -> None:
    operation = tool.operation
    given = {(each.location, each.target) for each in tool.inputs if each.name in tool.required}
    assert {(each.location, each.name) for each in operation.parameters if each.required} <= given
    assert body_media_type(operation) is None or any(
        each.location.startswith("body") for each in tool.inputs
    )


@pytest.mark.parametrize(
    ("file", "name", "input_name", "expected"),
    [
        ("spotify__2025.yaml", "get-list-users-playlists", "user_id", ("GET", "/me")),
        ("spotify__2025.yaml", "get-playlist", "playlist_id", ("GET", "/me/playlists")),
        ("stripe__2022-11-15.json", "PostSubscriptions", "customer", ("GET", "/v1/customers")),
        ("asana__2026.yaml", "getTask", "task_gid", ("GET", "/tasks")),
        ("petstore__3.0.yaml", "find_pet_by_id", "id", ("GET", "/pets")),
        (
            "discord__v10.json",
            "create_message",
            "channel_id",
            ("GET", "/guilds/{guild_id}/channels"),
        ),
        (
            "github__v3.json",
            "issues_create-comment",
            "issue_number",
            ("GET", "/repos/{owner}/{repo}/issues"),
        ),
        ("github__v3.json", "issues_create-comment", "repo", ("GET", "/user/repos")),
    ],
)
def test_ids_come_from_the_operation_that_a_person_would_call(
    file: str, name: str, input_name: str, expected: tuple[str, str]
) -> None:
    whole = catalog(load(SPECS / file, retrieve=never))
    tool = whole.find(name)
    assert tool is not None
    first = producers(tool, input_name, whole.tools)[0].tool.operation

    assert (first.method.upper(), first.path) == expected


def test_pointers_name_the_operations() -> None:
    api = load(SPECS / "petstore__3.0.yaml", retrieve=never)

    assert [each.pointer for each in api.operations] == [
        pointer_of("paths", each.path, each.method) for each in api.operations
    ]
