"""A question with its published path, and the oracle that knows its answer in any world."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True)
class GoldCall:
    """One call of a path: the method in upper case, and the path as the document writes it."""

    method: str
    template: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """
    One question.

    Args:
        api: `tmdb` or `spotify`.
        index: Its place in the published list, from 0.
        gold: The published path, corrected where that does not exist in the document.
    """

    api: str
    index: int
    text: str
    gold: tuple[GoldCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One call of a script; path values are given decoded."""

    method: str
    template: str
    path: Mapping[str, Json] = field(default_factory=dict[str, Json])
    query: Mapping[str, Json] = field(default_factory=dict[str, Json])
    body: Json = None


Script = Generator[Scripted, Json, str]
"""Yields calls, is sent the bodies of their answers, returns what is said to the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """
    A reading query is met by an answer that says this.

    Args:
        all_of: Facts that must all be in the answer; each one or more texts of the same meaning.
        any_of: Facts of which one is enough, as where `some` or `any` is asked.
        none_of: Texts that give a wrong answer away.
        one_of: Ways to say it, of which one must hold whole, beside what is required above.
    """

    all_of: tuple[tuple[str, ...], ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    none_of: tuple[str, ...] = ()
    one_of: tuple[Answered, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """
    A writing query is met by a state that fits, with nothing else changed.

    Args:
        is_met: `(snapshot before, snapshot after) -> bool`; it holds both sides together.
        what: What is to change, in words.
    """

    is_met: Callable[[JsonObject, JsonObject], bool]
    what: str


Expected = Answered | Changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Oracle:
    """
    What is known of one query in any world.

    Args:
        expected: Worked out from the state before the first call.
        script: Right calls for it, in the order of an accepted path.
        alternatives: Paths that are accepted beside the published one.
        unsound: Why success cannot be judged; empty where it can.
        unsound_gold: Why the published path is not one that a right agent takes; empty where it is.
    """

    index: int
    expected: Callable[..., Expected]
    script: Callable[..., Script]
    alternatives: tuple[tuple[GoldCall, ...], ...] = ()
    unsound: str = ""
    unsound_gold: str = ""
