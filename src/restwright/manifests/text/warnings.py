"""What is doubtful in a manifest, as values: said, and never the end of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

NoteKind = Literal[
    "file",
    "key",
    "dead-key",
    "value",
    "model",
    "engine",
    "functions",
    "required",
    "action",
    "dialect",
    "unhandled",
    "template",
    "path",
    "placeholder",
    "appkey",
    "code",
    "module",
    "database",
    "agents",
]

NOTE_MEANINGS: Mapping[NoteKind, str] = MappingProxyType(
    {
        "file": "a file cannot be read, and is left out",
        "key": "a key that nobody knows",
        "dead-key": "a key that SlashGPT does not read either",
        "value": "a value of another kind than its key takes",
        "model": "a model that is not served any more, or has no such name",
        "engine": "a model that runs on a server of another kind",
        "functions": "a function, or the file of them, cannot be used",
        "required": "a function requires what it does not have",
        "action": "an action that cannot be carried out",
        "dialect": "an action as they were written before September 2023",
        "unhandled": "a function that nothing carries out, or an action without a function",
        "template": "a template that would reach into a value",
        "path": "a path that leaves the folder of the manifest, or leads nowhere",
        "placeholder": "a placeholder that nothing is put in for",
        "appkey": "a key that is not bound to a host",
        "code": "code would have to be run",
        "module": "a Python file that is not there",
        "database": "a database of articles that is not there",
        "agents": "an agent that is not there",
    }
)
"""What each kind of note is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """
    Something doubtful: what, where, and what is done about it.

    Args:
        file: Of the manifest, as a person knows it.
        where: The key, and what stands in it; empty for the whole file.
        action: What is done, or what a person may do.
    """

    kind: NoteKind
    file: str
    what: str
    where: str = ""
    action: str = ""

    def __str__(self) -> str:
        place = f"{self.file}: {self.where}" if self.where else self.file
        return f"{place}: {self.what}; {self.action}" if self.action else f"{place}: {self.what}"
