"""
Compares arguments with what was asked for.

What is wanted is written as JSON with three more words: a tuple for one of several values, `...`
for any value, and `Unordered` for a list in whatever order. A property that is absent counts as
null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import EllipsisType
from typing import Any

from restwright.calls.arguments.check import check_value
from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject

Wanted = Any


@dataclass(frozen=True, slots=True)
class Unordered:
    """A list of which the order does not matter."""

    items: Sequence[Wanted]


def meant(wanted: Wanted) -> Callable[[JsonObject], Iterator[Mismatch]]:
    """Make the criterion that arguments are what is wanted."""
    return lambda arguments: differences(wanted, arguments)


def differences(wanted: Wanted, given: Json, at: str = "") -> Iterator[Mismatch]:
    """Yield every place where `given` is not what is wanted."""
    compare = _COMPARE.get(type(wanted), _scalars)
    yield from compare(wanted, given, at)


def _anything(_: EllipsisType, _given: Json, _at: str) -> Iterator[Mismatch]:
    yield from ()


def _one_of(wanted: tuple[Wanted, ...], given: Json, at: str) -> Iterator[Mismatch]:
    if not any(_is_same(each, given) for each in wanted):
        yield _mismatch(at, wanted[0], given)


def _objects(wanted: dict[str, Wanted], given: Json, at: str) -> Iterator[Mismatch]:
    if not isinstance(given, dict):
        yield _mismatch(at, wanted, given)
        return
    for name in dict.fromkeys([*wanted, *given]):
        yield from differences(wanted.get(name), given.get(name), f"{at}/{name}")


def _lists(wanted: list[Wanted], given: Json, at: str) -> Iterator[Mismatch]:
    if not isinstance(given, list) or len(given) != len(wanted):
        yield _mismatch(at, wanted, given)
        return
    for index, (mine, theirs) in enumerate(zip(wanted, given, strict=True)):
        yield from differences(mine, theirs, f"{at}/{index}")


def _unordered(wanted: Unordered, given: Json, at: str) -> Iterator[Mismatch]:
    left = list(given) if isinstance(given, list) else []
    for each in wanted.items:
        same = next((place for place, other in enumerate(left) if _is_same(each, other)), None)
        if same is None:
            yield Mismatch(at, _shown(each), "none like it")
        else:
            left.pop(same)
    for each in left:
        yield _mismatch(at, None, each)


def _scalars(wanted: Wanted, given: Json, at: str) -> Iterator[Mismatch]:
    if _plain(wanted) != _plain(given):
        yield _mismatch(at, wanted, given)


_COMPARE: dict[type, Callable[[Any, Json, str], Iterator[Mismatch]]] = {
    EllipsisType: _anything,
    tuple: _one_of,
    dict: _objects,
    list: _lists,
    Unordered: _unordered,
}


def _is_same(wanted: Wanted, given: Json) -> bool:
    return next(differences(wanted, given), None) is None


def _plain(value: Json) -> Json:
    """The value with what does not matter left out: case, spaces, the zone of a time."""
    if isinstance(value, str):
        return _instant(value) or " ".join(value.casefold().split()).rstrip(".")
    # True equals 1 in Python, and does not in JSON.
    return ("literal", value) if isinstance(value, bool) else value


def _instant(text: str) -> datetime | None:
    if "T" not in text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo else None


def _mismatch(at: str, wanted: Wanted, given: Json) -> Mismatch:
    return Mismatch(at, _shown(wanted), _shown(given))


def _shown(value: Wanted) -> str:
    if value is None:
        return "nothing"
    return json.dumps(value, default=lambda other: getattr(other, "items", str(other)))[:80]


def is_id_of(pointer: str, known: Iterable[str], what: str, given: Json) -> Iterator[Mismatch]:
    """Yield a mismatch where an id is none of those known; it does not tell the right one."""
    if given not in set(known):
        yield Mismatch(pointer, f"the id of {what}", _shown(given), "copy it from the results")


def draws_line(
    schema: Json, right: Iterable[Json], wrong: Iterable[Json], at: str
) -> Iterator[Mismatch]:
    """Yield the samples that a schema, which a model has written, judges otherwise than asked."""
    for each in right:
        if check_value(schema, each):
            yield Mismatch(at, f"a schema that accepts {_shown(each)}", "one that rejects it")
    for each in wrong:
        if not check_value(schema, each):
            yield Mismatch(at, f"a schema that rejects {_shown(each)}", "one that accepts it")
