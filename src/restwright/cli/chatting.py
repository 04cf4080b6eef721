"""What a chat is: a conversation with the choices that its user makes on the way."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from typer import BadParameter

from restwright.cli.answers import Screen, print_answer
from restwright.cli.asking import EXIT_CODES, note_end
from restwright.cli.failures import DONE, FAILED, INTERRUPTED, STOPPED, report, unexpected
from restwright.cli.output import Output
from restwright.errors import RestwrightError

if TYPE_CHECKING:
    from collections.abc import Callable

    from restwright.agents.agent import Agent
    from restwright.agents.conversation import Conversation
    from restwright.agents.steps import Answer
    from restwright.calls.policy import Policy
    from restwright.typing import Model

Approval: TypeAlias = Literal["reads", "ask", "writes", "all"]

APPROVALS: Mapping[Approval, str] = {
    "reads": "only what changes nothing is called; a write is refused",
    "ask": "reads at once; each write after you said yes to that very request",
    "writes": "reads and writes at once; what destroys something after you said yes to it",
    "all": "everything at once, as with --yes",
}
"""What a user may approve for the rest of a chat, and what it means."""

CROSSING = (
    "Once a response of one API was read, a write to another one is asked about all the same."
)


def policy_for(approval: Approval) -> Policy:
    """The policy that an approval means."""
    from restwright.calls.policy import ALLOW, CONFIRM, READ_ONLY, Policy

    policies: Mapping[Approval, Policy] = {
        "reads": READ_ONLY,
        "ask": CONFIRM,
        "writes": Policy(classes={"write": "allow"}),
        "all": ALLOW,
    }
    return policies[approval]


class Models:
    """
    The model in use, one at a time. To be closed, or used in a `with` block.

    Args:
        url: Of an OpenAI-compatible server, for models named `openai:NAME`.
        yes_download: Download the local one without asking.
    """

    def __init__(self, url: str | None, out: Output, *, yes_download: bool) -> None:
        self._url, self._out, self._yes = url, out, yes_download
        self._open = ExitStack()

    def __enter__(self) -> Models:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def choose(self, name: str | None) -> Model:
        """
        Have another model; the one before is closed when that is there.

        Raises:
            ModelUnavailable: There is none; the one before stays.
            MissingExtra: Its packages are not installed.
        """
        from restwright.cli.model_choice import model_for

        url = self._url if _is_of_server(name) else None
        with ExitStack() as opening:
            chosen = model_for(name, url, self._out, yes_download=self._yes)
            model = opening.enter_context(chosen)
            self._open.close()
            self._open = opening.pop_all()
        return model


def _is_of_server(name: str | None) -> bool:
    return name is None or name.partition(":")[0] in {"openai", "openai-chat"}


@dataclass(slots=True, kw_only=True)
class Chat:
    """
    A chat that goes on.

    Args:
        is_person: Whether a person types at a terminal; else lines come from a file or a program.
        is_read_only: Whether it was begun with `--read-only`.
        is_free: Whether it was begun with `--yes`.
        codes: How the turns and commands ended so far.
    """

    conversation: Conversation
    models: Models
    out: Output
    approval: Approval
    is_person: bool = False
    is_read_only: bool = False
    is_free: bool = False
    codes: set[int] = field(default_factory=set[int])

    @property
    def agent(self) -> Agent:
        """Who answers now."""
        return self.conversation.agent

    @property
    def kind(self) -> str:
        """How it goes about a question."""
        kind = self.agent.kind
        return kind if isinstance(kind, str) else getattr(kind, "__name__", "own")

    def approve(self, approval: Approval) -> None:
        """Decide what may be called from now on."""
        policy = policy_for(approval)
        self.approval = approval
        self.conversation.agent = replace(self.agent, policy=policy)

    def code(self) -> int:
        """The exit code: of a chat of a person always that it is done."""
        if self.is_person or not self.codes - {DONE}:
            return DONE
        return FAILED if self.codes - {DONE, STOPPED} else STOPPED

    def take(self, text: str) -> None:
        """Take a turn."""
        self._answered(lambda: self.conversation.ask(text))

    def go_on(self) -> None:
        """Go on with the turn that was interrupted."""
        self._answered(self.conversation.go_on)

    def _answered(self, ask: Callable[[], Answer]) -> None:
        screen = Screen(self.out)
        conversation = self.conversation
        conversation.agent = replace(self.agent, on_event=screen.event, on_words=screen.words)
        try:
            answer = ask()
        except KeyboardInterrupt:
            screen.close()
            if not self.is_person:
                raise
            self._interrupted()
            return
        finally:
            screen.close()
        self.codes.add(EXIT_CODES[answer.stopped])
        note_end(replace(answer, session=""), self.out)
        if not self.out.json:
            # What was not reached is said beside it, so that no turn goes by without a word.
            text = answer.text or f"({answer.stopped}: {answer.reason})"
            print_answer(text, self.out, values=screen.values)
            sys.stdout.flush()

    def _interrupted(self) -> None:
        self.codes.add(INTERRUPTED)
        last = self.conversation.interrupted
        more = f"; /resume {last.session} goes on with it" if last else ""
        self.out.note(f"stopped{more}")
        for each in self.conversation.turns[-1:]:
            for write in each.writes:
                if write.effect == "unknown":
                    self.out.note(f"{write.tool} was under way: look whether it took effect")

    def failed(self, error: Exception) -> None:
        """Say what went wrong."""
        self.codes.add(FAILED)
        match error:
            case RestwrightError():
                report(error.code, error.message, error.hint, as_json=False)
            case BadParameter():
                report("usage", error.message, as_json=False)
            case OSError() if error.filename is not None:
                what = f"cannot use {error.filename}: {error.strerror}"
                report("file", what, as_json=False)
            case _:
                unexpected(error, as_json=False, verbose=self.out.verbose)
