"""Calls and their answers, as a provider is told them."""

from __future__ import annotations

import json

import pytest
from tests.support.toolboxes.providers import provider

pytest.importorskip("pydantic_ai")

from pydantic_ai.messages import (
    CachePoint,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from restwright.agents.models.provider import ProviderHints, ProviderModel, _convert_messages
from restwright.agents.steps import Complete, Message
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


def test_the_end_of_what_stays_the_same_is_marked_where_a_provider_keeps_what_is_marked() -> None:
    messages = (
        Message("system", "Be kind.", is_static=True),
        Message("user", "For example?", is_static=True),
        Message("assistant", "So.", is_static=True),
        Message("user", "Oslo?"),
    )
    first, _, last = _convert_messages(messages, marks_cache=True)
    assert first.parts[1].content == ["For example?", CachePoint()]
    assert last.parts[0].content == "Oslo?"
    assert all(isinstance(part.content, str) for part in _convert_messages(messages)[0].parts)


@pytest.mark.parametrize(("is_growing", "places"), [(False, 1), (True, 2)])
def test_anthropic_is_told_what_to_keep(is_growing: bool, places: int) -> None:
    """The system prompt in any case; the conversation where it goes on."""
    pytest.importorskip("anthropic")
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    history = (Message("user", "One?"), Message("assistant", "1")) if is_growing else ()
    messages = (Message("system", "Be kind."), *history, Message("user", "Two?"))
    with provider("2") as server:
        service = AnthropicProvider(base_url=server.url, api_key="x")
        claude = AnthropicModel("claude-opus-5", provider=service)
        model = ProviderModel(claude, name="m", help_with=ProviderHints(key="", name="", server=""))
        asked = Complete(role="caller", messages=messages, max_tokens=10)
        assert model.complete(asked, deadline_s=20).text == "2"
        model.close()
    assert json.dumps(server.bodies[0]).count("cache_control") == places
