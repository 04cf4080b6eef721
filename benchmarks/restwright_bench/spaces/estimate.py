"""
What a model would have to read in each mode: the right calls, played through the prompts.

Four characters count as a token. `read` is what an engine has to process that keeps the beginning
that a prompt shares with the one before it.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import mean

from restwright.agents.steps import Complete, Completion
from restwright_bench.spaces.choosers import (
    CHARACTERS_PER_TOKEN,
    FINISH,
    ModelChooser,
    ScriptedChooser,
)
from restwright_bench.spaces.modes import MODES, Offering
from restwright_bench.spaces.question import Question
from restwright_bench.spaces.space import Space
from restwright_bench.spaces.trial import Meter, Move, Moves, Told, tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """
    One mode; tokens of a trial.

    Args:
        prompts: Mean of all prompts of a trial together; `replies` likewise.
        read: Mean of what is processed, in this order of trials.
        longest: Of one prompt, in any trial.
        calls: Mean of a trial's requests to the model.
        too_long: Trials that do not fit into the context.
    """

    mode: str
    trials: int
    prompts: int
    read: int
    replies: int
    longest: int
    calls: float
    too_long: int

    def seconds(self, *, reads: float, writes: float) -> float:
        """Of a trial, by the tokens a second that a model reads and writes."""
        return self.read / reads + self.replies / writes


def estimates(
    space: Space,
    *,
    modes: Iterable[str] = tuple(MODES),
    asked: Sequence[Question],
    context: int | None = None,
) -> list[Estimate]:
    """Play the right calls of these tasks in each mode, mode by mode."""
    player = _Player()
    return [_estimate(player, space, mode, asked, context) for mode in modes]


def estimates_table(found: Iterable[Estimate]) -> str:
    """A table in Markdown, one row for each mode."""
    head = ("mode", "trials", "model calls", "prompt tokens", "read", "written", "longest prompt")
    rows = [
        (
            *(each.mode, f"{each.trials}", f"{each.calls:.1f}", f"{each.prompts:,}"),
            *(f"{each.read:,}", f"{each.replies:,}", f"{each.longest:,}", f"{each.too_long}"),
        )
        for each in found
    ]
    lines = [(*head, "too long"), ("---", *["--:"] * len(head)), *rows]
    return "\n".join(f"| {' | '.join(each)} |" for each in lines) + "\n"


def _estimate(
    player: _Player, space: Space, mode: str, asked: Sequence[Question], context: int | None
) -> Estimate:
    trials, read = [], []
    player.longest = 0
    for question in asked:
        player.read = 0
        trials.append(tried(_Rehearsal(player, context), question, mode, space))
        read.append(player.read)
    return Estimate(
        mode=mode,
        trials=len(trials),
        prompts=round(mean(each.input_tokens for each in trials)),
        read=round(mean(read)) // CHARACTERS_PER_TOKEN,
        replies=round(mean(each.output_tokens for each in trials)),
        longest=player.longest // CHARACTERS_PER_TOKEN,
        calls=mean(each.model_calls for each in trials),
        too_long=sum(each.stopped == "context" for each in trials),
    )


@dataclass(slots=True)
class _Player:
    """A model that says what leads to `next`, and counts what it is asked."""

    name: str = "played"
    next: Move | str = ""
    before: str = ""
    read: int = 0
    longest: int = 0

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Say it."""
        prompt = "\n".join(each.text for each in request.messages)
        self.read += len(prompt) - _shared(prompt, self.before)
        self.longest = max(self.longest, len(prompt))
        text = self._reply(request.role)
        self.before = f"{prompt}\n{text}"
        return Completion(
            text=text,
            input_tokens=len(prompt) // CHARACTERS_PER_TOKEN,
            output_tokens=len(text) // CHARACTERS_PER_TOKEN,
        )

    def _reply(self, role: str) -> str:
        step = self.next
        if isinstance(step, str):
            said = {"tool": FINISH} if role == "selector" else {"answer": step}
        else:
            said = {"tool": step.tool} if role == "selector" else step.arguments
        return json.dumps(said, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    """A chooser whose model knows the right calls."""

    player: _Player
    context: int | None = None
    name: str = "played"
    script: ScriptedChooser = field(default_factory=ScriptedChooser)

    def moves(self, question: Question, offering: Offering, meter: Meter) -> Moves:
        """Let the model choose what the script does."""
        right = self.script.moves(question, offering, meter)
        chooser = ModelChooser(model=self.player, context=self.context)
        moves = chooser.moves(question, offering, meter)
        self.player.next = next(right)
        try:
            move = next(moves)
            while True:
                told: Told = yield move
                self.player.next = _next(right, told)
                move = moves.send(told)
        except StopIteration as stop:
            return str(stop.value)


def _shared(one: str, other: str) -> int:
    """Characters that two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _next(right: Generator[Move, Told, str], told: Told) -> Move | str:
    try:
        return right.send(told)
    except StopIteration as stop:
        return str(stop.value)
