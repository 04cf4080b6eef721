from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import NameCollision
from restwright.openapi.api import load
from restwright.openapi.model import API
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.naming.stable_names import PinnedNames, api_identity

PATHS: dict[str, Any] = {"/pets": {"get": {"operationId": "listPets"}}}


def api(
    url: str = "https://api.acme.com", title: str = "Acme", version: str = "1", **more: Any
) -> API:
    alias = more.pop("alias", None)
    info = {"title": title, "version": version}
    return load(document(PATHS, info=info, servers=[{"url": url}], **more), alias=alias)


@pytest.mark.parametrize(
    ("several", "names"),
    [
        ([api("https://eu.api.acme.com"), api("https://us.api.acme.com")], ["eu_acme", "us_acme"]),
        (
            [api("https://graph.microsoft.com"), api("https://api.microsoft.com")],
            ["graph_microsoft", "api_microsoft"],
        ),
        (
            [api("https://acme.com/v1/orders"), api("https://acme.com/v1/billing")],
            ["acme_orders", "acme_billing"],
        ),
        ([api(title="Acme Pets"), api(title="Acme Orders API")], ["acme_pets", "acme_orders"]),
        ([api(version="1.0"), api(version="2.0-beta")], ["acme_v1_0", "acme_v2_0_beta"]),
        ([api("http://127.0.0.1:1"), api("http://127.0.0.1:2")], None),
    ],
)
def test_every_member_of_a_collision_gets_what_tells_it_apart(
    several: list[API], names: list[str] | None
) -> None:
    found = catalog(*several)

    if names is None:
        assert all(re.fullmatch("acme_[0-9a-f]{6}", name) for name in found.namespaces)
    else:
        assert list(found.namespaces) == names
    assert set(catalog(*several[::-1]).names) == set(found.names)
    assert set(found.problems_by_namespace) == set(found.namespaces)


def test_a_problem_says_what_a_member_is_called_and_why() -> None:
    found = catalog(api(version="1"), api(version="2"))

    (problem,) = found.problems_by_namespace["acme_v1"]
    assert problem.what == "its namespace 'acme' is also that of object"
    assert problem.action == "named 'acme_v1' after its version; an alias would choose a name"
    assert found.namespaces["acme_v1"].reason == (
        "the host api.acme.com; told apart from others by its version"
    )


def test_an_alias_stays_and_others_give_way() -> None:
    found = catalog(api(version="1"), api(version="2", alias="acme"))

    assert list(found.namespaces) == ["acme_v1", "acme"]
    assert list(found.problems_by_namespace) == ["acme_v1"]


def test_two_aliases_may_not_be_the_same() -> None:
    with pytest.raises(NameCollision):
        catalog(api(alias="shop"), api(alias="Shop"))


def test_the_same_document_at_the_same_server_counts_once() -> None:
    found = catalog(api(), api(), api(alias="mine"))

    assert list(found.namespaces) == ["acme", "mine"]
    (problem,) = found.name_problems
    assert (problem.severity, problem.action) == ("information", "its tools are there once")


def test_no_collision_takes_a_name_that_somebody_has() -> None:
    found = catalog(
        api("https://eu.acme.com"), api("https://us.acme.com", version="2"), api(alias="eu_acme")
    )

    assert set(found.namespaces) == {"eu_acme", "acme_v1", "us_acme"}


def test_a_fixed_namespace_stays_and_others_give_way() -> None:
    first, second = api(version="1"), api(version="2")
    fixed = {
        api_identity(first): PinnedNames(namespace="acme", names={"/paths/~1pets/get": "pets"}),
        "gone": PinnedNames(namespace="other"),
    }
    found = catalog(first, second, api("https://other.io"), fixed=fixed)

    assert found.names == ("acme__pets", "acme_v2__listPets", "other_acme__listPets")
    assert set(found.problems_by_namespace) == {"acme_v2", "other_acme"}


apis = st.lists(
    st.builds(
        api,
        st.sampled_from([
            *("https://api.acme.com", "https://eu.acme.com/v1", "https://us.acme.com/v1"),
            *("https://acme.org", "http://localhost", "https://eu-acme.com", "/v1"),
        ]),
        st.sampled_from(["Acme", "Acme Pets", "Acme Orders", "Eu Acme", "", "\u5546\u5e97"]),
        st.sampled_from(["1", "2", ""]),
        alias=st.none(),
    ),
    max_size=6,
    unique_by=lambda each: each.sha256,
)  # fmt: skip


def named(found: Catalog) -> dict[str, str]:
    return {each.sha256: name for name, each in found.apis.items()}


def troubled(found: Catalog) -> set[str]:
    return {found.apis[name].sha256 for name in found.problems_by_namespace}


@given(apis, st.randoms())
def test_the_order_of_apis_does_not_matter(several: list[API], random: Any) -> None:
    other = list(several)
    random.shuffle(other)

    assert named(catalog(*other)) == named(catalog(*several))
    assert catalog(*other).names == catalog(*several).names


@given(apis, apis)
def test_added_apis_rename_only_members_of_a_collision(several: list[API], more: list[API]) -> None:
    before = catalog(*several)
    after = catalog(*{each.sha256: each for each in (*more, *several)}.values())
    said = troubled(before) | troubled(after)

    assert len(after.apis) == len({each.sha256 for each in (*more, *several)})
    for identity, name in named(before).items():
        assert identity in said or named(after)[identity] == name


@given(apis)
def test_every_namespace_is_legal_and_every_tool_is_there(several: list[API]) -> None:
    found = catalog(*several)

    assert len(found) == len(several)
    assert all(re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", name) for name in found.namespaces)
    assert all(len(name) <= 20 for name in found.namespaces)
