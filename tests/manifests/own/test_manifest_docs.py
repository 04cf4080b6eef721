"""What the page about manifests shows can be loaded."""

from __future__ import annotations

import re
from pathlib import Path

from restwright.manifests.own.loader import load_manifest
from restwright.manifests.text.schema_check import manifest_schema
from restwright.openapi.syntax.yaml_reader import parse_yaml

PAGE = (Path(__file__).parents[3] / "docs" / "manifests.md").read_text("utf-8")
# Those after them are run by tests/manifests/own/test_manifest_examples.py.
SHORT, WHOLE = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[:2]
FILES = ("shop.yaml", "ours.yaml", "prices.py", "terms.txt")


def test_the_manifests_of_the_page_load(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_text("{}", "utf-8")
    (tmp_path / "billing.yaml").write_text("prompt: Bills.\n", "utf-8")
    for text in (SHORT, WHOLE):
        path = tmp_path / "agent.yaml"
        path.write_text(text, "utf-8")
        assert load_manifest(path).problems == ()


def test_the_short_one_has_four_lines() -> None:
    assert len(SHORT.strip().splitlines()) == 4


def test_the_long_one_shows_every_key() -> None:
    shown, _ = parse_yaml(WHOLE, source="page")
    assert {*manifest_schema()["properties"]} - {*shown} == set()
    server = {key for each in shown["mcp"] for key in each}
    assert {*manifest_schema()["$defs"]["server"]["properties"]} == server
    assert {*manifest_schema()["$defs"]["api"]["properties"]} == {*shown["apis"][0]}
