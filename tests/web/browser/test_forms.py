"""A form of every kind of field, in languages and names that do not fit, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, expect
from tests.support.browser import open_browser, read_pages, serve_site
from tests.support.web import catalog_of, make_site

from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response
from restwright.testing import reply

pytestmark = pytest.mark.web

LONG = "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenverordnung"
BODY: JsonObject = {
    "type": "object",
    "required": ["name", "payment"],
    "properties": {
        "name": {"type": "string", "description": "Der Name der Kundin oder des Kunden."},
        "payment": {
            "oneOf": [
                {
                    "title": "Carte bancaire",
                    "type": "object",
                    "properties": {"number": {"type": "string", "description": "Le numéro."}},
                    "required": ["number"],
                },
                {"title": "Especes", "type": "object", "properties": {"note": {"type": "string"}}},
            ]
        },
        "tags": {"type": "array", "items": {"type": "string"}, "description": "タグの一覧"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "birthday": {"type": ["string", "null"], "format": "date"},
        "nickname": {"type": ["string", "null"]},
        LONG: {
            "type": "integer",
            "description": "住所は都道府県から番地まで入力してください。" * 3,
        },
        "tree": {"$ref": "#/components/schemas/Tree"},
        "photo": {"type": "string", "format": "binary"},
    },
}
TREE: JsonObject = {
    "type": "object",
    "properties": {
        "label": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    },
}


def _document_paths() -> JsonObject:
    reads = {
        f"/{LONG.lower()}/{number}": {
            "get": {
                "operationId": f"{LONG[:40]}{number}",
                "summary": f"Die {LONG} Nummer {number} lesen",
                "responses": {},
            }
        }
        for number in range(250)
    }
    put: JsonObject = {
        "operationId": "put",
        "requestBody": {
            "required": True,
            "content": {"multipart/form-data": {"schema": BODY}},
        },
        "responses": {},
    }
    return {"/put": {"post": put}, **reads}


def _send(request: Request) -> Response:
    del request
    return reply(200, {LONG: [{"名前": LONG * 4, "<b>x</b>": "<script>alert(1)</script>"}]})


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with open_browser() as opened:
        yield opened


def test_every_kind_of_field_is_filled_in_by_keyboard_and_mouse(browser: Browser) -> None:
    catalog = catalog_of(_document_paths(), components={"schemas": {"Tree": TREE}})
    site = make_site(catalog, send=_send)
    with serve_site(site) as address, read_pages(browser, address) as reader:
        page = reader.page
        reader.look("long-catalog", widths=(320, 1440))
        page.get_by_role("link", name="More tools").scroll_into_view_if_needed()
        expect(page.locator("ul.tools > li a").nth(120)).to_be_attached()
        page.goto(f"{page.url.split('?')[0]}tools/api__put")
        page.get_by_label("name required").fill("Zoë")
        page.get_by_label("Form of payment").select_option(label="Carte bancaire")
        page.get_by_label("number required").fill("4242")
        page.locator("summary", has_text="tags").click()
        tags = page.locator("details.box[data-pointer='/tags']")
        for word in ("a", "b"):
            tags.get_by_role("button", name="Add a row").click()
            expect(tags.locator("input[name^='/tags/']").last).to_be_focused()
            page.keyboard.type(word)
        expect(tags.locator("input[name^='/tags/']")).to_have_count(2)
        tags.get_by_role("button", name="Remove row 1 of tags").click()
        expect(tags.locator("input[name^='/tags/']")).to_have_count(1)
        expect(tags.locator("input[name^='/tags/']")).to_have_value("b")
        page.locator("summary", has_text="labels").click()
        page.locator("details.box[data-pointer='/labels']").get_by_role(
            "button", name="Add a row"
        ).click()
        page.get_by_label("Key").fill("sprache")
        page.get_by_label("Value").fill("日本語")
        page.get_by_label("nickname is").select_option("null")
        reader.look("form")
        page.get_by_role("button", name="JSON", exact=True).click()
        whole = page.locator("#whole")
        written = {
            "name": "Zoë",
            "payment": {"number": "4242"},
            "tags": ["b"],
            "labels": {"sprache": "日本語"},
            "nickname": None,
        }
        expect(whole).to_have_value(json.dumps(written, indent=2, ensure_ascii=False))
        reader.look("json", widths=(320,))
        page.get_by_role("button", name="Form", exact=True).click()
        expect(page.get_by_label("number required")).to_have_value("4242")
        page.get_by_role("button", name="Send…").press("Enter")
        page.get_by_role("button", name="Send POST").press("Enter")
        expect(page.locator("#outcome")).to_contain_text("200")
        expect(page.get_by_role("region", name="Response as a table")).to_be_visible()
        reader.look("long-response", widths=(320, 1440))


def test_a_refusal_is_a_page(browser: Browser) -> None:
    site = make_site(catalog_of({}))
    with serve_site(site) as address, read_pages(browser, address) as reader:
        stranger = browser.new_page()
        stranger.goto(address)
        expect(stranger.get_by_role("heading")).to_have_text("Not let in")
        stranger.close()
        reader.look("empty", widths=(320,))
