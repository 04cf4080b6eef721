"""What a model is offered: policies, the one budget, the limits of providers, native deferral."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from restwright.errors import OverLimit, UnknownTool
from restwright.openapi.api import load
from restwright.testing import document, never
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.catalog.summary import selection_from_offer
from restwright.tools.dialects import DIALECTS, ToolGroup
from restwright.tools.dialects.deferred_tools import defer_for_anthropic, defer_for_openai
from restwright.tools.schemas.elision import LEFT_OUT_MARK
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.toolset import PROVIDERS, OfferLimits, ToolMatch, offer_tools
from restwright.tools.toolset.budget import choose_fitting, share_room

OPENAI = DIALECTS["openai"]
LONG = "What it is for. " + "And a good deal more to say about it. " * 8


def operation(name: str, inputs: int = 1, text: str = LONG) -> dict[str, Any]:
    parameters = [
        {"name": f"p{n}", "in": "query", "schema": {"type": "string"}, "description": text}
        for n in range(inputs)
    ]
    return {"operationId": name, "summary": f"The {name} one", "parameters": parameters}


def api(alias: str, *operations: dict[str, Any], title: str = "Test") -> Any:
    paths = {f"/{each['operationId']}": {"get": each} for each in operations}
    whole = document(paths)
    whole["info"]["title"] = title
    return load(whole, alias=alias)


def many(count: int, **more: Any) -> Catalog:
    return catalog(api("shop", *(operation(f"op{n}", **more) for n in range(count))))


def found(*names: str) -> Any:
    return lambda query, whole, k, **_: tuple(
        ToolMatch(each, f"fits {query}") for each in names[:k]
    )


def characters(shapes: Any) -> int:
    return len(to_json_bytes([*shapes]).decode())


def test_a_small_catalog_is_offered_whole_without_a_search() -> None:
    offer = offer_tools(many(3), "anything", dialect=OPENAI, search=never)
    assert offer.policy == "all"
    assert offer.names == ("shop__op0", "shop__op1", "shop__op2")
    assert offer.meta == ()
    assert offer.reason == "3 tools, not too many to offer all"
    assert offer.shapes == tuple(many(3).render(each, OPENAI).shape for each in offer.names)


def test_a_large_catalog_is_searched_first() -> None:
    whole = many(40)
    hits = found("shop__op9", "shop__op3", "shop__op21")
    offer = offer_tools(whole, "nine", dialect=OPENAI, search=hits)
    assert offer.policy == "search"
    assert offer.reason == "40 tools, more than 30; 3 match"
    assert offer.names == ("shop__op21", "shop__op3", "shop__op9")
    assert [each.name for each in offer.meta] == ["search_tools", "show_tool", "call_tool"]
    assert offer.tools[0].why == "fits nine"
    assert offer.total == 40


def test_without_a_question_a_large_catalog_is_offered_by_meta_tools() -> None:
    offer = offer_tools(many(40), dialect=OPENAI, search=never)
    assert (offer.policy, offer.names) == ("meta", ())
    assert offer.reason == "40 tools, more than 30; nothing is asked yet"


def test_a_question_that_matches_nothing_leaves_the_meta_tools() -> None:
    offer = offer_tools(many(40), "zzz", dialect=OPENAI, search=found())
    assert (offer.policy, offer.names) == ("meta", ())
    assert "nothing matches" in offer.reason


def test_few_tools_with_much_text_are_too_many_as_well() -> None:
    limits = OfferLimits(characters=1_000)
    offer = offer_tools(many(3), "op1", dialect=OPENAI, limits=limits, search=found("shop__op1"))
    assert offer.policy == "search"
    assert "characters, more than 1,000" in offer.reason


def test_pinned_tools_are_offered_whatever_is_asked() -> None:
    limits = OfferLimits(pinned=("shop__op7",))
    offer = offer_tools(many(40), "x", dialect=OPENAI, limits=limits, search=found("shop__op9"))
    assert offer.names == ("shop__op7", "shop__op9")
    meta = offer_tools(many(40), dialect=OPENAI, limits=limits)
    assert meta.names == ("shop__op7",)
    with pytest.raises(UnknownTool):
        offer_tools(many(40), dialect=OPENAI, limits=OfferLimits(pinned=("shop__no",)))


def test_the_budget_is_of_all_that_is_offered() -> None:
    whole = many(12, inputs=4)
    offer = offer_tools(whole, dialect=OPENAI, limits=OfferLimits(budget=2_000, characters=10**6))
    assert offer.policy == "all"
    assert len(offer.tools) == 12
    assert characters(offer.shapes) == offer.characters <= 8_000
    assert offer.tokens <= 2_000
    assert LEFT_OUT_MARK in str(offer.shapes) or all(each.characters < 700 for each in offer.tools)


def test_what_small_tools_leave_over_goes_to_large_ones() -> None:
    small = [operation(f"s{n}", inputs=0) for n in range(6)]
    whole = catalog(api("shop", *small, operation("large", inputs=8)))
    offer = offer_tools(whole, dialect=OPENAI, limits=OfferLimits(budget=750))
    by_name = {each.name: each.characters for each in offer.tools}
    assert by_name["shop__large"] > 3_000 / 7
    assert offer.shapes[1:] == tuple(
        whole.render(each, OPENAI).shape for each in offer.names if each != "shop__large"
    )


def test_where_even_the_shortest_do_not_fit_fewer_are_offered_by_rank() -> None:
    required = operation("x", inputs=60, text="")
    for each in required["parameters"]:
        each["required"] = True
    huge = [{**required, "operationId": f"huge{n}"} for n in range(3)]
    whole = catalog(api("shop", *huge))
    offer = offer_tools(
        whole,
        "last",
        dialect=OPENAI,
        limits=OfferLimits(budget=1_000),
        search=found("shop__huge2", "shop__huge1"),
    )
    assert offer.names == ("shop__huge2",)
    assert "2 of them do not fit into 1,000 tokens" in offer.reason
    assert offer.policy == "meta"
    assert len(offer.meta) == 3
    assert offer.characters <= 4_000


def test_an_offer_is_the_same_byte_for_byte() -> None:
    one = offer_tools(many(40), "op3 one", dialect=OPENAI)
    two = offer_tools(many(40), "op3 one", dialect=OPENAI)
    assert one == two
    assert to_json_bytes([*one.shapes]) == to_json_bytes([*two.shapes])
    assert len(one.hash) == 64


def test_adding_an_api_does_not_reorder_the_others() -> None:
    shop = api("shop", *(operation(f"op{n}") for n in range(5)))
    shop2 = api("shop2", *(operation(f"op{n}") for n in range(3)))
    before = offer_tools(catalog(shop), dialect=OPENAI).names
    after = offer_tools(catalog(shop, shop2, api("a", operation("z"))), dialect=OPENAI).names
    assert [each for each in after if each in before] == [*before]
    assert after == ("a__z", *before, "shop2__op0", "shop2__op1", "shop2__op2")


def test_more_tools_than_the_provider_takes_are_refused_before_the_request() -> None:
    with pytest.raises(OverLimit) as raised:
        offer_tools(many(129), dialect=OPENAI, limits=OfferLimits(above="all"))
    assert raised.value == OverLimit(
        "openai",
        "tools in a request",
        limit=128,
        count=129,
        next_move="offer fewer: the policy `search`, or a filter",
    )
    assert (
        offer_tools(
            many(129),
            dialect=OPENAI,
            limits=OfferLimits(above="all", provider="xai", budget=30_000),
        ).policy
        == "all"
    )


def test_as_many_meta_tools_count_as_there_are() -> None:
    names = [f"shop__op{n}" for n in range(126)]
    limits = OfferLimits(k=126, budget=60_000)
    with pytest.raises(OverLimit, match="not 129; offer fewer: a smaller k"):
        offer_tools(many(140, text=""), "x", dialect=OPENAI, limits=limits, search=found(*names))


def test_a_name_that_the_provider_does_not_take_is_refused() -> None:
    whole = many(1)
    long = "shop__" + "x" * 60
    renamed = Catalog(
        apis=whole.apis,
        namespaces=whole.namespaces,
        entries={long: whole.entries["shop__op0"]},
        schemas=whole.schemas,
        built={long: whole["shop__op0"]},
    )
    with pytest.raises(OverLimit, match="at most 64 characters in the name of a tool"):
        offer_tools(renamed, dialect=OPENAI)
    assert offer_tools(renamed, dialect=DIALECTS["mcp"]).total == 1


def test_openai_defers_the_tools_of_a_namespace() -> None:
    dialect = DIALECTS["openai-responses"]
    whole = catalog(
        api("crm", operation("list"), title="Customers"),
        api("shop", operation("buy"), operation("sell"), title="Shop"),
    )
    offer = offer_tools(whole, dialect=dialect, limits=OfferLimits(tools=0, above="native"))
    assert offer.policy == "native"
    assert offer.deferred == ("crm__list", "shop__buy", "shop__sell")
    crm, shop, search = offer.shapes
    assert search == {"type": "tool_search"}
    assert {key: shop[key] for key in ("type", "name", "description")} == {
        "type": "namespace",
        "name": "shop",
        "description": "Shop",
    }
    assert [each["name"] for each in shop["tools"]] == ["buy", "sell"]
    assert all(each["defer_loading"] for each in (*crm["tools"], *shop["tools"]))
    assert all(each["type"] == "function" for each in shop["tools"])
    assert offer.characters < 200


def test_anthropic_defers_tools_beside_its_search_tool() -> None:
    limits = OfferLimits(tools=0, above="native", pinned=("shop__op1",))
    offer = offer_tools(many(3), dialect=DIALECTS["anthropic"], limits=limits)
    pinned, search, first, second = offer.shapes
    assert search == {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    assert "defer_loading" not in pinned
    assert pinned["name"] == "shop__op1"
    assert first["defer_loading"] is second["defer_loading"] is True
    assert offer.deferred == ("shop__op0", "shop__op2")
    assert offer.characters == characters([pinned, search])


def test_a_provider_without_a_search_of_its_own_gets_what_is_found() -> None:
    limits = OfferLimits(tools=0, above="native")
    offer = offer_tools(many(3), "x", dialect=OPENAI, limits=limits, search=found("shop__op2"))
    assert offer.policy == "search"
    assert "openai has no search of its own" in offer.reason


def test_apis_that_do_not_fit_even_by_name_are_left_to_meta_tools() -> None:
    apis = [api(f"api_with_a_name_{n}", operation("list"), title="T" * 60) for n in range(60)]
    dialect = DIALECTS["openai-responses"]
    limits = OfferLimits(above="native", budget=750)
    offer = offer_tools(catalog(*apis), dialect=dialect, limits=limits)
    assert offer.policy == "meta"
    assert "not even its APIs fit into 750 tokens" in offer.reason
    assert (
        offer_tools(catalog(*apis), dialect=dialect, limits=OfferLimits(above="native")).policy
        == "native"
    )


def test_more_namespaces_than_the_provider_takes_are_refused() -> None:
    whole = catalog(*(api(f"a{n}", operation("x")) for n in range(128)))
    limits = OfferLimits(above="native")
    with pytest.raises(OverLimit, match="at most 128 tools in a request, not 129"):
        offer_tools(whole, dialect=DIALECTS["openai-responses"], limits=limits)


def test_the_shapes_of_deferral() -> None:
    groups = [ToolGroup(name="a", description="A", tools=[("b", {"name": "a__b"})])]
    assert defer_for_openai(groups).shapes == (
        {
            "type": "namespace",
            "name": "a",
            "description": "A",
            "tools": [{"name": "b", "defer_loading": True}],
        },
        {"type": "tool_search"},
    )
    search = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    deferred = defer_for_anthropic(groups)
    assert deferred.shapes == (search, {"name": "a__b", "defer_loading": True})
    assert deferred.read == (search,)


def test_every_dialect_has_a_row_of_limits_with_a_source() -> None:
    assert DIALECTS.keys() <= PROVIDERS.keys()
    assert all(each.source for each in PROVIDERS.values())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"above": "some"}, "above='some'"),
        ({"budget": 10}, "budget=10 is less than 750 tokens"),
        ({"k": 0}, "k=0 is less than 1"),
        ({"provider": "acme"}, "provider='acme'"),
    ],
)
def test_limits_that_there_are_not_are_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        OfferLimits(**wrong)


@pytest.mark.parametrize(
    ("sizes", "least", "room", "given"),
    [
        ([], [], 10, []),
        ([3, 4], [1, 1], 10, [3, 4]),
        ([10, 10], [1, 1], 10, [5, 5]),
        ([2, 10, 10], [1, 1, 1], 12, [2, 5, 5]),
        ([9, 9, 9], [1, 7, 1], 13, [3, 7, 3]),
    ],
)
def test_shares_are_fair(sizes: list[int], least: list[int], room: int, given: list[int]) -> None:
    assert share_room(sizes, least, room) == given


def test_what_does_not_fit_is_passed_for_what_comes_after_it() -> None:
    assert choose_fitting([4, 9, 3], 8) == [0, 2]


def test_the_python_of_the_page_on_offers_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "offer.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    paths = {
        "/hats": {"get": {"operationId": "list_hats", "summary": "List hats"}},
        "/shirts": {"post": {"operationId": "sell_shirt", "summary": "Sell a shirt"}},
    }
    (tmp_path / "shop.yaml").write_text(json.dumps(document(paths)), "utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "offer.md", "exec"), {})  # noqa: S102
    said = capsys.readouterr().out.splitlines()
    assert said[0] == ("search ('shop__list_hats',) ['search_tools', 'show_tool', 'call_tool']")
    assert "'shop__sell_shirt', 'does': 'Sell a shirt'" in said[1]
    assert said[2] == "True"


def test_the_page_on_offers_names_every_provider() -> None:
    page = (Path(__file__).parents[3] / "docs" / "offer.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in PROVIDERS)


@pytest.mark.corpus
@pytest.mark.parametrize("name", DIALECTS)
def test_1223_operations_take_less_than_4000_tokens(name: str) -> None:
    file = Path(__file__).parents[4] / "shared" / "data" / "specs" / "github__v3.json"
    if not file.exists():
        pytest.skip("the documents are not there")
    whole = catalog(load(file, alias="github"))
    question = "create a pull request and ask two people to review it"
    offer = offer_tools(whole, question, dialect=DIALECTS[name])
    assert offer.total == 1223
    assert len(offer.tools) == 20
    assert offer.tokens < 4_000


def test_an_offer_can_be_logged_as_a_record() -> None:
    hits = found("shop__op9", "shop__op3")
    offer = offer_tools(many(40), "nine", dialect=OPENAI, search=hits)
    assert selection_from_offer(offer, agent="rest").to_json() == {
        "event": "tools.selected",
        "agent": "rest",
        "provider": "openai",
        "total": 40,
        "index": {"shop": 2},
        "sample": ["shop__op3", "shop__op9"],
        "reason": "40 tools, more than 30; 2 match",
        "hash": offer.hash,
    }
