"""What runs elsewhere wait for, seen and answered in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.support.browser import open_browser, read_pages, serve_site
from tests.support.web_chat import ASK, BUY, open_chat

from restwright.demo.server import running

pytestmark = pytest.mark.web
expect.set_options(timeout=60_000)


def test_a_run_that_waits_is_allowed_what_is_shown_and_goes_on(tmp_path: Path) -> None:
    with (
        running() as shop,
        open_chat(shop, tmp_path) as place,
        serve_site(place.site) as address,
        open_browser() as browser,
        read_pages(browser, address) as reader,
    ):
        page = reader.page
        page.get_by_role("link", name="Questions").click()
        expect(page.get_by_text("No run waits for anybody.")).to_be_visible()
        reader.look("questions-none")
        agent = replace(place.chats.catalog_agent(place.chats.begin()), waits=True)
        for text in (BUY, ASK):
            agent.ask(text, journal=place.chats.journal)
        page.reload()
        expect(page.get_by_text("2 open questions")).to_be_visible()
        expect(page.locator("pre.code")).to_contain_text(f"{shop.url}/cart/items")
        reader.look("questions-open")
        page.get_by_label("Your answer").select_option("blue")
        page.get_by_role("button", name="Answer").click()
        expect(page.get_by_role("status")).to_contain_text("Answered, by ")
        reader.look("questions-answered")
        # By the keyboard alone.
        page.get_by_role("button", name="Send this request").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("0 open questions")).to_be_visible()
        page.get_by_role("button", name="Go on with it here").click()
        expect(page.locator("#state-t1")).to_have_text("Answered")
        expect(page.locator("#answer-t1")).to_contain_text("Loden Day 12")
