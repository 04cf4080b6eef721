"""
An answer for people: Markdown as it is meant, and what was found as a table.

Without a terminal it is the bare text. Nothing in it can drive the terminal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TypeAlias

from restwright.cli.render.outline import outline, read_json
from restwright.cli.render.output import Output, one_line
from restwright.jsontypes import Json, is_array, is_object

Cells: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""The titles of a table, and its rows."""

MOST_ROWS, MOST_COLUMNS = 50, 6
LONGEST_JSON = 600
"""Characters of an answer in JSON that are shown as they are."""
_RULE = re.compile(r"(?m)^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$")
_IDENTITY = re.compile(r"(?i)^(id|uuid)$|_ids?$|(?-i:[a-z]Ids?$)")
_ITEM = re.compile(r"\s*([-*+•]|\d{1,3}[.)])\s")


def print_answer(
    text: str, out: Output, *, values: Sequence[Json] = (), folds: bool = False
) -> None:
    """
    Print an answer on standard output.

    Args:
        values: What the run found. A list of objects is shown as a table beneath words that are
            no list themselves.
        folds: Whether long JSON is shown as its shape, where a person looks.
    """
    if not sys.stdout.isatty():
        out.text(text)
        return
    if folds and not out.verbose and len(text) > LONGEST_JSON and (found := read_json(text)):
        print(one_line(outline(found)))
        out.note(
            f"{len(text):,} characters of JSON; /copy and /save have them, /verbose shows them"
        )
        return
    from restwright.cli.render.markdown import print_markdown

    print_markdown(text)
    is_list = _RULE.search(text) is not None or _has_items(text)
    if len(values) == 1 and not is_list and (cells := cells_of(values[0])):
        from restwright.cli.render.tables import print_table

        print_table(*cells)


def _has_items(text: str) -> bool:
    return sum(bool(_ITEM.match(line)) for line in text.splitlines()) > 1


def cells_of(value: Json) -> Cells | None:
    """A list of several objects as a table; None where it is none, or too large for one."""
    if not is_array(value) or not 1 < len(value) <= MOST_ROWS:
        return None
    objects = [item for item in value if is_object(item)]
    if len(objects) != len(value):
        return None
    names = dict.fromkeys(name for object_ in objects for name in object_)
    titles = tuple(
        name for name in names if all(_is_short(object_.get(name)) for object_ in objects)
    )
    # Ids are for calls, not for people, where there is anything else to show.
    titles = tuple(title for title in titles if not _IDENTITY.search(title)) or titles
    titles = titles[:MOST_COLUMNS]
    if not titles:
        return None
    rows = tuple(tuple(_shown(object_.get(name)) for name in titles) for object_ in objects)
    return tuple(map(one_line, titles)), rows


def _is_short(value: Json) -> bool:
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= 80)


def _shown(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else one_line(str(value))
