"""The lists of real documents: every operation on a line of its own that fits."""

from __future__ import annotations

from contextlib import redirect_stdout
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.support.cli.regen import STYLE, Terminal

from restwright.cli import main
from restwright.cli.render.tables import width_of_terminal

SPECS = Path(__file__).parents[3].parent / "shared" / "data" / "specs"
DOCUMENTS = sorted(each for each in SPECS.glob("*__*") if each.suffix in {".json", ".yaml"})

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not DOCUMENTS, reason=f"the documents are not at {SPECS}"),
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_list_has_every_tool_in_cells_between_tabs_and_in_columns_that_fit(
    restwright, monkeypatch, path
):
    ended = restwright("tools", str(path))
    rows = [line.split("\t") for line in ended.out.splitlines()]
    assert (ended.code, {len(row) for row in rows} - {4}) == (0, set())
    assert ended.err.startswith(f"{len(rows):,} tool")

    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()
    with redirect_stdout(terminal):
        assert (main(["tools", str(path)]), width_of_terminal()) == (0, 100)
    lines = STYLE.sub("", terminal.getvalue()).splitlines()
    assert max(map(cell_len, lines)) <= 100
    assert sum(line.startswith("  ") for line in lines) == len(rows)
