"""From faults to mismatches: a place and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.calls.mismatch import Mismatch
from restwright.calls.schema_words import shown
from restwright.calls.violation import Fault
from restwright.typing import Json

__all__ = ["mismatches_of", "pointer_to", "shown"]


def pointer_to(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of `path` (RFC 6901)."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def mismatches_of(faults: Iterable[Fault]) -> tuple[Mismatch, ...]:
    """The mismatches that faults stand for, each once."""
    found = (Mismatch(pointer_to(each.path), each.expected, each.got, each.hint) for each in faults)
    return tuple(dict.fromkeys(found))


def not_an_object(arguments: Json) -> Mismatch:
    """What is wrong with the arguments of a call that are no object."""
    hint = "give the object itself, not its text" if isinstance(arguments, (str, bytes)) else ""
    return Mismatch("", "an object", shown(arguments), hint)
