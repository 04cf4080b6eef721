"""Deep copies and pickles: whole, usable in another process, and without secrets."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import pytest

import restwright as rw
from restwright.calls.auth.credentials import Basic, Certificate
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.net.secret import Secret
from restwright.openapi.model import METHODS
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.catalog.filters import filter_reads
from restwright.tools.function_tools import FunctionTool, build_function_catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.tool import Handler, LocalResult

CANARY = "canary-4f2a9c71"
_T = TypeVar("_T")


def pickled(value: _T) -> _T:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes


BOTH = pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        "above": {"$ref": "#/components/schemas/Node"},
        "key": {"type": "string", "x-human": True},
    },
}
TREE = document(
    {
        "/nodes/{id}": {
            "post": {
                "operationId": "addNode",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Node"}},
                        "application/xml": {"schema": {"$ref": "#/components/schemas/Node"}},
                    }
                },
                "responses": {
                    "200": {
                        "description": "It.",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Node"}}
                        },
                    }
                },
                "callbacks": {"added": {"{$url}": {"post": {"responses": {}}}}},
            }
        }
    },
    components={"schemas": {"Node": NODE}},
)


def shop() -> rw.API:
    return rw.load(files("restwright.demo").joinpath("openapi.json").read_bytes(), alias="shop")


def tree() -> rw.API:
    return rw.load(TREE, alias="tree")


APIS = pytest.mark.parametrize("api", [shop, tree])


def parts(tool: rw.Tool) -> dict[str, Any]:
    """All that a tool says, and its operation."""
    shown = {
        name: getattr(tool, name)
        for name in tool.__dataclass_fields__
        if name not in {"in_media_types", "document", "own"}
    }
    operation = {
        name: getattr(tool.operation, name) for name in tool.operation.__dataclass_fields__
    }
    return {**shown, **operation, "media": [*tool.in_media_types]}


@BOTH
@APIS
@pytest.mark.parametrize("is_read", [False, True], ids=["fresh", "read"])
def test_a_tool_survives_with_all_its_parts(
    copied: Callable[[Any], Any], api: Callable[[], rw.API], is_read: bool
) -> None:
    for tool in rw.catalog(api()).tools:
        before = parts(tool) if is_read else None
        made = copied(tool)
        assert made is not tool
        assert parts(made) == (before or parts(tool))
        assert made.operation.method is METHODS[made.operation.method]


@BOTH
@APIS
def test_an_api_survives_with_its_problems_and_its_document(
    copied: Callable[[Any], Any], api: Callable[[], rw.API]
) -> None:
    read = api()
    made = copied(read)
    assert made == read
    for name in read.__dataclass_fields__:
        assert getattr(made, name) == getattr(read, name)
    assert [copied(each) for each in read.operations] == [*read.operations]


@BOTH
@APIS
def test_a_catalog_survives_and_is_used_like_the_one_before(
    copied: Callable[[Any], Any], api: Callable[[], rw.API]
) -> None:
    whole = rw.catalog(api(), options=rw.ToolOptions(separation=by_extension("x-human")))
    made = copied(filter_reads(whole) if len(whole) > 1 else whole)
    assert {*made.names} <= {*whole.names}
    assert made.problems == whole.problems
    for name in made.names:
        assert parts(made[name]) == parts(whole[name])
        assert made[name].separated == whole[name].separated


def test_a_change_to_a_deep_copy_stays_in_it() -> None:
    tool = next(iter(rw.catalog(tree()).tools))
    made = copy.deepcopy(tool)
    made.checks["properties"].clear()
    made.document["paths"].clear()
    assert tool.checks["properties"]
    assert tool.document["paths"]


def test_a_document_of_yaml_and_with_overlays_survives() -> None:
    written = b"openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {/a: {get: {}}}\n"
    overlay = {
        "overlay": "1.0.0",
        "info": {"title": "Mend", "version": "1"},
        "actions": [
            {"target": "$.paths['/a'].get", "update": {"operationId": "seen"}},
            {"target": "$.nothing", "remove": True},
        ],
    }
    api = rw.load(written, overlays=[overlay])
    made = pickled(api)
    assert [each.operation_id for each in made.operations] == ["seen"]
    assert (made.sha256, made.problems) == (api.sha256, api.problems)


@pytest.mark.process
def test_a_pickled_catalog_is_used_in_a_fresh_process(tmp_path: Path) -> None:
    kept = tmp_path / "catalog.pickle"
    kept.write_bytes(pickle.dumps(rw.catalog(tree(), shop())))
    code = (
        "import pickle, sys, restwright as rw\n"
        "from restwright.testing import RecordingTransport, reply\n"
        "tools = pickle.load(open(sys.argv[1], 'rb'))\n"
        "tool = tools['tree__addNode']\n"
        "given = {'id': 7, 'name': 'a', 'children': [{'name': 'b'}]}\n"
        "print([str(each) for each in rw.check(tool, {'id': 'x'})])\n"
        "send = RecordingTransport(lambda request: reply(200, given))\n"
        "here = rw.Connection()\n"
        "print(rw.call(tool, given, connection=here, send=send, approve=lambda *_: True).kind)\n"
        "print(send.sent[0].url, send.sent[0].body.decode(), len(tools))\n"
        "print(tools.search('order', k=1)[0].name.partition('__')[0])\n"
    )
    printed = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code, str(kept)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    count = len(rw.catalog(tree(), shop()))
    assert printed == [
        "['/id: expected an integer, got \"x\"']",
        "ok",
        f'https://api.example.test/nodes/7 {{"name":"a","children":[{{"name":"b"}}]}} {count}',
        "shop",
    ]


def said(arguments: dict[str, Any]) -> LocalResult:
    return LocalResult(value=[*arguments])


@BOTH
def test_a_tool_of_a_function_survives_where_the_function_does(
    copied: Callable[[Any], Any],
) -> None:
    schema = {"type": "object", "properties": {"first name": {"type": "string"}}}
    functions = [FunctionTool(name="greet", handler=Handler(run_locally=said), parameters=schema)]
    [tool] = copied(build_function_catalog("own", functions)).tools
    [argument] = tool.properties
    result = rw.call(tool, {argument: "Ada"}, connection=rw.Connection(), send=never, approve=never)
    assert result.value == ["first name"]


@pytest.mark.parametrize(
    "connection",
    [
        rw.Connection(),
        rw.Connection(server="https://a.test/{region}", server_variables={"region": "eu"}),
        rw.Connection(auth="env:SHOP_TOKEN"),
        rw.Connection(auth={"a": "file:token", "b": Basic("ada", "keyring:ada"), "c": "none"}),
        rw.Connection(auth=Certificate("c.pem", password="env:PASSWORD")),
    ],
    ids=repr,
)
@BOTH
def test_a_connection_that_refers_to_its_secrets_survives(
    copied: Callable[[Any], Any], connection: rw.Connection
) -> None:
    assert copied(connection) == connection


@pytest.mark.parametrize(
    "connection",
    [
        rw.Connection(headers={"X-Key": CANARY}),
        rw.Connection(server=f"https://ada:{CANARY}@a.test"),
        rw.Connection(auth=Secret(CANARY)),
        rw.Connection(auth={"a": "env:A", "b": Basic("ada", Secret(CANARY))}),
        rw.Connection(auth=Certificate("c.pem", password=Secret(CANARY))),
        rw.Connection(auth=OAuthClient(client_id="me", client_secret="env:SECRET")),
        rw.Connection(secrets=(Secret(CANARY),)),
    ],
    ids=["headers", "url", "secret", "basic", "certificate", "oauth", "secrets"],
)
def test_a_connection_that_has_a_secret_is_copied_and_never_pickled(
    connection: rw.Connection,
) -> None:
    assert copy.deepcopy(connection) == connection
    with pytest.raises(TypeError, match=r"is not (pickled|written anywhere)") as caught:
        pickle.dumps(connection)
    assert CANARY not in str(caught.value)


def test_a_copy_of_a_connection_sends_the_same_credentials() -> None:
    given = rw.Connection(server="https://api.example.test", headers={"X-Key": CANARY})
    send = RecordingTransport(lambda _: reply(200, {}))
    [tool] = rw.catalog(tree()).tools
    for connection in (given, copy.deepcopy(given)):
        rw.call(tool, {"id": 1}, connection=connection, send=send, approve=lambda *_: True)
    assert [each.header("x-key") for each in send.sent] == [CANARY, CANARY]
