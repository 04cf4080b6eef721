"""What calls may do, and what of them is told (security statements 8, 9, 11, 12, 13, 15)."""

from __future__ import annotations

import json
import signal
import time

import mcp_types as types
import pytest
from tests.support.mcp.over_stdio import over_stdio, wait_until
from tests.support.mcp.serving import Person, call, serving, serving_api, talk, texts

from restwright.calls.approval.approval import escape_unprintable
from restwright.calls.auth.connection import Connection

HIDDEN = "\u202e\u200b\x1b[2J"


# 8
def test_08_text_of_a_call_cannot_imitate_the_question(api, tmp_path, era):
    person = Person()
    given = {"id": "7", "body_id": 1, "name": f"x\n\nSend GET http://safe.example?{HIDDEN}"}
    call(serving_api(api, tmp_path), era, "tricky__putNode", given, person)
    (question,) = person.asked
    assert question.splitlines()[-1] == f"Send PUT {api.url}/nodes/7?"
    assert not any(line.startswith("Send GET") for line in question.splitlines())
    assert not {*HIDDEN.replace("[2J", "")} & {*question}


def test_08_what_is_not_seen_is_written_out():
    assert escape_unprintable("a\u202eb\n\x1bc\u00e9") == "a\\u202eb\n\\x1bc\u00e9"


# 9
def test_09_a_form_asks_for_a_yes_and_nothing_else(api, tmp_path, era):
    asked: list[types.ElicitRequestParams] = []

    class Looking(Person):
        async def __call__(self, context, params):
            asked.append(params)
            return await super().__call__(context, params)

    call(serving_api(api, tmp_path), era, "tricky__deleteNode", {"id": "7"}, Looking())
    (params,) = asked
    assert isinstance(params, types.ElicitRequestFormParams)
    properties = params.requested_schema["properties"]
    assert {name: each["type"] for name, each in properties.items()} == {"send": "boolean"}


# 11
@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("../seen", "/nodes/..%2Fseen"),
        ("%2e%2e", "/nodes/%252e%252e"),
        ("a/b", "/nodes/a%2Fb"),
        ("a?x=1", "/nodes/a%3Fx%3D1"),
        ("a#c", "/nodes/a%23c"),
    ],
)
def test_11_what_stands_in_a_path_stays_in_its_segment(api, tmp_path, era, given, path):
    result = call(serving_api(api, tmp_path), era, "tricky__getNode", {"id": given})
    sent = [request[1] for request in api.seen]
    assert sent == [path] or (result.is_error and sent == [])


def test_11_two_dots_alone_are_refused(api, tmp_path, era):
    result = call(serving_api(api, tmp_path), era, "tricky__getNode", {"id": ".."})
    assert result.is_error
    assert api.seen == []


# 12
class Crashing:
    """A provider that fails in its own words."""

    def names(self):
        return ("crash",)

    def describe(self, name):
        return types.Tool(name=name, input_schema={"type": "object"})

    def input_schema(self, name):
        return None

    def close_names(self, name):
        return ()

    async def call(self, exchange, name, arguments):
        if name == "crash":
            raise OSError("password=hunter2 in /home/ada/.secret")
        return


def test_12_the_words_of_a_crash_are_for_the_operator_alone(api, tmp_path, era):
    served = serving(api.write(tmp_path), more_tools=(Crashing(),))

    async def say(client):
        return await client.call_tool("crash", {})

    result = talk(served, era, say)
    assert texts(result) == ["crash failed: OSError"]
    assert "hunter2" in served.errors[0]


# 13
@pytest.mark.process
def test_13_standard_output_has_lines_of_the_protocol_only(api, tmp_path):
    # `-v` has the log written, which must not be where the client reads.
    with over_stdio(str(api.write(tmp_path)), "-v", "--server", api.url) as spoken:
        assert spoken.begin()["result"]["serverInfo"]["name"] == "tricky"
        told = spoken.ask("tools/call", {"name": "tricky__listNodes", "arguments": {}})
        assert json.loads(told["result"]["content"][0]["text"]) == [{"id": 1}, {"id": 2}]
        assert spoken.process.stdin is not None
        spoken.process.stdin.close()
        assert spoken.wait() == 0
        assert spoken.process.stdout is not None
        assert spoken.process.stdout.read() == b""


@pytest.mark.process
def test_13_the_end_of_input_ends_the_process_and_its_calls(api, tmp_path):
    with over_stdio(str(api.write(tmp_path)), "--server", api.url) as spoken:
        spoken.begin()
        slow = {"name": "tricky__slow", "arguments": {}}
        spoken.send({"id": 9, "method": "tools/call", "params": slow})
        wait_until(lambda: api.seen)
        assert spoken.process.stdin is not None
        spoken.process.stdin.close()
        assert spoken.wait() == 0
        wait_until(lambda: api.gone)


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_13_a_signal_ends_the_process_and_its_calls(api, tmp_path, number):
    with over_stdio(str(api.write(tmp_path)), "--server", api.url) as spoken:
        spoken.begin()
        slow = {"name": "tricky__slow", "arguments": {}}
        spoken.send({"id": 9, "method": "tools/call", "params": slow})
        wait_until(lambda: api.seen)
        spoken.process.send_signal(number)
        assert spoken.wait() != 0
        wait_until(lambda: api.gone)


# 15
def test_15_a_pattern_of_a_document_cannot_hang_the_server(api, tmp_path, era):
    path = api.write(tmp_path)
    document = json.loads(path.read_text())
    parameter = {
        "name": "q",
        "in": "query",
        "schema": {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"},
    }
    document["paths"]["/list"]["get"]["parameters"] = [parameter]
    path.write_text(json.dumps(document))
    served = serving(path, connection=Connection(server=api.url))
    begun = time.monotonic()
    call(served, era, "tricky__listNodes", {"q": "a" * 60})
    assert time.monotonic() - begun < 5
