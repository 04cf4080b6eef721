"""Requests: what was checked is what a server receives."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.arguments.check import check
from restwright.calls.mismatch import Mismatch
from restwright.calls.request.build import build_request
from restwright.calls.request.servers import resolve_server_url
from restwright.errors import (
    InvalidArguments,
    MissingServer,
    RefusedRequest,
    UnsupportedMediaType,
)
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.net.policy.origins import OriginRules
from restwright.openapi.api import load
from restwright.openapi.model import (
    DocumentedResponse,
    MediaType,
    Method,
    Operation,
    Parameter,
    RequestBody,
    SecurityScheme,
    Server,
    ServerVariable,
)
from restwright.openapi.path_faults import find_path_fault
from restwright.openapi.read.lint import lint_api
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Input, Tool

JSON_BODY = RequestBody(content=(MediaType(name="application/json"),))


def tool(
    path: str = "/items",
    *parameters: Parameter,
    method: Method = Method.GET,
    body: RequestBody | None = None,
    properties: tuple[str, ...] = (),
    **more: Json,
) -> Tool:
    """A tool whose inputs are its parameters and the `properties` of its body."""
    operation = Operation(
        method=method, path=path, pointer="", parameters=parameters, request_body=body
    )
    inputs = [
        Input(name=each.name, location=each.location, target=each.name) for each in parameters
    ]
    inputs += [Input(name=name, location="body_property", target=name) for name in properties]
    made = Tool(
        name="shop__items",
        namespace="shop",
        operation_name="items",
        description="",
        operation=operation,
        shows={},
        checks={"type": "object", "properties": {each.name: {} for each in inputs}},
        inputs=tuple(inputs),
    )
    return replace(made, **more)


def in_path(name: str) -> Parameter:
    return Parameter(name=name, location="path", required=True)


def in_query(name: str) -> Parameter:
    return Parameter(name=name, location="query", style="form", explode=True)


def in_header(name: str) -> Parameter:
    return Parameter(name=name, location="header")


def in_cookie(name: str) -> Parameter:
    return Parameter(name=name, location="cookie", explode=True)


def build(tool: Tool, **arguments: Json) -> Request:
    return build_request(tool, arguments, server="http://h/v1")


ACCEPT = ("Accept", "application/json, */*;q=0.5")


def test_request_of_every_place() -> None:
    made = tool(
        "/shops/{shop}/items",
        in_path("shop"),
        in_query("q"),
        in_header("X-Note"),
        in_cookie("a"),
        in_cookie("b"),
        method=Method.POST,
        body=JSON_BODY,
        properties=("name", "price"),
    )
    arguments = {"shop": 7, "q": ["x", "y"], "X-Note": "n", "a": 1, "b": 2, "price": 3, "name": "é"}
    assert build_request(made, arguments, server="http://h/v1") == Request(
        method="POST",
        url="http://h/v1/shops/7/items?q=x&q=y",
        headers=(
            ACCEPT,
            ("Content-Type", "application/json"),
            ("X-Note", "n"),
            ("Cookie", "a=1; b=2"),
        ),
        body='{"price":3,"name":"é"}'.encode(),
    )


def test_path_value_is_percent_encoded_once() -> None:
    request = build(tool("/a/{id}", in_path("id")), id="../x y%2F?#")
    assert request.url == "http://h/v1/a/..%2Fx%20y%252F%3F%23"


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_path_value_that_changes_the_path_is_refused(value: str) -> None:
    made = tool("/a/{id}", in_path("id"))
    got = json.dumps(value)
    expected = (Mismatch("/id", "a value other than an empty one, `.` and `..`", got),)
    assert check(made, {"id": value}) == expected
    with pytest.raises(InvalidArguments) as caught:
        build(made, id=value)
    assert caught.value == InvalidArguments("shop__items", expected)


def test_two_values_in_one_segment() -> None:
    made = tool("/{name}.{ext}", in_path("name"), in_path("ext"))
    assert build(made, name="a/b", ext="tar.gz").url == "http://h/v1/a%2Fb.tar.gz"


def test_missing_path_value_is_a_mismatch() -> None:
    assert check(tool("/a/{id}", in_path("id")), {}) == (
        Mismatch("/id", "a value for the path (required)", "nothing"),
    )


def test_template_is_encoded_where_it_must_be() -> None:
    made = tool("/a b/é/%41/100%?fixed=1#part", in_query("q"))
    assert build(made, q="x").url == "http://h/v1/a%20b/%C3%A9/%41/100%25?fixed=1&q=x"


def test_a_name_in_the_query_of_a_path_is_filled_in() -> None:
    made = tool("/a?kind=x?&b={b}#part", in_path("b"), in_query("q"))
    assert build(made, b="1 & 2", q="y").url == "http://h/v1/a?kind=x?&b=1%20%26%202&q=y"
    assert check(made, {}) == (Mismatch("/b", "a value for the path (required)", "nothing"),)


def test_argument_that_is_no_input_is_refused() -> None:
    with pytest.raises(InvalidArguments) as caught:
        build(tool(), other=1)
    assert caught.value.mismatches == (Mismatch("/other", "no property of this name", "1"),)


@pytest.mark.parametrize("name", ["Accept", "content-type", "AUTHORIZATION"])
def test_header_that_openapi_reserves_is_ignored(name: str) -> None:
    assert build(tool("/", in_header(name)), **{name: "x"}).headers == (ACCEPT,)


@pytest.mark.parametrize(
    "name",
    ["Host", "cookie", "Content-Length", "transfer-encoding", "Connection", "Proxy-Authorization",
     "X-Forwarded-For", "Bad Name", "X:Y", "X\r\nY", "É"],
)  # fmt: skip
def test_header_that_routes_a_request_is_refused(name: str) -> None:
    made = tool("/", in_header(name))
    assert len(check(made, {name: "x"})) == 1
    with pytest.raises(InvalidArguments):
        build(made, **{name: "x"})


def test_body_that_is_one_argument() -> None:
    made = replace(
        tool(method=Method.PUT, body=JSON_BODY),
        inputs=(Input(name="body", location="body", target="body"),),
    )
    assert build(made, body=[1, None]).body == b"[1,null]"
    assert build(made, body=None).body == b"null"
    assert build(made).body == b""


@pytest.mark.parametrize("value", [float("nan"), "\ud800", {1}])
def test_body_that_json_cannot_write_is_refused(value: Json) -> None:
    with pytest.raises(InvalidArguments):
        build(tool(method=Method.POST, body=JSON_BODY, properties=("a",)), a=value)


def test_required_body_without_properties_is_an_empty_object() -> None:
    body = replace(JSON_BODY, required=True)
    assert build(tool(method=Method.POST, body=body, properties=("a",))).body == b"{}"
    assert build(tool(method=Method.POST, body=JSON_BODY, properties=("a",))).body == b""


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (("text/plain", "application/json"), "application/json"),
        (("application/merge-patch+json",), "application/merge-patch+json"),
        (
            ("application/vnd.x+json", "application/json;charset=utf-8"),
            "application/json;charset=utf-8",
        ),
        (("*/*",), "application/json"),
    ],
)
def test_media_type_of_the_body(names: tuple[str, ...], chosen: str) -> None:
    body = RequestBody(content=tuple(MediaType(name=name) for name in names))
    request = build(tool(method=Method.POST, body=body, properties=("a",)), a=1)
    assert dict(request.headers)["Content-Type"] == chosen


def test_object_in_a_binary_media_type_is_unsupported() -> None:
    body = RequestBody(content=(MediaType(name="application/cbor"),))
    with pytest.raises(UnsupportedMediaType) as caught:
        build(tool(method=Method.POST, body=body, properties=("a",)), a=1)
    assert caught.value == UnsupportedMediaType("shop__items", ["application/cbor"])


def test_accept_names_what_the_document_promises() -> None:
    made = tool()
    ok = DocumentedResponse(
        status="200", content=(MediaType(name="text/csv"), MediaType(name="application/hal+json"))
    )
    made = replace(made, operation=replace(made.operation, responses=(ok,)))
    assert build(made).headers == (("Accept", "application/hal+json, */*;q=0.5"),)


@pytest.mark.parametrize(
    ("named", "written", "source", "base"),
    [
        ("http://n:1/x/", "https://d/v1", "", "http://n:1/x"),
        (None, "https://d/v1/", "", "https://d/v1"),
        (None, "/v1", "http://s:1/docs/openapi.json", "http://s:1/v1"),
        (None, "../v1", "http://s/docs/openapi.json", "http://s/v1"),
        (None, "", "http://s/docs/openapi.json", "http://s/docs/openapi.json"),
        (None, None, "http://s/docs/openapi.json", "http://s"),
        (None, "//other/v1", "https://s/openapi.json", "https://other/v1"),
        (None, "https://d/a b", "", "https://d/a%20b"),
    ],
)
def test_server_is_absolute(named: str | None, written: str | None, source: str, base: str) -> None:
    servers = () if written is None else (Server(url=written),)
    assert resolve_server_url(tool(servers=servers, source=source), named) == base


def test_server_variables_have_their_defaults() -> None:
    variables = {"region": ServerVariable(default="eu"), "v": ServerVariable(default="v2")}
    server = Server(url="https://{region}.d/{v}", variables=variables)
    assert resolve_server_url(tool(servers=(server,)), None) == "https://eu.d/v2"


@pytest.mark.parametrize(
    ("written", "named", "found"),
    [("/v1", None, "/v1"), (None, None, ""), ("https://{x}.d", None, "https://{x}.d"),
     ("https://d", "localhost:8000", "localhost:8000")],
)  # fmt: skip
def test_missing_server(written: str | None, named: str | None, found: str) -> None:
    servers = () if written is None else (Server(url=written),)
    with pytest.raises(MissingServer) as caught:
        resolve_server_url(tool(servers=servers, source="openapi.json"), named)
    assert found in caught.value.found
    assert caught.value.tool == "shop__items"


@pytest.mark.parametrize("url", ["ftp://d", "https://u:p@d", "https://d/?x=1", "https://d/#x"])
def test_server_that_may_not_be_asked_is_refused(url: str) -> None:
    with pytest.raises(RefusedRequest):
        resolve_server_url(tool(), url)


REGION = Server(
    url="https://{region}.d/{v}",
    variables={
        "region": ServerVariable(default="eu", enum=("eu", "us")),
        "v": ServerVariable(default="v2"),
    },
)


def test_server_variables_have_the_values_of_the_user() -> None:
    made = tool(servers=(REGION,))
    assert (
        resolve_server_url(made, None, variables={"region": "us", "v": "v3"}) == "https://us.d/v3"
    )


@pytest.mark.parametrize(
    "variables", [{"region": "asia"}, {"zone": "a"}, {"v": "@evil"}, {"v": "a?b"}, {"v": "a\\b"}]
)
def test_a_server_variable_that_may_not_be_is_refused(variables: dict[str, str]) -> None:
    with pytest.raises(RefusedRequest):
        resolve_server_url(tool(servers=(REGION,)), None, variables=variables)


def test_the_servers_of_an_operation_come_before_those_of_the_document() -> None:
    made = tool(servers=(Server(url="https://d"),))
    own = replace(made.operation, servers=(Server(url="https://own"),))
    assert resolve_server_url(replace(made, operation=own), None) == "https://own"


def test_the_members_of_an_object_pass_for_no_other_parameter() -> None:
    made = tool("/", in_query("q"), in_query("limit"))
    assert [each.pointer for each in check(made, {"q": {"limit": 9}})] == ["/q/limit"]
    assert build(made, q={"other": 9}, limit=1).url == "http://h/v1/?other=9&limit=1"


def test_the_members_of_an_object_pass_for_no_credential() -> None:
    key = SecurityScheme(name="key", type="apiKey", location="query", parameter="api_key")
    whole = Parameter(name="q", location="querystring")
    for each in (in_query("q"), whole):
        made = tool("/", each, security_schemes={"key": key})
        assert [each.pointer for each in check(made, {"q": {"api_key": "x"}})] == ["/q/api_key"]


def test_two_values_that_make_a_dot_segment_are_refused() -> None:
    made = tool("/a/{x}{y}", in_path("x"), in_path("y"))
    assert [each.pointer for each in check(made, {"x": ".", "y": "."})] == ["/x", "/y"]
    assert build(made, x="", y="b").url == "http://h/v1/a/b"


def test_a_whole_query_string_is_json_where_the_document_says_so() -> None:
    whole = Parameter(name="q", location="querystring", media_type="application/json")
    assert build(tool("/a", whole), q={"a": [1]}).url == "http://h/v1/a?%7B%22a%22%3A%5B1%5D%7D"


def test_null_in_a_header_is_an_empty_value_and_an_empty_array_is_not_sent() -> None:
    made = tool("/", in_header("X-A"))
    assert build(made, **{"X-A": None}).headers == (ACCEPT, ("X-A", ""))
    assert build(made, **{"X-A": []}).headers == (ACCEPT,)


class Echo(BaseHTTPRequestHandler):
    """Answers with what it received, as Python's own server reads it."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, _, query = self.path.partition("?")
        note = self.headers.get("X-Note")
        received = {
            "path": [unquote(part, errors="strict") for part in path.split("/")],
            "query": parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)),
            "note": note and note.encode("latin-1").decode(),
            "cookie": [
                unquote(part.partition("=")[2])
                for part in (self.headers["Cookie"] or "").split("; ")
            ],
            "body": json.loads(body) if body else None,
        }
        answer = json.dumps(received).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n".encode()
        self.wfile.write(head + answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def echo() -> Iterator[tuple[Transport, str]]:
    server = HTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    with Transport(timeout_s=10, rules=OriginRules.from_urls(url)) as send:
        yield send, url
    server.shutdown()
    thread.join()
    server.server_close()


TEXT = st.text(max_size=30)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
EVERYWHERE = tool(
    "/a/{id}/z",
    in_path("id"),
    in_query("q"),
    in_query("many"),
    in_header("X-Note"),
    in_cookie("c"),
    method=Method.POST,
    body=JSON_BODY,
    properties=("value",),
)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT, TEXT, st.lists(TEXT, min_size=1, max_size=3), TEXT, TEXT, VALUES)
def test_accepted_arguments_arrive_as_they_are_and_others_are_never_sent(
    echo: tuple[Transport, str],
    item: str,
    q: str,
    many: list[str],
    note: str,
    c: str,
    value: Json,
) -> None:
    send, server = echo
    arguments: JsonObject = {
        "id": item,
        "q": q,
        "many": many,
        "X-Note": note,
        "c": c,
        "value": value,
    }
    if mismatches := check(EVERYWHERE, arguments):
        assert {each.pointer for each in mismatches} <= {"/id", "/X-Note"}
        with pytest.raises(InvalidArguments):
            build_request(EVERYWHERE, arguments, server=server)
        assume(False)
    request = replace(build_request(EVERYWHERE, arguments, server=server), is_named=True)
    received = json.loads(send(request).body)
    assert received == {
        "path": ["", "a", item, "z"],
        "query": [["q", q], *(["many", each] for each in many)],
        "note": note,
        "cookie": [c],
        "body": {"value": value},
    }


