"""The page of one tool: its form, the request, consent, the response."""

from __future__ import annotations

import json
import re

import pytest
from starlette.testclient import TestClient
from tests.support.web import catalog_of, load_shop, make_site, open_pages

from restwright.calls.approval.policy import READ_ONLY
from restwright.calls.auth.connection import Connection
from restwright.errors import NoResponse
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.testing import reply
from restwright.web.site import Site

SCRIPT = "<script>alert(1)</script>"
PRODUCTS = {"items": [{"id": "prod-1", "name": "Bag"}, {"id": "prod-2", "name": SCRIPT}]}
SECRET = "sesame-of-many-letters"


class Recorder:
    """Answers each request alike, and keeps it."""

    def __init__(self, body: Json = PRODUCTS, status: int = 200) -> None:
        self.sent: list[Request] = []
        self.answer = reply(status, body)

    def __call__(self, request: Request) -> Response:
        self.sent.append(request)
        return self.answer


def _site(send: Recorder | None = None, **more: object) -> Site:
    headers = {"Authorization": f"Bearer {SECRET}"}
    connection = Connection(server="https://api.test", headers=headers)
    return make_site(load_shop(), send=send or Recorder(), connection=connection, **more)


def _consent(client: TestClient, **arguments: str) -> tuple[str, str]:
    """`(the address of the decision, the hash of what is shown)`."""
    form = {f"/{name}": value for name, value in arguments.items()}
    page = client.post("/tools/shop__add_cart_item/send", data=form).text
    place, shown = re.search(r"/held/[\w-]+", page), re.search(r'name="hash" value="(\w+)"', page)
    assert place
    assert shown
    return place[0], shown[1]


def _key(page: str) -> str:
    found = re.search(r"/calls/([\w-]+)", page)
    assert found
    return found[1]


def test_where_nothing_came_back_there_is_nothing_to_search() -> None:
    def fail(request: Request) -> Response:
        raise NoResponse(request.url, "nobody listens", sent=False)

    client = open_pages(make_site(load_shop(), send=fail))
    made = client.post("/tools/shop__list_products/send", data={}).text
    assert "reading" not in made
    page = client.get(f"/calls/{_key(made)}").text
    assert "nobody listens" in page
    assert "Find in it" not in page
    client = open_pages(_site())
    key = _key(client.post("/tools/shop__list_products/send", data={}).text)
    assert "Find in it" in client.get(f"/calls/{key}").text


def test_a_tool_is_said_as_a_model_reads_it_and_as_it_is_checked() -> None:
    client = open_pages(_site())
    page = client.get("/tools/shop__create_review").text
    for text in ("What a model reads", "What is checked", "rating", "integer, from 1 to 5"):
        assert text in page
    strict = client.get("/tools/shop__create_review", params={"dialect": "openai-strict"}).text
    assert "&#34;strict&#34;: true" in strict
    assert client.get("/tools/shop__create_review", params={"dialect": "x"}).status_code == 404


def test_every_tool_of_the_shop_has_a_page_and_json() -> None:
    client = open_pages(_site())
    for name in load_shop().names:
        assert client.get(f"/tools/{name}").status_code == 200
        assert client.get(f"/tools/{name}.json").json()["name"] == name


def test_an_address_says_the_arguments() -> None:
    client = open_pages(_site())
    arguments = json.dumps({"product_id": "prod-9", "rating": 4})
    page = client.get("/tools/shop__create_review", params={"arguments": arguments}).text
    assert 'value="prod-9"' in page
    broken = client.get("/tools/shop__create_review", params={"arguments": "{"})
    assert broken.status_code == 400


def test_the_check_says_what_is_wrong_and_where() -> None:
    client = open_pages(_site())
    form = {"/product_id": "x", "/rating": "9"}
    page = client.post("/tools/shop__create_review/check", data=form).text
    assert 'data-pointer="/rating"' in page
    assert "2 mismatches" in page
    fits = {**form, "/rating": "5", "/text": "Good"}
    assert "fit" in client.post("/tools/shop__create_review/check", data=fits).text


