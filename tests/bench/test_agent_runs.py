"""Agents with a model over HTTP: what is kept of them, and that nothing is run twice."""

from __future__ import annotations

import json

import pytest
from tests.support.bench.pages import said
from tests.support.bench.questions import QUESTIONS
from tests.support.bench.shelf import let_in, shelf
from tests.support.planned import FittingModel, code, filled

from restwright.agents.agent import Limits
from restwright_bench.agent_runs import Asked, agent_lines, file_of, in_turn, kinds_of
from restwright_bench.calling.kept import records
from restwright_bench.errors import MissingData, UnusableChoice
from restwright_bench.policies.record import replay
from restwright_bench.rounds import report, rounds
from restwright_bench.running import faults_in
from restwright_bench.suites import Suite
from restwright_bench.world.faults import fault_plan


@pytest.fixture
def suite():
    return Suite(name="shelf", api=shelf(), let_in=let_in, queries=QUESTIONS[:1])


def test_an_agent_is_asked_over_http_once_for_each_query_and_seed(suite, tmp_path):
    file = tmp_path / "agent.jsonl"
    model = FittingModel(said(0), is_small=False)
    (line,) = agent_lines([suite], [0], model, {"rest": file})
    assert (line["score"]["success"], line["score"]["client_errors"]) == (True, 0)
    told = "It has 202 pages.\n(only a part of the list was read)"
    assert (line["model"], line["answer"]) == ("scripted", told)
    assert {"date", "machine", "limits", "trace"} <= set(line)
    assert list(records(file)) == [json.loads(json.dumps(line))]
    assert list(agent_lines([suite], [0], model, {"rest": file})) == []


def test_a_run_that_was_interrupted_goes_on_after_what_was_kept(suite, tmp_path):
    file = tmp_path / "agent.jsonl"
    first = agent_lines(
        [suite], [0, 1], FittingModel((*said(0), *said(1)), is_small=False), {"rest": file}
    )
    next(first)
    first.close()
    file.write_text(file.read_text() + '{"api": "shelf", "ind')
    (line,) = agent_lines([suite], [0, 1], FittingModel(said(1), is_small=False), {"rest": file})
    assert line["seed"] == 1
    assert [each["seed"] for each in records(file)] == [0, 1]


def test_what_an_agent_did_can_be_replayed_without_its_model(suite, tmp_path):
    kept = tmp_path / "kept.jsonl"
    (line,) = agent_lines(
        *([suite], [3], FittingModel(said(3), is_small=False), {"rest": tmp_path / "a.jsonl"}),
        kept=kept,
    )
    policy = replay(records(kept))
    found = report("replay", rounds(lambda _: policy, [suite], [3]), [suite])
    summary = found["apis"]["shelf"]["summary"]
    assert summary["success"] == 100.0 * line["score"]["success"]
    assert summary["path_share"] == 100.0 * line["score"]["path_share"]
    assert summary["model_calls"] == line["score"]["model_calls"]


WANTED = {"title": "Persuasion", "ratio": None, "is_lent": None, "tags": None}
READ = code("data[0]['pages']")
FOUND = (READ, filled(**WANTED), READ)
TASK = "find the pages of Persuasion"
REACTED = (
    ("reactor", {"thought": "I search.", "operation": "search_books", "task": TASK}),
    *FOUND,
    ("reactor", {"thought": "I know.", "operation": "finish", "task": ""}),
    ("answer", {"answer": "It has 202 pages."}),
)
PLANNED = (
    ("planner", {"steps": [{"operation": "search_books", "task": TASK}]}),
    *FOUND,
    ("answer", {"answer": "It has 202 pages."}),
)
BY_KIND = {"rest": said(0), "react": REACTED, "plan": PLANNED}


def asked_of(kinds, suite, folder, *, seeds=(0,), replies=None):
    files = {each: folder / f"{each}.jsonl" for each in kinds}
    said = replies or [reply for _ in seeds for each in kinds for reply in BY_KIND[each]]
    return list(agent_lines([suite], seeds, FittingModel(said, is_small=False), files))


def test_all_kinds_answer_a_query_before_the_next_is_asked(suite, tmp_path):
    lines = asked_of(("rest", "react", "plan"), suite, tmp_path)
    assert [each["kind"] for each in lines] == ["rest", "react", "plan"]
    assert [each["score"]["success"] for each in lines] == [True, True, True]
    assert [each["cause"] for each in lines] == [None, None, None]
    assert all(each["called"][0] == ["GET", "/books", 200] for each in lines)
    assert {each["chosen"][0] for each in lines} == {"shelf__search_books"}
    assert asked_of(("rest", "react", "plan"), suite, tmp_path, replies=[""]) == []


