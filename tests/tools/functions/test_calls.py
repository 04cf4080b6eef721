"""Calls of functions: values of their types in, JSON out, in threads and event loops."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

import restwright as rw
from restwright.agents.runtime.budget import Budget, Limits
from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import Call
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.testing import never


class Size(Enum):
    small = "s"
    large = "l"


@dataclass
class Box:
    size: Size
    weight: float = 1.0


class Item(BaseModel):
    """A thing."""

    name: str
    count: int = Field(default=1, ge=1, description="how many")
    parts: list[Item] = []


class Found(TypedDict):
    total: int
    items: list[Item]


class Shop:
    """A small shop."""

    opened = True

    def __init__(self) -> None:
        self.kept: list[Any] = []

    @property
    def stock(self) -> int:
        return len(self.kept)

    @rw.tool(reads=True)
    async def search(self, query: str, limit: Annotated[int, Field(ge=1, le=50)] = 10) -> Found:
        """
        Search the shop.

        Args:
            query: Words to look for.
            limit: At most this many.
        """
        await asyncio.sleep(0)
        return Found(total=limit, items=[Item(name=query)])

    def add(
        self,
        item: Item,
        box: Box | None = None,
        day: date = date(2026, 1, 1),
        how: Literal["a", "b"] = "a",
    ) -> UUID:
        """Add one."""
        self.kept.append((item, box, day, how))
        return UUID(int=7)

    def clear(self) -> None:
        self.kept.clear()

    @rw.tool(reads=True, name="delete_preview")
    def preview(self) -> int:
        return len(self.kept)

    @staticmethod
    def a_static_one(text: str) -> str:
        return text

    def _hidden(self) -> None: ...


class BigShop(Shop):
    def last(self) -> None: ...

    def clear(self) -> None:
        """Clear all."""


def call(tool: rw.Tool, **arguments: Any) -> rw.Result:
    return rw.call(tool, arguments, approve=approve_all, send=never)


def one(function: Any, **more: Any) -> rw.Tool:
    (tool,) = rw.functions(function, **more).tools
    return tool


def test_methods_of_a_class_are_a_namespace_in_its_order() -> None:
    tools = rw.controller(BigShop())
    wanted = ("search", "add", "clear", "delete_preview", "a_static_one", "last")
    assert tools.names == tuple(f"big_shop__{name}" for name in wanted)
    assert tools["big_shop__clear"].description == "Clear all."
    assert tools.apis["big_shop"].title == "BigShop"
    assert rw.controller(Shop(), namespace="shop").names[0] == "shop__search"


def test_what_is_marked_reads_whatever_its_name_says_and_all_else_writes() -> None:
    tools = rw.controller(Shop())
    classes = {name: rw.Policy().class_of(tool) for name, tool in tools.items()}
    assert classes == {
        "shop__search": "read",
        "shop__add": "write",
        "shop__clear": "destructive",
        "shop__delete_preview": "read",
        "shop__a_static_one": "write",
    }
    assert [name for name, tool in tools.items() if tool.is_read] == [
        "shop__search",
        "shop__delete_preview",
    ]


def test_arguments_are_of_their_types_and_results_are_json() -> None:
    shop = Shop()
    tools = rw.controller(shop)
    item = {"name": "hat", "parts": [{"name": "band", "count": 2}]}
    box = {"size": "l"}
    result = call(tools["shop__add"], item=item, box=box, day="2026-02-03")
    assert result.value == str(UUID(int=7))
    band = Item(name="band", count=2)
    assert shop.kept == [
        (Item(name="hat", parts=[band]), Box(size=Size.large), date(2026, 2, 3), "a")
    ]
    found = call(tools["shop__search"], query="hat", limit=3)
    assert found.value == {"total": 3, "items": [{"name": "hat", "count": 1, "parts": []}]}
    assert call(tools["shop__clear"]).value is None


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"query": "hat", "limit": 51}, "/limit"),
        ({"query": "hat", "limit": True}, "/limit"),
        ({"limit": 3}, "/query"),
        ({"query": "hat", "more": 1}, "/more"),
    ],
)
def test_arguments_are_checked_as_those_of_an_api_are(
    arguments: dict[str, Any], pointer: str
) -> None:
    result = call(rw.controller(Shop())["shop__search"], **arguments)
    assert (result.kind, result.repairable_by) == ("mismatch", "model")
    assert pointer in result.text


def check_word(word: str) -> str:
    if word == "said":
        raise rw.Said("give another word")
    if word == "secret":
        raise ValueError("the secret is hunter2")
    return word


def test_a_validator_of_ones_own_is_heeded_and_its_words_are_not_told() -> None:
    ran: list[str] = []

    def f(word: Annotated[str, AfterValidator(check_word)], day: timedelta) -> None:
        del day
        ran.append(word)

    tool = one(f)
    assert call(tool, word="secret", day="P1D").text == "f was not called: /word: ValueError"
    bad = call(tool, word="fine", day="P1X")
    assert (bad.kind, bad.effect) == ("mismatch", "none")
    assert bad.text.startswith("f was not called: /day: ") or "functions__f" in bad.text
    assert "give another word" in call(tool, word="said", day="P1D").text
    assert ran == []


def test_results_are_written_by_their_type_or_as_they_are() -> None:
    def typed() -> tuple[Decimal, Box, float]:
        return Decimal("1.10"), Box(Size.small), math.nan

    def untyped():
        return {"box": Box(Size.small), "days": {date(2026, 1, 1)}}

    def loose() -> list[Item]:
        return [{"name": "hat"}]

    def strange() -> Any:
        return object()

    assert call(one(typed)).value == ["1.10", {"size": "s", "weight": 1.0}, None]
    assert call(one(untyped)).value == {"box": {"size": "s", "weight": 1.0}, "days": ["2026-01-01"]}
    assert call(one(loose)).value == [{"name": "hat"}]
    failed = call(one(strange))
    assert (failed.ok, failed.effect) == (False, "unknown")
    assert failed.text.startswith("functions__strange failed: PydanticSerializationError")


def test_the_schema_of_results_is_that_of_the_tool() -> None:
    output = rw.controller(Shop())["shop__search"].output
    assert output["$ref"] == "#/$defs/Found"
    assert output["$defs"]["Found"]["properties"]["total"] == {"type": "integer"}


def test_an_exception_is_told_by_its_name_unless_it_is_said() -> None:
    def fail(how: str) -> None:
        if how == "said":
            raise rw.Said("no such hat")
        if how == "untouched":
            raise rw.Said("no such hat", may_have_acted=False)
        raise RuntimeError("/home/ada/secret.txt")

    tool = one(fail)
    crashed = call(tool, how="crash")
    assert crashed.text.startswith("functions__fail failed: RuntimeError")
    assert "secret" not in crashed.text
    assert crashed.effect == "unknown"
    said = call(tool, how="said")
    assert "no such hat" in said.text
    assert (said.effect, said.repairable_by) == ("unknown", None)
    untouched = call(tool, how="untouched")
    assert "no such hat" in untouched.text
    assert (untouched.effect, untouched.repairable_by) == ("none", "model")


def test_a_write_is_asked_about_and_a_read_is_not() -> None:
    shop = Shop()
    tools = rw.controller(shop)
    item = {"item": {"name": "hat"}}
    assert rw.call(tools["shop__add"], item, approve=refuse_all).kind == "refused"
    assert rw.call(tools["shop__add"], item, policy=rw.policy.READ_ONLY).kind == "refused"
    assert shop.kept == []
    assert rw.call(tools["shop__search"], {"query": "x"}, approve=never).ok


def test_a_function_is_awaited_in_the_loop_that_the_call_comes_from() -> None:
    async def where() -> bool:
        await asyncio.sleep(0)
        return asyncio.get_running_loop() is loop

    def thread() -> bool:
        return threading.current_thread() is threading.main_thread()

    async def main() -> list[Any]:
        nonlocal loop
        loop = asyncio.get_running_loop()
        tools = rw.functions(where, thread)
        results = [await rw.call_async(tool, {}, approve=approve_all) for tool in tools.tools]
        return [result.value for result in results]

    loop: asyncio.AbstractEventLoop | None = None
    assert asyncio.run(main()) == [True, False]


def test_without_an_event_loop_all_calls_share_one_beside() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def note() -> None:
        loops.append(asyncio.get_running_loop())

    tool = one(note)
    assert call(tool).ok
    assert call(tool).ok

    async def blocking() -> None:
        # A blocking call in a coroutine: its own loop cannot await anything meanwhile.
        assert call(tool).ok

    asyncio.run(blocking())
    assert len({*map(id, loops)}) == 1


def test_who_cancels_a_call_ends_what_it_awaits() -> None:
    events: list[str] = []

    async def wait() -> None:
        events.append("begun")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            events.append("cancelled")
            raise

    async def main() -> None:
        task = asyncio.create_task(rw.call_async(one(wait), {}, approve=approve_all))
        while not events:  # noqa: ASYNC110 - it is set in another thread's time
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(200):
            if len(events) == 2:
                return
            await asyncio.sleep(0.01)

    asyncio.run(main())
    assert events == ["begun", "cancelled"]


def test_a_function_is_awaited_as_long_as_its_run_has_time() -> None:
    @rw.tool(reads=True)
    async def wait() -> None:
        await asyncio.sleep(60)

    tools = rw.functions(wait)
    perform = Performer(
        catalog=tools,
        model=never,
        send=never,
        approve=never,
        connections={},
        budget=Budget(limits=Limits(seconds=1)),
    )
    started = time.monotonic()
    result = perform(Call(tool="functions__wait", arguments={}))
    assert isinstance(result, rw.Result)
    assert result.text == "functions__wait failed: TimeoutError"
    assert time.monotonic() - started < 20
