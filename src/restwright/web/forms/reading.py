"""
What came of a form, as a draft of arguments.

The name of a control is the JSON Pointer of its value. What it says besides stands behind `#`:
`/tags#rows` how many rows there are, `/tags#as` whether it is null or empty, `/tags#json` the whole
as JSON, `/payment#choice` which branch is chosen, `/labels#key:0` the key of a row of a map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from restwright.calls.mismatch import pointer_from_path
from restwright.jsontypes import Json, JsonObject
from restwright.web.forms.draft import ABSENT, Chosen, Draft, Pairs
from restwright.web.forms.shape import Shape, find_shape

MAX_ROWS = 200
"""Of one array or map in a form; more are written as JSON."""
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormAction:
    """
    What a button within the form is to do before it is shown again.

    Args:
        name: `add` a row, `remove` one, or `show` it as it is, after another branch was chosen.
        at: The name of the field.
        row: Which one is removed.
    """

    name: str
    at: str
    row: int = 0


SHOW = FormAction(name="show", at="")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormReader:
    """
    Reads a form along a schema.

    Args:
        schema: Of the arguments, with its definitions.
        form: `{name of a control: text}`; files are data URLs.
    """

    schema: JsonObject
    form: Mapping[str, str]
    action: FormAction = SHOW

    def read(self) -> Draft:
        """The arguments as far as they are written; what stands in no field is absent."""
        draft = self._read(find_shape(self.schema, self.schema), "")
        return {} if draft is ABSENT else draft

    def _read(self, shape: Shape, name: str) -> Draft:
        if (written := self.form.get(f"{name}#json")) is not None:
            return _read_json(written)
        state = self.form.get(f"{name}#as", "")
        if state == "null":
            return None
        if state == "empty":
            return [] if shape.kind == "array" else {} if shape.kind in {"object", "map"} else ""
        match shape.kind:
            case "object":
                return self._read_object(shape, name)
            case "map":
                return self._read_map(shape, name)
            case "array":
                return self._read_array(shape, name)
            case "branches":
                return self._read_branch(shape, name)
            case _:
                return _read_text(shape, self.form.get(name, ""))

    def _read_object(self, shape: Shape, name: str) -> Draft:
        members: dict[str, Draft] = {}
        for key, schema in shape.members.items():
            draft = self._read(shape.find_part(schema, self.schema), join_name(name, key))
            if draft is not ABSENT:
                members[key] = draft
        return members if members or f"{name}#open" in self.form or not name else ABSENT

    def _read_array(self, shape: Shape, name: str) -> Draft:
        part = shape.find_part(shape.schema.get("items", {}), self.schema)
        rows = [
            self._read(part, join_name(name, str(index))) for index in range(self._count_rows(name))
        ]
        rows = self._apply(rows, name, ABSENT)
        return rows if rows or f"{name}#open" in self.form else ABSENT

    def _read_map(self, shape: Shape, name: str) -> Draft:
        part = shape.find_part(shape.schema.get("additionalProperties", {}), self.schema)
        rows = [
            (self.form.get(f"{name}#key:{index}", ""), self._read(part, f"{name}#value:{index}"))
            for index in range(self._count_rows(name))
        ]
        rows = self._apply(rows, name, ("", ABSENT))
        return Pairs(rows) if rows or f"{name}#open" in self.form else ABSENT

    def _read_branch(self, shape: Shape, name: str) -> Draft:
        text = self.form.get(f"{name}#choice", "")
        if not text.isdecimal() or int(text) >= len(shape.branches):
            return ABSENT
        branch = shape.find_branch(int(text), self.schema)
        return Chosen(int(text), self._read(branch, name))

    def _count_rows(self, name: str) -> int:
        text = self.form.get(f"{name}#rows", "")
        return min(int(text), MAX_ROWS) if text.isdecimal() else 0

    def _apply(self, rows: list[Draft], name: str, blank: Draft) -> list[Draft]:
        if self.action.at != name:
            return rows
        if self.action.name == "add":
            return [*rows, blank]
        if self.action.name == "remove":
            return [row for index, row in enumerate(rows) if index != self.action.row]
        return rows


def join_name(name: str, key: str) -> str:
    """The name of a member's control."""
    return name + pointer_from_path([key])


def _read_json(text: str) -> Draft:
    if not text.strip():
        return ABSENT
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text  # The check says what is wrong with it.


def _read_text(shape: Shape, text: str) -> Draft:
    if text == "":
        return ABSENT
    match shape.kind:
        case "options":
            return _read_option(shape.options, text)
        case "number":
            return json.loads(text) if _NUMBER.fullmatch(text.strip()) else text
        case "any" | "json":
            return _read_json(text)
        case _:
            # A browser ends lines by two characters.
            return text.replace("\r\n", "\n")


def _read_option(options: tuple[Json, ...], text: str) -> Json:
    """An option by its JSON; what is none of them is left to the check."""
    return next((value for value in options if json.dumps(value) == text), _read_json(text))
