from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.namespace import Namespace, namespace_of


def named(title: str, *, alias: str | None = None, **more: str) -> Namespace:
    info = {"title": title, "version": "1"}
    return namespace_of(load({**document({}), "info": info, **more}, alias=alias))


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
        "3scale": "n3scale",
        "M\u00fcnchen": "munchen",
        "\u5546\u5e97": "api",
        "": "api",
        "x" * 30: "x" * 20,
    }.items(),
)
def test_then_the_words_of_the_title(title: str, name: str) -> None:
    assert named(title).name == name


@given(st.text(max_size=60), st.none() | st.text(max_size=60))
def test_a_namespace_is_always_short_and_legal(title: str, alias: str | None) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name := named(title, alias=alias).name)
    assert len(name) <= 20
