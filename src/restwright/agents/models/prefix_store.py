"""
What the engine made of the texts with which prompts begin, kept on disk.

To process such a text takes seconds, to read its state again milliseconds: about 28 kB a token.
A state serves the same model file, engine and text alone; all of these are in its name, with the
hash of the state itself. What is damaged or of somebody else is as good as absent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from restwright.agents.models.engine_slot import EngineSlot, SlotUnchanged
from restwright.agents.steps import Complete, Message
from restwright.net.storage import (
    cache_folder,
    create_state_file,
    find_state_file,
    is_cache_on,
    make_private_folder,
)

_FORMAT = 1
_KIND = "prefixes"


def static_prefix(request: Complete) -> tuple[Message, ...]:
    """The messages with which a prompt begins in every run; empty where it has none."""
    return tuple(takewhile(lambda message: message.is_static, request.messages))


class PrefixStore:
    """
    The states of one model file under one setting of the engine.

    Args:
        settings: All that a state depends on besides the text: the hash of the model's file, the
            engine's version, the types of its cache.
    """

    def __init__(self, settings: Sequence[str]) -> None:
        self._settings = [*settings]

    def key(self, messages: Sequence[Message]) -> str:
        """The name of the state after `messages`."""
        texts = [[message.speaker, message.text] for message in messages]
        content = json.dumps([_FORMAT, self._settings, texts])
        return hashlib.sha256(content.encode()).hexdigest()

    def has(self, messages: Sequence[Message]) -> bool:
        """Whether a sound state after `messages` is kept."""
        return find_state_file(_KIND, self.key(messages)) is not None

    def restore(self, key: str, slot: EngineSlot, *, timeout_s: float) -> int:
        """Bring a state into the slot; returns how many tokens it has, 0 where there is none."""
        path = find_state_file(_KIND, key)
        if path is None:
            return 0
        try:
            return slot.restore(path.name, timeout_s=timeout_s)
        except SlotUnchanged:
            return 0

    def save(self, key: str, slot: EngineSlot, *, timeout_s: float) -> bool:
        """Keep the slot's state; False where it cannot be kept, which is no error."""
        try:
            with create_state_file(_KIND, key) as path:
                _save_whole(slot, path, timeout_s)
        except (OSError, SlotUnchanged):
            return False
        return True


def _save_whole(slot: EngineSlot, path: Path, timeout_s: float) -> None:
    written = slot.save(path.name, timeout_s=timeout_s)
    if path.stat().st_size != written:
        # The engine does not see that a disk is full when it closes a file.
        raise SlotUnchanged(path.name)


def prefix_folder() -> Path | None:
    """The folder of all states; None where caches are off or it cannot be made."""
    folder = cache_folder() / _KIND
    if not is_cache_on():
        return None
    try:
        make_private_folder(folder)
    except OSError:
        return None
    return folder
