"""A toolbox in an agent of Google's Agent Development Kit, whose model is a scripted one."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.toolboxes.sample import ADD, CALLS, GET, WRONG, is_same, sent_by_call, wide

pytest.importorskip("google.adk")
pytestmark = pytest.mark.filterwarnings("ignore")


def tools_by_name(toolbox: Any) -> dict[str, Any]:
    from restwright.adapters.adk import tools

    return {tool.name: tool for tool in tools(toolbox)}


def run(tool: Any, arguments: Any, context: Any = None) -> Any:
    return asyncio.run(tool.run_async(args=arguments, tool_context=context))


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_call_arrives_as_that_of_the_library(name: str, arguments: Any) -> None:
    toolbox, sent = wide(approve=lambda *_: True)
    run(tools_by_name(toolbox)[name], arguments)
    assert is_same(sent.sent[0], sent_by_call(name, arguments))


def test_an_agent_is_offered_every_tool_and_calls_it() -> None:
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    toolbox, sent = wide()
    offered: list[Any] = []

    class Fake(BaseLlm):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            offered.append(llm_request.config.tools[0].function_declarations)
            last = llm_request.contents[-1].parts[-1]
            part = types.Part(text="done")
            if not last.function_response:
                call = types.FunctionCall(name=GET[0], args=GET[1])
                part = types.Part(function_call=call)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    async def go() -> list[str]:
        agent = LlmAgent(
            name="a", model=Fake(model="fake"), tools=[*tools_by_name(toolbox).values()]
        )
        runner = InMemoryRunner(agent=agent, app_name="t")
        session = await runner.session_service.create_session(app_name="t", user_id="u")
        message = types.Content(role="user", parts=[types.Part(text="?")])
        given = {"user_id": "u", "session_id": session.id, "new_message": message}
        return [
            event.content.parts[0].text
            async for event in runner.run_async(**given)
            if event.is_final_response()
        ]

    assert asyncio.run(go()) == ["done"]
    schemas = [each.parameters_json_schema for each in offered[0]]
    assert len(schemas) == 4
    assert "$ref" not in json.dumps(schemas)
    assert len(sent.sent) == 1


def test_a_mismatch_is_an_error_that_the_model_reads() -> None:
    toolbox, sent = wide()
    name, arguments = WRONG
    assert "was not called. Fix" in run(tools_by_name(toolbox)[name], arguments)["error"]
    assert sent.sent == []


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_write_requests_confirmation(is_confirmed: bool) -> None:
    toolbox, sent = wide()
    name, arguments = ADD
    asked: list[Any] = []

    def request_confirmation(**given: Any) -> None:
        asked.append(given)

    first = SimpleNamespace(tool_confirmation=None, request_confirmation=request_confirmation)
    tool = tools_by_name(toolbox)[name]
    assert "was not sent yet" in run(tool, arguments, first)["error"]
    assert "POST https://shop.test/orders" in asked[0]["hint"]
    assert (sent.sent, toolbox.pending) == ([], ())
    then = SimpleNamespace(tool_confirmation=SimpleNamespace(confirmed=is_confirmed))
    run(tool, arguments, then)
    assert len(sent.sent) == int(is_confirmed)
    assert toolbox.pending == ()