def test_a_request_is_shown_without_secrets_and_not_sent() -> None:
    send = Recorder()
    client = open_pages(_site(send))
    page = client.post("/tools/shop__list_products/request", data={"/search": "bag"}).text
    assert "https://api.test/products?search=bag" in page
    assert "curl" in page
    assert "urllib.request" in page
    assert SECRET not in page
    assert send.sent == []


def test_a_read_is_sent_at_once_and_its_response_is_kept() -> None:
    send = Recorder()
    client = open_pages(_site(send))
    page = client.post("/tools/shop__list_products/send", data={}).text
    assert len(send.sent) == 1
    key = _key(page)
    assert SCRIPT not in client.get(f"/calls/{key}").text
    assert client.get(f"/calls/{key}.json").json()["value"] == PRODUCTS
    picked = client.get(f"/calls/{key}.json", params={"pick": "items[].id"}).json()["value"]
    assert picked == ["prod-1", "prod-2"]
    part = client.get(f"/calls/{key}", params={"find": "BAG"}, headers={"hx-request": "true"}).text
    assert "/items/0/name" in part
    broken = client.get(f"/calls/{key}", params={"pick": "items["}).text
    assert 'class="problem"' in broken
    assert client.get("/calls/other").status_code == 404


def test_a_failure_is_shown_with_what_the_server_said() -> None:
    client = open_pages(_site(Recorder({"detail": f"no stock {SCRIPT}"}, 409)))
    page = client.post("/tools/shop__list_products/send", data={}).text
    assert "409" in page
    assert "no stock" in page
    assert SCRIPT not in page


def test_a_write_is_sent_once_and_only_after_a_word() -> None:
    send = Recorder()
    client = open_pages(_site(send))
    place, shown = _consent(client, product_id="prod-1")
    assert send.sent == []
    sent = client.post(place, data={"hash": shown, "word": "send"})
    assert sent.status_code == 200
    assert [request.method for request in send.sent] == ["POST"]
    again = client.post(place, data={"hash": shown, "word": "send"}).text
    assert "Nothing was sent now" in again
    assert len(send.sent) == 1


def test_what_is_sent_is_what_was_held_whatever_the_form_says() -> None:
    send = Recorder()
    client = open_pages(_site(send))
    place, shown = _consent(client, product_id="prod-1")
    client.post(place, data={"hash": shown, "word": "send", "/product_id": "prod-evil"})
    assert b"prod-1" in send.sent[0].body
    assert b"evil" not in send.sent[0].body


@pytest.mark.parametrize("word", ["no", "", "SEND"])
def test_another_word_sends_nothing_and_uses_the_question_up(word: str) -> None:
    send = Recorder()
    client = open_pages(_site(send))
    place, shown = _consent(client, product_id="prod-1")
    client.post(place, data={"hash": shown, "word": word})
    client.post(place, data={"hash": shown, "word": "send"})
    assert send.sent == []


def test_the_hash_of_another_request_sends_nothing() -> None:
    send = Recorder()
    client = open_pages(_site(send))
    place, _ = _consent(client, product_id="prod-1")
    _, other = _consent(client, product_id="prod-2")
    client.post(place, data={"hash": other, "word": "send"})
    assert send.sent == []


def test_a_page_of_another_origin_cannot_say_the_word() -> None:
    send = Recorder()
    client = open_pages(_site(send))
    place, shown = _consent(client, product_id="prod-1")
    headers = {"origin": "https://evil.test"}
    answer = client.post(place, data={"hash": shown, "word": "send"}, headers=headers)
    assert answer.status_code == 403
    assert send.sent == []


def test_a_policy_that_refuses_writes_sends_none() -> None:
    send = Recorder()
    client = open_pages(_site(send, policy=READ_ONLY))
    page = client.post("/tools/shop__add_cart_item/send", data={"/product_id": "prod-1"}).text
    assert "not allowed" in page
    assert send.sent == []


def test_values_for_an_input_are_one_press_away() -> None:
    client = open_pages(_site())
    assert "Where do I get this?" in client.get("/tools/shop__get_product").text
    page = client.post("/tools/shop__get_product/values", params={"input": "product_id"}).text
    assert 'data-take="prod-1"' in page
    assert SCRIPT not in page
    nothing = client.post("/tools/shop__get_product/values", params={"input": "other"})
    assert nothing.status_code == 404


