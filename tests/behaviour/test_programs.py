"""Programs that people write around a provider's client: short, and with our public names alone."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from tests.support.toolboxes.providers import Provider, provider

import restwright as rw
from restwright.demo.server import Shop, running

FOLDER = Path(__file__).parents[1] / "support" / "programs" / "loops"
PROGRAMS = sorted(FOLDER.glob("*.py"))
CLIENTS = {"openai", "anthropic"}
ORDERS = ("shop__list_orders", {})
ADD = (
    "shop__add_address",
    {
        "label": "Home",
        "recipient": "Mira",
        "street": "1 Quay",
        "postal_code": "1000",
        "city": "Lisbon",
        "country": "PT",
    },
)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with running() as open_shop:
        yield open_shop


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_short_and_imports_what_is_public(program: Path) -> None:
    text = program.read_text("utf-8")
    assert len(text.splitlines()) <= 30
    imported = [
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
        )
    ]
    assert {*imported} <= {"restwright", "sys", "collections.abc", *CLIENTS}
    assert bool({*imported} & CLIENTS) is (program.stem != "with_agent")
    named = [
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "rw"
    ]
    assert {*named} <= {*rw.__all__, "policy", "events"}


def run(program: str, shop: Shop, model: Provider, *, typed: str = "") -> str:
    """What a program prints for a question about the shop."""
    environment = {
        **os.environ,
        "SHOP_TOKEN": shop.token,
        "OPENAI_API_KEY": "x",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "ANTHROPIC_API_KEY": "x",
        "ANTHROPIC_BASE_URL": model.url,
    }
    ran = subprocess.run(  # noqa: S603 - our own
        [sys.executable, str(FOLDER / f"{program}.py"), f"{shop.url}/openapi.json", "My orders?"],
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.process
@pytest.mark.parametrize("program", ["with_openai", "with_anthropic"])
@pytest.mark.parametrize(("typed", "told"), [("y\n", "was done"), ("n\n", "not")])
def test_a_program_reads_and_asks_before_it_writes(
    program: str, typed: str, told: str, shop: Shop
) -> None:
    with provider([ORDERS], [ADD], "You have orders.") as model:
        out = run(program, shop, model, typed=typed)
    assert out.endswith("You have orders.\n")
    assert "shop__add_address would send" in out
    assert f"POST {shop.url}/addresses" in out
    last = json.dumps(model.bodies[2]["messages"][-1])
    assert told in last
    assert shop.token not in json.dumps(model.bodies) + out


def opened(program: str) -> Any:
    """A program as a module."""
    found = spec_from_file_location(program, FOLDER / f"{program}.py")
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_handler_streams_an_agent_and_waits_for_a_persons_word(
    is_allowed: bool, shop: Shop
) -> None:
    handler = opened("with_agent")
    name, given = ADD
    street = f"{'2' if is_allowed else '3'} Quay"
    turns = (
        json.dumps({"tools": [{"reason": "asked for", "name": name}], "answer": ""}),
        [(name, given | {"street": street})],
        # A word against it ends a run, and code says what is not done.
        *(["That is all.", json.dumps({"answer": "It is added."})] if is_allowed else []),
        json.dumps({"tools": [], "answer": "You are welcome."}),
    )
    with provider(*turns) as played:
        model = rw.model_named("openai:gpt-5", url=f"{played.url}/v1")
        agent = rw.Agent(
            rw.catalog(rw.load(f"{shop.url}/openapi.json", alias="shop")),
            model=model,
            connections={"shop": rw.Connection(auth=rw.Secret(shop.token))},
            kind=rw.Calling(),
        )

        async def talk() -> list[Any]:
            history: list[Any] = []
            records: list[Any] = []
            async for record in handler.answer(agent, "Add my address.", history):
                records.append(record)
                if record["kind"] == "approval":
                    waits = record["data"]["id"], is_allowed
                    asyncio.get_running_loop().call_later(0.05, handler.decide, *waits)
            thanked = handler.answer(agent, "Thank you.", history)
            return [*records, *[record async for record in thanked]]

        records = anyio.run(talk)
        model.close()  # type: ignore[attr-defined]
    words = [record["text"] for record in records if record["kind"] == "words"]
    assert "".join(words) == ("It is added." if is_allowed else "")
    assert (len(words) > 1) is is_allowed
    assert [record["kind"] for record in records].count("response") == is_allowed
    addresses = httpx2.get(
        f"{shop.url}/addresses", headers={"authorization": f"Bearer {shop.token}"}
    ).text
    assert (street in addresses) is is_allowed
    assert records[-1]["text"] == "You are welcome."
    assert "User: Add my address." in json.dumps(played.bodies[-1])
    assert shop.token not in json.dumps([played.bodies, records])


def test_a_handler_streams_and_goes_on_when_a_change_is_allowed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider([ORDERS, ORDERS], [ADD], "It waits for you.", "It is done.") as model:
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("SHOP_TOKEN", shop.token)
        handler = opened("handler")

        async def talk() -> list[Any]:
            api = await rw.load_async(f"{shop.url}/openapi.json")
            tools = rw.toolbox(api, auth="env:SHOP_TOKEN")
            messages: list[Any] = [{"role": "user", "content": "Add my address."}]
            async with handler.client:
                before = [piece async for piece in handler.answer(tools, messages)]
                (waiting,) = [piece for piece in before if isinstance(piece, rw.Pending)]
                await handler.allow(tools, messages, waiting.id)
                after = [piece async for piece in handler.answer(tools, messages)]
            return [before, after]

        before, after = anyio.run(talk)
    words = [piece for piece in before if isinstance(piece, str)]
    assert "".join(words) == "It waits for you."
    assert len(words) > 1
    assert "".join(after) == "It is done."
    assert "shop__add_address was done" in model.bodies[3]["messages"][-1]["content"]
    addresses = httpx2.get(
        f"{shop.url}/addresses", headers={"authorization": f"Bearer {shop.token}"}
    ).text
    assert "1 Quay" in addresses
