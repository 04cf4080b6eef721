"""
Which arguments a model fills in, and which a human or the host does.

A mark is on a schema, a parameter, a media type or a request body; everything below it is left to a
human. `tools.halves` makes two schemas of what holds marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from restwright.errors import require_callable
from restwright.jsontypes import Json, JsonObject
from restwright.net.callbacks import refuse_async
from restwright.openapi.model import Operation

_FALSE = frozenset({"", "0", "false", "no", "off"})


def _is_never_human(operation: Operation) -> bool:
    del operation
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """
    What a human or the host fills in: secrets, files, ids.

    Args:
        is_human: Told a schema as the document writes it, `x-` keys included; and once more with
            those of the parameter, media type or request body that it is the schema of.
        is_human_operation: Whether only a human may call an operation; it gets no tool.

    Raises:
        WrongType: One of them cannot be called; `by_extension()` makes them of names.
    """

    is_human: Callable[[JsonObject], bool]
    is_human_operation: Callable[[Operation], bool] = _is_never_human

    def __post_init__(self) -> None:
        wanted = "a function of a schema; `by_extension('x-human')` makes one of names"
        require_callable(self.is_human, what="`is_human`", wanted=wanted)
        wanted = "a function of an `Operation`"
        require_callable(self.is_human_operation, what="`is_human_operation`", wanted=wanted)
        refuse_async(is_human=self.is_human, is_human_operation=self.is_human_operation)


def by_extension(*names: str) -> Separation:
    """
    A separation by the `x-` keys of the document, such as `x-human` or `x-samchon-human`.

    Args:
        names: Any of them marks, on an operation too, unless its value is false, null, zero, empty
            or a word for that.
    """
    # Not functions inside of this one: those cannot be pickled.
    return Separation(
        is_human=partial(_is_marked, names), is_human_operation=partial(_is_marked_operation, names)
    )


def _is_marked(names: Sequence[str], holder: Mapping[str, Json]) -> bool:
    return any(_is_true(holder.get(name)) for name in names)


def _is_marked_operation(names: Sequence[str], operation: Operation) -> bool:
    return _is_marked(names, operation.extensions)


def _is_true(value: Json) -> bool:
    return value.strip().lower() not in _FALSE if isinstance(value, str) else bool(value)


@dataclass(frozen=True, slots=True)
class ArgumentHalf:
    """One side's part of the arguments: what is read, and what it is validated against."""

    shows: JsonObject
    checks: JsonObject

    def __repr__(self) -> str:
        """Name the properties, whose schemas are too long to read."""
        return f"Half({', '.join(map(repr, self.checks.get('properties', {})))})"


@dataclass(frozen=True, slots=True)
class ArgumentHalves:
    """
    The two parts of a tool's arguments; objects of which each side has a part stand in both.

    Args:
        model: At least an empty object; `shows` is that of the tool.
        human: None where nothing is left to a human.
    """

    model: ArgumentHalf
    human: ArgumentHalf | None
