"""How a tool is carried out that no document describes: by a request of its own, or right here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from restwright.net.messages import Request
from restwright.openapi.model import Operation
from restwright.typing import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """
    What came of a call that was carried out here.

    Args:
        value: As `Result.value`.
        error: What a model reads about a failure; empty where there was none.
        is_of_user: Whether only the user can mend it.
        may_have_acted: Of a failure, whether something may have been changed before it.
    """

    value: Json = None
    error: str = ""
    is_of_user: bool = False
    may_have_acted: bool = False


Asks: TypeAlias = Callable[[JsonObject], Request]
"""
Makes the request of a call whose arguments are checked, and does no I/O but to read a secret.

It raises `InvalidArguments` and `RefusedRequest`, and nothing else.
"""

Answers: TypeAlias = Callable[[JsonObject], Said]
"""
Carries a call out whose arguments are checked and, where it writes, approved.

A model reads the text of a `FunctionFailed` that it raises, and of other exceptions the type alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """
    How one tool is carried out.

    Args:
        asks: Makes its request; None for one that is carried out here.
        answers: Carries it out here; None for one that sends a request.
        narrowed: The operation of one call, where its arguments say how dangerous it is; None where
            they do not matter.
        changes_nothing: Whether it only makes a text, whatever its name says.
    """

    asks: Asks | None = None
    answers: Answers | None = None
    narrowed: Callable[[JsonObject], Operation] | None = None
    changes_nothing: bool = False
