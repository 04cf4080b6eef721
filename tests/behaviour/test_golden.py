"""Six small documents, and everything that they become: made by `make regen`."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from tests.support.dialects import CHECKERS
from tests.support.regen import SPOKEN, catalog_of, folders, golden_files, tools_in

from restwright.openapi.upgrade import upgrade_document
from restwright.tools.options import ToolOptions

FOLDERS = [pytest.param(each, id=each.name) for each in folders()]
OPTIONS = {
    "flat": ToolOptions(),
    "grouped": ToolOptions(layout="grouped"),
    "lean": ToolOptions(lean=True, naming="accessor"),
    "tight": ToolOptions(budget=800),
}
MAX_DIFF_LINES = 80


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_golden_files_are_what_is_made_now(folder: Path) -> None:
    made = golden_files(folder)
    changed = [each for name, text in made.items() for each in difference(folder / name, text)]
    if changed:
        more = [f"... {len(changed) - MAX_DIFF_LINES} more lines"] * (len(changed) > MAX_DIFF_LINES)
        lines = "\n".join([*changed[:MAX_DIFF_LINES], *more])
        pytest.fail(f"run `make regen`, and read what `git diff` says:\n{lines}", pytrace=False)


def difference(file: Path, text: str) -> list[str]:
    """What is written differently in a golden file; empty where nothing is."""
    written = file.read_text(encoding="utf-8") if file.exists() else ""
    name = f"{file.parent.name}/{file.name}"
    before, after = written.splitlines(), text.splitlines()
    return list(difflib.unified_diff(before, after, name, f"{name} now", n=2, lineterm=""))


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_other_files_lie_there(folder: Path) -> None:
    expected = {"document.yaml", "calls.json", *golden_files(folder)}
    assert {each.name for each in folder.iterdir()} == expected


@pytest.mark.parametrize("dialect", SPOKEN)
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_provider_would_take_every_tool(folder: Path, dialect: str) -> None:
    said = {each: CHECKERS[dialect](each_tool) for each, each_tool in named(folder, dialect)}
    assert {name: found for name, found in said.items() if found} == {}


def named(folder: Path, dialect: str) -> list[tuple[str, dict[str, Any]]]:
    whole = catalog_of(folder)
    return list(zip(whole.names, tools_in(whole, dialect), strict=True))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_schema_is_one_and_has_all_its_definitions(folder: Path, options: str) -> None:
    for tool in catalog_of(folder, OPTIONS[options]).tools:
        for schema in (tool.shows, tool.checks, tool.output or {}):
            jsonschema_rs.meta.validate(schema)
            assert references(schema) <= set(definitions(schema))
        assert set(tool.shows.get("required", ())) <= set(tool.required)
        assert set(tool.shows["properties"]) <= set(tool.properties)


def definitions(schema: dict[str, Any]) -> list[str]:
    return [f"#/$defs/{name}" for name in schema.get("$defs", {})]


def references(schema: Any) -> set[str]:
    """Every `$ref` in a schema without properties of that name."""
    if isinstance(schema, list):
        return {ref for each in schema for ref in references(each)}
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set()
    return own.union(*map(references, schema.values()))


@pytest.mark.parametrize("folder", FOLDERS)
def test_upgrading_what_was_upgraded_changes_nothing(folder: Path) -> None:
    upgraded = json.loads((folder / "upgraded.json").read_text(encoding="utf-8"))
    assert upgrade_document(upgraded) == upgraded


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_seen_is_what_is_there(folder: Path) -> None:
    """No golden file holds a character that nobody sees in a diff."""
    for name, text in golden_files(folder).items():
        assert [each for each in text if not (each.isprintable() or each == "\n")] == [], name
