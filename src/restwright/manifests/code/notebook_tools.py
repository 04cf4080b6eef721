"""
The functions by which a model uses a notebook: their definitions, and the cell that a call means.

Source: SlashGPT's notebook runtime (`run_python_code`, `python`, `draw_diagram`), whose names and
arguments manifests and models know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from restwright.jsontypes import Json, JsonObject, is_array, is_object

_QUERY: JsonObject = {"type": "string", "description": "Query from the user as-is"}
_LINES: JsonObject = {"type": "array", "items": {"type": "string"}}

NOTEBOOK_TOOLS: tuple[JsonObject, ...] = (
    {
        "name": "run_python_code",
        "description": "Run Python code in a notebook that keeps its variables, and return what it "
        "prints, the value of its last line and its images by name.",
        "parameters": {
            "type": "object",
            "properties": {
                "code": {**_LINES, "description": "Lines of Python code to run"},
                "query": _QUERY,
            },
            "required": ["code"],
        },
    },
    {
        "name": "draw_diagram",
        "description": "Draw a diagram using Graphviz.",
        "parameters": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "Diagram to draw in DOT language"},
                "query": _QUERY,
            },
            "required": ["code"],
        },
    },
)
"""Name, description and JSON Schema of the arguments, as manifests write functions."""


def cell_from_call(name: str, arguments: Json) -> str | None:
    """
    The cell that a call of the function `name` means.

    Args:
        arguments: As the model wrote them: a JSON object, or the code alone as some models do.

    Returns:
        None where there is no such function, or no code.
    """
    make = _CELLS.get(name)
    code = _join_code(arguments.get("code") if is_object(arguments) else arguments)
    return make(code) if make is not None and code.strip() else None


def query_from_call(arguments: Json) -> str:
    """What the user asked, where the call says it."""
    found = arguments.get("query") if is_object(arguments) else None
    return found if isinstance(found, str) else ""


def _join_code(found: Json) -> str:
    if isinstance(found, str):
        return found
    if is_array(found) and all(isinstance(item, str) for item in found):
        # Some models end each line, some do not.
        return "".join(item if item.endswith("\n") else f"{item}\n" for item in found)
    return ""


def _diagram_code(code: str) -> str:
    return f"import graphviz\ngraphviz.Source({code!r}, format='svg')"


_CELLS: Mapping[str, Callable[[str], str]] = {
    "run_python_code": lambda code: code,
    "python": lambda code: code,
    "draw_diagram": _diagram_code,
}
