"""The report of a linter: what is doubtful in documents, in their order, and how much of it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, get_args

from restwright.cli.render.output import Output, counted, one_line

if TYPE_CHECKING:
    from restwright.openapi.model import Problem

_COLUMN = len("information  ")
_PIECE = re.compile(r"/?[^\s/]*\s*|\s+")


def has_error(problems: Iterable[Problem]) -> bool:
    """Whether something could not be used at all."""
    return any(problem.severity == "error" for problem in problems)


def print_problems(problems: dict[str, tuple[Problem, ...]], out: Output) -> None:
    """Print each on a line, wrapped on a terminal, and at the end how many there are."""
    is_terminal = sys.stdout.isatty()
    for namespace, several in problems.items():
        prefix = f"{namespace}#" if len(problems) > 1 else ""
        for problem in several:
            text = one_line(f"{prefix}{problem}")
            out.text(
                _wrapped(problem.severity, text) if is_terminal else f"{problem.severity}: {text}"
            )
    totals = _totals([problem for several in problems.values() for problem in several])
    (out.text if is_terminal else out.note)(totals)


def _wrapped(severity: str, text: str) -> str:
    """`text` beside its severity, broken between words and within pointers."""
    lines, room = [""], _width() - _COLUMN
    for piece in _PIECE.findall(text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    first, *rest = (line.rstrip() for line in lines)
    return "\n".join([severity.ljust(_COLUMN) + first, *(" " * _COLUMN + line for line in rest)])


def _width() -> int:
    import shutil

    return max(shutil.get_terminal_size().columns, 2 * _COLUMN)


def _totals(problems: Sequence[Problem]) -> str:
    from restwright.openapi.model import Severity

    if not problems:
        return "no problems"
    counts = Counter(problem.severity for problem in problems)
    parts = [
        f"{counts[arg]:,} information" if arg == "information" else counted(counts[arg], arg)
        for arg in get_args(Severity)
        if counts[arg]
    ]
    return f"{counted(len(problems), 'problem')}: {', '.join(parts)}"
