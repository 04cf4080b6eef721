"""Every document of the shared data becomes tools, whole."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from restwright.openapi.api import load
from restwright.openapi.references import join_pointer
from restwright.testing import never
from restwright.tools.catalog.catalog import catalog
from restwright.tools.producers import find_producers

SPECS = Path(__file__).parents[2].parent / "shared" / "data" / "specs"
LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
INDEX = json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not INDEX, reason=f"the shared data set {SPECS} is not there"),
]


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
    first = find_producers(tool, input_name, whole.tools)[0].tool.operation

    assert (first.method.upper(), first.path) == expected


def test_pointers_name_the_operations() -> None:
    api = load(SPECS / "petstore__3.0.yaml", retrieve=never)

    assert [each.pointer for each in api.operations] == [
        join_pointer("paths", each.path, each.method) for each in api.operations
    ]
