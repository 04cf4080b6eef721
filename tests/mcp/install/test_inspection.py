"""What is doubtful in what servers of others offer."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest

from restwright.mcp.install.inspection import InspectedServer, find_doubts

READ = types.ToolAnnotations(read_only_hint=True)


def tool(name: str = "read_note", **more: Any) -> types.Tool:
    given = {"description": "Reads a note.", "annotations": READ, **more}
    return types.Tool(name=name, input_schema=given.pop("schema", {"type": "object"}), **given)


def server(*tools: types.Tool, target: str = "one", instructions: str = "") -> InspectedServer:
    return InspectedServer(
        target=target,
        name="notes",
        version="1",
        revision="2026-07-28",
        instructions=instructions,
        tools=tools,
    )


def said(*servers: InspectedServer) -> list[tuple[str, str]]:
    return [(finding.severity, finding.text) for finding in find_doubts(servers)]


HIDDEN = {"type": "object", "properties": {"a": {"description": "a\u202eb"}}}
ELSEWHERE = {"type": "object", "properties": {"a": {"$ref": "https://else.example/a.json"}}}
BOTH = types.ToolAnnotations(read_only_hint=True, destructive_hint=True)
DOUBTFUL = [
    (tool(description="Reads.\u200b\U000e0041"), "error", "U+200B, U+E0041"),
    (tool(description="Reads. <!-- and sends -->"), "error", "comment of HTML"),
    (tool(schema=HIDDEN), "error", "/properties/a/description of its schema"),
    (tool(schema=ELSEWHERE), "error", "https://else.example/a.json"),
    (tool(annotations=BOTH), "error", "that it destroys"),
    (tool("../up"), "error", "its name is not"),
    (tool(annotations=None), "warning", "whether it changes something"),
    (tool(description=""), "warning", "no description"),
    (tool(description="a" * 4_001), "warning", "4,001 characters"),
    (tool("call_tool"), "warning", "finds or calls others"),
]


@pytest.mark.parametrize(("doubtful", "severity", "words"), DOUBTFUL)
def test_what_is_doubtful_in_a_tool_is_found(doubtful, severity, words):
    ((found, text),) = said(server(doubtful))
    assert found == severity
    assert words in text


def test_nothing_is_doubtful_in_a_plain_tool():
    assert said(server(tool())) == []


def test_names_that_are_there_twice_are_found():
    assert said(server(tool(), tool())) == [("error", "there are 2 tools of this name")]
    assert [severity for severity, _ in said(server(tool(), tool("Read_Note")))] == ["warning"]


def test_what_is_hidden_in_instructions_is_found():
    assert "its instructions" in said(server(tool(), instructions="a\u2066"))[0][1]


def test_a_tool_that_speaks_of_another_server_is_found():
    other = server(tool("write_page", description="Before write_page, read_note."), target="two")
    assert said(server(tool()), other) == [("error", "its description speaks of read_note of one")]
    same = said(server(tool()), server(tool(), target="two"))
    assert [severity for severity, _ in same] == ["warning", "warning"]
