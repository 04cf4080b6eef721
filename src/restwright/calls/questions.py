"""What the other side of a call asks the user before it answers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

from restwright.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class CallQuestion:
    """
    A question that comes up within a call.

    Args:
        tool: The name of the tool that is called.
        text: As it is put to the user; another party wrote it.
        schema: Of the answer, an object; None where only yes or no is asked.
    """

    tool: str
    text: str
    schema: JsonObject | None = field(default=None, repr=False)


AnswerQuestion: TypeAlias = Callable[[CallQuestion], Json]
"""Asks the user: an object that fits the schema, `True` for a yes, None for no answer."""


def _answer_nothing(question: CallQuestion) -> Json:
    """Nobody is there."""
    del question


_current_answer: ContextVar[AnswerQuestion] = ContextVar("answer", default=_answer_nothing)


@contextmanager
def answer_questions(answer: AnswerQuestion) -> Generator[None]:
    """Let `answer` be asked what comes up in the calls of the block."""
    token = _current_answer.set(answer)
    try:
        yield
    finally:
        _current_answer.reset(token)


def current_answer() -> AnswerQuestion:
    """Who answers what comes up in the calls of this thread or task."""
    return _current_answer.get()
