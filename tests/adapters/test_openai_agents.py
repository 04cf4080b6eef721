"""A toolbox in agents of the OpenAI Agents SDK, whose model is a scripted one."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.support.toolboxes.sample import ADD, CALLS, GET, WRONG, is_same, sent_by_call, wide

pytest.importorskip("agents")
pytestmark = pytest.mark.filterwarnings("ignore")


def run(toolbox: Any, *turns: Any, decide: Any = None) -> tuple[Any, Any]:
    """Run an agent whose model makes these calls and then is done; its result and its model."""
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
    from restwright.adapters.openai_agents import tools

    set_tracing_disabled(disabled=True)
    words = ResponseOutputText(text="done", type="output_text", annotations=[])
    done = ResponseOutputMessage(
        id="m", role="assistant", status="completed", type="message", content=[words]
    )
    left: list[Any] = [
        ResponseFunctionToolCall(
            name=name, arguments=json.dumps(arguments), call_id=f"c{place}", type="function_call"
        )
        for place, (name, arguments) in enumerate(turns)
    ]

    class Scripted(Model):
        offered: Any = None

        async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
            self.offered = named.get("tools") or given[3]
            said = left.pop(0) if left else done
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *given: Any, **named: Any) -> Any:
            raise NotImplementedError

    model = Scripted()
    agent = Agent(name="a", tools=[*tools(toolbox)], model=model)

    async def go() -> Any:
        result = await Runner.run(agent, "?")
        if decide is not None:
            state = result.to_state()
            decide(state, result.interruptions[0])
            result = await Runner.run(agent, state)
        return result

    return asyncio.run(go()), model


def outputs(result: Any) -> list[str]:
    return [item.output for item in result.new_items if item.type == "tool_call_output_item"]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_call_arrives_as_that_of_the_library(name: str, arguments: Any) -> None:
    toolbox, sent = wide(policy=__import__("restwright").policy.ALLOW)
    run(toolbox, (name, arguments))
    assert is_same(sent.sent[0], sent_by_call(name, arguments))


def test_every_tool_is_offered_without_references_and_as_it_is() -> None:
    _, model = run(wide()[0])
    schemas = {tool.name: tool.params_json_schema for tool in model.offered}
    assert len(schemas) == 4
    assert "$ref" not in json.dumps(schemas)
    assert schemas["shop__add_order"]["required"] == ["hat"]


def test_a_mismatch_is_what_the_model_reads() -> None:
    toolbox, sent = wide(policy=__import__("restwright").policy.ALLOW)
    result, _ = run(toolbox, WRONG, GET)
    wrong, right = outputs(result)
    assert "was not called. Fix these" in wrong
    assert right.startswith("<data")
    assert len(sent.sent) == 1


@pytest.mark.parametrize("is_approved", [True, False])
def test_a_write_needs_approval(is_approved: bool) -> None:
    toolbox, sent = wide()
    result, _ = run(toolbox, ADD)
    assert [item.name for item in result.interruptions] == ["shop__add_order"]
    assert sent.sent == []

    def decide(state: Any, item: Any) -> None:
        (state.approve if is_approved else state.reject)(item)

    result, _ = run(toolbox, ADD, decide=decide)
    assert result.final_output == "done"
    assert len(sent.sent) == int(is_approved)
