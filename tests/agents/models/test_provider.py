"""Calls and their answers, as a provider is told them."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from restwright.agents.models.provider import _convert_messages
from restwright.agents.steps import Message
from restwright.tools.toolset.meta_tools import ToolCall


def test_a_call_and_its_answer_are_told_as_such() -> None:
    system, asked = Message("system", "Be kind."), Message("user", "Oslo?")
    called = Message("assistant", "", calls=(ToolCall("tell", {"city": "Oslo"}, "call_1"),))
    heard = Message("tool", "5 C", tool="tell", call_id="call_1")
    said = Message("assistant", "Cold.")
    first, second, third, fourth = _convert_messages((system, asked, called, heard, said))
    assert isinstance(first, ModelRequest)
    assert [type(each) for each in first.parts] == [SystemPromptPart, UserPromptPart]
    assert isinstance(second, ModelResponse)
    (call,) = second.parts
    assert isinstance(call, ToolCallPart)
    assert (call.tool_name, call.args, call.tool_call_id) == ("tell", {"city": "Oslo"}, "call_1")
    (answer,) = third.parts
    assert isinstance(answer, ToolReturnPart)
    assert (answer.tool_name, answer.content, answer.tool_call_id) == ("tell", "5 C", "call_1")
    assert [each.content for each in fourth.parts if isinstance(each, TextPart)] == ["Cold."]
