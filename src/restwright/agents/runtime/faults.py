"""What is raised inside a run by what it was given: said in words that hold no secret."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from restwright.agents.steps import Approve, Call, Complete, Extract, Gather, Question, Say, Step
from restwright.errors import RestwrightError, StepFailed
from restwright.net.callbacks import UnawaitedCallback


@dataclass(slots=True)
class ListenerFaults:
    """
    What listeners raised, kept until what they were told of is over and written down.

    A response must not be lost because somebody could not be told of it.
    """

    _errors: list[RestwrightError] = field(default_factory=list[RestwrightError])

    @contextmanager
    def capture(self, what: str) -> Generator[None]:
        """Keep what is raised in the block by `what`."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - it is raised by check()
            self._errors.append(failure_from_error(error, what))

    def raise_first(self) -> None:
        """Raise the first that was kept."""
        if (first := self.pop_first()) is not None:
            raise first

    def pop_first(self) -> RestwrightError | None:
        """The first that was kept; the others are forgotten with it."""
        first = self._errors[0] if self._errors else None
        self._errors.clear()
        return first


def failure_from_error(error: Exception, what: str) -> RestwrightError:
    """
    What a loop is told of an exception: ours as they are, of others the kind; of a callback that
    nothing could await what to do.

    Args:
        what: Raised it, in words.
    """
    if isinstance(error, RestwrightError):
        return error
    failure = StepFailed(what, _describe_error(error))
    failure.__cause__ = error
    return failure


def _describe_error(error: Exception) -> str:
    if isinstance(error, UnawaitedCallback):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}"
    return type(error).__name__


def performer_name(step: Step) -> str:
    """What performs a step, in words."""
    match step:
        case Complete():
            return "the model"
        case Call():
            return f"the call of {step.tool}"
        case Extract():
            return "code over a response"
        case Approve() | Question():
            return "asking the user"
        case Say():
            return "telling of an event"
        case Gather():
            return "one of several calls"
