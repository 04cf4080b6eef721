"""What the parser reads of a task whose thing was looked up."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.agents.executor.executor import _about_this
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool


def list_credits(path: str = "/people/{person_id}/credits", name: str = "person_id") -> Tool:
    paths: dict[str, Any] = {
        path: {
            "get": {
                "operationId": "list_credits",
                "parameters": [
                    {"name": name, "in": "path", "required": True, "schema": {}},
                ],
            }
        }
    }
    (tool,) = catalog(load(document(paths))).tools
    return tool


@pytest.mark.parametrize(
    ("task", "asked"),
    [
        ("the films directed by Ana Ruiz", "the films directed by this person"),
        ("the number of films of the person Ana Ruiz", "the number of films of this person"),
        ("ana ruiz's latest film", "this person's latest film"),
        ("the films of Ana Ruizo", "the films of Ana Ruizo"),
        ("the films", "the films"),
    ],
)
def test_the_name_of_what_was_looked_up_is_not_looked_for_in_the_response(
    task: str, asked: str
) -> None:
    told, labels = _about_this(list_credits(), task, {"person_id": "Ana Ruiz"})
    assert told == asked
    assert labels == {"person_id": "this person" if asked != task else "Ana Ruiz"}


def test_the_kind_of_a_thing_ends_no_turn() -> None:
    tool = list_credits("/people<|eot|>/{id}/credits", "id")
    told, _ = _about_this(tool, "the films of Ana Ruiz", {"id": "Ana Ruiz"})
    assert told == "the films of this people<\\|eot|>"
