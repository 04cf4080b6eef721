"""A toolbox in the tool runner of Anthropic's client, against a server that speaks as theirs."""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from typing import Any

import pytest
from tests.support.toolboxes.providers import provider
from tests.support.toolboxes.sample import ADD, CALLS, GET, WRONG, is_same, sent_by_call, wide

# Imported where it is used: that takes seconds, and every process of a run looks at this file.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(find_spec("anthropic") is None, reason="could not import 'anthropic'"),
]


def run(toolbox: Any, *turns: Any) -> tuple[Any, list[Any]]:
    """Run until the model is done; its last message and all that it was asked."""
    from anthropic import Anthropic

    from restwright.adapters.anthropic import tools

    with (
        provider(*([turn] for turn in turns), "done") as model,
        Anthropic(base_url=model.url, api_key="x") as client,
    ):
        runner = client.beta.messages.tool_runner(
            model="m",
            max_tokens=100,
            tools=tools(toolbox),
            messages=[{"role": "user", "content": "?"}],
        )
        return runner.until_done(), model.bodies


def test_calls_arrive_as_those_of_the_library() -> None:
    toolbox, sent = wide(approve=lambda *_: True)
    message, bodies = run(toolbox, *CALLS)
    assert message.content[0].text == "done"
    assert all(
        is_same(request, sent_by_call(*call))
        for request, call in zip(sent.sent, CALLS, strict=True)
    )
    assert len(bodies[0]["tools"]) == 4
    assert "$ref" not in json.dumps(bodies[0]["tools"])


def test_a_mismatch_is_an_error_of_the_tool() -> None:
    toolbox, sent = wide()
    _, bodies = run(toolbox, WRONG, GET)
    (wrong,) = bodies[1]["messages"][-1]["content"]
    (right,) = bodies[2]["messages"][-1]["content"]
    assert wrong["is_error"] is True
    assert "was not called. Fix these" in json.dumps(wrong["content"])
    assert not right.get("is_error")
    assert len(sent.sent) == 1


def test_a_write_waits_where_nobody_is_asked() -> None:
    toolbox, sent = wide()
    _, bodies = run(toolbox, ADD)
    assert "was not sent yet" in json.dumps(bodies[1]["messages"][-1])
    (waiting,) = toolbox.pending
    assert sent.sent == []
    toolbox.approve(waiting)
    assert len(sent.sent) == 1


def test_the_asynchronous_runner_is_the_same() -> None:
    from restwright.adapters.anthropic import async_tools

    toolbox, sent = wide()
    (tool,) = [tool for tool in async_tools(toolbox) if tool.name == "shop__get_order"]
    assert "<data" in str(asyncio.run(tool.call({"order_id": "o-1"})))
    assert len(sent.sent) == 1
