"""Large documents of others, in a real browser; skipped where they are not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.support.browser import open_browser, read_pages, serve_site
from tests.support.web import DEMO, make_site

import restwright as rw
from restwright.calls.auth.connection import Connection
from restwright.testing import document, reply

pytestmark = pytest.mark.web
SPECS = Path(__file__).parents[3].parent / "shared" / "data" / "specs"


@pytest.mark.parametrize(
    ("file", "sought", "tool"),
    [
        ("github__v3.json", "star a repository", "api__issues_create"),
        ("spotify__2025.yaml", "what is playing now", "api__add-tracks-to-playlist"),
    ],
)
def test_a_large_document_is_searched_and_its_tools_are_shown(
    file: str, sought: str, tool: str
) -> None:
    if not (SPECS / file).exists():
        pytest.skip(f"{file} is not there")
    catalog = rw.catalog(rw.load(SPECS / file, alias="api"))
    connection = Connection(server="https://api.test", auth="none")
    site = make_site(catalog, send=lambda _: reply(200, {}), connection=connection)
    with (
        open_browser() as browser,
        serve_site(site) as address,
        read_pages(browser, address) as reader,
    ):
        page = reader.page
        page.get_by_label("Search by what you want to do").fill(sought)
        expect(page.locator("#found")).to_contain_text("because it", timeout=60_000)
        reader.look(f"{file[:6]}-search", widths=(320, 1440))
        page.goto(f"{address.split('?')[0]}tools/{tool}")
        expect(page.get_by_role("heading", level=1)).to_have_text(tool)
        reader.look(f"{file[:6]}-tool", widths=(320, 1440))
        page.get_by_role("button", name="Send…").click()
        expect(page.locator("#outcome")).to_contain_text("mismatch")
        reader.look(f"{file[:6]}-missing", widths=(320,))


def test_eleven_thousand_operations_are_scrolled_jumped_through_and_filtered() -> None:
    paths = {
        f"/things{number:05}": {
            method: {"operationId": f"{method}Thing{number:05}", "summary": f"Thing {number}"}
            for method in ("get", "post")
        }
        for number in range(5_500)
    }
    shop = rw.load(DEMO, alias="shop")
    catalog = rw.catalog(rw.load(document(paths), alias="big"), shop)
    with (
        open_browser() as browser,
        serve_site(make_site(catalog)) as address,
        read_pages(browser, address) as reader,
    ):
        page = reader.page
        rows = page.locator("ul.tools > li:not(.more)")
        expect(page.get_by_role("heading", name="11,021 tools")).to_be_visible()
        expect(rows).to_have_count(100)
        page.locator("li.more").scroll_into_view_if_needed()
        expect(rows).to_have_count(200)
        page.locator("li.more").scroll_into_view_if_needed()
        expect(rows).to_have_count(300)
        reader.look("large-catalog", widths=(320, 1440))
        page.get_by_role("link", name="11,001\u201311,021").click()
        expect(rows).to_have_count(21)
        page.get_by_role("link", name="shop", exact=True).click()
        expect(page.get_by_role("heading", name="Tools of shop")).to_be_visible()
        expect(rows).to_have_count(21)
