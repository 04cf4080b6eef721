"""The accepted paths beside the published ones lead to the same facts, in several worlds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from restwright.jsontypes import Json, JsonObject
from restwright_bench.policies.scripted import received_of
from restwright_bench.queries.checker import is_answered
from restwright_bench.queries.query import Answered, GoldCall, Scripted
from restwright_bench.queries.tmdb import oracles
from restwright_bench.queries.tmdb.reach import called
from restwright_bench.tmdb.api import let_in, tmdb_api
from restwright_bench.tmdb.tables import TmdbState
from restwright_bench.world.api import Api, Running

FOLDER = Path(__file__).parents[4].parent / "shared" / "data" / "restbench"
ORACLES = oracles()
# What is asked there follows from the facts, and does not stand in them.
CONCLUDED = {78, 88, 89, 91, 96, 97}
BEST = {"sort_by": "vote_average.desc", "vote_count.gte": 200}
# Of operations that search nothing and follow from nothing.
ARGUMENTS: Mapping[int, Mapping[str, Json]] = {2: BEST, 16: BEST, 50: BEST}
TRENDING: Mapping[int, tuple[str, str]] = {
    13: ("movie", "day"),
    68: ("tv", "day"),
    73: ("tv", "week"),
}
# Searched on the way round, and not on the way that the script goes.
SEARCHED: Mapping[int, str] = {87: "Star Wars"}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the data of RestBench is not here"),
]

DETOURS = [
    pytest.param(each.index, path, id=f"{each.index}-{number}")
    for each in ORACLES
    if each.index not in CONCLUDED
    for number, path in enumerate(each.alternatives)
]


@cache
def api() -> Api:
    return tmdb_api(FOLDER)


@cache
def running(seed: int) -> Running:
    return Running(api(), seed=seed)


def sent(call: Scripted, seed: int) -> JsonObject:
    answer = running(seed).answer(let_in(received_of(call)))
    assert answer.status == 200
    return answer.body


def scripted(index: int, seed: int) -> Iterator[Scripted]:
    """The calls of the script."""
    script = ORACLES[index].script(running(seed).state)
    call = next(script)
    while True:
        yield call
        try:
            call = script.send(sent(call, seed))
        except StopIteration:
            return


def gone(index: int, path: tuple[GoldCall, ...], seed: int) -> str:
    """What is read on a path, with the arguments of the script and ids of what came first."""
    calls = list(scripted(index, seed))
    known = {name: value for call in calls for name, value in call.path.items()}
    searched = next((call.query["query"] for call in calls if "query" in call.query), None)
    read: list[str] = []
    for step in path:
        names = re.findall(r"\{(\w+)\}", step.template)
        values = TRENDING[index] if "media_type" in names else [known[name] for name in names]
        query = {"query": SEARCHED.get(index, searched)} if "/search" in step.template else {}
        if step.template.startswith("/discover"):
            query = dict(ARGUMENTS.get(index, {}))
        if step.template == "/movie/{movie_id}":
            query = {"append_to_response": "credits,keywords,reviews,recommendations,similar"}
        body = sent(replace(called(step.template, *values), query=query), seed)
        known |= found_in(step.template, body)
        read.append(json.dumps(body, ensure_ascii=False))
    return " ".join(read)


def found_in(template: str, body: JsonObject) -> Mapping[str, Json]:
    """The ids that an answer gives to calls behind it."""
    if companies := body.get("production_companies"):
        return {"company_id": companies[0]["id"]}
    kind = "movie" if "movie" in template else "tv"
    is_list = template.startswith(("/discover", "/search/movie", "/search/tv", "/tv/airing"))
    if is_list or template.startswith("/trending"):
        return {f"{kind}_id": body["results"][0]["id"]}
    return {}


def without_traps(expected: Answered) -> Answered:
    """All that was read holds what would be wrong to say as well."""
    ways = tuple(without_traps(each) for each in expected.one_of)
    return replace(expected, none_of=(), one_of=ways)


@pytest.mark.parametrize(("index", "path"), DETOURS)
def test_the_fact_is_read_on_an_accepted_path(index, path):
    for seed in range(3):
        state: TmdbState = running(seed).state
        expected = without_traps(ORACLES[index].expected(state))
        assert is_answered(expected, gone(index, path, seed))
