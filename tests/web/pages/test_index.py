"""The pages about the whole catalog."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.web import catalog_of, load_shop, make_site, open_pages

from restwright.jsontypes import JsonObject
from restwright.tools.catalog.lock import detect_drift, lock_catalog
from restwright.tools.catalog.usage import UsageCounter
from restwright.web.site import LockState

SCRIPT = "<script>alert(1)</script>"
_PAGES = ("/", "/problems", "/limits", "/usage", "/lock")


def _get(path: str, **more: str) -> JsonObject:
    return {"get": {"operationId": path, "responses": {"200": {"description": "x"}}, **more}}


def test_the_catalog_says_what_there_is_and_where_its_names_came_from() -> None:
    page = open_pages(make_site(load_shop())).get("/")
    assert page.status_code == 200
    for text in ("21 tools", "the alias given by the user", "shop__list_products", "/products"):
        assert text in page.text


@pytest.mark.parametrize("path", _PAGES)
def test_each_page_has_json_beside_it(path: str) -> None:
    client = open_pages(make_site(load_shop()))
    assert client.get(path).status_code == 200
    name = "/index.json" if path == "/" else f"{path}.json"
    assert client.get(name).headers["content-type"] == "application/json"
    assert name in client.get(path).text


def test_a_search_says_why_each_tool_was_found() -> None:
    client = open_pages(make_site(load_shop()))
    part = client.get("/", params={"q": "refund my order"}, headers={"hx-request": "true"}).text
    assert "<html" not in part
    assert "Found because it" in part
    assert 'hx-target="#count"' in part
    found = client.get("/index.json", params={"q": "list products"}).json()["tools"]
    assert "why" in found[0]
    nothing = client.get("/", params={"q": "zzzz"}, headers={"hx-request": "true"}).text
    assert "Nothing has these words" in nothing


def test_thousands_of_tools_are_blocks_each_of_which_is_scrolled_through() -> None:
    paths = {f"/things{number:04}": _get(f"things{number:04}") for number in range(2_050)}
    client = open_pages(make_site(catalog_of(paths)))
    first = client.get("/").text
    for text in ("1\u20131,000", "1,001\u20132,000", "2,001\u20132,050", "namespace=&amp;page=21"):
        assert text in first
    assert "revealed" not in client.get("/", params={"page": "10"}).text
    assert "page=11" in client.get("/", params={"page": "10"}).text
    assert "revealed" in client.get("/", params={"page": "11"}).text
    last = client.get("/", params={"page": "21"}).text
    assert last.count("<li>") == 50
    assert 'aria-current="true">2,001\u20132,050' in last


def test_a_large_catalog_comes_a_part_at_a_time() -> None:
    paths = {f"/things{number:03}": _get(f"things{number:03}") for number in range(230)}
    client = open_pages(make_site(catalog_of(paths)))
    first = client.get("/").text
    assert first.count("<li>") == 100
    assert 'hx-trigger="revealed"' in first
    part = client.get("/", params={"page": "3"}, headers={"hx-request": "true"}).text
    assert part.count("<li>") == 30
    assert "revealed" not in part
    assert client.get("/", params={"page": "x"}).status_code == 200


def test_problems_stand_at_their_operation() -> None:
    paths: JsonObject = {
        "/a": {"get": {"operationId": "a", "responses": {"200": {"$ref": "#/nowhere"}}}},
        "/b": _get("b"),
    }
    client = open_pages(make_site(catalog_of(paths)))
    groups = client.get("/problems.json").json()["groups"]
    assert next(group["tool"] for group in groups) == "api__a"
    assert 'href="/tools/api__a"' in client.get("/problems").text
    assert client.get("/problems.json", params={"severity": "information"}).json()["groups"] == [
        group
        for group in groups
        if all(problem["severity"] == "information" for problem in group["problems"])
    ]


def test_the_limits_of_each_provider_are_said_for_this_catalog() -> None:
    client = open_pages(make_site(load_shop()))
    rows = {row["provider"]: row for row in client.get("/limits.json").json()["providers"]}
    assert rows["openai"]["max_tools"] == 128
    assert rows["openai"]["offered"] == 21
    assert "at most 128 items" in client.get("/limits", params={"q": "a camera"}).text


def test_usage_is_that_of_this_process() -> None:
    counter = UsageCounter()
    counter.count_call("shop__get_cart")
    counter.count_call("shop__get_cart", kind="mismatch", is_repaired=True)
    client = open_pages(make_site(load_shop(), usage=counter))
    assert client.get("/usage.json").json()["since_start"] == [
        {
            "tool": "shop__get_cart",
            "offered": 0,
            "called": 2,
            "failed": 1,
            "mismatched": 1,
            "repaired": 1,
        }
    ]
    assert "shop__get_cart" in client.get("/usage").text


def test_drift_from_the_lock_is_shown() -> None:
    before, now = catalog_of({"/a": _get("a")}), catalog_of({"/a": _get("a", summary="New")})
    drifts = detect_drift(lock_catalog(before), now)
    assert drifts
    site = make_site(now, lock=LockState(path=Path("restwright.lock"), drifts=drifts))
    client = open_pages(site)
    assert "api__a" in client.get("/lock").text
    assert "1 difference" in client.get("/").text
    same = replace(site, lock=LockState(path=Path("restwright.lock")))
    assert "All as locked" in open_pages(same).get("/").text


@pytest.mark.parametrize("path", _PAGES)
def test_a_script_in_a_document_stays_text(path: str) -> None:
    paths: JsonObject = {
        f"/{SCRIPT}": _get("a", summary=SCRIPT, description=SCRIPT),
        "/b": {"get": {"operationId": SCRIPT, "responses": {"200": {"$ref": f"#/{SCRIPT}"}}}},
    }
    catalog = catalog_of(paths, info={"title": SCRIPT, "version": SCRIPT})
    client = open_pages(make_site(catalog))
    assert "<script>alert" not in client.get(path).text
    assert "<script>alert" not in client.get(path, params={"q": SCRIPT}).text


def test_a_page_that_is_not_there_says_so_in_the_form_that_was_asked_for() -> None:
    client = open_pages(make_site(load_shop()))
    missing = client.get("/tools/none")
    assert (missing.status_code, "Not found" in missing.text) == (404, True)
    assert client.get("/tools/none.json").json()["error"]["status"] == 404
