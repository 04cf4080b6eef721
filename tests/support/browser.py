"""Debian's Chromium before the pages of the shop, whose API runs too."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from tests.support.web import make_site

import restwright as rw
from restwright.calls.auth.connection import Connection
from restwright.demo.server import running
from restwright.doors.browsers import BrowserAccess
from restwright.net.http.transport import Transport
from restwright.net.http_server import find_address, make_server, open_listener
from restwright.web.app import create_app, guard_app
from restwright.web.site import Site

CHROMIUM = Path("/usr/bin/chromium")
_ARGUMENTS = (
    "--no-sandbox",  # for who is root, as in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDTHS = (320, 800, 1440)


# Without slots: Playwright keeps its own notes on whoever listens.
@dataclass
class Reader:
    """
    Somebody who reads pages, and what is wrong with these.

    Args:
        pictures: The folder where each state is drawn; None for none.
        complaints: Of the console, of scripts and of axe.
    """

    page: Page
    address: str
    pictures: Path | None = None
    complaints: list[str] = field(default_factory=list[str])

    def look(self, name: str, *, widths: Sequence[int] = WIDTHS) -> None:
        """Let axe look at the state as it is, and draw it."""
        report = Axe().run(self.page)
        self.complaints += [
            f"{name}: {violation['id']}: {violation['nodes'][0]['html'][:200]}"
            for violation in report.response["violations"]
        ]
        before = self.page.viewport_size or {"width": 1280, "height": 900}
        for width in widths:
            self.page.set_viewport_size({"width": width, "height": 900})
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                self.complaints.append(f"{name}: {wide} px wide in {width}")
            if self.pictures is not None:
                self.pictures.mkdir(parents=True, exist_ok=True)
                path = self.pictures / f"{name}-{width}.png"
                self.page.screenshot(path=path, full_page=True)
        self.page.set_viewport_size(before)

    def hear(self, message: ConsoleMessage) -> None:
        """Note what the console says of what is wrong."""
        if message.type in {"error", "warning"}:
            self.complaints.append(f"console: {message.text}")


@contextmanager
def serve_site(site: Site) -> Generator[str]:
    """Serve a site on a free port; gives the address for one browser."""
    with open_listener("127.0.0.1", 0) as listener:
        url, port = find_address(listener)
        browsers = BrowserAccess(cookie=f"restwright-{port}")
        server = make_server(guard_app(create_app(site), port, browsers))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"{url}/?token={browsers.token}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def serve_shop() -> Generator[str]:
    """Serve the pages of the bundled shop, whose API runs."""
    with running() as shop, Transport() as send:
        catalog = rw.catalog(rw.load(shop.document_url, alias="shop"))
        headers = {"Authorization": f"Bearer {shop.token}"}
        connection = Connection(server=shop.url, headers=headers)
        with serve_site(make_site(catalog, send=send, connection=connection)) as address:
            yield address


@contextmanager
def open_browser() -> Generator[Browser]:
    """Chromium, which fetches nothing by itself."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*_ARGUMENTS])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def read_pages(browser: Browser, address: str, *, is_dark: bool = False) -> Generator[Reader]:
    """Somebody who opens the printed address; nothing may be wrong at the end."""
    folder = os.environ.get("PICTURES")
    page = browser.new_page(
        viewport={"width": 1280, "height": 900}, color_scheme="dark" if is_dark else "light"
    )
    page.set_default_timeout(60_000)
    reader = Reader(page, address, pictures=Path(folder) if folder else None)
    page.on("console", reader.hear)
    page.on("pageerror", lambda error: reader.complaints.append(f"script: {error}"))
    page.goto(address)
    yield reader
    assert reader.complaints == []
    page.close()
