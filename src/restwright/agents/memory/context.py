"""
What earlier turns of a conversation said and found, and how a loop is given it.

While a loop runs, its background is at hand: prompts that read the user's message show it the
conversation before, and ids that an earlier turn found can be used where a task names their things.
What came from APIs stays marked as data.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import cast

from restwright.agents.memory.memory import Known, Memory, Source
from restwright.agents.memory.transcript import Done, told
from restwright.agents.memory.turn import Found
from restwright.agents.spotlighting import mark_data_from
from restwright.agents.steps import Outcome, Step, Steps, T
from restwright.calls.truncate import shorten_line
from restwright.errors import LimitReached, RestwrightError
from restwright.tools.tool import Tool

EXCHANGES = 8
"""As many earlier turns are told, the latest."""

ROOM = 3_000
"""Characters of them all."""

FACTS = 8
"""As many earlier responses are told where facts are."""

KEPT = 40
"""Earlier responses whose ids can be used, the latest."""

_QUESTION, _ANSWER, _FACTS_ROOM = 300, 800, 3_000
_SAID = frozenset({"planner", "offline_planner", "capabilities"})
_SAID_AND_FOUND = frozenset(
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
The prompts that read the user's message in its own words. In `rest` and `plan` what they write can
be understood alone, and ids are filled in by code; elsewhere the model needs the facts themselves.
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
        conversation: By which the journal knows the conversation; empty for a new one.
        found: Collects what this turn finds.
    """

    exchanges: tuple[Exchange, ...] = ()
    done: tuple[Done, ...] = ()
    read_from: frozenset[str] = frozenset()
    conversation: str = ""
    found: Found | None = field(default=None, compare=False)

    def memory(self) -> Memory:
        """What the latest calls gave, as sources of ids."""
        latest = self.done[-KEPT:]
        return Memory(
            sources=tuple(
                # All of it: which of its things is meant, a later task says by name.
                Source(
                    tool=each.tool, arguments=each.arguments, body=each.value, extracted=each.value
                )
                for each in latest
            )
        )

    def said(self, *, with_facts: bool) -> str:
        """The conversation so far in few characters; empty where there is none."""
        if not self.exchanges:
            return ""
        parts = ["The conversation so far:", *self._told()]
        if with_facts and (facts := told(self.done[-FACTS:], room=_FACTS_ROOM)):
            parts += ["Found in it:", facts]
        return "\n".join(parts)

    def _told(self) -> list[str]:
        room, texts = ROOM, list[str]()
        for each in reversed(self.exchanges[-EXCHANGES:]):
            text = _exchange(each)
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


def with_said(prompt: str, values: Mapping[str, str]) -> Mapping[str, str]:
    """What a prompt is filled with; where it reads the user's message, the conversation first."""
    facts = prompt in _SAID_AND_FOUND
    if "question" not in values or not (facts or prompt in _SAID):
        return values
    said = background().said(with_facts=facts)
    if not said:
        return values
    return {**values, "question": f"{said}\nThe user's message now: {values['question']}"}


def known_before(tool: Tool, name: str, tools: tuple[Tool, ...]) -> tuple[Known, ...]:
    """The values that earlier turns found and that fit the input `name`, latest first."""
    return background().memory().known(tool, name, tools)


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


def _exchange(each: Exchange) -> str:
    # An answer may repeat what an API sent.
    answer = (
        mark_data_from("your answer", shorten_line(each.answer, _ANSWER))
        if each.answer
        else "(no answer)"
    )
    return f"User: {shorten_line(each.question, _QUESTION)}\n{answer}"
