"""Hostile documents load or are refused in a second and 200 MB, and make nothing else be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parents[2].parent / "shared" / "data" / "conformance" / "adversarial"
EXPECTED = FIXTURES / "expected.json"
STAGES = {
    name: each["stage"]
    for name, each in (json.loads(EXPECTED.read_text()) if EXPECTED.is_file() else {}).items()
}
EXTERNAL = {
    "absolute": "/etc/passwd",
    "data": "data:application/json,{}",
    "file": "file:///etc/passwd",
    "ftp": "ftp://127.0.0.1/x",
    "loopback": "http://127.0.0.1:PORT/internal.json#/a",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "traversal": "../../../../etc/passwd",
    "unc": "//attacker.example/x.yaml",
}
REFUSED = {
    "json_deep.json": "nests deeper than the limit of 200 levels",
    "json_numbers.json": "it holds NaN, which is no JSON",
    "yaml_alias_cycle.yaml": "the alias *c names nothing that is complete, line 5",
    "yaml_billion_laughs.yaml": "over the limit of 3,000,000 nodes",
    "yaml_deep.yaml": "nests deeper than the limit of 200 levels",
    "yaml_merge_bomb.yaml": "over the limit of 3,000,000 nodes",
    "yaml_python_tag.yaml": "a tag that makes Python objects, line 5",
}
SCALARS = {
    "no": "NO",
    "on": "on",
    "sexagesimal": "12:30:45",
    "oct": "017",
    "date": "2024-01-01",
    "float": 1000.0,
    "inf": ".inf",
    "nan": ".nan",
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not STAGES, reason=f"the shared data set {FIXTURES} is not there"),
    pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are set as on Linux"),
]


def of_stage(stage: str) -> list[str]:
    return [name for name, its in STAGES.items() if its == stage]


def outcome(stage: str, name: str, value: Any = None) -> dict[str, Any]:
    """What became of the fixture `name`; that nothing but itself was opened holds for all."""
    script = Path(__file__).with_name("run_fixture.py")
    ended = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, script, stage, FIXTURES / name],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "FIXTURE_INPUT": json.dumps(value or {"q": "a"})},
    )
    assert ended.returncode == 0, ended.stderr[-1000:]
    found = json.loads(ended.stdout)
    assert found.pop("seen") == [f"open {FIXTURES / name}"]
    return found


@pytest.mark.parametrize("name", of_stage("load"))
def test_a_hostile_document_loads_or_is_refused(name: str) -> None:
    found = outcome("load", name)

    if name in REFUSED:
        assert REFUSED[name] in found["refused"]
        assert "\n" not in found["refused"]
    else:
        CHECKS[name](found["loaded"])


def a_repeated_key_is_told(loaded: dict[str, Any]) -> None:
    what = "the key 'paths' stands twice, line 5 (the last one counts, the rest is lost)"
    assert f"(whole document): {what}" in loaded["problems"]


def scalars_are_read_as_json_would(loaded: dict[str, Any]) -> None:
    assert loaded["content"]["x"] == SCALARS
    assert [each for each in loaded["problems"] if "no number of JSON, line 5" in each]


def the_reference_is_told(ref: str, loaded: dict[str, Any]) -> None:
    """The problem names the reference, and the option by which files are read."""
    [problem] = [each for each in loaded["problems"] if ref in each]
    assert "--allow-refs DIR" in problem
    assert loaded["operations"] == 1


CHECKS = {
    "yaml_dup_keys.yaml": a_repeated_key_is_told,
    "yaml_scalars.yaml": scalars_are_read_as_json_would,
    **{
        f"ref_external_{name}.yaml": lambda loaded, ref=ref: the_reference_is_told(ref, loaded)
        for name, ref in EXTERNAL.items()
    },
}


@pytest.mark.parametrize("name", of_stage("tool"))
def test_a_hostile_document_becomes_tools_of_a_bounded_size(name: str) -> None:
    made = outcome("tool", name)["loaded"]

    assert made["names"]
    assert len(set(made["names"])) == len(made["names"])
    assert all(size <= 16_000 for size in made["shown"])
    TOOLS.get(name, lambda made: None)(made)


def the_loop_is_told(made: dict[str, Any]) -> None:
    assert [each for each in made["problems"] if "/A'" in each and "circle" in each]
    assert made["accepts"] == [True]


def definitions_are_kept(made: dict[str, Any]) -> None:
    assert all(size < 64 * 1024 for size in made["checked"])


def the_pattern_is_told_and_left_out(made: dict[str, Any]) -> None:
    assert [each for each in made["problems"] if "pattern" in each]
    assert made["shows"]["properties"]["q"] == {"type": "string"}
    assert made["accepts"] == [True]


def the_values_are_cut_with_a_note(made: dict[str, Any]) -> None:
    assert "left out" in made["shows"]["properties"]["q"]["description"]
    assert made["accepts"] == [False]


def the_tool_stays_in_its_namespace(made: dict[str, Any]) -> None:
    assert made["names"] == ["t__send_email"]


TOOLS = {
    "ref_self.yaml": the_loop_is_told,
    "ref_exponential.yaml": definitions_are_kept,
    "pattern_invalid.yaml": the_pattern_is_told_and_left_out,
    "enum_100k.yaml": the_values_are_cut_with_a_note,
    "shadow_tool.yaml": the_tool_stays_in_its_namespace,
}


@pytest.mark.parametrize("name", of_stage("validate"))
def test_a_hostile_schema_is_checked_in_bounded_time(name: str) -> None:
    value = json.loads(EXPECTED.read_text())[name]["input"]

    assert outcome("validate", name, value)["loaded"]["mismatches"]
