"""The page of results. `make regen` writes the golden one again."""

from __future__ import annotations

import os
import re
import tempfile

import pytest
from tests.support.bench.small_results import GOLDEN, write_results

from restwright_bench.page.anchors import PLANNED
from restwright_bench.page.markdown import cell, table
from restwright_bench.page.write import write_page
from restwright_bench.results import shortened, slug

# Each test has a home of its own; fonts need not be looked for in each.
os.environ.setdefault("MPLCONFIGDIR", f"{tempfile.gettempdir()}/restwright-matplotlib")
pytest.importorskip("matplotlib")
# Of libraries that matplotlib uses.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    write_page(write_results(folder / "results"), folder)
    return folder


def test_the_page_is_the_golden_one(folder):
    assert (folder / "benchmarks.md").read_text() == GOLDEN.read_text()


def test_the_same_results_make_the_same_bytes(folder, tmp_path):
    write_page(write_results(tmp_path / "results"), tmp_path)
    plots = sorted(each.name for each in (folder / "benchmarks").iterdir())
    assert plots == ["calling.svg", "finding.svg", "planning.svg"]
    for name in plots:
        content = (tmp_path / "benchmarks" / name).read_bytes()
        assert content == (folder / "benchmarks" / name).read_bytes()
        assert b"<dc:date>" not in content


def test_every_plot_that_the_page_shows_is_there(folder):
    shown = re.findall(r"!\[.*?\]\((.*?)\)", (folder / "benchmarks.md").read_text())
    assert shown
    assert all((folder / each).is_file() for each in shown)


def test_without_results_each_section_says_what_makes_them(tmp_path):
    page = write_page(tmp_path / "none", tmp_path).read_text()
    assert page.count("makes it.") >= 12
    assert "Nothing is measured yet." in page


def test_what_is_not_comparable_says_why():
    assert all(each.apart for each in PLANNED if "RestGPT (" not in each.source)


def test_a_bar_ends_no_cell():
    assert table(("a",), [("x|y\nz",)]) == ["| a |", "| --- |", r"| x\|y z |"]
    assert [cell(each) for each in (None, 1234, 0.5, 100.0)] == ["", "1,234", "0.5", "100"]


def test_a_trace_is_shortened_step_by_step():
    steps = [{"step": "complete", "reply": "x" * 5_000}, {"step": "call", "path": "/a"}] * 30
    text = shortened(steps)
    assert len(text) <= 4_000
    assert text.count("\n") == 59
    assert shortened(steps[1:2]) == '{"step": "call", "path": "/a"}'


def test_the_name_of_a_model_becomes_part_of_a_file_name():
    assert slug("openai:gpt-4.1 Mini") == "openai-gpt-4.1-mini"
