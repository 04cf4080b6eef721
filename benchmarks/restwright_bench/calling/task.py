"""What a model is asked in one trial, and how its arguments are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from uuid import UUID

from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject

Criterion = Callable[[JsonObject], Iterable[Mismatch]]


def anything(_: JsonObject) -> tuple[Mismatch, ...]:
    """Accept whatever the schema accepts."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A call that was made before, with what the user said then and what came back."""

    said: str
    tool: str
    arguments: JsonObject
    returned: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    One trial of a kind. Its facts are drawn, so that no two trials are the same.

    Args:
        text: What the user says.
        reference: Right arguments.
        fits: What has to be right beside the schema for the call to count: ids.
        means: What else has to be right for the call to be what was asked for. Nothing is told to
            the model about it.
    """

    text: str
    reference: JsonObject
    means: Criterion
    fits: Criterion = anything
    earlier: tuple[Earlier, ...] = ()


Draw = Callable[[Random], Task]


def new_id(draw: Random) -> str:
    """Draw a UUID."""
    return str(UUID(int=draw.getrandbits(128), version=4))
