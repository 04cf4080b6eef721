"""A chat that the journal has: which agent had the say in each of its sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from restwright.agents.agent import KINDS, Agent
from restwright.agents.conversation import Conversation, Turn
from restwright.agents.journal.conversations import (
    StoredConversation,
    StoredTurn,
    find_conversation,
    find_turns,
)
from restwright.agents.journal.handoffs import first_session
from restwright.agents.journal.rows import SessionSummary
from restwright.agents.journal.store import Journal
from restwright.errors import UnusableSession
from restwright.web.chat.chat import Chat, ChatTurn, Speaker


def find_chat(journal: Journal, name: str) -> StoredConversation:
    """
    Find what is kept of a chat, by its id or by that of any of its sessions.

    Raises:
        UnusableSession: There is nothing of that id.
    """
    first = first_session(journal.handoffs(name), name)
    conversation, _ = find_turns(journal, first)
    return find_conversation(journal, conversation)


def restore_chat(
    chat: Chat,
    stored: StoredConversation,
    journal: Journal,
    speakers: Mapping[str, Speaker],
    make_agent: Callable[[str], Agent],
) -> None:
    """
    Put what is kept of a chat into it.

    Args:
        make_agent: The agent of a speaker, by the key.

    Raises:
        UnusableSession: A session is damaged, or of documents or manifests that are not here.
    """
    agents = {key: make_agent(key) for key in speakers}
    said_by = {
        turn.session.id: _find_speaker(turn.session, speakers, agents)
        for turn in stored.active_turns
    }
    known: dict[str, Turn] = {}
    for key in dict.fromkeys(said_by.values()):
        own = [session for session, speaker in said_by.items() if speaker == key]
        conversation = Conversation.restore(agents[key], journal, stored.id, own)
        chat.conversations[key] = conversation
        known |= {turn.session: turn for turn in conversation.turns}
    for turns in _group_turns(stored):
        said = [known[turn.session.id] for turn in turns if turn.session.id in known]
        if said:
            chat.turns.append(_make_turn([(turn, said_by[turn.session]) for turn in said]))
    chat.speaker = said_by[stored.active_turns[-1].session.id]


def _find_speaker(
    session: SessionSummary, speakers: Mapping[str, Speaker], agents: Mapping[str, Agent]
) -> str:
    """Who had the say: by name, else who has exactly its documents."""
    if session.header.agent in speakers:
        return session.header.agent
    same = [
        key
        for key, agent in agents.items()
        if {name: api.sha256 for name, api in agent.catalog.apis.items()} == session.header.apis
    ]
    # Only an agent without a manifest is known by a kind.
    is_plain = session.header.agent in KINDS
    same.sort(key=lambda key: is_plain != (speakers[key].manifest is None))
    if not same:
        raise UnusableSession(session.id, "it is of other documents, or they have changed since")
    return same[0]


def _group_turns(stored: StoredConversation) -> list[list[StoredTurn]]:
    """The sessions of each message, that of who was asked first at first."""
    grouped: dict[int, list[StoredTurn]] = {}
    for turn in stored.active_turns:
        grouped.setdefault(turn.number, []).append(turn)
    return [*grouped.values()]


def _make_turn(parts: Sequence[tuple[Turn, str]]) -> ChatTurn:
    """A message, with the answer of who had the last say in it."""
    said = [turn for turn, _ in parts]
    whole = replace(
        said[0],
        answer=said[-1].answer,
        calls=tuple(call for turn in said for call in turn.calls),
        writes=tuple(write for turn in said for write in turn.writes),
    )
    speaker = parts[0][1]
    return ChatTurn(question=whole.question, speaker=speaker, turn=whole, parts=tuple(parts))
