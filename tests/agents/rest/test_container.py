"""What things are inside of is not changed in their place."""

from __future__ import annotations

import pytest
from tests.agents.rest.test_only import BODY, DONE, TEXT, ask, change, find, gives
from tests.support.planned import filled, planned, query, select, worded

from restwright.jsontypes import JsonObject
from restwright.testing import Reply

FILM: JsonObject = {
    "type": "object",
    "properties": {"id": TEXT, "title": TEXT, "list_id": TEXT, "length": {"type": "integer"}},
}
LIST: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
GIVEN: JsonObject = {"name": "list_id", "in": "path", "required": True, "schema": TEXT}
PATHS: JsonObject = {
    "/lists": {
        "get": {"operationId": "list_lists", "responses": gives({"type": "array", "items": LIST})}
    },
    "/lists/{list_id}": {
        "delete": {"operationId": "delete_list", "parameters": [GIVEN], "responses": DONE},
        "patch": {
            "operationId": "rename_list",
            "parameters": [GIVEN],
            "requestBody": BODY,
            "responses": DONE,
        },
    },
    "/lists/{list_id}/films/": {
        "get": {
            "operationId": "list_films",
            "parameters": [GIVEN],
            "responses": gives({"type": "array", "items": FILM}),
        },
    },
}
FILMS: list[JsonObject] = [
    {"id": "f-1", "title": "Tern", "list_id": "l-2", "length": 7},
    {"id": "f-2", "title": "Lua", "list_id": "l-2", "length": 2},
]
LISTS: list[JsonObject] = [{"id": "l-1", "name": "dry"}, {"id": "l-2", "name": "wet"}]
AMONG: JsonObject = {"id": 2, "of": [1]}
IF_LONG = {**AMONG, "condition": {"step": 1, "is": "over 3", "holds": True}}
IS_LONG = query(
    give="yes or no",
    where=[
        {"field": "title", "is": "=", "value": "Tern"},
        {"field": "length", "is": ">", "value": 3},
    ],
)


def sent_for(films: list[JsonObject], *script: Reply) -> list[str]:
    answer, _, sent = ask(
        "Remove the films of the list “wet”.",
        *script,
        paths=PATHS,
        bodies={"/lists": [*LISTS], "/lists/l-2/films/": [*films], "/lists/l-2": {}},
    )
    assert answer.text.startswith("Not done") or "Not done" in answer.text
    return sent


@pytest.mark.parametrize("count", [1, 2])
def test_a_list_is_not_deleted_for_the_things_that_it_has(count: int) -> None:
    drop = {**change("remove #1", "delete"), **AMONG, "quantity": "all"}
    sent = sent_for(
        FILMS[:count],
        planned(find("the films of the list “wet”"), drop),
        select("delete_list"),
        select("list_films"),
        query(),
        select("delete_list"),
    )
    assert not [one for one in sent if one.startswith("DELETE")]


def test_what_a_step_before_has_only_in_its_words_is_named_by_the_call() -> None:
    answer, _, sent = ask(
        "If the film “Tern” of the list “wet” has a length over 3, rename it to “dry”.",
        planned(
            find("the film “Tern” of the list “wet”", "one"),
            {
                **change("rename #1 to “dry”", "update"),
                **IF_LONG,
            },
        ),
        select("list_films"),
        IS_LONG,
        select("rename_list"),
        filled(list_id="l-2", name="dry"),
        paths=PATHS,
        bodies={"/lists": [*LISTS], "/lists/l-2/films/": [*FILMS], "/lists/l-2": {}},
    )
    assert not [one for one in sent if not one.startswith("GET")]
    assert "Not done" in answer.text


@pytest.mark.parametrize("said", ["l-2", None], ids=["its id", "nothing"])
@pytest.mark.parametrize("effect", ["delete", "update"])
def test_nor_is_it_changed_for_one_of_them(effect: str, said: str | None) -> None:
    name = "delete_list" if effect == "delete" else "rename_list"
    sent = sent_for(
        FILMS[:1],
        planned(find("the film of the list “wet”", "one"), {**change("do #1", effect), **AMONG}),
        select("list_films"),
        query(),
        select(name),
        filled(list_id=said, name="wet"),
    )
    assert not [one for one in sent if not one.startswith("GET")]


