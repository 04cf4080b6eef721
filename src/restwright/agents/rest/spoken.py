"""What a message speaks of: of a value, by its properties' words or as it stands; of a path."""

from __future__ import annotations

from collections.abc import Set

from restwright.agents.rest.facts import iterate_scalars
from restwright.agents.rest.provenance import is_said
from restwright.jsontypes import Json, is_object
from restwright.tools.producers.paths import last_static_segment
from restwright.tools.search.analysis import tokenize_text
from restwright.tools.search.stop_words import DEFAULT_LANGUAGE, STOP_WORDS


def find_spoken(name: str, value: Json, said: str) -> Json:
    """
    Return the part of a value that is spoken of, by its names or as it stands; None for nothing.

    A name is, where all of its words are said but those that say nothing.

    Args:
        name: Of the property that has the value.
        said: Normalised, in English too.
    """
    if is_object(value):
        parts = {one: find_spoken(one, member, said) for one, member in value.items()}
        if told := {one: part for one, part in parts.items() if part is not None}:
            return told
    is_spoken = has_words(name, said) or any(is_said(one, said) for one in iterate_scalars(value))
    return value if is_spoken else None


def has_words(text: str, said: str) -> bool:
    """Whether all words of a text are said, in any number: `camera` of `cameras`."""
    words = {*tokenize_text(text)} - STOP_WORDS[DEFAULT_LANGUAGE]
    return bool(words) and words <= {*tokenize_text(said)}


def speaks_of_things(words: Set[str], path: str) -> bool:
    """Whether some words, as a search has them, are all of those at the end of a path template."""
    return {*tokenize_text(last_static_segment(path))} <= words
