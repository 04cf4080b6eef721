"""The list of tools: groups, columns, and that nothing is parsed or built for it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stdout

import pytest
from rich.cells import cell_len
from tests.support.cli.regen import STYLE, Terminal

from restwright.cli.render.tables import print_groups
from restwright.cli.render.tool_list import Row, grouped
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

ANSWERED = {"responses": {"200": {"description": "It."}}}


def groups_of(paths: dict[str, dict[str, object]]) -> dict[str, list[str]]:
    entries = catalog(load(document(paths=paths))).entries
    return {name: [row.name for row in rows] for name, rows in grouped([*entries.values()]).items()}


def test_the_first_tag_is_the_group():
    tagged = {"get": {**ANSWERED, "tags": ["Pets", "Shop"]}, "post": {**ANSWERED, "tags": ["Pets"]}}
    assert groups_of({"/animals": tagged}) == {"Pets": ["animals", "post_animals"]}


def test_without_a_tag_it_is_the_first_word_that_is_not_the_beginning_of_all_paths():
    both = {"get": ANSWERED, "post": ANSWERED}
    paths = {"/api/v1/pets": both, "/api/v1/owners/{id}": both, "/api": {"get": ANSWERED}}
    assert groups_of(paths) == {
        "api": ["api"],
        "owners": ["api_v1_owners_by_id", "post_api_v1_owners_by_id"],
        "pets": ["api_v1_pets", "post_api_v1_pets"],
    }


def test_groups_of_one_tool_are_joined_at_the_end():
    paths = {f"/{name}": {"get": ANSWERED} for name in ("a", "b", "c")}
    paths["/b"]["post"] = ANSWERED
    assert groups_of(paths) == {"b": ["b", "post_b"], "": ["a", "c"]}


def rows(count: int) -> list[Row]:
    return [
        Row(
            name=f"get_{'thing_' * (index % 9)}{index}",
            method="GET",
            path=f"/things/{'{part}/' * (index % 7)}{index}",
            headline="船 " * index + "Get it.",
            deprecated=index % 5 == 0,
        )
        for index in range(count)
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_no_line_is_wider_than_the_terminal(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    out = Terminal()
    with redirect_stdout(out):
        print_groups("things " * 20, {"a" * 150: rows(40), "": rows(40)})
    lines = STYLE.sub("", out.getvalue()).splitlines()
    assert max(map(cell_len, lines)) <= width
    starts = {line.index("GET") for line in lines if "GET" in line}
    assert len(starts) == 1


@pytest.mark.process
def test_a_list_that_was_printed_before_parses_nothing(restwright, tmp_path):
    path = tmp_path / "big.yaml"
    operations = "".join(
        f"  /a{index}:\n    get: {{summary: A long enough summary., responses: {{}}}}\n"
        for index in range(1200)
    )
    text = f"openapi: 3.1.0\ninfo: {{title: Big, version: '1'}}\npaths:\n{operations}"
    path.write_text(text, encoding="utf-8")
    first = restwright("tools", str(path))
    code = (
        "import sys; from restwright.cli import main; main(sys.argv[1:]);"
        "print(*{'yaml', 'jsonschema_rs'} & {*sys.modules})"
    )
    again = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code, "tools", str(path)], capture_output=True, text=True, check=True
    )
    assert first.err == "1,200 tools (1,200 reads, 0 writes); see --problems\n"
    assert (again.stdout, again.stderr) == (f"{first.out}\n", first.err)


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
def test_on_a_real_terminal_the_list_has_columns_and_a_last_line(things):
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    ended = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "restwright", "tools", things],
        stdout=theirs,
        env=environment,
        check=False,
    )
    os.close(theirs)
    lines = os.read(ours, 100_000).decode().replace("\r", "").splitlines()
    os.close(ours)
    assert ended.returncode == 0
    assert lines[0] == "things, 3 tools (2 reads, 1 write): Things"
    assert "  get_thing    GET   /things/{thing_id}  One thing." in lines
    assert lines[-1] == "3 tools (2 reads, 1 write); see --problems"


def test_a_line_for_scripts_ends_with_what_is_deprecated(restwright, tmp_path):
    path = tmp_path / "old.yaml"
    path.write_text(
        "openapi: 3.1.0\ninfo: {title: Old, version: '1'}\npaths:\n"
        "  /a: {get: {summary: All., deprecated: true, responses: {}}}\n"
        "  /b: {get: {deprecated: true, responses: {}}}\n",
        encoding="utf-8",
    )
    assert restwright("tools", str(path)).out.splitlines() == [
        "old__a\tGET\t/a\tAll. [deprecated]",
        "old__b\tGET\t/b\t[deprecated]",
    ]
