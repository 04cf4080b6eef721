"""The examples of docs/toolbox.md run, each against a server that speaks as its provider does."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.toolboxes.providers import Provider, provider

import restwright as rw
from restwright.demo.server import Shop, running

PAGE = (Path(__file__).parents[2] / "docs" / "toolbox.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
LIST = ("shop__list_categories", {})
GET = ("shop__get_customer", {})
CANCEL = ("shop__cancel_order", {"order_id": "o-1"})


@pytest.fixture(scope="module")
def shop() -> Any:
    with running() as open_shop:
        yield open_shop


@pytest.fixture
def tools(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tools of the page, of a shop that runs."""
    document = httpx2.get(f"{shop.url}/openapi.json").text
    (tmp_path / "shop.yaml").write_text(document.replace('"url": "/"', f'"url": "{shop.url}"'))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_TOKEN", shop.token)
    with rw.toolbox("shop.yaml", server=shop.url, auth="env:SHOP_TOKEN") as made:
        yield made


def block(marked: str) -> str:
    (found,) = [each for each in BLOCKS if marked in each]
    return found


def run(code: str, **given: Any) -> dict[str, Any]:
    names: dict[str, Any] = {"rw": rw, **given}
    exec(compile(code, "toolbox.md", "exec"), names)  # noqa: S102
    return names


def openai(model: Provider) -> Any:
    from openai import OpenAI

    return OpenAI(base_url=f"{model.url}/v1", api_key="x")


def anthropic(model: Provider) -> Any:
    from anthropic import Anthropic

    return Anthropic(base_url=model.url, api_key="x")


def gemini(model: Provider) -> Any:
    from google.genai import Client
    from google.genai.types import HttpOptions

    return Client(api_key="x", http_options=HttpOptions(base_url=model.url))


def test_the_loop_at_the_top(
    tools: rw.Toolbox, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    code = BLOCKS[0].replace("https://shop.example", shop.url)
    with provider([LIST, GET], "There are bags.") as model, openai(model) as client:
        run(code, client=client, question="What is there?")
    assert capsys.readouterr().out == "There are bags.\n"
    *_, call, first, second = model.bodies[1]["messages"]
    assert [each["id"] for each in call["tool_calls"]] == [
        first["tool_call_id"],
        second["tool_call_id"],
    ]
    assert '"id":"bags"' in first["content"]
    assert "Mira Castellan" in second["content"]
    assert len(model.bodies[0]["tools"]) == 21


Speaks = Callable[[Provider], Any]
EXAMPLES: dict[str, tuple[str, Speaks | None, Any]] = {
    "chat": ('for_("openai"), messages', openai, {"role": "user", "content": "?"}),
    "responses": ("openai-responses", openai, {"role": "user", "content": "?"}),
    "anthropic": ("# anthropic", anthropic, {"role": "user", "content": "?"}),
    "gemini": ("# gemini", gemini, {"role": "user", "parts": [{"text": "?"}]}),
    "ollama": ("# ollama", None, {"role": "user", "content": "?"}),
    "llama.cpp": ("# llama.cpp", openai, {"role": "user", "content": "?"}),
}


@pytest.mark.parametrize(("marked", "speaks", "first"), EXAMPLES.values(), ids=EXAMPLES)
def test_three_lines_for_a_provider(
    tools: rw.Toolbox, marked: str, speaks: Speaks | None, first: Any
) -> None:
    code = next(each for each in BLOCKS if marked in each and each.startswith("# "))
    messages = [first]
    with provider([LIST, GET], [LIST]) as model:
        client = speaks(model) if speaks else None
        given = {"client": client, "httpx": httpx2, "server": model.url, "tools": tools}
        names = run(code, messages=messages, **given)
        # What was said goes back as it is, and the model sees what came of its calls.
        run(code, **{**given, "messages": names["messages"]})
        if client is not None and hasattr(client, "close"):
            client.close()
    sent = json.dumps(model.bodies[1])
    assert "Shoulder bags" in sent or "shoulder bags" in sent
    assert "Mira Castellan" in sent
    assert len(ast.parse(code).body) == 3
    # More than Gemini is offered whole: it finds them by the tools that find tools.
    count = json.dumps(model.bodies[0]["tools"]).count('"shop__')
    assert count == (0 if "gemini" in marked else 21)


def test_a_person_is_asked_at_the_terminal(
    tools: rw.Toolbox, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "n"

    code = block("# approve").replace('auth="env', f'server="{shop.url}", auth="env')
    made = run(code, input=answer)["tools"]
    name, arguments = CANCEL
    call = {"name": name, "arguments": arguments}
    assert made.reply("json-schema", call).text == "shop__cancel_order was not allowed"
    assert f"POST {shop.url}/orders/o-1/cancel" in asked[0]
    assert os.environ["SHOP_TOKEN"] not in asked[0]


@pytest.mark.parametrize("says_yes", [True, False])
def test_a_write_goes_on_when_a_person_has_decided(
    tools: rw.Toolbox, says_yes: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    name, arguments = CANCEL
    call = {"id": "c1", "function": {"name": name, "arguments": json.dumps(arguments)}}
    messages: list[Any] = []
    run(block("# deferred"), tools=tools, call=call, messages=messages, person_says_yes=says_yes)
    assert "shop__cancel_order would send" in capsys.readouterr().out
    (reply,) = messages
    assert reply["tool_call_id"] == "c1"
    assert reply.result.status == (404 if says_yes else None)


def test_the_page_of_the_library_runs(
    tools: rw.Toolbox, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "library.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    # Not without its name: an address of this machine is for who names it.
    named = f"{{}}, connection=rw.Connection(server={shop.url!r})"
    run(code.replace("shop__list_orders", "shop__list_categories").replace("{}", named))
    out = capsys.readouterr().out
    assert "shop__get_order GET /orders/{order_id} orders\n" in out
    assert "'bags'" in out
