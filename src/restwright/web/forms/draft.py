"""Arguments while they are written: values, and what is begun and has none yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from restwright.jsontypes import Json, is_array, is_object


class Absent(Enum):
    """Stands for what is left out, which is something else than null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Chosen:
    """A value, with the branch of the schema that it is written by."""

    branch: int
    draft: Draft


@dataclass(frozen=True, slots=True)
class Pairs:
    """The rows of a map; a key may still be empty."""

    rows: Sequence[tuple[str, Draft]]


Draft: TypeAlias = Any
"""A JSON value in which there may be `ABSENT`, `Chosen` and `Pairs`."""


def settle_draft(draft: Draft) -> Json | Absent:
    """The value of a draft: what is absent is left out."""
    match draft:
        case Chosen():
            return settle_draft(draft.draft)
        case Pairs():
            rows = {key: settle_draft(value) for key, value in draft.rows if key}
            return {key: value for key, value in rows.items() if value is not ABSENT} or ABSENT
        case _ if is_object(draft):
            members = {key: settle_draft(value) for key, value in draft.items()}
            return {key: value for key, value in members.items() if value is not ABSENT}
        case _ if is_array(draft):
            settled = [settle_draft(item) for item in draft]
            return [item for item in settled if item is not ABSENT]
        case _:
            return draft
