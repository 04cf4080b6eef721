"""The shop over HTTP: every operation, every kind of refusal, and the document's word on both."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

import jsonschema_rs
import pytest

from restwright.demo.server import Shop, running
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Send
from restwright.net.policy.origins import OriginRules
from restwright.openapi.api import load

TOKEN = "a-token-for-tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Asks a shop, and holds each answer against the document."""

    shop: Shop
    send: Send
    document: JsonObject

    def ask(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        token: str | None = TOKEN,
        **query: object,
    ) -> tuple[int, JsonObject]:
        """Return the status and the body of the answer. A body of bytes is sent as it is."""
        raw = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        url = f"{self.shop.url}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = (("Authorization", f"Bearer {token}"),) if token else ()
        response = self.send(Request(method=method, url=url, headers=headers, body=raw))
        content = json.loads(response.body)
        self._hold(method, path, response.status, content)
        return response.status, content

    def ok(self, method: str, path: str, body: Json = None, **query: object) -> JsonObject:
        """The body of an answer that is a success."""
        status, content = self.ask(method, path, body, **query)
        assert status < 300, content
        return content

    def refusal(self, method: str, path: str, body: Json = None, **more: Json) -> Refused:
        """Status, code and field of an answer that is a refusal."""
        status, content = self.ask(method, path, body, **more)
        error = content["error"]
        assert error["message"].endswith((".", "?"))
        return status, error["code"], error.get("field")

    def product(self, name: str) -> JsonObject:
        """A product by its name, as a client finds it."""
        (found,) = self.ok("GET", "/products", search=name)["items"]
        return self.ok("GET", f"/products/{found['id']}")

    def order(self, status: str) -> str:
        """The id of the newest order with that status."""
        return self.ok("GET", "/orders", status=status)["items"][0]["id"]

    def _hold(self, method: str, path: str, status: int, content: JsonObject) -> None:
        for template, item in self.document["paths"].items():
            if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
                response = item[method.lower()]["responses"][str(status)]
                if "$ref" in response:
                    name = response["$ref"].rsplit("/", 1)[1]
                    response = self.document["components"]["responses"][name]
                schema = response["content"]["application/json"]["schema"]
                components = {"components": self.document["components"]}
                jsonschema_rs.Draft202012Validator(
                    schema | components, validate_formats=True
                ).validate(content)


Refused = tuple[int, str, str | None]


