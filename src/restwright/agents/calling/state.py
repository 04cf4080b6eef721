"""What one run of the calling agent carries along: what was called, what failed, what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from restwright.agents.calling.run import Run
from restwright.agents.execution.failure import Failure
from restwright.agents.memory.transcript import Done, called, told_error, told_held
from restwright.calls.mismatch import Mismatch
from restwright.calls.response.http_errors import strip_model_notice
from restwright.jsontypes import JsonObject

MAX_UNDONE = 10
"""As many things that are not done are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCall:
    """
    A call that did not do what it is for.

    Args:
        arguments: As JSON, what the model gave.
        why: In one line; of an error, in the API's own words.
        kind: Its arguments are a `mismatch`, an `error` was the answer, or it was `held` back.
    """

    tool: str
    arguments: JsonObject
    why: str
    kind: Literal["mismatch", "error", "held"]

    def __str__(self) -> str:
        return f"{called(self.tool, self.arguments)}: {strip_model_notice(self.why)}"

    def render(self) -> str:
        """As a model reads it in every turn; a mismatch is told to it once, whole."""
        if self.kind == "mismatch":
            return ""
        tell = told_error if self.kind == "error" else told_held
        return tell(self.tool, self.arguments, self.why)


@dataclass(slots=True, kw_only=True)
class ReplyOutcome:
    """
    What became of the calls of one reply.

    Args:
        failed_before: The calls that had failed when it came.
        messages: What the model is told of them in the next turn.
        called: The tools whose calls could be made.
        succeeded: The tools of which a call succeeded.
        mistakes: `{tool: what was wrong with its last call}`.
        mismatches: `{tool: what did not fit}`.
        correcting: The tools whose calls did not fit.
    """

    failed_before: set[bytes] = field(default_factory=set[bytes])
    messages: list[str] = field(default_factory=list[str])
    called: set[str] = field(default_factory=set[str])
    succeeded: set[str] = field(default_factory=set[str])
    mistakes: dict[str, str] = field(default_factory=dict[str, str])
    mismatches: dict[str, tuple[Mismatch, ...]] = field(
        default_factory=dict[str, tuple[Mismatch, ...]]
    )
    correcting: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class CallingState:
    """
    What one run of the calling agent carries along.

    Args:
        retries: As often a call of one tool may be corrected.
        stack: The tools that are offered.
        chosen: Those that the model chose, from their names.
        is_all: Whether the catalog is small enough to be without the tools that find others.
        last_outcome: Of the last reply.
        failed: The calls that failed and that no other took the place of, by `key_of`.
        errors: `{key of a call: the error that was its answer}`, while nothing was written since.
        mismatch_counts: `{tool: how many replies in a row called it wrongly}`.
        mismatches: `{tool: what did not fit in the last reply that called it wrongly}`.
        given_up: `{tool: what was wrong with its last call}`.
        asked: What the user has answered, without regard to case.
        failure: What ended the run.
    """

    run: Run
    retries: int
    stack: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    is_all: bool = True
    done: list[Done] = field(default_factory=list[Done])
    notes: list[str] = field(default_factory=list[str])
    last_outcome: ReplyOutcome = field(default_factory=ReplyOutcome)
    failed: dict[bytes, FailedCall] = field(default_factory=dict[bytes, FailedCall])
    errors: dict[bytes, str] = field(default_factory=dict[bytes, str])
    mismatch_counts: dict[str, int] = field(default_factory=dict[str, int])
    mismatches: dict[str, tuple[Mismatch, ...]] = field(
        default_factory=dict[str, tuple[Mismatch, ...]]
    )
    given_up: dict[str, str] = field(default_factory=dict[str, str])
    asked: set[str] = field(default_factory=set[str])
    failure: Failure | None = None

    @property
    def offered_tools(self) -> tuple[str, ...]:
        """The tools of the next turn: those to correct alone, and the writes that wait for them."""
        if not self.last_outcome.correcting:
            return self.stack
        held = [
            failed_call.tool for failed_call in self.failed.values() if failed_call.kind == "held"
        ]
        waiting = (name for name in held if name in self.stack)
        return tuple(dict.fromkeys((*self.last_outcome.correcting, *waiting)))

    def progress_key(self) -> tuple[object, ...]:
        """What is the same after a reply that only repeats earlier ones."""
        return len(self.done), len(self.notes), self.stack, dict(self.mismatch_counts)

    def render_failures(self) -> Iterator[str]:
        """The latest calls that failed, as a model reads them."""
        latest = [*self.failed.values()][-MAX_UNDONE:]
        return (text for failed_call in latest if (text := failed_call.render()))

    def list_uncalled_writes(self) -> list[str]:
        """The writes that were chosen, are not put back, and were never called."""
        called = self._called_tools()
        chosen = (name for name in self.chosen if name in self.stack and name not in called)
        return [name for name in chosen if self.is_write(name)]

    def list_unattempted_writes(self) -> list[str]:
        """
        The writes that were chosen, where none was called.

        Where one was, the others may have been chosen only as other ways to the same.
        """
        return [] if any(map(self.is_write, self._called_tools())) else self.list_uncalled_writes()

    def list_failures(self) -> list[str]:
        """What is not done, each with why."""
        tools = {failed_call.tool for failed_call in self.failed.values()}
        lines = [str(failed_call) for failed_call in self.failed.values()]
        lines += [
            f"{name}: {strip_model_notice(why)}"
            for name, why in self.given_up.items()
            if name not in tools
        ]
        if (more := len(lines) - MAX_UNDONE) > 0:
            lines[MAX_UNDONE:] = [f"and {more} more"]
        if self.failure is None:
            return [
                *lines,
                *(f"{name} was chosen and not called" for name in self.list_unattempted_writes()),
            ]
        is_told = any(self.failure.why in line for line in lines)
        return lines if is_told else [*lines, self.failure.why]

    def list_accepted_writes(self) -> list[str]:
        """The writes that were only taken in."""
        return [str(done) for done in self.done if done.is_accepted]

    def is_out_of_turn(self, name: str) -> bool:
        """Whether a write was neither chosen nor called before another one failed."""
        lost = {
            failed_call.tool for failed_call in self.failed.values() if failed_call.kind == "error"
        }
        is_lost = any(map(self.is_write, lost))
        return is_lost and name not in self.chosen and name not in self._called_tools()

    def _called_tools(self) -> set[str]:
        tools = {done.tool for done in self.done} | {
            failed_call.tool for failed_call in self.failed.values()
        }
        return tools | self.given_up.keys()

    def is_write(self, name: str) -> bool:
        """Whether a tool of this name changes something."""
        tool = self.run.catalog.dispatch(name).tool
        return tool is not None and not self.run.is_read(tool)
