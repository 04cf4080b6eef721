"""
What earlier turns of a conversation said and found, and how a loop is given it.

While a loop runs, its background is at hand: prompts that read the user's message show it the
conversation before, and what earlier turns said or found is a source of arguments. What came from
APIs stays marked as data.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import cast

from restwright.agents.memory.transcript import Done, told
from restwright.agents.memory.turn import Found
from restwright.agents.spotlighting import mark_data_from
from restwright.agents.steps import Outcome, Step, Steps, T
from restwright.calls.truncate import shorten_line
from restwright.errors import LimitReached, RestwrightError

MAX_EXCHANGES = 8
"""As many earlier turns are told, the latest."""

MAX_CHARS = 3_000
"""Of them all."""

MAX_FACTS = 8
"""As many earlier responses are told where facts are."""

KEPT = 40
"""Earlier responses whose values may be used, the latest."""

_QUESTION_CHARS, _ANSWER_CHARS, _FACT_CHARS = 300, 800, 3_000
_TOLD_WORDS = frozenset({"rest_planner", "offline_planner", "capabilities"})
_TOLD_FACTS = frozenset(
    {
        "react",
        "dfsdt",
        "calling_selector",
        "calling_canceller",
        "calling_caller",
        "calling_native",
        "describer",
    }
)
"""
The prompts that read the user's message in its own words. What a planner writes can be understood
alone, and ids are looked up; elsewhere the model needs the facts themselves.
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier turn in words; `answer` is empty where there was none."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """
    What a turn starts with.

    Args:
        exchanges: Earlier turns, oldest first.
        done: What their calls gave, oldest first.
        read_from: The APIs whose responses they read.
        instructions: What the application itself says to the model.
        conversation: By which the journal knows the conversation; empty for a new one.
        found: Collects what this turn finds.
    """

    exchanges: tuple[Exchange, ...] = ()
    done: tuple[Done, ...] = ()
    read_from: frozenset[str] = frozenset()
    conversation: str = ""
    instructions: str = ""
    found: Found | None = field(default=None, compare=False)

    def render(self, *, with_facts: bool) -> str:
        """The conversation so far in few characters; empty where there is none."""
        parts = [shorten_line(self.instructions, MAX_CHARS)] if self.instructions else []
        if self.exchanges:
            parts += ["Earlier:", *self._render_exchanges()]
        if with_facts and (facts := told(self.done[-MAX_FACTS:], room=_FACT_CHARS)):
            parts += ["Found in it:", facts]
        return "\n".join(parts)

    def _render_exchanges(self) -> list[str]:
        room, texts = MAX_CHARS, list[str]()
        for exchange in reversed(self.exchanges[-MAX_EXCHANGES:]):
            text = _render_exchange(exchange)
            room -= len(text)
            if texts and room < 0:
                break
            texts.append(text)
        return texts[::-1]


_NONE = Background()
_now: ContextVar[Background] = ContextVar("_now", default=_NONE)


def background() -> Background:
    """Of the loop that runs now; an empty one outside of conversations."""
    return _now.get()


def add_conversation(prompt: str, values: Mapping[str, str]) -> Mapping[str, str]:
    """What a prompt is filled with; where it reads the user's message, the conversation first."""
    with_facts = prompt in _TOLD_FACTS
    if "question" not in values or not (with_facts or prompt in _TOLD_WORDS):
        return values
    earlier = background().render(with_facts=with_facts)
    if not earlier:
        return values
    return {**values, "question": f"{earlier}\nThe user's message now: {values['question']}"}


def with_background(steps: Steps[T], given: Background) -> Steps[T]:
    """The same steps, whose loop has this background; `given.found` is told what comes of them."""
    outcome: Outcome = None
    thrown: BaseException | None = None
    while True:
        try:
            # Only while the loop itself runs: what performs its steps may run loops of its own.
            with _set(given):
                step = steps.throw(thrown) if thrown else steps.send(outcome)
        except StopIteration as end:
            return cast("T", end.value)
        outcome, thrown = None, None
        _begun(given.found)
        try:
            outcome = yield step
        except RestwrightError as error:
            thrown = error
            if isinstance(error, LimitReached) and error.outcomes:
                _ended(given.found, step, cast("Outcome", error.outcomes))
            elif given.found is not None:
                given.found.failed()
        else:
            _ended(given.found, step, outcome)


def _begun(found: Found | None) -> None:
    if found is not None:
        found.begun()


def _ended(found: Found | None, step: Step, outcome: Outcome) -> None:
    if found is not None:
        found.ended(step, outcome)


@contextmanager
def _set(given: Background) -> Generator[None]:
    token = _now.set(given)
    try:
        yield
    finally:
        _now.reset(token)


def _render_exchange(exchange: Exchange) -> str:
    # An answer may repeat what an API sent.
    answer = (
        mark_data_from("your answer", shorten_line(exchange.answer, _ANSWER_CHARS))
        if exchange.answer
        else "(no answer)"
    )
    if not exchange.question:
        return answer
    return f"User: {shorten_line(exchange.question, _QUESTION_CHARS)}\n{answer}"
