"""A secret goes to the server that it is for, and into nothing that anybody reads."""

from __future__ import annotations

import base64
import json
import re
import secrets
import traceback
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.support.canary import (
    HANDLES,
    assert_unseen,
    broken,
    echoing,
    forms,
    logged,
    redirecting,
    server,
    shown,
)

from restwright.agents.agent import Agent
from restwright.agents.steps import Call, Conclusion
from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call, prepare
from restwright.calls.response.result import result_from_response
from restwright.cli import main
from restwright.cli.surroundings import Surroundings
from restwright.errors import RestwrightError
from restwright.jsontypes import Json
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Tool

__all__ = ["logged", "server"]

SCHEMES: dict[str, Json] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "header_key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    "query_key": {"type": "apiKey", "in": "query", "name": "api_key"},
    "cookie_key": {"type": "apiKey", "in": "cookie", "name": "session"},
}


@pytest.fixture(params=["hex", "odd"])
def canary(request: pytest.FixtureRequest) -> str:
    token = secrets.token_hex(12)
    return token if request.param == "hex" else f"{token}+/={token}~%41"


def tool_with(scheme: str, url: str) -> Tool:
    return catalog_with(scheme, url)["test__get_thing"]


def catalog_with(scheme: str, url: str) -> Catalog:
    operation = {
        "operationId": "get_thing",
        "responses": {"200": {"description": ""}},
        "security": [{scheme: []}],
    }
    api = load(
        document(
            {"/thing": {"get": operation}},
            servers=[{"url": url}],
            components={"securitySchemes": {scheme: SCHEMES[scheme]}},
        )
    )
    return catalog(api)


