"""Fifty chats at once before a real server, a handful of them in a real browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.sync_api import expect
from tests.support.browser import open_browser, serve_site
from tests.support.web_chat import LOOK, ChatPlace, TalkingModel, open_chat

from restwright.demo.server import running

pytestmark = pytest.mark.web
CHATS, LINES = 50, 7
WORDS = "The cheapest bag is the **Loden Day 12**.\n\n- one\n- two\n\n" * 10
BOUND = 100_000
"""Characters that are kept of one such run."""


@pytest.fixture
def place(tmp_path: Path) -> Generator[ChatPlace]:
    with running() as shop, open_chat(shop, tmp_path, TalkingModel(WORDS, 0.01)) as opened:
        yield opened


@dataclass(slots=True)
class Heard:
    """What one reader was told of a run."""

    numbers: list[int] = field(default_factory=list[int])
    text: str = ""
    is_done: bool = False


async def listen(client: httpx2.AsyncClient, address: str, heard: Heard, most: int) -> None:
    """Read a stream from where one was, for so many messages."""
    headers = {"last-event-id": str(heard.numbers[-1])} if heard.numbers else {}
    async with client.stream("GET", address, headers=headers) as response:
        async for line in response.aiter_lines():
            heard.text += line
            heard.is_done = heard.is_done or line == "event: done"
            if line.startswith("id: "):
                if len(heard.numbers) == most:
                    return
                heard.numbers.append(int(line[4:]))


async def chat(client: httpx2.AsyncClient, number: int) -> tuple[str, Heard]:
    """Begin a chat, and listen: to the end, with a lost connection, or not at all."""
    begun = await client.post("/chat", data={"text": LOOK, "speaker": ""})
    page = await client.get(begun.headers["location"])
    found = re.search(r'hx-sse:connect="([^"]+)"', page.text)
    assert found is not None
    heard = Heard(text=page.text)
    if number % 3 == 1:
        await listen(client, found[1], heard, 3)
    if number % 3 < 2:
        await listen(client, found[1], heard, 10_000)
    return begun.headers["location"], heard


async def read_all(address: str) -> tuple[list[tuple[str, Heard]], list[str]]:
    """Have all chats at once; what was heard of each, and the pages as they are loaded later."""
    parts = urlsplit(address)
    own = f"{parts.scheme}://{parts.netloc}"
    limits = httpx2.Limits(max_connections=2 * CHATS)
    async with httpx2.AsyncClient(
        base_url=own, headers={"origin": own}, timeout=300, limits=limits
    ) as client:
        await client.get(address)
        heard = await asyncio.gather(*(chat(client, number) for number in range(CHATS)))
        pages: list[str] = []
        for where, _ in heard:
            while 'class="tag info">Working' in (page := (await client.get(where)).text):  # noqa: ASYNC110 - a server is asked
                await asyncio.sleep(0.05)
            pages.append(page)
    return heard, pages


def test_fifty_chats_at_once_lose_no_event_and_memory_is_bounded(place: ChatPlace) -> None:
    with serve_site(place.site) as address:
        all_heard, pages = asyncio.run(read_all(address))
    for number, ((_, heard), page) in enumerate(zip(all_heard, pages, strict=True)):
        assert page.count('class="trace-line ') == LINES
        assert page.count("Loden Day 12") > 10
        assert "Answered" in page
        if number % 3 < 2:
            assert heard.is_done
            assert heard.numbers == sorted({*heard.numbers})
            assert heard.text.count('class="trace-line ') == LINES
            assert "Answered" in heard.text
    runs = [turn.run for own in place.chats.in_memory() for turn in own.turns]
    assert len(runs) == CHATS
    assert all(run is not None and run.state == "ended" and run.size < BOUND for run in runs)


def test_a_handful_of_pages_are_told_at_the_same_time(place: ChatPlace) -> None:
    with serve_site(place.site) as address, open_browser() as browser:
        context = browser.new_context()
        pages = [context.new_page() for _ in range(5)]
        pages[0].goto(address)
        for page in pages:
            page.goto(f"{address.split('?')[0]}chat")
        for page in pages:
            page.locator("#text").fill(LOOK)
            page.locator("#text").press("Enter")
        for page in pages:
            expect(page.locator("#state-t1")).to_have_text("Answered", timeout=60_000)
            expect(page.locator("#trace-t1 .trace-line")).to_have_count(LINES)
