"""`web` from the command to the first page."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

import restwright

SHOP = Path(restwright.__file__).parent / "demo" / "openapi.json"
PYTHON = (sys.executable, "-m", "restwright")


def read_pages(folder: Path, command: tuple[str, ...], *paths: str) -> tuple[list[str], str]:
    """The first page that a command serves, those of `paths`, and what it had to say."""
    with subprocess.Popen(  # noqa: S603 - our own command
        (*PYTHON, *command),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        pages: list[str] = []
        for url in (address, *(f"{address.partition('/?')[0]}{path}" for path in paths)):
            with opener.open(url) as answer:
                pages.append(answer.read().decode())
                assert "token" not in answer.url
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return pages, err


def test_the_printed_address_opens_the_catalog_of_one_browser(tmp_path: Path) -> None:
    (page,), err = read_pages(tmp_path, ("web", f"shop={SHOP}", "--read-only"))
    assert "shop__list_products" in page
    assert "shop__create_order" not in page
    assert "another browser: http://127.0.0.1:" in err
    assert "with the key " in err


def test_only_this_machine_may_be_listened_on(restwright):
    ended = restwright("web", str(SHOP), "--host", "0.0.0.0")  # noqa: S104
    assert ended.code == 2
    assert "your credentials" in ended.err


def test_a_document_on_standard_input_is_refused(restwright):
    assert restwright("web", "-").code == 2


def test_the_shop_is_shown_with_a_chat(tmp_path: Path) -> None:
    (page, chat), _ = read_pages(tmp_path, ("demo", "--web"), "/chat")
    assert "list_products" in page
    assert "What do you want to know?" in chat


def test_a_page_takes_no_question(restwright):
    assert restwright("demo", "--web", "How many?").code == 2
    assert restwright("demo", "--web", "--yes").code == 2


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ["--host", "192.0.2.1", "--token", "env:HOME", "--url", "https://x.test"],
            "needs --oauth",
        ),
        (["--host", "192.0.2.1", "--oauth", "https://i.test", "--client-id", "c"], "--url https"),
        (["--oauth", "https://issuer.example"], "need each other"),
        (["--client-id", "page"], "need each other"),
        (["--client-secret", "env:HOME"], "needs --client-id"),
    ],
)
def test_what_would_let_others_in_without_a_login_is_refused(
    restwright: Any, options: list[str], why: str
) -> None:
    ended = restwright("web", str(SHOP), *options)
    assert ended.code == 2
    assert why in " ".join(ended.err.split())
