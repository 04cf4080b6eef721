"""What a chat is: a conversation with the choices that its user makes on the way."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, nullcontext, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from restwright.cli.chat.command import Command, run_command
from restwright.cli.chat.loop import command_in
from restwright.cli.inputs.approval import Consent
from restwright.cli.render.answer import Screen, print_answer
from restwright.cli.render.errors import INTERRUPTED
from restwright.cli.render.output import Output, counted
from restwright.cli.runs.run import EXIT_CODES, note_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from restwright.agents.agent import Agent
    from restwright.agents.conversation import Conversation
    from restwright.agents.steps import Answer, Model
    from restwright.calls.approval.policy import Decision, Policy
    from restwright.cli.inputs.run_options import ApprovalOptions, ModelOptions
    from restwright.tools.safety import OperationClass

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
TRUSTED = "That a response of one API was read is no reason to ask before a write to another one."


def policy_for(approval: Approval, *, trusts: bool = False) -> Policy:
    """
    The policy that an approval means.

    Args:
        trusts: Whether what these APIs say is trusted, as with `--trust-apis`.
    """
    from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Policy

    policies: Mapping[Approval, Policy] = {
        "reads": READ_ONLY,
        "ask": CONFIRM,
        "writes": Policy(classes={"write": "allow"}),
        "all": ALLOW,
    }
    policy = policies[approval]
    return replace(policy, after_foreign_read="allow") if trusts else policy


class Models:
    """
    The model in use, one at a time. To be closed, or used in a `with` block.

    Args:
        options: What the command line says; its server is for models named `openai:NAME`.
    """

    def __init__(self, options: ModelOptions, out: Output) -> None:
        self._options, self._out = options, out
        self._open = ExitStack()

    def __enter__(self) -> Models:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def choose(self, name: str | None, *, url: str | None = None) -> Model:
        """
        Have another model; the one before is closed when that is there.

        Args:
            url: Of its server, where the command line names none.

        Raises:
            ModelUnavailable: There is none; the one before stays.
            MissingExtra: Its packages are not installed.
        """
        from restwright.cli.inputs.model import model_for

        options = self._options
        if options.model_url is not None or url is None:
            url = options.model_url if _is_of_server(name) else None
        with ExitStack() as opening:
            chosen = replace(options, model=name, model_url=url)
            model = opening.enter_context(model_for(chosen, self._out))
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
        slash_commands: By their names, without the slash.
        is_person: Whether a person types at a terminal; else lines come from a file or a program.
        given: What was approved when it was begun.
        classes: What `--class` said of tools.
        codes: How the turns and commands ended so far.
    """

    conversation: Conversation
    slash_commands: Mapping[str, Command]
    models: Models
    out: Output
    given: ApprovalOptions
    is_person: bool = False
    classes: Mapping[str, Decision | OperationClass] = field(
        default_factory=dict[str, "Decision | OperationClass"]
    )
    consent: Consent = field(default_factory=Consent)
    codes: set[int] = field(default_factory=set[int])
    approval: Approval = field(init=False)

    def __post_init__(self) -> None:
        self.approval = self._first

    @property
    def _first(self) -> Approval:
        return "reads" if self.given.read_only else "all" if self.given.yes else "ask"

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
        policy = replace(policy_for(approval, trusts=self.given.trust_apis), tools=self.classes)
        self.approval = approval
        self.conversation.agent = replace(self.agent, policy=policy)

    def switch_conversation(self, conversation: Conversation) -> None:
        """Talk on in another conversation, where nothing is approved but what the start did."""
        is_other = conversation.id != self.conversation.id
        self.conversation = conversation
        if is_other and self.approval != self._first:
            self.approve(self._first)
            self.out.note(f"what was approved does not hold here: /approve {self._first}")

    def greeting(self) -> str:
        """What there is to ask about."""
        catalog = self.agent.catalog
        counts: dict[str, int] = dict.fromkeys(catalog.apis, 0)
        for entry in catalog.entries.values():
            counts[entry.namespace] += 1
        tools = ", ".join(f"{name} ({counted(number, 'tool')})" for name, number in counts.items())
        return f"{tools}. Ask, or type /help; Ctrl-D quits."

    def handle_line(self, text: str) -> None:
        """Take a message, or carry a command out."""
        command = command_in(text)
        if command is None:
            self.run_turn(text.strip())
            return
        # With --json standard output is for one document alone.
        with redirect_stdout(sys.stderr) if self.out.json else nullcontext():
            run_command(self, self.slash_commands, *command)

    def end(self) -> None:
        """Print all turns as JSON, or how to go on."""
        from restwright.cli.chat.transcript import turn_json

        conversation = self.conversation
        if self.out.json:
            turns = [turn_json(turn) for turn in conversation.turns]
            self.out.value({"session": conversation.id or None, "turns": turns})
        elif self.is_person and conversation.id and conversation.turns:
            name = conversation.id
            self.out.note(f"{'session':<9}{name}, to go on with --resume {name}")

    def status_line(self) -> str:
        """The choices that were made."""
        return " | ".join((self.agent.model.name, self.kind, f"approved: {self.approval}", "/help"))

    def commands(self) -> Mapping[str, str]:
        """What may stand behind a slash."""
        return {name: each.help for name, each in self.slash_commands.items()}

    def complete_argument(self, command: str) -> Iterable[str]:
        """What may stand behind a command."""
        found = self.slash_commands.get(command)
        return found.complete(self) if found else ()

    def tool_names(self) -> Sequence[str]:
        """The names of the tools."""
        return self.agent.catalog.names

    def run_turn(self, text: str) -> None:
        """Take a turn."""
        self._show_answer(lambda: self.conversation.ask(text))

    def resume_turn(self, session: str) -> None:
        """Go on with a turn that was interrupted."""
        self._show_answer(lambda: self.conversation.resume_turn(session))

    def _show_answer(self, ask: Callable[[], Answer]) -> None:
        screen = Screen(self.out)
        conversation = self.conversation
        conversation.agent = replace(
            self.agent, on_event=screen.show_event, on_words=screen.show_delta
        )
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
        is_refused = answer.stopped == "refused"
        way_out = self.consent.approval_hint(yes=self.given.yes) if is_refused else ""
        note_end(replace(answer, session=""), self.out, way_out=way_out)
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
        for turn in self.conversation.turns[-1:]:
            for write in turn.writes:
                if write.effect == "unknown":
                    self.out.note(f"{write.tool} was under way: look whether it took effect")
