"""The page about SlashGPT says everything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.manifests.fixtures import CALENDAR, CALENDAR_FUNCTIONS, EVENT, folder, resource
from tests.support.manifests.stub import saying

from restwright.jsontypes import Json
from restwright.manifests.functions.actions import ACTION_KINDS
from restwright.manifests.slashgpt.commands import SLASHGPT_COMMANDS
from restwright.manifests.slashgpt.keys import LIVE_KEYS, SILENT_KEYS
from restwright.manifests.slashgpt.session import is_slashgpt, is_slashgpt_path
from restwright.testing import ScriptedModel

PAGE = (Path(__file__).parents[3] / "docs" / "slashgpt.md").read_text("utf-8")
ALIASES = {"v", "current_llm", "audio"}


def test_every_key_action_and_command_is_on_the_page() -> None:
    for name in (*LIVE_KEYS, *SILENT_KEYS, *ACTION_KINDS.values()):
        assert f"`{name}`" in PAGE, name
    for name in SLASHGPT_COMMANDS.keys() - ALIASES:
        assert f"/{name}" in PAGE, name


def test_the_python_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder(tmp_path, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    code = code.replace('model_named("openai:gpt-5")', "model")
    names = {"model": ScriptedModel([saying("Done.")])}
    exec(compile(code, "slashgpt.md", "exec"), names)  # noqa: S102
    assert capsys.readouterr().out == "Which event?\nDone.\n"


@pytest.mark.parametrize(
    ("raw", "is_one"),
    [
        ({"title": "T", "prompt": "p"}, True),
        ({"functions": "f.json", "agents": ["a"]}, True),
        ({"title": "T", "apis": ["a.yaml"]}, False),
        ({"title": "T", "agents": {"a": "b.yaml"}}, False),
        ({"openapi": "3.1.0"}, False),
        (["x"], False),
    ],
)
def test_a_manifest_is_told_from_ours(tmp_path: Path, raw: Json, is_one: bool) -> None:
    import json

    assert is_slashgpt(raw) is is_one
    (tmp_path / "a.json").write_text(json.dumps(raw), "utf-8")
    assert is_slashgpt_path(tmp_path / "a.json") is is_one
    assert is_slashgpt_path(tmp_path)
