"""What a manifest asks of code, as values: who made the session says how, or that it is off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from restwright.jsontypes import Json, JsonObject

OFF = "code is off; --allow-code turns it on"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCall:
    """
    One call of a function that is code.

    Args:
        agent: Whose it is; a notebook is kept for each.
        kind: A function of the manifest's Python file, a cell of its notebook, a method of an
            object of the file, or what that object offers.
        function: Its name; of a notebook `run_python_code`, `python` or `draw_diagram`.
        arguments: Checked; of a notebook, `code` is a text.
        path: Of the Python file; empty for a notebook.
        names: Of the functions that the manifest declares; no other may be called.
        owner: The object of the file whose method is called; empty for none.
    """

    agent: str
    kind: Literal["module", "notebook", "method", "describe"]
    function: str
    arguments: JsonObject
    path: str = ""
    names: tuple[str, ...] = ()
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAnswer:
    """
    What came of it.

    Args:
        text: What it printed and gave.
        error: What the model is told about a failure; empty where there was none.
        data: What it gave besides, such as images; of a method its value, of an object what it
            offers, as `{"functions": [...], "components": {...}}`.
    """

    text: str = ""
    error: str = ""
    data: tuple[Json, ...] = field(default=())


RunCode: TypeAlias = Callable[[CodeCall], CodeAnswer]
"""Runs code outside of this process; it raises nothing."""
