from __future__ import annotations

from typing import Any

import pytest

from restwright.agents.runtime.driver import Performer
from restwright.agents.steps import Call
from restwright.calls.response.result import Result
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import Catalog, catalog


def api(alias: str, *operation_ids: str) -> Any:
    paths: dict[str, Any] = {f"/{each}": {"get": {"operationId": each}} for each in operation_ids}
    return load(document(paths), alias=alias)


@pytest.fixture
def both() -> Catalog:
    return catalog(
        api("pexels", "search", "curated"), api("unsplash", "searchPhotos", "curated", "random")
    )


def test_a_full_name_is_that_tool(both: Catalog) -> None:
    found = both.dispatch("pexels__search")

    assert found.tool is both["pexels__search"]
    assert (found.is_bare, found.close, found.text) == (False, (), "")


def test_a_bare_name_is_taken_where_only_one_api_has_it_and_said_to_be_bare(both: Catalog) -> None:
    assert both.dispatch("search").tool is both["pexels__search"]
    assert both.dispatch("search").is_bare
    assert both.dispatch("curated").tool is None


def test_a_name_of_one_api_never_reaches_another(both: Catalog) -> None:
    found = both.dispatch("unsplash__search")

    assert found.tool is None
    assert found.close[0] == "unsplash__searchPhotos"
    assert len(found.close) == 3


@pytest.mark.parametrize(
    "name", ["PEXELS__SEARCH", "pexels_search", "pexels.search", "x__y__search", "__search", ""]
)
def test_nothing_else_is_a_tool(both: Catalog, name: str) -> None:
    found = both.dispatch(name)

    assert found.tool is None
    assert set(found.close) < set(both.names)


def test_a_model_is_told_what_to_do(both: Catalog) -> None:
    assert both.dispatch("pexels__find\nall").text == (
        "There is no tool 'pexels__find all'. Nothing was called. The nearest names are:"
        " pexels__search, pexels__curated, unsplash__random."
        " If one of them is meant, call it by its whole name."
    )
    assert "no other tools" in catalog().dispatch("x").text


@pytest.mark.parametrize("name", ["search", "pexels__search"])
def test_a_namespace_may_stand_apart(both: Catalog, name: str) -> None:
    found = both.dispatch(name, namespace="pexels")

    assert (found.tool, found.is_bare) == (both["pexels__search"], False)


@pytest.mark.parametrize(
    ("name", "asked"),
    [("search", "unsplash__search"), ("pexels__search", "unsplash__pexels__search")],
)
def test_a_namespace_that_stands_apart_holds(both: Catalog, name: str, asked: str) -> None:
    found = both.dispatch(name, namespace="unsplash")

    assert (found.tool, found.requested_name) == (None, asked)
    assert both.dispatch("search", namespace="").tool is None


def test_near_names_are_found_among_many() -> None:
    many = catalog(api("big", *(f"getThing{number}" for number in range(3000)), "listOrders"))

    assert many.dispatch("big__list_orders").close[0] == "big__listOrders"


def test_an_agent_that_names_no_tool_is_told_so_and_sends_nothing(both: Catalog) -> None:
    performer = Performer(
        catalog=both, model=ScriptedModel([]), send=never, approve=never, connections={}
    )
    result = performer(Call(tool="unsplash__search", arguments={}))

    assert isinstance(result, Result)
    assert (result.kind, result.repairable_by) == ("unknown_tool", "model")
    assert result.text == both.dispatch("unsplash__search").text
    assert performer.trace[-1]["outcome"] == "unknown_tool"


def test_a_trace_says_that_a_name_was_bare(both: Catalog) -> None:
    performer = Performer(
        catalog=both,
        model=ScriptedModel([]),
        send=RecordingTransport(lambda _: reply(200, [])),
        approve=never,
        connections={},
    )
    performer(Call(tool="search", arguments={}))
    performer(Call(tool="pexels__search", arguments={}))

    calls = [each for each in performer.trace if "outcome" in each]
    assert [each.get("is_bare", False) for each in calls] == [True, False]
    assert [each.tool for each in performer.calls] == ["pexels__search"] * 2
