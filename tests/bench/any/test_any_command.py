"""`restwright-bench any`: lines that are kept, tasks that are listed, figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bench.any.opened import LIBRARY, PORT

from restwright_bench.any.summary import agent_of, summarize
from restwright_bench.cli import main


def run(*arguments: str | Path) -> int:
    return main(["any", *map(str, arguments)])


def ideal(file: Path, *more: str) -> int:
    options = ("--agent", "calling", "--model", "ideal", "--kinds", "count,create")
    return run(LIBRARY, *options, "--languages", "en,ja", "--out", file, *more)


def test_runs_are_kept_and_not_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "any.jsonl"
    assert ideal(file, "--every", "2") == 0
    kept = file.read_text(encoding="utf-8").splitlines()
    assert len(kept) == 10
    assert ideal(file) == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    assert (lines[:10], len(lines)) == (kept, 20)
    shown = capsys.readouterr().out
    assert "calling, ideal" in shown
    assert "language: ja" in shown
    assert "100.0 [83.9, 100.0]" in shown


def test_tasks_are_listed(capsys: pytest.CaptureFixture[str]):
    options = ("--list", "--languages", "de", "--kinds", "count", "--split", "never-read")
    assert run(LIBRARY, PORT, *options) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 1 + 3
    assert "library.yaml: 2 resources, 11 operations served" in shown.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--kinds", "dance"), "no dance"),
        (("--languages", "la"), "no la"),
        (("--split", "some"), "no some"),
        (("--consent", "none"), "no none"),
        (("--model", "ideal", "--agent", "react"), "calling,rest alone"),
    ],
)
def test_what_cannot_be_chosen_is_said(
    arguments: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
):
    assert run(LIBRARY, *arguments) == 1
    assert why in capsys.readouterr().err


def test_a_file_that_is_no_document_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    assert run(tmp_path / "x.json", "--list") == 1
    assert run(tmp_path / "y.json", "--list") == 1
    assert "y.json" in capsys.readouterr().err


def test_figures_are_of_each_agent(tmp_path: Path):
    file = tmp_path / "any.jsonl"
    ideal(file, "--every", "4")
    lines = [json.loads(each) for each in file.read_text(encoding="utf-8").splitlines()]
    harmed = [
        {**each, "consent": "asked", "verdict": {**each["verdict"], "harm": ["x"]}}
        for each in lines
    ]
    rows = list(summarize([*lines, *harmed], ("all",)))
    assert [row.agent for row in rows] == [agent_of(lines[0]), agent_of(harmed[0])]
    assert [row.harm.value for row in rows if row.harm] == [0.0, 100.0]
