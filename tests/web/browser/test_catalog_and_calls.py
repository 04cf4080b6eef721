"""From the printed address to a call with consent, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, expect
from tests.support.browser import Reader, open_browser, read_pages, serve_shop

pytestmark = pytest.mark.web


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def reader(browser: Browser) -> Generator[Reader]:
    with serve_shop() as address, read_pages(browser, address) as reading:
        yield reading


def test_the_catalog_is_searched_as_one_types(reader: Reader) -> None:
    page = reader.page
    expect(page).to_have_url(re.compile(r"/$"))
    reader.look("catalog")
    page.get_by_label("Search by what you want to do").fill("where is my parcel")
    expect(page.locator("#count")).to_contain_text("best first")
    expect(page.locator("#found")).to_contain_text("Found because it")
    expect(page).to_have_url(re.compile(r"\?q=where"))
    reader.look("search")
    for name in ("Problems", "Providers", "Usage", "Lock"):
        page.get_by_role("navigation", name="Catalog").get_by_role("link", name=name).click()
        expect(page).to_have_title(re.compile(name))
        reader.look(name.lower())


def test_a_read_is_sent_and_its_response_picked_and_searched(reader: Reader) -> None:
    page = reader.page
    page.get_by_role("link", name="shop__list_products").click()
    reader.look("tool")
    page.get_by_label("page_size").fill("2")
    expect(page.locator("#checked")).to_contain_text("The arguments fit")
    page.get_by_role("button", name="Show the request").click()
    expect(page.locator("#outcome")).to_contain_text("page_size=2")
    reader.look("request")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("region", name="Response as a table")).to_be_visible()
    reader.look("response")
    page.get_by_label("Pick by JMESPath").fill("items[].name")
    expect(page.locator("#outcome thead")).to_have_text("value")
    page.get_by_label("Find in it").fill("a")
    expect(page.locator("#outcome")).to_contain_text('with "a"')
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#outcome")).not_to_contain_text('with "a"')
    page.get_by_role("link", name="At its own address").click()
    expect(page.get_by_role("heading", name="Response")).to_be_visible()
    reader.look("call")


def test_a_write_is_sent_once_after_consent(reader: Reader) -> None:
    page = reader.page
    page.get_by_role("link", name="shop__add_cart_item", exact=True).click()
    page.get_by_label("quantity").fill("x")
    problem = page.locator(".box[data-pointer='/quantity'] .problem")
    expect(problem).to_contain_text("expected an integer")
    reader.look("mismatch")
    page.get_by_label("quantity").fill("1")
    page.get_by_role("button", name="Where do I get this?").first.click()
    page.locator("[data-take]").first.wait_for()
    reader.look("values")
    page.locator("[data-take]").first.click()
    expect(page.get_by_label("product_id")).not_to_have_value("")
    expect(page.get_by_label("product_id")).to_be_focused()
    page.get_by_role("button", name="Send…").click()
    consent = page.get_by_role("alertdialog")
    expect(consent).to_contain_text("POST")
    expect(consent).to_contain_text("Authorization: ***")
    expect(consent.get_by_role("heading")).to_be_focused()
    reader.look("consent")
    consent.get_by_role("button", name="Do not send").click()
    expect(page.locator("#outcome")).to_have_text("Nothing was sent.")
    page.get_by_role("button", name="Send…").click()
    consent.get_by_role("button", name="Send POST").click()
    expect(page.locator("#outcome .tag").first).to_have_text("201")


def test_a_dark_page_is_as_readable(browser: Browser) -> None:
    with serve_shop() as address, read_pages(browser, address, is_dark=True) as reader:
        reader.look("catalog-dark", widths=(1440,))
        reader.page.get_by_role("link", name="shop__update_address").click()
        reader.look("tool-dark", widths=(1440,))
