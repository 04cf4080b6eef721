"""A hundred programs that try to reach the host, or to exhaust it, from inside the sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from restwright.agents.sandbox import run_code

PROGRAMS = (
    Path(__file__).parents[2].parent / "shared/data/conformance/adversarial/sandbox_programs.json"
)
TEMPORARY = Path("/tmp")  # noqa: S108 - where the programs try to write
ALL: list[dict[str, Any]] = json.loads(PROGRAMS.read_text()) if PROGRAMS.is_file() else []

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not ALL, reason=f"the shared data set {PROGRAMS} is not there"),
]


def source(program: dict[str, Any]) -> str:
    if program["code"] is not None:
        return program["code"]
    return "".join(text * times for text, times in program["make"]["concat_repeat"])


@pytest.mark.parametrize("program", [pytest.param(each, id=each["name"]) for each in ALL])
def test_a_hostile_program_has_no_effect_outside(
    program: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CANARY", "canary-5b1d")
    before = set(TEMPORARY.iterdir())
    outcome = run_code(source(program), '{"x": [1]}')
    seen = json.dumps(outcome.value) + outcome.error
    assert "canary-5b1d" not in seen
    assert "root:" not in seen
    assert list(folder.iterdir()) == []
    assert not [path for path in set(TEMPORARY.iterdir()) - before if "pwn" in path.name]
    assert run_code("data['x']", '{"x": [1]}').value == [1]
