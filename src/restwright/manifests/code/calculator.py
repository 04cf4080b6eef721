"""Pure calculations, where there is no notebook: Python in the sandbox of `pydantic-monty`."""

from __future__ import annotations

import ast
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from restwright.errors import MissingExtra
from restwright.manifests.code.limits import MIB, ProcessLimits, ProcessStopReason
from restwright.manifests.code.module import Closeable
from restwright.manifests.code.results import CellResult, cut_middle, sanitize_line, strip_controls

if TYPE_CHECKING:
    from pydantic_monty import MontyError

MAX_RECURSION = 200
PATIENCE_SECONDS = 10
"""Seconds beyond which a worker that does not answer is given up."""

_NAME = "_value"
# Made and cut inside, under the limits: a value handed out could unfold into gigabytes.
_CLOSING = "\n'' if _value is None else repr(_value)[:{most}]\n"
# What names no line of the cell befell its process.
_ENDS: tuple[tuple[str, ProcessStopReason], ...] = (
    ("MemoryError", "memory"),
    ("TimeoutError", "seconds"),
)
_ADVICE = {
    "ModuleNotFoundError": "only json, re, math, datetime, decimal, itertools, functools, random "
    "and collections are there",
    "NotImplementedError": "write it without that feature",
    "PermissionError": "there are no files and no network",
    "TimeoutError": "do less work",
}


class Calculator(Closeable):
    """
    Cells that share their variables and can do nothing but calculate: no files, no network, no
    packages, and a part of Python's language and library.

    Nothing is started before the first cell. Not for several threads at a time.

    Raises:
        MissingExtra: The sandbox is not installed.
    """

    def __init__(
        self,
        limits: ProcessLimits = ProcessLimits(seconds=5.0, memory_bytes=128 * MIB),  # noqa: B008 - frozen
    ) -> None:
        if find_spec("pydantic_monty") is None:
            raise MissingExtra("agent", "calculating")
        self._limits = limits
        self._pool: Any = None
        self._checkout: Any = None
        self._session: Any = None
        self._has_run = False

    def close(self) -> None:
        """End the sandbox."""
        self._discard_session()
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None

    def run(self, cell: str, *, query: str = "") -> CellResult:
        """
        Run `cell`; the value of an expression at its end is shown.

        Never raises for what the code does: every failure is a text in the result. An interrupt
        (Ctrl-C) takes effect when the cell ends, at its limit of time at the latest; the next cell
        has no variables of those before.

        Args:
            query: As of `Notebook.run()`; not used.

        Raises:
            MissingExtra: The sandbox cannot be started.
        """
        del query
        limits = self._limits
        if len(cell) > limits.arguments_bytes:
            return CellResult(error=f"the cell is over {limits.arguments_bytes:,} characters")
        try:
            source = _append_value(cell, limit=limits.output_chars + 1)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return CellResult(error=_describe_syntax_error(error, cell))
        is_fresh = self._has_run and self._session is None
        self._start()
        self._has_run = True
        try:
            return self._execute(cell, source, is_fresh=is_fresh)
        except BaseException:
            # Ctrl-C: what runs meets no later cell.
            self._discard_session()
            raise

    def _execute(self, cell: str, source: str, *, is_fresh: bool) -> CellResult:
        from pydantic_monty import CollectString, MontyError

        printed = CollectString(max_bytes=50 * self._limits.output_chars)
        error, value = "", ""
        stopped: ProcessStopReason = ""
        try:
            value = str(self._session.feed_run(source, print_callback=printed))
        except MontyError as failed:
            error = _describe_runtime_error(failed, cell)
            stopped = _stop_reason(error)
        if stopped:
            self._discard_session()
            error += "; all variables are gone"
        text = "\n".join(part for part in (_output_text(printed).strip("\n"), value) if part)
        shown = cut_middle(strip_controls(text), limit=self._limits.output_chars)
        return CellResult(text=shown, error=error, stopped=stopped, is_fresh=is_fresh)

    def _start(self) -> None:
        if self._session is not None:
            return
        from pydantic_monty import Monty

        limits = self._limits
        try:
            if self._pool is None:
                wait = limits.seconds + PATIENCE_SECONDS
                pool = Monty(max_processes=1, checkout_timeout=wait, request_timeout=wait)
                self._pool = pool.__enter__()
            self._checkout = self._pool.checkout(
                limits={
                    "max_feed_duration_secs": limits.seconds,
                    "max_memory": limits.memory_bytes,
                    "max_recursion_depth": MAX_RECURSION,
                    "max_suspensions": 50,
                    "max_total_sleep_secs": 0.0,
                }
            )
            self._session = self._checkout.__enter__()
        except (RuntimeError, OSError) as error:
            raise MissingExtra("agent", "calculating") from error

    def _discard_session(self) -> None:
        if self._session is not None:
            self._session = None
            self._checkout.__exit__(None, None, None)


def _append_value(cell: str, *, limit: int) -> str:
    """
    `cell` with what hands its last value out.

    Raises:
        SyntaxError: It is not Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(cell).body
    if not body or not isinstance(body[-1], ast.Expr):
        return f"{cell}\n''\n"
    last = body[-1]
    lines = cell.split("\n")
    line = lines[last.lineno - 1].encode()
    named = line[: last.col_offset] + f"{_NAME} = ".encode() + line[last.col_offset :]
    lines[last.lineno - 1] = named.decode()
    return "\n".join(lines) + _CLOSING.format(most=limit)


def _describe_syntax_error(error: Exception, cell: str) -> str:
    if isinstance(error, SyntaxError):
        return _quote_line(error.lineno or 0, cell) + sanitize_line(f"SyntaxError: {error.msg}")
    return "the code is nested too deeply, or is no text"


def _describe_runtime_error(error: MontyError, cell: str) -> str:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError

    if isinstance(error, MontyCrashedError):
        return "MemoryError: the code used too much memory or time; do less work"
    frames = error.traceback() if isinstance(error, MontyRuntimeError) else []
    own = [frame.line for frame in frames if frame.line <= cell.count("\n") + 1]
    said = sanitize_line(str(error))
    advice = next((text for start, text in _ADVICE.items() if said.startswith(start)), "")
    return (_quote_line(own[-1], cell) if own else "") + said + (f" ({advice})" if advice else "")


def _stop_reason(error: str) -> ProcessStopReason:
    for start, stopped in _ENDS:
        if error.startswith(start):
            return stopped
    return ""


def _quote_line(line: int, cell: str) -> str:
    lines = cell.split("\n")
    if not 0 < line <= len(lines):
        return ""
    return f"line {line}, `{lines[line - 1].strip()[:80]}`: "


def _output_text(printed: Any) -> str:
    return str(printed.output)
