"""What is accepted arrives as it is, in every style; what is not accepted is never built."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.parser import BytesParser
from email.policy import HTTP
from functools import lru_cache
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples
from tests.support.recorder import tool_of

from restwright.calls.arguments.check import check
from restwright.calls.request.build import build_request
from restwright.errors import InvalidArguments
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request
from restwright.testing import document
from restwright.tools.tool import Tool

NASTY = st.text(st.sampled_from(" ,;=&|.[]%/?#+\"\\'<>:@\t\r\n\0aé☃\ud800"), max_size=6)
TEXT = NASTY | st.text(max_size=8) | st.sampled_from(["", ".", "..", "a%2Fb", "-1"])
KINDS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXT,
    "array": st.lists(TEXT, min_size=1, max_size=3),
    "object": st.dictionaries(TEXT, TEXT, min_size=1, max_size=3),
}
SCHEMAS: dict[str, JsonObject] = {
    "string": {"type": "string"},
    "array": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object", "additionalProperties": {"type": "string"}},
}
STYLES = [
    *(("path", style, explode) for style in ("simple", "label", "matrix") for explode in (0, 1)),
    *(("query", style, 0) for style in ("form", "spaceDelimited", "pipeDelimited")),
    ("query", "form", 1),
    ("query", "deepObject", 1),
    ("header", "simple", 0),
    ("header", "simple", 1),
    *(("cookie", style, explode) for style in ("form", "cookie") for explode in (0, 1)),
]
Found = tuple[str, str]
Decode = Callable[[str], str]


@lru_cache
def tool_for(place: str, style: str, explode: int, kind: str) -> Tool:
    required = {"required": True} if place == "path" else {}
    parameter = {
        "name": "color",
        "in": place,
        "schema": SCHEMAS[kind],
        "style": style,
        "explode": bool(explode),
        **required,
    }
    path = "/a/{color}/z" if place == "path" else "/a"
    operation = {"parameters": [parameter], "responses": {"200": {"description": "ok"}}}
    return tool_of(document({path: {"get": operation}}, openapi="3.2.0"))


def pairs_of(members: list[str], explode: int) -> list[Found]:
    """The names and values of an object in one text."""
    if explode:
        found = [tuple(each.partition("=")[::2]) for each in members]
        return [(name, value) for name, value in found]
    return list(zip(members[::2], members[1::2], strict=True))


def one_text(
    text: str, separator: str, kind: str, explode: int, decode: Callable[[str], str]
) -> Json:
    """Read a value whose members stand in one text between separators."""
    if kind == "string":
        return decode(text)
    members = text.split(separator)
    if kind == "array":
        return [decode(each) for each in members]
    return {decode(name): decode(value) for name, value in pairs_of(members, explode)}


def many_pairs(pairs: list[Found], kind: str, decode: Decode) -> Json:
    """Read a value whose members are pairs of their own."""
    if kind == "object":
        return {decode(name): decode(value) for name, value in pairs}
    assert {name for name, _ in pairs} == {"color"}
    values = [decode(value) for _, value in pairs]
    return values if kind == "array" else values[0]


def from_path(request: Request, style: str, explode: int, kind: str) -> Json:
    empty, a, segment, z = request.url.removeprefix("http://h").split("/")
    assert (empty, a, z) == ("", "a", "z")
    if style == "matrix":
        found = [each.partition("=")[::2] for each in segment.removeprefix(";").split(";")]
        pairs = [(name, value) for name, value in found]
        if explode:
            return many_pairs(pairs, kind, unquote)
        return one_text(pairs[0][1], ",", kind, explode, unquote)
    separator = "." if style == "label" and explode else ","
    text = segment.removeprefix(".") if style == "label" else segment
    return one_text(text, separator, kind, explode, unquote)


SEPARATORS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C", "cookie": ","}


def from_pairs(written: list[str], style: str, explode: int, kind: str) -> Json:
    pairs = [(name, value) for name, _, value in (each.partition("=") for each in written)]
    decode = str if style == "cookie" else unquote
    if style == "deepObject" and kind == "object":
        names = [re.fullmatch(r"color%5B(.*)%5D", name) for name, _ in pairs]
        inner = [name[1] for name in names if name]
        return {decode(n): decode(v) for n, (_, v) in zip(inner, pairs, strict=True)}
    if explode or kind == "string":
        return many_pairs(pairs, kind, decode)
    return one_text(pairs[0][1], SEPARATORS[style], kind, explode, decode)


def decoded(request: Request, place: str, style: str, explode: int, kind: str) -> Json:
    headers = dict(request.headers)
    if place == "path":
        return from_path(request, style, explode, kind)
    if place == "query":
        return from_pairs(request.url.partition("?")[2].split("&"), style, explode, kind)
    if place == "cookie":
        return from_pairs(headers["Cookie"].split("; "), style, explode, kind)
    assert not re.search(r"[\x00-\x1f\x7f]", headers["color"])
    return one_text(headers["color"], ",", kind, explode, str)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("place", "style", "explode"), STYLES)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_parameter_arrives_in_its_style(
    data: st.DataObject, place: str, style: str, explode: int, kind: str
) -> None:
    value = data.draw(KINDS[kind])
    tool = tool_for(place, style, explode, kind)
    if mismatches := check(tool, {"color": value}):
        assert all(each.pointer.split("/")[1:2] in ([], ["color"]) for each in mismatches)
        with pytest.raises(InvalidArguments):
            build_request(tool, {"color": value}, server="http://h")
        return
    request = build_request(tool, {"color": value}, server="http://h")
    assert decoded(request, place, style, explode, kind) == value


PLAIN = st.dictionaries(
    st.sampled_from(["a", "b", "c d"]), TEXT | st.lists(TEXT, min_size=1, max_size=3), max_size=3
)


@lru_cache
def posting(media_type: str) -> Tool:
    item = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    schema = {"type": "object", "additionalProperties": item}
    operation = {
        "requestBody": {"required": True, "content": {media_type: {"schema": schema}}},
        "responses": {"200": {"description": "ok"}},
    }
    return tool_of(document({"/c": {"post": operation}}))


def as_lists(value: JsonObject) -> dict[str, list[str]]:
    return {name: each if isinstance(each, list) else [each] for name, each in value.items()}


def form_in(request: Request) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in filter(None, request.body.decode().split("&")):
        name, _, value = pair.partition("=")
        found.setdefault(unquote(name), []).append(unquote(value))
    return found


def parts_in(request: Request) -> dict[str, list[str]]:
    head = f"Content-Type: {dict(request.headers)['Content-Type']}\r\n\r\n".encode()
    message: Any = BytesParser(policy=HTTP).parsebytes(head + request.body)
    boundary = message.get_boundary().encode()
    found: dict[str, list[str]] = {}
    # The library reads line ends of parts in its own way, so they are cut apart here.
    for part in request.body.split(b"--" + boundary)[1:-1]:
        lines, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'name="(.*?)"', lines)
        assert name
        found.setdefault(name[1].decode(), []).append(content.removesuffix(b"\r\n").decode())
    return found


def elements_in(request: Request) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in ElementTree.fromstring(request.body):  # noqa: S314 - written by ourselves
        found.setdefault(each.tag, []).append(each.text or "")
    return found


@pytest.mark.parametrize(
    ("media_type", "read"),
    [
        ("application/x-www-form-urlencoded", form_in),
        ("multipart/form-data", parts_in),
        ("application/xml", elements_in),
    ],
)
@settings(max_examples=examples(150))
@given(value=PLAIN)
def test_a_body_arrives_in_its_media_type(
    media_type: str, read: Callable[[Request], dict[str, list[str]]], value: JsonObject
) -> None:
    tool = posting(media_type)
    if check(tool, {"body": value}):
        with pytest.raises(InvalidArguments):
            build_request(tool, {"body": value}, server="http://h")
        return
    request = build_request(tool, {"body": value}, server="http://h")
    assert read(request) == as_lists(value)