def test_a_whole_query_string_is_written_as_a_form() -> None:
    whole = Parameter(
        name="q", location="querystring", media_type="application/x-www-form-urlencoded"
    )
    request = build(tool("/a", whole), q={"a": [1, 2], "b c": "d&e"})
    assert request.url == "http://h/v1/a?a=1&a=2&b%20c=d%26e"


@pytest.mark.parametrize("path", ["/a/../../x", "/..", "/a/%2E%2e/x", "/a/./x", "/%2e"])
def test_a_document_cannot_lead_out_of_the_path_of_its_server(path: str) -> None:
    tool = catalog(load(document({path: {"get": {"responses": {}}}}))).tools[0]
    with pytest.raises(RefusedRequest, match="a segment of its path"):
        build_request(tool, {}, server="https://h/tenant")


PATHS: list[JsonObject] = json.loads(
    (Path(__file__).parents[2] / "adversarial" / "paths.json").read_text("utf-8")
)


@pytest.mark.parametrize("row", PATHS, ids=[each["name"] for each in PATHS])
def test_a_path_that_servers_read_in_two_ways_is_refused_with_a_problem(row: JsonObject) -> None:
    path, arguments = row["path"], {"id": "7"} if "{id}" in row["path"] else {}
    api = load(document({path: {"get": {"responses": {}}}}))
    with pytest.raises(RefusedRequest) as caught:
        build_request(catalog(api).tools[0], arguments, server="https://h/tenant")
    assert row["why"] in caught.value.why
    assert [row["why"] in each.what for each in lint_api(api) if each.severity == "error"] == [True]


