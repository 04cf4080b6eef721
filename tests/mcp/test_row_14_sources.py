"""Row 14: several documents and manifests in one server, of which filters leave a part."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.mcp.over_stdio import over_stdio
from tests.support.mcp.serving import (
    Person,
    call,
    serving,
    serving_api,
    source_settings,
    talk,
    texts,
)
from tests.support.workflows import OPENAPI

from restwright.calls.approval.policy import READ_ONLY
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.errors import UsageError
from restwright.mcp.sources.sources import load_served, split_sources
from restwright.tools.catalog.filters import filter_by_name, filter_by_tag
from restwright.workspace.documents import select_reads

MANIFEST = """\
title: Nodes
prompt: Be short.
apis:
  - document: tricky.json
    alias: nodes
    server: {url}
    exclude: [picture]
    fixed: {{filtered: {{ids: [7]}}}}
    pick: {{listNodes: "[].id"}}
    policy: {{tools: {{deleteNode: refuse}}}}
samples:
  - name: How many?
    text: How many nodes are there?
"""


def listed(served, era="2026-07-28"):
    return {tool.name: tool for tool in talk(served, era, lambda each: each.list_tools()).tools}


def manifest(api, folder):
    api.write(folder)
    path = folder / "nodes.yaml"
    path.write_text(MANIFEST.format(url=api.url))
    return path


def test_the_list_is_the_filtered_catalog(api, tmp_path, era):
    names = listed(serving_api(api, tmp_path, keep=lambda whole: filter_by_tag(whole, "nodes")))
    assert {*names} == {f"tricky__{name}Node" for name in ("get", "put", "delete", "add")}
    names = listed(serving_api(api, tmp_path, keep=lambda whole: filter_by_name(whole, "*Node")))
    assert "tricky__getNode" in names
    assert "tricky__text" not in names
    reads = listed(serving_api(api, tmp_path, keep=select_reads, policy=READ_ONLY), era)
    assert all(tool.annotations.read_only_hint for tool in reads.values())


def test_what_is_filtered_out_cannot_be_called(api, tmp_path, era):
    served = serving_api(api, tmp_path, keep=lambda whole: filter_by_name(whole, "text"))
    with pytest.raises(BaseExceptionGroup) as caught:
        call(served, era, "tricky__listNodes")
    assert caught.group_contains(Exception, match="Unknown tool", depth=None)
    assert api.seen == []


def test_nothing_left_is_an_error_of_the_user(api, tmp_path):
    with pytest.raises(UsageError, match="nothing is left"):
        serving_api(api, tmp_path, keep=lambda whole: filter_by_name(whole, "none"))


def test_documents_and_manifests_are_told_apart(api, tmp_path):
    document, other = api.write(tmp_path), manifest(api, tmp_path)
    given = [str(document), f"x={document}", str(other), "https://api.example/openapi.json"]
    documents, manifests = split_sources(given)
    assert documents == [given[0], given[1], given[3]]
    assert manifests == [other]


def test_a_document_and_a_manifest_in_one_server(api, tmp_path, era):
    path = manifest(api, tmp_path)
    connection = Connection(server=api.url)
    served = serving(tmp_path / "tricky.json", path, connection=connection)
    tools = listed(served, era)
    assert {"tricky__picture", "tricky__getNode", "nodes__getNode"} <= {*tools}
    assert "nodes__picture" not in tools
    assert {*tools["nodes__filtered"].input_schema["properties"]} == {"f"}

    assert json.loads(texts(call(served, era, "nodes__listNodes"))[0]) == [1, 2]
    call(served, era, "nodes__filtered", {"f": {"a": "x"}})
    assert api.seen[-1][1] == "/filter?f%5Ba%5D=x&ids=7"
    person = Person()
    assert call(served, era, "nodes__deleteNode", {"id": "7"}, person).is_error
    assert (api.count("DELETE"), person.asked) == (0, [])


def test_samples_are_prompts(api, tmp_path, era):
    served = serving(manifest(api, tmp_path))

    async def say(client):
        (prompt,) = (await client.list_prompts()).prompts
        return prompt, await client.get_prompt(prompt.name)

    prompt, got = talk(served, era, say)
    assert (prompt.name, prompt.title) == ("How_many", "How many?")
    (message,) = got.messages
    assert (message.role, message.content.text) == ("user", "How many nodes are there?")


WORKFLOWS = """\
arazzo: 1.0.1
info: {title: Looking, version: "1"}
sourceDescriptions:
  - {name: orders, url: ./orders.yaml, type: openapi}
  - {name: others, url: ./orders.yaml, type: openapi}
workflows:
  - workflowId: look
    steps:
      - {stepId: one, operationId: $sourceDescriptions.orders.getJob}
      - {stepId: two, operationId: $sourceDescriptions.others.getJob}
"""


def test_each_source_of_a_workflow_is_reached_by_its_own_connection(tmp_path):
    (tmp_path / "orders.yaml").write_text(OPENAPI)
    path = tmp_path / "look.arazzo.yaml"
    path.write_text(WORKFLOWS)

    def connect(names):
        return {name: Connection(f"https://{name}.example", auth=login()) for name in names}

    def login():
        return OAuthClient(client_id="id", token_url="https://login.example/token")

    served = load_served(replace(source_settings(path), connect=connect), print)
    found = served.connections.find("looking", "")
    assert {name: one.server for name, one in found.sources.items()} == {
        "orders": "https://orders.example",
        "others": "https://others.example",
    }
    own = served.connections.find("looking", "mira").sources["orders"]
    assert [auth.user for auth in own.auths.values()] == ["mira"]


@pytest.mark.process
def test_a_server_of_mcp_stands_beside_a_document(api, tmp_path):
    script = Path(__file__).parents[1] / "support" / "mcp_client" / "stdio_server.py"
    beside = f"notes={sys.executable} {script} legacy plain"
    given = (
        "--server",
        f"tricky={api.url}",
        "-m",
        beside,
        "--trust-hints",
        "notes",
        "--expose",
        "all",
    )
    with over_stdio(f"tricky={api.write(tmp_path)}", *given) as spoken:
        spoken.begin()
        listed = {tool["name"] for tool in spoken.ask("tools/list")["result"]["tools"]}
        read = spoken.ask("tools/call", {"name": "notes__read_note", "arguments": {}})["result"]
        write = spoken.ask("tools/call", {"name": "notes__write_note", "arguments": {}})["result"]
    assert {"tricky__getNode", "notes__read_note", "notes__write_note"} <= listed
    assert "read_note" in read["content"][0]["text"]
    # Nobody can be asked here, and the server does not say that it only reads.
    assert write["isError"]
