"""Row 8: all tools, three to find the others with, or code; every tool can be reached."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from tests.support.mcp.serving import (
    ERAS,
    Person,
    call,
    connected,
    says,
    serving,
    serving_api,
    talk,
    texts,
    until,
)

from restwright.mcp.assembly import ServeOptions
from restwright.tools.text.json_bytes import to_json_bytes

META = ["search_tools", "show_tool", "call_tool"]


def names(served, era="2026-07-28"):
    return [tool.name for tool in talk(served, era, lambda each: each.list_tools()).tools]


def large(tmp_path: Path, count: int = 300) -> Path:
    paths = {
        f"/things{number}/{{id}}": {
            "get": {
                "operationId": f"get_thing_{number}",
                "summary": f"Get thing number {number}",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {"200": {"description": "it"}},
            }
        }
        for number in range(count)
    }
    document = {"openapi": "3.1.0", "info": {"title": "Large", "version": "1"}, "paths": paths}
    path = tmp_path / "large.json"
    path.write_text(json.dumps(document))
    return path


def test_few_tools_are_all_listed_and_many_are_searched(api, tmp_path, era):
    few = serving_api(api, tmp_path, options=ServeOptions())
    assert "tricky__getNode" in names(few, era)
    many = serving(large(tmp_path), options=ServeOptions())
    assert names(many, era) == META


def test_a_hidden_tool_can_be_called_by_its_name(api, tmp_path, era):
    served = serving_api(api, tmp_path, options=ServeOptions(exposure="search"))
    assert names(served, era) == META
    assert not call(served, era, "tricky__getNode", {"id": "7"}).is_error


def test_a_tool_is_found_shown_and_called(api, tmp_path, era):
    served = serving_api(api, tmp_path, options=ServeOptions(exposure="search"))
    person = Person()

    async def say(client):
        found = await client.call_tool("search_tools", {"query": "delete a node"})
        assert "tricky__deleteNode" in texts(found)[0]
        shown = await client.call_tool("show_tool", {"name": "tricky__deleteNode"})
        assert json.loads(texts(shown)[0])["parameters"]["required"] == ["id"]
        return await client.call_tool(
            "call_tool", {"name": "tricky__deleteNode", "arguments": {"id": "7"}}
        )

    assert not talk(served, era, say, person).is_error
    assert api.count("DELETE") == 1
    assert len(person.asked) == 1


def test_what_is_wrong_with_a_hidden_call_is_told(api, tmp_path, era):
    served = serving_api(api, tmp_path, options=ServeOptions(exposure="search"))
    result = call(served, era, "call_tool", {"name": "tricky__getNode", "arguments": {}})
    assert result.is_error
    assert "/id" in texts(result)[0]
    result = call(served, era, "call_tool", {"name": "tricky__getNods", "arguments": {}})
    assert result.is_error
    assert "tricky__getNode" in texts(result)[0]
    assert api.seen == []


def assert_each_is_within_three_calls(served, namespace):
    async def say(client):
        listed = (await client.list_tools()).tools
        sizes = [
            len(to_json_bytes(tool.model_dump(by_alias=True, exclude_none=True)).decode())
            for tool in listed
        ]
        assert sum(sizes) / 4 <= 4_000
        reached, page = set(), 1
        while page:
            found = json.loads(
                texts(
                    await client.call_tool("search_tools", {"namespace": namespace, "page": page})
                )[0]
            )
            reached |= {tool["name"] for tool in found["tools"]}
            page = found.get("next_page")
        return reached

    provider = served.built.providers.tools[0]
    catalog = provider.served().catalog
    assert talk(served, "2026-07-28", say) == {*catalog.names}
    for name in catalog.names:
        assert provider.input_schema(name)["type"] == "object"


def test_each_of_many_tools_is_reached_within_three_calls(tmp_path):
    assert_each_is_within_three_calls(serving(large(tmp_path), options=ServeOptions()), "large")


def code(served, era, text, person=None):
    return call(served, era, "run_code", {"code": text}, person)


@pytest.fixture
def coding(api, tmp_path):
    return serving_api(api, tmp_path, options=ServeOptions(exposure="code"))


def test_code_calls_tools_and_only_its_value_comes_back(api, coding, era):
    assert names(coding, era) == ["search_tools", "show_tool", "run_code"]
    text = "nodes = tricky__listNodes()\nprint(len(nodes))\nsum(node['id'] for node in nodes)"
    assert texts(code(coding, era, text)) == ["Printed:\n2\n", "3"]
    assert texts(code(coding, era, "call_tool('tricky__getNode', {'id': '9'})['path']")) == [
        "/nodes/9"
    ]
    assert len(api.seen) == 2


def test_code_is_told_what_was_wrong(api, coding, era):
    text = "try:\n  tricky__getNode()\nexcept RuntimeError as error:\n  print(error)\n1"
    assert "/id: expected" in texts(code(coding, era, text))[0]
    for wrong, word in (
        ("1 +", "expression"),
        ("tricky__getNods(id='7')", "tricky__getNode"),
        ("tricky__getNode('7')", "by name"),
        ("open('/etc/passwd').read()", "PermissionError"),
        ("import os\nos.environ['HOME']", ""),
        ("tricky__fails()", "stack is full"),
    ):
        result = code(coding, era, wrong)
        assert result.is_error
        assert word in texts(result)[0]
    assert [request[1] for request in api.seen] == ["/fails"]


WRITES = """\
before = len(tricky__listNodes())
for number in range(2):
    tricky__deleteNode(id=str(number))
print(before)
"done"
"""


def test_writes_of_code_are_asked_about_and_nothing_is_called_twice(api, coding, era):
    person = Person()
    result = code(coding, era, WRITES, person)
    assert texts(result) == ["Printed:\n2\n", "done"]
    assert [request[:2] for request in api.seen] == [
        ("GET", "/list"),
        ("DELETE", "/nodes/0"),
        ("DELETE", "/nodes/1"),
    ]
    assert ["nodes/0" in person.asked[0], "nodes/1" in person.asked[1]] == [True, True]


def test_a_write_of_code_that_is_declined_is_not_sent(api, coding, era):
    result = code(coding, era, WRITES, Person(says(yes=False)))
    assert result.is_error
    assert api.count("DELETE") == 0


def test_code_is_ended_where_it_does_not_end(coding):
    for era in ERAS:
        assert "time limit" in texts(code(coding, era, "while True: pass"))[0]


def test_cancelling_code_ends_its_request_upstream(api, coding, era):
    async def run():
        async with connected(coding, era) as client:
            with anyio.move_on_after(0.7):
                await client.call_tool("run_code", {"code": "tricky__slow()\ntricky__listNodes()"})
            await until(lambda: api.gone)
            await anyio.sleep(0.3)

    anyio.run(run)
    assert [request[1] for request in api.seen] == ["/slow"]
