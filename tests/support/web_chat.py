"""A page with a chat over the bundled shop, whose agent follows a script."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.support.web import make_site

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.journal.opening import journal
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Conclusion,
    Extract,
    Message,
    NoAnswer,
    Question,
    Say,
    Steps,
)
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import Result
from restwright.demo.server import Shop
from restwright.net.http.transport import Transport
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.web.chat.chats import Chats, OnSwitch, Speaker
from restwright.web.site import Site
from restwright.web.user_sites import UserSites

BUY = "Put the cheapest bag into my cart"
LOOK = "Which bags are there?"
ASK = "Ask me something"
CHEAPEST_BAGS = {"category": "bags", "sort": "price_asc"}
ANSWER = """The cheapest bag is the **Loden Day 12**, and it is in your cart now.

| Bag | Price |
|---|---|
| Loden Day 12 | 39.00 |
| Ridge Backpack | 89.00 |

See [the shop](https://shop.example.test/bags).
"""


@dataclass(slots=True)
class TalkingModel:
    """
    A model that says one text, piece by piece.

    Args:
        pause_s: Before each piece.
    """

    text: str = ANSWER
    pause_s: float = 0.0
    name: str = "scripted"
    is_small: bool = True
    asked: list[Complete] = field(default_factory=list[Complete])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Return the text of the answer, or something of another role."""
        self.asked.append(request)
        text = self.text if request.role == "answer" else '{"steps": ["find", "change"]}'
        return Completion(text=text, input_tokens=812, output_tokens=64, elapsed_s=0.4)

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Say it piece by piece."""
        for start in range(0, len(self.text), 6):
            time.sleep(self.pause_s)
            tell(self.text[start : start + 6])
        return self.complete(request, deadline_s=deadline_s)


def follow_script(agent: Agent, question: str) -> Steps[Conclusion]:
    """Find the bags; put one into the cart, or ask something, where that is asked for."""
    if question == ASK:
        said = yield Question("Which colour?", "", {"type": "string", "enum": ["red", "blue"]})
        return Conclusion(text="nothing" if isinstance(said, NoAnswer) else f"So {said.value}.")  # type: ignore[union-attr]
    is_change = question != LOOK
    yield Complete(role="planner", messages=(Message("user", f"Plan: {question}"),))
    yield Say(Event("plan", "1. find the cheapest bag", {"type": "find"}))
    if is_change:
        yield Say(Event("plan", "2. put it into the cart", {"type": "change"}))
    text = "list_products, else get_product to find the cheapest bag"
    offered = ["shop__list_products", "shop__get_product", "shop__list_categories"]
    data: dict[str, Any] = {"tool": "shop__list_products", "offered": offered, "why": "by words"}
    yield Say(Event("select", text, data))
    listed = yield Call(
        tool="shop__list_products", arguments={"category": "bags", "sort": "price_asc"}
    )
    assert isinstance(listed, Result)
    code = "def parse(data):\n    return min(data['items'], key=lambda item: item['price'])['id']"
    yield Extract(code=code, body='{"items": [{"id": "a", "price": 1}]}')
    items: Any = listed.value
    first = items["items"][0]
    yield Say(Event("result", f"1. the cheapest bag is {first['name']}"))
    if is_change:
        yield Say(
            Event("select", "add_cart_item to put it into the cart", {"tool": "", "offered": []})
        )
        body = {"product_id": first["id"], "quantity": 1}
        done = yield Call(tool="shop__add_cart_item", arguments=body)
        if isinstance(done, Result) and done.kind == "refused":
            return Conclusion(text="", stopped="refused", reason="it was not allowed")
    said = yield Complete(role="answer", messages=(Message("user", question),))
    assert isinstance(said, Completion)
    return Conclusion(text=said.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPlace:
    """A site with a chat over the shop, and what is behind it."""

    site: Site
    chats: Chats
    shop: Shop


def make_chats(
    tools: Catalog, shop: Shop, send: Transport, journal: Journal | None, model: TalkingModel
) -> Chats:
    """Chats over the shop, whose agent follows the script."""
    headers = {"Authorization": f"Bearer {shop.token}"}
    connections = {"shop": Connection(server=shop.url, headers=headers)}

    def make(asked: Any, on_switch: OnSwitch, memory: Any) -> Agent:
        del on_switch, memory
        return Agent(tools, model=asked, connections=connections, send=send, kind=follow_script)

    speaker = Speaker(key="", title="All tools of shop", make=make, samples=(LOOK, BUY))
    return Chats(speakers={"": speaker}, find_model=lambda *_: model, journal=journal)


@contextmanager
def open_user_sites(
    shop: Shop, folder: Path, model: TalkingModel | None = None
) -> Generator[UserSites]:
    """A site with chats for each user, whose journals are in a folder."""
    tools = catalog(load(shop.document_url, alias="shop"))
    with Transport() as send:

        def open_site(user: str, ending: ExitStack) -> Site:
            kept = ending.enter_context(journal(folder / "sessions.sqlite3", user=user))
            chats = make_chats(tools, shop, send, kept, model or TalkingModel())
            chats.has_one_model = True
            connection = Connection(
                server=shop.url, headers={"Authorization": f"Bearer {shop.token}"}
            )
            return make_site(tools, send=send, chats=chats, connection=connection, is_shared=True)

        yield UserSites(open_site=open_site)


@contextmanager
def open_chat(
    shop: Shop, folder: Path, model: TalkingModel | None = None, *, has_journal: bool = True
) -> Generator[ChatPlace]:
    """A site whose chats are kept in a folder."""
    tools = catalog(load(shop.document_url, alias="shop"))
    with Transport() as send, ExitStack() as stack:
        path = folder / "sessions.sqlite3"
        kept = stack.enter_context(SQLiteJournal(path)) if has_journal else None
        chats = make_chats(tools, shop, send, kept, model or TalkingModel())
        yield ChatPlace(site=make_site(tools, send=send, chats=chats), chats=chats, shop=shop)


def wait_until(is_so: Callable[[], Any]) -> Any:
    """What `is_so` gives once it is true; half a minute at most."""
    until = time.monotonic() + 30
    while not (found := is_so()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def begin(client: TestClient, text: str) -> str:
    """Begin a chat, and return its address."""
    return client.post("/chat", data={"text": text}).url.path


def turn_of(client: TestClient, address: str) -> dict[str, Any]:
    """The last turn of a chat."""
    return client.get(f"{address}.json").json()["turns"][-1]


def ended(client: TestClient, address: str) -> dict[str, Any]:
    """The last turn of a chat, once it is over."""
    return wait_until(lambda: (turn := turn_of(client, address))["stopped"] != "running" and turn)
