"""The sandbox for parsing code: what comes back, and what it says when it fails."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.agents.sandbox import run_code
from restwright.agents.steps import ExtractionResult

BODY = json.dumps({"items": [{"id": 1, "price": 5.5}, {"id": 2, "price": 3}]})


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("def parse(data):\n    return [i['id'] for i in data['items']]", id="parse"),
        pytest.param("result = [i['id'] for i in data['items']]", id="result"),
        pytest.param("[i['id'] for i in data['items']]", id="expression"),
        pytest.param(
            "x = data['items']\n[\n  i['id'] for i in x\n]", id="expression of many lines"
        ),
        pytest.param("def parse(data):\n    return [1, 2]\nprint(parse(data))", id="printed too"),
        pytest.param("json = None\ndef parse(data):\n    return (1, 2)", id="own json, a tuple"),
    ],
)
def test_code_gives_its_value_in_any_of_three_ways(code: str) -> None:
    assert run_code(code, BODY) == ExtractionResult(value=[1, 2])


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "def parse(data):\n    x = 1\n    return data['total']",
            "line 3, `return data['total']`: KeyError: total",
        ),
        ("def parse(data)\n    return 1", "line 1, `def parse(data)`: SyntaxError: expected ':'"),
        ("x = 1", "define `parse(data)` that returns the value"),
        ("", "define `parse(data)` that returns the value"),
        (
            "import statistics\nresult = 1",
            "line 1, `import statistics`: ModuleNotFoundError: No module named 'statistics' "
            "(only json, re, math, datetime, decimal, itertools, functools and collections are "
            "there)",
        ),
        (
            "{1, 2}",
            "TypeError: Object of type set is not JSON serializable "
            "(return lists, dicts, strings, numbers, booleans or None)",
        ),
        ("float('nan')", "the result is not JSON: NaN is not a JSON number"),
        ("'x' * 70000", "the result has over 64,000 characters; return less"),
        (
            "def parse(data):\n    return foo",
            "line 2, `return foo`: NameError: name 'foo' is not defined",
        ),
        ("x = 1" + " " * 20_000, "the code is too long"),
    ],
)
def test_an_error_is_one_line_that_names_the_failing_line(code: str, error: str) -> None:
    assert run_code(code, BODY) == ExtractionResult(error=error)


def test_a_loop_without_end_is_stopped() -> None:
    outcome = run_code("def parse(data):\n    while True:\n        pass", BODY)
    assert outcome.error.startswith("TimeoutError: ")
    assert outcome.error.endswith("(do less work)")


def test_a_body_that_is_not_json_is_an_error() -> None:
    assert run_code("data", "<html>").error.startswith("the body cannot be read as JSON")


def test_deep_code_is_an_error() -> None:
    assert run_code("-" * 15_000 + "1", "{}").error


def test_the_host_object_of_a_shared_graph_never_crosses() -> None:
    code = "x = []\nfor _ in range(18):\n    x = [x, x]\nresult = x"
    assert run_code(code, "{}").error


def test_a_later_run_does_not_see_an_earlier_one() -> None:
    run_code("secret = 1\nresult = secret", "{}")
    assert run_code("result = secret", "{}").error.endswith(
        "NameError: name 'secret' is not defined"
    )


@settings(max_examples=examples(30))
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.text(st.characters(codec="utf-8")),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
        ),
        max_leaves=10,
    )
)
def test_json_comes_back_as_it_went_in(value: object) -> None:
    assert run_code("def parse(data):\n    return data", json.dumps(value)) == ExtractionResult(
        value=value
    )


@pytest.mark.process
def test_the_pool_is_closed_quietly_at_exit() -> None:
    script = "from restwright.agents.sandbox import run_code; print(run_code('1', '{}').value)"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("next((each for each in data if each > 1), None)", 2),
        ("next((each for each in data if each > 9), None)", None),
        ("next(iter(data))", 1),
        ("next(each for each in {'a': 4})", "a"),
    ],
)
def test_the_next_of_a_generator_is_there(code, value):
    assert run_code(f"def parse(data):\n    return {code}", "[1, 2, 3]") == ExtractionResult(
        value=value
    )


def test_where_next_finds_nothing_the_line_of_the_code_is_named():
    lines = ["def parse(data):", *["    x = 1"] * 9, "    return next(each for each in data)"]
    error = run_code("\n".join(lines), "[]").error
    assert error == "line 11, `return next(each for each in data)`: StopIteration"
