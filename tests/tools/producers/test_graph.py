"""Three APIs in three styles; nothing in the code may know any of their words."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.producers import find_producers, find_required_producers, load_suppliers
from restwright.tools.producers.fields import response_fields
from restwright.tools.producers.responses import DocumentResponses

STR, INT = {"type": "string"}, {"type": "integer"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def many(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def returning(schema: Any, *, body: Any = None, **more: Any) -> dict[str, Any]:
    operation = {
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
        **more,
    }
    if body is not None:
        content = {"application/json": {"schema": body}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def query(name: str, schema: Any = STR, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "required": required}


def in_path(name: str, schema: Any = STR, description: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": schema,
        "description": description,
    }


# Lists are `{items: [...]}`, ids are `id` where they are at home and `product_id` elsewhere.
CATEGORY = of(id=INT, name=STR)
PRODUCT = of(id=STR, name=STR, price={"type": "number"}, category=CATEGORY)
LINE = of(id=STR, product_id=STR, quantity=INT)
SHOP = catalog(
    load(
        document(
            {
                "/products": {
                    "get": returning(
                        of(items=many(PRODUCT), total=INT),
                        parameters=[query("category_id", INT), query("sort", {"enum": ["a", "b"]})],
                    )
                },
                "/products/{product_id}": {
                    "get": returning(
                        {**PRODUCT, "properties": {**PRODUCT["properties"], "options": many(LINE)}},
                        parameters=[in_path("product_id")],
                    )
                },
                "/categories": {"get": returning(of(items=many(CATEGORY)))},
                "/cart": {"get": returning(of(items=many(LINE), total={"type": "number"}))},
                "/cart/items": {
                    "post": returning(
                        of(items=many(LINE)),
                        body={
                            **of(product_id=STR, quantity=INT, gift={"type": "boolean"}),
                            "required": ["product_id", "quantity"],
                        },
                    )
                },
                "/cart/items/{item_id}": {"delete": returning({}, parameters=[in_path("item_id")])},
                "/orders": {
                    "get": returning(of(items=many(of(id=STR, lines=many(LINE))))),
                    "post": returning(of(id=STR, status=STR)),
                },
                "/orders/{order_id}/payment": {
                    "post": returning(
                        of(order_id=STR, paid={"type": "boolean"}),
                        parameters=[in_path("order_id")],
                    )
                },
            }
        ),
        alias="shop",
    )
)

# Path parameters are called `id` or `user_id`, responses refer to components, lists are wrapped.
MUSIC = catalog(
    load(
        document(
            {
                "/me": {
                    "get": returning(
                        of(display_name=STR, id=STR, uri=STR),
                        operationId="get-profile",
                        summary="The profile of the current user",
                    )
                },
                "/me/playlists": {"get": returning(of(items=many(ref("Playlist"))))},
                "/users/{user_id}/playlists": {
                    "get": returning(
                        of(items=many(ref("Playlist"))), parameters=[in_path("user_id")]
                    ),
                    "post": returning(
                        ref("Playlist"),
                        body={**of(name=STR), "required": ["name"]},
                        parameters=[in_path("user_id")],
                    ),
                },
                "/playlists/{playlist_id}": {
                    "get": returning(ref("Playlist"), parameters=[in_path("playlist_id")])
                },
                "/search": {
                    "get": returning(
                        of(
                            artists=of(href=STR, items=many(ref("ArtistObject"))),
                            albums=of(href=STR, items=many(ref("AlbumObject"))),
                        ),
                        parameters=[query("q", required=True)],
                    )
                },
                "/artists": {
                    "get": returning(
                        of(artists=many(ref("ArtistObject"))),
                        parameters=[query("ids", many(STR), required=True)],
                    )
                },
                "/artists/{id}": {
                    "get": returning(ref("ArtistObject"), parameters=[in_path("id")])
                },
                "/artists/{id}/albums": {
                    "get": returning(of(items=many(ref("AlbumObject"))), parameters=[in_path("id")])
                },
                "/recommendations": {
                    "get": returning(
                        of(tracks=many(of(name=STR))), parameters=[query("seed_artists", many(STR))]
                    )
                },
            },
            components={
                "schemas": {
                    "Playlist": of(id=STR, name=STR, owner=of(id=STR, display_name=STR)),
                    "ArtistObject": of(id=STR, name=STR),
                    "AlbumObject": of(id=STR, name=STR, artists=many(ref("ArtistObject"))),
                }
            },
        ),
        alias="music",
    )
)

# Lists are bare arrays, paths nest, things are named by what they are (`owner`, `repo`).
OWNER = of(login=STR, id=INT)
REPO = {**of(id=INT, name=STR, owner=OWNER, created={"type": "string", "format": "date-time"})}
ISSUE = of(id=INT, number=INT, title=STR, state={"enum": ["open", "closed"]}, user=OWNER)
OWN = [in_path("owner"), in_path("repo", description="The name of the repository.")]
NUMBER = in_path("issue_number", INT)
ISSUES = catalog(
    load(
        document(
            {
                "/user/repos": {"get": returning(many(REPO), operationId="repos/list")},
                "/repos/{owner}/{repo}": {"get": returning(REPO, parameters=OWN)},
                "/issues": {"get": returning(many(of(number=INT, title=STR, repository=REPO)))},
                "/repos/{owner}/{repo}/issues": {
                    "get": returning(many(ISSUE), parameters=OWN),
                    "post": returning(
                        ISSUE, parameters=OWN, body={**of(title=STR), "required": ["title"]}
                    ),
                },
                "/repos/{owner}/{repo}/issues/{issue_number}": {
                    "get": returning(ISSUE, parameters=[*OWN, NUMBER])
                },
                "/repos/{owner}/{repo}/issues/{issue_number}/comments": {
                    "post": returning(
                        of(id=INT, issue_number=INT),
                        parameters=[*OWN, NUMBER],
                        body={**of(body=STR), "required": ["body"]},
                    )
                },
                "/repos/{owner}/{repo}/pulls": {
                    "get": returning(many(of(number=INT, title=STR)), parameters=OWN)
                },
            }
        ),
        alias="issues",
    )
)


def found(whole: Catalog, name: str, input_name: str) -> list[str]:
    tool = whole.find(name)
    assert tool is not None
    return [
        f"{each.tool.operation.method.upper()} {each.tool.operation.path} "
        + ".".join(each.path).replace(".[]", "[]")
        for each in find_producers(tool, input_name, whole.tools)
    ]


@pytest.mark.parametrize(
    ("name", "input_name", "expected"),
    [
        (
            "products_by_product_id",
            "product_id",
            [
                "GET /products items[].id",
                "GET /cart items[].product_id",
                "GET /orders items[].lines[].product_id",
                "POST /cart/items items[].product_id",
            ],
        ),
        (
            "post_cart_items",
            "product_id",
            [
                "GET /products items[].id",
                "GET /cart items[].product_id",
                "GET /orders items[].lines[].product_id",
                "GET /products/{product_id} id",
            ],
        ),
        (
            "products",
            "category_id",
            ["GET /categories items[].id", "GET /products/{product_id} category.id"],
        ),
        (
            "post_orders_by_order_id_payment",
            "order_id",
            ["GET /orders items[].id", "POST /orders id"],
        ),
    ],
)
def test_ids_of_a_shop_come_from_what_lists_them(
    name: str, input_name: str, expected: list[str]
) -> None:
    assert found(SHOP, name, input_name) == expected


def test_the_cart_supplies_ids_of_its_items() -> None:
    assert found(SHOP, "delete_cart_items_by_item_id", "item_id")[0] == "GET /cart items[].id"


@pytest.mark.parametrize(
    ("name", "input_name", "expected"),
    [
        ("users_by_user_id_playlists", "user_id", ["GET /me id"]),
        ("playlists_by_playlist_id", "playlist_id", ["GET /me/playlists items[].id"]),
        ("artists_by_id_albums", "id", ["GET /search artists.items[].id"]),
        ("artists", "ids", ["GET /search artists.items[].id"]),
        ("recommendations", "seed_artists", ["GET /search artists.items[].id"]),
    ],
)
def test_ids_of_a_music_service_come_from_searches_and_from_me(
    name: str, input_name: str, expected: list[str]
) -> None:
    assert found(MUSIC, name, input_name)[: len(expected)] == expected


def test_what_needs_the_same_id_comes_last() -> None:
    routes = found(MUSIC, "artists_by_id_albums", "id")

    assert set(routes[-2:]) == {"GET /artists artists[].id", "GET /artists/{id} id"}


@pytest.mark.parametrize(
    ("input_name", "expected"),
    [
        ("issue_number", ["GET /repos/{owner}/{repo}/issues [].number"]),
        ("repo", ["GET /user/repos [].name"]),
        ("owner", ["GET /user/repos [].owner.login"]),
    ],
)
def test_numbers_repos_and_owners_come_from_what_they_belong_to(
    input_name: str, expected: list[str]
) -> None:
    name = "post_repos_by_owner_and_repo_issues_by_issue_number_comments"

    assert found(ISSUES, ISSUES.names[0].partition("__")[2], "nothing") == []
    tool = next(each for each in ISSUES.tools if each.operation.path.endswith("/comments"))
    assert tool.operation_name.startswith(name[:40])
    assert found(ISSUES, tool.operation_name, input_name)[: len(expected)] == expected


def test_numbers_of_other_things_are_not_offered() -> None:
    tool = next(each for each in ISSUES.tools if each.operation.path.endswith("/comments"))

    assert not [
        each for each in found(ISSUES, tool.operation_name, "issue_number") if "/pulls" in each
    ]


@pytest.mark.parametrize("input_name", ["sort", "gift", "no_such_input"])
def test_what_is_enumerated_or_no_value_to_look_for_has_no_producers(input_name: str) -> None:
    name = "post_cart_items" if input_name == "gift" else "products"

    assert found(SHOP, name, input_name) == []


def test_another_api_supplies_nothing() -> None:
    tool = SHOP.find("products_by_product_id")
    assert tool is not None

    assert find_producers(tool, "product_id", [tool, *MUSIC.tools]) == ()


def test_why_says_where_the_value_is() -> None:
    tool = SHOP.find("products_by_product_id")
    assert tool is not None
    first, second, *_ = find_producers(tool, "product_id", SHOP.tools)

    assert first.why == "GET /products: `items[].id`, the id of the product"
    assert second.why == "GET /cart: `items[].product_id`, a field called product id"


def test_a_memo_of_the_fields_may_be_passed() -> None:
    memo = {tool.name: response_fields(tool) for tool in SHOP.tools}
    tool = SHOP.find("products_by_product_id")
    assert tool is not None

    assert find_producers(
        tool, "product_id", SHOP.tools, fields=lambda each: memo[each.name]
    ) == find_producers(tool, "product_id", SHOP.tools)


# Responses without schemas, as many documents have them.
BOARDS = catalog(
    load(
        document(
            {
                "/boards": {"get": {}},
                "/boards/{board}": {"get": {"parameters": [in_path("board")]}},
                "/members/{member}/boards": {"get": {"parameters": [in_path("member")]}},
                "/members/{member}/cards": {"get": {"parameters": [in_path("member")]}},
            }
        ),
        alias="boards",
    )
)


def test_paths_tell_where_no_response_is_described() -> None:
    tool = BOARDS.find("boards_by_board")
    assert tool is not None
    first, second = find_required_producers(tool, BOARDS)["board"]

    assert (first.tool.operation.path, first.path) == ("/boards", ())
    assert first.why == "GET /boards: its path is where each board is kept"
    assert second.tool.operation.path == "/members/{member}/boards"
    assert first.confidence > second.confidence


LINK = {"operationId": "getOrder", "parameters": {"number": "$response.body#/latest/0/code"}}
LINKED = catalog(
    load(
        document(
            {
                "/start": {
                    "get": {
                        "operationId": "start",
                        "responses": {"200": {"description": "", "links": {"Newest": LINK}}},
                    }
                },
                "/orders/{number}": {
                    "get": {"operationId": "getOrder", "parameters": [in_path("number")]}
                },
            }
        ),
        alias="linked",
    )
)


def test_links_supply_what_they_say() -> None:
    (first,) = find_required_producers(LINKED["linked__getOrder"], LINKED)["number"]

    assert first.tool.name == "linked__start"
    assert first.path == ("latest", "[]", "code")
    assert first.why == "GET /start: link `Newest`"


@pytest.mark.parametrize("whole", [SHOP, MUSIC, ISSUES], ids=["shop", "music", "issues"])
def test_responses_read_as_written_have_the_fields_of_cleaned_ones(whole: Catalog) -> None:
    (api,) = whole.apis.values()
    responses = DocumentResponses(api.document)

    assert [responses.fields(tool.operation) for tool in whole.tools] == [
        response_fields(tool) for tool in whole.tools
    ]


def test_a_schema_that_contains_itself_is_entered_once_on_each_path() -> None:
    node = of(id=STR, parent=ref("Node"), children=many(ref("Node")))
    api = load(
        document({"/tree": {"get": returning(ref("Node"))}}, components={"schemas": {"Node": node}})
    )

    fields = DocumentResponses(api.document).fields(api.operations[0])

    assert [each.path for each in fields] == [("id",), ("parent",), ("children", "[]")]


def test_a_reference_to_nothing_supplies_nothing() -> None:
    api = load(document({"/lost": {"get": returning(of(thing=ref("Lost")))}}))

    assert [each.path for each in DocumentResponses(api.document).fields(api.operations[0])] == [
        ("thing",)
    ]


def test_one_that_turns_words_into_values_is_told() -> None:
    own = load_suppliers(MUSIC, "music")

    assert own.needs_free_text(
        next(each for each in MUSIC.tools if each.operation.path == "/search")
    )
    assert not own.needs_free_text(
        next(each for each in MUSIC.tools if each.operation.path == "/me")
    )
