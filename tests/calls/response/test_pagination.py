"""The pages of a list, put together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.approval.approval import refuse_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.calls.response.pagination import (
    PageLimits,
    UnreachablePage,
    fetch_all_pages,
    next_page_arguments,
)
from restwright.calls.response.result import PageProgress, Result, result_from_response
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, document, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Layout, Tool

HERE = "https://api.example.test/things"
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def listing(layout: Layout = "flat", **parameters: Json) -> Tool:
    declared = [
        {"name": name, "in": "query", "schema": schema} for name, schema in parameters.items()
    ]
    operation = {"operationId": "things", "parameters": declared, "responses": {"200": {}}}
    api = load(document({"/things": {"get": operation}}))
    return catalog(api, options=ToolOptions(layout=layout))["test__things"]


def page(body: Json, headers: dict[str, str] | None = None, *, url: str = HERE) -> Result:
    return result_from_response(Request(method="GET", url=url), reply(200, body, headers))


ITEMS = [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize(
    ("parameters", "arguments", "body", "following"),
    [
        # a link in the body
        ({"page": NUMBER}, {}, {"results": ITEMS, "next": f"{HERE}?page=2"}, {"page": 2}),
        ({"after": TEXT}, {"q": 1}, {"data": ITEMS, "next": "?after=b"}, {"q": 1, "after": "b"}),
        (
            {"start": NUMBER},
            {},
            {"items": ITEMS, "_links": {"next": {"href": "/things?start=2"}}},
            {"start": 2},
        ),
        (
            {"page": NUMBER},
            {},
            {"items": ITEMS, "links": [{"rel": "next", "href": f"{HERE}?page=2"}]},
            {"page": 2},
        ),
        ({"$skip": NUMBER}, {}, {"value": ITEMS, "@odata.nextLink": f"{HERE}?$skip=2"}, None),
        # a token
        (
            {"pageToken": TEXT},
            {"pageToken": "x"},
            {"items": ITEMS, "nextPageToken": "y"},
            {"pageToken": "y"},
        ),
        (
            {"cursor": TEXT},
            {},
            {"channels": ITEMS, "response_metadata": {"next_cursor": "dXNl"}},
            {"cursor": "dXNl"},
        ),
        ({"cursor": TEXT}, {}, {"channels": ITEMS, "next_cursor": ""}, None),
        ({"start_cursor": TEXT}, {}, {"results": ITEMS, "next_cursor": "n"}, {"start_cursor": "n"}),
        ({"after": TEXT}, {}, {"results": ITEMS, "paging": {"next": {"after": 2}}}, {"after": "2"}),
        ({"cursor": TEXT}, {"cursor": "c"}, {"items": ITEMS, "cursor": "c"}, None),
        ({"cursor": TEXT}, {"cursor": "c"}, {"items": ITEMS, "cursor": "d"}, {"cursor": "d"}),
        ({"page": NUMBER}, {}, {"items": ITEMS, "next_page": 2}, {"page": 2}),
        # the last id
        ({"starting_after": TEXT}, {}, {"data": ITEMS, "has_more": True}, {"starting_after": "b"}),
        ({"starting_after": TEXT}, {}, {"data": ITEMS, "has_more": False}, None),
        # an offset
        ({"offset": NUMBER}, {"offset": 4}, {"items": ITEMS, "total": 10}, {"offset": 6}),
        ({"offset": NUMBER}, {"offset": 8}, {"items": ITEMS, "total": 10}, None),
        ({"offset": NUMBER, "limit": NUMBER}, {"limit": 5}, {"items": ITEMS}, None),
        ({"offset": NUMBER, "limit": NUMBER}, {"limit": 2}, ITEMS, {"limit": 2, "offset": 2}),
        ({"startIndex": NUMBER}, {}, {"Resources": ITEMS, "totalResults": 3}, {"startIndex": 3}),
        ({"from": TEXT}, {}, {"items": ITEMS, "total": 10}, None),
        # the number of a page
        ({"page": NUMBER}, {}, {"items": ITEMS, "total": 5}, {"page": 2}),
        ({"page": NUMBER}, {"page": 3}, {"items": ITEMS, "total_pages": 3}, None),
        ({"page": {**NUMBER, "minimum": 0, "default": 0}}, {}, {"content": ITEMS}, {"page": 1}),
        ({"page": NUMBER}, {}, {"content": ITEMS, "last": True}, None),
        ({"page": NUMBER}, {"page": 2}, {"items": []}, None),
        ({"page": NUMBER}, {"page": 2}, {"items": ITEMS, "next": None, "total": 9}, None),
        # nothing to go on with
        ({}, {}, {"items": ITEMS, "total": 10}, None),
        ({"page": NUMBER}, {}, {"name": "no list"}, None),
        ({"page": NUMBER}, {}, "text", None),
    ],
)
def test_the_arguments_of_the_next_page(parameters, arguments, body, following):
    tool = listing(**parameters)
    if "$skip" in parameters:
        following = {tool.inputs[0].name: 2}
    assert next_page_arguments(tool, arguments, page(body)) == following


@pytest.mark.parametrize(
    ("header", "following"),
    [
        (f'<{HERE}?page=2&per_page=5>; rel="next", <{HERE}?page=9>; rel="last"', {"page": 2}),
        (f'<{HERE}?page=1>; rel="prev"', None),
        ('<?page=4>; title="a, <b>"; rel=next', {"page": 4}),
        ('</things?page=7>; rel="nofollow next"', {"page": 7}),
        ("<", {"page": 2}),
    ],
)
def test_the_next_link_of_the_header(header, following):
    body = {"items": ITEMS, "total": 100}
    found = next_page_arguments(listing(page=NUMBER), {}, page(body, {"link": header}))
    assert found == following


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example.test/things?page=2",
        "https://api.example.test:444/things?page=2",
        "https://api.example.test/admin?page=2",
        "https://api.example.test@evil.example.test/things?page=2",
        "https://api.example.test:99999/things?page=2",
        "?secret=2",
        "?",
    ],
)
def test_a_next_page_that_no_argument_leads_to_is_said(link):
    with pytest.raises(UnreachablePage):
        next_page_arguments(listing(page=NUMBER), {}, page({"items": ITEMS, "next": link}))


def test_a_link_of_a_server_behind_a_proxy_is_understood():
    link = "http://api.example.test/things?page=2"
    assert next_page_arguments(
        listing(page=NUMBER), {}, page(ITEMS, {"link": f"<{link}>;rel=next"})
    ) == {"page": 2}


def test_the_arguments_of_a_grouped_layout_are_changed_in_their_group():
    tool = listing("grouped", page=NUMBER, q=TEXT)
    following = next_page_arguments(tool, {"query": {"q": "x"}}, page({"items": ITEMS, "total": 5}))
    assert following == {"query": {"q": "x", "page": 2}}


def shop(total: int, size: int) -> Callable[[JsonObject], Result]:
    def answer(arguments: JsonObject) -> Result:
        start = (arguments.get("page", 1) - 1) * size
        items = [{"id": number} for number in range(start, min(start + size, total))]
        return page({"items": items, "total": total})

    return answer


@settings(max_examples=examples(60))
@given(st.integers(0, 60), st.integers(1, 9))
def test_reading_all_gives_every_item_once(total: int, size: int):
    result = fetch_all_pages(listing(page=NUMBER), {}, shop(total, size))
    assert [each["id"] for each in result.value["items"]] == list(range(total))
    assert result.pages == PageProgress(read=max(1, -(-total // size)), items=total, stopped="end")


@pytest.mark.parametrize(
    ("bounds", "paged"),
    [
        (PageLimits(pages=3), PageProgress(read=3, items=6, stopped="pages")),
        (PageLimits(items=5), PageProgress(read=3, items=6, stopped="items")),
        (PageLimits(bytes=50), PageProgress(read=2, items=4, stopped="bytes")),
    ],
)
def test_reading_all_is_bounded(bounds: PageLimits, paged: PageProgress):
    result = fetch_all_pages(listing(page=NUMBER), {}, shop(100, 2), bounds)
    assert result.pages == paged
    assert not paged.is_whole
    assert "more pages follow" in result.warnings[0]


@pytest.mark.parametrize(
    "body", [{"items": ITEMS, "total": 100}, {"items": [], "next_cursor": "x"}]
)
def test_a_page_that_comes_again_ends_the_reading(body: Json):
    result = fetch_all_pages(listing(page=NUMBER, cursor=TEXT), {}, lambda _: page(body))
    assert result.pages is not None
    assert result.pages.stopped == "repeated"
    assert result.value["items"] == body["items"]


def test_a_page_that_fails_keeps_what_came_before():
    def answer(arguments: JsonObject) -> Result:
        if arguments.get("page") == 2:
            failed = Response(status=500)
            return result_from_response(Request(method="GET", url=HERE), failed)
        return page({"items": ITEMS, "total": 100})

    result = fetch_all_pages(listing(page=NUMBER), {}, answer)
    assert (result.kind, result.status, result.value["items"]) == ("http_error", 500, ITEMS)
    assert result.text.startswith("page 2: HTTP 500")
    assert result.pages == PageProgress(read=1, items=2, stopped="failed")


def test_a_page_out_of_reach_keeps_what_came_before():
    body = {"items": ITEMS, "next": "https://evil.example.test/things?page=2"}
    result = fetch_all_pages(listing(page=NUMBER), {}, lambda _: page(body))
    assert (result.ok, result.value["items"]) == (True, ITEMS)
    assert result.pages == PageProgress(read=1, items=2, stopped="unreachable")


def test_a_failure_and_a_value_without_a_list_are_left_as_they_are():
    for answer in (page({"name": "x"}), Result(kind="refused")):
        assert fetch_all_pages(listing(page=NUMBER), {}, lambda _, given=answer: given) == answer


def test_a_write_is_made_once():
    operation = {"operationId": "add", "responses": {"200": {}}}
    tool = catalog(load(document({"/things": {"post": operation}})))["test__add"]
    answer = page({"items": ITEMS, "total": 100, "next": "?page=2"})
    assert fetch_all_pages(tool, {}, lambda _: answer) == answer


def test_every_page_is_a_checked_call():
    tool = listing(page={**NUMBER, "maximum": 2})
    send = RecordingTransport(lambda _: reply(200, {"items": [len(send.sent)], "total": 100}))

    def once(arguments: JsonObject) -> Result:
        connection = Connection()
        return call(tool, arguments, connection=connection, send=send, approve=refuse_all)

    result = fetch_all_pages(tool, {}, once)
    assert [request.url for request in send.sent] == [HERE, f"{HERE}?page=2"]
    assert (result.kind, result.value["items"]) == ("mismatch", [1, 2])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 2**40) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["items", "next", "links", "total", "has_more", "cursor", "href", "count", "id"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=examples(200))
@given(VALUES, st.text(max_size=40))
def test_any_response_has_a_next_page_or_none(body: Json, link: str):
    tool = listing(page=NUMBER, cursor=TEXT, offset=NUMBER)
    header = {"link": link.encode("latin-1", "replace").decode("latin-1")}
    try:
        following = next_page_arguments(tool, {}, page(body, header))
    except UnreachablePage:
        return
    assert following is None or json.dumps(following)


LINKS = json.loads((Path(__file__).parents[2] / "adversarial/next_links.json").read_text())


@pytest.mark.parametrize("where", ["body", "header"])
@pytest.mark.parametrize("row", LINKS, ids=lambda row: row["name"])
def test_a_link_that_cannot_be_followed_ends_the_pages_and_is_told(
    row: dict[str, str], where: str
) -> None:
    tool = listing(page=NUMBER)
    link = row["link"]
    body: Json = {"items": ITEMS, "next": f"{HERE}{link}" if link.startswith("?") else link}
    headers = {"link": f'<{link}>; rel="next"'}
    found = page({"items": ITEMS}, headers) if where == "header" else page(body)
    result = fetch_all_pages(tool, {}, lambda _: found)
    assert result.ok
    assert result.pages == PageProgress(read=1, items=2, stopped="unreachable")
    assert row["why"] in result.warnings[-1]
