"""Policies over three questions about a shelf of books."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.bench.pages import said
from tests.support.bench.questions import QUESTIONS
from tests.support.bench.shelf import let_in, shelf
from tests.support.planned import FittingModel

from restwright_bench.policies.agent import AgentPolicy, line_of
from restwright_bench.policies.corruptions import CORRUPTIONS
from restwright_bench.policies.lexical import LexicalPolicy, words_of
from restwright_bench.policies.mutation import CONTROL, MutationPolicy, names
from restwright_bench.policies.record import replay, transcript
from restwright_bench.policies.run import Policy, Ran, whole_run
from restwright_bench.policies.scripted import NothingPolicy, OraclePolicy, WrongArgumentsPolicy
from restwright_bench.policies.tools import tools_of
from restwright_bench.queries.scores import Score
from restwright_bench.world.api import Running
from restwright_bench.world.inside import Inside


@pytest.fixture(scope="module")
def tools():
    return tools_of(shelf(), let_in)


def ran(policy: Policy, index: int, *, seed: int = 0) -> Ran:
    return whole_run(policy, *QUESTIONS[index], Running(shelf(), seed=seed), let_in)


def scores(policy: Policy, *, seed: int = 0) -> list[Score]:
    return [ran(policy, index, seed=seed).score for index in range(len(QUESTIONS))]


@pytest.mark.parametrize("seed", range(10))
def test_the_oracle_reaches_success_by_the_published_path(seed):
    found = scores(OraclePolicy(), seed=seed)
    assert [(each.success, each.path_strict, each.extra) for each in found] == [(True, True, 0)] * 3


@pytest.mark.parametrize("policy", [NothingPolicy(), WrongArgumentsPolicy()])
def test_who_does_nothing_or_the_wrong_thing_fails(policy):
    assert [each.success for each in scores(policy)] == [False] * 3


def test_the_lexical_baseline_looks_for_the_name_in_the_question(tools):
    found = ran(LexicalPolicy(tools=tools), 0)
    assert found.score.success
    assert ("title", "Persuasion") in found.requests[0].query


def test_the_lexical_baseline_writes_nothing(tools):
    found = [ran(LexicalPolicy(tools=tools), index) for index in (1, 2)]
    assert {each.method for one in found for each in one.requests} <= {"GET"}
    assert not any(each.score.success for each in found)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ('Who wrote "The Watsons"?', "The Watsons"),
        ("Who is the author of Pride and Prejudice?", "Pride and Prejudice"),
        ("what is new?", ""),
    ],
)
def test_the_name_in_a_question_is_quoted_or_has_capitals(question, name):
    assert words_of(question).name == name


def mutated(kind: str, tools) -> tuple[MutationPolicy, list[Score]]:
    policy = MutationPolicy(kind=kind, tools=tools)
    return policy, scores(policy)


@pytest.mark.parametrize("kind", [CONTROL, *CORRUPTIONS])
def test_no_right_call_is_refused_and_no_wrong_one_succeeds_unseen(kind, tools):
    policy, found = mutated(kind, tools)
    assert (policy.tally.refused, policy.tally.sent_wrong) == ([], [])
    assert all(each.success for each in found)


def test_a_number_as_text_is_repaired(tools):
    policy, found = mutated("number as text", tools)
    assert policy.tally.outcomes == {"repaired": 4}
    assert sum(each.repaired for each in found) == 4


def test_what_is_missing_is_reported_by_its_name_and_mended(tools):
    policy, found = mutated("required one left out", tools)
    assert policy.tally.outcomes == {"reported": 3}
    assert (sum(each.mismatches for each in found), found[0].calls) == (3, 2)


def test_feedback_names_an_argument_as_a_whole_word():
    assert names("/id: expected a number", "id")
    assert not names("/book_id: expected a number", "id")


def untimed(several):
    return [replace(score, seconds=0.0) for score in several]


def test_a_transcript_gives_the_same_score_again(tools):
    policies = (OraclePolicy(), LexicalPolicy(tools=tools), WrongArgumentsPolicy())
    for policy in policies:
        runs = [ran(policy, index, seed=4) for index in range(3)]
        records = [transcript(each, seed=4, policy=policy.name) for each in runs]
        read = [json.loads(json.dumps(each)) for each in records]
        again = scores(replay(read), seed=4)
        # What takes no time the first time may take some the second.
        assert untimed(again) == untimed(each.score for each in runs)


def test_a_query_without_a_transcript_is_said_to_be_so():
    assert [each.stopped for each in scores(replay([]))] == ["not recorded"] * 3


def test_an_agent_answers_by_its_model_and_its_usage_is_counted(tools):
    policy = AgentPolicy(model=FittingModel(said(0), is_small=False), tools=tools)
    running = Running(shelf())
    policy = replace(policy, send=Inside(running.answer_whole))
    found = whole_run(policy, *QUESTIONS[0], running, let_in)
    assert found.said.answer == "It has 202 pages.\n(only a part of the list was read)"
    assert (found.score.success, found.score.path_strict) == (True, False)
    assert found.score.model_calls == len(said(0))
    assert found.score.input_tokens > 0
    line = line_of(found, seed=0, model="scripted")
    assert len(line["trace"]) <= 4_000
    kept = transcript(found, seed=0, policy="scripted")
    assert len(kept["completions"]) == len(said(0))
