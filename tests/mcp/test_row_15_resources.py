"""Row 15: what documents hold can be read, and is not the only way to anything."""

from __future__ import annotations

import json

import anyio
import mcp_types as types
import pytest
from tests.support.mcp.serving import connected, serving_api, talk

from mcp import MCPError


def test_an_api_and_its_tools_can_be_read(api, tmp_path, era):
    async def say(client):
        (resource,) = (await client.list_resources()).resources
        about = await client.read_resource(resource.uri)
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "restwright://tools/{tool}"
        tool = await client.read_resource("restwright://tools/tricky__getNode")
        return json.loads(about.contents[0].text), json.loads(tool.contents[0].text)

    about, tool = talk(serving_api(api, tmp_path), era, say)
    assert about["description"] == "What trips bridges."
    assert "tricky__getNode" in about["tools"]["nodes"]
    assert (tool["method"], tool["path"]) == ("GET", "/nodes/{id}")
    assert tool["response"]["$defs"]
    assert api.seen == []


def test_names_of_tools_are_completed(api, tmp_path, era):
    reference = types.ResourceTemplateReference(
        type="ref/resource", uri="restwright://tools/{tool}"
    )

    async def say(client):
        return await client.complete(reference, {"name": "tool", "value": "tricky__get"})

    assert talk(serving_api(api, tmp_path), era, say).completion.values == ["tricky__getNode"]


def test_what_is_not_there_is_an_error(api, tmp_path, era):
    async def run():
        codes = []
        async with connected(serving_api(api, tmp_path), era) as client:
            for uri in ("restwright://tools/x", "restwright://results/x", "file:///etc/passwd"):
                with pytest.raises(MCPError) as caught:
                    await client.read_resource(uri)
                codes.append(caught.value.error.code)
        return codes

    assert anyio.run(run) == [-32602] * 3
