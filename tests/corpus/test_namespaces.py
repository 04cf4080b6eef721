"""The shared vectors of namespaces: what we propose, and what document 004 describes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.naming.hosts import reference_label
from restwright.tools.naming.namespace import choose_namespace

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "namespaces" / "vectors.json"
ROWS = json.loads(DATA.read_text("utf-8")) if DATA.exists() else []
TITLE = "Acme Shop API"
TITLED = "acme_shop"

# Rows whose columns are words rather than names, and what they amount to with and without title.
SAID = {
    "(servers missing)": (TITLED, "api"),
    "/api/v3": (TITLED, "api"),
    # A public suffix that several APIs share: each is named by its title.
    "https://www.gov.uk/api": (TITLED, "gov_uk"),
    "https://api.service.gov.uk": (TITLED, "service_gov_uk"),
    "https://3scale.net": ("api_3scale", "api_3scale"),
    "https://クックパッド.jp": (TITLED, "api_5db7b0"),
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not ROWS, reason=f"the shared data set {DATA} is not there"),
]


def wanted(row: dict[str, str]) -> tuple[str, str]:
    """The proposed name with the title and without one."""
    if row["server_url"] in SAID:
        return SAID[row["server_url"]]
    left, _, right = row["proposed"].partition(" | ")
    return (TITLED, right) if right else (left, left)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["server_url"])
def test_the_proposed_namespace_is_given(row: dict[str, str]) -> None:
    urls = row["server_url"].split(" + ")
    if len(urls) > 1:
        several = [
            load(
                {**document({}), "servers": [{"url": url}], "info": {"title": TITLE, "version": n}}
            )
            for url, n in zip(urls, "12", strict=True)
        ]
        assert list(catalog(*several).namespaces) == row["proposed"].split(", ")
        return
    names = [choose_namespace(server_url=urls[0], title=title).name for title in (TITLE, "")]
    assert names == list(wanted(row))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["server_url"])
def test_the_style_url_gives_what_document_004_describes(row: dict[str, str]) -> None:
    urls = row["server_url"].split(" + ")
    found = [reference_label(url) for url in urls]
    if "(" in row["reference_algorithm"]:
        assert re.fullmatch("xn[a-z0-9]+", found[0])
    else:
        said = row["reference_algorithm"].partition(" / ")[0]
        assert found == said.split(", ")


def test_what_is_missing_is_taken_from_where_the_document_came_from() -> None:
    for url in ("", "/", "/api/v3"):
        found = choose_namespace(server_url=url, document_url="https://api.acme.com/openapi.json")
        assert (found.name, found.reason) == ("acme", "the host api.acme.com")
