"""`restwright-bench servers`: tasks that are listed, runs that are kept, figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bench.servers.opened import LIBRARY, exam

from restwright.testing import ScriptedModel
from restwright_bench.any.summary import summarize
from restwright_bench.calling.kept import records
from restwright_bench.cli import main
from restwright_bench.servers.kinds import SERVERS
from restwright_bench.servers.running import Trial, left_tasks, new_lines
from restwright_bench.servers.stage import staged
from restwright_bench.servers.tasks import exam_of


def run(*arguments: str | Path) -> int:
    return main(["servers", *map(str, arguments)])


def test_tasks_for_development_are_listed(capsys: pytest.CaptureFixture[str]):
    assert run("--list") == 0
    shown = capsys.readouterr()
    listed = {line.split()[0] for line in shown.out.splitlines()}
    assert listed == {"alertmanager", "kinto", "pdns", "etherpad", "flexget", "jupyter", "pretalx"}
    assert "kinto: 8 tasks" in shown.err


def test_tasks_are_chosen_by_language_and_kind(capsys: pytest.CaptureFixture[str]):
    options = ("--languages", "de", "--kinds", "all-but-one,create", "--split", "dev")
    assert run("alertmanager", "--list", *options) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("moon",), "no moon"),
        (("--split", "some"), "no some"),
        (("--languages", "la"), "no la"),
        (("--seeds", "x"), "write 0-9"),
        (("kinto",), "restwright-bench servers-setup kinto"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(*arguments, "--folder", tmp_path) == 1
    assert why in capsys.readouterr().err


def test_every_server_has_tasks_in_three_languages():
    for server in SERVERS.values():
        tasks = exam_of(server).tasks
        assert 5 <= len(tasks) <= 8
        assert {task.language for task in tasks} == {"en", "fr", "de"}, server.name
        assert any(task.asked for task in tasks), server.name
        assert any(not task.asked and task.answers for task in tasks), server.name
        assert all(task.program for task in tasks), server.name


def test_runs_are_kept_and_not_made_again(tmp_path: Path):
    file = tmp_path / "servers.jsonl"
    tasks, kinds = exam().tasks, ("react",)
    with staged(LIBRARY, tmp_path, exam()) as stage:
        trial = Trial(model=ScriptedModel(["Thought: done.\nFinal Answer: Tides"] * 9), kinds=kinds)
        lines = list(new_lines(left_tasks(tasks, kinds, file), stage, trial, file))
    assert lines == list(records(file))
    assert [line["task"] for line in lines] == [task.kind for task in tasks]
    assert not any(line["verdict"]["harm"] for line in lines)
    assert left_tasks(tasks, kinds, file) == []
    assert [task.kind for task, _ in left_tasks(tasks, ("rest",), file)] == [
        task.kind for task in tasks
    ]
    rows = {row.value: row.runs for row in summarize(lines, ("all", "document", "split"))}
    assert rows == {"all": 3, "library": 3, "dev": 3}
    assert "secret" not in json.dumps(lines)