def test_seeds_go_round_all_queries_and_apis_in_turn(suite):
    other = Suite(name="other", api=suite.api, let_in=let_in, queries=QUESTIONS)
    pairs = [(each.name, query.index) for each, query, _ in in_turn([suite, other])]
    assert pairs == [("shelf", 0), ("other", 0), ("other", 1), ("other", 2)]


def test_a_line_without_a_kind_is_one_of_rest(suite, tmp_path):
    file = tmp_path / "agent.jsonl"
    (line,) = agent_lines([suite], [0], FittingModel(said(0), is_small=False), {"rest": file})
    del line["kind"]
    file.write_text(json.dumps(line) + "\n")
    assert list(agent_lines([suite], [0], FittingModel([], is_small=False), {"rest": file})) == []
    again = list(agent_lines([suite], [0], FittingModel(REACTED, is_small=False), {"react": file}))
    assert [each["kind"] for each in again] == ["react"]


def test_what_each_part_used_is_kept(suite, tmp_path):
    (line,) = asked_of(("rest",), suite, tmp_path)
    assert list(line["roles"]) == ["answer", "caller", "parser", "planner", "selector"]
    sums = [
        sum(each[name] for each in line["roles"].values())
        for name in ("model_calls", "input_tokens", "output_tokens")
    ]
    used = line["score"]
    assert sums == [used["model_calls"], used["input_tokens"], used["output_tokens"]]
    assert len(line["trace"]) <= 4_000


def test_limits_are_those_that_were_asked_for(suite, tmp_path):
    file = tmp_path / "a.jsonl"
    limits = Limits(model_calls=1)
    (line,) = agent_lines(
        [suite], [0], FittingModel(said(0), is_small=False), {"rest": file}, limits=limits
    )
    assert (line["limits"]["model_calls"], line["score"]["stopped"]) == (1, "limit")
    assert line["cause"] == {"role": "limit", "why": "stopped by the limit on model calls"}


class Broken:
    """A model that does what no model may."""

    name = "broken"

    def complete(self, request, *, deadline_s):
        raise ZeroDivisionError


def test_a_mistake_in_the_code_ends_one_query_alone(suite, tmp_path):
    (line,) = agent_lines([suite], [0], Broken(), {"rest": tmp_path / "a.jsonl"})
    assert (line["score"]["stopped"], line["reason"]) == ("crashed", "ZeroDivisionError")
    assert line["cause"]["role"] == "crash"


def test_faults_meet_each_query_anew(suite, tmp_path):
    file = tmp_path / "a.jsonl"
    plan = fault_plan([{"status": 500, "template": "/books"}])
    script = [*said(0)[:2], *FOUND[1:], said(0)[-1]]
    model = FittingModel(script * 2, is_small=False)
    lines = agent_lines([suite], [0, 1], model, {"rest": file}, faults=plan)
    first = next(lines)
    assert first["called"][0] == ["GET", "/books", 500]
    assert first["score"]["server_errors"] == 1
    lines.close()


def test_a_plan_of_faults_is_read_from_a_file(tmp_path):
    file = tmp_path / "faults.json"
    file.write_text('[{"status": 429, "headers": {"Retry-After": "1"}}]')
    assert faults_in(file).faults[0].status == 429
    for wrong in ("{", "{}", "[1]", '[{"status": 7}]'):
        file.write_text(wrong)
        with pytest.raises(UnusableChoice, match="--faults"):
            faults_in(file)
    with pytest.raises(MissingData, match="plan of faults"):
        faults_in(tmp_path / "none.json")


def test_each_kind_and_model_has_its_file(tmp_path):
    asked = Asked(kinds=("rest", "react"), model="openai:gpt-5")
    names = {kind: file.name for kind, file in asked.files().items()}
    assert names["react"] == "run-agent-react-openai-gpt-5.jsonl"
    assert file_of("rest", "local", tmp_path) == tmp_path / "run-agent-rest-local.jsonl"
    assert {*Asked(kinds=("rest", "plan"), to=tmp_path).files().values()} == {tmp_path}


def test_kinds_are_given_as_a_list():
    assert kinds_of("rest, react,rest") == ("rest", "react")
    for wrong in ("rest,reflexion", ""):
        with pytest.raises(UnusableChoice, match="--agent"):
            kinds_of(wrong)
