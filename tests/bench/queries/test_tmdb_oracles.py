"""The oracles of all questions about films and series, over ten worlds."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from restwright_bench.policies.run import Policy, run
from restwright_bench.policies.scripted import (
    NothingPolicy,
    OraclePolicy,
    WrongArgumentsPolicy,
    received_of,
)
from restwright_bench.queries.checker import is_answered
from restwright_bench.queries.gold import blind, load_queries
from restwright_bench.queries.query import Query
from restwright_bench.queries.scores import Score, is_subsequence
from restwright_bench.queries.tmdb import oracles
from restwright_bench.tmdb.api import let_in, tmdb_api
from restwright_bench.world.api import Api, Running

FOLDER = Path(__file__).parents[3].parent / "shared" / "data" / "restbench"
ORACLES = oracles()
SEEDS = range(10)
# One of two things: an answer from another world is right here by chance.
OF_TWO = {78, 88, 89, 91, 92, 96}
# How often one of the other answers is right by chance, of ninety pairs of worlds.
OFTEN = 25

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the data of RestBench is not here"),
]


@cache
def api() -> Api:
    return tmdb_api(FOLDER)


@cache
def queries() -> tuple[Query, ...]:
    return load_queries(FOLDER, "tmdb")


@cache
def running(seed: int) -> Running:
    return Running(api(), seed=seed)


def scores(policy: Policy, seed: int) -> list[Score]:
    pairs = zip(queries(), ORACLES, strict=True)
    return [run(policy, query, each, running(seed), let_in) for query, each in pairs]


@cache
def answers(seed: int) -> tuple[str, ...]:
    return tuple(answer(index, seed) for index in range(len(ORACLES)))


def answer(index: int, seed: int) -> str:
    script = ORACLES[index].script(running(seed).state)
    call = next(script)
    while True:
        try:
            call = script.send(running(seed).answer(let_in(received_of(call))).body)
        except StopIteration as stop:
            return stop.value


def test_every_query_has_its_oracle():
    assert [each.index for each in ORACLES] == list(range(len(queries())))


def test_success_can_be_told_for_every_query():
    assert not [each.index for each in ORACLES if each.unsound]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_reaches_success_by_an_accepted_path_in_any_world(seed):
    found = scores(OraclePolicy(), seed)
    assert not [each.index for each in found if not each.success]
    assert not [each.index for each in found if not each.path_accepted]
    assert not [each.index for each in found if each.client_errors or each.server_errors]


def test_who_does_nothing_fails():
    assert not any(each.success for each in scores(NothingPolicy(), 0))


@pytest.mark.parametrize("seed", range(3))
def test_the_right_path_with_wrong_arguments_fails(seed):
    found = scores(WrongArgumentsPolicy(), seed)
    assert not [each.index for each in found if each.success]


@pytest.mark.parametrize("said", ["", "I could not find an answer to this: ", "I do not know: "])
def test_saying_the_question_again_is_no_answer(said):
    for seed in range(3):
        state = running(seed).state
        met = [
            query.index
            for query, each in zip(queries(), ORACLES, strict=True)
            if is_answered(each.expected(state), said + query.text)
        ]
        assert not met


def test_what_is_right_in_one_world_is_wrong_in_others():
    lucky = {each.index: 0 for each in ORACLES}
    for seed in SEEDS:
        for oracle in ORACLES:
            expected = oracle.expected(running(seed).state)
            lucky[oracle.index] += sum(
                is_answered(expected, answers(other)[oracle.index])
                for other in SEEDS
                if other != seed
            )
    assert {index for index, count in lucky.items() if count > OFTEN} <= OF_TWO
    assert sum(count == 0 for count in lucky.values()) > len(ORACLES) // 2


def test_scripts_take_no_id_from_the_state():
    for each in ORACLES:
        assert next(each.script(None)) == next(each.script(running(0).state))


def test_alternatives_are_of_the_document_and_shorter_than_one_another():
    known = {(each.method, each.template) for each in api().routes}
    for query, each in zip(queries(), ORACLES, strict=True):
        paths = (query.gold, *each.alternatives)
        assert {
            (call.method, call.template) for path in each.alternatives for call in path
        } <= known
        # One that has another in it says nothing more.
        spare = [
            path
            for path in each.alternatives
            if any(is_subsequence(other, path) for other in paths if other != path)
        ]
        assert not spare, (each.index, [[blind(call) for call in path] for path in spare])


def test_doubts_about_a_path_are_argued():
    doubtful = {each.index: each.unsound_gold for each in ORACLES if each.unsound_gold}
    assert set(doubtful) == {12, 17, 22, 30, 32, 70, 76, 78, 87, 88, 92, 93, 96, 97}
    assert all(each.endswith(".") for each in doubtful.values())
