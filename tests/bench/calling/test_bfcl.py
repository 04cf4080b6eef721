"""Right calls with faults in them, the corrector, and a model that answers BFCL's questions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import JsonObject
from restwright.testing import ScriptedModel
from restwright_bench.calling import bfcl_model
from restwright_bench.calling.bfcl import Accuracy, accuracies, accuracy_table, corrected, in_all
from restwright_bench.calling.bfcl_data import ANSWERED, CATEGORIES, json_schema, questions
from restwright_bench.calling.command import main
from restwright_bench.calling.mutations import MUTATIONS

BFCL = Path(__file__).parents[3].parent / "shared" / "data" / "bench" / "bfcl"
needs_data = pytest.mark.skipif(
    not BFCL.is_dir(), reason=f"the shared data set {BFCL} is not there"
)

WEATHER: JsonObject = {
    "name": "weather.of",
    "description": "The weather of a town.",
    "parameters": {
        "type": "dict",
        "properties": {
            "town": {"type": "string"},
            "days": {"type": "integer"},
            "at": {"type": "tuple", "items": {"type": "float"}},
            "unit": {"type": "string", "enum": ["Celsius", "Kelvin"]},
        },
        "required": ["town", "days"],
    },
}
RIGHT: JsonObject = {"town": "Oslo", "days": 3, "at": [1.5], "unit": "Kelvin"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """BFCL with one small question in each category."""
    for category in CATEGORIES:
        name = f"{category}_0"
        text = [[{"role": "user", "content": "Three days in Oslo?"}]]
        asked = {"id": name, "question": text, "function": [WEATHER]}
        options = {"town": ["Oslo", "oslo city"], "days": [3], "at": [[1.5]]}
        call = {"weather.of": {**options, "unit": ["Kelvin", ""]}}
        (tmp_path / f"BFCL_v4_{category}.json").write_text(json.dumps(asked) + "\n")
        told = json.dumps({"id": name, "ground_truth": [call]}) + "\n"
        (tmp_path / f"possible_answer_BFCL_v4_{category}.json").write_text(told)
    return tmp_path


def test_types_of_python_become_types_of_json() -> None:
    assert json_schema(WEATHER["parameters"])["properties"]["at"] == {
        "type": "array",
        "items": {"type": "number"},
    }


def test_a_question_has_its_tools_and_right_calls(folder: Path) -> None:
    [question] = questions(folder, "simple_python")
    [call] = question.calls
    assert question.tools == {"weather.of": call.tool}
    assert call.arguments == RIGHT
    assert call.accepts({"town": "OSLO", "days": 3, "at": [1.5]})
    assert not call.accepts({"town": "Oslo", "days": 3})
    assert not call.accepts({**RIGHT, "days": True})
    assert not call.accepts({**RIGHT, "more": 1})
    assert questions(folder, "irrelevance")[0].calls == ()


@pytest.mark.parametrize(
    ("fault", "texts"),
    {
        "number or literal as text": ['{"town": "Oslo", "days": "3", "unit": "Kelvin"}'],
        "allowed value in another case": ['{"town": "Oslo", "days": 3, "unit": "kELVIN"}'],
        "whole in one more wrapper": [
            '{"parameters": {"town": "Oslo", "days": 3, "unit": "Kelvin"}}'
        ],
        "required argument left out": [
            '{"days": 3, "unit": "Kelvin"}',
            '{"town": "Oslo", "unit": "Kelvin"}',
        ],
        "words around the JSON": [
            'Here it is: {"town": "Oslo", "days": 3, "unit": "Kelvin"} Done.'
        ],
        "whole without its wrapper": [],
    }.items(),
)
def test_faults_are_always_the_same(folder: Path, fault: str, texts: list[str]) -> None:
    [question] = questions(folder, "simple_python")
    arguments = {name: value for name, value in RIGHT.items() if name != "at"}
    assert list(MUTATIONS[fault](question.tools["weather.of"], arguments)) == texts


def test_the_corrector_mends_what_is_named_and_nothing_else() -> None:
    wrong = {"town": 1, "days": "x", "unit": "Kelvin", "at": [1.5]}
    assert corrected(RIGHT, wrong, [Mismatch("/days", "an integer", "x")]) == {**wrong, "days": 3}
    unreadable = [Mismatch("", "one JSON object", "no JSON")]
    assert corrected(RIGHT, {}, unreadable) == RIGHT
    renamed = {"city": "Oslo", "days": 3}
    unknown = [Mismatch("/city", "no property of this name", "Oslo")]
    assert corrected(RIGHT, renamed, unknown) == RIGHT


def test_shares_are_of_the_calls_that_are_faulty(folder: Path) -> None:
    found = accuracies(folder, ["simple_python"])
    by_fault = {each.fault: each for each in found}
    assert by_fault["as it is"].harmless == 1
    assert by_fault["number or literal as text"].repaired == 1
    assert by_fault["required argument left out"].repaired == 0
    assert by_fault["required argument left out"].one_round == 2
    [whole] = in_all(found)
    assert whole.calls == sum(each.calls for each in found) - 1
    assert "| simple_python | required argument left out | 2 | 2 | 0.0% | 100.0% |" in (
        accuracy_table(found)
    )


def reply(**arguments: object) -> JsonObject:
    return {"calls": [{"function": "weather.of", "arguments": arguments}]}


def test_a_model_answers_with_calls_and_is_told_what_does_not_fit(folder: Path) -> None:
    [question] = questions(folder, "simple_python")
    wrong = reply(**{**RIGHT, "days": "several"})
    model = ScriptedModel([wrong, reply(**RIGHT)])
    found = bfcl_model.answer(model, question)
    assert (found.first, found.final, found.attempts) == (False, True, 2)
    assert "/days: expected an integer" in model.asked[1].messages[-1].text


def test_an_answer_that_needs_repair_is_told_from_one_that_does_not(folder: Path) -> None:
    [question] = questions(folder, "simple_python")
    found = bfcl_model.answer(ScriptedModel([reply(**{**RIGHT, "days": "3"})]), question)
    assert (found.first_as_written, found.first, found.final) == (False, True, True)


def test_a_call_where_none_is_right_is_wrong(folder: Path) -> None:
    [question] = questions(folder, "irrelevance")
    assert bfcl_model.answer(ScriptedModel([{"calls": []}]), question).final
    assert not bfcl_model.answer(ScriptedModel([reply(**RIGHT)]), question).final


def test_answers_that_are_kept_are_not_asked_for_again(folder: Path, tmp_path: Path) -> None:
    model = ScriptedModel([reply(**RIGHT)] * 4 + [{"calls": []}])
    file = tmp_path / "answers.jsonl"
    first = bfcl_model.run(model, folder, file, each=1)
    assert bfcl_model.run(ScriptedModel([]), folder, file, each=1) == first
    assert "| irrelevance | 1 | 100% | 100% | 100% |" in bfcl_model.answers_table(first)


def test_the_command_needs_the_data(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--data"):
        main(["bfcl", "--data", str(tmp_path / "nothing")])


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], Accuracy]:
    return {(each.category, each.fault): each for each in accuracies(BFCL)}


CATEGORY = pytest.mark.parametrize(
    ("category", "calls", "rejected"),
    [
        ("simple_python", 400, 1),
        ("multiple", 200, 0),
        ("parallel", 540, 2),
        ("parallel_multiple", 607, 4),
    ],
)


@pytest.mark.corpus
@needs_data
@CATEGORY
def test_right_calls_are_accepted(
    measured: dict[tuple[str, str], Accuracy], category: str, calls: int, rejected: int
) -> None:
    """Those that are rejected break the schemas that the data give them."""
    as_it_is = measured[category, "as it is"]
    assert (as_it_is.calls, as_it_is.calls - as_it_is.harmless) == (calls, rejected)


REPAIRED = (
    "number or literal as text",
    "object or list as JSON text",
    "object or list as Python text",
    "one item without its list",
    "words around the JSON",
    "in a Markdown fence",
    "as Python writes it",
    "without its last bracket",
)


@pytest.mark.corpus
@needs_data
@CATEGORY
def test_what_can_be_repaired_is_and_the_rest_is_named(
    measured: dict[tuple[str, str], Accuracy], category: str, calls: int, rejected: int
) -> None:
    for fault in REPAIRED:
        found = measured[category, fault]
        assert found.repaired == found.calls
    [whole] = in_all([each for (name, _), each in measured.items() if name == category])
    assert whole.repaired / whole.calls > 0.39
    assert whole.one_round / whole.calls > 0.998
    # Letters that are other values in another case, and arguments that take anything.
    assert (whole.as_written + whole.misrepaired) / whole.calls < 0.002


def test_the_command_prints_and_keeps_what_faults_come_to(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bfcl", "--data", str(folder), "--results", str(tmp_path / "results")]) == 0
    assert "| parallel | all faults |" in capsys.readouterr().out
    kept = json.loads((tmp_path / "results" / "bfcl.json").read_text())
    assert {each["category"] for each in kept} == set(ANSWERED)


def test_calls_may_come_in_any_order_and_none_may_be_left_over(folder: Path) -> None:
    [question] = questions(folder, "parallel")
    [call] = question.calls
    other = replace(call, options={**call.options, "town": ["Bergen"]})
    both = replace(question, calls=(call, other))
    bergen, oslo = reply(**{**RIGHT, "town": "Bergen"}), reply(**RIGHT)
    right = {"calls": [*bergen["calls"], *oslo["calls"]]}
    assert bfcl_model.answer(ScriptedModel([right]), both).final
    assert not bfcl_model.answer(ScriptedModel([oslo]), both).final
    assert not bfcl_model.answer(ScriptedModel([right]), question).final


def test_a_function_that_is_not_offered_is_told(folder: Path) -> None:
    [question] = questions(folder, "simple_python")
    model = ScriptedModel([{"calls": [{"function": "rain", "arguments": {}}]}, reply(**RIGHT)])
    assert bfcl_model.answer(model, question).final
    assert "There is no function rain." in model.asked[1].messages[-1].text
