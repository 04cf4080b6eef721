"""The values that make up a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, TypeAlias

from restwright.jsontypes import Json, JsonObject
from restwright_bench.any.world.state import ChangeKind, TableKey

Language = Literal["en", "fr", "de", "ja"]
LANGUAGES: tuple[Language, ...] = ("en", "fr", "de", "ja")
Split = Literal["dev", "never-read"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Things:
    """
    A collection, or with `name` one thing in it, as a question names it.

    Args:
        scope: Noun and name of what it is inside of; empty at the root.
    """

    noun: str
    name: str = ""
    scope: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class FieldName:
    """A property as people say it."""

    said: str


@dataclass(frozen=True, slots=True)
class Value:
    """A value as people say it: a day in words, yes and no, an enumeration's words."""

    value: Json
    is_in_words: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """Several properties with their values."""

    pairs: tuple[tuple[FieldName, Value], ...]


Slot: TypeAlias = Things | FieldName | Value | Values


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramStep:
    """One call of the ideal program."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedChange:
    """
    A change that the task asks for.

    Args:
        id: Empty for what is created.
        values: Properties that it sets; empty for what is deleted.
    """

    table: TableKey
    kind: ChangeKind
    id: str = ""
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """
    What an answer must hold, and what it must not.

    Args:
        values: All of these; numbers, names, days and words of enumerations.
        forbidden: None of these.
    """

    values: tuple[Json, ...] = ()
    forbidden: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    What a task is about, in no language yet.

    Args:
        template: Of `wordings.toml`.
        asked: Changes it asks for; none for one that only reads.
        is_impossible: Whether it asks for what is not there or cannot be done.
    """

    kind: str
    template: str
    slots: Mapping[str, Slot]
    resource: str
    expected: Expected = field(default_factory=Expected)
    asked: tuple[AskedChange, ...] = ()
    program: tuple[ProgramStep, ...] = ()
    is_impossible: bool = False

    @property
    def is_read(self) -> bool:
        """Whether nothing may change."""
        return not self.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    A case in a language and a wording, over the world of a document and a seed.

    Args:
        document: The file's name.
        wording: 2 for what is never read, the others for development.
    """

    document: str
    seed: int
    kind: str
    language: Language
    wording: int
    split: Split
    question: str
    case: Case = field(repr=False)

    @property
    def key(self) -> tuple[str, int, str, str, int]:
        """By which two runs are of the same task."""
        return self.document, self.seed, self.kind, self.language, self.wording


def day_of(value: Json) -> date | None:
    """The day of a date or a date-time; None for anything else."""
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None
