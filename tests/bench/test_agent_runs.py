"""Agents with a model over HTTP: what is kept of them, and that nothing is run twice."""

from __future__ import annotations

import json

import pytest
from tests.bench.questions import QUESTIONS
from tests.bench.shelf import let_in, shelf
from tests.bench.test_policies import said

from restwright.testing import ScriptedModel
from restwright_bench.calling.kept import records
from restwright_bench.policies.record import replay
from restwright_bench.rounds import report, rounds
from restwright_bench.running import agent_lines
from restwright_bench.suites import Suite


@pytest.fixture
def suite():
    return Suite(name="shelf", api=shelf(), let_in=let_in, queries=QUESTIONS[:1])


def test_an_agent_is_asked_over_http_once_for_each_query_and_seed(suite, tmp_path):
    file = tmp_path / "agent.jsonl"
    model = ScriptedModel(said(0))
    (line,) = agent_lines([suite], [0], model, file)
    assert (line["score"]["success"], line["score"]["client_errors"]) == (True, 0)
    assert (line["model"], line["answer"]) == ("scripted", "It has 202 pages.")
    assert {"date", "machine", "limits", "trace"} <= set(line)
    assert list(records(file)) == [json.loads(json.dumps(line))]
    assert list(agent_lines([suite], [0], model, file)) == []


def test_a_run_that_was_interrupted_goes_on_after_what_was_kept(suite, tmp_path):
    file = tmp_path / "agent.jsonl"
    first = agent_lines([suite], [0, 1], ScriptedModel((*said(0), *said(1))), file)
    next(first)
    first.close()
    file.write_text(file.read_text() + '{"api": "shelf", "ind')
    (line,) = agent_lines([suite], [0, 1], ScriptedModel(said(1)), file)
    assert line["seed"] == 1
    assert [each["seed"] for each in records(file)] == [0, 1]


def test_what_an_agent_did_can_be_replayed_without_its_model(suite, tmp_path):
    kept = tmp_path / "kept.jsonl"
    (line,) = agent_lines([suite], [3], ScriptedModel(said(3)), tmp_path / "a.jsonl", kept=kept)
    policy = replay(records(kept))
    found = report("replay", rounds(lambda _: policy, [suite], [3]), [suite])
    summary = found["apis"]["shelf"]["summary"]
    assert summary["success"] == 100.0 * line["score"]["success"]
    assert summary["path_share"] == 100.0 * line["score"]["path_share"]
    assert summary["model_calls"] == line["score"]["model_calls"]
