"""Row 3: annotations by the classes of tools, and titles."""

from __future__ import annotations

import pytest
from tests.support.mcp.serving import serving_api, talk

from restwright.calls.approval.policy import Policy
from restwright.mcp.protocol.annotations import annotate_class


def listed(served, era):
    return {tool.name: tool for tool in talk(served, era, lambda each: each.list_tools()).tools}


def test_every_tool_says_whether_it_only_reads(api, tmp_path, era):
    served = serving_api(api, tmp_path)
    tools = listed(served, era)
    catalog = served.built.providers.tools[0].served().catalog
    assert {*tools} == {*catalog.names}
    for name, tool in tools.items():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is catalog[name].is_read
        assert tool.title
    assert tools["tricky__deleteNode"].annotations.destructive_hint is True
    assert tools["tricky__putNode"].annotations.destructive_hint is True
    assert tools["tricky__addNode"].annotations.destructive_hint is False
    assert tools["tricky__getNode"].title == "One node"
    assert tools["tricky__listNodes"].title == "GET /list"


def test_the_user_has_the_last_word_on_a_class(api, tmp_path, era):
    policy = Policy(tools={"listNodes": "write", "addNode": "read"})
    tools = listed(serving_api(api, tmp_path, policy=policy), era)
    assert tools["tricky__listNodes"].annotations.read_only_hint is False
    assert tools["tricky__addNode"].annotations.read_only_hint is True


@pytest.mark.parametrize(
    ("tool_class", "method", "hints"),
    [
        ("read", "post", (True, False, True)),
        ("write", "POST", (False, False, False)),
        ("write", "PATCH", (False, True, False)),
        ("write", "PUT", (False, True, True)),
        ("destructive", "GET", (False, True, True)),
        ("destructive", "DELETE", (False, True, True)),
    ],
)
def test_a_class_and_a_method_as_hints(tool_class, method, hints):
    said = annotate_class(tool_class, method)
    assert (said["readOnlyHint"], said["destructiveHint"], said["idempotentHint"]) == hints
