"""The report of a linter: what is doubtful in documents, in their order, and how much of it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from restwright.cli.render.output import Output, counted, one_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object

if TYPE_CHECKING:
    from restwright.openapi.model import API, Problem
    from restwright.tools.catalog.catalog import Catalog

_COLUMN = len("information  ")
_PIECE = re.compile(r"/?[^\s/]*\s*|\s+")


def problems_of(
    catalog: Catalog, more: Mapping[str, Sequence[Problem]] | None = None
) -> dict[str, tuple[Problem, ...]]:
    """
    `{namespace: its problems in the order of the document}`. Reads the documents whole.

    Args:
        more: What else there is to say, by namespace.
    """
    found: dict[str, tuple[Problem, ...]] = {}
    for name, api in catalog.apis.items():
        own = dict.fromkeys([*api.problems, *catalog.problems_by_namespace.get(name, ())])
        found[name] = in_order([*own, *(more or {}).get(name, ())], api)
    return found


def in_order(problems: Iterable[Problem], api: API) -> tuple[Problem, ...]:
    """`problems` in the order in which a reader of the document meets their places."""
    known: dict[int, dict[str, int]] = {}
    return tuple(sorted(problems, key=lambda each: _place(api.document, each.pointer, known)))


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


def _place(document: JsonObject, pointer: str, known: dict[int, dict[str, int]]) -> tuple[int, ...]:
    """Positions of the members on the way to `pointer`, as far as there are any."""
    from restwright.openapi.references import split_pointer

    node: Json = document
    place: list[int] = []
    for token in split_pointer(pointer) if pointer.startswith("/") else ():
        if is_object(node) and token in node:
            if id(node) not in known:
                known[id(node)] = {key: index for index, key in enumerate(node)}
            place.append(known[id(node)][token])
            node = node[token]
        elif is_array(node) and token.isdecimal() and int(token) < len(node):
            place.append(int(token))
            node = node[int(token)]
        else:
            break
    return tuple(place)
