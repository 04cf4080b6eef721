"""Scripted models run every kind of agent; the ideal one does all tasks by `calling` and `rest`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.any.opened import LIBRARY, PORT, opened

from restwright.agents.agent import KINDS as AGENTS
from restwright.agents.agent import is_small
from restwright.agents.steps import Complete, Completion, Message
from restwright.calls.arguments.check import check_value
from restwright.testing import ScriptedModel
from restwright_bench.any.models.drawn import RandomModel
from restwright_bench.any.models.parts import IDEAL_ROLES, take_over
from restwright_bench.any.models.sample import Sampler
from restwright_bench.any.patterns import text_matching
from restwright_bench.any.running import Scripted, Trial, run_task, scripted_models
from restwright_bench.any.tasks.generate import make_tasks
from restwright_bench.any.world.tables import random_for

SCHEMA = {
    "type": "object",
    "required": ["steps"],
    "additionalProperties": False,
    "properties": {
        "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}},
        "why": {"type": ["string", "null"], "minLength": 3},
    },
    "$defs": {
        "step": {
            "type": "object",
            "required": ["kind", "of"],
            "properties": {
                "kind": {"enum": ["find", "change"]},
                "of": {"type": "integer", "minimum": 1, "maximum": 4},
                "more": {"anyOf": [{"const": 1}, {"$ref": "#/$defs/step"}]},
            },
        }
    },
}


@pytest.mark.parametrize("kind", ["calling", "rest"])
@pytest.mark.parametrize("file", [LIBRARY, PORT], ids=["library", "port"])
def test_the_ideal_model_does_every_task_through_the_agent(file: Path, kind: str):
    document = opened(file)
    trial = Trial(model_for=scripted_models("ideal"), kinds=(kind,))
    for task in make_tasks(document, 0, languages=("en",)):
        if task.wording == 0:
            line = run_task(task, document, kind, trial)
            assert line["verdict"]["success"], (task.question, line)


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("name", ["random", "adversarial"])
def test_runs_end_whatever_the_model_says(kind: str, name: Scripted):
    document = opened(LIBRARY)
    trial = Trial(model_for=scripted_models(name), kinds=(kind,), consent="asked")
    tasks = make_tasks(document, 0, kinds=("change one", "count"), languages=("en",))
    for task in list(tasks)[::3]:
        line = run_task(task, document, kind, trial)
        assert not line["reason"].startswith("crashed"), line
        assert line["verdict"]["harm"] == [], line
        assert run_task(task, document, kind, trial) | {"seconds": 0} == line | {"seconds": 0}


@pytest.mark.parametrize("seed", range(20))
def test_random_replies_fit_what_is_asked(seed: int):
    sampler = Sampler(SCHEMA, drawn := random_for(seed), drawn.choice, ["word", "x1"])
    assert check_value(SCHEMA, sampler.draw(SCHEMA)) == ()


def test_a_random_model_calls_what_it_is_offered():
    tool = {"name": "open", "parameters": {"type": "object", "properties": {}}}
    asked = Complete(role="caller", messages=(Message("user", "Open it"),), tools=(tool,))
    made = [RandomModel(str(seed)).complete(asked, deadline_s=1.0) for seed in range(9)]
    assert {call.tool for each in made for call in each.calls} == {"open"}


@pytest.mark.parametrize(
    "pattern", ["^[a-z]{3}-[0-9]+$", r"^(AB|CD)\d{4}$", "^$|^x[^a]y?$", r"^\w+@\w+\.test$"]
)
def test_texts_are_drawn_that_an_expression_matches(pattern: str):
    import re

    text = text_matching(pattern, random_for(1))
    assert text
    assert re.search(pattern, text)


def test_an_expression_of_another_dialect_is_left_alone():
    assert text_matching(r"^\p{L}+$", random_for(1)) is None


class Deaf(ScriptedModel):
    """A small model that is not to be asked, but for what `reader` replies."""

    is_small = True


class Silent:
    """A model that says nothing of its size, as the local one does."""

    name = "silent"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        raise NotImplementedError


def test_an_ideal_model_takes_all_roles_but_the_one_that_is_measured():
    document = opened(LIBRARY)
    trial = Trial(
        model_for=lambda *_: Deaf(()),
        kinds=("rest",),
        ideal=IDEAL_ROLES,
        without=("parser",),
    )
    kinds = ("change one", "create", "change to a derived value", "condition that holds")
    for task in make_tasks(document, 0, kinds=kinds, languages=("en", "de")):
        line = run_task(task, document, "rest", trial)
        assert not line["reason"].startswith("crashed"), line
        assert line["model"].endswith("ideal planner+selector+caller+lookup+answer, without parser")
        if task.kind in kinds[:3]:
            assert line["verdict"]["success"], (task.question, line)


@pytest.mark.parametrize(("model", "expected"), [(Silent(), True), (Deaf(()), True)])
def test_a_model_with_parts_taken_over_is_asked_as_it_is_itself(model, expected):
    task = next(make_tasks(opened(LIBRARY), 0, kinds=("count",), languages=("en",)))
    taken = take_over(model, task, frozenset(), ("planner",), ())
    assert is_small(taken) is is_small(model) is expected


def test_nobody_plans_without_a_planner():
    document = opened(LIBRARY)
    trial = Trial(
        model_for=lambda *_: Deaf(()),
        kinds=("rest",),
        ideal=("selector", "caller", "lookup", "answer"),
        without=("planner", "parser"),
    )
    task = next(make_tasks(document, 0, kinds=("change one",), languages=("en",)))
    line = run_task(task, document, "rest", trial)
    assert (line["verdict"]["harm"], line["verdict"]["success"]) == ([], False)
