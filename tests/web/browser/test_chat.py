"""A chat in a real browser: words, what is done beside them, consent, stop, and a loaded page."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browser import Reader, open_browser, read_pages, serve_site
from tests.support.web_chat import ASK, BUY, LOOK, TalkingModel, open_chat

from restwright.demo.server import Shop, running

pytestmark = pytest.mark.web
expect.set_options(timeout=60_000)
Read = Callable[..., AbstractContextManager[Reader]]

GERMAN = "Welche Donaudampfschifffahrtsgesellschaftskapitänsmützen gibt es für Liebhaber?"
FRENCH = "Où puis-je trouver les sacs à dos « été » d'occasion, s'il vous plaît ?"
JAPANESE = "一番安いかばんはどれですか。色と在庫も教えてください。" * 3
LONG = """# Größe

Der Name ist `Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz_und_noch_mehr_davon`.

| Sehr lange Überschrift der ersten Spalte | Beschreibung des Gegenstandes | 価格 |
|---|---|---|
| prod_abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz | かばん かばん | 39,00 |

```json
{"name": "a very long line of code that does not end before the width of a phone has ended twice"}
```
"""


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


@pytest.fixture
def read(browser: Browser, shop: Shop, tmp_path: Path) -> Read:
    @contextmanager
    def opened(model: TalkingModel | None = None, *, is_dark: bool = False) -> Generator[Reader]:
        with (
            open_chat(shop, tmp_path, model) as place,
            serve_site(place.site) as address,
            read_pages(browser, address, is_dark=is_dark) as reader,
        ):
            reader.page.get_by_role("link", name="Chat", exact=True).click()
            yield reader

    return opened


def ask(page: Page, text: str) -> None:
    """Send a message by the keyboard."""
    label = "Message" if page.locator("#composer").count() else "What do you want to know?"
    page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Enter")


def expect_state(page: Page, state: str, number: int = 1) -> None:
    expect(page.locator(f"#state-t{number}")).to_have_text(state)


def test_from_a_message_to_its_answer_with_consent_by_the_keyboard_alone(read: Read) -> None:
    with read() as reader:
        page = reader.page
        expect(page.get_by_label("What do you want to know?")).to_be_focused()
        reader.look("chat-start")
        page.keyboard.type(BUY)
        page.keyboard.press("Enter")
        consent = page.get_by_role("alertdialog")
        expect(consent.get_by_role("heading")).to_be_focused()
        expect(consent).to_contain_text("/cart/items")
        expect(consent).to_contain_text("from the response of shop__list_products")
        expect(consent).to_contain_text("the document's default")
        reader.look("chat-consent")
        for _ in range(9):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.value") == "yes":
                break
        page.keyboard.press("Enter")
        expect_state(page, "Answered")
        expect(page.locator("#answer-t1 table")).to_contain_text("Loden Day 12")
        expect(page.locator("#after-t1")).to_contain_text("shop__add_cart_item took effect")
        expect(page.get_by_label("Message", exact=True)).to_be_focused()
        expect(page.locator("#plan-t1 .plan-done")).to_have_count(2)
        trace = page.locator("#trace-t1")
        for label in ("Model", "Choice", "Request", "Response", "Parser", "Found", "Consent"):
            expect(trace.locator(".trace-label", has_text=label).first).to_be_visible()
        expect(trace).to_contain_text("812 → 64 tokens")
        expect(trace.locator("details[open]")).to_have_count(0)
        for summary in trace.locator("summary").all():
            summary.click()
        expect(trace).to_contain_text("def parse(data)")
        expect(trace).to_contain_text("shop__get_product")
        reader.look("chat-trace-open")


def test_a_message_in_any_language_and_long_names_break_nothing(read: Read) -> None:
    with read(TalkingModel(LONG)) as reader:
        for number, text in enumerate((GERMAN, FRENCH, JAPANESE), 1):
            ask(reader.page, text)
            reader.page.get_by_role("button", name="Do not send it").click()
            expect_state(reader.page, "Not allowed", number)
        ask(reader.page, LOOK)
        expect_state(reader.page, "Answered", 4)
        reader.page.set_viewport_size({"width": 320, "height": 640})
        reader.look("chat-languages")


def test_a_page_that_is_loaded_again_in_the_middle_shows_everything(read: Read) -> None:
    with read(TalkingModel(pause_s=0.05)) as reader:
        page = reader.page
        ask(page, BUY)
        page.get_by_role("alertdialog").wait_for()
        before = page.locator("#trace-t1 .trace-line").all_inner_texts()
        page.reload()
        expect(page.get_by_role("alertdialog")).to_be_visible()
        assert page.locator("#trace-t1 .trace-line").all_inner_texts() == before
        page.get_by_role("button", name="Send this request").click()
        expect(page.locator("#answer-t1")).to_contain_text("The cheapest")
        page.reload()
        expect_state(page, "Answered")
        lines = page.locator("#trace-t1 .trace-line").all_inner_texts()
        assert lines[: len(before)] == before
        assert len(lines) == len({*lines, *range(len(lines) - len({*lines}))})
        expect(page.locator("#answer-t1 table")).to_have_count(1)


def test_a_page_that_is_left_ends_nothing(read: Read) -> None:
    with read(TalkingModel(pause_s=0.05)) as reader:
        page = reader.page
        ask(page, LOOK)
        expect(page.locator("#answer-t1")).to_contain_text("The")
        page.get_by_role("link", name="Catalog", exact=True).click()
        page.wait_for_timeout(3_000)
        page.get_by_role("link", name="Sessions", exact=True).click()
        expect(page.locator(".session-list")).to_contain_text("answered")
        reader.look("sessions")
        page.get_by_role("link", name=LOOK, exact=True).click()
        expect_state(page, "Answered")


def test_a_run_is_stopped_taken_up_again_and_gone_back_from(read: Read) -> None:
    with read(is_dark=True) as reader:
        page = reader.page
        ask(page, LOOK)
        expect_state(page, "Answered")
        ask(page, BUY)
        page.get_by_role("alertdialog").wait_for()
        reader.look("chat-consent-dark")
        page.get_by_role("button", name="Stop").click()
        expect_state(page, "Stopped", 2)
        expect(page.get_by_role("alertdialog")).to_have_count(0)
        reader.look("chat-stopped-dark")
        page.get_by_role("button", name="Take it up again").click()
        page.get_by_role("button", name="Send this request").click()
        expect_state(page, "Answered", 2)
        page.get_by_role("button", name="Go on from here").click()
        expect(page.locator(".turn")).to_have_count(1)


def test_enter_sends_as_soon_as_there_is_a_field(read: Read) -> None:
    def serve_late(route: Route) -> None:
        reader.page.wait_for_timeout(2_000)
        route.continue_()

    with read() as reader:
        page = reader.page
        page.get_by_role("link", name="Catalog", exact=True).click()
        page.route("**/static/chat.js*", serve_late)
        page.get_by_role("link", name="Chat", exact=True).click(no_wait_after=True)
        ask(page, LOOK)
        expect_state(page, "Answered")
        page.unroute_all(behavior="wait")


def test_a_question_is_answered_on_the_page(read: Read) -> None:
    with read() as reader:
        page = reader.page
        ask(page, ASK)
        expect(page.get_by_role("heading", name="Which colour?")).to_be_focused()
        reader.look("chat-question")
        page.get_by_label("Your answer").select_option("blue")
        page.get_by_role("button", name="Answer").click()
        expect(page.locator("#answer-t1")).to_contain_text("So blue.")


def test_nothing_jumps_while_words_come(read: Read) -> None:
    with read(TalkingModel(pause_s=0.04)) as reader:
        page = reader.page
        ask(page, LOOK)
        expect(page.locator("#answer-t1")).to_contain_text("The")
        places: set[tuple[float, ...]] = set()
        until = time.monotonic() + 20
        while page.locator("#state-t1").inner_text() != "Answered" and time.monotonic() < until:
            boxes = [page.locator(one).bounding_box() for one in ("#q-t1", "#answer-t1", "#text")]
            places.add(tuple(box["y"] for box in boxes if box is not None))
        assert len(places) == 1


def test_a_chat_is_deleted(read: Read) -> None:
    with read() as reader:
        page = reader.page
        ask(page, LOOK)
        expect_state(page, "Answered")
        page.get_by_role("link", name="Delete").click()
        reader.look("session-delete")
        page.get_by_role("button", name="Delete it").click()
        expect(page.locator("#sessions")).to_contain_text("Nothing was found")