@pytest.mark.parametrize("row", PATHS, ids=[each["name"] for each in PATHS])
def test_a_server_whose_path_is_read_in_two_ways_is_refused_with_a_problem(row: JsonObject) -> None:
    url = f"https://h{row['path']}".replace("{id}", "/")
    api = load(document({"/x": {"get": {"responses": {}}}}, servers=[{"url": url}]))
    with pytest.raises(RefusedRequest) as caught:
        build_request(catalog(api).tools[0], {}, server=url)
    assert row["why"] in caught.value.why
    assert [row["why"] in each.what for each in lint_api(api) if each.severity == "error"] == [True]


@pytest.mark.parametrize(
    "path",
    [
        *("/a..b", "/...", "/a/.well-known/x", "/.json", "/a.", "/a%2fb", "/a;v=1/b", "/a%20b"),
        *("/{id}.json", "/{id}:cancel", "/%C3%A9", "/{id}..{other}"),
    ],
)
def test_nothing_else_of_a_path_is_at_fault(path: str) -> None:
    assert find_path_fault(path) == ""


@pytest.mark.parametrize("path", ["/a..b", "/...", "/a/.well-known/x", "/.json", "/a."])
def test_dots_that_are_no_segments_stay(path: str) -> None:
    tool = catalog(load(document({path: {"get": {"responses": {}}}}))).tools[0]
    assert build_request(tool, {}, server="https://h").url == f"https://h{path}"