def connection_with(
    scheme: str, canary: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> Connection:
    monkeypatch.setenv("CANARY", f"user:{canary}" if scheme == "basic" else canary)
    return Connection(server=url, auth="env:CANARY")


def echo(request: Request) -> Iterator[Response]:
    """The request in a response, in every way that a careless server might repeat it."""
    said = [request.url, *(value for _, value in request.headers)]
    plain = {"said": said, "decoded": [_decoded(each) for each in said]}
    texts = [
        json.dumps(plain),
        json.dumps({"deep": [{"said": json.dumps(plain)}]}),
        json.dumps([base64.b64encode(each.encode()).decode() for each in said]),
        json.dumps([base64.b64encode(b"x" + each.encode()).decode() for each in said]),
        json.dumps([quote(each, safe="") for each in said]),
        json.dumps("".join(f"\\u{ord(each):04x}" for each in " ".join(said))).replace("\\\\", "\\"),
        json.dumps(dict.fromkeys(said, 1)),
    ]
    for text in texts:
        for status in (200, 401, 404, 500):
            for kind in ("application/json", "text/plain", "application/octet-stream", ""):
                yield _response(request, status, kind, text.encode())
        yield _response(request, 200, "application/json", text.encode("utf-16"))
        yield _response(request, 200, "text/event-stream", f"data: {text}\n\n".encode())
        yield _response(request, 200, "application/x-ndjson", f"{text}\n{text}\n".encode())
    escaped = "".join(f"&#{ord(each)};" for each in " ".join(said))
    yield _response(request, 200, "application/xml", f"<a b='{escaped}'>{escaped}</a>".encode())
    yield _response(request, 400, "text/html", f"<p>{escaped}</p>{said}".encode())
    yield _response(request, 200, "image/png", b"\x89\0" + " ".join(said).encode())


def _decoded(text: str) -> str:
    """What stands in a Basic credential."""
    found = re.fullmatch(r"Basic (\S+)", text)
    return base64.b64decode(found[1]).decode() if found else text


def _response(request: Request, status: int, kind: str, body: bytes) -> Response:
    echoed = tuple((f"x-echo-{name.lower()}", value) for name, value in request.headers)
    headers = (("content-type", kind), ("location", request.url), *echoed)
    return Response(status=status, headers=headers, body=body, url=request.url)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_secret_that_is_echoed_is_in_no_result(
    scheme: str, canary: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    url = "https://api.example.test"
    tool = tool_with(scheme, url)
    connection = connection_with(scheme, canary, url, monkeypatch)
    request = prepare(tool, {}, connection)
    assert any(form in f"{request.url} {request.headers}" for form in forms(canary))
    for response in echo(request):
        send = RecordingTransport(lambda _, given=response: given)
        result = call(
            tool,
            {},
            connection=connection,
            send=send,
            approve=approve_all,
            files=tmp_path / "files",
        )
        assert_unseen(canary, shown(result))
    for path in (tmp_path / "files").iterdir():
        assert_unseen(canary, path.name + path.read_bytes().decode("latin-1"))


def test_a_static_header_that_is_echoed_is_in_no_result(canary: str):
    url = "https://api.example.test"
    tool = tool_with("bearer", url)
    connection = Connection(server=url, headers={"X-Own": canary, "Authorization": canary})
    request = prepare(tool, {}, connection)
    for response in echo(request):
        assert_unseen(canary, shown(result_from_response(request, response)))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("handle", HANDLES, ids=lambda each: each.__name__)
def test_a_secret_is_in_no_outcome_of_the_network(
    scheme, handle, canary, server, logged, monkeypatch
):
    url = server(handle)
    tool = tool_with(scheme, url)
    connection = connection_with(scheme, canary, url, monkeypatch)
    with Transport(timeout_s=0.3, max_bytes=5000) as send:
        try:
            seen = shown(call(tool, {}, connection=connection, send=send, approve=approve_all))
        except RestwrightError as error:
            seen = "".join(traceback.format_exception(error))
    assert_unseen(canary, f"{seen}\n{logged.getvalue()}\n{connection!r}")


@pytest.mark.parametrize("options", [[], ["--json"], ["-v"], ["--dry-run"], ["--curl"], ["--all"]])
@pytest.mark.parametrize("handle", HANDLES, ids=lambda each: each.__name__)
def test_a_secret_is_in_nothing_that_the_command_line_prints(
    options, handle, canary, server, capsys, monkeypatch, tmp_path
):
    for scheme in ("bearer", "query_key"):
        url = server(handle)
        operation = {"operationId": "get_thing", "security": [{scheme: []}], "responses": {}}
        written = document(
            {"/thing": {"get": operation}},
            components={"securitySchemes": {scheme: SCHEMES[scheme]}},
        )
        path = tmp_path / "api.json"
        path.write_text(json.dumps(written))
        monkeypatch.setenv("CANARY", canary)
        log = tmp_path / "log.txt"
        arguments = ["call", str(path), "get_thing", "{}", "--server", url, "--auth", "env:CANARY"]
        arguments += ["--timeout", "0.3", "--max-bytes", "5000", "--log-file", str(log)]
        main([*arguments, *options])
        printed = capsys.readouterr()
        assert_unseen(canary, f"{printed.out}\n{printed.err}\n{log.read_text()}")


def test_a_secret_is_in_no_report_of_a_crash(canary, capsys, monkeypatch, tmp_path):
    written = document(
        {"/thing": {"get": {"operationId": "get_thing", "security": [{"k": []}], "responses": {}}}},
        components={"securitySchemes": {"k": SCHEMES["query_key"]}},
    )
    path = tmp_path / "api.json"
    path.write_text(json.dumps(written))
    monkeypatch.setenv("CANARY", canary)

    def crash(request: Request) -> Response:
        local = request.url
        raise RuntimeError(f"this should not happen: {request!r} {len(local)}")

    surroundings = Surroundings(open_transport=lambda **_: nullcontext(crash))
    arguments = ["call", str(path), "get_thing", "{}", "--server", "https://api.example.test"]
    for options in ([], ["-v"], ["--json"]):
        code = main([*arguments, "--auth", "env:CANARY", *options], surroundings=surroundings)
        printed = capsys.readouterr()
        assert code == 1
        assert_unseen(canary, f"{printed.out}\n{printed.err}")


@pytest.mark.parametrize(
    ("scheme", "handle"),
    [("bearer", echoing), ("query_key", broken), ("query_key", redirecting)],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_a_secret_is_in_no_span_metric_or_event(scheme, handle, canary, server, monkeypatch):
    pytest.importorskip("opentelemetry.sdk.trace")
    from tests.support.telemetry import recording

    url = server(handle)

    def looking(agent, question):
        yield Call(tool="test__get_thing", arguments={})
        return Conclusion(text="")

    agent = Agent(
        catalog_with(scheme, url),
        model=ScriptedModel([]),
        kind=looking,
        connections={"test": connection_with(scheme, canary, url, monkeypatch)},
        traces_content=True,
    )
    with recording() as recorded:
        agent.ask("?")
    assert recorded.named("GET")
    assert_unseen(canary, repr((recorded.spans, recorded.points, recorded.events)))
