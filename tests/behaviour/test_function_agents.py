"""One agent over an HTTP API and Python functions: the same checks, consent, journal and laws."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

import restwright as rw
from restwright.agents.runtime.human_input import human_from_answers
from restwright.agents.steps import Completion
from restwright.demo.server import Shop, running
from restwright.jsontypes import Json
from restwright.testing import Reply, ScriptedModel
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Tool
from restwright.tools.toolset import ToolCall


@pytest.fixture
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


@dataclass
class Ledger:
    """What was paid."""

    rate: float = 2.0
    kept: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])

    @rw.tool(reads=True)
    def convert(self, amount: float, currency: str) -> float:
        """Convert an amount of francs to another currency."""
        assert currency == "EUR"
        return amount * self.rate

    async def note(self, text: str, amount: float, user: Annotated[str, rw.Injected]) -> int:
        """Keep an amount in the ledger."""
        await asyncio.sleep(0)
        self.kept.append((user, text, amount))
        return len(self.kept)

    def pay(
        self, amount: float, pin: Annotated[str, Field(json_schema_extra={"x-human": True})]
    ) -> str:
        """Pay an amount."""
        self.kept.append(("pay", pin, amount))
        return f"paid with {pin}"


def chosen(*names: str) -> Reply:
    tools = [{"reason": "needed", "name": name} for name in names]
    return ("selector", {"tools": tools, "answer": ""})


def calls(*made: tuple[str, Json]) -> Reply:
    listed = tuple(ToolCall(name, arguments) for name, arguments in made)
    return ("caller", Completion(text="", calls=listed))


def said(text: str) -> Reply:
    return ("caller", Completion(text=text))


def make_agent(shop: Shop, ledger: Ledger, script: list[Reply], **settings: Any) -> rw.Agent:
    own = rw.controller(
        ledger,
        inject={"user": "ada"},
        options=ToolOptions(separation=by_extension("x-human")),
    )
    headers = {"Authorization": f"Bearer {shop.token}"}
    return rw.Agent(
        rw.catalog(rw.load(shop.document_url, alias="shop"), own),
        model=ScriptedModel(script, calls_tools=True),
        **{
            "kind": rw.Calling(native=True, describes=False),
            "connections": {"shop": rw.Connection(server=shop.url, headers=headers)},
            "approve": lambda tool, request: True,
            **settings,
        },
    )


NOTE: tuple[str, Json] = ("ledger__note", {"text": "cart", "amount": 0})
SCRIPT: list[Reply] = [
    chosen("shop__get_cart", "ledger__convert", "ledger__note"),
    calls(("shop__get_cart", {})),
    calls(("ledger__convert", {"amount": 10, "currency": "EUR"})),
    calls(NOTE),
    said("Your cart is empty, and that is kept as 1."),
]


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "in an event loop"])
def test_an_api_and_functions_answer_one_question_together(
    shop: Shop, tmp_path: Path, is_async: bool
) -> None:
    ledger, asked = Ledger(), list[str]()

    def approve(tool: Tool, request: rw.Request) -> bool:
        asked.append(f"{tool.name} {request.url}")
        return True

    agent = make_agent(shop, ledger, SCRIPT, approve=approve)
    journal = rw.journal(tmp_path / "journal.sqlite")
    question = "What is in my cart, in EUR? Keep it."
    answer = (
        asyncio.run(agent.ask_async(question, journal=journal))
        if is_async
        else agent.ask(question, journal=journal)
    )
    assert answer.text == "Your cart is empty, and that is kept as 1."
    assert [call.tool for call in answer.calls] == [
        "shop__get_cart",
        "ledger__convert",
        "ledger__note",
    ]
    assert answer.usage.apis == {"shop": 1, "ledger": 2}
    assert ledger.kept == [("ada", "cart", 0.0)]
    # A read of the program's own is not asked about; a write is, and names what would run.
    assert asked == ["ledger__note function:ledger__note"]
    # All of it is in the journal: nothing runs again.
    again = make_agent(shop, ledger, [], approve=approve).ask(
        journal=journal, resume=answer.session
    )
    assert again.text == answer.text
    assert len(ledger.kept) == 1


def test_a_refused_function_does_not_run(shop: Shop) -> None:
    ledger = Ledger()
    script = [chosen("ledger__note"), calls(NOTE), said("It was not kept.")]
    agent = make_agent(shop, ledger, script, approve=lambda tool, request: False)
    assert agent.ask("Keep it.").calls == ()
    assert ledger.kept == []


def test_calls_of_functions_count_in_the_limits(shop: Shop) -> None:
    converts = [calls(("ledger__convert", {"amount": n, "currency": "EUR"})) for n in (1, 2, 3)]
    script = [chosen("ledger__convert"), *converts]
    answer = make_agent(shop, Ledger(), script, limits=rw.Limits(calls=1)).ask("Convert.")
    assert answer.stopped == "limit"
    assert len(answer.calls) == 1


ALLOW = rw.Policy(default="allow")
TRUSTED = rw.Policy(default="allow", after_foreign_read="allow")


@pytest.mark.parametrize(
    ("policy", "script", "asked"),
    [
        # What the API said may not move the agent to a write of the program's unasked.
        (ALLOW, [calls(("shop__get_cart", {})), calls(NOTE)], ["ledger__note"]),
        (TRUSTED, [calls(("shop__get_cart", {})), calls(NOTE)], []),
        (ALLOW, [calls(NOTE)], []),
        # And what a function gave is not written to the API unasked.
        (
            ALLOW,
            [
                calls(("ledger__convert", {"amount": 1, "currency": "EUR"})),
                calls(("shop__add_cart_item", {"product_id": "p1"})),
            ],
            ["shop__add_cart_item"],
        ),
    ],
    ids=["from the API", "trusted", "nothing read", "from a function"],
)
def test_what_one_origin_gave_is_not_written_to_another_unasked(
    shop: Shop, policy: rw.Policy, script: list[Reply], asked: list[str]
) -> None:
    ledger, found = Ledger(), list[str]()

    def approve(tool: Tool, request: rw.Request) -> bool:
        found.append(tool.name)
        return False

    names = ("shop__get_cart", "shop__add_cart_item", "ledger__convert", "ledger__note")
    whole = [chosen(*names), *script, said("Done.")]
    make_agent(shop, ledger, whole, policy=policy, approve=approve).ask("Do it.")
    assert found == asked
    assert bool(ledger.kept) == (NOTE[0] not in asked and "convert" not in str(script[0]))


def test_what_is_left_to_a_human_no_model_sees(shop: Shop) -> None:
    ledger = Ledger()
    script = [
        chosen("ledger__pay"),
        calls(("ledger__pay", {"amount": 3})),
        said("It is paid."),
    ]
    human = human_from_answers({"ledger__pay": {"pin": "canary-4711"}})
    agent = make_agent(shop, ledger, script, human=human)
    answer = agent.ask("Pay 3.")
    assert ledger.kept == [("pay", "canary-4711", 3.0)]
    assert "paid with ***" in str(answer.steps)
    assert isinstance(agent.model, ScriptedModel)
    assert "canary" not in str(agent.model.asked) + str(answer)
    assert "pin" not in str(agent.model.asked[1].tools)


def test_a_toolbox_has_functions_beside_documents(shop: Shop) -> None:
    box = rw.toolbox(shop.document_url, rw.controller(Ledger(), inject={"user": "ada"}))
    assert "ledger__convert" in box
    assert any(name.endswith("__get_cart") for name in box.catalog)
