"""The examples of docs/adapters.md, and that of docs/from-langchain.md, run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.toolboxes.sample import GET, wide

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.filterwarnings("ignore")


def run(page: str, marked: str, **given: Any) -> dict[str, Any]:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    (code,) = [each for each in blocks if marked in each]
    names: dict[str, Any] = {**given}
    exec(compile(code, page, "exec"), names)  # noqa: S102
    return names


def test_pydantic_ai() -> None:
    models = pytest.importorskip("pydantic_ai.models.test")
    made = run("adapters.md", "# pydantic-ai", tools=wide()[0], model=models.TestModel())
    assert made["agent"].toolsets


def test_langchain() -> None:
    pytest.importorskip("langchain")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    class Fake(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    name, arguments = GET
    calls = [{"name": name, "args": arguments, "id": "c"}]
    fake = Fake(messages=iter([AIMessage("", tool_calls=calls), AIMessage("done")]))
    toolbox, sent = wide()
    made = run("adapters.md", "# langchain", tools=toolbox, model=fake, checkpointer=None)
    said = made["agent"].invoke({"messages": [("user", "?")]})
    assert said["messages"][-1].content == "done"
    assert len(sent.sent) == 1


def test_from_langchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain")
    import json

    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from tests.support.toolboxes.shop import DOCUMENT

    class Fake(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    (tmp_path / "shop.yaml").write_text(json.dumps(DOCUMENT), "utf-8")
    monkeypatch.chdir(tmp_path)
    fake = Fake(messages=iter([AIMessage("done")]))
    given: dict[str, Any] = {"model": fake, "question": "?", "checkpointer": None, "config": None}
    made = run("from-langchain.md", "create_agent", **given)
    assert made["result"]["messages"][-1].content == "done"


def test_openai_agents() -> None:
    pytest.importorskip("agents")
    made = run("adapters.md", "# openai-agents", tools=wide()[0], model="m")
    assert len(made["agent"].tools) == 4


def test_anthropic() -> None:
    anthropic = pytest.importorskip("anthropic")
    with anthropic.Anthropic(api_key="x") as client:
        messages = [{"role": "user", "content": "?"}]
        made = run("adapters.md", "# anthropic", tools=wide()[0], client=client, messages=messages)
    assert made["runner"]
