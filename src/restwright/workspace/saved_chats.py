"""The chats with manifests that `/import` takes up again: kept for this user alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.counters import ensure_private_file, user_state_folder
from restwright.net.storage import read_private_file, write_private_file

MAX_CHATS = 50
"""Of one manifest or folder; beyond it the oldest go."""


def load_chats(manifest: Path) -> list[JsonObject]:
    """The chats that were kept with what is at a path, latest last; none that cannot be read."""
    content = read_private_file(_chats_path(manifest))
    try:
        kept: Json = json.loads(content) if content else []
    except ValueError:
        return []
    return [chat for chat in kept if is_object(chat)] if is_array(kept) else []


def keep_chats(manifest: Path, chats: Sequence[JsonObject]) -> None:
    """
    Keep the latest of these.

    Raises:
        OSError: They cannot be written.
    """
    path = _chats_path(manifest)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    ensure_private_file(path)
    write_private_file(path, json.dumps([*chats][-MAX_CHATS:], ensure_ascii=False).encode())


def _chats_path(manifest: Path) -> Path:
    name = hashlib.sha256(str(manifest.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return user_state_folder() / f"chats-{name[:24]}.json"
