"""Values that try to change where a request goes or what stands in its head."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.support.recorder import Recorder, recording, tool_of

from restwright.calls.arguments.check import check
from restwright.calls.request.build import build_request
from restwright.errors import InvalidArguments
from restwright.jsontypes import Json, JsonObject
from restwright.testing import document
from restwright.tools.tool import Tool

FIXTURES = Path(__file__).parents[2].parent / "shared" / "data" / "conformance" / "adversarial"
PATHS = FIXTURES / "path_param_cases.json"
HEADERS = FIXTURES / "header_cases.json"


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


REFUSED_IN_A_PATH = {"", ".", "..", "a\0b", "\ud800"}
ENCODED = {
    "../../admin": "..%2F..%2Fadmin",
    "a/b": "a%2Fb",
    "a?x=1": "a%3Fx%3D1",
    "a#f": "a%23f",
    "%2e%2e%2f": "%252e%252e%252f",
    "a%2fb": "a%252fb",
    "..\\..": "..%5C..",
    "a;v=1": "a%3Bv%3D1",
    "a\r\nX: y": "a%0D%0AX%3A%20y",
    "é/☃": "%C3%A9%2F%E2%98%83",
    "//evil": "%2F%2Fevil",
    "@evil": "%40evil",
    "http://evil/": "http%3A%2F%2Fevil%2F",
}
NEVER_SET = {
    *("host", "authorization", "cookie", "content-length", "transfer-encoding", "x-forwarded-for")
}
SENT = {"café ☃": "café ☃".encode(), "k": b"k"}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not read(PATHS), reason=f"the shared data set {FIXTURES} is not there"),
]


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as found:
        yield found


def with_parameters(path: str, *parameters: JsonObject) -> Tool:
    operation = {"parameters": list(parameters), "responses": {"200": {"description": "ok"}}}
    return tool_of(document({path: {"get": operation}}))


def text_in(place: str, name: str) -> JsonObject:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, "schema": {"type": "string"}, **required}


def is_refused(recorder: Recorder, tool: Tool, arguments: JsonObject, pointer: str) -> bool:
    """Whether a call is refused by name, and cannot be built without the check either."""
    before = len(recorder.received)
    mismatches = check(tool, arguments)
    with pytest.raises(InvalidArguments):
        recorder.receive(tool, arguments)
    with pytest.raises(InvalidArguments):
        build_request(tool, arguments, server=recorder.url)
    return [each.pointer for each in mismatches] == [pointer] and len(recorder.received) == before


@pytest.mark.parametrize("case", read(PATHS).get("cases", []), ids=lambda case: ascii(case["id"]))
def test_a_path_value_stays_in_its_segment(recorder: Recorder, case: dict[str, Json]) -> None:
    tool = with_parameters(read(PATHS)["path"], text_in("path", "id"), text_in("path", "p"))
    value = case["id"]
    arguments = {"id": value, "p": "7"}

    if value in REFUSED_IN_A_PATH:
        assert is_refused(recorder, tool, arguments, "/id")
        return
    target = recorder.receive(tool, arguments).target

    assert target == f"/users/{ENCODED[value]}/posts/7"
    assert [unquote(each) for each in target.split("/")] == ["", "users", value, "posts", "7"]


@pytest.mark.parametrize(
    "case", read(HEADERS).get("cases", []), ids=lambda case: f"{case['header']}-{case['value']!a}"
)
def test_a_header_value_stays_in_its_header(recorder: Recorder, case: dict[str, str]) -> None:
    name, value = case["header"], case["value"]
    tool = with_parameters("/x", text_in("header", name))
    argument = name.replace("-", "_")

    if name.lower() == "authorization":
        assert tool.inputs == ()  # the reader leaves it out; nobody is asked for it
        return
    if name.lower() in NEVER_SET or value not in SENT:
        assert is_refused(recorder, tool, {argument: value}, f"/{argument}")
        return
    received = recorder.receive(tool, {argument: value})

    assert [text for key, text in received.headers if key == name.lower()] == [SENT[value]]


@pytest.mark.parametrize("style", ["form", "cookie"])
@pytest.mark.parametrize(
    "case", read(HEADERS).get("cookies", []), ids=lambda case: ascii(case["value"])
)
def test_a_cookie_value_stays_in_its_cookie(
    recorder: Recorder, case: dict[str, str], style: str
) -> None:
    tool = with_parameters("/x", {**text_in("cookie", "c"), "style": style})
    arguments = {"c": case["value"]}

    if style == "cookie":
        assert is_refused(recorder, tool, arguments, "/c")
        return
    cookie = recorder.receive(tool, arguments).header("cookie") or ""

    assert ";" not in cookie
    assert unquote(cookie) == f"c={case['value']}"


def test_the_cases_are_whole() -> None:
    found = read(HEADERS)
    assert (len(read(PATHS)["cases"]), len(found["cases"]), len(found["cookies"])) == (18, 12, 2)
