"""Arrays of Swagger 2.0 in every `collectionFormat` and place, through whole documents."""

from __future__ import annotations

import pytest
from tests.support.recorder import tool_of

from restwright.calls.arguments.check import check
from restwright.calls.request.build import build_request
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.tools.tool import Tool

ARRAY = ["a b", "c,d"]
JOINED = {"csv": "a%20b,c%2Cd", "tsv": "a%20b%09c%2Cd", "pipes": "a%20b%7Cc%2Cd"}


def tool_for(place: str, collection: str) -> Tool:
    required = {"required": True} if place == "path" else {}
    parameter: JsonObject = {
        "name": "v",
        "in": place,
        "type": "array",
        "items": {"type": "string"},
        "collectionFormat": collection,
        **required,
    }
    path = "/c/{v}" if place == "path" else "/c"
    consumes = {"consumes": ["application/x-www-form-urlencoded"]} if place == "formData" else {}
    operation = {"parameters": [parameter], "responses": {"200": {"description": "ok"}}, **consumes}
    return tool_of(
        {
            "swagger": "2.0",
            "info": {"title": "t", "version": "1"},
            "host": "h",
            "paths": {path: {"post": operation}},
        }
    )


def sent(tool: Tool, value: list[str]) -> Request:
    assert check(tool, {"v": value}) == ()
    return build_request(tool, {"v": value}, server="http://h")


@pytest.mark.parametrize("collection", JOINED)
def test_members_are_joined_as_the_format_says(collection: str) -> None:
    text = JOINED[collection]
    assert sent(tool_for("path", collection), ARRAY).url == f"http://h/c/{text}"
    assert sent(tool_for("query", collection), ARRAY).url == f"http://h/c?v={text}"
    assert sent(tool_for("formData", collection), ARRAY).body.decode() == f"v={text}"


def test_spaces_join_what_has_none() -> None:
    for place in ("query", "formData"):
        tool = tool_for(place, "ssv")
        assert check(tool, {"v": ["a b"]})
        request = sent(tool, ["a", "c,d"])
        assert "v=a%20c%2Cd" in (request.url.partition("?")[2], request.body.decode())


def test_a_multiple_format_repeats_the_name() -> None:
    assert sent(tool_for("query", "multi"), ARRAY).url == "http://h/c?v=a%20b&v=c%2Cd"
    assert sent(tool_for("formData", "multi"), ARRAY).body == b"v=a%20b&v=c%2Cd"


@pytest.mark.parametrize(
    ("collection", "text"), [("csv", "a,b"), ("ssv", "a b"), ("tsv", "a\tb"), ("pipes", "a|b")]
)
def test_a_header_is_joined_without_encoding(collection: str, text: str) -> None:
    assert dict(sent(tool_for("header", collection), ["a", "b"]).headers)["v"] == text
