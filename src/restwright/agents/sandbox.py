"""
Runs the model's parsing code over a response, in a sandbox (`pydantic-monty`: a Python of its own
in another process, without files, network, environment or host objects).

Only JSON text crosses the border, both ways, and it is made and read inside under the limits: an
object handed out could be a cycle, or a small graph that unfolds into gigabytes.
"""

from __future__ import annotations

import ast
import atexit
import json
import warnings
from functools import cache
from typing import TYPE_CHECKING

from restwright.agents.steps import ExtractionResult
from restwright.errors import MissingExtra
from restwright.jsontypes import Json

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontyError, MontySession, ResourceLimits

MAX_RUN_SECONDS = 2.0
MAX_RESULT_CHARS = 64_000
MAX_CODE_CHARS = 20_000
MAX_PRINTED_BYTES = 64_000
MIN_MEMORY = 128 * 2**20
MAX_MEMORY = 2**30
MEMORY_PER_BYTE = 25
"""Measured: what parsing and walking one byte of JSON takes at most inside."""

# In the sandbox a generator expression is a list, of which Python's `next` takes nothing; models
# write `next((item for item in data if ...), None)` often.
_OPENING = """\
import json
data = json.loads(_body)
_next = next
def next(items, *default):
    return _next(iter(items) if isinstance(items, list) else items, *default)
"""
# Imported again, since the code may have given `json` another meaning; cut, so that little crosses.
_CLOSING = """
import json
json.dumps({value})[:{most}]
"""
_ADVICE = {
    "ModuleNotFoundError": "only json, re, math, datetime, decimal, itertools, functools and "
    "collections are there",
    "NotImplementedError": "write it without that feature",
    "PermissionError": "there are no files; use `data` only",
    "TypeError: Object of type": "return lists, dicts, strings, numbers, booleans or None",
    "TimeoutError": "do less work",
}


def run_code(code: str, body: str) -> ExtractionResult:
    """
    Run `code` over `body` in the sandbox, for at most 2 seconds.

    Args:
        code: Defines `parse(data)`, or sets `result`, or ends with an expression; the first of
            these that is there gives the value. `data` is the parsed body.
        body: JSON text.

    Returns:
        `value` as plain JSON, or `error`: one line with the failing line of `code`, for the model.

    Raises:
        MissingExtra: The sandbox is not installed.
    """
    try:
        with _worker_pool().checkout(limits=_resource_limits(body)) as session:
            return _run_in_session(session, code, body)
    except TimeoutError:
        return ExtractionResult(error="TimeoutError: the sandbox is busy")


def _run_in_session(session: MontySession, code: str, body: str) -> ExtractionResult:
    from pydantic_monty import CollectString, MontyError

    try:
        source = _append_result(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return ExtractionResult(error=_one_line(_describe_syntax_error(error, code)))
    try:
        session.feed_run(_OPENING, inputs={"_body": body})
    except MontyError as error:
        return ExtractionResult(error=_one_line(f"the body cannot be read as JSON: {error}"))
    try:
        printed = CollectString(max_bytes=MAX_PRINTED_BYTES)
        return _parse_result(str(session.feed_run(source, print_callback=printed)))
    except MontyError as error:
        return ExtractionResult(error=_one_line(describe_runtime_error(error, code)))


def _parse_result(text: str) -> ExtractionResult:
    if len(text) > MAX_RESULT_CHARS:
        return ExtractionResult(
            error=f"the result has over {MAX_RESULT_CHARS:,} characters; return less"
        )
    try:
        return ExtractionResult(value=json.loads(text, parse_constant=_refuse_constant))
    except (ValueError, RecursionError) as error:
        return ExtractionResult(error=_one_line(f"the result is not JSON: {error}"))


def _refuse_constant(constant: str) -> Json:
    raise ValueError(f"{constant} is not a JSON number")


def _append_result(code: str) -> str:
    """
    Append to `code` what hands its value out.

    Raises:
        SyntaxError: It is not Python.
        ValueError: It is too long, or gives no value.
    """
    if len(code) > MAX_CODE_CHARS:
        raise ValueError("the code is too long")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(code).body
    if any(
        isinstance(statement, ast.FunctionDef) and statement.name == "parse" for statement in body
    ):
        return code + _CLOSING.format(value="parse(data)", most=MAX_RESULT_CHARS + 1)
    if any(isinstance(statement, ast.Assign) and _sets_result(statement) for statement in body):
        return code + _CLOSING.format(value="result", most=MAX_RESULT_CHARS + 1)
    if body and isinstance(body[-1], ast.Expr):
        ending = _CLOSING.format(value="result", most=MAX_RESULT_CHARS + 1)
        return _assign_result(code, body[-1]) + ending
    raise ValueError("define `parse(data)` that returns the value")


def _sets_result(statement: ast.Assign) -> bool:
    return any(
        isinstance(target, ast.Name) and target.id == "result" for target in statement.targets
    )


def _assign_result(code: str, last: ast.Expr) -> str:
    """Turn the expression at the end into `result = ...`, on the same line."""
    lines = code.split("\n")
    line = lines[last.lineno - 1].encode()
    lines[last.lineno - 1] = (
        line[: last.col_offset] + b"result = " + line[last.col_offset :]
    ).decode()
    return "\n".join(lines)


def _describe_syntax_error(error: Exception, code: str) -> str:
    if isinstance(error, SyntaxError):
        return _quote_line(error.lineno or 0, code) + f"SyntaxError: {error.msg}"
    return str(error) or "the code is nested too deeply"


def describe_runtime_error(error: MontyError, code: str) -> str:
    """What went wrong in a sandbox, with the failing line of `code`, for a model."""
    from pydantic_monty import MontyCrashedError, MontyRuntimeError

    if isinstance(error, MontyCrashedError):
        return "MemoryError: the code used too much memory or time; do less work"
    frames = error.traceback() if isinstance(error, MontyRuntimeError) else []
    lines = code.count("\n") + 1
    own = [frame.line for frame in frames if frame.line <= lines and frame.function_name != "next"]
    text = str(error)
    advice = next((said for start, said in _ADVICE.items() if text.startswith(start)), "")
    return (_quote_line(own[-1], code) if own else "") + text + (f" ({advice})" if advice else "")


def _quote_line(line: int, code: str) -> str:
    lines = code.split("\n")
    if not 0 < line <= len(lines):
        return ""
    return f"line {line}, `{lines[line - 1].strip()[:80]}`: "


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _resource_limits(body: str) -> ResourceLimits:
    memory = min(MAX_MEMORY, max(MIN_MEMORY, MEMORY_PER_BYTE * len(body)))
    return {
        "max_feed_duration_secs": MAX_RUN_SECONDS,
        "max_memory": memory,
        "max_recursion_depth": 200,
        "max_suspensions": 50,
        "max_total_sleep_secs": 0.0,
    }


@cache
def _worker_pool() -> Monty:
    """The workers of this process: started at the first use, ended at exit."""
    try:
        from pydantic_monty import Monty
    except ImportError as error:
        raise MissingExtra("agent", "running parsing code") from error
    try:
        pool = Monty(max_processes=2, checkout_timeout=30.0, request_timeout=10.0).__enter__()
    except (RuntimeError, OSError) as error:
        raise MissingExtra("agent", "running parsing code") from error
    atexit.register(pool.__exit__, None, None, None)
    return pool
