"""The runner of the board: marks, feedback, results that are kept, and the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from restwright.agents.steps import Complete, Completion
from restwright.errors import LimitReached, ModelUnavailable
from restwright.jsontypes import JsonObject
from restwright.testing import ScriptedModel
from restwright_bench.calling.anchors import ANCHORS, anchors_table
from restwright_bench.calling.board import Options, Trial, read_trials, run_board, run_trial
from restwright_bench.calling.command import board, boards, main
from restwright_bench.calling.kinds import KINDS, Kind, kind_named
from restwright_bench.calling.prompt import request_for
from restwright_bench.calling.rehearsed import RehearsedModel
from restwright_bench.calling.table import LEGEND, board_table
from restwright_bench.calling.task import Task

SIMPLE = kind_named("ObjectSimple")
DETAIL = kind_named("ShoppingSaleDetail")
STRANGER = "00000000-0000-4000-8000-000000000000"


def right(kind: Kind, trial: int = 1) -> JsonObject:
    return kind.task(trial).reference


def too_young(trial: int = 1) -> JsonObject:
    return {**right(SIMPLE, trial), "age": 3}


def test_a_right_first_reply_is_marked_1() -> None:
    trial = run_trial(SIMPLE, 1, ScriptedModel([right(SIMPLE)]), Options())
    assert trial.mark == 1
    assert trial.is_first_as_written
    assert trial.is_meant
    assert [each.mismatches for each in trial.attempts] == [()]


def test_a_reply_right_after_feedback_is_marked_2_and_feedback_names_the_fault() -> None:
    model = ScriptedModel([too_young(), right(SIMPLE)])
    trial = run_trial(SIMPLE, 1, model, Options())
    assert trial.mark == 2
    assert not trial.is_first
    system, asked, replied, told = model.asked[1].messages
    assert (system, asked) == model.asked[0].messages
    assert (replied.speaker, told.speaker) == ("assistant", "user")
    assert "/age: expected" in told.text
    assert json.loads(replied.text) == too_young()


def test_only_the_last_wrong_reply_is_shown_and_what_is_wrong_again_is_told_so() -> None:
    model = ScriptedModel([too_young(), too_young(), right(SIMPLE)])
    assert run_trial(SIMPLE, 1, model, Options()).mark == 3
    assert len(model.asked[2].messages) == 4
    assert "again: /age" in model.asked[2].messages[-1].text


def test_six_wrong_replies_are_a_failure() -> None:
    model = ScriptedModel([too_young()] * 6)
    trial = run_trial(SIMPLE, 1, model, Options())
    assert (trial.mark, len(trial.attempts), model.left) == ("failure", 6, ())
    assert not trial.is_right
    assert not trial.is_meant


def test_words_alone_are_nothing() -> None:
    model = ScriptedModel(["I cannot do that."] * 2)
    assert run_trial(SIMPLE, 1, model, Options(attempts=2)).mark == "nothing"


def test_a_reply_that_needs_repair_counts_and_is_told_from_one_that_does_not() -> None:
    written = {**right(SIMPLE), "age": str(right(SIMPLE)["age"])}
    trial = run_trial(SIMPLE, 1, ScriptedModel([f"Here: {json.dumps(written)}"]), Options())
    assert trial.mark == 1
    assert not trial.is_first_as_written
    assert trial.is_meant
    assert len(trial.attempts[0].repairs) == 1


def test_a_wrong_id_is_fed_back_without_telling_the_right_one() -> None:
    model = ScriptedModel([{"sale_id": STRANGER}, right(DETAIL)])
    assert run_trial(DETAIL, 1, model, Options()).mark == 2
    told = model.asked[1].messages[-1].text
    assert "/sale_id: expected the id of the sale" in told
    assert right(DETAIL)["sale_id"] not in told


def test_a_right_call_that_was_not_asked_for_is_marked_but_not_meant() -> None:
    model = ScriptedModel([{**right(SIMPLE), "age": 99}])
    trial = run_trial(SIMPLE, 1, model, Options())
    assert (trial.mark, trial.is_meant) == (1, False)
    assert trial.amiss == (f"/age: expected {right(SIMPLE)['age']}, got 99",)


class Failing:
    """A model that says something, then raises."""

    name = "failing"

    def __init__(self, error: Exception, *replies: Completion) -> None:
        self.error, self.replies = error, list(replies)

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        if not self.replies:
            raise self.error
        return self.replies.pop(0)


def test_a_reply_that_takes_too_long_is_an_error_of_its_trial() -> None:
    wrong = Completion(text=json.dumps(too_young()))
    trial = run_trial(SIMPLE, 1, Failing(LimitReached("seconds", 300), wrong), Options())
    assert trial.mark == "error"
    assert "seconds" in trial.error
    assert len(trial.attempts) == 1


def test_a_model_that_is_not_there_ends_the_run(tmp_path: Path) -> None:
    model = Failing(ModelUnavailable("failing", "it is gone", "get another"))
    with pytest.raises(ModelUnavailable):
        run_board(model, tmp_path / "board.jsonl", kinds=[SIMPLE])
    assert read_trials(tmp_path / "board.jsonl") == ()


def test_a_reply_that_was_cut_off_does_not_count() -> None:
    text = json.dumps(right(SIMPLE))
    cut = Completion(text=text, output_tokens=200, finish="length")
    model = Failing(LimitReached("seconds", 1), cut, Completion(text=text))
    trial = run_trial(SIMPLE, 1, model, Options())
    assert trial.mark == 2
    assert "without an end" in trial.attempts[0].mismatches[0]


def test_replies_are_kept_short(tmp_path: Path) -> None:
    model = ScriptedModel(["x" * 5_000])
    [trial] = run_board(
        model, tmp_path / "b.jsonl", kinds=[SIMPLE], options=Options(trials=1, attempts=1)
    )
    assert len(trial.attempts[0].reply) == 600
    assert read_trials(tmp_path / "b.jsonl") == (trial,)


def test_trials_that_are_kept_are_not_run_again(tmp_path: Path) -> None:
    file, two = tmp_path / "board.jsonl", Options(trials=2)
    said: list[Trial] = []
    model = ScriptedModel([right(SIMPLE, 1), too_young(2), right(SIMPLE, 2)])
    before = run_board(model, file, kinds=[SIMPLE], options=two, say=said.append)
    assert [each.mark for each in before] == [1, 2]
    assert tuple(said) == before
    assert run_board(ScriptedModel([]), file, kinds=[SIMPLE], options=two) == before
    more = ScriptedModel([right(SIMPLE, 3)])
    after = run_board(more, file, kinds=[SIMPLE], options=Options(trials=3))
    assert after[:2] == before
    assert len(file.read_text().splitlines()) == 3


def test_a_line_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    file, one = tmp_path / "board.jsonl", Options(trials=1)
    run_board(ScriptedModel([right(SIMPLE)]), file, kinds=[SIMPLE], options=one)
    file.write_text(file.read_text()[:100])
    again = ScriptedModel([right(SIMPLE)])
    run_board(again, file, kinds=[SIMPLE], options=one)
    assert again.left == ()
    assert len(read_trials(file)) == 1


def test_another_model_or_style_or_task_is_run_anew(tmp_path: Path) -> None:
    file, one = tmp_path / "board.jsonl", Options(trials=1)
    run_board(ScriptedModel([right(SIMPLE)]), file, kinds=[SIMPLE], options=one)
    run_board(ScriptedModel([right(SIMPLE)], name="b"), file, kinds=[SIMPLE], options=one)
    free = Options(trials=1, style="free")
    run_board(ScriptedModel([right(SIMPLE)]), file, kinds=[SIMPLE], options=free)
    file.write_text(file.read_text().replace(SIMPLE.digest(1), "older"))
    run_board(ScriptedModel([right(SIMPLE)]), file, kinds=[SIMPLE], options=one)
    assert len(read_trials(file)) == 4


def test_a_schema_for_the_reply_is_handed_over_only_when_replies_are_constrained() -> None:
    task = SIMPLE.task(1)
    constrained, free = (
        request_for(SIMPLE.tool, task, 100, constrained=way) for way in (True, False)
    )
    assert constrained.schema is not None
    assert constrained.schema["required"] == ["card", "name", "age"]
    assert free.schema is None
    assert constrained.messages == free.messages


def test_what_is_too_long_to_be_shown_is_not_run_and_is_told(tmp_path: Path) -> None:
    class Long(Kind):
        @property
        def shown(self) -> int:
            return 6_001

    def draw(_: object) -> Task:
        raise AssertionError("it is not to be run")

    long = Long(name="Long", document="library", operation="addReader", draw=draw, max_tokens=1)
    assert run_board(ScriptedModel([]), tmp_path / "b.jsonl", kinds=[long]) == ()
    assert "| Long | shows 6001 characters, over 6000 |" in board_table([], [long])


def test_the_table_has_a_row_a_kind_and_a_mark_a_trial(tmp_path: Path) -> None:
    replies: list[str | JsonObject] = [
        right(SIMPLE, 1),
        too_young(2),
        right(SIMPLE, 2),
        too_young(3),
        too_young(3),
        {"sale_id": STRANGER},
        "Well.",
        "Well.",
        "Well.",
        right(DETAIL, 3),
    ]
    trials = run_board(
        ScriptedModel(replies),
        tmp_path / "board.jsonl",
        kinds=[SIMPLE, DETAIL],
        options=Options(trials=3, attempts=2),
    )
    assert board_table(trials, [SIMPLE, DETAIL, KINDS[0]]).splitlines() == [
        "| Kind | Trials | as written | first | final | meant | s |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| ObjectSimple | 1 2 ✗ | 33 % | 33 % | 67 % | 67 % | 0.0 |",
        "| ShoppingSaleDetail | ✗ ∅ 1 | 33 % | 33 % | 33 % | 33 % | 0.0 |",
        "| ObjectConstraint | none yet |  |  |  |  |  |",
        "| all | 6 | 33 % | 33 % | 50 % | 50 % | 0.0 |",
        "",
        f"Mean attempts of those that were right: 1.333. {LEGEND.splitlines()[0]}",
        *LEGEND.splitlines()[1:],
    ]


@pytest.mark.parametrize(
    ("name", "first", "final", "meant"),
    [("right", 120, 120, 120), ("mute", 0, 0, 0)],
)
def test_a_rehearsed_model_scores_what_it_must(
    tmp_path: Path, name: str, first: int, final: int, meant: int
) -> None:
    trials = run_board(RehearsedModel(name), tmp_path / "board.jsonl")
    assert len(trials) == 120
    assert sum(each.is_first_as_written for each in trials) == first
    assert sum(each.is_right for each in trials) == final
    assert sum(each.is_meant for each in trials) == meant


def test_one_fault_in_the_first_reply_is_repaired_or_fed_back(tmp_path: Path) -> None:
    trials = run_board(RehearsedModel("mutated"), tmp_path / "board.jsonl")
    assert not any(each.is_first_as_written for each in trials)
    assert {each.mark for each in trials} == {1, 2}
    assert all(each.is_meant for each in trials)


def test_the_command_prints_the_table_and_keeps_the_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["board", "--model", "right", "--only", "objectsimple", "--trials", "2"]
    assert main([*given, "--results", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert "| ObjectSimple | 1 1 | 100 % |" in printed.out
    assert "ObjectSimple 2: 1, 0 s" in printed.err
    assert len(read_trials(tmp_path / "board-right.jsonl")) == 2
    table = board("right", only=["ObjectSimple"], trials=2, results=tmp_path)
    assert table == printed.out


def test_a_model_that_does_not_exist_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["board", "--model", "local:nobody", "--results", str(tmp_path)]) == 1
    assert "nobody" in capsys.readouterr().err


def test_published_anchors_are_of_all_twelve_kinds_and_sorted() -> None:
    assert {each.trials for each in ANCHORS} == {120}
    firsts = [each.first for each in ANCHORS]
    assert firsts == sorted(firsts, reverse=True)
    assert all(each.first <= each.final <= each.trials for each in ANCHORS)
    assert "| openai/o3-mini-2025-01-31 | 120 | 84% | 99% | 1.218 | 23.1 |" in anchors_table()


def test_kept_trials_make_a_table_a_model(tmp_path: Path) -> None:
    one = Options(trials=1)
    for name in ("a", "b"):
        model = ScriptedModel([right(SIMPLE)], name=name)
        run_board(model, tmp_path / f"board-{name}.jsonl", kinds=[SIMPLE], options=one)
    board("right", only=["ObjectSimple"], trials=1, results=tmp_path)
    text = boards(tmp_path)
    assert "**a**, replies constrained" in text
    assert text.count("| ObjectSimple | 1 | 100 % |") == 2
    older = tmp_path / "board-a.jsonl"
    older.write_text(older.read_text().replace(SIMPLE.digest(1), "older"))
    assert "**a**" not in boards(tmp_path)
    assert boards(tmp_path / "nothing") == ""
