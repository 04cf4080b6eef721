from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.naming.namespace import Namespace, choose_namespace, namespace_from_api

VECTORS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("namespaces.json").read_text("utf-8")
)
LEGAL = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def named(title: str, *, alias: str | None = None, **more: str) -> Namespace:
    info = {"title": title, "version": "1"}
    return namespace_from_api(load({**document({}), "info": info, **more}, alias=alias))


def test_the_alias_comes_first() -> None:
    assert named("Pets", alias="My Shop", **{"x-namespace": "zoo"}) == Namespace(
        "my_shop", "the alias given by the user"
    )


def test_then_the_documents_own_namespace() -> None:
    assert named("Pets", **{"x-namespace": "zoo"}) == Namespace(
        "zoo", "`x-namespace` of the document"
    )


@pytest.mark.parametrize(
    ("title", "name"),
    {
        "Restwright Shop": "restwright_shop",
        "The Pet Store API v2.1": "pet_store",
        "Box Platform API": "box_platform",
        "Amazon Elastic Compute Cloud": "amazon_elastic",
        "Discord HTTP API (Preview)": "discord",
        "REST API": "rest_api",
        "3scale": "api_3scale",
        "M\u00fcnchen": "munchen",
        "\u5546\u5e97": "local",
        "": "local",
        "x" * 30: "x" * 20,
    }.items(),
)
def test_then_the_words_of_the_title(title: str, name: str) -> None:
    assert named(title).name == name


@given(st.text(max_size=60), st.none() | st.text(max_size=60))
def test_a_namespace_is_always_short_and_legal(title: str, alias: str | None) -> None:
    assert LEGAL.fullmatch(name := named(title, alias=alias).name)
    assert len(name) <= 20


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["url"])
def test_the_host_says_whose_api_it_is(row: dict[str, Any]) -> None:
    given = {"server_url": row["url"], "document_url": row.get("document", "")}

    assert choose_namespace(**given).name == row["expected"]
    titled = choose_namespace(**given, title="Acme Shop API")
    assert titled.name == row.get("titled", row["expected"])
    assert ("the title" in titled.reason) == ("titled" in row)


def test_every_vector_says_why() -> None:
    assert all(row["reason"] for row in VECTORS)
    assert len({(row["url"], row.get("document")) for row in VECTORS}) == len(VECTORS)


@given(
    st.text(max_size=60)
    | st.from_regex(r"https?://[a-z0-9.\[\]:{}\-]{0,30}(/[a-z]{0,5})?", fullmatch=True),
    st.sampled_from(["", "https://api.acme.com/openapi.json", "https://["]),
    st.text(max_size=20),
    st.sampled_from(["sound", "url"]),
)
def test_any_url_gives_a_legal_namespace_with_a_reason(
    url: str, document_url: str, title: str, style: Any
) -> None:
    found = choose_namespace(server_url=url, document_url=document_url, title=title, style=style)

    assert LEGAL.fullmatch(found.name)
    assert len(found.name) <= 20
    assert found.reason


@pytest.mark.parametrize(
    ("url", "name"),
    {
        "http://localhost:8080": "local",
        "https://8.8.8.8": "local",
        "/v1": "unknown",
        "https://my-app.herokuapp.com": "herokuapp",
        "https://3scale.net": "api_3scale",
    }.items(),
)
def test_the_style_url_takes_the_last_label_but_one(url: str, name: str) -> None:
    assert choose_namespace(server_url=url, title="Shop", style="url").name == name


def test_the_first_server_with_a_host_speaks_for_the_document() -> None:
    servers = [{"url": "/v1"}, {"url": "https://{where}.acme.com/v1", "variables": WHERE}]

    assert namespace_from_api(load({**document({}), "servers": servers})).name == "acme"


def test_the_server_that_most_operations_have_speaks_for_the_document() -> None:
    shop, pay = ([{"url": f"https://api.{name}.com"}] for name in ("shop", "pay"))
    paths: dict[str, Any] = {
        "/carts": {"servers": shop, "get": {}, "post": {}},
        "/payments": {"get": {"servers": pay}},
        "/x": {"x-no-operation": True, "parameters": []},
    }
    assert namespace_from_api(load({**document(paths), "servers": [{"url": "/"}]})).name == "shop"
    more = {f"/{number}": {"get": {}} for number in range(3)}
    assert namespace_from_api(load({**document({**paths, **more}), "servers": pay})).name == "pay"


PAGE = (Path(__file__).parents[3] / "docs" / "naming.md").read_text("utf-8")


def table(head: str) -> list[list[str]]:
    """The cells of the table whose first column is called `head`."""
    (rows,) = re.findall(rf"^\| {head} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows.splitlines()]


@pytest.mark.parametrize(("url", "titled", "untitled"), table("Server"))
def test_the_page_says_what_hosts_are_called(url: str, titled: str, untitled: str) -> None:
    names = [choose_namespace(server_url=url, title=each).name for each in ("Acme Shop API", "")]

    assert names == [titled, untitled]


def test_the_page_tells_what_happens_to_collisions() -> None:
    rows = table("APIs together")
    several = [
        load(
            {
                **document({}),
                "servers": [{"url": url}],
                "info": {"title": "Acme Shop API", "version": version},
            }
        )
        for url, version, _ in rows
    ]
    assert list(catalog(*several).namespaces) == [name for *_, name in rows]


WHERE = {"where": {"default": "eu"}}
