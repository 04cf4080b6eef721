"""Which arguments a model fills in, and which a human or the host does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from restwright.openapi.model import Operation
from restwright.typing import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """
    What a human or the host fills in: secrets, files, ids.

    Args:
        is_human: Told a schema as the document writes it, `x-` keys included.
        is_human_operation: Whether only a human may call an operation; it gets no tool.
    """

    is_human: Callable[[JsonObject], bool]
    is_human_operation: Callable[[Operation], bool] = lambda operation: False


@dataclass(frozen=True, slots=True)
class Half:
    """One side's part of the arguments: what is read, and what it is validated against."""

    shows: JsonObject = field(repr=False)
    checks: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class Separated:
    """The two parts of a tool's arguments; `human` is None where nothing is left to a human."""

    model: Half
    human: Half | None
