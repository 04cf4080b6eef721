"""Inputs that refer to something have producers; free text has none, whatever it is called."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.producers import find_required_producers

STR, INT = {"type": "string"}, {"type": "integer"}


def of(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def returning(schema: Any, body: Any = None) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}}
    }
    if body is not None:
        content = {"application/json": {"schema": {**body, "required": list(body["properties"])}}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def listed(**properties: Any) -> dict[str, Any]:
    return returning({"type": "array", "items": of(**properties)})


def in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": STR}


REVIEWS = catalog(
    load(
        document(
            {
                "/comments": {
                    "get": listed(id=STR, comment=STR, display_name=STR, title=STR, author_id=STR),
                    "post": returning(
                        of(id=STR, comment=STR),
                        of(
                            id=STR,
                            comment=STR,
                            display_name=STR,
                            title=STR,
                            max_replies=INT,
                            author_id=STR,
                            product=STR,
                            labels={"type": "array", "items": STR},
                        ),
                    ),
                },
                "/comments/{comment_id}": {
                    "get": {**returning(of(id=STR)), "parameters": [in_path("comment_id")]}
                },
                "/authors": {"get": listed(id=STR, display_name=STR)},
                "/products": {"get": listed(id=STR, title=STR)},
                "/replies": {"get": listed(id=STR)},
                "/labels": {"get": listed(name=STR), "post": returning({}, of(name=STR))},
                "/labels/{name}": {"get": {**returning({}), "parameters": [in_path("name")]}},
            }
        ),
        alias="reviews",
    )
)
# No path has a placeholder.
CHAT = catalog(
    load(
        document(
            {
                "/rooms.list": {"get": returning(of(rooms={"type": "array", "items": of(id=STR)}))},
                "/users.info": {"get": returning(of(user=of(id=STR, name=STR)))},
                "/say": {"post": returning({}, of(room=STR, user_id=STR, text=STR, name=STR))},
            }
        ),
        alias="chat",
    )
)


def supplied(whole: Catalog, name: str) -> dict[str, str]:
    tool = whole.find(name)
    assert tool is not None
    found = find_required_producers(tool, whole)
    return {each: several[0].why.partition(",")[0] for each, several in found.items()}


def test_only_what_refers_to_something_has_producers() -> None:
    assert supplied(REVIEWS, "post_comments") == {
        "author_id": "GET /authors: `[].id`",
        "product": "GET /products: `[].id`",
        "labels": "GET /labels: `[].name`",
    }


def test_the_name_of_something_new_is_not_looked_up() -> None:
    assert supplied(REVIEWS, "post_labels") == {}
    assert supplied(REVIEWS, "labels_by_name") == {"name": "GET /labels: `[].name`"}


def test_so_it_is_where_no_path_has_a_placeholder() -> None:
    assert supplied(CHAT, "post_say") == {
        "room": "GET /rooms.list: `rooms[].id`",
        "user_id": "GET /users.info: `user.id`",
    }


@pytest.mark.parametrize("text", ["comment", "display_name", "title"])
def test_a_search_asks_for_no_text(text: str) -> None:
    found = REVIEWS.search("write a comment", k=20)

    assert found[0].name == "reviews__post_comments"
    assert not [each for each in found if f"supplies {text} of" in each.why]


def test_what_may_be_null_identifies_nothing() -> None:
    user = of("login", name={"type": ["string", "null"]}, login=STR)
    whole = catalog(
        load(
            document(
                {
                    "/repos": {"get": listed(name=STR, owner=user)},
                    "/labels": {"get": listed(name=STR)},
                    "/repos/{owner}": {"get": {**returning({}), "parameters": [in_path("owner")]}},
                }
            ),
            alias="code",
        )
    )

    assert supplied(whole, "repos_by_owner") == {"owner": "GET /repos: `[].owner.login`"}
