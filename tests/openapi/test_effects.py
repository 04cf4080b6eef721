"""What an operation does though its method says that it does nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from restwright.calls.approval.policy import CONFIRM, READ_ONLY, Policy
from restwright.calls.request.build import build_request
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.run_options import ApprovalOptions
from restwright.errors import InvalidArguments
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.openapi.read.lint import lint_api
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.safety import classify_operation, is_called_read
from restwright.tools.tool import Tool

ROOM = Path(__file__).parents[1] / "adversarial"
EFFECTS: list[JsonObject] = json.loads((ROOM / "effects.json").read_text("utf-8"))
HEADERS: list[JsonObject] = json.loads((ROOM / "refused_headers.json").read_text("utf-8"))
OK: JsonObject = {"responses": {"200": {"description": "ok"}}}


def parameter(name: str, location: str, **more: Json) -> JsonObject:
    return {"name": name, "in": location, "schema": {"type": "string"}, **more}


def paths(row: JsonObject) -> JsonObject:
    operation = {**OK, "parameters": [parameter(*each) for each in row["parameters"]]}
    operation |= {key: row[key] for key in ("operationId", "summary") if row[key]}
    return {row["path"]: {row["method"]: operation}}


@pytest.mark.parametrize("row", EFFECTS, ids=[each["name"] for each in EFFECTS])
def test_what_an_operation_says_is_what_it_is_taken_for(row: JsonObject) -> None:
    api = load(document(paths=paths(row)))
    assert classify_operation(api.operations[0]) == row["class"]
    told = [each for each in lint_api(api) if each.action.startswith("taken for")]
    is_surprise = row["class"] != "read" and (row["method"] == "get" or bool(row["parameters"]))
    assert bool(told) == is_surprise


def one_tool(path: str, operation: JsonObject, overlay: JsonObject | None = None) -> Tool:
    method = operation.get("method", "get")
    written = {**OK, **{key: value for key, value in operation.items() if key != "method"}}
    overlays = [overlay] if overlay else []
    return catalog(load(document(paths={path: {method: written}}), overlays=overlays)).tools[0]


def overlay(update: JsonObject, target: str = "$.paths.*.*") -> JsonObject:
    action = {"target": target, "update": update}
    return {"overlay": "1.0.0", "info": {"title": "o", "version": "1"}, "actions": [action]}


@pytest.mark.parametrize("flag", ["x-class", "x-restwright-class"])
@pytest.mark.parametrize("said", ["read", "write", "destructive"])
@pytest.mark.parametrize(("method", "path"), [("get", "/logout"), ("get", "/a"), ("delete", "/a")])
def test_an_overlay_decides_the_class_and_a_document_only_raises_it(
    flag: str, said: str, method: str, path: str
) -> None:
    plain = CONFIRM.class_of(one_tool(path, {"method": method}))
    order = ["read", "write", "destructive"]
    by_document = CONFIRM.class_of(one_tool(path, {"method": method, flag: said}))
    assert by_document == max(plain, said, key=order.index)
    assert CONFIRM.class_of(one_tool(path, {"method": method}, overlay({flag: said}))) == said
    both = one_tool(path, {"method": method, flag: said}, overlay({flag: said}))
    assert CONFIRM.class_of(both) == said


def test_an_overlay_that_names_the_flag_itself_decides_too() -> None:
    changed = overlay("read", "$.paths['/logout'].get['x-class']")  # type: ignore[arg-type]
    tool = one_tool("/logout", {"x-class": "write"}, changed)
    assert READ_ONLY.decision(tool) == "allow"


def test_what_an_overlay_copies_from_the_document_stays_the_documents_word() -> None:
    written = document(paths={"/a": {"get": {**OK, "x-class": "read"}}, "/logout": {"get": {**OK}}})
    action = {"target": "$.paths['/logout'].get", "copy": "$.paths['/a'].get"}
    changes = {**overlay({}), "overlay": "1.1.0", "actions": [action]}
    tools = catalog(load(written, overlays=[changes])).tools
    assert [CONFIRM.class_of(each) for each in tools] == ["read", "write"]


def test_an_option_says_the_class_of_a_tool_either_way() -> None:
    tool = one_tool("/logout", {"operationId": "logout"})
    for word, decision in (("read", "allow"), ("write", "refuse"), ("destructive", "refuse")):
        policy = policy_of(ApprovalOptions(read_only=True), [f"log*={word}"])
        assert (policy.class_of(tool), policy.decision(tool)) == (word, decision)


def test_under_read_only_a_method_override_is_not_sent() -> None:
    tool = one_tool("/a", {"parameters": [parameter("X-HTTP-Method-Override", "header")]})
    assert READ_ONLY.decision(tool) == "refuse"
    assert Policy(classes={"write": "allow"}).decision(tool) == "ask"


@pytest.mark.parametrize("name", ["_method", "X-HTTP-Method-Override"])
def test_no_member_of_a_free_object_becomes_a_method_override(name: str) -> None:
    free = {"type": "object", "additionalProperties": {"type": "string"}}
    filters = {"name": "filters", "in": "query", "schema": free}
    tool = one_tool("/a", {"parameters": [filters]})
    with pytest.raises(InvalidArguments):
        build_request(tool, {"filters": {name: "DELETE"}}, server="https://api.example.com")


@pytest.mark.parametrize("row", HEADERS, ids=[each["name"] for each in HEADERS])
def test_a_header_that_says_where_a_request_goes_or_comes_from_is_refused(row: JsonObject) -> None:
    tool = one_tool("/a", {"parameters": [parameter(row["header"], "header")]})
    name = tool.inputs[0].name
    with pytest.raises(InvalidArguments, match="may not set the header"):
        build_request(tool, {name: "/admin"}, server="https://api.example.com")


@pytest.mark.parametrize(
    ("method", "path", "name", "is_called_so"),
    [
        ("post", "/books/search", "", True),
        ("post", "/books", "query_books", True),
        ("post", "/books", "add_book", False),
        ("post", "/books/search", "delete_found_books", False),
        ("post", "/messages/read", "", False),
        ("post", "/check-runs", "", False),
        ("put", "/queries/{id}/query", "", False),
        ("get", "/books/search", "", False),
    ],
)
def test_a_post_is_called_like_a_read(
    method: str, path: str, name: str, *, is_called_so: bool
) -> None:
    tool = one_tool(path, {"method": method, **({"operationId": name} if name else {})})
    assert is_called_read(tool.operation) is is_called_so