def test_what_a_form_cannot_show_stays_as_json() -> None:
    client = open_pages(_site())
    form = {"#json": '{"product_id": "a", "extra": {"b": 1}}'}
    page = client.post("/tools/shop__get_product/form", params={"view": "form"}, data=form).text
    assert "extra" in page
    as_json = client.post(
        "/tools/shop__get_product/form", params={"view": "json"}, data={"/product_id": "a"}
    ).text
    assert "&#34;product_id&#34;: &#34;a&#34;" in as_json


def test_rows_come_from_the_server() -> None:
    body = {
        "type": "object",
        "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
    }
    operation: JsonObject = {
        "operationId": "put",
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": {},
    }
    client = open_pages(make_site(catalog_of({"/x": {"post": operation}})))
    query = {"action": "add", "at": "/tags"}
    form = {"/tags#rows": "1", "/tags/0": "a"}
    part = client.post("/tools/api__put/form", params=query, data=form).text
    assert 'name="/tags/1"' in part
    assert 'value="a"' in part
    assert "<form" not in part
    missing = client.post("/tools/api__put/form", params={"at": "/none"}, data={})
    assert missing.status_code == 404


def test_a_file_is_uploaded_with_the_form() -> None:
    body = {
        "type": "object",
        "properties": {"photo": {"type": "string", "format": "binary"}, "note": {"type": "string"}},
    }
    operation: JsonObject = {
        "operationId": "upload",
        "requestBody": {"content": {"multipart/form-data": {"schema": body}}},
        "responses": {},
    }
    client = open_pages(make_site(catalog_of({"/x": {"post": operation}})))
    assert 'type="file"' in client.get("/tools/api__upload").text
    files = {"/photo": ("cat.txt", b"meow", "text/plain")}
    page = client.post("/tools/api__upload/request", data={"/note": "hi"}, files=files).text
    assert "meow" in page
    assert "cat.txt" in page


def test_a_script_in_a_document_stays_text_on_the_page_of_a_tool() -> None:
    operation: JsonObject = {
        "operationId": "a",
        "summary": SCRIPT,
        "description": SCRIPT,
        "tags": [SCRIPT],
        "parameters": [
            {
                "name": SCRIPT,
                "in": "query",
                "description": SCRIPT,
                "schema": {"type": "string", "enum": [SCRIPT, '"><img src=x>'], "default": SCRIPT},
            }
        ],
        "responses": {"200": {"description": SCRIPT}},
    }
    client = open_pages(make_site(catalog_of({f"/{SCRIPT}": {"get": operation}})))
    page = client.get("/tools/api__a").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    shown = client.post("/tools/api__a/check", data={f"/{SCRIPT}": SCRIPT}).text
    assert "<script>alert" not in shown


def test_what_reorders_text_is_seen_in_what_is_asked_about() -> None:
    client = open_pages(_site())
    form = {"/product_id": "prod\u202e1"}
    page = client.post("/tools/shop__add_cart_item/send", data=form).text
    assert "\u202e" not in page
    assert "\\u202e" in page


def test_calls_are_counted() -> None:
    site = _site()
    client = open_pages(site)
    client.post("/tools/shop__list_products/send", data={})
    assert client.get("/usage.json").json()["since_start"][0]["called"] == 1


def test_a_credential_that_is_missing_is_said_with_what_to_do() -> None:
    site = make_site(load_shop(), find_remedy=lambda error: f"give --auth ({error.code})")
    page = open_pages(site).post("/tools/shop__get_cart/send", data={}).text
    assert "is not set" in page
    assert "give --auth (" in page


def test_a_tool_without_arguments_is_sent_with_none() -> None:
    client = open_pages(_site())
    assert "It takes no arguments." in client.get("/tools/shop__get_cart").text
    for form in ({}, {"#json": ""}):
        assert "/calls/" in client.post("/tools/shop__get_cart/send", data=form).text
