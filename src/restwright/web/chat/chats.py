"""The chats of a server: who is talked with, what was said, and the run of each turn."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from restwright.agents.agent import KINDS, Agent
from restwright.agents.conversation import Conversation, Turn
from restwright.agents.events import Event
from restwright.agents.journal.handoffs import start_handoff
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.budget import find_price
from restwright.agents.steps import AnyModel, StepListener
from restwright.errors import NoSuchPart, UnusableSession, UsageError
from restwright.jsontypes import JsonObject
from restwright.web.chat.chat import Chat, ChatTurn, OnSwitch, Speaker
from restwright.web.chat.restoring import find_chat, restore_chat
from restwright.web.chat.runs import Runs

if TYPE_CHECKING:
    from restwright.manifests.own.asking import AskedAgent
    from restwright.manifests.own.manifest import Manifest

__all__ = ["Chat", "ChatTurn", "Chats", "OnSwitch", "Speaker"]

MAX_CHATS = 500
"""Chats that are kept in memory; others are read from the journal again."""
MAX_MESSAGE_CHARS = 100_000


@dataclass(slots=True, kw_only=True)
class Chats:
    """
    All chats of a server.

    Args:
        speakers: Who can be talked with, by their keys; the first is who is talked with at first.
        find_model: Finds a model by its name, for the agent of a manifest; empty for that of the
            server, or else of the manifest.
        journal: Keeps every turn; None to keep nothing.
        kind: How a message is gone about where the page chooses nothing.
        has_one_model: Whether the model of the server is asked, and nobody chooses another one.
        max_chats: That are kept in memory.
    """

    speakers: Mapping[str, Speaker]
    find_model: Callable[[str, Manifest | None], AnyModel]
    journal: Journal | None = None
    kind: str | None = None
    has_one_model: bool = False
    max_chats: int = MAX_CHATS
    runs: Runs = field(default_factory=Runs)
    _chats: dict[str, Chat] = field(default_factory=dict[str, Chat])

    def begin(self, *, speaker: str = "", owner: str = "") -> Chat:
        """
        Begin a chat.

        Raises:
            NoSuchPart: There is no such agent.
        """
        key = speaker or next(iter(self.speakers))
        self._require_speaker(key)
        name = f"{time.strftime('%y%m%d')}-{secrets.token_hex(8)}"
        return self._keep(Chat(id=name, owner=owner, speaker=key))

    def find(self, name: str, owner: str = "") -> Chat:
        """
        Return a chat, from the journal where it is no longer in memory.

        Raises:
            UnusableSession: There is none, or it is somebody else's, or of other documents.
        """
        chat = self._chats.get(name)
        if chat is not None and chat.owner == owner:
            return chat
        if chat is not None or self.journal is None:
            raise UnusableSession(name, "there is no chat of that id")
        stored = find_chat(self.journal, name)
        if stored.id in self._chats:
            return self.find(stored.id, owner)
        chat = Chat(id=stored.id, owner=owner, speaker="")
        restore_chat(
            chat, stored, self.journal, self.speakers, lambda key: self._make_agent(chat, key)
        )
        return self._keep(chat)

    def say(self, chat: Chat, text: str) -> ChatTurn:
        """
        Take a turn, which goes on whoever watches.

        Raises:
            UsageError: There is nothing to say, or a turn goes on.
            RestwrightError: There is no such model, or no such kind.
        """
        if not text.strip() or len(text) > MAX_MESSAGE_CHARS:
            why = f"a message has from 1 to {MAX_MESSAGE_CHARS:,} characters"
            raise UsageError(why, "message", "write what you want to know, or to have done")
        _require_idle(chat)
        self._conversation(chat, chat.speaker)

        def begin(on_step: StepListener) -> AsyncGenerator[Event]:
            manifest = self.speakers[chat.speaker].manifest
            if manifest is None:
                return self._prepare(chat, chat.speaker, on_step).stream(text)
            return self._stream_manifest(chat, manifest, text, on_step)

        return self._start(chat, ChatTurn(question=text, speaker=chat.speaker), begin)

    def resume(self, chat: Chat, session: str) -> ChatTurn:
        """
        Go on with a turn that was interrupted; no finished call is made again.

        Raises:
            UsageError: A turn goes on.
            UnusableSession: It was not interrupted.
        """
        _require_idle(chat)
        found = next((turn for turn in chat.turns if turn.session == session), None)
        if found is None or not found.can_resume:
            raise UnusableSession(session, "that turn was not interrupted")
        chat.turns.remove(found)

        def begin(on_step: StepListener) -> AsyncGenerator[Event]:
            manifest = self.speakers[found.speaker].manifest
            if manifest is not None:
                return self._stream_manifest(chat, manifest, found.question, on_step, session)
            conversation = self._prepare(chat, found.speaker, on_step)
            return conversation.stream_resumed_turn(session)

        return self._start(chat, ChatTurn(question=found.question, speaker=found.speaker), begin)

    def go_back(self, chat: Chat, number: int) -> Sequence[Turn]:
        """
        Forget all turns after one, and return them; what they sent stays sent.

        Args:
            number: Of the turn that is the last from then on, from 1; 0 for none.

        Raises:
            UsageError: A turn goes on, or there is no such turn.
        """
        _require_idle(chat)
        if not 0 <= number < len(chat.turns):
            raise UsageError(f"there is no turn {number} to go back to", "turn")
        forgotten = chat.turns[number:]
        for turn in reversed(forgotten):
            if turn.turn is not None:
                chat.conversations[turn.speaker].undo()
        chat.turns = chat.turns[:number]
        return [turn.turn for turn in forgotten if turn.turn is not None]

    def choose(self, chat: Chat, *, model: str, kind: str) -> None:
        """
        Have another model or kind from the next message on.

        Raises:
            UsageError: There is no such kind.
            RestwrightError: There is no such model; everything stays as it was.
        """
        if kind and kind not in KINDS:
            raise UsageError(f"there is no kind {kind[:40]!r}", "kind", ", ".join(KINDS))
        if model and self.has_one_model:
            raise UsageError("the model is that of this server", "model")
        if model != chat.model:
            self.find_model(model, self.speakers[chat.speaker].manifest)
        chat.model, chat.kind = model, kind

    def forget(self, names: Sequence[str], owner: str = "") -> None:
        """
        Let go of chats that are deleted.

        Raises:
            UsageError: A turn of one of them goes on.
        """
        known = [chat for name in names if (chat := self._chats.get(name)) and chat.owner == owner]
        for chat in known:
            _require_idle(chat)
        for chat in known:
            del self._chats[chat.id]

    def in_memory(self, owner: str = "") -> tuple[Chat, ...]:
        """Return the chats that are in memory, the latest first."""
        return tuple(
            chat for chat in reversed(self._chats.values()) if chat.owner == owner and chat.turns
        )

    def catalog_agent(self, chat: Chat) -> Agent:
        """Who listens now."""
        return self.agent_of(chat, chat.speaker)

    def agent_of(self, chat: Chat, key: str) -> Agent:
        """One of those that have a say in a chat."""
        return self._conversation(chat, key).agent

    def _start(
        self, chat: Chat, turn: ChatTurn, begin: Callable[[StepListener], AsyncGenerator[Event]]
    ) -> ChatTurn:
        price = find_price(self._conversation(chat, turn.speaker).agent.model.name)
        turn.run = self.runs.start(
            begin, turn.question, owner=chat.owner, chat=chat.id, price=price
        )
        turn.run.on_end = lambda: _note_end(chat, turn)
        turn.run.on_forgotten = lambda: _forget_run(turn)
        chat.turns.append(turn)
        return turn

    def _prepare(
        self,
        chat: Chat,
        key: str,
        on_step: StepListener,
        on_switch: OnSwitch | None = None,
        memory: JsonObject | None = None,
    ) -> Conversation:
        """The conversation with an agent, which asks the model that is chosen now."""
        conversation = self._conversation(chat, key)
        agent = self._make_agent(chat, key, on_switch, memory)
        conversation.agent = replace(agent, on_step=on_step)
        return conversation

    def _conversation(self, chat: Chat, key: str) -> Conversation:
        if key not in chat.conversations:
            agent = self._make_agent(chat, key)
            chat.conversations[key] = Conversation(agent, self.journal, chat.id)
        return chat.conversations[key]

    def _make_agent(
        self,
        chat: Chat,
        key: str,
        on_switch: OnSwitch | None = None,
        memory: JsonObject | None = None,
    ) -> Agent:
        speaker = self.speakers[key]
        model = self.find_model(chat.model, speaker.manifest)
        made = speaker.make(model, on_switch or (lambda _: None), memory)
        kind = chat.kind or self.kind
        return replace(made, kind=kind) if kind and speaker.manifest is None else made

    def _stream_manifest(
        self,
        chat: Chat,
        manifest: Manifest,
        text: str,
        on_step: StepListener,
        session: str = "",
    ) -> AsyncGenerator[Event]:
        """
        The turns of all agents that a message leads to; their answers are given as one.

        Args:
            session: Of the first of them, where it is gone on with.
        """
        from restwright.manifests.own.asking import stream_agents

        async def take(asked: AskedAgent, on_switch: OnSwitch) -> AsyncGenerator[Event]:
            key = asked.manifest.name
            self._require_speaker(key)
            chat.speaker = key
            title = self.speakers[key].title
            yield Event("note", f"{title} speaks", {"speaker": title})
            conversation = self._prepare(chat, key, on_step, on_switch, asked.memory)
            async with aclosing(self._stream_agent(conversation, asked, session)) as events:
                async for event in events:
                    yield event

        return stream_agents(manifest, text, take)

    def _stream_agent(
        self, conversation: Conversation, asked: AskedAgent, again: str
    ) -> AsyncGenerator[Event]:
        """The turn of one agent; what is kept of one that was handed over to is not done again."""
        if asked.before is None:
            return conversation.stream(asked.question, session=again)
        if self.journal is None:
            return conversation.stream(asked.question)
        header = conversation.agent.session_header(asked.question)
        session = start_handoff(self.journal, asked.before.session, header)
        return conversation.stream(asked.question, session=session)

    def _require_speaker(self, key: str) -> None:
        if key not in self.speakers:
            raise NoSuchPart(key, "is no agent that can be talked with", [*self.speakers])

    def _keep(self, chat: Chat) -> Chat:
        self._chats[chat.id] = chat
        idle = (name for name, each in self._chats.items() if each.running is None)
        if len(self._chats) > self.max_chats and (oldest := next(idle, None)) not in {
            None,
            chat.id,
        }:
            del self._chats[str(oldest)]
        return chat


def _note_end(chat: Chat, turn: ChatTurn) -> None:
    """Have what the conversation keeps of a turn, once its run has ended."""
    turns = chat.conversations[turn.speaker].turns
    if turns and turns[-1].question == turn.question:
        # Of all agents that had a say; of one that was stopped among these there is none.
        answer = turn.run.answer if turn.run is not None else None
        turn.turn = replace(turns[-1], answer=answer)


def _forget_run(turn: ChatTurn) -> None:
    """Keep what the conversation has of a turn; its trace is in the journal."""
    turn.run = None


def _require_idle(chat: Chat) -> None:
    if chat.running is not None:
        raise UsageError("a message is worked on", "message", "wait for its answer, or stop it")
