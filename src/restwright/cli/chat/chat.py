"""What a chat is: a conversation with the choices that its user makes on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from restwright.cli.chat.base import BaseChat
from restwright.cli.inputs.approval import Approval, policy_for
from restwright.cli.render.output import counted

if TYPE_CHECKING:
    from restwright.agents.agent import Agent
    from restwright.agents.conversation import Conversation
    from restwright.agents.journal.store import Journal
    from restwright.agents.memory.turn import Turn
    from restwright.calls.approval.policy import Decision
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.safety import OperationClass


@dataclass(slots=True, kw_only=True)
class Chat(BaseChat):
    """
    A chat over APIs.

    Args:
        classes: What `--class` said of tools.
    """

    conversation: Conversation
    classes: Mapping[str, Decision | OperationClass] = field(
        default_factory=dict[str, "Decision | OperationClass"]
    )

    @property
    def agent(self) -> Agent:
        """Who answers now."""
        return self.conversation.agent

    @property
    def kind(self) -> str:
        """How it goes about a question."""
        kind = self.agent.kind
        return kind if isinstance(kind, str) else getattr(kind, "__name__", "own")

    @property
    def turns(self) -> Sequence[Turn]:
        """What was said so far, oldest first."""
        return self.conversation.turns

    @property
    def session(self) -> str:
        """By which the journal knows the chat; empty where it does not."""
        return self.conversation.id

    @property
    def model_name(self) -> str:
        """Who is asked."""
        return self.agent.model.name

    @property
    def journal(self) -> Journal | None:
        """What keeps the chat; None where nothing does."""
        return self.conversation.journal

    def catalog(self) -> Catalog:
        """The tools of who answers."""
        return self.agent.catalog

    def take_up(self, name: str) -> None:
        """Go on with another chat of the journal."""
        from restwright.agents.conversation import Conversation

        if self.journal is not None:
            self._switch(Conversation.resume(self.agent, self.journal, name))

    def choose_model(self, name: str) -> None:
        """Ask another model from now on."""
        self.conversation.agent = replace(self.agent, model=self.models.choose(name))

    def approve(self, approval: Approval) -> None:
        """Decide what may be called from now on."""
        policy = replace(policy_for(approval, trusts=self.given.trust_apis), tools=self.classes)
        self.approval = approval
        self.conversation.agent = replace(self.agent, policy=policy)

    def undo(self) -> Turn | None:
        """Forget the last turn."""
        return self.conversation.undo()

    def _switch(self, conversation: Conversation) -> None:
        """Talk on in another conversation, where nothing is approved but what the start did."""
        is_other = conversation.id != self.conversation.id
        self.conversation = conversation
        if is_other and self.approval != self.first_approval:
            self.approve(self.first_approval)
            self.out.note(f"what was approved does not hold here: /approve {self.first_approval}")

    def greeting(self) -> str:
        """What there is to ask about."""
        catalog = self.agent.catalog
        counts: dict[str, int] = dict.fromkeys(catalog.apis, 0)
        for entry in catalog.entries.values():
            counts[entry.namespace] += 1
        tools = ", ".join(f"{name} ({counted(number, 'tool')})" for name, number in counts.items())
        return self.with_problems(f"{tools}. Ask, or type /help; Ctrl-D quits.")

    def status_line(self) -> str:
        """The choices that were made."""
        return " | ".join((self.model_name, self.kind, f"approved: {self.approval}", "/help"))

    def ask(self, text: str) -> None:
        """Take a turn."""
        self.show_turn(lambda _: self.conversation.ask(text), lambda answer: answer)

    def resume_turn(self, session: str) -> None:
        """Go on with a turn that was interrupted."""
        self.show_turn(lambda _: self.conversation.resume_turn(session), lambda answer: answer)
