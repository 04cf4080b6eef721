"""Two people with a browser each, who log in to one page, from the command to what they see."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.support.authorization_server import CLIENT, AuthorizationServer, authorization_server
from tests.support.browser import open_browser, read_pages

import restwright

pytestmark = pytest.mark.web
expect.set_options(timeout=60_000)
ROOT = Path(__file__).parents[3]
SHOP = Path(restwright.__file__).parent / "demo" / "openapi.json"
QUESTION = "What is there for ada alone?"


@contextmanager
def serve_users(issuer: AuthorizationServer, state: Path) -> Generator[str]:
    """A page whose users log in; gives its address."""
    command = [sys.executable, "-m", "tests.support.doors.serve_scripted", "web", f"shop={SHOP}"]
    options = ["--oauth", issuer.url, "--client-id", CLIENT, "--agent", "calling"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command + options,
        cwd=ROOT,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(timeout=60)


def log_in(page: Page, user: str) -> None:
    page.get_by_role("link", name=f"I am {user}").click()
    expect(page.get_by_text(user, exact=True)).to_be_visible()


def test_two_users_log_in_and_see_nothing_of_each_other(tmp_path: Path) -> None:
    with (
        authorization_server() as issuer,
        serve_users(issuer, tmp_path) as address,
        open_browser() as browser,
        read_pages(browser, f"{address}chat") as ada,
        read_pages(browser, address) as bob,
    ):
        assert "token" not in address
        log_in(ada.page, "ada")
        # Back where they wanted to be.
        ada.page.get_by_label("What do you want to know?").fill(QUESTION)
        ada.page.keyboard.press("Enter")
        expect(ada.page.locator("#state-t1")).to_have_text("Answered")
        ada.look("users-chat")
        chat = ada.page.url

        log_in(bob.page, "bob")
        bob.look("users-catalog")
        bob.page.goto(f"{address}sessions")
        expect(bob.page.get_by_role("status")).to_contain_text("0 chats")
        expect(bob.page.get_by_text(QUESTION)).to_have_count(0)
        answer = bob.page.goto(chat)
        assert answer is not None
        assert answer.status == 404
        bob.complaints.clear()

        ada.page.goto(f"{address}sessions")
        expect(ada.page.get_by_text(QUESTION)).to_be_visible()
        ada.page.get_by_role("button", name="Log out").click()
        expect(ada.page.get_by_role("heading", level=1)).to_have_text("You are logged out here")
        ada.look("users-logged-out")
        ada.page.goto(chat)
        expect(ada.page.get_by_role("link", name="I am ada")).to_be_visible()
        # Another person at the same machine.
        log_in(ada.page, "bob")
        expect(ada.page.get_by_text(QUESTION)).to_have_count(0)
        ada.complaints.clear()
        ada.page.goto(f"{address}login/callback?code=x&state=y")
        expect(ada.page.get_by_role("alert").or_(ada.page.locator(".error"))).to_contain_text(
            "This login let nobody in"
        )
        ada.look("users-not-logged-in")
        ada.complaints = [one for one in ada.complaints if "403" not in one]
