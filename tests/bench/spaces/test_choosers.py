"""Choosing among namespaces, and what prompts take of a model's context."""

from __future__ import annotations

from pathlib import Path

import pytest

from restwright.testing import ScriptedModel
from restwright_bench.spaces import command
from restwright_bench.spaces.choosers import ModelChooser, ScriptedChooser
from restwright_bench.spaces.estimate import estimates
from restwright_bench.spaces.modes import CHOOSE, MODES, Offering, flat, namespaced
from restwright_bench.spaces.questions import question_named, questions
from restwright_bench.spaces.space import Space, space_inside
from restwright_bench.spaces.table import summaries
from restwright_bench.spaces.trial import tried


@pytest.fixture(scope="module")
def space() -> Space:
    return space_inside()


def test_flat_and_all_namespaces_differ_in_names_alone(space: Space) -> None:
    every = narrowed(space, "lumo", "carnet", "tandem")
    said = [
        sorted(str({**each, "name": ""}) for each in shapes)
        for shapes in (flat(space.catalog, "").shapes, every.shapes[1:])
    ]
    assert said[0] == said[1]


def narrowed(space: Space, *names: str) -> Offering:
    narrow = namespaced(space.catalog, "").narrow
    assert narrow is not None
    return narrow(names)


def test_nothing_is_listed_before_namespaces_are_chosen(space: Space) -> None:
    before = namespaced(space.catalog, "")
    assert (before.listed, dict(before.names)) == ((CHOOSE,), {})
    assert len(before.text) < 600
    assert all(each.title in before.text for each in space.catalog.apis.values())


def test_several_namespaces_are_listed_in_one_order(space: Space) -> None:
    one, other = (narrowed(space, *each) for each in (("tandem", "lumo"), ("lumo", "tandem", "x")))
    assert one.text == other.text
    assert one.chosen == other.chosen == ("lumo", "tandem")
    assert {each.partition("__")[0] for each in one.names} == {"lumo", "tandem"}


def test_a_task_of_two_apis_is_offered_the_tools_of_both(space: Space) -> None:
    crossing = [each for each in questions() if len(each.namespaces) > 1]
    assert len(crossing) == 4
    for each in crossing:
        trial = tried(ScriptedChooser(), each, "namespaced", space)
        assert (trial.offered, trial.success) == (True, True), each.name
        offering = narrowed(space, *each.namespaces)
        assert trial.prompt_characters == len(offering.text) < len(flat(space.catalog, "").text)


def test_a_model_chooses_two_namespaces_and_reads_the_tools_of_both(space: Space) -> None:
    model = ScriptedModel(
        [
            ("namespaces", {"namespaces": ["lumo", "tandem"]}),
            ("selector", {"tool": "finish"}),
            ("answerer", {"answer": "x"}),
        ]
    )
    trial = tried(ModelChooser(model=model), question_named("bridge"), "namespaced", space)
    assert (trial.offered, trial.aims, trial.calls) == (True, {"meta": 1}, 1)
    listed = [each for each in model.asked[1].messages[0].text.splitlines() if '"name"' in each]
    assert len(listed) == 1 + len(narrowed(space, "lumo", "tandem").names)
    assert model.asked[1].messages[0].text.endswith(narrowed(space, "lumo", "tandem").text)


def test_namespaces_can_be_chosen_again(space: Space) -> None:
    model = ScriptedModel(
        [
            {"namespaces": ["carnet"]},
            {"tool": CHOOSE},
            {"namespaces": ["lumo"]},
            {"tool": "lumo__search"},
            {"q": "verdure"},
            {"tool": "finish"},
            {"answer": "Mur de lierre."},
        ]
    )
    trial = tried(ModelChooser(model=model), question_named("greenery"), "namespaced", space)
    assert (trial.success, trial.aims) == (True, {"meta": 2, "right": 1})
    assert "carnet__" not in model.asked[3].messages[0].text


def test_namespaces_that_there_are_not_are_told_of(space: Space) -> None:
    replies = [{"namespaces": ["pexels"]}, {"tool": "finish"}, {"answer": "x"}]
    model = ScriptedModel(replies)
    trial = tried(ModelChooser(model=model), question_named("greenery"), "namespaced", space)
    assert (trial.aims, trial.offered) == ({"unknown": 1}, False)
    assert "There is lumo, carnet, tandem" in trial.trace


@pytest.mark.parametrize("mode", MODES)
def test_a_prompt_that_is_too_long_is_never_sent(mode: str, space: Space) -> None:
    model = ScriptedModel([])
    chooser = ModelChooser(model=model, context=100)
    trial = tried(chooser, question_named("greenery"), mode, space)
    assert (trial.stopped, trial.success, trial.model_calls) == ("context", False, 0)
    assert model.asked == []
    line = {**trial.line(), "digest": ""}
    assert summaries([line])[0].too_long == 1


def test_every_mode_fits_the_local_model(space: Space) -> None:
    found = estimates(space, asked=questions()[::9], context=command.LOCAL_CONTEXT)
    by_mode = {each.mode: each for each in found}
    assert {each.too_long for each in found} == {0}
    assert by_mode["namespaced"].prompts < by_mode["flat"].prompts / 1.5
    assert all(each.longest < command.LOCAL_CONTEXT for each in found)


def test_an_estimate_counts_what_the_model_would_be_asked(space: Space) -> None:
    asked = [question_named("greenery")]
    (one,) = estimates(space, modes=["namespaced"], asked=asked)
    assert (one.trials, one.calls) == (1, 5)
    assert one.longest <= one.read <= one.prompts
    (short,) = estimates(space, modes=["namespaced"], asked=asked, context=500)
    assert (short.too_long, short.calls) == (1, 1)


def test_what_tasks_share_comes_first_and_is_read_once(space: Space) -> None:
    one, both = (estimates(space, modes=["flat"], asked=questions()[:n])[0] for n in (1, 8))
    assert both.read < one.read / 4


def test_the_command_prints_an_estimate_without_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--estimate", "--only", "bridge", "--results", str(tmp_path)]
    assert command.main(given) == 0
    assert "| namespaced | 1 |" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.jsonl"))
