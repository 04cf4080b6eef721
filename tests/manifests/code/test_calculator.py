"""Calculations without a notebook, and the functions by which models ask for cells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from restwright.manifests.code import (
    NOTEBOOK_TOOLS,
    Calculator,
    CellResult,
    ProcessLimits,
    cell_from_call,
    query_from_call,
)


@pytest.fixture(scope="module")
def calculator() -> Iterator[Calculator]:
    with Calculator(ProcessLimits(seconds=0.5, memory_bytes=64 * 2**20, output_chars=1000)) as made:
        yield made


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("3**20", "3486784401"),
        ("print('a')\n[n for n in range(3)]", "a\n[0, 1, 2]"),
        ("x = 1", ""),
        ("None", ""),
        ("(\n1,\n2)", "(1, 2)"),
        ("'\u00e9'; 'b'", "'b'"),
        ("", ""),
    ],
)
def test_a_cell_shows_what_it_prints_and_its_last_value(
    calculator: Calculator, cell: str, text: str
) -> None:
    assert calculator.run(cell) == CellResult(text=text)


def test_cells_share_their_variables(calculator: Calculator) -> None:
    calculator.run("shared = 3")
    assert calculator.run("shared + 1").text == "4"


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("x = 1\nx / 0", "line 2, `x / 0`: ZeroDivisionError: division by zero"),
        ("def f(", "line 1, `def f(`: SyntaxError: '(' was never closed"),
        ("import pandas", "line 1, `import pandas`: ModuleNotFoundError: No module named 'pandas'"),
        (
            "open('/etc/passwd')",
            "line 1, `open('/etc/passwd')`: PermissionError: Permission denied",
        ),
        ("import os\nos.environ", "line 2, `os.environ`: RuntimeError"),
        ("'a' * 10**12", "line 1, `'a' * 10**12`: MemoryError: memory limit exceeded"),
    ],
)
def test_an_error_names_the_line(calculator: Calculator, cell: str, error: str) -> None:
    assert calculator.run(cell).error.startswith(error)


def test_a_loop_without_end_costs_the_variables(calculator: Calculator) -> None:
    calculator.run("lost = 1")
    ended = calculator.run("while True:\n    pass")
    assert ended.stopped == "seconds"
    assert ended.error.endswith("(do less work); all variables are gone")
    after = calculator.run("lost")
    assert after.is_fresh
    assert "NameError" in after.error


def test_a_value_that_unfolds_is_bounded(calculator: Calculator) -> None:
    result = calculator.run("a = [0] * 25\nfor n in range(30):\n    a = [a, a]\na")
    assert result.stopped in ("memory", "seconds")
    assert len(calculator.run("'x' * 5000").text) < 1100


def test_a_cell_that_is_too_long_is_an_error() -> None:
    with Calculator(ProcessLimits(arguments_bytes=10)) as made:
        assert made.run("x" * 11).error == "the cell is over 10 characters"


def test_the_functions_are_those_of_slashgpt() -> None:
    assert [each["name"] for each in NOTEBOOK_TOOLS] == ["run_python_code", "draw_diagram"]


@pytest.mark.parametrize(
    ("name", "arguments", "cell"),
    [
        ("run_python_code", {"code": ["x = 1\n", "x"]}, "x = 1\nx\n"),
        ("run_python_code", {"code": ["x = 1", "x"], "query": "?"}, "x = 1\nx\n"),
        ("run_python_code", {"code": "x"}, "x"),
        ("python", "print(1)", "print(1)"),
        (
            "draw_diagram",
            {"code": "a'\n"},
            "import graphviz\ngraphviz.Source(\"a'\\n\", format='svg')",
        ),
        ("stop", {"code": "x"}, None),
        ("run_python_code", {"code": [1]}, None),
        ("run_python_code", {"code": " "}, None),
        ("run_python_code", {}, None),
        ("run_python_code", None, None),
    ],
)
def test_a_call_means_a_cell(name: str, arguments: object, cell: str | None) -> None:
    assert cell_from_call(name, arguments) == cell


def test_the_query_of_a_call_is_found() -> None:
    assert query_from_call({"query": "Why?"}) == "Why?"
    assert query_from_call({"query": 1}) == query_from_call("x") == ""