def test_the_second_best_change_is_tried_before_another_choice() -> None:
    drop = {**change("remove #1", "delete"), **AMONG, "quantity": "all"}
    (film,) = (path for path in PATHS if path.endswith("films/"))
    more: JsonObject = {
        f"{film}{{film_id}}": {
            "delete": {
                "operationId": "delete_film",
                "parameters": [GIVEN, {**GIVEN, "name": "film_id"}],
                "responses": DONE,
            }
        }
    }
    _, roles, sent = ask(
        "Remove the films of the list “wet”.",
        planned(find("the films of the list “wet”"), drop),
        select("list_films"),
        query(),
        select("delete_list", "delete_film"),
        worded("They are removed."),
        paths=PATHS | more,
        bodies={
            "/lists": [*LISTS],
            "/lists/l-2/films/": [*FILMS],
            **{f"/lists/l-2/films/{one['id']}": {} for one in FILMS},
        },
    )
    assert [one for one in sent if one.startswith("DELETE")] == [
        f"DELETE /lists/l-2/films/{one['id']}" for one in FILMS
    ]
    assert roles.count("selector") == 2


def test_what_a_condition_was_asked_of_is_what_is_changed() -> None:
    """The step after it has neither its name nor its id; its call has."""
    (film,) = (path for path in PATHS if path.endswith("films/"))
    more: JsonObject = {
        f"{film}{{film_id}}": {
            "patch": {
                "operationId": "rename_film",
                "parameters": [GIVEN, {**GIVEN, "name": "film_id"}],
                "requestBody": BODY,
                "responses": DONE,
            }
        }
    }
    _, _, sent = ask(
        "If the film “Tern” of the list “wet” has a length over 3, give it the name “dry”.",
        planned(
            find("the film “Tern” of the list “wet”", "one"),
            {
                **change("give #1 the name “dry”", "update"),
                **IF_LONG,
            },
        ),
        select("list_films"),
        IS_LONG,
        select("rename_film"),
        filled(list_id="l-1", film_id="f-2", name="dry"),
        worded("Tern is dry."),
        paths=PATHS | more,
        bodies={"/lists": [*LISTS], "/lists/l-2/films/": [*FILMS], "/lists/l-2/films/f-1": {}},
    )
    assert [one for one in sent if not one.startswith("GET")] == ["PATCH /lists/l-2/films/f-1 dry"]


def test_things_whose_documented_parts_alone_have_an_id_are_known_by_their_own() -> None:
    """What the document says of them is less than what is given."""
    part: JsonObject = {"type": "array", "items": {"properties": {"id": TEXT, "film_id": TEXT}}}
    told: JsonObject = {"type": "object", "properties": {"title": TEXT, "copies": part}}
    (film,) = (path for path in PATHS if path.endswith("films/"))
    listed = {**PATHS[film]["get"], "responses": gives({"type": "array", "items": told})}
    paths: JsonObject = {
        **PATHS,
        film: {"get": listed},
        f"{film}{{film_id}}": {
            "delete": {
                "operationId": "delete_film",
                "parameters": [GIVEN, {**GIVEN, "name": "film_id"}],
                "responses": DONE,
            }
        },
    }
    drop = {**change("remove #1", "delete"), **AMONG, "quantity": "all"}
    _, _, sent = ask(
        "Remove the films of the list “wet”.",
        planned(find("the films of the list “wet”"), drop),
        select("list_films"),
        query(),
        select("delete_film"),
        worded("They are removed."),
        paths=paths,
        bodies={
            "/lists": [*LISTS],
            "/lists/l-2/films/": [{**one, "copies": []} for one in FILMS],
            **{f"/lists/l-2/films/{one['id']}": {} for one in FILMS},
        },
    )
    assert [one for one in sent if one.startswith("DELETE")] == [
        f"DELETE /lists/l-2/films/{one['id']}" for one in FILMS
    ]
