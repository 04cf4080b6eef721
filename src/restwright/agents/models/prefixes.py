"""
The beginnings of prompts in one running engine: which ones it has, and how it gets the others.

The engine keeps in memory what it processed lately, and takes it up again by itself. What it never
processed in this process comes from disk; where that has none, it is made there, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from restwright.agents.models.engine_slot import EngineSlot
from restwright.agents.models.generation import Chunk
from restwright.agents.models.prefix_store import PrefixStore
from restwright.agents.steps import Message
from restwright.jsontypes import JsonObject

LEAST_CHARS = 400
"""Of a beginning; to process a shorter one takes no longer than to fetch its state."""

Process: TypeAlias = Callable[[Sequence[Message]], list[Chunk]]
"""Has the engine process messages without replying."""


class PrefixLost(Exception):
    """The engine has forgotten a beginning that it had. Never leaves this package."""


class Prefixes:
    """
    The beginnings in one engine.

    Args:
        park: Has the engine put what is in its slot among what it keeps in memory.
    """

    def __init__(
        self,
        store: PrefixStore,
        slot: EngineSlot,
        *,
        process: Process,
        park: Callable[[], object],
    ) -> None:
        self._store, self._slot = store, slot
        self._process, self._park = process, park
        self._tokens: dict[str, int] = {}
        """`{key: tokens}` of what the engine has had; 0 where nothing can be kept of it."""

    def ensure(self, messages: Sequence[Message], *, timeout_s: float) -> int:
        """
        Have the engine know `messages`; returns how many tokens they are, 0 where it may not.

        Args:
            timeout_s: Of reading and writing the state.
        """
        if sum(len(message.text) for message in messages) < LEAST_CHARS:
            return 0
        key = self._store.key(messages)
        if key not in self._tokens:
            self._park()
            self._tokens[key] = self._restore(key, timeout_s) or self._make(
                key, messages, timeout_s
            )
        return self._tokens[key]

    def bring_back(self, messages: Sequence[Message], *, timeout_s: float) -> None:
        """Fetch the state again, in place of what is in the slot."""
        key = self._store.key(messages)
        self._restore(key, timeout_s)

    def _restore(self, key: str, timeout_s: float) -> int:
        return self._store.restore(key, self._slot, timeout_s=timeout_s)

    def _make(self, key: str, messages: Sequence[Message], timeout_s: float) -> int:
        tokens = max(map(_prompt_tokens, self._process(messages)), default=0)
        if tokens:
            self._store.save(key, self._slot, timeout_s=timeout_s)
        return tokens


def _prompt_tokens(chunk: Chunk) -> int:
    usage: JsonObject = chunk.get("usage") or {}
    return usage.get("prompt_tokens", 0)
