"""A toolbox in graphs of LangGraph, whose model is a scripted one."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.support.toolboxes.sample import ADD, CALLS, GET, WRONG, is_same, sent_by_call, wide

pytest.importorskip("langchain")
pytestmark = pytest.mark.filterwarnings("ignore")


def tools_by_name(toolbox: Any) -> dict[str, Any]:
    from restwright.adapters.langchain import tools

    return {tool.name: tool for tool in tools(toolbox)}


def agent(toolbox: Any, *turns: Any) -> Any:
    """An agent whose model makes these calls and then is done."""
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.memory import InMemorySaver

    class Fake(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    said = [
        AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"c{place}"}])
        for place, (name, arguments) in enumerate(turns)
    ]
    fake = Fake(messages=iter([*said, AIMessage("done")]))
    return create_agent(fake, [*tools_by_name(toolbox).values()], checkpointer=InMemorySaver())


CONFIG: Any = {"configurable": {"thread_id": "1"}}
ASKED: Any = {"messages": [("user", "?")]}


@pytest.mark.parametrize(("name", "arguments"), CALLS)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_arrives_as_that_of_the_library(name: str, arguments: Any, is_async: bool) -> None:
    toolbox, sent = wide(approve=lambda *_: True)
    tool = tools_by_name(toolbox)[name]
    asyncio.run(tool.ainvoke(arguments)) if is_async else tool.invoke(arguments)
    assert is_same(sent.sent[0], sent_by_call(name, arguments))


def test_every_tool_is_offered_without_references() -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    shapes = [convert_to_openai_tool(tool) for tool in tools_by_name(wide()[0]).values()]
    assert len(shapes) == 4
    assert "$ref" not in json.dumps(shapes)


def test_a_mismatch_is_an_error_of_the_tool_and_the_result_an_artifact() -> None:
    toolbox, sent = wide()
    messages = agent(toolbox, WRONG, GET).invoke(ASKED, CONFIG)["messages"]
    wrong, right = [message for message in messages if message.type == "tool"]
    assert wrong.status == "error"
    assert "was not called. Fix these" in wrong.content
    assert right.artifact.status == 200
    assert len(sent.sent) == 1


@pytest.mark.parametrize(("word", "count"), [({"type": "approve"}, 1), (True, 1), ("no", 0)])
def test_a_write_interrupts_the_graph(word: Any, count: int) -> None:
    from langgraph.types import Command

    toolbox, sent = wide()
    made = agent(toolbox, ADD)
    first = made.invoke(ASKED, CONFIG)
    (interrupt,) = first["__interrupt__"]
    assert "POST https://shop.test/orders" in interrupt.value["question"]
    assert sent.sent == []
    assert toolbox.pending == ()
    then = made.invoke(Command(resume=word), CONFIG)
    assert then["messages"][-1].content == "done"
    assert len(sent.sent) == count


def test_a_write_outside_of_a_graph_waits() -> None:
    toolbox, sent = wide()
    name, arguments = ADD
    assert "was not sent yet" in tools_by_name(toolbox)[name].invoke(arguments)
    assert len(toolbox.pending) == 1
    assert sent.sent == []
