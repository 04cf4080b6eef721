"""A form is made of a schema and a draft of arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from restwright.calls.arguments.check import check_value
from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.web.forms.draft import ABSENT, Chosen, Draft, Pairs, settle_draft
from restwright.web.forms.fields import Field, Option, list_controls
from restwright.web.forms.reading import MAX_ROWS, FormReader, join_name
from restwright.web.forms.shape import Kind, Shape, find_shape
from restwright.web.forms.start import find_example

MAX_FIELDS = 400
"""In one form; objects and arrays beyond them are written as JSON."""
_MAX_HINT = 600
_LONG_TEXT = 200
_EMPTY: tuple[Json, ...] = ("", [], {})


@dataclass(slots=True)
class FormBuilder:
    """Makes the fields of one schema."""

    schema: JsonObject
    _left: int = field(default=MAX_FIELDS)

    def build(self, draft: Draft) -> Field:
        """All fields, as members of one object without a name."""
        shape = find_shape(self.schema, self.schema)
        return self._build(shape, draft, "", "", "Arguments", is_required=True)

    def _build(
        self, shape: Shape, draft: Draft, name: str, pointer: str, label: str, *, is_required: bool
    ) -> Field:
        self._left -= 1
        kind = self._find_kind(shape, draft)
        schema, has_default = shape.schema, "default" in shape.schema
        value = settle_draft(draft)
        state = "null" if value is None and shape.is_nullable else ""
        is_group = kind in {"object", "array", "map"}
        # A group that must be there is there, whatever is in it.
        if not state and kind != "json" and draft in _EMPTY and not (is_group and is_required):
            state = "empty"
        common: JsonObject = {
            "kind": kind,
            "name": name,
            "pointer": pointer,
            "label": label,
            "hint": shorten_line(str(schema.get("description", "")), _MAX_HINT),
            "type_text": describe_type(shape),
            "is_required": is_required,
            "is_open": draft is not ABSENT,
            "state": state,
            "has_states": shape.is_nullable or state == "empty",
            "has_empty": state == "empty" or kind in {"text", "array", "object", "map"},
        }
        if state:
            draft = ABSENT
        match kind:
            case "object":
                fields = self._build_members(shape, draft, name, pointer)
                return Field(**common, fields=fields)
            case "array":
                return Field(**common, fields=self._build_rows(shape, draft, name, pointer))
            case "map":
                return Field(**common, fields=self._build_pairs(shape, draft, name, pointer))
            case "branches":
                return self._build_branches(shape, draft, common)
            case "options":
                return _build_options(shape, draft, common)
            case _:
                example = find_example(schema)
                said = "" if example is ABSENT else _write(kind, example)
                before = "default: " if has_default else "such as "
                return Field(
                    **common,
                    text="" if draft is ABSENT else _write(kind, value),
                    placeholder=f"{before}{shorten_line(said, 60)}" if said else "",
                    is_long=int(schema.get("maxLength") or 0) > _LONG_TEXT
                    or (isinstance(value, str) and "\n" in value),
                )

    def _find_kind(self, shape: Shape, draft: Draft) -> Kind:
        """That of the shape, or JSON where the draft does not fit it or there is too much."""
        is_whole = shape.kind in {"object", "array", "map", "branches"}
        if is_whole and (self._left < 0 or (is_array(draft) and len(draft) > MAX_ROWS)):
            return "json"
        if draft is None:
            return shape.kind if shape.is_nullable else "json"
        if draft is ABSENT or isinstance(draft, (Chosen, Pairs)):
            return shape.kind
        return shape.kind if _fits(shape, draft) else "json"

    def _build_members(
        self, shape: Shape, draft: Draft, name: str, pointer: str
    ) -> tuple[Field, ...]:
        members: Mapping[str, Draft] = draft if is_object(draft) else {}
        # What must be there stands first.
        ordered = sorted(shape.members.items(), key=lambda item: item[0] not in shape.required)
        return tuple(
            self._build(
                shape.find_part(schema, self.schema),
                members.get(key, ABSENT),
                join_name(name, key),
                join_name(pointer, key),
                key,
                is_required=key in shape.required,
            )
            for key, schema in ordered
        )

    def _build_rows(self, shape: Shape, draft: Draft, name: str, pointer: str) -> tuple[Field, ...]:
        part = shape.find_part(shape.schema.get("items", {}), self.schema)
        rows = (
            self._build(
                part,
                item,
                join_name(name, str(index)),
                join_name(pointer, str(index)),
                f"Row {index + 1}",
                is_required=True,
            )
            for index, item in enumerate(draft if is_array(draft) else ())
        )
        return tuple(replace(row, is_item=True) for row in rows)

    def _build_pairs(
        self, shape: Shape, draft: Draft, name: str, pointer: str
    ) -> tuple[Field, ...]:
        rows = draft.rows if isinstance(draft, Pairs) else ()
        rows = tuple(draft.items()) if is_object(draft) else rows
        part = shape.find_part(shape.schema.get("additionalProperties", {}), self.schema)
        made: list[Field] = []
        for index, (key, value) in enumerate(rows):
            built = self._build(
                part,
                value,
                f"{name}#value:{index}",
                join_name(pointer, key),
                "Value",
                is_required=True,
            )
            made.append(_with_key(built, key))
        return tuple(made)

    def _build_branches(self, shape: Shape, draft: Draft, common: JsonObject) -> Field:
        index, inner = self._choose_branch(shape, draft)
        options = tuple(
            Option(value=str(number), label=_name_branch(shape, number, self.schema))
            for number in range(len(shape.branches))
        )
        if index is None:
            is_lost = draft is not ABSENT
            written = json.dumps(settle_draft(draft), ensure_ascii=False) if is_lost else ""
            common = {**common, "kind": "json"} if is_lost else common
            return Field(**common, options=options, text=written)
        branch = shape.find_branch(index, self.schema)
        built = self._build(
            branch, inner, common["name"], common["pointer"], options[index].label, is_required=True
        )
        return Field(**common, options=options, text=str(index), fields=(built,))

    def _choose_branch(self, shape: Shape, draft: Draft) -> tuple[int | None, Draft]:
        """The branch that a draft is written by, or the first that its value fits."""
        if isinstance(draft, Chosen):
            return draft.branch, draft.draft
        if draft is ABSENT:
            return None, ABSENT
        value = settle_draft(draft)
        for index, branch in enumerate(shape.branches):
            whole = {"allOf": [branch], "$defs": self.schema.get("$defs", {})}
            if not check_value(whole, value):
                return index, draft
        return None, draft


def can_show(schema: JsonObject, value: Json) -> bool:
    """Whether a form gives arguments back as they are, so that nothing of them is lost."""
    controls = list_controls(FormBuilder(schema).build(value))
    return settle_draft(FormReader(schema=schema, form=controls).read()) == value


def describe_type(shape: Shape) -> str:
    """The type in a few words, such as `integer from 1 to 5`."""
    schema = shape.schema
    kind = schema.get("type", "any value" if shape.kind in {"any", "json"} else "")
    words = " or ".join(map(str, kind)) if is_array(kind) else str(kind)
    if shape.kind == "branches":
        words = "one of several forms"
    if shape.kind == "file":
        words = "file"
    named = str(schema.get("format", "")) if shape.kind in {"text", "date", "number"} else ""
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f"from {low}" if low is not None else ""
    bounds += f"{' ' if bounds else ''}to {high}" if high is not None else ""
    return ", ".join(part for part in (words, named, bounds) if part)


def _build_options(shape: Shape, draft: Draft, common: JsonObject) -> Field:
    values = [*shape.options]
    text = "" if draft is ABSENT else json.dumps(draft)
    if draft is not ABSENT and text not in map(json.dumps, values):
        values.append(draft)
    options = tuple(Option(value=json.dumps(value), label=_label(value)) for value in values)
    return Field(**common, options=options, text=text)


def _label(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _write(kind: Kind, value: Json) -> str:
    is_text = kind in {"text", "date", "file", "number"} and isinstance(value, str)
    return value if is_text else json.dumps(value, ensure_ascii=False, indent=2)


def _name_branch(shape: Shape, index: int, root: JsonObject) -> str:
    written, branch = shape.branches[index], shape.find_branch(index, root)
    own = written.get("title") if is_object(written) else None
    title = own or branch.schema.get("title")
    if title and title != shape.schema.get("title"):
        return str(title)
    ref = written.get("$ref", "") if is_object(written) else ""
    if ref:
        return str(ref).rpartition("/")[2]
    members = ", ".join([*branch.required, *branch.members][:3])
    return members or describe_type(branch) or f"Form {index + 1}"


def _with_key(built: Field, key: str) -> Field:
    return replace(built, key=key, is_item=True)


def _fits(shape: Shape, draft: Draft) -> bool:
    """Whether a value can be written in the control of a shape; the check may still refuse it."""
    match shape.kind:
        case "object":
            return is_object(draft) and draft.keys() <= shape.members.keys()
        case "map":
            return is_object(draft)
        case "array":
            return is_array(draft)
        case "text" | "date" | "file":
            return isinstance(draft, str)
        case "number":
            return isinstance(draft, (int, float, str)) and not isinstance(draft, bool)
        case _:
            return True
