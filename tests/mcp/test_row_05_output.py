"""Row 5: whatever an API answers, no client breaks and no data is lost."""

from __future__ import annotations

import json

import pytest
from tests.support.mcp.over_http import over_http
from tests.support.mcp.serving import ERAS, Person, call, serving, serving_api, talk, texts

from restwright.calls.auth.connection import Connection
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


@pytest.mark.parametrize("style", STYLES)
def test_halves_of_characters_break_nothing(api, tmp_path, style):
    path = api.write(tmp_path)
    document = json.loads(path.read_text())
    document["info"] |= {"title": "Tricky \udfff", "description": "\udfff"}
    document["paths"]["/list"]["get"]["summary"] = "half \ud800"
    path.write_text(json.dumps(document))
    api.fixed["/text"] = (200, "application/json", b'{"a": "\\ud800", "\\udfff": 1}')
    served = serving(
        f"tricky={path}", options=options(style), connection=Connection(server=api.url)
    )
    with over_http(served) as running:
        listed = running.ask("tools/list").json()["result"]["tools"]
        assert any(tool["title"].startswith("half") for tool in listed)
        told = running.call("tricky__text", {})
        assert '{"a":"?","?":1}' in json.dumps(told["content"]).replace("\\", "")
        for uri in ("restwright://apis/tricky", "restwright://tools/tricky__listNodes"):
            read = running.ask("resources/read", {"uri": uri}, {"mcp-name": uri}).json()
            assert read["result"]["contents"]
        assert running.ask("resources/list").status_code == 200
        assert running.ask("server/discover").status_code == 200
