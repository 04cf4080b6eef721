"""The fields of a form, as a page shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from restwright.web.forms.shape import Kind

_UNSAFE = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One of several; `value` is its JSON, or the number of a branch."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """
    One control, or several that belong together.

    Args:
        name: Of the control; see `reading`.
        pointer: Where its value stands among the arguments.
        type_text: In a few words.
        text: What is written in it; the chosen option.
        placeholder: An example or the default, which is not sent.
        state: `null`, or `empty` for what has nothing in it; else empty.
        has_states: Whether one can say that it is null or empty.
        fields: Of an object, of the rows, or of the chosen branch.
        key: Of a row of a map.
        is_item: Whether it is a row itself.
    """

    kind: Kind
    name: str
    pointer: str
    label: str
    hint: str = ""
    type_text: str = ""
    is_required: bool = False
    is_open: bool = False
    text: str = ""
    placeholder: str = ""
    options: tuple[Option, ...] = ()
    state: str = ""
    has_states: bool = False
    has_empty: bool = False
    is_long: bool = False
    fields: tuple[Field, ...] = ()
    key: str = ""
    is_item: bool = False

    @property
    def id(self) -> str:
        """Of the control in the page."""
        return "f" + _UNSAFE.sub(lambda found: f"_{ord(found[0]):x}_", self.name)

    def find(self, name: str) -> Field | None:
        """The field of that name, itself or within."""
        if self.name == name:
            return self
        return next((found for part in self.fields if (found := part.find(name))), None)

    def walk(self) -> Iterator[Field]:
        """It and all within."""
        yield self
        for part in self.fields:
            yield from part.walk()


def list_controls(whole: Field) -> dict[str, str]:
    """`{name: text}` of all controls, as a browser would send them."""
    controls: dict[str, str] = {}
    for part in whole.walk():
        if part.state:
            controls[f"{part.name}#as"] = part.state
        elif part.kind in {"object", "array", "map"}:
            controls.update(_list_group_controls(part))
        else:
            behind = {"branches": "#choice", "json": "#json"}.get(part.kind, "")
            controls[f"{part.name}{behind}"] = part.text
    return controls


def _list_group_controls(part: Field) -> dict[str, str]:
    controls: dict[str, str] = {}
    if part.is_open or part.is_required:
        controls[f"{part.name}#open"] = ""
    if part.kind != "object":
        controls[f"{part.name}#rows"] = str(len(part.fields))
    if part.kind == "map":
        controls.update({f"{part.name}#key:{at}": row.key for at, row in enumerate(part.fields)})
    return controls
