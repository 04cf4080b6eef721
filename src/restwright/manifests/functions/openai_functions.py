"""The functions that a SlashGPT manifest offers to its model, in the form of OpenAI of 2023."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.text.warnings import Note
from restwright.tools.function_tools import normalize_parameters

_MAX_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions of a manifest, and what is doubtful about them."""

    functions: tuple[Function, ...]
    notes: tuple[Note, ...] = ()


def parse_functions(given: JsonObject, file: str, read: Callable[[str, str], Json]) -> Functions:
    """
    Read the functions of a manifest, which stand in it or in a file.

    Args:
        read: Gives the value of a file, or None.
    """
    raw = given.get("functions")
    if isinstance(raw, str):
        raw = read(raw, "functions")
    if raw is None:
        return Functions(())
    if not is_array(raw):
        note = Note(
            kind="functions",
            file=file,
            where="functions",
            what="it is no list of functions",
            action="no function is offered",
        )
        return Functions((), (note,))
    notes: list[Note] = []
    found: dict[str, Function] = {}
    for place, each in enumerate(raw):
        function = _parse_function(each, f"functions[{place}]", file, notes)
        if function is not None:
            found[function.name] = function
    return Functions(tuple(found.values()), tuple(notes))


def _parse_function(raw: Json, where: str, file: str, notes: list[Note]) -> Function | None:
    # Later manifests have each function in an object of its own.
    if is_object(raw) and raw.get("type") == "function" and is_object(raw.get("function")):
        raw = raw["function"]
    name = raw.get("name") if is_object(raw) else None
    if not is_object(raw) or not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME:
        what = "it has no name of at most 64 characters"
        action = "it is left out"
        notes.append(Note(kind="functions", file=file, where=where, what=what, action=action))
        return None
    parameters, missing = normalize_parameters(raw.get("parameters"))
    if missing:
        what = f"it requires {', '.join(missing)}, which it does not have"
        action = "that is not required"
        notes.append(Note(kind="required", file=file, where=where, what=what, action=action))
    return Function(
        name=name,
        description=str(raw.get("description", "")),
        parameters=_describe_formats(parameters),
    )


def _describe_formats(node: Json) -> Json:
    """
    A schema whose formats are words in descriptions.

    They were never checked, and examples beside them are often in another form.
    """
    if is_array(node):
        return [_describe_formats(item) for item in node]
    if not is_object(node):
        return node
    kept = {
        key: {name: _describe_formats(each) for name, each in value.items()}
        if key in {"properties", "$defs", "definitions"} and is_object(value)
        else value
        if key in {"enum", "const", "default", "examples"}
        else _describe_formats(value)
        for key, value in node.items()
    }
    given = node.get("format")
    if isinstance(given, str):
        del kept["format"]
        kept["description"] = f"{node.get('description', '')} (format: {given})".strip()
    return kept
