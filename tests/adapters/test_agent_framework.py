"""A toolbox as function tools of Microsoft's Agent Framework."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.support.toolboxes.sample import ADD, CALLS, WRONG, is_same, sent_by_call, wide

pytest.importorskip("agent_framework")
pytestmark = pytest.mark.filterwarnings("ignore")


def tools_by_name(toolbox: Any) -> dict[str, Any]:
    from restwright.adapters.agent_framework import tools

    return {tool.name: tool for tool in tools(toolbox)}


def run(tool: Any, arguments: Any) -> str:
    return "".join(str(each.text) for each in asyncio.run(tool.invoke(arguments=arguments)))


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_call_arrives_as_that_of_the_library(name: str, arguments: Any) -> None:
    toolbox, sent = wide()
    run(tools_by_name(toolbox)[name], arguments)
    assert is_same(sent.sent[0], sent_by_call(name, arguments))
    assert toolbox.pending == ()


def test_every_tool_is_offered_without_references_and_writes_need_a_person() -> None:
    made = tools_by_name(wide()[0])
    assert "$ref" not in json.dumps([tool.parameters() for tool in made.values()])
    assert {name: tool.approval_mode for name, tool in made.items()} == {
        "shop__add_order": "always_require",
        "shop__delete_order": "always_require",
        "shop__get_order": "never_require",
        "shop__list_orders": "never_require",
    }


def test_what_does_not_fit_is_refused_by_the_framework_itself() -> None:
    toolbox, sent = wide()
    name, arguments = WRONG
    with pytest.raises(Exception, match="hat"):
        run(tools_by_name(toolbox)[name], arguments)
    assert sent.sent == []


def test_what_went_wrong_is_what_the_model_reads() -> None:
    toolbox, _ = wide()
    assert "HTTP 404" in run(tools_by_name(toolbox)["shop__delete_order"], {"order_id": "o-1"})


def test_what_is_asked_about_since_an_api_was_read_is_not_sent() -> None:
    import restwright as rw

    toolbox, sent = wide(policy=rw.policy.ALLOW)
    made = tools_by_name(toolbox)
    assert made[ADD[0]].approval_mode == "never_require"
    toolbox._read_from.add("mail")
    assert "was not sent yet" in run(made[ADD[0]], ADD[1])
    assert sent.sent == []
