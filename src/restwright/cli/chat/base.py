"""What all chats have in common, whoever answers in them."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from restwright.cli.chat.command import Command, run_command
from restwright.cli.chat.files import with_named_files
from restwright.cli.chat.loop import command_in
from restwright.cli.inputs.approval import Approval, Consent
from restwright.cli.render.answer import print_answer
from restwright.cli.render.errors import INTERRUPTED
from restwright.cli.render.output import Output, counted
from restwright.cli.runs.run import EXIT_CODES, note_end
from restwright.cli.screen.screen import Screen
from restwright.cli.screen.typed_ahead import TypedAhead

if TYPE_CHECKING:
    from restwright.agents.events import Event
    from restwright.agents.journal.store import Journal
    from restwright.agents.memory.turn import Turn
    from restwright.agents.runtime.human_input import Human
    from restwright.agents.runtime.streaming import TextDelta
    from restwright.agents.steps import Answer, NoAnswer, Question, UserAnswer
    from restwright.cli.inputs.model import Models
    from restwright.cli.inputs.run_options import ApprovalOptions
    from restwright.jsontypes import JsonObject
    from restwright.net.messages import Request
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.tool import Tool

T = TypeVar("T")


class Watch:
    """
    Passes what happens in a run to the screen of the turn that goes on.

    A question is asked where nothing else is drawn.
    """

    def __init__(self) -> None:
        self.screen: Screen | None = None

    def event(self, event: Event) -> None:
        """Show what happened."""
        if self.screen is not None:
            self.screen.show_event(event)

    def words(self, piece: TextDelta) -> None:
        """Show a piece of the answer."""
        if self.screen is not None:
            self.screen.show_delta(piece)

    def asking(self, consent: Consent) -> Callable[[Tool, Request], bool]:
        """Ask for consent with the screen out of the way."""

        def approve(tool: Tool, request: Request) -> bool:
            with self._paused():
                return consent(tool, request)

        return approve

    def answering(self, human: Human) -> Human:
        """Have questions answered with the screen out of the way."""

        def answer(question: Question) -> UserAnswer | NoAnswer:
            with self._paused():
                return human(question)  # pyright: ignore[reportReturnType]

        return answer

    @contextmanager
    def _paused(self) -> Generator[None]:
        with self.screen.paused() if self.screen is not None else nullcontext():
            yield


@dataclass(slots=True, kw_only=True)
class BaseChat(ABC):
    """
    A chat that goes on; see `loop.Talker`.

    Args:
        slash_commands: By their names, without the slash.
        is_person: Whether a person types at a terminal; else lines come from a file or a program.
        given: What was approved when it was begun.
        watch: Told what happens in a turn.
        codes: How the turns and commands ended so far.
        ahead: What was typed while an answer came.
        problems: What was doubtful in what the chat is about.
        events: What happened in the last turn.
    """

    slash_commands: Mapping[str, Command]
    models: Models
    out: Output
    given: ApprovalOptions
    watch: Watch = field(default_factory=Watch)
    is_person: bool = False
    consent: Consent = field(default_factory=Consent)
    codes: set[int] = field(default_factory=set[int])
    ahead: TypedAhead = field(default_factory=TypedAhead)
    problems: Sequence[str] = ()
    events: Sequence[Event] = ()
    approval: Approval = field(init=False)

    def __post_init__(self) -> None:
        self.approval = self.first_approval

    @property
    def user_label(self) -> str:
        """What stands before the line that is typed; empty for nothing."""
        return ""

    @property
    def first_approval(self) -> Approval:
        """What was approved when the chat was begun."""
        return "reads" if self.given.read_only else "all" if self.given.yes else "ask"

    @property
    @abstractmethod
    def turns(self) -> Sequence[Turn]:
        """What was said so far, oldest first."""

    @property
    @abstractmethod
    def session(self) -> str:
        """By which the journal knows the chat; empty where it does not."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """Who is asked."""

    @property
    @abstractmethod
    def journal(self) -> Journal | None:
        """What keeps the chat; None where nothing does."""

    @abstractmethod
    def catalog(self) -> Catalog | None:
        """The tools of who answers."""

    @abstractmethod
    def ask(self, text: str) -> None:
        """Take a turn."""

    @abstractmethod
    def resume_turn(self, session: str) -> None:
        """Go on with a turn that was interrupted."""

    @abstractmethod
    def take_up(self, name: str) -> None:
        """
        Go on with another chat of the journal, by its id or that of one of its turns.

        Raises:
            UnusableSession: There is none, or it is about something else.
        """

    @abstractmethod
    def choose_model(self, name: str) -> None:
        """Ask another model from now on."""

    @abstractmethod
    def approve(self, approval: Approval) -> None:
        """Decide what may be called from now on."""

    @abstractmethod
    def undo(self) -> Turn | None:
        """Forget the last turn."""

    @property
    def label(self) -> str:
        """What stands before an answer; empty for nothing."""
        return ""

    def run_turn(self, text: str) -> None:
        """Take a turn; a person may name files in it."""
        self.ask(with_named_files(text, self.out) if self.is_person else text)

    def handle_line(self, text: str) -> None:
        """Take a message, or carry a command out."""
        command = command_in(text)
        if command is None:
            self.run_turn(text.strip())
            return
        # With --json standard output is for one document alone.
        with self.beside_json():
            run_command(self, self.slash_commands, *command)

    @contextmanager
    def beside_json(self) -> Generator[None]:
        """Have what is printed on standard error, where standard output is for one document."""
        with redirect_stdout(sys.stderr) if self.out.json else nullcontext():
            yield

    def end(self) -> None:
        """Print all turns as JSON, or how to go on."""
        if self.out.json:
            turns = [self.turn_json(turn) for turn in self.turns]
            self.out.value({"session": self.session or None, "turns": turns})
        elif self.is_person and self.session and self.turns:
            name = self.session
            self.out.note(f"{'session':<9}{name}, to go on with --resume {name}")

    def turn_json(self, turn: Turn) -> JsonObject:
        """A turn as JSON."""
        from restwright.cli.chat.transcript import turn_json

        return turn_json(turn)

    def commands(self) -> Mapping[str, str]:
        """What may stand behind a slash."""
        return {name: each.help for name, each in self.slash_commands.items()}

    def complete_argument(self, command: str) -> Iterable[str]:
        """What may stand behind a command."""
        found = self.slash_commands.get(command)
        return found.complete(self) if found else ()

    def tool_names(self) -> Sequence[str]:
        """The names of the tools."""
        catalog = self.catalog()
        return () if catalog is None else catalog.names

    def show_turn(self, take: Callable[[Screen], T], answer_of: Callable[[T], Answer]) -> None:
        """Take a turn on a screen, and print what came of it and what it used."""
        screen = Screen(self.out, model=self.model_name, keeps_words=True, ahead=self.ahead)
        self.watch.screen = screen
        screen.start()
        try:
            taken = take(screen)
        except KeyboardInterrupt:
            screen.leave_words()
            screen.close()
            if not self.is_person:
                raise
            self.ahead.hold()
            self.interrupted()
            return
        finally:
            self.watch.screen = None
            screen.close()
            self.events = tuple(screen.events)
        self._print_end(answer_of(taken), screen, self.label)

    def _print_end(self, answer: Answer, screen: Screen, label: str) -> None:
        self.codes.add(EXIT_CODES[answer.stopped])
        if not self.out.json:
            # What was not reached is said beside it, so that no turn goes by without a word.
            text = answer.text or f"({answer.stopped}: {answer.reason})"
            if rest := screen.finish(text):
                print_answer(
                    f"{label}: {rest}" if label and rest == text else rest,
                    self.out,
                    values=screen.values,
                    folds=True,
                )
            sys.stdout.flush()
        is_refused = answer.stopped == "refused"
        way_out = self.consent.approval_hint(yes=self.given.yes) if is_refused else ""
        note_end(replace(answer, session=""), self.out, way_out=way_out)

    def interrupted(self) -> None:
        """Say that a turn was stopped, and what may have become of it."""
        self.codes.add(INTERRUPTED)
        last = self.turns[-1] if self.turns else None
        is_open = last is not None and not last.has_ended and last.session
        more = f"; /resume {last.session} goes on with it" if last and is_open else ""
        self.out.note(f"stopped{more}")
        for write in last.writes if last and not last.has_ended else ():
            if write.effect == "unknown":
                self.out.note(f"{write.tool} was under way: look whether it took effect")

    def with_problems(self, greeting: str) -> str:
        """A greeting, and how much there is to know about what the chat is about."""
        if not self.problems:
            return greeting
        return f"{greeting}\n{counted(len(self.problems), 'warning')}; /problems lists them."
