"""What a model is told of a conversation: with its calls, or in words."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.agents.steps import Message
from restwright.calls.truncate import compact_json

MAX_HISTORY_CHARS = 60_000
"""Characters of the history that the model is told."""


def build_prompt(
    system: str | None, history: Sequence[Message], *, native: bool, functions: str = ""
) -> tuple[Message, ...]:
    """
    The prompt: what a model is, and what was said and called, as it can take that.

    Args:
        native: Whether it takes calls and their answers as such.
        functions: What a model is told of functions that takes none natively.
    """
    told_first = "\n\n".join(filter(None, (system, functions)))
    kept = _recent_messages(history)
    told = (
        kept
        if native
        else [_spell_out_calls(message, has_functions=bool(functions)) for message in kept]
    )
    head = [Message("system", told_first)] if told_first else []
    # Some models do not begin without a word of the user.
    is_users = bool(told) and told[0].speaker == "user"
    start = [] if is_users else [Message("user", "(begin)")]
    return (*head, *start, *told)


def _recent_messages(history: Sequence[Message]) -> list[Message]:
    """The end of the history that has room, from a word of the user on."""
    room, start = MAX_HISTORY_CHARS, len(history)
    for place in range(len(history) - 1, -1, -1):
        room -= len(history[place].text)
        if room < 0 and start < len(history):
            break
        if history[place].speaker == "user":
            start = place
    is_whole = room >= 0 or start == len(history)
    return [*history] if is_whole else [*history[start:]]


def _spell_out_calls(message: Message, *, has_functions: bool) -> Message:
    """A message for a model that knows no calls."""
    if message.speaker == "tool":
        return Message("user", f"{message.tool} gave:\n{message.text}")
    if not has_functions or message.speaker != "assistant":
        return Message(message.speaker, message.text)
    calls = [{"tool": call.tool, "arguments": call.arguments} for call in message.calls]
    return Message("assistant", compact_json({"calls": calls, "answer": message.text}))
