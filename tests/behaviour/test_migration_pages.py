"""The pages for those who come from elsewhere: the Python that stands there runs."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.support.toolboxes.providers import provider
from tests.support.toolboxes.shop import DOCUMENT, answer

import restwright as rw
from restwright.demo.server import Shop, running
from restwright.testing import RecordingTransport, ScriptedModel

DOCS = Path(__file__).parents[2] / "docs"
PLAN = {"language": "English", "steps": []}


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def shop() -> Any:
    with running() as open_shop:
        yield open_shop


@pytest.fixture
def here(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    document = (Path(rw.__file__).parent / "demo" / "openapi.json").read_text("utf-8")
    (tmp_path / "shop.yaml").write_text(document, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_TOKEN", shop.token)
    return shop.url


def run(code: str, url: str = "https://shop.example", **given: Any) -> dict[str, Any]:
    names: dict[str, Any] = {**given}
    compiled = compile(
        code.replace("https://shop.example", url),
        "page",
        "exec",
        flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
    )

    async def go() -> None:
        given = eval(compiled, names)  # noqa: S307 - our own page
        if given is not None:
            await given

    anyio.run(go) if "await " in code else exec(compiled, names)  # noqa: S102
    return names


@pytest.mark.parametrize("page", ["from-restgpt.md", "from-langchain.md"])
def test_an_agent_answers(page: str, here: str, capsys: pytest.CaptureFixture[str]) -> None:
    model = ScriptedModel([PLAN, {"answer": "I can search products."}])
    run(blocks(page)[-1], here, model=model)
    assert capsys.readouterr().out == "I can search products.\n"


def test_the_agent_of_those_who_come_from_agentica(
    here: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Nothing is selected, and the answer says what can be done.
    model = ScriptedModel([{"tools": [], "answer": "I can search products."}])
    names = run(blocks("from-agentica.md")[0], here, model=model)
    assert capsys.readouterr().out.startswith("I can search products.")
    assert "shop__products_get" in names["tools"]


def test_one_call_of_those_who_come_from_agentica(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    order = document["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]
    order["schema"]["properties"]["pin"] = {"type": "string", "x-samchon-human": True}
    (tmp_path / "shop.yaml").write_text(json.dumps(document), "utf-8")
    monkeypatch.chdir(tmp_path)
    sent = RecordingTransport(answer)
    code = blocks("from-agentica.md")[1].replace("approve=approve", "approve=approve, send=send")
    names = run(
        code,
        shop=rw.Connection(server="https://shop.test"),
        approve=lambda tool, request: True,
        send=sent,
    )
    assert "pin" not in json.dumps(names["tool"].shows)
    assert json.loads(sent.sent[0].body) == {"hat": "top", "pin": "4711"}
    assert capsys.readouterr().out == "201 {'id': 'o-9'}\n"


def test_the_keys_of_samchon_are_honoured() -> None:
    document = json.loads(json.dumps(DOCUMENT))
    orders = document["paths"]["/orders"]
    orders["get"]["x-samchon-accessor"] = ["shop", "all"]
    orders["get"]["x-samchon-controller"] = "OrdersController"
    orders["post"]["x-samchon-human"] = True
    tools = rw.catalog(rw.load(document), options=rw.ToolOptions(naming="accessor"))
    assert "shop__shop_all" in tools
    assert {tool.method for tool in tools.tools} == {"GET", "DELETE"}
    assert any("only a human may call POST /orders" in str(each) for each in tools.problems)
    assert [*rw.filters.filter_by_tag(tools, "OrdersController")] == ["shop__shop_all"]
    # Names by `operationId` are of nobody's ecosystem.
    assert "shop__add_order" in rw.catalog(rw.load(document))


def test_the_loop_of_those_who_come_from_slashgpt(here: str) -> None:
    from openai import OpenAI

    (code,) = blocks("from-slashgpt.md")
    with (
        provider([("shop__list_categories", {})]) as model,
        OpenAI(base_url=f"{model.url}/v1", api_key="x") as client,
    ):
        names = run(code, here, client=client, question="Which categories?")
    assert '"id":"bags"' in names["messages"][-1]["content"]


def test_the_tools_of_those_who_come_from_fastmcp(here: str) -> None:
    names = run(blocks("from-fastmcp.md")[0], here)
    assert "shop__orders" in [tool["name"] for tool in names["listed"]]
    assert names["answered"]["isError"] is False
    assert {"name", "description", "inputSchema", "annotations"} <= {*names["listed"][0]}


def test_what_stands_before_is_python() -> None:
    for page in DOCS.glob("from-*.md"):
        for code in re.findall(r"```python before\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            ast.parse(code)


@pytest.mark.parametrize("page", sorted(DOCS.glob("from-*.md")), ids=lambda path: path.stem)
def test_the_names_of_a_page_are_public(page: Path) -> None:
    modules = ("auth", "dialects", "filters", "human", "policy", "transport", "journal", "errors")
    text = page.read_text("utf-8")
    for name, inner in re.findall(r"\brw\.(\w+)(?:\.(\w+))?", text):
        assert name in rw.__all__ or name in modules, name
        if name in modules:
            assert hasattr(getattr(rw, name), inner), inner
