"""What a question that takes two calls costs in prompts, over the 54 operations about films."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from tests.support.bench.films import answer, api, first_world, needs_restbench
from tests.support.planned import FittingModel, code, filled, planned, select

from restwright.agents.agent import Agent, Limits
from restwright.agents.calling.loop import Calling, run_calling
from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json
from restwright.testing import Reply
from restwright.tools.toolset import OfferLimits, ToolCall
from restwright_bench.policies.tools import Tools, tools_of
from restwright_bench.tmdb.api import let_in
from restwright_bench.world.inside import Inside

pytestmark = needs_restbench

QUESTION = "Who was the lead actor in the movie The Dark Knight?"
SEARCH, CREDITS = "GET_search-movie", "GET_movie-movie_id-credits"
PATHS = ["/search/movie", "/movie/{movie_id}/credits"]
ALL = Calling(
    selects=False, native=True, limits=OfferLimits(above="all", tools=100, budget=1_000_000)
)


@cache
def tools() -> Tools:
    return tools_of(api(), let_in)


def asked(kind: Any, *script: Reply, calls_tools: bool = False) -> list[Complete]:
    model = FittingModel(script, calls_tools=calls_tools, is_small=False)
    agent = Agent(
        tools().catalog,
        model=model,
        kind=kind,
        connections={"tmdb": tools().connection},
        send=Inside(first_world().answer_whole),
        limits=Limits(tokens=10_000_000),
    )
    ended = agent.ask(QUESTION)
    assert (ended.stopped, model.left) == ("answered", ())
    assert [each.path for each in ended.calls] == PATHS
    return model.asked


def tokens(requests: list[Complete]) -> int:
    """Characters of all prompts, tools included, by four."""
    texts = [each.text for request in requests for each in request.messages]
    shapes = [json.dumps(each, separators=(",", ":")) for one in requests for each in one.tools]
    return sum(map(len, [*texts, *shapes])) // 4


def loop_with(options: Calling) -> Callable[[Agent, str], Any]:
    return lambda agent, question: run_calling(question, agent.catalog, options=options)


def native(*calls: tuple[str, Json]) -> Reply:
    made = tuple(ToolCall(f"tmdb__{name}", arguments) for name, arguments in calls)
    return ("caller", Completion(text="", calls=made))


def film() -> int:
    return answer("/search/movie", query="The Dark Knight").body["results"][0]["id"]


def lead_actor() -> str:
    return answer(f"/movie/{film()}/credits").body["cast"][0]["name"]


def called() -> tuple[Reply, ...]:
    return (
        native((SEARCH, {"query": "The Dark Knight"})),
        native((CREDITS, {"movie_id": film()})),
        native(),
        ("describer", {"answer": "Somebody."}),
    )


def script() -> tuple[Reply, ...]:
    return (
        planned("find the movie The Dark Knight", "find the lead actor of #1"),
        select(SEARCH),
        filled(query="The Dark Knight"),
        code("data['results'][0]"),
        select(CREDITS),
        code("data['cast'][0]"),
        ("answer", {"answer": f"It is {lead_actor()}."}),
    )


def test_rest_costs_at_most_a_third_of_offering_all_tools() -> None:
    whole = asked(loop_with(ALL), *called(), calls_tools=True)
    assert len(whole[0].tools) == 54 + 1
    small = asked("rest", *script())
    assert tokens(small) * 3 <= tokens(whole)


def test_calling_costs_at_most_a_third_of_that_too_as_it_selects_tools_first() -> None:
    whole = asked(loop_with(ALL), *called(), calls_tools=True)
    chosen = [{"reason": "needed", "name": f"tmdb__{name}"} for name in (SEARCH, CREDITS)]
    selected = ("selector", {"tools": chosen, "answer": ""})
    small = asked("calling", selected, *called(), calls_tools=True)
    assert tokens(small) * 3 <= tokens(whole)