@contextmanager
def client() -> Iterator[Client]:
    with running(token=TOKEN) as shop, Transport(rules=OriginRules.from_urls(shop.url)) as send:
        document = json.loads(send(Request(method="GET", url=shop.document_url)).body)
        yield Client(shop=shop, send=send, document=document)


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    """A shop for tests that change nothing."""
    with client() as one:
        yield one


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A shop for one test."""
    with client() as one:
        yield one


def prices(page: JsonObject) -> list[float]:
    return [item["price"] for item in page["items"]]


def names(page: JsonObject) -> list[str]:
    return [item["name"] for item in page["items"]]


# Reading


def test_the_document_has_no_problems_and_names_the_running_server(shared: Client) -> None:
    api = load(json.dumps(shared.document).encode())
    assert [server.url for server in api.servers] == [shared.shop.url]
    assert (len(api.operations), api.problems) == (21, ())


def test_the_catalogue_needs_no_token(shared: Client) -> None:
    product = shared.product("Lumora Field S")["id"]
    paths = ("/categories", "/products", f"/products/{product}", f"/products/{product}/reviews")
    assert [shared.ask("GET", path, token=None)[0] for path in paths] == [200] * 4


def test_categories_count_their_products(shared: Client) -> None:
    items = shared.ok("GET", "/categories")["items"]
    assert {item["id"]: item["product_count"] for item in items} == {
        **dict.fromkeys(("bags", "cameras", "laptops", "phones", "watches"), 10),
        "headphones": 11,
    }


def test_filters_join(shared: Client) -> None:
    found = shared.ok(
        "GET", "/products", category="cameras", max_price=500, min_rating=4, sort="rating_desc"
    )
    assert names(found) == ["Lumora Field S", "Tavaro Q30 Zoom", "Tavaro Q10"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"search": "black-and-white camera"}, ["Oskelin Mono"]),
        ({"search": "INSTANT cameras"}, ["Grebe Instant"]),
        ({"search": "camera 100%_"}, []),
        ({"brand": "twill"}, ["Twill Basic Buds", "Twill Kids"]),
        ({"brand": "Pipli", "sort": "newest"}, ["Pipli Smart", "Pipli Watch Junior", "Pipli Easy"]),
        ({"min_price": "449", "max_price": "449.00", "category": "cameras"}, ["Lumora Field S"]),
        ({"category": "bags", "in_stock": "false"}, ["Loden Roll Top"]),
        ({"category": "phones", "sort": "price_asc", "page_size": 1}, ["Pipli Easy"]),
        ({"category": "phones", "sort": "price_desc", "page_size": 1}, ["Nimbra Fold"]),
        ({"category": "phones", "sort": "rating_asc", "page_size": 1}, ["Pipli Smart"]),
        ({"category": "phones", "sort": "reviews_desc", "page_size": 1}, ["Velto One"]),
    ],
    ids=str,
)
def test_products_found(shared: Client, query: JsonObject, expected: list[str]) -> None:
    assert names(shared.ok("GET", "/products", **query)) == expected


def test_pages_hold_every_product_once(shared: Client) -> None:
    pages = [shared.ok("GET", "/products", page=page, page_size=25) for page in (1, 2, 3, 4)]
    assert [len(page["items"]) for page in pages] == [25, 25, 11, 0]
    assert {page["total"] for page in pages} == {61}
    assert len({name for page in pages for name in names(page)}) == 61


def test_sorting_by_price_sorts(shared: Client) -> None:
    found = prices(shared.ok("GET", "/products", sort="price_asc", page_size=100))
    assert found == sorted(found)


def test_product_detail_has_the_stock_of_each_option(shared: Client) -> None:
    product = shared.product("Lumora Field S")
    stock = {(each["name"], each["value"]): each["stock"] for each in product["options"]}
    assert stock == {("color", "black"): 5, ("color", "silver"): 2}
    assert (product["price"], product["stock"], product["in_stock"]) == (449.0, 7, True)


def test_reviews_are_newest_first_and_make_up_the_rating(shared: Client) -> None:
    product = shared.product("Tavaro Q10")
    reviews = shared.ok("GET", f"/products/{product['id']}/reviews", page_size=100)["items"]
    dates = [review["created_on"] for review in reviews]
    ratings = [review["rating"] for review in reviews]
    assert dates == sorted(dates, reverse=True)
    assert (len(ratings), round(sum(ratings) / len(ratings), 1)) == (
        product["review_count"],
        product["rating"],
    )


def test_reviews_can_be_of_one_rating(shared: Client) -> None:
    product = shared.product("Tavaro Q10")["id"]
    reviews = shared.ok("GET", f"/products/{product}/reviews", rating=3)["items"]
    assert {review["rating"] for review in reviews} == {3}


def test_the_customer_sees_only_their_own_orders(shared: Client) -> None:
    orders = shared.ok("GET", "/orders")["items"]
    assert [(order["placed_on"], order["status"], order["total"]) for order in orders] == [
        ("2026-11-01", "awaiting_payment", 118.0),
        ("2026-10-31", "paid", 298.0),
        ("2026-10-26", "shipped", 348.0),
        ("2026-08-21", "delivered", 349.0),
        ("2026-06-30", "cancelled", 259.0),
        ("2026-03-14", "delivered", 518.0),
    ]
    (other,) = shared.shop.database.rows(
        "SELECT id FROM orders WHERE status = 'awaiting_payment' AND placed_on = '2026-10-24'"
    )
    assert shared.refusal("GET", f"/orders/{other['id']}") == (404, "not_found", "order_id")


def test_each_seeded_order_can_be_read_and_tracked_as_far_as_it_went(shared: Client) -> None:
    expected = {
        "awaiting_payment": (404, 404),
        "paid": (200, 200),
        "shipped": (200, 200),
        "delivered": (200, 200),
        "cancelled": (200, 404),
    }
    found = {
        status: tuple(
            shared.ask("GET", f"/orders/{shared.order(status)}/{what}")[0]
            for what in ("payment", "shipment")
        )
        for status in expected
    }
    assert found == expected


def test_a_shipment_tells_where_the_parcel_is(shared: Client) -> None:
    shipment = shared.ok("GET", f"/orders/{shared.order('shipped')}/shipment")
    assert (shipment["status"], shipment["expected_on"], shipment["events"][0]["place"]) == (
        "in_transit",
        "2026-11-04",
        "Madrid",
    )


# Refusing

REFUSALS: dict[str, tuple[str, str, Json, JsonObject, Refused]] = {
    "unknown product": ("GET", "/products/prod-zzzzz", None, {}, (404, "not_found", "product_id")),
    "reviews of unknown product": (
        *("GET", "/products/prod-zzzzz/reviews", None, {}),
        (404, "not_found", "product_id"),
    ),
    "unknown order": ("GET", "/orders/order-zzzzz", None, {}, (404, "not_found", "order_id")),
    "unknown cart item": (
        *("PATCH", "/cart/items/item-zzzzz", {"quantity": 1}, {}),
        (404, "not_found", "item_id"),
    ),
    "remove unknown cart item": (
        *("DELETE", "/cart/items/item-zzzzz", None, {}),
        (404, "not_found", "item_id"),
    ),
    "unknown address": (
        *("PATCH", "/addresses/addr-zzzzz", {"label": "x"}, {}),
        (404, "not_found", "address_id"),
    ),
    "order to unknown address": (
        *("POST", "/orders", {"address_id": "addr-zzzzz"}, {}),
        (404, "not_found", "address_id"),
    ),
    "cart with unknown product": (
        *("POST", "/cart/items", {"product_id": "prod-zzzzz"}, {}),
        (404, "not_found", "product_id"),
    ),
    "no such path": ("GET", "/carts", None, {}, (404, "not_found", None)),
    "empty cart": ("POST", "/orders", None, {}, (409, "empty_cart", None)),
    "empty cart with a body": ("POST", "/orders", {}, {}, (409, "empty_cart", None)),
    "unknown category": (
        *("GET", "/products", None, {"category": "camera"}),
        (422, "invalid_value", "category"),
    ),
    "unknown sort": (
        *("GET", "/products", None, {"sort": "price"}),
        (422, "invalid_value", "sort"),
    ),
    "price in words": (
        *("GET", "/products", None, {"max_price": "cheap"}),
        (422, "invalid_value", "max_price"),
    ),
    "not a number": (
        *("GET", "/products", None, {"max_price": "nan"}),
        (422, "invalid_value", "max_price"),
    ),
    "empty price range": (
        *("GET", "/products", None, {"min_price": 9, "max_price": 8}),
        (422, "invalid_value", "max_price"),
    ),
    "rating above 5": (
        *("GET", "/products", None, {"min_rating": 5.1}),
        (422, "invalid_value", "min_rating"),
    ),
    "boolean in words": (
        *("GET", "/products", None, {"in_stock": "yes"}),
        (422, "invalid_value", "in_stock"),
    ),
    "page 0": ("GET", "/products", None, {"page": 0}, (422, "invalid_value", "page")),
    "page 1.5": ("GET", "/products", None, {"page": 1.5}, (422, "invalid_value", "page")),
    "huge page": ("GET", "/products", None, {"page": 10**30}, (422, "invalid_value", "page")),
    "unknown parameter": (
        *("GET", "/products", None, {"categories": "bags"}),
        (422, "unknown_name", "categories"),
    ),
    "unknown order status": (
        *("GET", "/orders", None, {"status": "open"}),
        (422, "invalid_value", "status"),
    ),
    "no body": ("POST", "/cart/items", None, {}, (400, "bad_request", None)),
    "not JSON": ("POST", "/cart/items", b"product_id=1", {}, (400, "bad_request", None)),
    "not an object": ("POST", "/cart/items", [1], {}, (400, "bad_request", None)),
    "not UTF-8": ("POST", "/cart/items", b'{"a": "\xff"}', {}, (400, "bad_request", None)),
    "too deep": ("POST", "/cart/items", b"[" * 90_000, {}, (400, "bad_request", None)),
    "not finite": ("POST", "/cart/items", b'{"quantity": NaN}', {}, (400, "bad_request", None)),
    "missing property": ("POST", "/cart/items", {}, {}, (422, "missing_value", "product_id")),
    "unknown property": (
        *("POST", "/cart/items", {"product_id": "x", "amount": 2}, {}),
        (422, "unknown_name", "amount"),
    ),
    "quantity as text": (
        *("POST", "/cart/items", {"product_id": "x", "quantity": "2"}, {}),
        (422, "invalid_value", "quantity"),
    ),
    "quantity true": (
        *("POST", "/cart/items", {"product_id": "x", "quantity": True}, {}),
        (422, "invalid_value", "quantity"),
    ),
    "quantity 0": (
        *("POST", "/cart/items", {"product_id": "x", "quantity": 0}, {}),
        (422, "invalid_value", "quantity"),
    ),
    "id as number": (
        *("POST", "/cart/items", {"product_id": 1}, {}),
        (422, "invalid_value", "product_id"),
    ),
    "lone surrogate": (
        *("POST", "/cart/items", b'{"product_id": "\\ud800"}', {}),
        (422, "invalid_value", "product_id"),
    ),
    "null": (
        *("POST", "/orders", {"address_id": None}, {}),
        (422, "invalid_value", "address_id"),
    ),
    "phone in words": (
        *("PATCH", "/customer", {"phone": "call me"}, {}),
        (422, "invalid_value", "phone"),
    ),
    "bad e-mail address": (
        *("PATCH", "/customer", {"email": "mira"}, {}),
        (422, "invalid_value", "email"),
    ),
    "blank name": ("PATCH", "/customer", {"name": "  "}, {}, (422, "invalid_value", "name")),
    "half an address": (
        *("POST", "/addresses", {"label": "Boat"}, {}),
        (422, "missing_value", "recipient"),
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refused(shared: Client, case: str) -> None:
    method, path, body, query, expected = REFUSALS[case]
    assert shared.refusal(method, path, body, **query) == expected


def test_a_parameter_given_twice_is_refused(shared: Client) -> None:
    status, content = shared.ask("GET", "/products?page=1&page=2")
    assert (status, content["error"]["field"]) == (422, "page")


def test_an_unknown_name_is_answered_with_the_near_one(shared: Client) -> None:
    _, content = shared.ask("GET", "/products", categories="bags")
    assert content["error"]["message"].endswith("did you mean category?")


def test_everything_but_the_catalogue_needs_the_token(shared: Client) -> None:
    secured = {
        (method, re.sub(r"\{[^}]+\}", "x", path))
        for path, item in shared.document["paths"].items()
        for method, operation in item.items()
        if method != "parameters" and operation.get("security") != []
    }
    assert len(secured) == 17
    for token in (None, "wrong", "", "é"):
        for method, path in secured:
            refused = shared.refusal(
                method.upper(), path, token=token and token.encode().decode("latin-1")
            )
            assert refused == (401, "unauthorized", "Authorization")


def test_another_scheme_than_bearer_is_refused(shared: Client) -> None:
    headers = (("Authorization", f"Basic {TOKEN}"),)
    response = shared.send(Request(method="GET", url=f"{shared.shop.url}/cart", headers=headers))
    assert (response.status, response.header("WWW-Authenticate")) == (401, "Bearer")


def test_a_method_that_a_path_lacks_is_refused(shared: Client) -> None:
    response = shared.send(Request(method="PUT", url=f"{shared.shop.url}/cart"))
    assert (response.status, response.header("Allow")) == (405, "GET, HEAD")
    assert json.loads(response.body)["error"]["code"] == "method_not_allowed"


def test_a_body_that_is_too_long_is_refused(shared: Client) -> None:
    response = shared.send(
        Request(
            method="POST",
            url=f"{shared.shop.url}/orders",
            body=b" " * 100_001,
            headers=(("Authorization", f"Bearer {TOKEN}"),),
        )
    )
    assert (response.status, json.loads(response.body)["error"]["code"]) == (
        413,
        "content_too_large",
    )


# Writing


def test_from_the_list_to_a_paid_order(fresh: Client) -> None:
    found = fresh.ok("GET", "/products", search="Lumora Field S")["items"][0]
    product = fresh.ok("GET", f"/products/{found['id']}")
    silver = product["options"][1]
    cart = fresh.ok(
        "POST",
        "/cart/items",
        {"product_id": product["id"], "option_id": silver["id"], "quantity": 2},
    )
    assert (cart["item_count"], cart["total"]) == (2, 898.0)

    order = fresh.ok("POST", "/orders")
    assert (order["status"], order["total"], order["placed_on"]) == (
        "awaiting_payment",
        898.0,
        "2026-11-02",
    )
    assert order["address"]["city"] == "Lisbon"
    assert fresh.ok("GET", "/cart") == {"items": [], "item_count": 0, "total": 0}
    assert fresh.product("Lumora Field S")["options"][1]["stock"] == 0
    assert fresh.refusal("GET", f"/orders/{order['id']}/shipment")[:2] == (404, "no_shipment")
    assert fresh.refusal("GET", f"/orders/{order['id']}/payment")[:2] == (404, "not_paid")

    payment = fresh.ok("POST", f"/orders/{order['id']}/payment", {"method": "gift_card"})
    assert (payment["amount"], payment["method"], payment["status"]) == (898.0, "gift_card", "paid")
    assert payment == fresh.ok("GET", f"/orders/{order['id']}/payment")
    assert fresh.ok("GET", f"/orders/{order['id']}") == order | {"status": "paid"}
    shipment = fresh.ok("GET", f"/orders/{order['id']}/shipment")
    assert (shipment["status"], shipment["expected_on"]) == ("preparing", "2026-11-06")
    assert fresh.ok("GET", "/orders")["items"][0]["id"] == order["id"]


def test_the_cart_adds_up_changes_and_empties(fresh: Client) -> None:
    day, run = fresh.product("Loden Day 12"), fresh.product("Pulsewing Run")
    fresh.ok("POST", "/cart/items", {"product_id": day["id"]})
    fresh.ok("POST", "/cart/items", {"product_id": run["id"], "quantity": 2.0})
    cart = fresh.ok("POST", "/cart/items", {"product_id": day["id"], "quantity": 3})
    assert [(item["product_name"], item["quantity"]) for item in cart["items"]] == [
        ("Loden Day 12", 4),
        ("Pulsewing Run", 2),
    ]
    assert (cart["item_count"], cart["total"]) == (6, 314.0)

    first, second = (item["id"] for item in cart["items"])
    assert fresh.ok("PATCH", f"/cart/items/{first}", {"quantity": 1})["total"] == 197.0
    assert fresh.ok("DELETE", f"/cart/items/{second}")["total"] == 39.0
    assert fresh.ok("DELETE", f"/cart/items/{first}")["items"] == []


def test_without_an_option_the_first_one_in_stock_is_taken(fresh: Client) -> None:
    instant = fresh.product("Grebe Instant")
    cart = fresh.ok("POST", "/cart/items", {"product_id": instant["id"]})
    assert cart["items"][0]["option"] == "lilac"


def test_the_cart_takes_only_what_is_in_stock(fresh: Client) -> None:
    camera, sold_out = fresh.product("Lumora Field S"), fresh.product("Tavaro Vista")
    black, silver = (option["id"] for option in camera["options"])
    add = {"product_id": camera["id"], "option_id": silver, "quantity": 2}
    item = fresh.ok("POST", "/cart/items", add)["items"][0]["id"]
    too_many = (409, "out_of_stock", "quantity")
    assert fresh.refusal("POST", "/cart/items", add | {"quantity": 1}) == too_many
    assert fresh.refusal("PATCH", f"/cart/items/{item}", {"quantity": 3}) == too_many
    none_left = fresh.refusal("POST", "/cart/items", {"product_id": sold_out["id"]})
    assert none_left == (409, "out_of_stock", None)
    foreign = {"product_id": sold_out["id"], "option_id": black}
    assert fresh.refusal("POST", "/cart/items", foreign) == (422, "invalid_value", "option_id")
    unknown = {"product_id": camera["id"], "option_id": "opt-zzzzz"}
    assert fresh.refusal("POST", "/cart/items", unknown) == (404, "not_found", "option_id")
    assert fresh.ok("GET", "/cart")["item_count"] == 2


def test_an_order_that_has_become_too_large_changes_nothing(fresh: Client) -> None:
    for name in ("Loden Day 12", "Lumora Field S"):
        fresh.ok("POST", "/cart/items", {"product_id": fresh.product(name)["id"], "quantity": 2})
    fresh.shop.database.write("UPDATE options SET stock = 1 WHERE value = 'black'")
    assert fresh.refusal("POST", "/orders") == (409, "out_of_stock", "quantity")
    assert fresh.ok("GET", "/orders")["total"] == 6
    assert fresh.ok("GET", "/cart")["item_count"] == 4
    assert fresh.product("Loden Day 12")["stock"] == 35


def test_an_order_goes_to_the_address_that_is_named(fresh: Client) -> None:
    office = fresh.ok("GET", "/addresses")["items"][1]
    fresh.ok("POST", "/cart/items", {"product_id": fresh.product("Twill Basic Buds")["id"]})
    order = fresh.ok("POST", "/orders", {"address_id": office["id"]})
    fresh.ok("PATCH", f"/addresses/{office['id']}", {"city": "Braga"})
    assert fresh.ok("GET", f"/orders/{order['id']}")["address"]["city"] == "Porto"


def test_cancelling_restocks_and_refunds(fresh: Client) -> None:
    order = fresh.order("paid")
    assert fresh.product("Merrow Splash")["stock"] == 18
    assert fresh.ok("POST", f"/orders/{order}/cancel")["status"] == "cancelled"
    assert fresh.product("Merrow Splash")["stock"] == 20
    assert fresh.ok("GET", f"/orders/{order}/payment")["status"] == "refunded"
    assert fresh.refusal("GET", f"/orders/{order}/shipment")[:2] == (404, "no_shipment")
    assert fresh.refusal("POST", f"/orders/{order}/cancel") == (409, "order_cancelled", None)
    paying = fresh.refusal("POST", f"/orders/{order}/payment", {"method": "card"})
    assert paying == (409, "order_cancelled", None)


@pytest.mark.parametrize("status", ["shipped", "delivered"])
def test_what_has_left_cannot_be_cancelled_or_paid_again(shared: Client, status: str) -> None:
    order = shared.order(status)
    assert shared.refusal("POST", f"/orders/{order}/cancel") == (409, f"order_{status}", None)
    paying = shared.refusal("POST", f"/orders/{order}/payment", {"method": "card"})
    assert paying == (409, "order_already_paid", None)


def test_a_product_is_reviewed_once(fresh: Client) -> None:
    product = fresh.product("Oskelin Mono")
    path = f"/products/{product['id']}/reviews"
    review = fresh.ok("POST", path, {"rating": 1, "text": "Naïve, but “moody” 📷"})
    assert (review["author"], review["title"]) == ("Mira Castellan", "")
    assert fresh.ok("GET", path)["items"][0] == review
    again = fresh.product("Oskelin Mono")
    assert (again["review_count"], again["rating"] < product["rating"]) == (
        product["review_count"] + 1,
        True,
    )
    twice = fresh.refusal("POST", path, {"rating": 5, "text": "Better now"})
    assert twice == (409, "already_reviewed", None)


def test_the_customer_changes_only_what_is_given(fresh: Client) -> None:
    before = fresh.ok("GET", "/customer")
    changed = fresh.ok("PATCH", "/customer", {"phone": "+351 91 555 0199"})
    assert changed == before | {"phone": "+351 91 555 0199"}
    assert fresh.ok("PATCH", "/customer", {}) == changed == fresh.ok("GET", "/customer")


def test_one_address_is_the_default(fresh: Client) -> None:
    def defaults() -> list[tuple[str, bool]]:
        items = fresh.ok("GET", "/addresses")["items"]
        return [(item["label"], item["is_default"]) for item in items]

    place = {"recipient": "Mira", "street": "Dock 4", "postal_code": "8000", "city": "Faro"}
    boat = fresh.ok("POST", "/addresses", place | {"label": "Boat", "country": "Portugal"})
    assert defaults() == [("Home", True), ("Office", False), ("Boat", False)]
    fresh.ok("PATCH", f"/addresses/{boat['id']}", {"is_default": True})
    assert defaults() == [("Boat", True), ("Home", False), ("Office", False)]
    refused = fresh.refusal("PATCH", f"/addresses/{boat['id']}", {"is_default": False})
    assert refused == (422, "invalid_value", "is_default")


def test_two_shops_answer_equally(fresh: Client, shared: Client) -> None:
    requests = ("/categories", "/products?page_size=100", "/orders", "/customer", "/addresses")
    assert [fresh.ok("GET", path) for path in requests] == [
        shared.ok("GET", path) for path in requests
    ]


def test_requests_at_the_same_time_sell_no_piece_twice(fresh: Client) -> None:
    mono = {"product_id": fresh.product("Oskelin Mono")["id"]}
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda _: fresh.ask("POST", "/cart/items", mono)[0], range(16)))
    assert sorted(added) == [201] * 2 + [409] * 14
    with ThreadPoolExecutor(8) as pool:
        orders = list(pool.map(lambda _: fresh.ask("POST", "/orders")[0], range(16)))
    assert sorted(orders) == [201] + [409] * 15
    assert fresh.product("Oskelin Mono")["stock"] == 0
