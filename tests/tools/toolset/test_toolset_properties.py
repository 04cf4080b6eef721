"""What holds for every offer: within its budget, and nothing out of reach."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.dialects import DIALECTS
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.toolset import OfferLimits, ToolMatch, offer_tools, search_tools

TEXTS = st.sampled_from(["", "Short.", "A longer sentence. " * 20, "\u00e9\u4e2d \U0001f600 " * 30])
SCHEMAS = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"]), "description": TEXTS}),
    lambda inner: st.dictionaries(st.sampled_from("abcdef"), inner, max_size=4).map(
        lambda properties: {"type": "object", "properties": properties}
    ),
    max_leaves=12,
)


@st.composite
def operations(draw: st.DrawFn, number: int) -> dict[str, Any]:
    inputs = draw(st.integers(0, 12))
    parameters = [
        {
            "name": f"input_{place}",
            "in": "query",
            "required": draw(st.booleans()),
            "schema": draw(SCHEMAS),
            "description": draw(TEXTS),
        }
        for place in range(inputs)
    ]
    return {"operationId": f"op{number}", "description": draw(TEXTS), "parameters": parameters}


@st.composite
def catalogs(draw: st.DrawFn) -> Catalog:
    apis: list[Any] = []
    for name in draw(st.sampled_from([("a",), ("a", "b"), ("a", "a0", "b")])):
        count = draw(st.integers(1, 8))
        paths = {f"/{n}": {"get": draw(operations(n))} for n in range(count)}
        apis.append(load(document(paths), alias=name))
    return catalog(*apis)


LIMITS = st.builds(
    OfferLimits,
    tools=st.sampled_from([None, 0, 3]),
    budget=st.sampled_from([750, 900, 2_000, 4_000]),
    above=st.sampled_from(["search", "native", "meta", "all"]),
    k=st.integers(1, 20),
)
SPOKEN = st.sampled_from(
    [DIALECTS[name] for name in ("openai", "openai-strict", "anthropic", "mcp")]
)
QUERIES = st.sampled_from(["", "op1 longer sentence", "nothing at all"])


def reversed_names(query: str, whole: Catalog, k: int, **_: object) -> tuple[ToolMatch, ...]:
    return tuple(ToolMatch(each, query) for each in [*whole.entries][::-1][:k])


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(whole=catalogs(), limits=LIMITS, dialect=SPOKEN, query=QUERIES)
def test_an_offer_keeps_to_its_budget_and_leaves_nothing_out_of_reach(
    whole: Catalog, limits: OfferLimits, dialect: Any, query: str
) -> None:
    offer = offer_tools(whole, query, dialect=dialect, limits=limits, search=reversed_names)
    assert offer.tokens <= limits.budget
    if offer.policy != "native":
        assert offer.characters == len(to_json_bytes([*offer.shapes]).decode())
    # Each is offered, deferred, or on a page of `search_tools`.
    reached = {*offer.names, *offer.deferred}
    if offer.meta:
        reached |= set(listed(whole))
    assert reached == set(whole.names)
    places = [tuple(each.split("__")) for each in offer.names]
    assert places == sorted(places)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])
@given(whole=catalogs(), k=st.integers(1, 6))
def test_what_is_left_out_is_never_the_end_of_the_alphabet(whole: Catalog, k: int) -> None:
    limits = OfferLimits(tools=0, k=k)
    offer = offer_tools(
        whole, "x", dialect=DIALECTS["openai"], limits=limits, search=reversed_names
    )
    ranked = [each.name for each in reversed_names("x", whole, k)]
    assert set(offer.names) <= set(ranked)
    assert offer.names or len(offer.meta) == 3


def listed(whole: Catalog) -> list[str]:
    """Every name that `search_tools` lists, API by API and page by page."""
    names: list[str] = []
    for api in pages(whole, "apis"):
        names += [each["name"] for each in pages(whole, "tools", namespace=api["name"])]
    return names


def pages(whole: Catalog, key: str, **asked: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    page: int | None = 1
    while page is not None:
        found = search_tools(whole, page=page, **asked)
        items += found[key]
        page = found.get("next_page")
    return items
