"""Row 5: whatever an API answers, no client breaks and no data is lost."""

from __future__ import annotations

import json

import pytest
from tests.support.mcp.serving import ERAS, Person, call, serving_api, talk, texts

from restwright.mcp.assembly import ServeOptions

NAMES = ("wrong", "text", "picture", "sound", "blob", "listNodes", "listMany", "fails", "getNode")
STYLES = ("off", "loose", "exact")


def options(style: str) -> ServeOptions:
    return ServeOptions(exposure="all", output=style)


@pytest.mark.parametrize("style", STYLES)
def test_no_client_breaks(api, tmp_path, era, style):
    served = serving_api(api, tmp_path, options=options(style))

    async def say(client):
        await client.list_tools()
        for name in NAMES:
            arguments = {"id": "7"} if name == "getNode" else {}
            result = await client.call_tool(f"tricky__{name}", arguments)
            assert result.content
        return await client.call_tool("tricky__deleteNode", {"id": "7"})

    gone = talk(served, era, say, Person())
    assert texts(gone) == ["HTTP 204 No Content, without a body"]


def test_a_list_is_whole(api, tmp_path, era):
    result = call(serving_api(api, tmp_path), era, "tricky__listNodes")
    assert json.loads(texts(result)[0]) == [{"id": 1}, {"id": 2}]
    assert result.structured_content is None


@pytest.mark.parametrize("style", ["loose", "exact"])
def test_a_list_stands_under_a_member_in_both_eras(api, tmp_path, style):
    served = serving_api(api, tmp_path, options=options(style))
    found = [call(served, era, "tricky__listNodes").structured_content for era in ERAS]
    assert found == [{"result": [{"id": 1}, {"id": 2}]}] * 2


def test_what_contradicts_its_schema_is_all_there(api, tmp_path, era):
    for style in STYLES:
        result = call(serving_api(api, tmp_path, options=options(style)), era, "tricky__wrong", {})
        whole = " ".join(texts(result))
        assert '{"id":"seven","secret":"sk-1"}' in whole
        assert "not as the document says" in whole
        assert result.is_error is (style == "exact")


def test_a_loose_schema_names_members_and_takes_any_value(api, tmp_path, era):
    served = serving_api(api, tmp_path, options=options("loose"))
    tools = {tool.name: tool for tool in talk(served, era, lambda each: each.list_tools()).tools}
    assert tools["tricky__getNode"].output_schema == {
        "type": "object",
        "properties": {"id": {"description": "Its number."}, "next": {}, "name": {}},
    }
    assert tools["tricky__listNodes"].output_schema == {
        "type": "object",
        "properties": {"result": {}},
    }
    wrong = call(served, era, "tricky__wrong")
    assert wrong.structured_content == {"id": "seven", "secret": "sk-1"}


def test_a_long_response_is_shortened_and_linked_to(api, tmp_path, era):
    served = serving_api(api, tmp_path)

    async def say(client):
        result = await client.call_tool("tricky__listMany", {})
        (link,) = [block for block in result.content if block.type == "resource_link"]
        return result, await client.read_resource(link.uri)

    result, read = talk(served, era, say)
    assert len(texts(result)[0]) <= 80_000
    assert "more items" in texts(result)[0]
    assert len(json.loads(read.contents[0].text)) == 1_000
