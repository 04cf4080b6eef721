"""
Draws the pages of the demo into docs/pictures, light and dark; needs Debian's Chromium.

    python -m tests.support.draw_pages

The chat follows a script, so that the pictures are the same each time; the shop is the real one.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect
from tests.support.browser import open_browser, serve_site
from tests.support.web_chat import BUY, open_chat

from restwright.demo.server import running

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = {"width": 1200, "height": 750}
_QUALITY = 82
PICTURES = {"light": ("catalog", "tool", "chat"), "dark": ("answer",)}
"""What is drawn in each colour scheme."""


def draw_pages(browser: Browser, address: str, scheme: str, wanted: Collection[str]) -> None:
    """Go through the pages in one colour scheme, and draw those that are wanted."""

    def draw(name: str) -> None:
        if name in wanted:
            draw_page(page, FOLDER / f"{name}-{scheme}.webp")

    context = browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    base = address.split("?", maxsplit=1)[0]
    page.get_by_label("Search by what you want to do").fill("put something into my cart")
    expect(page.locator("#found")).to_contain_text("because it", timeout=120_000)
    draw("catalog")
    page.goto(f"{base}tools/shop__add_cart_item")
    draw("tool")
    page.goto(f"{base}chat")
    page.locator("#text").fill(BUY)
    page.locator("#text").press("Enter")
    expect(page.get_by_role("alertdialog")).to_be_visible(timeout=120_000)
    page.evaluate("window.scrollTo(0, 0)")
    draw("chat")
    page.get_by_role("button", name="Send this request").click()
    expect(page.locator("#state-t1")).to_have_text("Answered", timeout=120_000)
    page.evaluate("window.scrollTo(0, 0)")
    draw("answer")
    context.close()


def draw_page(page: Page, file: Path) -> None:
    """Draw what is in view as WebP, which is a third of a PNG."""
    session: Any = page.context.new_cdp_session(page)
    settings = {"format": "webp", "quality": _QUALITY}
    drawn = session.send("Page.captureScreenshot", settings)
    file.write_bytes(base64.b64decode(drawn["data"]))


def main() -> None:
    """Draw all pages."""
    FOLDER.mkdir(exist_ok=True)
    for scheme, wanted in PICTURES.items():
        with (
            running() as shop,
            tempfile.TemporaryDirectory() as folder,
            open_chat(shop, Path(folder)) as place,
            serve_site(place.site) as address,
            open_browser() as browser,
        ):
            draw_pages(browser, address, scheme, wanted)


if __name__ == "__main__":
    main()
