"""A toolbox in an agent of pydantic-ai, whose model is a function."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.support.toolboxes.sample import ADD, CALLS, GET, WRONG, is_same, sent_by_call, wide

pytest.importorskip("pydantic_ai")


def agent(toolbox: Any, *turns: Any) -> tuple[Any, list[Any]]:
    """An agent whose model makes these calls and then is done, and what it was offered."""
    from pydantic_ai import Agent, DeferredToolRequests
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from restwright.adapters.pydantic_ai import toolset

    left, offered = [*turns], []

    def model(messages: Any, info: AgentInfo) -> ModelResponse:
        offered.append(info.function_tools)
        if not left:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(*left.pop(0))])

    made = Agent(
        FunctionModel(model),
        toolsets=[toolset(toolbox)],
        output_type=[str, DeferredToolRequests],
    )
    return made, offered


def parts(result: Any) -> list[Any]:
    return [part for message in result.all_messages() for part in message.parts]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_call_arrives_as_that_of_the_library(name: str, arguments: Any) -> None:
    toolbox, sent = wide(approve=lambda *_: True)
    asyncio.run(agent(toolbox, (name, arguments))[0].run("?"))
    assert is_same(sent.sent[0], sent_by_call(name, arguments))


def test_every_tool_is_offered_without_references() -> None:
    made, offered = agent(wide()[0])
    asyncio.run(made.run("?"))
    schemas = {tool.name: tool.parameters_json_schema for tool in offered[0]}
    assert len(schemas) == 4
    assert "$ref" not in json.dumps(schemas)


def test_a_mismatch_is_tried_again_and_the_result_is_kept_beside() -> None:
    toolbox, sent = wide()
    result = asyncio.run(agent(toolbox, WRONG, GET)[0].run("?"))
    told = [part for part in parts(result) if part.part_kind in {"tool-return", "retry-prompt"}]
    assert "was not called. Fix these" in str(told[0].content)
    assert told[1].metadata.status == 200
    assert len(sent.sent) == 1


def test_a_write_waits_for_the_word_of_a_person() -> None:
    from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied

    for word, count in ((True, 1), (ToolDenied("no"), 0)):
        toolbox, sent = wide()
        made, _ = agent(toolbox, ADD)
        first = asyncio.run(made.run("?"))
        assert isinstance(first.output, DeferredToolRequests)
        (asked,) = first.output.approvals
        shown = first.output.metadata[asked.tool_call_id]
        assert "POST https://shop.test/orders" in shown["question"]
        assert sent.sent == []
        assert toolbox.pending == ()
        going_on = made.run(
            message_history=first.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals={asked.tool_call_id: word}),
        )
        then = asyncio.run(going_on)
        assert then.output == "done"
        assert len(sent.sent) == count
