"""A toolbox as tools of LlamaIndex, called as its agents call them."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from tests.support.toolboxes.sample import ADD, CALLS, WRONG, is_same, sent_by_call, wide

from restwright.errors import Said

pytest.importorskip("llama_index.core")
pytestmark = pytest.mark.filterwarnings("ignore")


def tools_by_name(toolbox: Any) -> dict[str, Any]:
    from restwright.adapters.llama_index import tools

    return {tool.metadata.name: tool for tool in tools(toolbox)}


@pytest.mark.parametrize(("name", "arguments"), CALLS)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_arrives_as_that_of_the_library(name: str, arguments: Any, is_async: bool) -> None:
    toolbox, sent = wide(approve=lambda *_: True)
    tool = tools_by_name(toolbox)[name]
    # The shop knows no order to delete, and says so.
    with suppress(Said):
        asyncio.run(tool.acall(**arguments)) if is_async else tool.call(**arguments)
    assert is_same(sent.sent[0], sent_by_call(name, arguments))


def test_every_tool_is_offered_without_references() -> None:
    shapes = [each.metadata.to_openai_tool() for each in tools_by_name(wide()[0]).values()]
    assert len(shapes) == 4
    assert "$ref" not in json.dumps(shapes)
    assert all(each["function"]["parameters"]["type"] == "object" for each in shapes)


def test_a_mismatch_is_an_error_of_the_tool() -> None:
    from llama_index.core.tools.calling import call_tool

    toolbox, sent = wide()
    name, arguments = WRONG
    output = call_tool(tools_by_name(toolbox)[name], arguments)
    assert output.is_error
    assert "was not called. Fix these" in output.content
    assert sent.sent == []


def test_a_write_waits_where_nobody_is_asked() -> None:
    from llama_index.core.tools.calling import call_tool

    toolbox, sent = wide()
    name, arguments = ADD
    assert "was not sent yet" in call_tool(tools_by_name(toolbox)[name], arguments).content
    assert (len(toolbox.pending), sent.sent) == (1, [])
