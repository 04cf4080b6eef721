"""What of a value a message speaks of, by the words of its properties or as it stands."""

from __future__ import annotations

from restwright.agents.rest.facts import iterate_scalars
from restwright.agents.rest.provenance import is_said
from restwright.jsontypes import Json, is_object
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
    words = {*tokenize_text(name)} - STOP_WORDS[DEFAULT_LANGUAGE]
    is_named = bool(words) and words <= {*tokenize_text(said)}
    return value if is_named or any(is_said(one, said) for one in iterate_scalars(value)) else None
